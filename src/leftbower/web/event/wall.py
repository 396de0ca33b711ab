"""Routes of the big screen in the hall, and of an event's public page and results."""

from typing import Any, Final, NamedTuple

from fastapi import Depends, Request
from fastapi.responses import JSONResponse, Response
from markupsafe import Markup

from leftbower.errors import UnknownEvent
from leftbower.server.auth import address_of
from leftbower.server.context import AppContext, Context
from leftbower.server.http.lan import public_base_url
from leftbower.server.http.middleware import check_feed_origin
from leftbower.server.http.sse import EventStream
from leftbower.tournament.model.entrants import EntrantPresence
from leftbower.tournament.model.state import Event
from leftbower.tournament.scoring.standings import standings
from leftbower.tournament.text.bracket_picture import round_title
from leftbower.tournament.text.display import format_score, round_to_json, standing_to_json
from leftbower.tournament.text.exports import export_csv
from leftbower.web.event.entry.dates import format_when
from leftbower.web.event.links import RolePage
from leftbower.web.event.live import render_live_page, stream_fragment
from leftbower.web.event.stages import bracket_view_model, earlier_standings
from leftbower.web.event.view_models import (
    clock_view_model,
    is_stage_over,
    rejoin_notices,
    round_view_models,
    standings_view_model,
    table_rows,
)
from leftbower.web.event.wall_view_model import found_seats, podium
from leftbower.web.qr import qr_svg
from leftbower.web.render import render_fragment
from leftbower.web.responses import page_router

router = page_router("/e/{event}")
_FEED_INTERVAL_SECONDS: Final = 1.0
"""Minimum time between two feed messages, so that spectators do not slow down play."""


class NextEvening(NamedTuple):
    """What the public page of a closed event says of the next one."""

    text: str
    page: str
    calendar: str
    """Empty if it has no date yet."""


@router.get("")
async def get_public_page(event: str, request: Request, context: Context) -> Response:
    """The public page, if it is published."""
    state = await _published_event(context, request, event)
    return await _render_page(request, context, event, state, "public", f"/e/{event}/feed")


@router.get("/feed", dependencies=[Depends(check_feed_origin)])
async def stream_public_page(event: str, request: Request, context: Context, version: str = "") -> EventStream:
    await _published_event(context, request, event)
    return await _stream(context, request, event, "event/public.html", version)


@router.get("/wall")
async def get_wall(page: RolePage) -> Response:
    """The big screen: clock, seats, standings."""
    feed_url = f"/e/{page.name}/wall/feed"
    return await _render_page(page.request, page.context, page.name, await page.event(), "wall", feed_url)


@router.get("/wall/feed", dependencies=[Depends(check_feed_origin)])
async def stream_wall(page: RolePage, version: str = "") -> EventStream:
    return await _stream(page.context, page.request, page.name, "event/wall.html", version)


@router.get("/results.json")
async def get_results(event: str, request: Request, context: Context) -> Response:
    """Pairings, scores and standings as JSON."""
    state = await _published_event(context, request, event)
    return JSONResponse(
        await context.page_cache.get(("results.json", event), state.hall.public_version, lambda: _results_json(state))
    )


@router.get("/{export}.csv")
async def get_csv(event: str, export: str, request: Request, context: Context) -> Response:
    """Standings, results or pairings as CSV."""
    state = await _published_event(context, request, event)
    if export not in ("results", "pairings", "standings") or (export == "standings" and not state.hall.show_standings):
        raise UnknownEvent("there is no such sheet, or it is not shown")
    text = await context.page_cache.get(
        (f"{export}.csv", event), state.hall.public_version, lambda: export_csv(state, export)
    )
    return Response(text, media_type="text/csv")


def _results_json(event: Event) -> dict[str, object]:
    """Pairings and scores, and standings if they are published."""
    rounds = []
    for round_ in event.rounds:
        tables = round_to_json(event, round_)
        for table, seating in zip(tables, round_.tables, strict=False):
            score = event.settled_score(round_.number, seating.table)
            table["score"] = None if score is None else format_score(event, seating, score)
        rounds += tables
    standings_json = (
        [standing_to_json(event, standing) for standing in standings(event)] if event.hall.show_standings else None
    )
    return {
        "title": event.plan.title,
        "version": event.hall.public_version,
        "closed": event.closed,
        "rounds": rounds,
        "standings": standings_json,
    }


