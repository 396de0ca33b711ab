"""The pages of a table. Every act is a form that works without script; with it, `table.mjs` sends the same forms."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Annotated, Final

from fastapi import APIRouter, Depends, Header, Query, Request
from fastapi.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from pydantic import TypeAdapter, ValidationError

from leftbower.dealing import canonical
from leftbower.errors import BadRequest, LeftbowerError, NotSignedIn, Stale
from leftbower.rules.card import rule_card
from leftbower.server.addresses import base_for_others
from leftbower.server.answers import refusal, status_of
from leftbower.server.auth import Caller, SignedIn, Viewer, set_cookie
from leftbower.server.bodies import Ask
from leftbower.server.desk import AtDesk, Desk
from leftbower.server.doors import check_feed
from leftbower.server.past_matches import read_match
from leftbower.server.streaming import EventStream
from leftbower.table import Acted, Clock, Table, Tempo, act_key, opened_to, opening, place_of, seen_by
from leftbower.web.answering import PageRoute, form_of, page, says, wants_json
from leftbower.web.controls import act_of
from leftbower.web.drawing import fragment, table_given
from leftbower.web.finished import finished
from leftbower.web.hinting import hint
from leftbower.web.lobby import lobby
from leftbower.web.match_results import match_results
from leftbower.web.naming import Called, places_round
from leftbower.web.qr import qr_svg
from leftbower.web.tricks import reenactment

router = APIRouter(
    prefix="/t/{table}", include_in_schema=False, default_response_class=HTMLResponse, route_class=PageRoute
)
_ASK: Final[TypeAdapter[Ask]] = TypeAdapter(Ask)
_NUMBERS: Final = frozenset({"number", "version"})
_YES_OR_NO: Final = {"true": True, "false": False}
_LOOKED_AT: Final = 1.3
"""A whole trick lies there for so many times as long as a bot's act takes, unless the viewer goes on."""
Done = Callable[[str], Awaitable[None]]


@router.get("")
async def see(table: str, request: Request, caller: Viewer, desk: AtDesk) -> Response:
    """The table as the viewer may see it."""
    return await _page(request, desk, table, caller.person)


@router.get("/events", dependencies=[Depends(check_feed)])
async def follow(
    table: str,
    request: Request,
    caller: Viewer,
    desk: AtDesk,
    seen: Annotated[str, Query()] = "",
    last_event_id: Annotated[str | None, Header()] = None,
) -> EventStream:
    """Every new version as a line of HTML."""
    known = last_event_id or seen
    version = int(known) if known.isdecimal() and len(known) < 10 else None
    here = await desk.house.table(table, seen=version or 0)
    address = _address(request, table)

    async def drawn(now: Table, person: str | None) -> str:
        names, left = await desk.names(now), _left(desk, table, now)
        trick_left = desk.house.trick_left(table, now)
        return fragment(table, now, person, names, address=address, left=left, trick_left=trick_left)

    return EventStream(desk.follow(table, here, caller, version, drawn))


@router.post("/act")
async def act(table: str, request: Request, caller: Viewer, desk: AtDesk) -> Response:
    """One of the acts that the page offers, by its word, or by the cards that are laid away."""
    form = await form_of(request)

    async def done(person: str) -> None:
        here = await desk.house.table(table)
        version, said, cards = _version(form), form.get("a", "")[:40], form.get("c", "")[:40].split()
        alone = form.get("alone") == "yes"
        act = f"page-{version}-{said or '.'.join(sorted(cards))}{'-alone' * alone}"
        if act_key(person, act) in here.acts:
            return  # a double click
        seen = seen_by(here, person)
        asked = act_of(seen, said, cards, alone=alone) if seen else None
        if asked is None:
            raise Stale("the table has moved on", current=here.version)
        await desk.house.ask(table, person, Acted(action=asked, act=act), version=version)

    return await _answered(request, desk, table, caller.person, done)


@router.post("/ask")
async def ask(table: str, request: Request, caller: Viewer, desk: AtDesk) -> Response:
    """Sit, leave, seat bots, agree, cut, talk, play again."""
    form = await form_of(request)
    signed, token = await signed_in_or_guest(request, desk, caller, form.pop("name", "") or "Guest")

    async def done(person: str) -> None:
        body = ask_of(form)
        await desk.house.ask(table, person, await desk.fact_of(body, await desk.house.table(table), signed))

    answer = await _answered(request, desk, table, signed.person, done, new=bool(token))
    if token:
        set_cookie(request, answer, token)
    return answer


@router.get("/about")
async def about(table: str, request: Request, caller: Viewer, desk: AtDesk) -> Response:
    """Who sits here, by which rules, how to invite somebody, and what the host can change."""
    here = await desk.house.table(table)
    shown = lobby(here, caller.person, await desk.names(here), _address(request, table))
    return page(
        request,
        "about.html",
        title="This table",
        table=table,
        l=shown,
        card=rule_card(here.rules),
        tempo=here.tempo,
        tempi=tuple(Tempo),
        hints=here.hints,
        gathering=here.gathering,
    )


@router.get("/deal")
async def deal(table: str, request: Request, caller: Viewer, desk: AtDesk) -> Response:
    """Why a deal can be trusted: what was sealed, and every envelope that the viewer may open."""
    here = await desk.house.table(table)
    opened = [opening(here, place) for place in opened_to(here, caller.person)]
    return page(
        request,
        "deal.html",
        title="Why you can trust this deal",
        table=table,
        sealed=here.sealed,
        opened=opened,
        match=here.opening,
        bound=canonical(here.opening.plain) if here.opening else "",
        number=here.match_number,
        final_root=here.final_root,
        what="hand" if here.shuffler is None else "draw",
    )


