"""Log reads and appends with the hash chain checked; an edited log is refused until a restart."""

import logging
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, TypeVar

from leftbower.errors import LogEdited
from leftbower.server.observability.logs import log_error
from leftbower.server.observability.metrics import STORE_ERRORS
from leftbower.store import Head, Row, Store, StoredFact

_log = logging.getLogger("leftbower.store")
T = TypeVar("T")


class CheckedLogs:
    """The logs of a store. An edited one is reported once in the server's log, and refused from then on."""

    def __init__(self, store: Callable[[], Store], *, on_refused: Callable[[str], None]) -> None:
        """`on_refused` is called with the name of each log that is refused."""
        self._store, self._on_refused = store, on_refused
        self._refused: dict[str, LogEdited] = {}

    def __contains__(self, log: object) -> bool:
        """Is this log refused?"""
        return log in self._refused

    async def read(self, log: str, behind: Head | None = None) -> Sequence[StoredFact]:
        """The facts of a log after a head that was checked before, or all."""
        return await self._checked(log, lambda: self._store().read_checked(log, behind))

    async def rows(self, log: str, behind: Head | None = None, *, limit: int | None = None) -> Sequence[Row]:
        """The unparsed rows of a log, at most `limit`."""
        return await self._checked(log, lambda: self._store().checked_rows(log, behind, limit=limit))

    async def append(self, log: str, expected: int, facts: Sequence[Any], **more: Any) -> Sequence[StoredFact]:
        """`Store.append`."""
        return await self._checked(log, lambda: self._store().append(log, expected, facts, **more))

    async def append_encoded(self, log: str, expected: int, bodies: Sequence[str], **more: Any) -> Head:
        """`Store.append_encoded`."""
        return await self._checked(log, lambda: self._store().append_encoded(log, expected, bodies, **more))

    def fold(self, log: str, seq: int, fold: Callable[[], T]) -> T:
        """Fold a stored fact, or refuse its log."""
        try:
            return fold_checked(log, seq, fold)
        except LogEdited as error:
            self.refuse(log, error)
            raise

    def refuse(self, log: str, error: LogEdited) -> None:
        """Refuse this log until a restart."""
        STORE_ERRORS.labels(error.code).inc()
        if log not in self._refused:
            self._refused[log] = error
            self._on_refused(log)
            _log.error("a log was edited and is not served until a restart: %s: %s", error.path, error.message)

    async def _checked(self, log: str, operation: Callable[[], Awaitable[T]]) -> T:
        if (refusal := self._refused.get(log)) is not None:
            STORE_ERRORS.labels(refusal.code).inc()
            raise LogEdited(refusal.message, path=refusal.path)
        try:
            return await operation()
        except LogEdited as error:
            self.refuse(log, error)
            raise


def fold_checked(log: str, seq: int, fold: Callable[[], T]) -> T:
    """Fold a stored fact, or raise LogEdited: it was folded before it was written, so it was edited, hashes and all."""
    try:
        return fold()
    except Exception as error:
        log_error(_log, "a stored fact could not be folded", error)
    raise LogEdited("it cannot follow the facts before it", path=f"log {log}, fact {seq}")
