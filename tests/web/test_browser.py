"""A real browser at a real table: with script and without, on a phone by touch, by keyboard alone."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Final

import pytest

from at_the_server import Place, listening
from browsing import browsing
from leftbower.web.pages import install

pytestmark = pytest.mark.xdist_group("browser")

DESKTOP: Final[Any] = {"width": 1280, "height": 800}
PHONE: Final[Any] = {"width": 390, "height": 844}


@asynccontextmanager
async def at_home(**context: Any) -> AsyncIterator[tuple[Any, Place, list[str]]]:
    """A page at home, and what went wrong in it: errors, refused styles or scripts, requests to anybody else."""
    wrong: list[str] = []
    async with listening() as (base, place), browsing() as browser:
        install(place.app)
        seen = await browser.new_context(**{"viewport": DESKTOP, **context})
        page = await seen.new_page()
        page.on("console", lambda message: wrong.append(message.text) if message.type in ("error", "warning") else None)
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("request", lambda asked: None if asked.url.startswith(base) else wrong.append(asked.url))
        await page.goto(f"{base}/")
        yield page, place, wrong
        await seen.close()


async def until_over(page: Any, act: Any, hands: int = 1) -> None:
    """Play until so many hands have been scored, however that goes."""
    scored = 0
    async with asyncio.timeout(40):
        while scored < hands:
            await act(page)
            score = await page.eval_on_selector_all(
                ".score b", "all => all.reduce((sum, one) => sum + +one.textContent, 0)"
            )
            scored = hands if score else scored


async def click(page: Any) -> None:
    """The first thing that is offered, as somebody with a mouse does it."""
    await page.evaluate("""() => {
        const one = document.querySelector('.turn .panel button, .turn .hand .card:not([aria-disabled])');
        one?.click();
    }""")
    await page.wait_for_timeout(60)


async def test_two_clicks_from_home_to_the_first_bid_and_a_hand_against_bots() -> None:
    """Nothing to sign up for, nobody else is asked for anything, and nothing is refused by the policy."""
    async with at_home() as (page, _, wrong):
        asked: list[Any] = []
        page.on("requestfinished", lambda one: asked.append(one))  # noqa: PLW0108
        await page.click("text=Deal the cards")
        await page.wait_for_selector(".turn .panel button, .turn .hand .card:not([aria-disabled])")
        sizes = [await one.sizes() for one in asked if "events" not in one.url and one.method == "GET"]
        assert len(sizes) <= 5
        assert sum(one["responseBodySize"] for one in sizes) <= 80_000
        await until_over(page, click)
        assert wrong == []


async def test_a_hand_without_script() -> None:
    async with at_home(java_script_enabled=False) as (page, place, _):
        await page.click("text=Deal the cards")
        async with asyncio.timeout(60):
            while True:
                body = await page.content()
                if 'class="panel"' in body:
                    await page.click(".panel button")
                elif (card := await page.query_selector(".hand .card:not([aria-disabled])")) is not None:
                    await card.click()
                else:
                    await page.reload()
                scores = [int(await one.inner_text()) for one in await page.query_selector_all(".score b")]
                if any(scores):
                    break
        assert len(place.desk.feeds) == 0


async def test_a_hand_on_a_phone_by_touch() -> None:
    async with at_home(viewport=PHONE, has_touch=True, is_mobile=True) as (page, _, wrong):
        await page.tap("text=Deal the cards")
        await page.wait_for_selector("#table")
        await until_over(page, click)
        wide = await page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert wide
        assert wrong == []


async def test_a_hand_by_keyboard_alone() -> None:
    async def keys(page: Any) -> None:
        key = await page.evaluate("document.querySelector('.turn .panel [data-key]')?.dataset.key ?? ''")
        if key:
            await page.keyboard.press(key)
        elif await page.query_selector(".turn .hand .card:not([aria-disabled])"):
            await page.keyboard.press("ArrowRight")
            if await page.evaluate("document.activeElement.matches('.card:not([aria-disabled])')"):
                await page.keyboard.press("Enter")
        await page.wait_for_timeout(60)

    async with at_home() as (page, _, wrong):
        for _ in range(12):
            await page.keyboard.press("Tab")
            if await page.evaluate("document.activeElement.textContent === 'Deal the cards'"):
                break
        await page.keyboard.press("Enter")
        await page.wait_for_selector("#table")
        await until_over(page, keys)
        assert wrong == []


async def test_a_seat_taken_in_one_browser_shows_in_the_other() -> None:
    async with at_home() as (page, _, wrong):
        await page.fill("input[name=name]", "Ann <i>")
        await page.click('button:has-text("Open a table")')
        await page.wait_for_selector(".chairs")
        other = await page.context.browser.new_context(viewport=DESKTOP)
        guest = await other.new_page()
        await guest.goto(page.url)
        await guest.click("li.free button >> nth=0")
        await page.wait_for_function("document.querySelectorAll('.chairs li:not(.free)').length === 2", timeout=3000)
        assert "Ann <i>" in await guest.inner_text(".chairs")
        await other.close()
        assert wrong == []