@router.get("/hint")
async def advice(table: str, request: Request, caller: Viewer, desk: AtDesk) -> Response:
    """What the coach would do, and why."""
    if caller.person is None:
        raise NotSignedIn("take a seat first")
    here = await desk.house.table(table)
    said = hint(await desk.house.advise(table, caller.person), here, caller.person, await desk.names(here))
    return page(request, "hint.html", title="Hint", table=table, hint=said)


@router.get("/tricks")
async def tricks(
    table: str, request: Request, caller: Viewer, desk: AtDesk, trick: Annotated[str, Query()] = ""
) -> Response:
    """One trick of a hand in dispute, with links to the one before and the one after."""
    here = await desk.house.table(table)
    seen, seat = seen_by(here, caller.person), place_of(here, caller.person)
    places = places_round(seen.rules if seen else here.rules, seat)  # the next match may have other rules
    seats = here.sat if here.hand is None else here.seats
    number = int(trick) if trick.isdecimal() and len(trick) < 3 else 1
    shown = reenactment(seen, number, places, Called(seats, await desk.names(here), seat, places))
    return page(request, "tricks.html", title="Go back through the tricks", table=table, shown=shown)


@router.get("/hands")
async def hands(table: str, request: Request, caller: Viewer, desk: AtDesk) -> Response:
    """Every hand of the games that are over, all cards shown."""
    here = await desk.house.table(table)
    await desk.online.check_opened(here)
    names = await desk.names(here)
    past = await desk.people.names(here.past_players)
    return page(
        request,
        "hands.html",
        title="All hands",
        table=table,
        hands=finished(here, caller.person, names),
        record=f"/api/tables/{table}/record",
        file=f"{table}.jsonl",
        final_root=here.final_root,
        earlier=match_results(here, caller.person, past, without=here.match_number),
    )


@router.get("/matches/{number}")
async def hands_of_match(table: str, number: int, request: Request, caller: Viewer, desk: AtDesk) -> Response:
    """Every hand of one match, all cards shown, for those who played it."""
    person = caller.person
    shown = await read_match(desk, table, number, person, lambda past, names: finished(past, person, names))
    here = await desk.house.table(table)
    past = await desk.people.names(here.past_players)
    return page(
        request,
        "hands.html",
        title=f"All hands of match {number}",
        table=table,
        hands=shown,
        record=f"/api/tables/{table}/matches/{number}/record",
        file=f"{table}-{number}.jsonl",
        final_root=next((match.final_root for match in here.matches.finished if match.number == number), ""),
        earlier=match_results(here, person, past, without=number),
    )


@router.get("/qr.svg")
async def qr(table: str, request: Request, desk: AtDesk) -> Response:
    """The address of the table, to point a phone at."""
    await desk.house.table(table)
    return Response(qr_svg(_address(request, table)), media_type="image/svg+xml")


def ask_of(form: Mapping[str, str]) -> Ask:
    """The body that a form stands for, or BadRequest."""
    try:
        return _ASK.validate_python({name: _read(name, value) for name, value in form.items()})
    except ValidationError:
        raise BadRequest("this cannot be asked") from None


async def signed_in_or_guest(request: Request, desk: Desk, caller: Caller, name: str) -> tuple[SignedIn, str]:
    """The caller; an anonymous one becomes a guest under this name, with a token for the cookie."""
    if caller.person is not None:
        return caller.signed_in(), ""
    guest = SignedIn.new_guest(*await desk.new_guest(request, name))
    return guest, guest.token


async def _answered(
    request: Request, desk: Desk, table: str, person: str | None, done: Done, *, new: bool = False
) -> Response:
    """Do it; scripts are answered in JSON, and forms by the table as it stands then, with what went wrong.

    A script is told when whoever asks is somebody `new`: its feed is still nobody's.
    """
    try:
        if person is None:
            raise NotSignedIn("take a seat first")
        await done(person)
    except LeftbowerError as error:
        if wants_json(request):
            error.message = says(error)
            return refusal(error, version=desk.house.known(table))
        return await _page(request, desk, table, person, notice=says(error), status=status_of(error))
    return JSONResponse({"new": new}) if wants_json(request) else RedirectResponse(f"/t/{table}", 303)


async def _page(
    request: Request, desk: Desk, name: str, person: str | None, *, notice: str = "", status: int = 200
) -> Response:
    if person is not None:
        await desk.house.hear(name, person)
    table = await desk.house.latest(name)
    address, left, trick_left = _address(request, name), _left(desk, name, table), desk.house.trick_left(name, table)
    inner, given = table_given(
        name, table, person, await desk.names(table), address=address, left=left, trick_left=trick_left
    )
    title, hold = table.title or "Euchre", round(1000 * _LOOKED_AT * desk.house.pace * table.tempo.times)
    return page(request, "table_page.html", status=status, title=title, notice=notice, inner=inner, hold=hold, **given)


def _left(desk: Desk, name: str, table: Table) -> float | None:
    return None if table.clock is Clock.OFF else desk.house.left(name, table)


def _address(request: Request, name: str) -> str:
    return f"{base_for_others(request)}/t/{name}"


def _read(name: str, value: str) -> str | int | bool | list[str | int]:
    """Forms send words only; bundles are a list of numbers."""
    if name == "packets":
        return [int(one) if one.isdecimal() and len(one) < 10 else one for one in value.split()]
    if value in _YES_OR_NO:
        return _YES_OR_NO[value]
    return int(value) if name in _NUMBERS and value.isdecimal() and len(value) < 10 else value


def _version(form: dict[str, str]) -> int:
    version = form.get("v", "")
    if not version.isdecimal() or len(version) > 9:
        raise BadRequest("a form says for which version it is meant", place="v")
    return int(version)