async def _published_event(context: AppContext, request: Request, name: str) -> Event:
    context.limits.event_pages.take(address_of(request))
    event = await context.events.get(name)
    if not event.hall.public_page:
        raise UnknownEvent("there is no such event, or it is not public")
    return event


async def _stream(context: AppContext, request: Request, name: str, template: str, version: str) -> EventStream:
    async def render(_: Event) -> str:
        return await _render_cached(context, name, await context.events.get(name), template)

    return await stream_fragment(
        context,
        request,
        name,
        render,
        version_of=lambda state: state.hall.public_version,
        version=version,
        min_interval=_FEED_INTERVAL_SECONDS,
    )


async def _render_cached(context: AppContext, name: str, event: Event, template: str) -> str:
    """Render once for all readers: cache the context by version and the HTML by version and clock."""
    public_version, clock = event.hall.public_version, clock_view_model(event, context.events.clock())
    template_context = await context.page_cache.get(
        ("context", name), public_version, lambda: _event_context(name, event)
    )
    upcoming = await _next_evening(context, event)
    return await context.page_cache.get(
        (template, name),
        (public_version, clock, upcoming),
        lambda: render_fragment(template, **template_context, clock=clock, upcoming=upcoming),
    )


async def _next_evening(context: AppContext, event: Event) -> NextEvening | None:
    """The evening cloned from a closed event, if its page or its sign-up is public."""
    name = event.next_event
    if not event.closed or not name:
        return None
    try:
        upcoming = await context.events.get(name)
    except UnknownEvent:  # deleted
        return None
    if not (upcoming.signup or upcoming.hall.public_page):
        return None
    return NextEvening(
        text=" · ".join(filter(None, (upcoming.plan.title, format_when(upcoming.plan.starts), upcoming.plan.place))),
        page=f"/e/{name}/sign-up" if upcoming.signup else f"/e/{name}",
        calendar=f"/e/{name}/evening.ics" if upcoming.plan.starts else "",
    )


def _event_context(name: str, event: Event) -> dict[str, Any]:
    standings_table = standings_view_model(event) if event.hall.show_standings and event.entrants else None
    is_over = is_stage_over(event)
    is_at_end = bool(event.rounds) and (is_over or event.closed)
    is_waiting = bool(event.rounds) and not (is_at_end or event.round_started(event.current_round))
    return {
        "event": event,
        "event_name": name,
        "present": sum(entrant.presence is EntrantPresence.PRESENT for entrant in event.entrants.values()),
        "lines": table_rows(event, event.current_round),
        "byes": [event.entrants[entrant].name for entrant in event.round(event.current_round).byes]
        if event.rounds
        else [],
        "standings": standings_table,
        "is_over": is_over,
        "seats": found_seats(event) if is_waiting else (),
        "podium": podium(event, standings_table) if standings_table and is_at_end else None,
        "bracket": bracket_view_model(event) if event.rounds else None,
        "earlier": earlier_standings(event) if event.hall.show_standings else (),
        "round_titles": {round_.number: round_title(event, round_.number) for round_ in event.rounds},
        "when": format_when(event.plan.starts),
        "rounds": round_view_models(event),
        "rejoins": rejoin_notices(event),
        "recent": rejoin_notices(event, since=event.current_round)[:2],
    }


async def _render_page(
    request: Request, context: AppContext, name: str, event: Event, kind: str, feed: str
) -> Response:
    fragment = Markup(await _render_cached(context, name, event, f"event/{kind}.html"))  # rendered by our template
    template_context = {"event": event, "event_name": name, "title": event.plan.title, "kind": kind, "notice": ""}
    qr = ""
    if kind == "wall" and event.hall.public_page:
        qr = await context.page_cache.get(("qr", name), 0, lambda: qr_svg(f"{public_base_url(request)}/e/{name}"))
    template_context |= {"fragment": fragment, "qr": Markup(qr)}  # our own SVG
    return render_live_page(request, "", feed, template_context)
