"""My events: listed for the browser that opened them, edited, and opened again a week later."""

import re
from dataclasses import replace
from html import unescape
from typing import Any

import pytest

from event_client import TEAMS, Visitor, event_site, open_event
from leftbower.rules.formats import from_json, to_json, to_link
from leftbower.rules.sheets import preset, presets
from leftbower.store.memory import MemoryStore
from leftbower.tournament.formats.registry import Format
from leftbower.tournament.model.choices import ByeValue, ExtraCategory, OddNumbers, ScoreApproval, TieBreak
from leftbower.tournament.model.plan import EventPlan, Prizes, Stage, default_plan
from leftbower.tournament.text.parse import parse_prizes
from leftbower.web.event.entry.dates import format_when, week_later
from leftbower.web.event.entry.plan_form import EIGHT_HANDS, TIE_BREAK_TEXTS, eight_hands, form_of, parse_plan
from server_client import seeded

PLANS = [
    *(default_plan(known.title, known.rules) for known in presets() if known.rules.players == 4),
    default_plan("Eight hands", eight_hands()),
    replace(
        default_plan("Own rules", from_json({**to_json(preset("club")), "target": 7}), Stage(format=Format.SWISS)),
        fee=1250,
        prizes=parse_prizes("50%,33.5%,1/3%", "none", ["loners=5"], Prizes()),
        ties=(TieBreak.POINTS, TieBreak.HEAD_TO_HEAD, TieBreak.DRAW),
        bye=ByeValue.WIN,
        seeded=True,
        approval=ScoreApproval.ONE_SIDE,
        minutes=25,
        online=True,
        no_show_minutes=5,
        starts="2026-11-24T19:00",
        place="Parish hall, 12 Mill Street",
    ),
    replace(
        default_plan("Cash", preset("prize-night"), Stage(format=Format.PROGRESSIVE, rounds=6, best_of=3)),
        prizes=Prizes(cash=(10050, 5000), cards=(2500,), extras=((ExtraCategory.LAST, 100),)),
        odd_numbers=OddNumbers.THREE_HANDED,
    ),
]


@pytest.mark.parametrize("plan", PLANS, ids=lambda plan: plan.title)
def test_the_form_of_a_plan_describes_the_same_plan(plan: EventPlan) -> None:
    assert parse_plan(form_of(plan)) == plan


def test_a_fee_is_per_team_or_per_person() -> None:
    form = {"rules": "prize-night", "format": "swiss", "fee": "10"}
    assert parse_plan(form).fee == 1000
    assert parse_plan({**form, "fee_per": "person"}).fee == 2000
    assert parse_plan({**form, "fee_per": "person", "format": "progressive"}).fee == 1000


def test_eight_hands_a_round_is_a_progressive_evening_of_eight_rounds() -> None:
    plan = parse_plan({"rules": EIGHT_HANDS})
    assert (plan.rules.fixed_hands, plan.stage.format, plan.stage.rounds) == (8, Format.PROGRESSIVE, 8)


def test_every_tie_break_has_a_sentence_and_several_fields_make_an_order() -> None:
    assert {*TIE_BREAK_TEXTS} == {*TieBreak}
    assert parse_plan({"ties": "points   head-to-head draw"}).ties == (
        *(TieBreak.POINTS, TieBreak.HEAD_TO_HEAD, TieBreak.DRAW),
    )


def test_dates_are_read_as_people_say_them() -> None:
    assert format_when("2026-11-24T19:00") == "Tuesday, November 24, 7:00 pm"
    assert format_when("2026-01-01T00:05") == "Thursday, January 1, 12:05 am"
    assert (format_when(""), week_later("")) == ("", "")
    assert week_later("2026-12-29T19:30") == "2027-01-05T19:30"


async def events_page(visitor: Visitor) -> str:
    return await visitor.see("/events")


