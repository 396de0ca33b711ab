"""Stores for a server, and coroutines as tests."""

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


def _conftest_of_the_store() -> Any:
    """The PostgreSQL of the store's tests, which start it themselves."""
    name = "conftest_of_the_store"
    spec = importlib.util.spec_from_file_location(name, Path(__file__).parents[1] / "store" / "conftest.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


_STORE = _conftest_of_the_store()
postgres_url, postgres = _STORE.postgres_url, _STORE.postgres
Opening = Callable[[], AbstractAsyncContextManager[Store]]


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """A test that is a coroutine runs in an event loop of its own."""
    if not inspect.iscoroutinefunction(pyfuncitem.obj):
        return None
    names = inspect.signature(pyfuncitem.obj).parameters
    asyncio.run(pyfuncitem.obj(**{name: pyfuncitem.funcargs[name] for name in names}))
    return True


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests that need the database run in one process, so that it is started once."""
    for item in items:
        if {"lasting", "postgres"} & set(getattr(item, "fixturenames", [])):
            item.add_marker(pytest.mark.xdist_group("postgres"))


@pytest.fixture(params=["sqlite", "postgres"])
def lasting(request: pytest.FixtureRequest, tmp_path: Path) -> Opening:
    """How to open a store that outlives its process, again and again."""
    url = str(tmp_path / "store.db") if request.param == "sqlite" else request.getfixturevalue("postgres").url

    @asynccontextmanager
    async def opening() -> AsyncIterator[Store]:
        async with await open_store(url) as store:
            yield store

    return opening


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Callable[..., ServerProcess]]:
    """Begin `leftbower serve` with these words and this environment; it is ended with the test."""
    begun: list[ServerProcess] = []

    def begin(*words: str, **environment: str) -> ServerProcess:
        begun.append(ServerProcess(*words, cwd=tmp_path, **environment))
        return begun[-1]

    yield begin
    for one in begun:
        if one.process.poll() is None:
            one.process.kill()
        one.process.communicate()
