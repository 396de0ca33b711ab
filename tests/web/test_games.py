"""Whole games in a real browser: alone and with others, by mouse, touch and keys, with script and without."""

import asyncio
from typing import Any

import pytest

from browser_table import (
    OFFERED,
    PHONE,
    add_bot,
    browser_hall,
    choose_rules,
    click,
    keys,
    play_now,
    play_on,
    until_over,
)

pytestmark = pytest.mark.xdist_group("browser")


async def test_two_clicks_from_home_to_the_first_bid_and_a_whole_game() -> None:
    """Without signing up, without requests to other sites, without a violation of the content security policy."""
    async with browser_hall() as hall:
        page = await hall.person()
        await play_now(page)
        await page.wait_for_selector(OFFERED)
        await play_on(page)
        assert "win" in await page.inner_text(".over h2")
        assert await page.locator(".over .dealt svg").count() == 24
        await page.click("text=All hands of this match")
        assert await page.locator(".finished").count() >= 2  # five points take two hands at least
        assert hall.wrong == []


async def test_a_table_weighs_at_most_60_kilobytes_in_at_most_five_requests() -> None:
    async with browser_hall() as hall:
        page = await hall.person()
        await play_now(page)
        fresh = await hall.browser.new_context(storage_state=await page.context.storage_state())
        cold = await fresh.new_page()
        requests: list[Any] = []
        cold.on("requestfinished", lambda request: requests.append(request))  # noqa: PLW0108
        await cold.goto(page.url)
        await cold.wait_for_timeout(500)
        loaded = [request for request in requests if "/feed?" not in request.url and "/icon." not in request.url]
        sizes = [await request.sizes() for request in loaded]  # without the feed, and the icon of the tab
        assert 3 <= len(sizes) <= 5
        assert sum(size["responseBodySize"] for size in sizes) <= 60_000


async def test_a_game_by_every_sheet_and_for_three_and_two() -> None:
    """Together with `club` above, each of the five sheets once."""
    async with browser_hall() as hall:

        async def game(sheet: str) -> str:
            page = await hall.person()
            await play_now(page, sheet)
            await play_on(page)
            return str(await page.inner_text(".over h2"))

        sheets = ("round-robin", "campus", "school-cup", "prize-night", "club3", "club2")
        ends = await asyncio.gather(*map(game, sheets))
        assert all("win" in end for end in ends)
        assert hall.wrong == []


async def test_a_game_on_a_phone_by_touch() -> None:
    async def tap(page: Any) -> None:
        target = page.locator(OFFERED).first
        if await target.count():
            box = await target.bounding_box()
            if box:
                for _ in range(2):
                    await page.touchscreen.tap(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        await page.wait_for_timeout(15)

    async with browser_hall() as hall:
        page = await hall.person(viewport=PHONE, has_touch=True, is_mobile=True)
        await play_now(page)
        await until_over(page, tap)
        assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert hall.wrong == []


async def test_a_game_by_keyboard_alone() -> None:
    async with browser_hall() as hall:
        page = await hall.person()
        await choose_rules(page, "/play", "club")
        for _ in range(12):
            await page.keyboard.press("Tab")
            if await page.evaluate("document.activeElement.textContent === 'Play now'"):
                break
        await page.keyboard.press("Enter")
        await page.wait_for_selector("#table")
        await until_over(page, keys)
        assert hall.wrong == []


async def test_a_game_without_script() -> None:
    async with browser_hall() as hall:
        page = await hall.person(java_script_enabled=False)
        await page.goto(f"{hall.base}/")
        await page.click("text=Play now")
        scored = 0
        async with asyncio.timeout(180):
            while await page.query_selector(".over") is None and scored < 2:
                offered = await page.query_selector(OFFERED)
                if offered is None:
                    await page.reload()
                else:
                    await offered.click()
                scores = [int(await score.inner_text()) for score in await page.query_selector_all(".side b")]
                scored = max([*scores, scored])
        assert len(hall.server.context.feeds) == 0


async def test_two_people_and_two_bots_in_two_browsers() -> None:
    """A seat taken in one shows in the other within 300 ms, and they play a whole game together."""
    async with browser_hall() as hall:
        ann, bob = await hall.person(), await hall.person()
        await ann.fill("form[action='/tables'] [name=name]", "Ann <i>")
        await choose_rules(ann, "/tables", "club")
        await ann.click("button:has-text('Open a table')")
        await ann.wait_for_selector(".chairs")
        await bob.goto(ann.url)
        free = bob.locator("li.free").first
        await free.locator("[name=name]").fill("Bob 🃏")
        await free.locator("text=Sit here").click()
        await bob.wait_for_selector(".mine")
        assert min([await _shown_after(bob, ann) for _ in range(4)]) < 0.3
        assert "Bob 🃏" in await ann.inner_text(".chairs")
        assert "Ann <i>" in await bob.inner_text(".chairs")
        for _ in range(2):
            await add_bot(ann)
        await ann.click("button:has-text('Ready')")
        await bob.click("button:has-text('Ready')")
        await asyncio.gather(play_on(ann), play_on(bob))
        assert hall.wrong == []


async def _shown_after(mover: Any, watcher: Any) -> float:
    """Seconds from a click on another seat in one browser until the other browser shows it."""
    await watcher.evaluate("() => { window.seatsBefore = document.querySelector('.chairs').innerText }")
    painted = asyncio.create_task(
        watcher.evaluate("""() => new Promise(done => {
            const look = () => document.querySelector('.chairs').innerText === window.seatsBefore
                ? requestAnimationFrame(look) : done(Date.now());
            look();
        })""")
    )
    clicked = await mover.evaluate("""() => {
        [...document.querySelectorAll('.free button')].find(button => button.value === 'sit').click();
        return Date.now();
    }""")
    return float(await painted - clicked) / 1000


async def test_double_clicks_back_reload_and_two_tabs() -> None:
    """Every action is performed once, and the table goes on."""
    async with browser_hall() as hall:
        page = await hall.person()
        await play_now(page)
        other = await page.context.new_page()
        hall.watch(other)
        await other.goto(page.url)
        turns = 0

        async def wildly(page: Any) -> None:
            nonlocal turns
            turns += 1
            await click(page)
            await click(page)
            if turns % 7 == 3:
                await page.reload()
            if turns % 11 == 5:
                await page.goto(f"{hall.base}/preferences")
                await page.go_back()
            if turns % 3 == 1:
                await click(other)

        while turns < 45 and await page.query_selector(".over") is None:
            await wildly(page)
        name = page.url.rpartition("/")[2]
        facts = [entry.fact for entry in await hall.server.context.store.read(name, 0)]
        action_ids = [fact["action_id"] for fact in facts if fact["fact"] == "acted" and fact["action_id"]]
        assert len(action_ids) == len(set(action_ids))
        assert hall.wrong == []


async def test_a_dropped_connection_comes_back() -> None:
    async with browser_hall() as hall:
        page = await hall.person()
        await play_now(page)
        await page.wait_for_selector(OFFERED)
        await page.context.set_offline(True)

        await click(page)
        await page.wait_for_selector(".notice.lost")
        assert "Your seat is saved" in await page.inner_text(".notice.lost")
        await page.context.set_offline(False)
        await play_on(page)
        assert await page.query_selector(".notice.lost") is None
