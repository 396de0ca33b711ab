"""Routes of a side's phone: report hands or totals, confirm or dispute the score, call the director."""

from functools import partial
from typing import Annotated, Any, Final

from fastapi import Depends, Query, Request
from fastapi.responses import JSONResponse, RedirectResponse, Response

from leftbower.errors import BadRequest, BadScore, LeftbowerError, NotPlaying, ScoreStands
from leftbower.i18n import gettext as _
from leftbower.rules.announcements import QUESTIONS
from leftbower.rules.referee import Incident
from leftbower.server.context import AppContext, Context
from leftbower.server.http.form_data import idempotency_key, parse_number, parse_urlencoded, wants_json
from leftbower.server.http.middleware import check_feed_origin
from leftbower.server.http.sse import EventStream
from leftbower.tournament.hall.facts import DirectorCalled, HandReported, ReportWithdrawn, ScorerChanged
from leftbower.tournament.model.facts import EventFact, ScoreConfirmed, ScoreDisputed, ScoreProposed
from leftbower.tournament.model.roles import Role
from leftbower.tournament.model.state import Event
from leftbower.tournament.model.table_map import TableKey
from leftbower.tournament.scoring.scores import Played, Totals
from leftbower.tournament.text import parse
from leftbower.web.event.links import EventRole
from leftbower.web.event.live import render_live_page, respond_to_error, stream_template
from leftbower.web.event.phone_view_model import phone_view_model
from leftbower.web.event.referee_wizard import parse_incident, ruling_case
from leftbower.web.event.view_models import clock_view_model, table_row
from leftbower.web.responses import page_router, render_page

router = page_router("/e/{event}/table")
_TEMPLATE: Final = "event/phone.html"
_MAX_REASON_CHARS: Final = 140
"""Limit for the reason of a dispute or a director call."""


@router.get("")
async def get_phone(event: str, request: Request, role: EventRole, context: Context) -> Response:
    return await _render_phone(request, context, event, role)


@router.get("/feed", dependencies=[Depends(check_feed_origin)])
async def stream_phone(
    event: str, request: Request, role: EventRole, context: Context, version: Annotated[str, Query()] = ""
) -> EventStream:
    """Stream the page whenever this table or the whole event changes."""

    async def build_context(state: Event) -> dict[str, Any]:
        return _phone_context(context, event, state, role)

    return await stream_template(
        context,
        request,
        event,
        _TEMPLATE,
        build_context,
        version_of=lambda state: _changed_at(state, role),
        version=version,
    )


@router.post("/commands")
async def post_command(event: str, request: Request, role: EventRole, context: Context) -> Response:
    form = parse_urlencoded(await request.body())

    try:
        state = await context.events.execute(
            event,
            role,
            lambda current: [parse_fact(current, role, form)],
            request_id=idempotency_key(form),
            table_key=(parse_number(form, "round"), role.number),
            seen_version=None
            if "hands" in form or form.get("command") in ("call", "anyway")
            else parse_number(form, "version"),
        )
    except LeftbowerError as error:

        async def current_state() -> object:
            return table_state(await context.events.get(event), parse_number(form, "round"), role.number)

        return await respond_to_error(
            request, error, partial(_render_phone, request, context, event, role), current_state
        )
    if not wants_json(request):
        return RedirectResponse(f"/e/{event}/table", 303)
    hands = state.hall.hand_count((parse_number(form, "round"), role.number))
    return JSONResponse({"new": False, "hands": hands})


@router.get("/ruling")
async def get_ruling(event: str, request: Request, role: EventRole, context: Context) -> Response:
    """The referee wizard; its ruling is added to the tally."""
    state = await context.events.get(event)
    phone = phone_view_model(state, role)
    if phone is None:
        raise NotPlaying("no match is on at this table")
    seating = state.seating(phone.round, phone.table)
    case = ruling_case(state, (phone.round, phone.table), seating, dict(request.query_params))
    template_context: dict[str, Any] = {
        "case": case,
        "version": phone.version,
        "action_url": f"/e/{event}/table/commands",
        "back_url": "../table",
        "questions": QUESTIONS,
    }
    return render_page(request, "event/ruling.html", title=_("Penalty"), **template_context)


