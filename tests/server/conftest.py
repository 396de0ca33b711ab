"""Stores for servers, and support for coroutine tests."""

import asyncio
import importlib.util
import inspect
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from leftbower.store import Store, open_store
from server_process import ServerProcess


def _load_store_conftest() -> Any:
    """The conftest of the store's tests, for its PostgreSQL fixtures."""
    name = "store_conftest"
    spec = importlib.util.spec_from_file_location(name, Path(__file__).parents[1] / "store" / "conftest.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


_STORE = _load_store_conftest()
postgres_url, postgres = _STORE.postgres_url, _STORE.postgres
Opening = Callable[[], AbstractAsyncContextManager[Store]]


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Run a coroutine test in its own event loop."""
    if not inspect.iscoroutinefunction(pyfuncitem.obj):
        return None
    names = inspect.signature(pyfuncitem.obj).parameters
    asyncio.run(pyfuncitem.obj(**{name: pyfuncitem.funcargs[name] for name in names}))
    return True


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run tests that need PostgreSQL in one process, so that it is started once."""
    for item in items:
        if {"lasting", "postgres"} & set(getattr(item, "fixturenames", [])):
            item.add_marker(pytest.mark.xdist_group("postgres"))


@pytest.fixture(params=["sqlite", "postgres"])
def lasting(request: pytest.FixtureRequest, tmp_path: Path) -> Opening:
    """Opens the same durable store, any number of times."""
    url = str(tmp_path / "store.db") if request.param == "sqlite" else request.getfixturevalue("postgres").url

    @asynccontextmanager
    async def opening() -> AsyncIterator[Store]:
        async with await open_store(url) as store:
            yield store

    return opening


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Callable[..., ServerProcess]]:
    """Start `leftbower serve` with these arguments and this environment; it is stopped after the test."""
    servers: list[ServerProcess] = []

    def start(*arguments: str, **environment: str) -> ServerProcess:
        servers.append(ServerProcess(*arguments, cwd=tmp_path, **environment))
        return servers[-1]

    yield start
    for server in servers:
        if server.process.poll() is None:
            server.process.kill()
        server.process.communicate()
