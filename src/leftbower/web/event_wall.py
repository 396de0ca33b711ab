"""What everybody looks at: the wall of the hall, and the public page of an event with its results."""

from typing import Annotated, Any, Final

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import HTMLResponse, JSONResponse, Response
from markupsafe import Markup

from leftbower.errors import UnknownEvent
from leftbower.server.auth import address_of
from leftbower.server.desk import AtDesk, Desk
from leftbower.server.doors import check_feed
from leftbower.server.streaming import EventStream
from leftbower.tournament import Event, Presence, pairings, score_in_words, sheet_as_csv, standing_as_json, standings
from leftbower.web.answering import PageRoute
from leftbower.web.drawing import part
from leftbower.web.evening import clock_of, over, ranked, rejoin_lines, rounds_shown, table_lines
from leftbower.web.event_links import RoleHere
from leftbower.web.event_live import follow_drawn, live_page

router = APIRouter(
    prefix="/e/{event}", include_in_schema=False, default_response_class=HTMLResponse, route_class=PageRoute
)
_REST: Final = 1.0
"""Seconds between two versions for everybody: whoever looks on is never in the way of play."""


@router.get("")
async def see(event: str, request: Request, desk: AtDesk) -> Response:
    """The event, for everybody, once it is published."""
    now = await _published(desk, request, event)
    return await _page(request, desk, event, now, "public", f"/e/{event}/events")


@router.get("/events", dependencies=[Depends(check_feed)])
async def follow_page(event: str, request: Request, desk: AtDesk, seen: Annotated[str, Query()] = "") -> EventStream:
    """Its changes."""
    await _published(desk, request, event)
    return await _follow(desk, request, event, "event_public.html", seen)


@router.get("/wall")
async def see_wall(event: str, request: Request, role: RoleHere, desk: AtDesk) -> Response:
    """The big screen: clock, seats, standings."""
    return await _page(request, desk, event, await desk.events.event(event), "wall", f"/e/{event}/wall/events")


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
    return JSONResponse(await desk.once.made(("results.json", event), now.hall.shown, lambda: _results(now)))


@router.get("/{what}.csv")
async def sheet(event: str, what: str, request: Request, desk: AtDesk) -> Response:
    """The same for spreadsheets: standings, results or pairings."""
    now = await _published(desk, request, event)
    if what not in ("results", "pairings", "standings") or (what == "standings" and not now.hall.standings):
        raise UnknownEvent("there is no such sheet, or it is not shown")
    text = await desk.once.made((f"{what}.csv", event), now.hall.shown, lambda: sheet_as_csv(now, what))
    return Response(text, media_type="text/csv")


def _results(event: Event) -> dict[str, object]:
    """Pairings, scores and standings, as far as they are shown."""
    rounds = []
    for one in event.rounds:
        lines = pairings(event, one)
        for line, seating in zip(lines, one.tables, strict=False):
            score = event.settled(one.number, seating.table)
            line["score"] = None if score is None else score_in_words(event, seating, score)
        rounds += lines
    shown = [standing_as_json(event, line) for line in standings(event)] if event.hall.standings else None
    return {
        "title": event.plan.title,
        "version": event.hall.shown,
        "closed": event.closed,
        "rounds": rounds,
        "standings": shown,
    }


async def _published(desk: Desk, request: Request, name: str) -> Event:
    desk.halls.ask(address_of(request))
    event = await desk.events.event(name)
    if not event.hall.page:
        raise UnknownEvent("there is no such event, or it is not published")
    return event


async def _follow(desk: Desk, request: Request, name: str, template: str, seen: str) -> EventStream:
    async def drawn(_: Event) -> str:
        return await _drawn(desk, name, await desk.events.event(name), template)

    return await follow_drawn(desk, request, name, drawn, mark=lambda now: now.hall.shown, seen=seen, rest=_REST)


async def _drawn(desk: Desk, name: str, event: Event, template: str) -> str:
    """The part that is live: worked out once whenever it changes, drawn once for all, and again when a clock moves."""
    shown, clock = event.hall.shown, clock_of(event, desk.events.clock())
    given = await desk.once.made(("given", name), shown, lambda: _given(name, event))
    return await desk.once.made((template, name), (shown, clock), lambda: part(template, **given, clock=clock))


def _given(name: str, event: Event) -> dict[str, Any]:
    return {
        "event": event,
        "event_name": name,
        "present": sum(one.presence is Presence.HERE for one in event.entrants.values()),
        "lines": table_lines(event, event.now),
        "byes": [event.entrants[one].name for one in event.round(event.now).byes] if event.rounds else [],
        "r": ranked(event) if event.hall.standings and event.entrants else None,
        "over": over(event),
        "rounds": rounds_shown(event),
        "rejoins": rejoin_lines(event),
        "recent": rejoin_lines(event, since=event.now)[:2],
    }


async def _page(request: Request, desk: Desk, name: str, event: Event, kind: str, feed: str) -> Response:
    drawn = Markup(await _drawn(desk, name, event, f"event_{kind}.html"))  # by a template of ours
    given = {"event": event, "event_name": name, "title": event.plan.title, "kind": kind, "notice": ""}
    return live_page(request, "", feed, given | {"drawn": drawn})
