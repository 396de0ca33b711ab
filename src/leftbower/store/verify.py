"""Verification of a log against its hash chain: the first flaw, with log, sequence number and sentence."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, TypeAlias

from leftbower.store.chain import Head, Row, fits, start


class FlawKind(StrEnum):
    """What can have happened to a row."""

    CHANGED = "changed"
    """Its fact, time or hash is not what was written, or rows before it were removed and the rest renumbered."""
    MISPLACED = "misplaced"
    """Another row has this number: rows were exchanged, or one was inserted; the right one has another number."""
    MISSING = "missing"
    """A row was removed: later rows, the log's head or a remembered head show it."""
    UNEXPECTED = "unexpected"
    """A row stands behind the log's head, where nothing was written."""
    UNKNOWN = "unknown"
    """The log's head, or the remembered one, is of another history than the rows."""


@dataclass(frozen=True, slots=True)
class Flaw:
    """The first thing wrong with a log: everything before it is as it was written."""

    log: str
    seq: int
    kind: FlawKind
    sentence: str

    def __str__(self) -> str:
        return f"log {self.log}, fact {self.seq}: {self.sentence}"


Rows: TypeAlias = Callable[[str, int, int], Awaitable[Sequence[Row]]]
"""The rows of a log above a number, in order, up to a limit."""
Heads: TypeAlias = Callable[[str], Awaitable[Head | None]]
"""The head that was written down with the last append to a log."""

CHUNK_ROWS: Final = 1000


async def flaw_of(log: str, rows: Rows, head: Heads, remembered: Head | None = None) -> Flaw | None:
    """The first flaw of a log, or None; `remembered` is a head that was stored elsewhere.

    The log may grow meanwhile: rows must reach the head that was read before them, and none may be above the one
    read after them.
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
            return Flaw(log, seq, FlawKind.MISPLACED, f"another one stands here; the right one stands at {right}")
        return Flaw(log, seq, FlawKind.CHANGED, "it, its time or its hash was changed, or one before it was taken out")
    if known is None or row.seq > known.seq:
        return Flaw(log, seq, FlawKind.UNEXPECTED, f"it stands behind the end of the log, {known.seq if known else 0}")
    if row.seq == known.seq and row.hash != known.hash:
        return Flaw(log, seq, FlawKind.UNKNOWN, "it is not the one the log's head was written for")
    return None


async def _seq_behind(log: str, end: Head, rows: Rows) -> int | None:
    """The number of the row that was written behind `end`."""
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
    return Flaw(log, end.seq, FlawKind.UNKNOWN, "it is not the one that is remembered: the log was rewritten")


def _flaw_of_end(log: str, end: Head, known: Head | None, remembered: Head | None) -> Flaw | None:
    if known is not None and known.seq > end.seq:
        return Flaw(log, end.seq + 1, FlawKind.MISSING, f"it is missing; the log went on to {known.seq}")
    if remembered is not None and remembered.seq > end.seq:
        return Flaw(log, end.seq + 1, FlawKind.MISSING, f"it is missing; the log is remembered up to {remembered.seq}")
    return None
