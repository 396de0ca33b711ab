"""SQLite store: one file, one writer thread, a few readers, one server."""

import os
import sqlite3
from asyncio import get_running_loop
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from pathlib import Path
from threading import local
from time import time
from typing import Any, Final, Self, Unpack

from leftbower.errors import NotAStore, StoreBroken, StoreReadOnly, StoreUnreachable, UnsafeStore
from leftbower.i18n import gettext_noop
from leftbower.store.accounts import Found, Steps, T
from leftbower.store.base import HEADS, LOGS, PROBE_BYTES, ROWS, Entry, Hint, Store, StoreOptions
from leftbower.store.chain import Row
from leftbower.store.db_errors import is_undecodable, sqlite_error
from leftbower.store.retention import removing
from leftbower.store.schema import SCHEMA, TABLES, check_schema
from leftbower.store.sqlite.append import TRIGGER, LogHeads, drive, run
from leftbower.store.sqlite.file_lock import FileLock
from leftbower.store.sqlite.writer import Work, Writer

APPLICATION_ID: Final = 0x4C426F77
"""The application id in the file: LBow."""
MIN_SQLITE_VERSION: Final = (3, 37, 0)
READER_THREADS: Final = 3
BUSY_TIMEOUT_SECONDS: Final = 5.0
"""How long to wait for another program that is writing to the file."""


class SqliteStore(Store):
    """Commits are grouped and on disk (WAL, `synchronous=FULL`) before a caller gets its result.

    Only the writer's connection writes or checkpoints. With `read_only` a store has no writer and no lock, so that a
    backup can be made while a server runs.
    """

    @classmethod
    async def open(cls, path: Path, **options: Unpack[StoreOptions]) -> Self:
        """Open or create the store at `path`; StoreLocked if another server has it open."""
        if sqlite3.sqlite_version_info < MIN_SQLITE_VERSION:
            raise UnsafeStore("SQLite %(version)s is too old; use 3.37 or later", version=sqlite3.sqlite_version)
        store = cls(path.resolve(), **options)
        if not store._read_only:
            await get_running_loop().run_in_executor(None, store._open)
            heads, moments = store._log_heads, store._moments
            store._writer = Writer(store._connection, str(path), moments, write=heads.append, on_rollback=heads.forget)
        try:
            await store._query("select 1")
        except BaseException:
            await store.close()
            raise
        return store

    def __init__(self, path: Path, **options: Unpack[StoreOptions]) -> None:
        super().__init__(str(path), **options)
        self._path = path
        self._log_heads = LogHeads(self._clock or time)
        self._lock: FileLock | None = None
        self._writer: Writer | None = None
        self._mine = local()
        self._connections: list[sqlite3.Connection] = []
        self._readers = ThreadPoolExecutor(READER_THREADS, "leftbower store reader")

    async def close(self) -> None:
        """Close readers first: the last connection to close checkpoints the WAL, and that must be the writer's."""
        if self._closed:
            return
        self._closed = True
        loop = get_running_loop()
        await loop.run_in_executor(None, self._readers.shutdown)
        for connection in self._connections:
            connection.close()
        if self._writer:
            await self._writer.close()
        if self._lock:
            self._lock.release()

    async def probe(self) -> None:
        await self._write(_probe)

    async def _append(self, entry: Entry) -> Sequence[Row]:
        rows: list[Row] = await self._write(entry)
        self._publish([Hint(entry.log, rows[-1].seq)])
        return rows

    async def _remove_log(self, log: str, expected: int, now: float) -> bool:
        def work(connection: sqlite3.Connection) -> bool:
            self._log_heads.forget_log(log)
            return drive(connection, removing(log, expected, now))

        removed: bool = await self._write(work)
        return removed

    async def _transact(self, steps: Callable[[], Steps[T]], *, lock: str = "") -> T:
        """There is only one writer, so `lock` is not needed."""
        result: T = await self._write(lambda connection: drive(connection, steps()))
        return result

    async def _execute(self, statement: str, *values: object) -> Found:
        rows: list[tuple[Any, ...]] = await self._write(lambda connection: run(connection, statement, values))
        return rows

    async def _write(self, work: Work) -> Any:
        self._check_open(to_write=True)
        assert self._writer is not None
        return await self._writer.submit(work)

    async def _query(self, statement: str, *values: object) -> Found:
        self._check_open()
        return await get_running_loop().run_in_executor(self._readers, self._read, statement, values)

    def _read(self, statement: str, values: tuple[object, ...]) -> Found:
        try:
            if not hasattr(self._mine, "connection"):
                self._mine.connection = self._reader()
            return run(self._mine.connection, statement, values)
        except sqlite3.Error as error:
            if not is_undecodable(error):
                raise sqlite_error(error, self._location) from error
        return self._read_damaged(statement, values)

    def _read_damaged(self, statement: str, values: tuple[object, ...]) -> Found:
        """The rows of logs with surrogate escapes, so that verification can name the damaged one; else StoreBroken."""
        if statement not in (ROWS, HEADS, LOGS):
            raise StoreBroken("a row is damaged (not UTF-8)", path=self._location)
        connection = self._mine.connection
        connection.text_factory = lambda text: text.decode(errors="surrogateescape")
        try:
            return run(connection, statement, values)
        finally:
            connection.text_factory = str

    def _reader(self) -> sqlite3.Connection:
        connection = _connect(self._path, "ro")
        self._connections.append(connection)
        connection.execute("pragma query_only = 1")
        connection.execute("pragma wal_autocheckpoint = 0")
        if self._writer is None:
            check_file(connection, self._path)
        return connection

    def _open(self) -> None:
        """Take the lock, create the file if it does not exist, and check SQLite's durability settings."""
        with ExitStack() as undo:
            lock = FileLock(self._path)
            undo.callback(lock.release)
            try:
                _make(self._path)
                self._connection = _connect(self._path, "rw")
                undo.callback(self._connection.close)
                prepare(self._connection, self._path)
            except sqlite3.Error as error:
                raise sqlite_error(error, self._location) from error
            undo.pop_all()
        self._lock = lock


