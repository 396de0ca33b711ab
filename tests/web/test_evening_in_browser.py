"""A host who has never seen it: from home to the first round with pasted names; sign-up on a phone; the door."""

from typing import Any

import pytest
from axe_playwright_python.async_playwright import Axe  # type: ignore[import-untyped]

from browser_table import DESKTOP, PHONE, BrowserHall, browser_hall
from leftbower.tournament.model.entrants import EntrantPresence

pytestmark = pytest.mark.xdist_group("browser")
NAMES = "\n".join(f"Player {chr(65 + number)}" for number in range(24))
MAX_CLICKS = 6


class Host:
    """A browser that counts its clicks."""

    def __init__(self, page: Any) -> None:
        self.page, self.clicks = page, 0

    async def click(self, text: str) -> None:
        self.clicks += 1
        await self.page.locator(text).first.click()


async def violations(page: Any) -> list[str]:
    found = (await Axe().run(page, options={"resultTypes": ["violations"]})).response["violations"]
    return [f"{page.url}: {violation['id']}: {violation['nodes'][0]['html'][:120]}" for violation in found]


async def first_round(hall: BrowserHall, flaws: list[str]) -> Host:
    """Home, a new event, 24 names of single players, pairs by lot, the desk, the draw."""
    host = Host(await hall.person(viewport=DESKTOP))
    page = host.page
    await host.click("text=Set one up")
    await page.fill("[name=title]", "Prize night")
    await page.fill("[name=names]", NAMES)
    await host.click("text=Create the event")
    await page.wait_for_selector("[name=partners]")  # the event is for teams, and these are single players
    assert await page.input_value("[name=names]") == NAMES
    flaws += await violations(page)
    await host.click("text=Create the event")
    await page.wait_for_selector(".fresh")
    await host.click("text=Go to the desk")
    await host.click("text=draw the first round")
    await host.click("main button.go")
    await page.wait_for_selector("h2:text-is('Round 1')")
    return host


async def test_a_new_host_draws_the_first_round_within_six_clicks() -> None:
    async with browser_hall() as hall:
        flaws: list[str] = []
        host = await first_round(hall, flaws)
        page, base = host.page, host.page.url.split("/desk")[0]
        event = await hall.server.context.events.get(base.rsplit("/", 1)[1])
        assert (len(event.entrants), len(event.rounds), host.clicks) == (12, 1, MAX_CLICKS)

        await page.goto(f"{hall.base}/")
        await page.click("text=Open the desk of Prize night")
        await page.wait_for_selector(".desk-head")
        await page.goto(f"{base}/desk/links")
        await page.click("text=Links for all players")
        await page.wait_for_selector(".fresh.many")
        async with page.expect_download() as saving:
            await page.click("text=Save as CSV")
        text = (await (await saving.value).path()).read_text(encoding="utf-8")
        assert (text.count("\n"), text.count("/join/")) == (25, 24)
        await page.click("[data-copy]")
        await page.wait_for_selector("text=Copied")
        for path in ("/desk/setup", "/desk/sign-up"):
            await page.goto(f"{base}{path}")
            flaws += await violations(page)
        assert flaws == []
        assert [text for text in hall.wrong if "422 (Unprocessable" not in text] == []


async def test_a_phone_signs_up_and_checks_in_while_the_desk_watches() -> None:
    async with browser_hall() as hall:
        flaws: list[str] = []
        desk = await hall.person(viewport=DESKTOP)
        await desk.goto(f"{hall.base}/events")
        await desk.fill("[name=starts]", "2026-11-24T19:00")
        await desk.click("text=Create the event")
        await desk.click("text=Go to the desk")
        await desk.click(".desk-head >> text=Sign-up")
        await desk.fill("[name=seats]", "3")
        await desk.click("text=Open sign-up")
        address = await desk.text_content("#sign-up-address")
        phone = await hall.person(viewport=PHONE, has_touch=True, is_mobile=True)
        for names in (("Ann", "Bob"), ("Cid", "Dot")):
            await phone.goto(address)
            await phone.fill("[name=name]", names[0])
            await phone.fill("[name=partner]", names[1])
            flaws += await violations(phone)
            await phone.tap(".go")
            await phone.wait_for_selector("text=I can't come")
        await phone.wait_for_selector("text=You are number 1 on the waiting list")
        await desk.wait_for_selector("text=Cid & Dot")
        await desk.wait_for_selector("text=0 of 1 here")
        await phone.goto(f"{address}?door={await desk.text_content('.door-code')}")
        await phone.select_option("[name=who]", label="Ann & Bob")
        await phone.tap("text=I'm here")
        await phone.wait_for_selector("text=you're checked in")
        await desk.wait_for_selector("text=1 of 1 here")
        flaws += await violations(phone) + await violations(desk)
        event = await hall.server.context.events.get(address.split("/")[-2])
        assert [entrant.presence for entrant in event.entrants.values()] == [EntrantPresence.PRESENT]
        assert await phone.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert flaws == []
        assert hall.wrong == []


async def test_a_bracket_is_a_picture_on_a_desktop_and_tabs_on_a_phone() -> None:
    async with browser_hall() as hall:
        flaws: list[str] = []
        desk = await hall.person(viewport=DESKTOP)
        await desk.goto(f"{hall.base}/events")
        await desk.select_option("[name=format]", "knockout")
        await desk.fill("[name=names]", "\n".join(f"P{number} & Q{number}" for number in range(8)))
        await desk.click("text=Create the event")
        await desk.click("text=Go to the desk")
        await desk.click("text=draw the first round")
        await desk.click("main button.go")
        await desk.wait_for_selector("h2:text-is('Quarterfinals')")
        base = desk.url.split("/desk")[0]
        await desk.goto(f"{base}/desk/standings")
        await desk.check("[name=page]")
        async with desk.expect_response("**/desk/commands"):
            await desk.click("form:has([name=page]) button")
        await desk.goto(base)
        await desk.wait_for_selector("svg.bracket >> text=Quarterfinals")
        flaws += await violations(desk)
        await desk.set_viewport_size(PHONE)
        assert not await desk.is_visible("svg.bracket")
        assert await desk.locator(".bracket-matches li:visible").count() == 4
        await desk.click(".bracket-tabs >> text=Semifinals")
        assert await desk.locator(".bracket-matches li:visible").count() == 2
        assert await desk.evaluate("document.documentElement.scrollWidth <= innerWidth")
        flaws += await violations(desk)
        assert flaws == []
        assert hall.wrong == []
