"""Recognize addresses of stores, and describe what is in them."""

from collections.abc import Mapping
from hashlib import sha256
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from leftbower.store import Head

_SQLITE: Final = b"SQLite format 3\0"
_ADDRESSES: Final = ("sqlite:///", "postgresql://", "postgres://")


def is_store(address: str) -> bool:
    """Is this the address of a store rather than another file?"""
    return address.startswith(_ADDRESSES) or is_sqlite(address)


def is_sqlite(path: str) -> bool:
    """Is this a SQLite file, going by its first bytes?"""
    try:
        with open(path, "rb") as file:
            return file.read(len(_SQLITE)) == _SQLITE
    except (OSError, ValueError):
        return False


def describe_counts(heads: "Mapping[str, Head]") -> str:
    """Numbers of logs and facts in words."""
    facts = sum(head.seq for head in heads.values())
    return f"{len(heads):,} log{'' if len(heads) == 1 else 's'}, {facts:,} fact{'' if facts == 1 else 's'}"


def fingerprint(heads: "Mapping[str, Head]") -> str:
    """A short hash over the heads of all logs; equal logs have equal hashes."""
    lines = (f"{log} {head.seq} {head.hash.hex()}\n" for log, head in sorted(heads.items()))
    return sha256("".join(lines).encode(errors="surrogateescape")).hexdigest()[:16]
