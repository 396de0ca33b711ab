"""Deterministic shuffle from a seed, so a draw can be repeated and checked."""

import hashlib
from collections.abc import Iterable


def seeded_shuffle(names: Iterable[str], seed: str) -> tuple[str, ...]:
    """Order names by the hash of seed and name."""
    return tuple(sorted(names, key=lambda name: hashlib.sha256(f"{seed}\n{name}".encode()).digest()))
