"""Verify a log against its hash chain: the first flaw, with log, sequence number and a sentence."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, TypeAlias

from leftbower.store.chain import Head, Row, fits, start


class FlawKind(StrEnum):
    """What may have happened to a row."""

    CHANGED = "changed"
    """Its fact, time or hash is not what was written, or earlier rows were removed and the rest renumbered."""
    MISPLACED = "misplaced"
    """Another row has this number: rows were swapped, or one was inserted; the right row has another number."""
    MISSING = "missing"
    """A row was removed, as later rows, the log's head or a remembered head show."""
    UNEXPECTED = "unexpected"
    """There is a row after the log's head, where nothing was written."""
    UNKNOWN = "unknown"
    """The log's head, or the remembered one, belongs to a different history than the rows."""


@dataclass(frozen=True, slots=True)
class Flaw:
    """The first flaw of a log; everything before it is unchanged."""

    log: str
    seq: int
    kind: FlawKind
    sentence: str

    def __str__(self) -> str:
        return f"log {self.log}, fact {self.seq}: {self.sentence}"


Rows: TypeAlias = Callable[[str, int, int], Awaitable[Sequence[Row]]]
"""The rows of a log above a number, in order, up to a limit."""
Heads: TypeAlias = Callable[[str], Awaitable[Head | None]]
"""The head stored with the last append to a log."""

CHUNK_ROWS: Final = 1000


async def flaw_of(log: str, rows: Rows, head: Heads, remembered: Head | None = None) -> Flaw | None:
    """The first flaw of a log, or None; `remembered` is a head stored elsewhere.

    The log may grow during the check: rows must reach the head that was read before them, and not exceed the head read
    after them.
    """
    end = start(log)
    while True:
        before = known = await head(log)
        chunk = await rows(log, end.seq, CHUNK_ROWS)
        if chunk and (before is None or chunk[-1].seq > before.seq):
            known = await head(log)
        for row in chunk:
            if flaw := await _flaw_of_row(log, end, row, known, rows):
                return flaw
            end = Head(row.seq, row.hash)
            if flaw := _rewritten(log, end, remembered):
                return flaw
        if len(chunk) < CHUNK_ROWS:
            return _flaw_of_end(log, end, before, remembered)


async def _flaw_of_row(log: str, end: Head, row: Row, known: Head | None, rows: Rows) -> Flaw | None:
    seq = end.seq + 1
    if row.seq != seq:
        return Flaw(log, seq, FlawKind.MISSING, f"it is missing; the next one is {row.seq}")
    if not fits(log, end, row):
        right = await _seq_behind(log, end, rows)
        if right is not None:
            return Flaw(log, seq, FlawKind.MISPLACED, f"another fact is here; the right one is at {right}")
        return Flaw(log, seq, FlawKind.CHANGED, "it, its time or its hash was changed, or an earlier fact was removed")
    if known is None or row.seq > known.seq:
        return Flaw(log, seq, FlawKind.UNEXPECTED, f"it is after the end of the log, {known.seq if known else 0}")
    if row.seq == known.seq and row.hash != known.hash:
        return Flaw(log, seq, FlawKind.UNKNOWN, "it does not match the log's head")
    return None


async def _seq_behind(log: str, end: Head, rows: Rows) -> int | None:
    """The number of the row that was written after `end`."""
    after = 0
    while chunk := await rows(log, after, CHUNK_ROWS):
        for row in chunk:
            if fits(log, end, row):
                return row.seq
        after = chunk[-1].seq
    return None


def _rewritten(log: str, end: Head, remembered: Head | None) -> Flaw | None:
    if remembered is None or remembered.seq != end.seq or remembered.hash == end.hash:
        return None
    return Flaw(log, end.seq, FlawKind.UNKNOWN, "it does not match the backup: the log was rewritten")


def _flaw_of_end(log: str, end: Head, known: Head | None, remembered: Head | None) -> Flaw | None:
    if known is not None and known.seq > end.seq:
        return Flaw(log, end.seq + 1, FlawKind.MISSING, f"it is missing; the log ended at {known.seq}")
    if remembered is not None and remembered.seq > end.seq:
        return Flaw(
            log, end.seq + 1, FlawKind.MISSING, f"it is missing; in the backup the log ends at {remembered.seq}"
        )
    return None
