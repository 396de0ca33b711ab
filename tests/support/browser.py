"""The system's Chromium for tests, with an empty profile and made-up host names that resolve to this machine."""

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
"""Browsers don't treat them as loopback, so plain HTTP is insecure there, as in a hall."""
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
"""Swap another table into the current page without loading it."""


def chromium() -> str:
    """The path of Chromium; without it the test is skipped, but in CI it fails."""
    found = shutil.which("chromium") or shutil.which("chromium-browser")
    if found is None:
        why = "Chromium is not installed (on Debian: apt-get install chromium)"
        if os.environ.get("CI") == "true":
            pytest.fail(f"{why}, and CI must have it")
        pytest.skip(why)
    return found


_SHARED_BROWSERS: "dict[asyncio.AbstractEventLoop, tuple[AsyncExitStack, list[Browser]]]" = {}
"""The shared browser of each event loop, launched at first use."""


@contextmanager
def shared_browser() -> Iterator[asyncio.Runner]:
    """An event loop whose tests share a browser, because starting one is slow; profiles are not shared."""
    with asyncio.Runner() as runner:
        stack = AsyncExitStack()
        _SHARED_BROWSERS[runner.get_loop()] = (stack, [])
        try:
            yield runner
        finally:
            del _SHARED_BROWSERS[runner.get_loop()]
            runner.run(stack.aclose())


@asynccontextmanager
async def launch_browser() -> "AsyncIterator[Browser]":
    """A browser for one test, or the shared one, whose contexts are closed after the test."""
    shared = _SHARED_BROWSERS.get(asyncio.get_running_loop())
    if shared is None:
        async with _launched() as browser:
            yield browser
        return
    stack, browsers = shared
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
