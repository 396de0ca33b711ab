"""Whole evenings in a real Chromium: a desk, phones at the tables, a wall; a prize night, and a cup of two schools."""

import re
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from fractions import Fraction
from typing import Any, Final

import pytest
from axe_playwright_python.async_playwright import Axe  # type: ignore[import-untyped]

from browser_table import DESKTOP, PHONE, BrowserHall, hall
from event_client import TEAMS, Visitor, phone_line
from leftbower.tournament import Event, Settled, format_score, table_results
from server_client import seeded

pytestmark = pytest.mark.xdist_group("browser")
WHOLE: Final[dict[str, Any]] = {"resultTypes": ["violations"]}
OPEN: Final = """[...document.querySelectorAll('details')].map(one => {
  const was = one.open; one.open = true; return was;
})"""
AS_BEFORE: Final = "was => document.querySelectorAll('details').forEach((one, at) => { one.open = was[at] })"
PRIZE_NIGHT: Final = {
    "title": "Prize night",
    "rules": "prize-night",
    "format": "swiss",
    "rounds": "3",
    "fee": "10",
}
WALL: Final[Any] = {"width": 1600, "height": 900}


class EventSite:
    """An evening, its desk in a browser, and phones of both kinds."""

    def __init__(self, hall: BrowserHall, desk: Any, gone: AsyncExitStack) -> None:
        self.hall, self.desk, self.name, self.gone = hall, desk, "", gone
        self.flaws: dict[str, list[str]] = {}

    async def event(self) -> Event:
        return await self.hall.place.context.events.event(self.name)

    async def go(self, part: str) -> None:
        await self.desk.click(f".desk-head nav >> text={part}")
        await self.desk.wait_for_selector(f".desk-head [aria-current] >> text={part}")

    async def begin(self, names: str, **form: str) -> None:
        """Opened by the form, names pasted, everybody here and paid."""
        await self.desk.goto(f"{self.hall.base}/events")
        await self.look("a new event", self.desk)
        for field, value in form.items():
            kind = await self.desk.eval_on_selector(f"form[action='/events'] [name={field}]", "one => one.tagName")
            act = self.desk.select_option if kind == "SELECT" else self.desk.fill
            await act(f"form[action='/events'] [name={field}]", value)
        await self.desk.click("text=Open the desk")
        await self.desk.wait_for_selector("text=the only way back")
        await self.look("an opened event", self.desk)
        await self.desk.reload()  # the link is still there, and no second event
        assert "/join/" in await self.desk.text_content(".fresh output")
        await self.desk.click("text=To the desk")
        await self.desk.wait_for_selector(".desk-head")
        self.name = self.desk.url.split("/")[4]
        await self.go("People")
        await self.desk.fill("textarea", names)
        await self.desk.click("button:text-is('Enter')")
        await self.desk.wait_for_selector(".folk li")
        assert await self.desk.input_value("textarea") == ""
        await self.desk.click("text=All are here")
        await self.desk.wait_for_selector(".folk .is-present")
        await self.desk.click("text=All have paid")
        await self.desk.wait_for_selector("text=0 to pay")
        await self.look("people", self.desk)

    async def draw(self) -> None:
        await self.go("Draw")
        rounds = len((await self.event()).rounds)
        await self.desk.click("button:has-text('Draw')")
        await self.desk.wait_for_selector(f"h2:text-is('Round {rounds + 1}')")

    async def links(self) -> dict[str, str]:
        """New links for all tables, and what else was just made."""
        await self.go("Phones and links")
        await self.desk.click("text=No printer?")
        await self.desk.click("text=New links for all tables")
        await self.desk.wait_for_selector(".fresh.many")
        return await self.fresh()

    async def fresh(self) -> dict[str, str]:
        rows = "rows => rows.map(row => [row.querySelector('b').textContent, row.querySelector('output').textContent])"
        return dict(await self.desk.eval_on_selector_all(".fresh li", rows))

    async def phone(self, link: str) -> Any:
        """A phone with a browser of its own."""
        page = await self.hall.person(viewport=PHONE, has_touch=True, is_mobile=True)
        await page.goto(link)
        assert page.url == f"{self.hall.base}/e/{self.name}/table"
        return page

    async def form_phones(self, links: dict[str, str], table: int) -> tuple[Visitor, Visitor]:
        """Both phones of a table, without script."""
        found = []
        for side in ("NS", "EW"):
            http = await self.gone.enter_async_context(phone_line(self.hall.base))
            await http.get(links[f"Table {table}, {side}"])
            found.append(Visitor(http, self.name))
        return found[0], found[1]

    async def rows(self, table: str) -> list[list[str]]:
        """What a table of the desk shows."""
        read = "rows => rows.map(row => [...row.cells].map(cell => cell.textContent))"
        found: list[list[str]] = await self.desk.eval_on_selector_all(f"{table} tbody tr", read)
        return found

    async def look(self, name: str, page: Any) -> None:
        """What axe-core has against a page, with everything on it open."""
        before = await page.evaluate(OPEN)
        found = (await Axe().run(page, options=WHOLE)).response["violations"]
        if found:
            self.flaws[name] = [f"{one['id']}: {one['nodes'][0]['html'][:140]}" for one in found]
        await page.evaluate(AS_BEFORE, before)


