"""Reads and appends with the hash chain checked. A log that is not as it was written is refused until a restart."""

import logging
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, TypeVar

from leftbower.errors import LogEdited
from leftbower.server.logs import tell_of
from leftbower.server.metrics import STORE_ERRORS
from leftbower.store import Head, Row, Store, Stored

_log = logging.getLogger("leftbower.store")
T = TypeVar("T")


class CheckedLogs:
    """The logs of a store. One that was edited is logged once, with its place, and refused from then on."""

    def __init__(self, store: Callable[[], Store], *, dropped: Callable[[str], None]) -> None:
        """`dropped` is called with each log that is refused."""
        self._store, self._dropped = store, dropped
        self._refused: dict[str, LogEdited] = {}

    def __contains__(self, log: object) -> bool:
        """Is this log refused?"""
        return log in self._refused

    async def read(self, log: str, behind: Head | None = None) -> Sequence[Stored]:
        """The facts of a log behind a head that was checked before, or all."""
        return await self._checked(log, lambda: self._store().read_checked(log, behind))

    async def rows(self, log: str, behind: Head | None = None, *, limit: int | None = None) -> Sequence[Row]:
        """The same as rows; with a `limit` that number of them."""
        return await self._checked(log, lambda: self._store().checked_rows(log, behind, limit=limit))

    async def append(self, log: str, expected: int, facts: Sequence[Any], **more: Any) -> Sequence[Stored]:
        """`Store.append`."""
        return await self._checked(log, lambda: self._store().append(log, expected, facts, **more))

    async def append_spelled(self, log: str, expected: int, bodies: Sequence[str], **more: Any) -> Head:
        """`Store.append_spelled`."""
        return await self._checked(log, lambda: self._store().append_spelled(log, expected, bodies, **more))

    def fold(self, log: str, seq: int, fold: Callable[[], T]) -> T:
        """Fold a stored fact, or refuse its log."""
        try:
            return folded(log, seq, fold)
        except LogEdited as error:
            self.refuse(log, error)
            raise

    def refuse(self, log: str, error: LogEdited) -> None:
        """Serve this log no more."""
        STORE_ERRORS.add(error.code)
        if log not in self._refused:
            self._refused[log] = error
            self._dropped(log)
            _log.error("a log was edited and is not served until a restart: %s: %s", error.place, error.message)

    async def _checked(self, log: str, do: Callable[[], Awaitable[T]]) -> T:
        if (known := self._refused.get(log)) is not None:
            STORE_ERRORS.add(known.code)
            raise LogEdited(known.message, place=known.place)
        try:
            return await do()
        except LogEdited as error:
            self.refuse(log, error)
            raise


def folded(log: str, seq: int, fold: Callable[[], T]) -> T:
    """Fold a stored fact. It was folded before it was written: one that cannot be was edited, hashes and all."""
    try:
        return fold()
    except Exception as error:
        tell_of(_log, "a stored fact could not be folded", error)
    raise LogEdited("it cannot follow the facts before it", place=f"log {log}, fact {seq}")