async def test_the_browser_that_opened_an_event_finds_its_desk_again() -> None:
    async with event_site(MemoryStore(), entropy=seeded(61)) as site:
        await open_event(site, teams=TEAMS[:4], title="Friday")
        desk = site.organizer
        assert "Friday" in await events_page(desk)
        assert "Friday" not in await events_page(site.anonymous())
        desk.http.cookies.delete("leftbower-event")
        await desk.see(f"/e/{site.event}/desk", status=403)
        await desk.send(f"/e/{site.event}/desk/open")
        await desk.see(f"/e/{site.event}/desk")
        await site.anonymous().send(f"/e/{site.event}/desk/open", status=403)
        [person] = (await site.server.context.events.get(site.event)).organizers
        assert await site.server.context.person_tables.list(person) == []


async def test_an_account_that_opens_the_link_has_it_until_the_desk_signs_others_out() -> None:
    async with event_site(MemoryStore(), entropy=seeded(62)) as site:
        await open_event(site, teams=TEAMS[:4], title="Friday")
        links = await site.organizer.new_links(command="new", role="organizer")
        other = site.anonymous()
        await other.send("/events", title="Own", rules="club")  # a guest with a cookie
        response = await other.http.get(next(iter(links.values())))
        assert response.status_code == 303
        assert "Friday" in await events_page(other)
        await site.organizer.new_links(command="end", role="organizer")
        assert "Friday" not in await events_page(other)
        assert "Friday" in await events_page(site.organizer)
        await other.send(f"/e/{site.event}/desk/open", status=403)


async def test_the_next_evening_has_the_same_plan_and_people_a_week_later() -> None:
    async with event_site(MemoryStore(), entropy=seeded(63)) as site:
        form = {"title": "Friday", "fee": "10", "starts": "2026-11-20T19:00", "place": "Hall"}
        await open_event(site, teams=TEAMS[:4], draw=False, **form)
        desk = site.organizer
        await desk.do("mark", what="paid", who="e1")
        await desk.do("draw")
        response = await desk.send(f"/e/{site.event}/desk/again")
        name = response.headers["location"].split("/")[2]
        old, again = [await site.server.context.events.get(event) for event in (site.event, name)]
        assert (old.next_event, again.plan.starts) == (name, "2026-11-27T19:00")
        assert replace(again.plan, starts=old.plan.starts) == old.plan
        assert [entrant.name for entrant in again.entrants.values()] == list(TEAMS[:4])
        assert (again.pot, again.rounds, {entrant.owes for entrant in again.entrants.values()}) == (0, (), {1000})
        assert (await events_page(desk)).count("Friday") >= 2
        assert f"/e/{name}/desk/open" in await desk.see(f"/e/{site.event}/desk/setup")


async def test_the_results_of_a_closed_event_lead_to_the_next_evening() -> None:
    """As soon as its page or sign-up is public, with its calendar file if it has a date."""
    async with event_site(MemoryStore(), entropy=seeded(66)) as site:
        form: dict[str, Any] = {"title": "Friday", "rounds": 1, "starts": "2026-11-20T19:00", "place": "Hall"}
        await open_event(site, teams=TEAMS[:4], **form)
        desk, guest, results = site.organizer, site.anonymous(), f"/e/{site.event}"
        await desk.do("publish", page="yes", standings="yes")
        again = (await desk.send(f"/e/{site.event}/desk/again")).headers["location"].split("/")[2]
        next_desk = Visitor(desk.http, again)
        for table in (1, 2):
            await site.settle(1, table, "10-4")
        await desk.do("close")
        assert again not in await guest.see(results)
        await next_desk.do("publish", page="yes")
        page = await guest.see(results)
        assert f'<a href="/e/{again}">Friday · Friday, November 27, 7:00 pm · Hall</a>' in page
        assert f'<a href="/e/{again}/evening.ics">' in page
        assert "DTSTART:20261127T190000" in await guest.see(f"/e/{again}/evening.ics")
        await next_desk.do("sign-up", open="yes")
        assert f'<a href="/e/{again}/sign-up">' in await guest.see(results)
        await next_desk.do("plan", **form | {"starts": ""}, rules="prize-night", format="swiss", part="setup")
        assert "evening.ics" not in await guest.see(results)
        await desk.do("reopen", why="a score")
        assert again not in await guest.see(results)


