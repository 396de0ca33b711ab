"""Routes of a player's page: the current table, past matches, and joining the online table."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from fastapi import Depends
from fastapi.responses import RedirectResponse, Response

from leftbower.errors import LinkInUse, UnknownTable
from leftbower.i18n import gettext as _, ngettext
from leftbower.server.auth import set_cookie
from leftbower.server.http.errors import status_of
from leftbower.server.http.form_data import wants_json
from leftbower.server.http.middleware import check_feed_origin
from leftbower.server.http.sse import EventStream
from leftbower.server.live.online_match import OnlineMatch, is_free
from leftbower.server.people.sanitize import MAX_NAME_LENGTH
from leftbower.table.state import SeatedBot
from leftbower.tournament.hall.facts import PlayerJoined
from leftbower.tournament.model.facts import EventFact
from leftbower.tournament.model.roles import Role
from leftbower.tournament.model.seating import Round, Seating
from leftbower.tournament.model.state import Event
from leftbower.tournament.scoring.scores import NoShow, Score, game_scores
from leftbower.tournament.text.display import seat_names
from leftbower.web.event.links import EventPage, RolePage, role_limit_key
from leftbower.web.event.live import render_live_page, stream_template
from leftbower.web.event.stages import bracket_view_model
from leftbower.web.event.view_models import is_stage_over, rejoin_notices, standings_view_model
from leftbower.web.responses import message_for, page_router

router = page_router("/e/{event}/me")
_FEED_INTERVAL_SECONDS = 1.0
"""Minimum time between two feed messages, so that spectators do not slow down play."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerRoundRow:
    round: int
    table: int
    """0 for a round in which the player sits out."""
    seat: str = ""
    partner: str = ""
    opponents: str = ""
    score: str = ""
    """The player's side first; empty until the match has a score."""


class Device(StrEnum):
    """How the caller's browser is bound to a player's link."""

    FREE = "free"
    """No device has joined yet, or the desk lets another device join."""
    OWN = "own"
    """This device has joined and may play."""
    LATER = "later"
    """This device has joined, but another one has the seat until the match is over."""
    REPLACED = "replaced"
    """This device has the seat until the match is over; then another one takes it."""
    OTHER = "other"
    """Another device has joined."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerViewModel:
    name: str
    team: str
    """Empty in singles and for a team named after its players."""
    current: PlayerRoundRow | None
    """The match to play now, or the bye; None before a draw and after the last score."""
    has_online_table: bool
    rounds: tuple[PlayerRoundRow, ...]
    """Latest first."""


@router.get("")
async def get_player_page(page: RolePage) -> Response:
    return await _render_player_page(page)


@router.get("/feed", dependencies=[Depends(check_feed_origin)])
async def stream_player_page(page: RolePage, version: str = "") -> EventStream:
    person = await page.context.auth.account_of_browser(page.request)

    async def build_context(event: Event) -> dict[str, Any]:
        return await _player_context(page, event, person)

    return await stream_template(
        page.context,
        page.request,
        page.name,
        "event/player.html",
        build_context,
        version_of=lambda event: event.hall.public_version,
        version=version,
        min_interval=_FEED_INTERVAL_SECONDS,
    )


@router.post("/table")
async def join_table(page: RolePage) -> Response:
    """Join as the player, with the browser's account or as a new guest, and redirect to the online table."""
    online, tables, subject = page.context.online, page.context.tables, page.role.subject
    player_page = RedirectResponse(f"/e/{page.name}/me", 303)
    if await online.seat(page.name, subject) is None:
        return player_page
    person, token = await page.context.auth.account_of_browser(page.request), ""
    device = await device_of(page, await page.event(), person)
    try:
        if device is Device.OTHER:
            raise LinkInUse("this link is already used on another device; ask the desk to move it")
        if device is Device.FREE:
            person, token = await _join(page, person)
    except LinkInUse as error:
        if wants_json(page.request):
            raise
        return await _render_player_page(page, notice=message_for(error), status=status_of(error))
    table = await online.seat(page.name, subject)
    seated = table is not None and (await tables.get(table)).seat_of(person) is not None
    response = RedirectResponse(f"/t/{table}", 303) if seated else player_page
    if token:
        set_cookie(page.request, response, token)
    return response


async def _join(page: EventPage, person: str) -> tuple[str, str]:
    """Bind the player's link to the browser's person or a new guest; returns the person and a new guest's token."""
    role, token = page.role, ""
    if not person:
        player_name = _player_name(await page.event(), role)[:MAX_NAME_LENGTH]
        limit_key = role_limit_key(page.name, role)
        guest = await page.context.auth.create_guest(page.request, player_name, limit_key=limit_key)
        person, token = guest.person, guest.token
    joined = PlayerJoined(entrant=role.subject, chair=role.number, person=person)

    def build_facts(event: Event) -> list[EventFact]:
        return [] if event.hall.people.get((role.subject, role.number)) == person else [joined]

    await page.context.events.execute(page.name, role, build_facts)
    return person, token


async def device_of(page: EventPage, event: Event, person: str) -> Device:
    """How a person's browser is bound to a player's link."""
    chair = page.role.subject, page.role.number
    bound = event.hall.people.get(chair, "")
    seated, free = await _seat_status(page, event, person)
    if person and person == bound:
        return Device.OWN if seated or free else Device.LATER
    if seated:
        return Device.REPLACED
    return Device.OTHER if bound and not event.hall.may_rejoin(chair) else Device.FREE


