"""Open a store by its address."""

from pathlib import Path
from typing import Unpack

from leftbower.errors import MissingExtra, NotAStore, StoreReadOnly, show
from leftbower.store.base import Store, StoreOptions
from leftbower.store.db_errors import without_password
from leftbower.store.memory import MemoryStore
from leftbower.store.sqlite.store import SqliteStore


async def open_store(url: str, **options: Unpack[StoreOptions]) -> Store:
    """Open the store at `memory:`, `sqlite:///file`, a plain path to a file, or `postgresql://…`.

    `sqlite:///file` is relative to the current folder, `sqlite:////file` is absolute.
    """
    if url == "memory:":
        if options.get("read_only"):
            raise StoreReadOnly("a store in memory starts empty; there is nothing to read")
        return MemoryStore(**options)
    if url.startswith(("postgresql://", "postgres://")):
        try:
            from leftbower.store.postgres.store import PostgresStore  # noqa: PLC0415
        except ModuleNotFoundError as missing:
            if missing.name != "asyncpg":
                raise
            raise MissingExtra("postgresql") from missing
        return await PostgresStore.open(url, **options)
    return await SqliteStore.open(file_of(url), **options)


def file_of(url: str) -> Path:
    """The file of an address, or None."""
    name = url.removeprefix("sqlite:///")
    if not name or "://" in name or name == "memory:":
        raise NotAStore(
            "%(address)s is not a store; write memory:, sqlite:///file or postgresql://…",
            address=show(without_password(url)),
        )
    return Path(name)