@asynccontextmanager
async def night(entropy: Callable[[int], bytes]) -> AsyncIterator[EventSite]:
    """A server, a browser, and an organizer who has opened nothing yet."""
    async with hall(entropy=entropy) as place, AsyncExitStack() as gone:
        yield EventSite(place, await place.person(viewport=DESKTOP), gone)


async def tap(page: Any, word: str, points: str) -> None:
    """A hand, seen on the board."""
    await page.tap(f"button[value='{word}']")
    await page.wait_for_selector(f".board .us b:text-is('{points}')")


async def totals(phones: tuple[Visitor, Visitor], ours: int, theirs: int) -> None:
    """One side tells, the other confirms, both without script."""
    ns, ew = phones
    await ns.tap(do="total", g1s0=ours, g1s1=theirs)
    await ew.tap(do="confirm")


async def test_a_prize_night_of_twelve_teams_from_check_in_to_payout() -> None:
    async with night(seeded(11)) as one:
        await one.begin("\n".join(TEAMS), **PRIZE_NIGHT)
        await one.draw()
        await one.look("draw", one.desk)
        await one.go("Phones and links")
        await one.desk.click("text=Link for the big screen")
        await one.desk.wait_for_selector(".fresh")
        screen = await one.fresh()
        await one.look("one new link", one.desk)
        links = await one.links() | screen
        await one.look("new links", one.desk)
        wall = await one.hall.person(viewport=WALL)
        await wall.goto(links["Screen 1"])
        await one.go("Now")
        await one.desk.click("text=Start the clock")
        await wall.wait_for_selector(".clock b:has-text(':')")
        first = await one.phone(links["Table 1, NS"]), await one.phone(links["Table 1, EW"])
        second = await one.phone(links["Table 2, NS"]), await one.phone(links["Table 2, EW"])
        others = {table: await one.form_phones(links, table) for table in range(3, 7)}
        await one.look("a phone that keeps the score", first[0])
        await hands_one_by_one(one, first, wall)
        await a_dispute_with_a_ruling(one, second)
        for table, phones in others.items():
            await totals(phones, 10, table)
        await a_correction(one)
        await wall.wait_for_selector("td:text-is('+10')")  # eleven to one, in the standings of the wall
        await one.look("the wall", wall)
        for number in (2, 3):
            await another_round(one, number, first, second)
            for table, phones in others.items():
                await totals(phones, 10, table + number)
        await standings_as_counted(one, wall)
        await closed_and_paid(one)
        await on_paper(one)
        assert one.flaws == {}
        assert [wrong for wrong in one.hall.wrong if "DISCONNECTED" not in wrong] == []


async def hands_one_by_one(one: EventSite, phones: tuple[Any, Any], wall: Any) -> None:
    """With a connection that was lost and a phone that was closed in between."""
    ns, ew = phones
    await tap(ns, "N5!", "4")
    await ns.context.set_offline(True)
    await ns.tap("button[value='N3']")
    await ns.wait_for_selector(".lost")
    await ns.context.set_offline(False)
    await ns.wait_for_selector(".board .us b:text-is('5')")
    await ns.goto(f"{one.hall.base}/")
    await ns.goto(f"{one.hall.base}/e/{one.name}/table")
    await tap(ns, "E2", "7")
    await ns.tap("button[value='E3']")
    await ew.wait_for_selector(".board .us b:text-is('1')")
    await tap(ns, "N5!", "11")
    await ns.tap("text=Tell the other side")
    await ew.tap("text=Yes, that is right")
    await ns.wait_for_selector("text=stands")
    await wall.wait_for_selector(".pairs .is-settled em:text-is('11-1')")


