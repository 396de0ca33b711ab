"""The page of one player of an event: where to sit next, the own matches so far, and a way to the table online."""

from contextlib import suppress
from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from leftbower.errors import NotSignedIn
from leftbower.server.desk import AtDesk, Desk, set_cookie
from leftbower.server.doors import check_feed, cookie_name
from leftbower.server.names import LONGEST_NAME
from leftbower.server.streaming import EventStream
from leftbower.store import hash_token
from leftbower.tournament import Event, EventFact, Joined, NoShow, Role, Round, Score, Seating, game_scores, seats
from leftbower.web.answering import PageRoute
from leftbower.web.evening import over, ranked
from leftbower.web.event_links import RoleHere, code_of
from leftbower.web.event_live import follow, live_page

router = APIRouter(
    prefix="/e/{event}/me", include_in_schema=False, default_response_class=HTMLResponse, route_class=PageRoute
)
_REST = 1.0
"""Seconds between two versions: nobody's next table is more urgent than play."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One round of a player."""

    round: int
    table: int
    """0 for a round in which the player sits out."""
    seat: str = ""
    partner: str = ""
    others: str = ""
    score: str = ""
    """The own side's points first; empty while the match is played, or to come."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Player:
    """What the page of a player shows."""

    name: str
    team: str
    """Empty for single players, and for a team that is called as its players are."""
    here: Line | None
    """The match to be played now, or the round that is sat out; None before a draw and after the last score."""
    to_table: bool
    """Is there a table online to go to?"""
    lines: tuple[Line, ...]
    """The rounds so far, the latest first."""


@router.get("")
async def see(event: str, request: Request, role: RoleHere, desk: AtDesk) -> Response:
    """Who you are, where you sit, and how it went."""
    now = await desk.events.event(event)
    given = {**_given(event, now, role), "title": now.plan.title, "kind": "me", "notice": ""}
    return live_page(request, "event_me.html", f"/e/{event}/me/events", given)


@router.get("/events", dependencies=[Depends(check_feed)])
async def follow_page(
    event: str, request: Request, role: RoleHere, desk: AtDesk, seen: Annotated[str, Query()] = ""
) -> EventStream:
    """Its changes."""

    async def given(now: Event) -> dict[str, Any]:
        return _given(event, now, role)

    return await follow(
        desk, request, event, "event_me.html", given, mark=lambda now: now.hall.shown, seen=seen, rest=_REST
    )


@router.post("/table")
async def to_my_table(event: str, request: Request, role: RoleHere, desk: AtDesk) -> Response:
    """Come to the table that is played at now, as a guest under the player's name."""
    if await desk.online.seat(event, role.whose) is None:
        return RedirectResponse(f"/e/{event}/me", 303)
    now = await desk.events.event(event)
    person, token = await _somebody(request, desk, now, role)
    joined = Joined(entrant=role.whose, chair=role.number, person=person)

    def news(event: Event) -> list[EventFact]:
        return [] if event.hall.people.get((role.whose, role.number)) == person else [joined]

    await desk.events.tell(event, role, news)
    log = await desk.online.seat(event, role.whose)
    answer = RedirectResponse(f"/t/{log}" if log else f"/e/{event}/me", 303)
    if token:
        set_cookie(request, answer, token)
    return answer


async def _somebody(request: Request, desk: Desk, event: Event, role: Role) -> tuple[str, str]:
    """Whoever sits in this chair already, if it is this browser; else a new guest, with a token for the cookie."""
    known = event.hall.people.get((role.whose, role.number))
    with suppress(NotSignedIn):
        session = await desk.people.session(request.cookies.get(cookie_name(request), ""))
        if session.person == known and session.log is None:
            return session.person, ""
    limit = f"player {hash_token(code_of(request))}"
    return await desk.new_guest(request, _name(event, role)[:LONGEST_NAME], limit=limit)


def _given(name: str, event: Event, role: Role) -> dict[str, Any]:
    return {
        "event": event,
        "event_name": name,
        "me": player(event, role),
        "entrant": role.whose,
        "r": ranked(event) if event.hall.standings and event.sheets else None,
        "over": over(event),
    }


def player(event: Event, role: Role) -> Player:
    """The page of a player."""
    name, entrant = _name(event, role), event.entrant(role.whose)
    shown = [one for one in event.rounds if one.number <= event.now]
    lines = [_line(event, one, role) for one in shown if _drawn(one, role)]
    here = lines[-1] if lines and lines[-1].round == event.now and event.open_tables() else None
    playing = here is not None and here.table > 0 and not here.score
    return Player(
        name=name,
        team="" if entrant.name == name else entrant.name,
        here=None if here is not None and here.score else here,
        to_table=playing and event.plan.online and not event.paused and not event.closed,
        lines=tuple(reversed([one for one in lines if one.score or not one.table])),
    )


def _name(event: Event, role: Role) -> str:
    event.entrant(role.whose)
    return event.sitter(max(event.now, 1), role.whose, second=bool(role.number))


def _drawn(one: Round, role: Role) -> bool:
    return role.whose in one.byes or one.table_of(role.whose) is not None


def _line(event: Event, one: Round, role: Role) -> Line:
    seating = one.table_of(role.whose)
    if seating is None:
        return Line(round=one.number, table=0)
    mine = [seat for seat, entrant in seating.seats.items() if entrant == role.whose]
    seat = mine[role.number if role.number < len(mine) else 0]
    side = next(at for at, both in enumerate(seating.sides) if seat in both)
    sitting = seats(event, one.number, seating)
    score = event.settled(one.number, seating.table)
    return Line(
        round=one.number,
        table=seating.table,
        seat=seat.full_name,
        partner=" & ".join(sitting[str(other)] for other in seating.sides[side] if other is not seat),
        others=" & ".join(
            dict.fromkeys(sitting[str(other)] for other in seating.seats if other not in seating.sides[side])
        ),
        score="" if score is None else _score(event, seating, score, side),
    )


def _score(event: Event, seating: Seating, score: Score, side: int) -> str:
    if isinstance(score, NoShow):
        return "your side did not come" if seating.labels[side] in score.absent else "the others did not come"
    rules = event.rules_of(seating)
    games = game_scores(rules, score.games)
    return ", ".join("-".join(map(str, (game[side], *game[:side], *game[side + 1 :]))) for game in games)