def parse_fact(event: Event, role: Role, form: dict[str, str]) -> EventFact:
    """Convert a form of the phone to a fact."""
    location: dict[str, Any] = {"round": parse_number(form, "round"), "table": role.number, "side": role.subject}
    why = " ".join(form.get("why", "").split())[:_MAX_REASON_CHARS]
    if "hands" in form:
        _check_hands(event, (location["round"], role.number), parse_number(form, "hands"))
    match form.get("command", "tap"):
        case "tap" if tapped := form.get("tap", "")[:10]:
            return HandReported(hand=parse.parse_hand(tapped), **location)
        case "incident":
            return HandReported(hand=Incident.from_json(parse_incident(form)), **location)
        case "anyway" if (tapped := form.get("tap", "")[:10]) and _takes_hands(event, role, location["round"]):
            return HandReported(hand=parse.parse_hand(tapped), **location)
        case "back":
            return ReportWithdrawn(**location)
        case "keep":
            return ScorerChanged(**location)
        case "report":
            return ScoreProposed(score=_reported_score(event, location, form), **location)
        case "total":
            return ScoreProposed(score=parse_totals(event, location["round"], role.number, form), **location)
        case "confirm":
            return ScoreConfirmed(**location)
        case "dispute":
            return ScoreDisputed(why=why, **location)
        case "call" | "anyway":
            return DirectorCalled(why=why, **location)
    raise BadRequest("unknown command", path="command")


def _check_hands(event: Event, table_key: TableKey, hands: int) -> None:
    """Refuse a form of a phone that was offline unless the table has the hands it had there, and no score."""
    if table_key in event.score_states:
        raise ScoreStands("this table already has a score")
    if event.hall.hand_count(table_key) != hands:
        raise ScoreStands("the score here has changed since")


def _takes_hands(event: Event, role: Role, round: int) -> bool:
    """Can this side report a hand now? If not, a hand that no longer fits is sent to the desk as a call."""
    phone = phone_view_model(event, role)
    return phone is not None and phone.round == round and phone.is_scoring


def _reported_score(event: Event, location: dict[str, Any], form: dict[str, str]) -> Played:
    """The score computed from the reported hands."""
    tally = event.hall.tallies.get((location["round"], location["table"]))
    if tally is None or not tally.games:
        raise BadScore("no hand is reported yet")
    return Played(games=tally.games, stopped=form.get("stopped") == "yes")


def parse_totals(event: Event, round: int, table: int, form: dict[str, str]) -> Played:
    """A score from game totals, one form field per game and side."""
    seating = event.seating(round, table)
    games = []
    for game in range(1, event.best_of_at(round, seating) + 1):
        points = [form.get(f"g{game}s{side}", "").strip() for side in range(len(seating.sides))]
        if any(points):
            if not all(number.isdecimal() and len(number) < 4 for number in points):
                raise BadScore("a game needs a number for each side", path=f"game {game}")
            games.append(Totals(points=tuple(map(int, points))))
    if not games:
        raise BadScore("enter a score for each side")
    return Played(games=tuple(games), stopped=form.get("stopped") == "yes")


def table_state(event: Event, round: int, table: int) -> dict[str, object]:
    """The current state of a table, for a client that sent an outdated version."""
    seating = event.seating(round, table)
    row = table_row(event, event.round(round), seating)
    version, hands = row.version, event.hall.hand_count((round, table))
    return {"round": round, "table": table, "state": row.state, "score": row.score, "version": version, "hands": hands}


def _changed_at(event: Event, role: Role) -> int:
    """The version at which the phone's table or the whole event last changed."""
    versions = (version for (_, table), version in event.hall.versions.items() if table == role.number)
    return max(event.table_version(), *versions, 0)


def _phone_context(context: AppContext, name: str, event: Event, role: Role) -> dict[str, Any]:
    return {
        "event": event,
        "event_name": name,
        "role": role,
        "phone": phone_view_model(event, role),
        "clock": clock_view_model(event, context.events.clock()),
    }


async def _render_phone(
    request: Request, context: AppContext, name: str, role: Role, *, notice: str = "", status: int = 200
) -> Response:
    event = await context.events.get(name)
    title = _("Table %(table)d, %(side)s", table=role.number, side=role.subject)
    template_context = {**_phone_context(context, name, event, role), "title": title, "kind": "phone", "notice": notice}
    return render_live_page(request, _TEMPLATE, f"/e/{name}/table/feed", template_context, status=status)