async def tell_total(page: Any, *points: str) -> None:
    """A phone tells nothing but the final score."""
    await page.tap("text=Totals, or time is up")
    for side, written in enumerate(points):
        await page.fill(f"[name=g1s{side}]", written)
    await page.tap(".totals button")


async def a_dispute_with_a_ruling(one: EventSite, phones: tuple[Any, Any]) -> None:
    """Both the dispute and a call for the director reach the desk at once."""
    south, east = phones
    await tell_total(south, "10", "8")
    await east.tap("summary:text-is('No')")
    await east.fill("[name=why] >> nth=0", "we had nine")
    await east.tap("text=Dispute it")
    await east.wait_for_selector("text=The desk decides")
    await east.tap("text=Call the director")
    await east.tap("button:text-is('Call')")
    alarm = one.desk.locator(".alarm li")
    await alarm.locator("text=we had nine").wait_for()
    await alarm.locator("text=I was there").wait_for()
    await one.look("the desk with a dispute", one.desk)
    await alarm.locator("[name=games]").fill("10-9")
    await alarm.locator("[name=why]").fill("nine on the sheet")
    await alarm.locator("button:text-is('Rule')").click()
    await south.wait_for_selector("text=10-9")
    await one.desk.click("text=I was there")
    await alarm.wait_for(state="detached")


async def a_correction(one: EventSite) -> None:
    """With a reason."""
    third = one.desk.locator(".tables article", has_text="Table 3")
    await third.locator("summary:text-is('Correct')").click()
    await third.locator("[name=games]").fill("3-10")
    await third.locator("[name=why]").fill("sides mixed up")
    await third.locator("button:text-is('Correct')").click()
    await third.locator(".big:has-text('3-10')").wait_for()


async def another_round(one: EventSite, number: int, first: tuple[Any, Any], second: tuple[Any, Any]) -> None:
    """Phones show the next match by themselves."""
    await one.draw()
    for phone in (*first, *second):
        await phone.wait_for_selector(f"h1:has-text('round {number}')")
    for word, points in (("N5!", "4"), ("N5!", "8"), ("N5", "10")):
        await tap(first[0], word, points)
    await first[0].tap("text=Tell the other side")
    await first[1].tap("text=Yes, that is right")
    await first[0].wait_for_selector("text=stands")
    await tell_total(second[0], "4", "10")
    await second[1].tap("text=Yes, that is right")
    await second[0].wait_for_selector("text=stands")


async def standings_as_counted(one: EventSite, wall: Any) -> None:
    """Everybody stands where a count by hand puts them; the wall keeps it back for suspense."""
    won, points = counted(await one.event())
    await one.go("Standings")
    shown = {row[1]: (int(row[2]), int(row[4])) for row in await one.rows(".ranks")}
    assert shown == {name: (won[name], points[name]) for name in TEAMS}
    await one.look("standings", one.desk)
    await one.desk.uncheck("[name=standings]")
    await one.desk.check("[name=page]")
    await one.desk.click("button:text-is('Keep')")
    await wall.wait_for_selector("text=Standings at the end of the evening")
    public = await one.hall.person(viewport=PHONE)
    await public.goto(f"{one.hall.base}/e/{one.name}")
    await public.wait_for_selector("text=They are shown at the end")
    await one.look("the public page", public)