async def test_names_are_entered_with_the_event() -> None:
    async with event_site(MemoryStore(), entropy=seeded(64)) as site:
        desk = site.anonymous()
        names = "\r\n".join(f"Player {number}" for number in range(1, 25))
        response = await desk.send("/events", title="Tuesday", rules=EIGHT_HANDS, names=names)
        event = await site.server.context.events.get(response.headers["location"].split("/")[2])
        assert len(event.entrants) == 24
        refused = await desk.send("/events", title="Tuesday", rules=EIGHT_HANDS, names="Ann\nann", status=409)
        assert "already entered" in refused.text
        assert "Ann\nann" in unescape(refused.text).replace("\r", "")


async def test_the_plan_changes_and_entrants_are_deleted_at_the_desk() -> None:
    async with event_site(MemoryStore(), entropy=seeded(65)) as site:
        await open_event(
            site, teams=TEAMS[:4], draw=False, title="Friday", prizes="100,50", gift_cards="none", fee="10"
        )
        desk = site.organizer
        page = await desk.see(f"/e/{site.event}/desk/setup")
        assert "you need $110.00 from elsewhere" in page
        form: dict[str, Any] = fields(page)
        await desk.do("plan", **{**form, "title": "Saturday", "prizes": "30", "gift_cards": "none"})
        await desk.do("mark", what="delete", who="e4")
        event = await site.server.context.events.get(site.event)
        assert (event.plan.title, [*event.entrants]) == ("Saturday", ["e1", "e2", "e3"])
        assert "from elsewhere" not in await desk.see(f"/e/{site.event}/desk/setup")
        await desk.do("draw")
        await desk.do("plan", title="Sunday", prizes="30", gift_cards="none", status=422)
        await desk.do("plan", title="Sunday", prizes="30", gift_cards="none", rules="campus", why="a typo")
        event = await site.server.context.events.get(site.event)
        assert (event.plan.title, event.plan.rules) == ("Sunday", preset("prize-night"))
        await desk.do("mark", what="delete", who="e3", status=409)


def fields(page: str) -> dict[str, str]:
    """The values of the plan's form, as a browser sends them."""
    form = page[page.index('name="command" value="plan"') : page.index("Save the plan")]
    values: dict[str, str] = {}
    for tag in re.findall(r"<input[^>]*>", form):
        attributes = dict(re.findall(r'(\w+)="([^"]*)"', tag))
        if attributes.get("type") not in ("radio", "checkbox", "hidden") or "checked" in tag:
            values[attributes["name"]] = unescape(attributes.get("value", ""))
    for name, options in re.findall(r'<select name="(\w+)"[^>]*>(.*?)</select>', form, re.DOTALL):
        chosen = re.search(r'<option value="([^"]*)"[^>]* selected', options)
        values[name] = " ".join(filter(None, (values.get(name, ""), unescape(chosen[1]) if chosen else "")))
    return values


async def test_own_rules_become_an_event_by_one_click() -> None:
    async with event_site(MemoryStore(), entropy=seeded(66)) as site:
        visitor = site.anonymous()
        link = to_link(from_json({**to_json(preset("club")), "target": 7}))
        assert 'action="/events#new"' in await visitor.see(f"/rules/{link}")
        page = await visitor.see(f"/events?rules={link}")
        assert f'<option value="{link}" selected>' in page
        assert "one game to 7" in page
        bad = await visitor.see("/events?rules=r1-%22%3E%3Cscript%3E")
        assert "<script>" not in bad
