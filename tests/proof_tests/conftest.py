"""Fixtures of the proofs: temporary databases, and coroutine tests."""

import asyncio
import inspect
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from proofs.crash.crash import temporary_database


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Run a coroutine test in its own event loop."""
    if not inspect.iscoroutinefunction(pyfuncitem.obj):
        return None
    names = inspect.signature(pyfuncitem.obj).parameters
    asyncio.run(pyfuncitem.obj(**{name: pyfuncitem.funcargs[name] for name in names}))
    return True


@pytest.fixture(scope="session")
def _postgres() -> Iterator[str]:
    try:
        fast = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None  # where fsync is free
        with temporary_database("postgresql", fast) as address:
            yield address
    except Exception as error:
        if os.environ.get("CI") == "true":
            pytest.fail(f"PostgreSQL must start in CI: {error}")
        pytest.skip(f"PostgreSQL does not start here: {error}")


@pytest.fixture
def postgres(_postgres: str) -> str:
    """The address of an empty PostgreSQL."""
    import asyncpg  # type: ignore[import-untyped]  # noqa: PLC0415

    async def clear() -> None:
        connection = await asyncpg.connect(_postgres)
        try:
            await connection.execute("drop schema if exists leftbower cascade")
        finally:
            await connection.close()

    asyncio.run(clear())
    return _postgres


@pytest.fixture(params=["sqlite", "postgres"])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The address of an empty database, of each kind in turn."""
    address: str = request.getfixturevalue("postgres") if request.param == "postgres" else str(tmp_path / "store.db")
    return address


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run tests that need PostgreSQL in one process, so that it is started once."""
    for item in items:
        if "proof_tests" in str(item.path) and {"postgres", "database"} & set(getattr(item, "fixturenames", [])):
            item.add_marker(pytest.mark.xdist_group("postgres proofs"))
