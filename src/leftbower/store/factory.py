"""A store by its address."""

from collections.abc import Callable
from pathlib import Path
from time import time

from leftbower.errors import MissingExtra, NotAStore, StoreReadOnly, show
from leftbower.store.base import Moments, Store
from leftbower.store.db_errors import without_password
from leftbower.store.facts import Upcasters
from leftbower.store.memory import MemoryStore
from leftbower.store.sqlite.store import SqliteStore


async def open_store(
    url: str,
    *,
    upcasters: Upcasters | None = None,
    clock: Callable[[], float] | None = None,
    moments: Moments = lambda _: None,
    read_only: bool = False,
) -> Store:
    """Open the store at `memory:`, `sqlite:///file`, a plain path to a file, or `postgresql://…`.

    `sqlite:///file` is below the present folder, `sqlite:////file` is not. `clock` replaces the database's time, for
    simulations. With `read_only` nothing is created, locked or written.
    """
    if url == "memory:":
        if read_only:
            raise StoreReadOnly("a store in memory begins empty, so there is nothing to read in it")
        return MemoryStore(upcasters=upcasters, clock=clock or time)
    if url.startswith(("postgresql://", "postgres://")):
        try:
            from leftbower.store.postgres.store import PostgresStore  # noqa: PLC0415
        except ModuleNotFoundError as missing:
            if missing.name != "asyncpg":
                raise
            raise MissingExtra("postgresql") from missing
        return await PostgresStore.open(url, upcasters=upcasters, clock=clock, moments=moments, read_only=read_only)
    return await SqliteStore.open(
        file_of(url), upcasters=upcasters, clock=clock or time, moments=moments, read_only=read_only
    )


def file_of(url: str) -> Path:
    """The file that an address names, if it names one."""
    name = url.removeprefix("sqlite:///")
    if not name or "://" in name or name == "memory:":
        raise NotAStore(
            f"{show(without_password(url))} is no address of a store: memory:, sqlite:///file or postgresql://…"
        )
    return Path(name)
