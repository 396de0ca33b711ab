"""Run coroutine tests in one event loop with one shared browser."""

import asyncio
import inspect
from contextlib import ExitStack
from functools import cache

import pytest

from browser import shared_browser

_session_stack = ExitStack()


@cache
def _runner() -> asyncio.Runner:
    return _session_stack.enter_context(shared_browser())


def pytest_sessionfinish() -> None:
    """Close the browser."""
    _session_stack.close()


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Run a coroutine test to completion."""
    if not inspect.iscoroutinefunction(pyfuncitem.obj):
        return None
    names = inspect.signature(pyfuncitem.obj).parameters
    _runner().run(pyfuncitem.obj(**{name: pyfuncitem.funcargs[name] for name in names}))
    return True
