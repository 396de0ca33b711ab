"""A real Chromium for tests: the system's own, with an empty profile, in which made-up names lead to this machine."""

import os
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, Final

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
    f"--host-resolver-rules={_RULES}, MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
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


@asynccontextmanager
async def browsing(**options: Any) -> "AsyncIterator[Browser]":
    """A browser that goes with the test."""
    from playwright.async_api import async_playwright  # noqa: PLC0415

    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=chromium(), args=_FLAGS, **options)
        try:
            yield browser
        finally:
            await browser.close()
