"""The sign-up page: people enter themselves, wait for a seat, change their minds, and check in at the door."""

import re
from html import unescape
from typing import Any

import icalendar
import pytest

from event_client import EventSite, Visitor, event_site
from event_ledger import EventLedger
from leftbower.errors import BadEntry
from leftbower.server.live.events import may_expire
from leftbower.server.quotas import Quotas
from leftbower.store.memory import MemoryStore
from leftbower.tournament.model.entrants import EntrantPresence
from leftbower.tournament.model.state import Event
from leftbower.web.event.entry.plan_form import EIGHT_HANDS, parse_plan
from leftbower.web.event.entry.sign_up import parse_sign_up
from server_client import seeded

PLAN: dict[str, Any] = {
    "title": "Prize night",
    "rules": "prize-night",
    "fee": "20",
    "starts": "2026-11-24T19:00",
    "place": "Hall, 12 Mill Street",
}


async def open_sign_up(site: EventSite, *, plan: dict[str, Any] | None = None, **form: Any) -> Visitor:
    """An event with an open sign-up page; returns its desk."""
    response = await site.organizer.send("/events", **(plan or PLAN))
    site.event = site.organizer.event = response.headers["location"].split("/")[2]
    await site.organizer.do("sign-up", open="yes", **form)
    return site.organizer


async def sign_up(site: EventSite, name: str, partner: str = "", *, status: int = 303) -> Visitor:
    """A visitor who signs up, with a partner or looking for one."""
    visitor = site.anonymous()
    kind = "with" if partner else "find"
    await visitor.send(f"/e/{site.event}/sign-up", name=name, partner=partner, partner_kind=kind, status=status)
    return visitor


async def state(site: EventSite) -> Event:
    return await site.server.context.events.get(site.event)


async def test_people_sign_up_wait_and_move_up_when_someone_cancels() -> None:
    async with event_site(MemoryStore(), entropy=seeded(71)) as site:
        desk = await open_sign_up(site, seats="5")
        ann = await sign_up(site, "Ann", "Bob")
        await sign_up(site, "Cid", "Dot")
        eve = await sign_up(site, "Eve", "Fay")
        await sign_up(site, "Gus")
        page = unescape(await eve.see(f"/e/{site.event}/sign-up"))
        assert "You are number 1 on the waiting list" in page
        assert "Tuesday, November 24, 7:00 pm" in page
        assert "$20 a team" in page
        assert "You have a seat" in await ann.see(f"/e/{site.event}/sign-up")
        assert "Eve &amp; Fay" in await desk.see(f"/e/{site.event}/desk/sign-up")
        await ann.send(f"/e/{site.event}/sign-up/cancel")
        await ann.send(f"/e/{site.event}/sign-up/cancel")
        event = await state(site)
        assert [entrant.name for entrant in event.entrants.values()] == ["Cid & Dot", "Gus", "Eve & Fay"]
        assert "You have a seat" in await eve.see(f"/e/{site.event}/sign-up")
        await site.anonymous().send(f"/e/{site.event}/sign-up/cancel", status=403)


async def test_the_desk_lets_people_in_or_declines() -> None:
    async with event_site(MemoryStore(), entropy=seeded(72)) as site:
        desk = await open_sign_up(site, confirm="yes")
        for first, second in (("Ann", "Bob"), ("Cid", "Dot"), ("Eve", "Fay")):
            await sign_up(site, first, second)
        ids = [*(await state(site)).applicants]
        await desk.do("accept", who=ids[1])
        await desk.do("delete", who=ids[0])
        event = await state(site)
        assert [*event.entrants] == [ids[1]]
        assert [*event.applicants] == [ids[2]]
        await desk.do("draw", status=409)  # one team has no opponent
        await desk.do("sign-up", confirm="yes")
        await sign_up(site, "Gus", "Hal", status=409)
        assert "Sign-up is closed" in await site.anonymous().see(f"/e/{site.event}/sign-up")


async def test_an_event_with_sign_ups_that_wait_is_kept() -> None:
    async with event_site(MemoryStore(), entropy=seeded(78)) as site:
        await open_sign_up(site, confirm="yes")
        assert may_expire(await state(site))
        await sign_up(site, "Ann", "Bob")
        assert not may_expire(await state(site))