async def closed_and_paid(one: EventSite) -> None:
    """Lots where nothing else parts those who are level, for a gift card is not split."""
    while await one.desk.query_selector("button:text-is('Draw lots')"):
        level = one.desk.locator("form:has(button:text-is('Draw lots')) [name=who]")
        for at in range(await level.count()):
            await level.nth(at).check()
        seen = (await one.event()).version
        await one.desk.click("button:text-is('Draw lots')")
        await one.desk.wait_for_selector(f".desk:not([data-version='{seen}'])")
    await one.desk.click("text=Close the evening")
    await one.desk.wait_for_selector("text=Standings, final")
    await one.go("Money")
    await one.look("money", one.desk)
    assert [row[2] for row in await one.rows(".ranks")] == ["$75.00", "$50.00", "$25.00", "$150.00"]
    await one.desk.click("text=All of it was paid out")
    await one.desk.wait_for_selector("td:text-is('yes')")
    assert sum((await one.event()).paid_out.values()) == 15000
    assert (await one.event()).pot == 12 * 1000


async def on_paper(one: EventSite) -> None:
    """Every printout opens, and tents have a code for each side where they are asked for."""
    await one.desk.goto(f"{one.hall.base}/e/{one.name}/desk/links")
    async with one.desk.context.expect_page() as opened:
        await one.desk.click("form:has-text('Print new tents for all') button:text-is('A4')")
    tents = await opened.value
    await tents.wait_for_selector(".codes svg")
    assert await tents.locator(".codes svg").count() == 6 * 2 * 2  # tables, sides of a tent, codes
    for printout in ("tents", "sheets", "cards", "chart", "rules", "standings", "payouts", "audit"):
        await one.desk.goto(f"{one.hall.base}/e/{one.name}/desk/printouts/{printout}?paper=a4")
        assert "Prize night" in await one.desk.content()


def counted(event: Event) -> tuple[Counter[str], Counter[str]]:
    """Matches won and points, from the settled scores alone."""
    won: Counter[str] = Counter()
    points: Counter[str] = Counter()
    for drawn in event.rounds:
        for seating in drawn.tables:
            score = event.settled_score(drawn.number, seating.table)
            assert score is not None
            told = re.fullmatch(r"(\d+)-(\d+)", format_score(event, seating, score))
            assert told
            names = [event.entrants[seating.entrants_on(side)[0]].name for side in (0, 1)]
            for side, name in enumerate(names):
                points[name] += int(told[side + 1])
                won[name] += int(told[side + 1]) > int(told[2 - side])
    return won, points


async def test_an_evening_of_two_schools_comes_to_twenty_points_and_participation() -> None:
    names = "\n".join(f"N{at}a & N{at}b (North High)\nS{at}a & S{at}b (South High)" for at in range(1, 5))
    async with night(seeded(5)) as one:
        await one.begin(names, title="School cup", rules="school-cup")
        await one.draw()
        event = await one.event()
        tables = [seating.table for seating in event.rounds[0].tables]
        links = await one.links()
        phone, other = await one.phone(links["Table 1, NS"]), await one.phone(links["Table 1, EW"])
        needed = event.best_of_at(1, event.seating(1, 1)) // 2 + 1
        for word in ("N5!", "N5!", "N5") * needed:
            before = (await one.event()).version
            await phone.tap(f"button[value='{word}']")
            await phone.wait_for_selector(f".phone:not([data-version='{before}'])")
        await phone.tap("text=Tell the other side")
        await other.tap("text=Yes, that is right")
        await phone.wait_for_selector("text=stands")
        games: dict[str, Any] = {f"g{at}s{side}": (10, 4)[side] for at in range(1, needed + 1) for side in (0, 1)}
        for table in tables[1:]:
            ns, ew = await one.form_phones(links, table)
            await ns.tap(do="total", **games)
            await ew.tap(do="confirm")
        event = await one.event()
        assert all(isinstance(event.score_states[1, table], Settled) for table in tables)
        await one.go("Standings")
        rows = await one.rows("table:has(caption:text-is('Schools'))")
        points = {row[0]: sum(map(Fraction, row[3].split())) for row in rows}
        wins: Counter[str] = Counter()
        for seating in event.rounds[0].tables:
            for side, result in enumerate(table_results(event, 1, seating)):
                wins[event.entrants[seating.entrants_on(side)[0]].school] += str(result) == "win"
        each = Fraction(20, len(tables))
        assert points == {school: wins[school] * each + Fraction(4, 10) for school in ("North High", "South High")}
        assert sum(points.values()) == 20 + Fraction(8, 10)
        await one.look("schools", one.desk)
        assert one.flaws == {}
        assert one.hall.wrong == []
