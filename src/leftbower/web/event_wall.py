"""What everybody looks at: the wall of the hall, and the public page of an event with its results."""

from typing import Annotated, Any, Final

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import HTMLResponse, JSONResponse, Response

from leftbower.errors import UnknownEvent
from leftbower.server.desk import AtDesk, Desk, address_of
from leftbower.server.doors import check_feed
from leftbower.server.streaming import EventStream
from leftbower.tournament import Event, Presence, pairings, score_in_words, sheet_as_csv, standing_as_json, standings
from leftbower.web.answering import PageRoute
from leftbower.web.evening import clock_of, over, ranked, rounds_shown, table_lines
from leftbower.web.event_links import RoleHere
from leftbower.web.event_live import follow, live_page

router = APIRouter(
    prefix="/e/{event}", include_in_schema=False, default_response_class=HTMLResponse, route_class=PageRoute
)
_REST: Final = 1.0
"""Seconds between two versions for everybody: whoever looks on is never in the way of play."""


@router.get("")
async def see(event: str, request: Request, desk: AtDesk) -> Response:
    """The event, for everybody, once it is published."""
    now = await _published(desk, request, event)
    return _page(request, desk, event, now, "public", f"/e/{event}/events")


@router.get("/events", dependencies=[Depends(check_feed)])
async def follow_page(event: str, request: Request, desk: AtDesk, seen: Annotated[str, Query()] = "") -> EventStream:
    """Its changes."""
    await _published(desk, request, event)
    return await _follow(desk, request, event, "event_public.html", seen)


@router.get("/wall")
async def see_wall(event: str, request: Request, role: RoleHere, desk: AtDesk) -> Response:
    """The big screen: clock, seats, standings."""
    return _page(request, desk, event, await desk.events.event(event), "wall", f"/e/{event}/wall/events")


@router.get("/wall/events", dependencies=[Depends(check_feed)])
async def follow_wall(
    event: str, request: Request, role: RoleHere, desk: AtDesk, seen: Annotated[str, Query()] = ""
) -> EventStream:
    """Its changes."""
    return await _follow(desk, request, event, "event_wall.html", seen)


@router.get("/results.json")
async def results(event: str, request: Request, desk: AtDesk) -> Response:
    """Pairings, scores and standings for programs."""
    now = await _published(desk, request, event)
    rounds = []
    for one in now.rounds:
        lines = pairings(now, one)
        for line, seating in zip(lines, one.tables, strict=False):
            score = now.settled(one.number, seating.table)
            line["score"] = None if score is None else score_in_words(now, seating, score)
        rounds += lines
    shown = [standing_as_json(now, line) for line in standings(now)] if now.hall.standings else None
    return JSONResponse(
        {"title": now.plan.title, "version": now.version, "closed": now.closed, "rounds": rounds, "standings": shown}
    )


@router.get("/{what}.csv")
async def sheet(event: str, what: str, request: Request, desk: AtDesk) -> Response:
    """The same for spreadsheets: standings, results or pairings."""
    now = await _published(desk, request, event)
    if what not in ("results", "pairings", "standings") or (what == "standings" and not now.hall.standings):
        raise UnknownEvent("there is no such sheet, or it is not shown")
    return Response(sheet_as_csv(now, what), media_type="text/csv")


async def _published(desk: Desk, request: Request, name: str) -> Event:
    desk.halls.ask(address_of(request))
    event = await desk.events.event(name)
    if not event.hall.page:
        raise UnknownEvent("there is no such event, or it is not published")
    return event


async def _follow(desk: Desk, request: Request, name: str, template: str, seen: str) -> EventStream:
    async def given(now: Event) -> dict[str, Any]:
        return _given(desk, name, now)

    return await follow(
        desk, request, name, template, given, mark=lambda now: now.hall.shown, seen=seen, rest=_REST, shared=True
    )


def _given(desk: Desk, name: str, event: Event) -> dict[str, Any]:
    return {
        "event": event,
        "event_name": name,
        "present": sum(one.presence is Presence.HERE for one in event.entrants.values()),
        "lines": table_lines(event, event.now),
        "byes": [event.entrants[one].name for one in event.round(event.now).byes] if event.rounds else [],
        "clock": clock_of(event, desk.events.clock()),
        "r": ranked(event) if event.hall.standings and event.entrants else None,
        "over": over(event),
        "rounds": rounds_shown(event),
    }


def _page(request: Request, desk: Desk, name: str, event: Event, kind: str, feed: str) -> Response:
    given = {**_given(desk, name, event), "title": event.plan.title, "kind": kind, "notice": ""}
    return live_page(request, f"event_{kind}.html", feed, given)