async def _bots_for(page: EventPage, event: Event) -> list[str]:
    """Players of the current match for whom a bot plays."""
    seating = event.round(event.current_round).seating_of(page.role.subject) if event.rounds else None
    if seating is None or not event.plan.online:
        return []
    match = OnlineMatch(name=page.name, event=event, round=event.current_round, seating=seating)
    try:
        table = await page.context.tables.get(match.log)
    except UnknownTable:  # not opened yet
        return []
    names = seat_names(event, event.current_round, seating)
    return [
        names[str(seat)]
        for seat, occupant in table.seats.items()
        if isinstance(occupant, SeatedBot) and not match.chair(seat)[0].house_player
    ]


async def _seat_status(page: EventPage, event: Event, person: str) -> tuple[bool, bool]:
    """Does the person have the player's seat in this round, and can they take it during the match?"""
    role = page.role
    seating = event.round(event.current_round).seating_of(role.subject) if event.rounds else None
    if not person or seating is None:
        return False, True
    match_ = OnlineMatch(name=page.name, event=event, round=event.current_round, seating=seating)
    try:
        table = await page.context.tables.get(match_.log)
    except UnknownTable:  # not opened yet
        return False, True
    seat = match_.seat_of(role.subject, role.number)
    return seat is not None and table.seat_of(person) is seat, seat is None or is_free(table, seat, person)


async def _render_player_page(page: EventPage, *, notice: str = "", status: int = 200) -> Response:
    event = await page.event()
    person = await page.context.auth.account_of_browser(page.request)
    template_context = await _player_context(page, event, person)
    template_context |= {"title": event.plan.title, "kind": "me", "notice": notice}
    feed_url = f"/e/{page.name}/me/feed"
    return render_live_page(page.request, "event/player.html", feed_url, template_context, status=status)


async def _player_context(page: EventPage, event: Event, person: str) -> dict[str, Any]:
    role = page.role
    device = await device_of(page, event, person) if event.plan.online else Device.FREE
    player = player_view_model(event, role)
    account_name = await page.context.people.name(person) if person and device is Device.FREE else ""
    return {
        "event": event,
        "event_name": page.name,
        "player": player,
        "device": device,
        "account_name": account_name if account_name != player.name else "",
        "may_rejoin": event.hall.may_rejoin((role.subject, role.number)),
        "no_show": ngettext(
            "If no one from your side comes within %(num)d minute, you lose the match.",
            "If no one from your side comes within %(num)d minutes, you lose the match.",
            event.plan.no_show_minutes,
        ),
        "rejoins": rejoin_notices(event),
        "bots": await _bots_for(page, event),
        "standings": standings_view_model(event) if event.hall.show_standings and event.score_states else None,
        "is_over": is_stage_over(event),
        "bracket": bracket_view_model(event, role.subject) if event.rounds else None,
    }


def player_view_model(event: Event, role: Role) -> PlayerViewModel:
    name, entrant = _player_name(event, role), event.entrant(role.subject)
    drawn = [round_ for round_ in event.rounds if round_.number <= event.current_round]
    rows = [
        _round_row(event, round_, role)
        for round_ in drawn
        if role.subject in round_.byes or round_.seating_of(role.subject) is not None
    ]
    current = rows[-1] if rows and rows[-1].round == event.current_round and event.open_tables() else None
    playing = current is not None and current.table > 0 and not current.score
    return PlayerViewModel(
        name=name,
        team="" if entrant.name == name else entrant.name,
        current=None if current is not None and current.score else current,
        has_online_table=playing and event.plan.online and not event.paused and not event.closed,
        rounds=tuple(reversed([round_ for round_ in rows if round_.score or not round_.table])),
    )


def _player_name(event: Event, role: Role) -> str:
    event.entrant(role.subject)
    return event.player_name(max(event.current_round, 1), role.subject, second=bool(role.number))


def _round_row(event: Event, round_: Round, role: Role) -> PlayerRoundRow:
    seating = round_.seating_of(role.subject)
    if seating is None:
        return PlayerRoundRow(round=round_.number, table=0)
    own_seats = [seat for seat, entrant in seating.seats.items() if entrant == role.subject]
    seat = own_seats[role.number if role.number < len(own_seats) else 0]
    side = next(index for index, seats in enumerate(seating.sides) if seat in seats)
    names = seat_names(event, round_.number, seating)
    score = event.settled_score(round_.number, seating.table)
    return PlayerRoundRow(
        round=round_.number,
        table=seating.table,
        seat=seat.full_name,
        partner=" & ".join(names[str(other)] for other in seating.sides[side] if other is not seat),
        opponents=" & ".join(
            dict.fromkeys(names[str(other)] for other in seating.seats if other not in seating.sides[side])
        ),
        score="" if score is None else _score_text(event, seating, score, side),
    )


def _score_text(event: Event, seating: Seating, score: Score, side: int) -> str:
    if isinstance(score, NoShow):
        return _("you didn't show up") if seating.labels[side] in score.absent else _("you won: they didn't show up")
    rules = event.rules_of(seating)
    games = game_scores(rules, score.games)
    return ", ".join("-".join(map(str, (game[side], *game[:side], *game[side + 1 :]))) for game in games)
