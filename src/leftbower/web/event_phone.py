"""The phone of one side of a table: hands tapped one by one, or totals; told, confirmed, disputed; calls."""

from typing import Annotated, Any, Final

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import HTMLResponse, Response

from leftbower.errors import BadRequest, BadScore, NotPlaying
from leftbower.rules.referee import QUESTIONS, Incident
from leftbower.server.desk import AtDesk, Desk
from leftbower.server.doors import check_feed
from leftbower.server.streaming import EventStream
from leftbower.tournament import (
    DirectorCalled,
    Event,
    EventFact,
    HandTold,
    KeeperChanged,
    Played,
    Role,
    ScoreConfirmed,
    ScoreDisputed,
    ScoreProposed,
    TakenBack,
    Totals,
    spelling,
)
from leftbower.web.answering import PageRoute, form_of, page
from leftbower.web.evening import clock_of, phone, table_line
from leftbower.web.event_links import RoleHere
from leftbower.web.event_live import act_of, answered, follow, live_page, number
from leftbower.web.refereeing import case_of, incident_of

router = APIRouter(
    prefix="/e/{event}/table", include_in_schema=False, default_response_class=HTMLResponse, route_class=PageRoute
)
_INNER: Final = "event_table.html"
_LONGEST: Final = 140
"""Letters of a reason."""


@router.get("")
async def see(event: str, request: Request, role: RoleHere, desk: AtDesk) -> Response:
    """The table, for one of its sides."""
    return await _page(request, desk, event, role)


@router.get("/events", dependencies=[Depends(check_feed)])
async def follow_table(
    event: str, request: Request, role: RoleHere, desk: AtDesk, seen: Annotated[str, Query()] = ""
) -> EventStream:
    """Every change of this table, and of what concerns all tables."""

    async def given(now: Event) -> dict[str, Any]:
        return _given(desk, event, now, role)

    return await follow(desk, request, event, _INNER, given, mark=lambda now: _mark(now, role), seen=seen)


@router.post("/do")
async def do(event: str, request: Request, role: RoleHere, desk: AtDesk) -> Response:
    """One tap."""
    form = await form_of(request)

    async def done() -> Event:
        place = number(form, "r"), role.number
        return await desk.events.tell(
            event,
            role,
            lambda now: [fact_of(now, role, form)],
            act=act_of(form),
            place=place,
            seen=number(form, "v"),
        )

    async def shown(notice: str, status: int) -> Response:
        return await _page(request, desk, event, role, notice=notice, status=status)

    async def now() -> object:
        return there(await desk.events.event(event), number(form, "r"), role.number)

    return await answered(request, done, shown, back=f"/e/{event}/table", now=now)


@router.get("/rule")
async def rule(event: str, request: Request, role: RoleHere, desk: AtDesk) -> Response:
    """What follows an irregularity under the event's rules; what was ruled goes into the tally."""
    now = await desk.events.event(event)
    shown = phone(now, role)
    if shown is None:
        raise NotPlaying("no match is on at this table")
    seating = now.seating(shown.round, shown.table)
    case = case_of(now, (shown.round, shown.table), seating, dict(request.query_params))
    given: dict[str, Any] = {
        "case": case,
        "r": shown.round,
        "v": shown.moved,
        "action": f"/e/{event}/table/do",
        "back": "../table",
        "questions": QUESTIONS,
    }
    return page(request, "event_rule.html", title="Penalty", **given)


def fact_of(event: Event, role: Role, form: dict[str, str]) -> EventFact:
    """What a form of the phone tells."""
    at: dict[str, Any] = {"round": number(form, "r"), "table": role.number, "side": role.whose}
    why = " ".join(form.get("why", "").split())[:_LONGEST]
    match form.get("do", "tap"):
        case "tap" if tapped := form.get("tap", "")[:10]:
            return HandTold(hand=spelling.hand(tapped), **at)
        case "incident":
            return HandTold(hand=Incident.from_json(incident_of(form)), **at)
        case "back":
            return TakenBack(**at)
        case "keep":
            return KeeperChanged(**at)
        case "tell":
            return ScoreProposed(score=_tallied(event, at, form), **at)
        case "total":
            return ScoreProposed(score=totals(event, at["round"], role.number, form), **at)
        case "confirm":
            return ScoreConfirmed(**at)
        case "dispute":
            return ScoreDisputed(why=why, **at)
        case "call":
            return DirectorCalled(why=why, **at)
    raise BadRequest("this cannot be asked", place="do")


def _tallied(event: Event, at: dict[str, Any], form: dict[str, str]) -> Played:
    """The score as it was told hand by hand."""
    kept = event.hall.tallies.get((at["round"], at["table"]))
    if kept is None or not kept.games:
        raise BadScore("no hand is told yet")
    return Played(games=kept.games, stopped=form.get("stopped") == "yes")


def totals(event: Event, round: int, table: int, form: dict[str, str]) -> Played:
    """A score of which only the games are told, each side with a field of its own."""
    seating = event.seating(round, table)
    games = []
    for game in range(1, event.match_of(round, seating) + 1):
        told = [form.get(f"g{game}s{side}", "").strip() for side in range(len(seating.sides))]
        if any(told):
            if not all(one.isdecimal() and len(one) < 4 for one in told):
                raise BadScore("a game has a number for each side", place=f"game {game}")
            games.append(Totals(points=tuple(map(int, told))))
    if not games:
        raise BadScore("write down what each side has")
    return Played(games=tuple(games), stopped=form.get("stopped") == "yes")


def there(event: Event, round: int, table: int) -> dict[str, object]:
    """What is known of a table now, for whoever wrote on an old page."""
    seating = event.seating(round, table)
    line = table_line(event, event.round(round), seating)
    return {"round": round, "table": table, "state": line.state, "score": line.score, "version": line.moved}


def _mark(event: Event, role: Role) -> int:
    """A phone shows its own table, and what the desk changes for all."""
    here = (moved for (_, table), moved in event.hall.moved.items() if table == role.number)
    return max(event.moved(), *here, 0)


def _given(desk: Desk, name: str, event: Event, role: Role) -> dict[str, Any]:
    return {
        "event": event,
        "event_name": name,
        "role": role,
        "p": phone(event, role),
        "clock": clock_of(event, desk.events.clock()),
    }


async def _page(
    request: Request, desk: Desk, name: str, role: Role, *, notice: str = "", status: int = 200
) -> Response:
    event = await desk.events.event(name)
    title = f"Table {role.number}, {role.whose}"
    given = {**_given(desk, name, event, role), "title": title, "kind": "phone", "notice": notice}
    return live_page(request, _INNER, f"/e/{name}/table/events", given, status=status)
