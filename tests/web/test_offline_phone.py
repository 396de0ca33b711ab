"""A phone that can't reach the desk keeps its taps, shows the score they make, and sends them once and in order."""

from typing import Any

import pytest

from browser_table import PHONE, BrowserHall, browser_hall
from event_client import TEAMS, Visitor, event_site, open_event, phone_line
from leftbower.tournament.hall.facts import DirectorCalled, HandReported
from leftbower.tournament.model.state import Event
from leftbower.tournament.text.parse import format_hand

pytestmark = pytest.mark.xdist_group("browser")
COMMANDS, FEED = "**/table/commands", "**/table/feed*"
WAITING = ".waiting:not([hidden]) li"


async def reported(hall: BrowserHall, name: str) -> list[str]:
    """The hands in the ledger, in order."""
    entries = await hall.server.context.events.entries(name)
    return [format_hand(entry.fact.hand) for entry in entries if isinstance(entry.fact, HandReported)]


async def open_phone(hall: BrowserHall, desk: Visitor) -> Any:
    """The phone of North and South at table 1 of a new event."""
    plan: dict[str, Any] = {"title": "Prize night", "rules": "prize-night", "format": "swiss", "rounds": 3}
    desk.event = (await desk.send("/events", **plan)).headers["location"].split("/")[2]
    await desk.do("enter", names="\n".join(TEAMS[:4]))
    await desk.do("draw")
    links = await desk.new_links(command="tables")
    page = await hall.person(viewport=PHONE, has_touch=True, is_mobile=True)
    await page.goto(hall.base + links["Table 1, NS"])
    return page


async def tap(page: Any, hand: str, ours: int, theirs: int) -> None:
    """Tap a hand; the score changes at once, with or without the desk."""
    await page.tap(f"button[value='{hand}']:visible")
    await page.wait_for_selector(f".us .points b:text-is('{ours}')")
    await page.wait_for_selector(f".them .points b:text-is('{theirs}')")
    await page.wait_for_selector(".phone:not(.busy)")


async def lines(page: Any) -> list[list[str]]:
    """What waits: the tap and the score that it makes."""
    read = "items => items.map(item => ['span', 'b'].map(part => item.querySelector(part).textContent))"
    found: list[list[str]] = await page.eval_on_selector_all(WAITING, read)
    return found


async def test_five_taps_of_ten_minutes_offline_survive_two_reloads() -> None:
    async with browser_hall() as hall, phone_line(hall.base) as http:
        desk = Visitor(http)
        page = await open_phone(hall, desk)
        await page.clock.install()
        await tap(page, "N3", 1, 0)
        await page.context.route(COMMANDS, lambda route: route.abort())
        await page.context.route(FEED, lambda route: route.abort())
        await tap(page, "N3", 2, 0)
        await tap(page, "E5", 2, 2)
        await tap(page, "E2", 4, 2)
        await page.wait_for_selector(".lost")
        await page.clock.run_for(5_000)
        await page.wait_for_selector(WAITING)
        waiting = [["You +1 made it", "2–0"], ["They +2 all five", "2–2"], ["You +2 they got euchred", "4–2"]]
        assert await lines(page) == waiting
        assert await page.text_content(".us .at-desk") == "1 at the desk"
        await page.tap(f"{WAITING} [data-undo]:visible")  # only the last one can be undone
        assert await lines(page) == waiting[:2]
        await page.reload()  # the page loads, but the desk stays away
        await page.wait_for_selector(WAITING)
        assert await lines(page) == waiting[:2]
        await tap(page, "N5", 4, 2)
        await tap(page, "N5!", 8, 2)
        await page.reload()
        await tap(page, "E3", 8, 3)
        await page.clock.fast_forward(600_000)
        assert await reported(hall, desk.event) == ["N3"]
        await page.context.unroute(COMMANDS)
        await page.context.unroute(FEED)
        await page.clock.run_for(5_000)
        await page.wait_for_selector(".waiting", state="hidden")
        await page.wait_for_selector(".them .points b:text-is('3')")
        assert await reported(hall, desk.event) == ["N3", "N3", "E5", "N5", "N5!", "E3"]
        assert await page.evaluate("localStorage.length") == 0
        await page.wait_for_selector(".lost", state="detached")


async def test_a_tap_that_no_longer_fits_says_so_and_is_sent_anyway_or_dropped() -> None:
    async with browser_hall() as hall, phone_line(hall.base) as http:
        desk = Visitor(http)
        page = await open_phone(hall, desk)
        await page.context.route(COMMANDS, lambda route: route.abort())
        for hand, ours in (("N3", 1), ("N5", 3), ("N5!", 7)):
            await tap(page, hand, ours, 0)
        await desk.do("incident", round=1, table=1, irregularity="renege", offender="N", maker="N")
        await page.context.unroute(COMMANDS)
        await page.locator(".refused em:text-is('The score here has changed since.')").wait_for()
        await page.tap(".refused [data-drop]")
        await page.locator(".refused span:text-is('You +2 all five')").wait_for()
        await page.tap(".refused [data-anyway]")
        await page.wait_for_selector(".waiting", state="hidden")
        assert (await reported(hall, desk.event))[1:] == ["N5", "N5!"]
        await page.context.route(COMMANDS, lambda route: route.abort())
        await tap(page, "N3", 7, 2)
        await desk.do("score", round=1, table=1, games="10-2", version=999)
        await page.context.unroute(COMMANDS)
        await page.locator(".refused em:text-is('This table already has a score.')").wait_for()
        await page.tap(".refused [data-anyway]")
        await page.wait_for_selector(".waiting", state="hidden")
        event: Event = await hall.server.context.events.get(desk.event)
        [call] = event.hall.calls.values()
        assert isinstance(call, DirectorCalled)
        names = event.entrants[event.seating(1, 1).entrants_on(0)[0]].name
        assert call.why.endswith(f"{names} +1 made it")


async def test_a_waiting_tap_counts_once_however_often_it_is_sent() -> None:
    """The answer is lost, so the phone sends the same form again, also after others."""
    async with event_site() as site:
        await open_event(site, teams=TEAMS[:4])
        ns, ew = await site.phones()
        first = {"round": 1, "tap": "N3", "hands": 0, "id": "aa"}
        second = {"round": 1, "tap": "N3", "hands": 1, "id": "bb"}
        forms = (first, first, second, second, first)
        answers = [(await ns.tap(status=200, script=True, **form, version=0)).json()["hands"] for form in forms]
        assert answers == [1, 1, 2, 2, 2]
        late = await ns.tap(status=409, script=True, round=1, tap="N5", hands=1, id="cc", version=0)
        assert late.json()["error"]["message"] == "The score here has changed since."
        assert late.json()["now"]["hands"] == 2
        await ew.tap(status=403, script=True, round=1, tap="N5", hands=2, id="dd", version=0)
        event = await site.server.context.events.get(site.event)
        assert len(event.hall.tallies[1, 1].games[0].hands) == 2
