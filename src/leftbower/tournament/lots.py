"""Drawing lots from a seed that is handed in: whoever knows the seed can draw them again."""

import hashlib
from collections.abc import Iterable


def shuffled(names: Iterable[str], seed: str) -> tuple[str, ...]:
    """The names in an order that nobody can steer who does not choose the seed."""
    return tuple(sorted(names, key=lambda name: hashlib.sha256(f"{seed}\n{name}".encode()).digest()))
