"""Whole events in Chromium, with a desk, phones at the tables and a wall: a prize night and a school cup."""

import re
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from fractions import Fraction
from typing import Any, Final

import pytest
from axe_playwright_python.async_playwright import Axe  # type: ignore[import-untyped]

from browser_table import DESKTOP, PHONE, BrowserHall, browser_hall
from event_client import TEAMS, Visitor, phone_line
from leftbower.tournament.model.state import Event, Settled
from leftbower.tournament.scoring.results import table_results
from leftbower.tournament.text.display import format_score
from server_client import seeded

pytestmark = pytest.mark.xdist_group("browser")
WHOLE: Final[dict[str, Any]] = {"resultTypes": ["violations"]}
OPEN: Final = """[...document.querySelectorAll('details')].map(details => {
  const was = details.open; details.open = true; return was;
})"""
AS_BEFORE: Final = (
    "was => document.querySelectorAll('details').forEach((details, index) => { details.open = was[index] })"
)
PRIZE_NIGHT: Final = {
    "title": "Prize night",
    "rules": "prize-night",
    "format": "swiss",
    "rounds": "3",
    "fee": "10",
}
WALL: Final[Any] = {"width": 1600, "height": 900}


class BrowserEvent:
    """An event with its desk in a browser, and phones with and without script."""

    def __init__(self, hall: BrowserHall, desk: Any, stack: AsyncExitStack) -> None:
        self.hall, self.desk, self.name, self.stack = hall, desk, "", stack
        self.flaws: dict[str, list[str]] = {}

    async def event(self) -> Event:
        return await self.hall.server.context.events.get(self.name)

    async def go(self, part: str) -> None:
        await self.desk.click(f".desk-head nav >> text={part}")
        await self.desk.wait_for_selector(f".desk-head [aria-current] >> text={part}")

    async def begin(self, names: str, **form: str) -> None:
        """Create the event by the form, paste the names, and mark all as present and paid."""
        await self.desk.goto(f"{self.hall.base}/events")
        await self.check_accessibility("a new event", self.desk)
        for field, value in form.items():
            kind = await self.desk.eval_on_selector(f"form[action='/events'] [name={field}]", "field => field.tagName")
            act = self.desk.select_option if kind == "SELECT" else self.desk.fill
            await act(f"form[action='/events'] [name={field}]", value)
        await self.desk.click("text=Create the event")
        await self.desk.wait_for_selector("text=the only way back")
        await self.check_accessibility("an opened event", self.desk)
        await self.desk.reload()  # the link is still there, and no second event
        assert "/join/" in await self.desk.text_content(".fresh output")
        await self.desk.click("text=Go to the desk")
        await self.desk.wait_for_selector(".desk-head")
        self.name = self.desk.url.split("/")[4]
        await self.go("People")
        await self.desk.fill("textarea", names)
        await self.desk.click("button.go:text-is('Add')")
        await self.desk.wait_for_selector(".entrants li")
        assert await self.desk.input_value("textarea") == ""
        await self.desk.click("text=Everyone is here")
        await self.desk.wait_for_selector(".entrants .is-present")
        await self.desk.click("text=Everyone has paid")
        await self.desk.wait_for_selector(".entrants .owes", state="detached")
        await self.check_accessibility("people", self.desk)

    async def draw(self) -> None:
        await self.go("Draw")
        rounds = len((await self.event()).rounds)
        await self.desk.click("button:has-text('Draw')")
        await self.desk.wait_for_selector(f"h2:text-is('Round {rounds + 1}')")

    async def links(self) -> dict[str, str]:
        """New links for all tables, by title."""
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
        phones = []
        for side in ("NS", "EW"):
            http = await self.stack.enter_async_context(phone_line(self.hall.base))
            await http.get(links[f"Table {table}, {side}"])
            phones.append(Visitor(http, self.name))
        return phones[0], phones[1]

    async def rows(self, table: str) -> list[list[str]]:
        """The cells of an HTML table of the desk."""
        read = "rows => rows.map(row => [...row.cells].map(cell => cell.textContent))"
        cells: list[list[str]] = await self.desk.eval_on_selector_all(f"{table} tbody tr", read)
        return cells

    async def check_accessibility(self, name: str, page: Any) -> None:
        """Record axe-core's violations on a page with all details open."""
        before = await page.evaluate(OPEN)
        violations = (await Axe().run(page, options=WHOLE)).response["violations"]
        if violations:
            self.flaws[name] = [f"{violation['id']}: {violation['nodes'][0]['html'][:140]}" for violation in violations]
        await page.evaluate(AS_BEFORE, before)