async def test_people_check_in_with_the_code_at_the_door() -> None:
    async with event_site(MemoryStore(), entropy=seeded(73)) as site:
        desk = await open_sign_up(site)
        ann = await sign_up(site, "Ann", "Bob")
        event = await state(site)
        assert event.signup is not None
        [entrant], code = event.entrants, event.signup.door_code
        assert re.fullmatch(r"[A-Z2-9]{4}", code)
        door = f"/e/{site.event}/sign-up/here"
        assert code not in await ann.see(f"/e/{site.event}/sign-up")
        await ann.send(door, who=entrant, door="WRNG", status=409)
        await ann.send(door, who="e99", door=code, status=409)
        assert (await state(site)).entrants[entrant].presence is EntrantPresence.EXPECTED
        page = await site.anonymous().see(f"/e/{site.event}/sign-up?door={code}")
        assert f'value="{code}"' in page
        checked_in = await site.anonymous().send(door, who=entrant, door=code.lower(), status=200)
        assert "checked in" in unescape(checked_in.text)
        assert (await state(site)).entrants[entrant].presence is EntrantPresence.PRESENT
        assert "1 of 1 here" in await desk.see(f"/e/{site.event}/desk/sign-up")
        last = (await site.server.context.events.entries(site.event))[-1]
        assert (last.by, last.requested_by) == ("guest", entrant)


async def test_single_players_sign_up_by_name_and_hostile_input_is_refused() -> None:
    async with event_site(MemoryStore(), entropy=seeded(74)) as site:
        await open_sign_up(site, plan={"title": "Tuesday", "rules": EIGHT_HANDS})
        await sign_up(site, "Ann\u202e\x00 <img src=x onerror=alert(1)>")
        page = await site.anonymous().see(f"/e/{site.event}/sign-up")
        assert "<img" not in page
        [entrant] = (await state(site)).entrants.values()
        assert (entrant.name, entrant.single) == ("Ann <img src=x onerror=alert(1)>", False)
        for name in ("", "  ", "&&&", "x" * 61, "Cid & Dot", "Ann <img src=x onerror=alert(1)>"):
            await sign_up(site, name, status=409 if name.startswith("Ann") else 422)
        assert len((await state(site)).entrants) == 1


async def test_sign_ups_are_limited_by_address_and_event() -> None:
    async with event_site(entropy=seeded(75), quotas=Quotas(entries_per_address=2)) as site:
        await open_sign_up(site)
        await sign_up(site, "Ann")
        await sign_up(site, "Bob")
        await sign_up(site, "Cid", status=429)


async def test_no_one_sees_a_sign_up_page_that_was_not_opened() -> None:
    async with event_site(MemoryStore(), entropy=seeded(76)) as site:
        response = await site.organizer.send("/events", **PLAN)
        event = response.headers["location"].split("/")[2]
        for path in ("sign-up", "evening.ics"):
            await site.anonymous().see(f"/e/{event}/{path}", status=404)
        await site.anonymous().send(f"/e/{event}/sign-up", name="Ann", status=404)


async def test_the_evening_goes_into_a_calendar() -> None:
    async with event_site(MemoryStore(), entropy=seeded(77)) as site:
        await open_sign_up(site)
        response = await site.anonymous().http.get(f"/e/{site.event}/evening.ics")
        assert response.headers["content-type"].startswith("text/calendar")
        [entry] = icalendar.Calendar.from_ical(response.text).walk("VEVENT")
        assert (str(entry["summary"]), str(entry["location"])) == ("Prize night", "Hall, 12 Mill Street")
        assert entry.decoded("dtstart").isoformat() == "2026-11-24T19:00:00"
        assert entry.decoded("dtend").isoformat() == "2026-11-24T22:00:00"
        assert str(entry["url"]).endswith(f"/e/{site.event}/sign-up")


def test_a_partner_is_named_or_asked_for() -> None:
    event = EventLedger(parse_plan({"rules": "school-cup"})).event
    signed = parse_sign_up(event, {"name": " Ann ", "partner": "Bob", "school": "Law"})
    assert (signed.name, signed.players, signed.school, signed.single) == ("Ann & Bob", ("Ann", "Bob"), "Law", False)
    assert parse_sign_up(event, {"name": "Ann", "partner_kind": "find", "partner": "Bob"}).single
    with pytest.raises(BadEntry, match="Find me one"):
        parse_sign_up(event, {"name": "Ann"})