def prepare(connection: sqlite3.Connection, path: Path) -> None:
    """Set and check the durability pragmas of the writer's connection, and create missing tables."""
    connection.execute("pragma secure_delete = on")
    if connection.execute("pragma user_version").fetchone() != (0,) or _tables(connection):
        check_file(connection, path)
    promises = {"journal_mode": ("wal", "wal"), "synchronous": ("full", 2), "fullfsync": ("on", 1)}
    for name, (value, answer) in promises.items():
        connection.execute(f"pragma {name} = {value}")
        if connection.execute(f"pragma {name}").fetchone() != (answer,):
            raise UnsafeStore("SQLite doesn't accept %(name)s = %(value)s here", path=str(path), name=name, value=value)
    create_tables(connection)
    sync_folder(path.parent)


def create_tables(connection: sqlite3.Connection) -> None:
    """Create missing tables, and the trigger of the writer's connection."""
    connection.execute("pragma foreign_keys = on")
    if not _tables(connection):
        tables = TABLES.format_map(_SQL_TYPES)
        connection.executescript(
            f"begin immediate; {tables} pragma application_id = {APPLICATION_ID};"
            f" pragma user_version = {SCHEMA}; commit;"
        )
    connection.executescript(TRIGGER)


def check_file(connection: sqlite3.Connection, path: Path) -> None:
    """Raise an error unless this file is a store of our version."""
    if connection.execute("pragma application_id").fetchone() != (APPLICATION_ID,):
        raise NotAStore("this file is not a leftbower store", path=str(path))
    [version] = connection.execute("pragma user_version").fetchone()
    check_schema(version, str(path))


def _probe(connection: sqlite3.Connection) -> None:
    """Insert and delete a row in one commit: readers never see it, but the disk must have room for it."""
    connection.execute("insert into facts values (?, 1, 0, ?, x'')", (_PROBE_LOG, "x" * PROBE_BYTES))
    connection.execute("delete from facts where log = ?", (_PROBE_LOG,))


_PROBE_LOG: Final = "leftbower/probe"
_SQL_TYPES: Final = {
    "name": "text",
    "int": "integer",
    "bytes": "blob",
    "clustered": " strict, without rowid",
    "plain": " strict",
}


def _connect(path: Path, mode: str) -> sqlite3.Connection:
    return sqlite3.connect(
        f"{path.as_uri()}?mode={mode}",
        uri=True,
        isolation_level=None,
        check_same_thread=False,
        timeout=BUSY_TIMEOUT_SECONDS,
    )


def _tables(connection: sqlite3.Connection) -> bool:
    return bool(connection.execute("select 1 from sqlite_master limit 1").fetchone())


def _make(path: Path) -> None:
    """Create an empty file that only its owner can read; SQLite gives its other files the same permissions."""
    try:
        os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
    except OSError as error:
        kind = StoreReadOnly if isinstance(error, PermissionError) else StoreUnreachable
        raise kind(gettext_noop("can't write %(file)s: %(reason)s"), file=path, reason=error.strerror) from error


def sync_folder(folder: Path) -> None:
    """Fsync a folder: a new file survives a power cut only if its folder was written too."""
    with suppress(OSError):  # not supported by every system
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