@asynccontextmanager
async def open_hall(entropy: Callable[[int], bytes]) -> AsyncIterator[BrowserEvent]:
    """A server, a browser, and the organizer's page before an event is created."""
    async with browser_hall(entropy=entropy) as hall, AsyncExitStack() as stack:
        yield BrowserEvent(hall, await hall.person(viewport=DESKTOP), stack)


async def tap(page: Any, hand: str, points: str) -> None:
    """Report a hand and wait for the points on the board."""
    await page.tap(f"button[value='{hand}']")
    await page.wait_for_selector(f".us .points b:text-is('{points}')")
    await page.wait_for_selector(".phone:not(.busy)")


async def totals(phones: tuple[Visitor, Visitor], ours: int, theirs: int) -> None:
    """One side reports a total and the other confirms it, both without script."""
    ns, ew = phones
    await ns.tap(command="total", g1s0=ours, g1s1=theirs)
    await ew.tap(command="confirm")


async def test_a_prize_night_of_twelve_teams_from_check_in_to_payout() -> None:
    async with open_hall(seeded(11)) as site:
        await site.begin("\n".join(TEAMS), **PRIZE_NIGHT)
        await site.draw()
        await site.check_accessibility("draw", site.desk)
        await site.go("Phones and links")
        await site.desk.click("text=Link for the big screen")
        await site.desk.wait_for_selector(".fresh")
        screen = await site.fresh()
        await site.check_accessibility("one new link", site.desk)
        links = await site.links() | screen
        await site.check_accessibility("new links", site.desk)
        wall = await site.hall.person(viewport=WALL)
        await wall.goto(links["Screen 1"])
        await site.go("Now")
        await site.desk.click("summary:text-is('Clock and pause')")
        await site.desk.click("text=Start clock")
        await wall.wait_for_selector(".clock b:has-text(':')")
        first = await site.phone(links["Table 1, NS"]), await site.phone(links["Table 1, EW"])
        second = await site.phone(links["Table 2, NS"]), await site.phone(links["Table 2, EW"])
        others = {table: await site.form_phones(links, table) for table in range(3, 7)}
        await site.check_accessibility("a phone that keeps the score", first[0])
        await report_hands(site, first, wall)
        await dispute_and_rule(site, second)
        for table, phones in others.items():
            await totals(phones, 10, table)
        await correct_score(site)
        await wall.wait_for_selector(".places i:text-is('11')")
        await site.check_accessibility("the wall", wall)
        for number in (2, 3):
            await play_round(site, number, first, second)
            for table, phones in others.items():
                await totals(phones, 10, table + number)
        await check_standings(site, wall)
        await close_and_pay(site)
        await print_everything(site)
        assert site.flaws == {}
        assert [
            wrong for wrong in site.hall.wrong if "DISCONNECTED" not in wrong and "(Unprocessable" not in wrong
        ] == []


async def report_hands(site: BrowserEvent, phones: tuple[Any, Any], wall: Any) -> None:
    """Report a match hand by hand, with a lost connection and a closed page in between."""
    ns, ew = phones
    await tap(ns, "N5!", "4")
    await ns.context.set_offline(True)
    await ns.tap("button[value='N3']")
    await ns.wait_for_selector(".lost")
    await ns.context.set_offline(False)
    await ns.wait_for_selector(".us .points b:text-is('5')")
    await ns.goto(f"{site.hall.base}/")
    await ns.goto(f"{site.hall.base}/e/{site.name}/table")
    await tap(ns, "E2", "7")
    await ns.tap("button[value='E3']")
    await ew.wait_for_selector(".us .points b:text-is('1')")
    await tap(ns, "N5!", "11")
    await ns.tap("text=Report the score")
    await ew.tap("text=Yes, that's right")
    await ns.wait_for_selector(".wait.done")
    await wall.wait_for_selector(".matches .is-settled em:text-is('11-1')")


