"""Translate database errors into StoreError, one sentence each."""

import sqlite3
from typing import Final

from leftbower.errors import NotAStore, StoreBroken, StoreError, StoreFull, StoreLocked, StoreReadOnly, StoreUnreachable
from leftbower.i18n import gettext_noop

BEHIND_HEAD: Final = gettext_noop("log %(log)s has an unknown row after its end; verify the store")


def sqlite_error(error: sqlite3.Error, location: str) -> StoreError | sqlite3.Error:
    """The StoreError for an error of SQLite about the file at `location`; the error itself if it is our bug."""
    if is_undecodable(error):
        return StoreBroken("a row is damaged (not UTF-8); verify the store", path=location)
    found = _SQLITE.get(code_of(error))
    return found[0](found[1], path=location) if found else error


def is_undecodable(error: sqlite3.Error) -> bool:
    """Is it text that is not UTF-8? Python's error quotes that text, so it must never be printed or chained."""
    return isinstance(error, sqlite3.OperationalError) and str(error).startswith("Could not decode to UTF-8")


def is_lasting(error: sqlite3.Error) -> bool:
    """Is it an error of the disk or the file, after which it is unknown what was written?"""
    return code_of(error) in {sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CORRUPT}


def code_of(error: sqlite3.Error) -> int:
    """SQLite's primary error code; no room for the shared memory file counts as a full disk: nothing was written."""
    exact: int = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR)
    return sqlite3.SQLITE_FULL if exact == sqlite3.SQLITE_IOERR_SHMSIZE else exact & 0xFF


def postgres_error(error: Exception, location: str) -> StoreError | None:
    """The StoreError for an error of PostgreSQL or its connection; None if it concerns a single statement."""
    state = getattr(error, "sqlstate", None) or "08000"
    kind = _STATES.get(state) or _STATES.get(state[:2])
    if kind is None:
        return None
    words = " ".join(str(error).split()) or type(error).__name__
    return kind(_POSTGRES[kind], path=location, reason=words)


def without_password(url: str) -> str:
    """An address that may be printed, without user, password and options."""
    scheme, found, rest = url.partition("://")
    return f"{scheme}://{rest.rpartition('@')[2].partition('?')[0]}" if found else url


_SQLITE: Final[dict[int, tuple[type[StoreError], str]]] = {
    sqlite3.SQLITE_BUSY: (StoreLocked, gettext_noop("another program is writing to the file")),
    sqlite3.SQLITE_CANTOPEN: (StoreUnreachable, gettext_noop("can't open or create the file")),
    sqlite3.SQLITE_CORRUPT: (StoreBroken, gettext_noop("the file is damaged; restore a backup")),
    sqlite3.SQLITE_FULL: (StoreFull, gettext_noop("the disk is full; nothing was written")),
    sqlite3.SQLITE_IOERR: (
        StoreBroken,
        gettext_noop("the disk is failing; nothing is written until the store is reopened"),
    ),
    sqlite3.SQLITE_NOTADB: (NotAStore, gettext_noop("this file is not a leftbower store")),
    sqlite3.SQLITE_PERM: (StoreReadOnly, gettext_noop("the file is read-only")),
    sqlite3.SQLITE_READONLY: (StoreReadOnly, gettext_noop("the file is read-only")),
}

_STATES: Final[dict[str, type[StoreError]]] = {
    "08": StoreUnreachable,  # connection errors, also before the server is reached
    "28": StoreUnreachable,  # authorization
    "3D": StoreUnreachable,  # no such database
    "53": StoreUnreachable,  # too many connections, no memory
    "57": StoreUnreachable,  # shutting down, starting up
    "53100": StoreFull,
    "25006": StoreReadOnly,
    "42501": StoreReadOnly,
    "42P07": NotAStore,
    "58": StoreBroken,
    "XX": StoreBroken,
}
_POSTGRES: Final[dict[type[StoreError], str]] = {
    StoreUnreachable: gettext_noop("can't reach the database: %(reason)s"),
    StoreFull: gettext_noop("the database's disk is full: %(reason)s"),
    StoreReadOnly: gettext_noop("the database is read-only: %(reason)s"),
    NotAStore: gettext_noop("the schema leftbower is used by something else: %(reason)s"),
    StoreBroken: gettext_noop("the database is damaged: %(reason)s"),
}
