"""Focus, hints in their place, leaving, forced colors and names in four browsers."""

from typing import Any

import pytest
from axe_playwright_python.async_playwright import Axe  # type: ignore[import-untyped]

from browser_table import OFFERED, BrowserHall, browser_hall, click, play_now
from leftbower.server.http.middleware import SESSION_COOKIE_NAME
from server_client import Client, seated

pytestmark = pytest.mark.xdist_group("browser")


FOCUSABLE = """() => {
  const element = document.activeElement;
  const area = element.closest('.bar, .felt, .prompt, .me, .tools, .menu, dialog');
  return area?.className.split(' ')[0] ?? element.tagName;
}"""


async def test_tab_goes_from_the_seats_to_the_question_the_hand_and_the_tools() -> None:
    """The hand is one stop; every stop can be seen."""
    async with browser_hall() as hall:
        page = await hall.person()
        await play_now(page, "club", deal_cut="none")
        await page.wait_for_selector(OFFERED)
        stops: list[str] = []
        for _ in range(24):
            await page.keyboard.press("Tab")
            area = await page.evaluate(FOCUSABLE)
            if not stops or stops[-1] != area or area == "me":
                stops.append(area)
            if area == "menu":
                break
        assert [area for area in stops if area in ("felt", "prompt", "tools", "menu")] == [
            *("felt", "prompt", "tools", "menu")
        ]
        assert stops.count("me") == 2  # the plate and the hand
        assert stops.index("prompt") < stops.index("me") < stops.index("tools")


async def test_a_hint_lights_the_card_and_goes_with_a_second_press() -> None:
    async with browser_hall() as hall:
        page = await hall.person()
        await play_now(page, "club", deal_cut="none")
        while not await page.query_selector(".turn .hand button.card:not([aria-disabled])"):
            await click(page)
        address = page.url
        await page.keyboard.press("x")
        await page.wait_for_selector(".hint .best-choice")
        lit = await page.locator(".hand .best").get_attribute("data-k")
        spoken = await page.locator("#announcements p").last.inner_text()
        assert spoken == await page.inner_text(".hint .best-choice")
        assert await page.locator("dialog[open]").count() == 0
        await page.click(".hint summary")
        assert (await Axe().run(page, options={"resultTypes": ["violations"]})).response["violations"] == []
        bullets = await page.locator(".hint li").all_inner_texts()
        assert bullets
        assert len(bullets) == len(set(bullets))
        await page.keyboard.press("x")
        await page.wait_for_selector(".hint", state="detached")
        assert await page.locator(".best").count() == 0
        await page.goto(f"{address}/hint")  # without script it is a page
        assert await page.inner_text(".best-choice") == spoken
        assert lit == await page.locator("[data-advice]").get_attribute("data-advice")


async def test_leave_asks_first() -> None:
    async with browser_hall() as hall:
        page = await hall.person()
        await play_now(page, "club", deal_cut="none")
        await page.click("summary[aria-label=Menu]")
        await page.click(".menu a:has-text('Leave the table')")
        await page.click("dialog >> text=Stay")
        assert await page.locator("dialog[open]").count() == 0
        assert await page.locator("form#hand").count() == 1
        await page.goto(f"{page.url}/leave")
        await page.click("button:has-text('Leave the table')")
        await page.wait_for_selector("text=You’re watching.")
        assert hall.wrong == []


async def test_forced_colors_keep_trump_turn_and_winner_visible() -> None:
    """Where colors are replaced, edges are drawn as borders or outlines."""
    async with browser_hall() as hall:
        page = await hall.person(forced_colors="active")
        await play_now(page, "club", deal_cut="none")
        outline = """() => {
            const winner = document.querySelector('.place > .wins');
            return winner && getComputedStyle(winner).outlineStyle;
        }"""
        while (style := await page.evaluate(outline)) is None:
            await click(page)
        assert style != "none"
        assert hall.wrong == []


NOTE_NAMES = """(() => {
  const note = () => {
    const table = document.querySelector('#table[data-game]');
    if (!table) return;
    const names = JSON.parse(sessionStorage.names ?? '{}');
    names[table.dataset.version] = Object.fromEntries([...table.querySelectorAll('.plate')].map(plate =>
      [plate.querySelector('.av')?.classList[1], plate.querySelector('.nm')?.textContent]));
    sessionStorage.names = JSON.stringify(names);
  };
  new MutationObserver(note).observe(document, { childList: true, subtree: true });
})()"""
"""Notes the names of all seats in each version that a page shows."""


async def test_four_browsers_show_the_same_names_while_one_drops_out_and_comes_back() -> None:
    """In each version everyone reads the same name for each seat, but players read "You" for their own."""
    async with browser_hall(disconnect_delay=0.1, reconnect_grace=0.1) as hall:
        people = [await hall.server.guest(name) for name in ("Ann", "Bob", "Cat", "Eve")]
        table = await seated(people[0], people[1:3], bots="W", rules="club")
        pages = [await _signed_in(hall, person, f"{hall.base}/t/{table}") for person in people]
        dropped = pages[1]
        for turn in range(24):
            if turn == 6:
                await dropped.goto(f"{hall.base}/robots.txt")
                await pages[0].wait_for_selector("text=A bot is playing for Bob.")
            if turn == 18:
                await dropped.goto(f"{hall.base}/t/{table}")
                await dropped.wait_for_selector("#hand, .hand.closed")
            for page in pages[:3]:
                if page is not dropped or not 6 <= turn < 18:
                    await click(page)
        named = [await page.evaluate("JSON.parse(sessionStorage.names)") for page in pages]
        versions = sorted(set.union(*map(set, named)), key=int)
        assert len(versions) > 20
        for version in versions:
            versions_read = [names[version] for names in named if version in names]
            for seat in "NESW":
                names = {names[seat] for names in versions_read} - {"You"}
                assert len(names) <= 1, (version, seat, versions_read)
        assert {name for names in named for name in names[versions[-1]].values()} > {"You", "Ann", "Bob", "Cat"}
        assert hall.wrong == []


async def _signed_in(hall: BrowserHall, person: Client, address: str) -> Any:
    """The table in a browser of its own."""
    page = await hall.person()
    await page.context.add_cookies([{"name": SESSION_COOKIE_NAME, "value": person.token, "url": hall.base}])
    await page.add_init_script(NOTE_NAMES)
    await page.goto(address)
    await page.wait_for_selector("#table")
    return page