async def report_total(page: Any, *points: str) -> None:
    """Report only the final score from a phone."""
    await page.tap("text=Just the final score")
    for side, written in enumerate(points):
        await page.fill(f"[name=g1s{side}]", written)
    await page.tap(".totals button")


async def dispute_and_rule(site: BrowserEvent, phones: tuple[Any, Any]) -> None:
    """A dispute and a call for the director reach the desk at once; the desk rules."""
    south, east = phones
    await report_total(south, "10", "8")
    await east.tap("summary:text-is('No')")
    await east.fill("[name=why] >> nth=0", "we had nine")
    await east.tap("text=Dispute it")
    await east.wait_for_selector("text=The desk will decide")
    await east.tap("text=Call the director")
    await east.tap("button:text-is('Call')")
    alarm = site.desk.locator(".alarm li")
    await alarm.locator("text=we had nine").wait_for()
    await alarm.locator("text=Handled").wait_for()
    await site.check_accessibility("the desk with a dispute", site.desk)
    await alarm.locator("button:text-is('10-8 stands')").wait_for()
    await alarm.locator("summary:text-is('Another score')").click()
    await alarm.locator("[name=games]").fill("10-9")
    await alarm.locator("[name=why]").fill("nine on the sheet")
    await alarm.locator("button:text-is('Set score')").click()
    await south.wait_for_selector("text=10-9")
    await site.desk.click("text=Handled")
    await alarm.wait_for(state="detached")


async def correct_score(site: BrowserEvent) -> None:
    third = site.desk.locator(".tables article", has_text="Table 3")
    await third.locator("summary:text-is('Correct')").click()
    await third.locator("[name=games]").fill("3-x")
    await third.locator("[name=why]").fill("sides mixed up")
    await third.locator("button:text-is('Correct')").click()
    await third.locator("[name=games][aria-invalid=true]:focus").wait_for()
    await third.locator("[name=games]").fill("3-10")
    await third.locator("[name=why]").fill("sides mixed up")
    await third.locator("button:text-is('Correct')").click()
    await third.locator(".sides p", has=site.desk.locator("b:text-is('3')")).wait_for()


async def play_round(site: BrowserEvent, number: int, first: tuple[Any, Any], second: tuple[Any, Any]) -> None:
    """Draw the next round; phones show their next match without a reload."""
    await site.draw()
    for phone in (*first, *second):
        await phone.wait_for_selector(f"h1:has-text('round {number}')")
    for hand, points in (("N5!", "4"), ("N5!", "8"), ("N5", "10")):
        await tap(first[0], hand, points)
    await first[0].tap("text=Report the score")
    await first[1].tap("text=Yes, that's right")
    await first[0].wait_for_selector(".wait.done")
    await report_total(second[0], "4", "10")
    await second[1].tap("text=Yes, that's right")
    await second[0].wait_for_selector(".wait.done")


async def check_standings(site: BrowserEvent, wall: Any) -> None:
    """The standings equal a count by hand; the wall can hide them."""
    won, points = count_results(await site.event())
    await site.go("Standings")
    ranks = {row[1]: (int(row[2]), int(row[4])) for row in await site.rows(".ranks")}
    assert ranks == {name: (won[name], points[name]) for name in TEAMS}
    await site.check_accessibility("standings", site.desk)
    await site.desk.uncheck("[name=standings]")
    await site.desk.check("[name=page]")
    await site.desk.click("button:text-is('Save')")
    await wall.wait_for_selector("text=Standings come at the end")
    public = await site.hall.person(viewport=PHONE)
    await public.goto(f"{site.hall.base}/e/{site.name}")
    await public.wait_for_selector("text=Standings come at the end")
    await site.check_accessibility("the public page", public)


async def close_and_pay(site: BrowserEvent) -> None:
    """Draw lots for the remaining ties, since a gift card is not split; then close and pay."""
    while await site.desk.query_selector("button:text-is('Break the tie')"):
        level = site.desk.locator("form:has(button:text-is('Break the tie')) [name=who]")
        for index in range(await level.count()):
            await level.nth(index).check()
        version = (await site.event()).version
        await site.desk.click("button:text-is('Break the tie')")
        await site.desk.wait_for_selector(f".desk:not([data-version='{version}'])")
    await site.desk.click("summary:text-is('Close the event')")
    await site.desk.click("text=Yes, close it")
    await site.desk.wait_for_selector("text=Final standings")
    await site.go("Money")
    await site.check_accessibility("money", site.desk)
    assert [row[2] for row in await site.rows(".ranks")] == ["$75.00", "$50.00", "$25.00", "$150.00"]
    await site.desk.click("summary:text-is('All prizes are paid')")
    await site.desk.click("text=Yes, all are paid")
    await site.desk.wait_for_selector("td:text-is('yes')")
    assert sum((await site.event()).paid_out.values()) == 15000
    assert (await site.event()).pot == 12 * 1000


