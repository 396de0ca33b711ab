"""Pace and motion of the table: what is held, what moves, what a tap ends, and what reduced motion stops."""

import asyncio
from typing import Any

import pytest

from browser_table import OFFERED, browser_hall, click, play_now

pytestmark = pytest.mark.xdist_group("browser")

MOVING: Any = {"reduced_motion": "no-preference"}
RECORD = """() => {
  window.moved = [];
  const animate = Element.prototype.animate;
  Element.prototype.animate = function (...arguments_) {
    window.moved.push(this.className.baseVal ?? this.className);
    return animate.apply(this, arguments_);
  };
}"""
"""Notes what is animated by script."""
NOTE_VERSIONS = """() => {
  window.shown = [];
  new MutationObserver(() => {
    const table = document.getElementById('table');
    const { version, moment } = table.dataset;
    if (window.shown.at(-1)?.version !== version) window.shown.push({ version, moment, at: performance.now() });
  }).observe(document.body, { childList: true });
}"""
"""Notes each version when it is shown."""


async def test_cards_fly_tricks_are_gathered_and_a_deal_goes_round() -> None:
    async with browser_hall() as hall:
        page = await hall.person(**MOVING)
        await page.add_init_script(f"({RECORD})()")
        await play_now(page)
        moved = ""
        async with asyncio.timeout(60):
            while not all(part in moved for part in ("packet", "turning", "ghost", "trump")):
                await click(page)
                moved = " ".join(await page.evaluate("window.moved"))
        await page.wait_for_function("() => !document.querySelector('.flying > *')")
        assert hall.wrong == []


async def test_with_reduced_motion_nothing_is_animated() -> None:
    async with browser_hall() as hall:
        page = await hall.person()
        await page.add_init_script(f"({RECORD})()")
        await play_now(page)
        for _ in range(30):
            await click(page)
            running = await page.evaluate(
                "document.getAnimations().filter(each => each.effect.getComputedTiming().duration > 20).length"
            )
            assert running == 0
        assert await page.evaluate("window.moved") == []


async def test_bids_are_held_and_a_tap_goes_on() -> None:
    """With holds of a minute, a bid is shown only after a tap, and a tap on a card catches up with the server."""
    async with browser_hall() as hall:
        page = await hall.person()
        await play_now(page, "club", deal_cut="none")
        await page.wait_for_selector(OFFERED)
        await page.evaluate(NOTE_VERSIONS)
        await page.evaluate("document.body.dataset.pace = 60")
        await page.keyboard.press("p")
        await page.wait_for_function("() => window.shown.length > 0")
        await page.wait_for_timeout(300)
        first = await page.evaluate("window.shown.length")
        assert first == 1  # the viewer's own bid at once, the next bid is held
        await page.mouse.click(200, 200)
        await page.wait_for_function("() => window.shown.length > 1")
        await page.locator(".hand .card").first.click(force=True)
        await page.wait_for_selector(OFFERED)
        assert hall.wrong == []


async def test_a_hidden_page_holds_nothing() -> None:
    async with browser_hall() as hall:
        page = await hall.person()
        await play_now(page, "club", deal_cut="none")
        await page.wait_for_selector(OFFERED)
        await page.evaluate("document.body.dataset.pace = 60")
        await page.evaluate(
            """() => {
                Object.defineProperty(document, 'hidden', { value: true });
                document.dispatchEvent(new Event('visibilitychange'));
            }"""
        )
        await page.keyboard.press("p")
        await page.wait_for_selector(OFFERED, timeout=5000)
