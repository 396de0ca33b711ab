"""A real Chromium for tests: the system's own, with an empty profile, in which made-up names lead to this machine."""

import asyncio
import os
import shutil
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from typing import TYPE_CHECKING, Final

import pytest

if TYPE_CHECKING:
    from playwright.async_api import Browser

NAMES: Final = ("hall.test", "evil.test", "sub.hall.test")
"""None of them is the loopback to a browser, so plain HTTP is as plain there as in a hall."""
_RULES: Final = ", ".join(f"MAP {name} 127.0.0.1" for name in NAMES)
_FLAGS: Final = [
    "--no-sandbox",
    "--disable-quic",
    "--disable-gpu",
    "--disable-extensions",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--ignore-certificate-errors",
    f"--host-resolver-rules={_RULES}, MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",
]


SWAP: Final = """async name => {
  const page = new DOMParser().parseFromString(await (await fetch(`/t/${name}`)).text(), 'text/html');
  document.getElementById('table').replaceWith(document.importNode(page.getElementById('table'), true));
}"""
"""Show another table in the page of one, without loading a page."""


def chromium() -> str:
    """Where the system keeps it; without it the test is skipped, and in CI fails."""
    found = shutil.which("chromium") or shutil.which("chromium-browser")
    if found is None:
        why = "Chromium is not installed (on Debian: apt-get install chromium)"
        if os.environ.get("CI") == "true":
            pytest.fail(f"{why}, and CI must have it")
        pytest.skip(why)
    return found


_KEPT: "dict[asyncio.AbstractEventLoop, tuple[AsyncExitStack, list[Browser]]]" = {}
"""The browser of an event loop that outlives its tests, once one of them has asked for it."""


@contextmanager
def shared_browser() -> Iterator[asyncio.Runner]:
    """An event loop whose tests share a browser: to start one takes as long as many a test. Profiles are not shared."""
    with asyncio.Runner() as runner:
        stack = AsyncExitStack()
        _KEPT[runner.get_loop()] = (stack, [])
        try:
            yield runner
        finally:
            del _KEPT[runner.get_loop()]
            runner.run(stack.aclose())


@asynccontextmanager
async def launch_browser() -> "AsyncIterator[Browser]":
    """A browser that goes with the test, or whose windows do."""
    kept = _KEPT.get(asyncio.get_running_loop())
    if kept is None:
        async with _launched() as browser:
            yield browser
        return
    stack, browsers = kept
    if not browsers:
        browsers.append(await stack.enter_async_context(_launched()))
    [browser] = browsers
    try:
        yield browser
    finally:
        for context in browser.contexts:
            await context.close()


@asynccontextmanager
async def _launched() -> "AsyncIterator[Browser]":
    from playwright.async_api import async_playwright  # noqa: PLC0415

    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=chromium(), args=_FLAGS)
        try:
            yield browser
        finally:
            await browser.close()
