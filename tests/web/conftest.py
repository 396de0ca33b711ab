"""Coroutines as tests, in one event loop and with one browser for all."""

import asyncio
import inspect
from contextlib import ExitStack
from functools import cache

import pytest

from browser import shared_browser

_kept = ExitStack()


@cache
def _runner() -> asyncio.Runner:
    """Where they run."""
    return _kept.enter_context(shared_browser())


def pytest_sessionfinish() -> None:
    """Let go of the browser."""
    _kept.close()


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """A test that is a coroutine runs to its end."""
    if not inspect.iscoroutinefunction(pyfuncitem.obj):
        return None
    names = inspect.signature(pyfuncitem.obj).parameters
    _runner().run(pyfuncitem.obj(**{name: pyfuncitem.funcargs[name] for name in names}))
    return True
