"""In-memory store in SQLite, for tests, simulations and trying things out."""

import sqlite3
from collections.abc import Callable, Sequence
from time import time
from typing import Unpack
from weakref import finalize

from leftbower.errors import LeftbowerError
from leftbower.store.accounts import Found, Steps, T
from leftbower.store.base import Entry, Hint, Store, StoreOptions
from leftbower.store.chain import Row
from leftbower.store.sqlite.append import LogHeads, drive, run
from leftbower.store.sqlite.store import create_tables


class MemoryStore(Store):
    """Statements run in the event loop with nothing awaited between them, so every method is atomic."""

    def __init__(self, **options: Unpack[StoreOptions]) -> None:
        super().__init__("memory:", **options)
        self._connection = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
        finalize(self, self._connection.close)
        create_tables(self._connection)

    async def close(self) -> None:
        self._closed = True

    async def _append(self, entry: Entry) -> Sequence[Row]:
        self._check_open()
        with self._connection:
            self._connection.execute("begin")
            [outcome] = LogHeads(self._clock or time).append(self._connection, [entry])
        if isinstance(outcome, LeftbowerError):
            raise outcome
        self._publish([Hint(entry.log, outcome[-1].seq)])
        return outcome

    async def _query(self, statement: str, *values: object) -> Found:
        self._check_open()
        return run(self._connection, statement, values)

    _execute = _query

    async def _transact(self, steps: Callable[[], Steps[T]], *, lock: str = "") -> T:
        self._check_open()
        with self._connection:
            self._connection.execute("begin")
            return drive(self._connection, steps())
