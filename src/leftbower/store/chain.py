"""The hash chain of a log: each row seals itself and all rows before it, so that no change goes unnoticed.

    first seal = SHA-256("leftbower log 1" ‖ 0 ‖ log)
    seal = SHA-256(seal before ‖ length of log, 4 bytes ‖ log ‖ seq, 8 bytes ‖ at, 8 bytes ‖ fact)

Numbers are big-endian, `at` is in whole milliseconds since 1970, text is UTF-8, the fact is its canonical JSON.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Final, NamedTuple

DOMAIN: Final = b"leftbower log 1\0"


@dataclass(frozen=True, slots=True)
class Head:
    """The end of a log: its last sequence number and the hash that seals everything up to it."""

    seq: int
    hash: bytes


class Row(NamedTuple):
    """A stored fact."""

    seq: int
    at: int
    """Milliseconds since 1970."""
    body: str
    """Canonical JSON; with surrogate escapes if the row is damaged and not UTF-8."""
    hash: bytes


def start(log: str) -> Head:
    """The head of an empty log."""
    return Head(0, sha256(DOMAIN + _bytes(log)).digest())


def seal(before: bytes, log: str, seq: int, at: int, body: str) -> bytes:
    """The hash of a row that follows the row with the hash `before`."""
    name = _bytes(log)
    header = len(name).to_bytes(4, "big") + name + seq.to_bytes(8, "big") + at.to_bytes(8, "big", signed=True)
    return sha256(before + header + _bytes(body)).digest()


def _bytes(text: str) -> bytes:
    """The bytes of a text; surrogate escapes of a damaged row become the bytes on disk."""
    return text.encode(errors="surrogateescape")


def chained(log: str, head: Head, at: int, bodies: Iterable[str]) -> list[Row]:
    """The rows of these facts after `head`, all with the same time."""
    rows = []
    for body in bodies:
        head = Head(head.seq + 1, seal(head.hash, log, head.seq + 1, at, body))
        rows.append(Row(head.seq, at, body, head.hash))
    return rows


def end(head: Head, rows: Sequence[Row]) -> Head:
    """The head after these rows."""
    return Head(rows[-1].seq, rows[-1].hash) if rows else head


def fits(log: str, head: Head, row: Row) -> bool:
    """Is this row, regardless of its number, the one that was written after `head`?"""
    return row.hash == seal(head.hash, log, head.seq + 1, row.at, row.body)