async def print_everything(site: BrowserEvent) -> None:
    """Every printout opens, and new tents have a code for each side."""
    await site.desk.goto(f"{site.hall.base}/e/{site.name}/desk/links")
    async with site.desk.context.expect_page() as opened:
        await site.desk.click("form:has-text('Print new tents for all') button:text-is('A4')")
    tents = await opened.value
    await tents.wait_for_selector(".codes svg")
    assert await tents.locator(".codes svg").count() == 6 * 2 * 2  # tables, sides of a tent, codes
    for printout in ("tents", "sheets", "cards", "chart", "rules", "standings", "payouts", "audit"):
        await site.desk.goto(f"{site.hall.base}/e/{site.name}/desk/printouts/{printout}?paper=a4")
        assert "Prize night" in await site.desk.content()


def count_results(event: Event) -> tuple[Counter[str], Counter[str]]:
    """Matches won and points, from the settled scores alone."""
    won: Counter[str] = Counter()
    points: Counter[str] = Counter()
    for round_ in event.rounds:
        for seating in round_.tables:
            score = event.settled_score(round_.number, seating.table)
            assert score is not None
            score_match = re.fullmatch(r"(\d+)-(\d+)", format_score(event, seating, score))
            assert score_match
            names = [event.entrants[seating.entrants_on(side)[0]].name for side in (0, 1)]
            for side, name in enumerate(names):
                points[name] += int(score_match[side + 1])
                won[name] += int(score_match[side + 1]) > int(score_match[2 - side])
    return won, points


async def test_a_school_cup_adds_up_to_twenty_points_and_participation() -> None:
    names = "\n".join(
        f"N{index}a & N{index}b (North High)\nS{index}a & S{index}b (South High)" for index in range(1, 5)
    )
    async with open_hall(seeded(5)) as site:
        await site.begin(names, title="School cup", rules="school-cup")
        await site.draw()
        event = await site.event()
        tables = [seating.table for seating in event.rounds[0].tables]
        links = await site.links()
        phone, other = await site.phone(links["Table 1, NS"]), await site.phone(links["Table 1, EW"])
        needed = event.best_of_at(1, event.seating(1, 1)) // 2 + 1
        for hand in ("N5!", "N5!", "N5") * needed:
            before = (await site.event()).version
            await phone.tap(f"button[value='{hand}']")
            await phone.wait_for_selector(f".phone:not([data-version='{before}'])")
        await phone.tap("text=Report the score")
        await other.tap("text=Yes, that's right")
        await phone.wait_for_selector(".wait.done")
        games: dict[str, Any] = {f"g{index}s{side}": (10, 4)[side] for index in range(1, needed + 1) for side in (0, 1)}
        for table in tables[1:]:
            ns, ew = await site.form_phones(links, table)
            await ns.tap(command="total", **games)
            await ew.tap(command="confirm")
        event = await site.event()
        assert all(isinstance(event.score_states[1, table], Settled) for table in tables)
        await site.go("Standings")
        rows = await site.rows("table:has(caption:text-is('Schools'))")
        points = {row[0]: sum(map(Fraction, row[3].split())) for row in rows}
        wins: Counter[str] = Counter()
        for seating in event.rounds[0].tables:
            for side, result in enumerate(table_results(event, 1, seating)):
                wins[event.entrants[seating.entrants_on(side)[0]].school] += str(result) == "win"
        points_per_match = Fraction(20, len(tables))
        assert points == {
            school: wins[school] * points_per_match + Fraction(4, 10) for school in ("North High", "South High")
        }
        assert sum(points.values()) == 20 + Fraction(8, 10)
        await site.check_accessibility("schools", site.desk)
        assert site.flaws == {}
        assert site.hall.wrong == []
