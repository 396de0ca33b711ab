"""The page of one player of an event: where to sit next, the own matches so far, and a way to the table online."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from leftbower.errors import LinkInUse, UnknownTable
from leftbower.server.answers import status_of
from leftbower.server.auth import set_cookie
from leftbower.server.desk import AtDesk, Desk
from leftbower.server.doors import check_feed
from leftbower.server.names import LONGEST_NAME
from leftbower.server.online_match import OnlineMatch, is_free
from leftbower.server.streaming import EventStream
from leftbower.tournament import Event, EventFact, Joined, NoShow, Role, Round, Score, Seating, game_scores, seats
from leftbower.web.answering import PageRoute, says, wants_json
from leftbower.web.evening import over, ranked, rejoin_lines
from leftbower.web.event_links import RoleHere, link_key
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


class Device(StrEnum):
    """What the browser that asks is to a player's link."""

    FREE = "free"
    """Nobody has joined by it yet, or the desk lets another device join."""
    OWN = "own"
    """It has joined, by its person, and plays."""
    LATER = "later"
    """It has joined, and another device has the seat until the match is over."""
    REPLACED = "replaced"
    """It has the seat until the match is over, and another device after it."""
    OTHER = "other"
    """Another device has joined."""


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
    return await _page(request, desk, event, role)


@router.get("/events", dependencies=[Depends(check_feed)])
async def follow_page(
    event: str, request: Request, role: RoleHere, desk: AtDesk, seen: Annotated[str, Query()] = ""
) -> EventStream:
    """Its changes."""
    person = await _person(request, desk)

    async def given(now: Event) -> dict[str, Any]:
        return await _given(desk, event, now, role, person)

    return await follow(
        desk, request, event, "event_me.html", given, mark=lambda now: now.hall.shown, seen=seen, rest=_REST
    )


@router.post("/table")
async def to_my_table(event: str, request: Request, role: RoleHere, desk: AtDesk) -> Response:
    """Join as the player, and come to the table that is played at now: as an account, or else as a guest."""
    page = RedirectResponse(f"/e/{event}/me", 303)
    if await desk.online.seat(event, role.whose) is None:
        return page
    person, token = await _person(request, desk), ""
    device = await device_of(desk, event, await desk.events.event(event), role, person)
    try:
        if device is Device.OTHER:
            raise LinkInUse("this link is already used on another device; ask at the desk to move it")
        if device is Device.FREE:
            person, token = await _join(request, desk, event, role, person)
    except LinkInUse as error:
        if wants_json(request):
            raise
        return await _page(request, desk, event, role, notice=says(error), status=status_of(error))
    log = await desk.online.seat(event, role.whose)
    seated = log is not None and (await desk.house.table(log)).seat_of(person) is not None
    answer = RedirectResponse(f"/t/{log}", 303) if seated else page
    if token:
        set_cookie(request, answer, token)
    return answer


async def _join(request: Request, desk: Desk, name: str, role: Role, person: str) -> tuple[str, str]:
    """Bind the player's link to the person of this browser, or to a new guest, with a token for the cookie."""
    token = ""
    if not person:
        player_name = _name(await desk.events.event(name), role)[:LONGEST_NAME]
        person, token = await desk.new_guest(request, player_name, limit=link_key(name, role))
    joined = Joined(entrant=role.whose, chair=role.number, person=person)

    def news(event: Event) -> list[EventFact]:
        return [] if event.hall.people.get((role.whose, role.number)) == person else [joined]

    await desk.events.tell(name, role, news)
    return person, token


async def _person(request: Request, desk: Desk) -> str:
    """The person whose account token is in the browser's cookie; empty without one."""
    return await desk.auth.person_of_browser(request) or ""


async def device_of(desk: Desk, name: str, event: Event, role: Role, person: str) -> Device:
    """What a person's browser is to a player's link."""
    chair = role.whose, role.number
    bound = event.hall.people.get(chair, "")
    seated, free = await _seat(desk, name, event, role, person)
    if person and person == bound:
        return Device.OWN if seated or free else Device.LATER
    if seated:
        return Device.REPLACED
    return Device.OTHER if bound and not event.hall.may_rejoin(chair) else Device.FREE


async def _seat(desk: Desk, name: str, event: Event, role: Role, person: str) -> tuple[bool, bool]:
    """Has a person the player's seat at the table of this round? Can they have it before the match is over?"""
    seating = event.round(event.now).table_of(role.whose) if event.rounds else None
    if not person or seating is None:
        return False, True
    match = OnlineMatch(name=name, event=event, round=event.now, seating=seating)
    try:
        table = await desk.house.table(match.log)
    except UnknownTable:  # it is opened in a moment
        return False, True
    seat = match.seat_of(role.whose, role.number)
    return seat is not None and table.seat_of(person) is seat, seat is None or is_free(table, seat, person)


async def _page(
    request: Request, desk: Desk, name: str, role: Role, *, notice: str = "", status: int = 200
) -> Response:
    event = await desk.events.event(name)
    given = await _given(desk, name, event, role, await _person(request, desk))
    given |= {"title": event.plan.title, "kind": "me", "notice": notice}
    return live_page(request, "event_me.html", f"/e/{name}/me/events", given, status=status)


async def _given(desk: Desk, name: str, event: Event, role: Role, person: str) -> dict[str, Any]:
    device = await device_of(desk, name, event, role, person) if event.plan.online else Device.FREE
    me = player(event, role)
    known = await desk.people.name(person) if person and device is Device.FREE else ""
    return {
        "event": event,
        "event_name": name,
        "me": me,
        "device": device,
        "known": known if known != me.name else "",
        "moving": event.hall.may_rejoin((role.whose, role.number)),
        "rejoins": rejoin_lines(event),
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
