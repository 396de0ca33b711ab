"""Routes of a table's pages. Every action is a form that works without script; `feed.mjs` sends the same forms."""

from collections.abc import Mapping
from typing import Annotated, Final

from fastapi import Depends, Header, Request
from fastapi.responses import JSONResponse, RedirectResponse, Response
from pydantic import TypeAdapter, ValidationError

from leftbower.dealing import canonical
from leftbower.errors import BadRequest, LeftbowerError, NotSignedIn, Stale
from leftbower.i18n import gettext, gettext_noop, ngettext
from leftbower.rules.card import rule_card
from leftbower.server.api.commands import fact_for
from leftbower.server.api.names import signed_in_as
from leftbower.server.api.requests import TableCommand
from leftbower.server.auth import Viewer, set_cookie
from leftbower.server.context import AppContext, Context
from leftbower.server.feeds.table_feed import follow_table
from leftbower.server.http.errors import error_response, report_store_error, status_of
from leftbower.server.http.form_data import parse_urlencoded, wants_json
from leftbower.server.http.lan import public_base_url
from leftbower.server.http.middleware import check_feed_origin
from leftbower.server.http.sse import EventStream
from leftbower.server.live.past_matches import read_match
from leftbower.server.live.tables import listed_people
from leftbower.server.people.sanitize import placeholder_name
from leftbower.table import (
    Acted,
    Table,
    Tempo,
    hand_view_for,
    idempotency_key,
    open_positions_for,
    opened_card_to_json,
    viewing_seat,
)
from leftbower.web.qr import qr_svg
from leftbower.web.render import render_table, table_context
from leftbower.web.responses import message_for, page_router, render_page
from leftbower.web.table.controls import find_action
from leftbower.web.table.hints import hint_view_model
from leftbower.web.table.history import finished_hands
from leftbower.web.table.lobby import BOT_LEVELS, CLOCKS, TEMPERS, lobby_view_model, table_options
from leftbower.web.table.match_results import MatchResult, match_results
from leftbower.web.table.seat_names import SeatNames, seat_positions
from leftbower.web.table.spoken import ASKING_KEYS
from leftbower.web.table.text import PHRASES
from leftbower.web.table.tricks import disputed_trick

router = page_router("/t/{table}")
_COMMAND: Final[TypeAdapter[TableCommand]] = TypeAdapter(TableCommand)
_FILL_AND_AGREE: Final = "start"
"""The form's command to seat bots in the free seats and be ready."""
_NUMBER_FIELDS: Final = frozenset({"number", "version"})
_BOOLEANS: Final = {"true": True, "false": False}
_BOT_SPEEDS: Final = {
    Tempo.SLOW: gettext_noop("slow"),
    Tempo.STEADY: gettext_noop("normal"),
    Tempo.BRISK: gettext_noop("fast"),
}


@router.get("")
async def get_table(table: str, request: Request, caller: Viewer, context: Context) -> Response:
    return await _render_table_page(request, context, table, caller.person)


@router.get("/feed", dependencies=[Depends(check_feed_origin)])
async def stream_table(
    table: str,
    request: Request,
    caller: Viewer,
    context: Context,
    version: str = "",
    last_event_id: Annotated[str | None, Header()] = None,
) -> EventStream:
    """Stream every new version as one line of HTML."""
    address = _table_url(request, table)

    async def render(current: Table) -> bytes:
        text = render_table(
            table,
            current,
            caller.person,
            await _names(context, current, caller.person),
            address=address,
            seconds_left=context.tables.time_left(table, current),
            trick_seconds_left=context.tables.trick_time_left(table, current),
        )
        return text.encode()

    return EventStream(await follow_table(context, table, caller, last_event_id or version, render))


@router.post("/actions")
async def post_action(table: str, request: Request, caller: Viewer, context: Context) -> Response:
    """Perform an action, given by its token or by the cards of a `LayAway`."""
    form = parse_urlencoded(await request.body())
    try:
        person = caller.signed_in().person
        state = await context.tables.get(table)
        version = form.get("version", "")
        if not version.isdecimal() or len(version) > 9:
            raise BadRequest("the form has no version", path="version")
        token, cards = form.get("action", "")[:40], form.get("cards", "")[:40].split()
        alone = form.get("alone") == "yes"
        action_id = f"page-{int(version)}-{token or '.'.join(sorted(cards))}{'-alone' * alone}"
        if idempotency_key(person, action_id) not in state.idempotency_keys:  # otherwise a double click
            view = hand_view_for(state, person)
            action = find_action(view, token, cards, alone=alone) if view else None
            if action is None:
                raise Stale("the table has changed", current=state.version)
            await context.tables.execute(table, person, Acted(action=action, action_id=action_id), version=int(version))
    except LeftbowerError as error:
        return await _respond_with_error(request, context, table, caller.person, error)
    return JSONResponse({"new": False}) if wants_json(request) else RedirectResponse(f"/t/{table}", 303)


@router.post("/commands")
async def post_command(table: str, request: Request, caller: Viewer, context: Context) -> Response:
    """Execute a table command: sit, leave, seat bots, agree, cut, talk, rematch.

    `new` tells the script that the caller just became a guest, so that it reopens its anonymous feed.
    """
    form = parse_urlencoded(await request.body())
    name = form.pop("name", "")
    response: Response
    try:
        if form.get("command") == "sit" and (name or caller.person is None):
            signed = await signed_in_as(context, request, caller, name)
        else:
            signed = await context.auth.signed_in_or_guest(request, caller, name or placeholder_name())
    except LeftbowerError as error:
        return await _respond_with_error(request, context, table, caller.person, error)
    try:
        if form.get("command") == _FILL_AND_AGREE:
            await context.tables.fill_and_agree(table, signed.person)
        else:
            command = parse_command(form)
            fact = await fact_for(context, table, signed, command)
            await context.tables.execute(table, signed.person, fact, version=command.version)
    except LeftbowerError as error:
        response = await _respond_with_error(request, context, table, signed.person, error)
    else:
        response = JSONResponse({"new": signed.is_new}) if wants_json(request) else RedirectResponse(f"/t/{table}", 303)
    if signed.is_new:
        set_cookie(request, response, signed.token)
    return response


@router.get("/about")
async def get_about(table: str, request: Request, caller: Viewer, context: Context) -> Response:
    """Seats, rules, invitation and the host's settings."""
    state = await context.tables.get(table)
    names = await _names(context, state, caller.person)
    view_model = lobby_view_model(state, caller.person, names, _table_url(request, table))
    return render_page(
        request,
        "table/about.html",
        title=gettext("This table"),
        table_name=table,
        lobby=view_model,
        card=rule_card(state.rules),
        tempo=state.tempo,
        tempos=_BOT_SPEEDS,
        options=table_options(state, caller.person, names),
        levels=BOT_LEVELS,
        tempers=TEMPERS,
        clocks=CLOCKS,
        gathering=state.gathering,
    )


@router.get("/keys")
async def get_keys(table: str, request: Request, caller: Viewer, context: Context) -> Response:
    """The keys that play, and those that ask."""
    await context.tables.get(table)
    return render_page(request, "table/keys.html", title=gettext("Keys"), table_name=table, asking_keys=ASKING_KEYS)


@router.get("/leave")
async def get_leave(table: str, request: Request, caller: Viewer, context: Context) -> Response:
    """Asks before a player leaves."""
    state = await context.tables.get(table)
    return render_page(
        request,
        "table/leave.html",
        title=gettext("Leave the table?"),
        table_name=table,
        is_seated=viewing_seat(state, caller.person) is not None,
        is_event=bool(state.event),
        is_gathering=state.gathering,
    )


@router.get("/deal")
async def get_deal(table: str, request: Request, caller: Viewer, context: Context) -> Response:
    """The sealed deck and all openings that the viewer may see, to verify the deal."""
    state = await context.tables.get(table)
    opened = [opened_card_to_json(state, position) for position in open_positions_for(state, caller.person)]
    return render_page(
        request,
        "table/deal.html",
        title=gettext("Why you can trust this deal"),
        table_name=table,
        sealed=state.sealed_deck,
        opened=opened,
        success_text=_success_text(len(state.sealed_deck.commitment.leaves), len(opened)) if state.sealed_deck else "",
        match=state.opening,
        match_text=canonical(state.opening.binding) if state.opening else "",
        match_number=state.match_number,
        final_root=state.final_root,
        occasion="hand" if state.shuffler is None else "draw",
    )


def _success_text(envelopes: int, opened: int) -> str:
    return ngettext(
        "✓ Your browser checked it: %(total)d envelopes match the number, and the open one is right.",
        "✓ Your browser checked it: %(total)d envelopes match the number, and all %(num)d open ones are right.",
        opened,
        total=envelopes,
    )


@router.get("/hint")
async def get_hint(table: str, request: Request, caller: Viewer, context: Context) -> Response:
    """The coach's advice for the current decision."""
    if caller.person is None:
        raise NotSignedIn("take a seat first")
    state = await context.tables.get(table)
    view_model = hint_view_model(
        await context.tables.advise(table, caller.person), state, caller.person, await _names(context, state)
    )
    return render_page(request, "table/hint.html", title=gettext("Hint"), table_name=table, hint=view_model)


@router.get("/tricks")
async def get_tricks(table: str, request: Request, caller: Viewer, context: Context, trick: str = "") -> Response:
    """One trick of a disputed hand, with links to the previous and next one."""
    state = await context.tables.get(table)
    view, seat = hand_view_for(state, caller.person), viewing_seat(state, caller.person)
    positions = seat_positions(view.rules if view else state.rules, seat)  # the next match may have other rules
    seats = state.last_seats if state.hand is None else state.seats
    number = int(trick) if trick.isdecimal() and len(trick) < 3 else 1
    view_model = disputed_trick(view, number, positions, SeatNames(seats, await _names(context, state), seat))
    return render_page(
        request,
        "table/tricks.html",
        title=gettext("Go back through the tricks"),
        table_name=table,
        reenactment=view_model,
    )


@router.get("/hands")
async def get_hands(table: str, request: Request, caller: Viewer, context: Context) -> Response:
    """Every hand of the match's finished games, all cards shown."""
    state = await context.tables.get(table)
    await context.online.check_round_over(state)
    hands = finished_hands(state, caller.person, await _names(context, state))
    return render_page(
        request,
        "table/hands.html",
        title=gettext("All hands"),
        table_name=table,
        hands=hands,
        record_url=f"/api/tables/{table}/record",
        file_name=f"{table}.jsonl",
        final_root=state.final_root,
        earlier=await _earlier_matches(context, state, caller.person, exclude=state.match_number),
    )


@router.get("/matches/{number}")
async def get_match_hands(table: str, number: int, request: Request, caller: Viewer, context: Context) -> Response:
    """Every hand of an earlier match, all cards shown, for its players."""
    person = caller.person
    finished = await read_match(context, table, number, person, lambda past, names: finished_hands(past, person, names))
    state = await context.tables.get(table)
    return render_page(
        request,
        "table/hands.html",
        title=gettext("All hands of match %(number)d", number=number),
        table_name=table,
        hands=finished,
        record_url=f"/api/tables/{table}/matches/{number}/record",
        file_name=f"{table}-{number}.jsonl",
        final_root=next((match.final_root for match in state.matches.finished if match.number == number), ""),
        earlier=await _earlier_matches(context, state, person, exclude=number),
    )


async def _earlier_matches(
    context: AppContext, table: Table, person: str | None, *, exclude: int
) -> tuple[MatchResult, ...]:
    return match_results(table, person, await context.people.names(table.past_players), exclude=exclude)


@router.get("/qr.svg")
async def get_qr_code(table: str, request: Request, context: Context) -> Response:
    """QR code of the table's URL."""
    await context.tables.get(table)
    return Response(qr_svg(_table_url(request, table)), media_type="image/svg+xml")


def parse_command(form: Mapping[str, str]) -> TableCommand:
    """The command in a form, or BadRequest."""
    try:
        return _COMMAND.validate_python({name: _parse_field(name, value) for name, value in form.items()})
    except ValidationError:
        raise BadRequest("unknown command") from None


async def _respond_with_error(
    request: Request, context: AppContext, table: str, person: str | None, error: LeftbowerError
) -> Response:
    """The error as JSON for a script, or the page with the error for a form."""
    report_store_error(request, error)
    message = message_for(error)
    if wants_json(request):
        error.message = message
        return error_response(error, version=context.tables.cached_version(table))
    return await _render_table_page(request, context, table, person, notice=message, status=status_of(error))


async def _names(context: AppContext, table: Table, viewer: str | None = None) -> Mapping[str, str]:
    """Names by id of everyone at a table, and of the viewer; between matches also of past players."""
    past = table.past_players if table.gathering else frozenset()
    return await context.people.names(listed_people(table) | past | ({viewer} if viewer else set()))


async def _render_table_page(
    request: Request, context: AppContext, name: str, person: str | None, *, notice: str = "", status: int = 200
) -> Response:
    if person is not None:
        await context.tables.arrive(name, person)
    table = await context.tables.latest(name)
    template, template_context = table_context(
        name,
        table,
        person,
        await _names(context, table, person),
        address=_table_url(request, name),
        seconds_left=context.tables.time_left(name, table),
        trick_seconds_left=context.tables.trick_time_left(name, table),
    )
    return render_page(
        request,
        "table/page.html",
        status=status,
        title=table.title or gettext("Euchre"),
        base_url=public_base_url(request),
        notice=notice,
        phrases=PHRASES,
        fragment_template=template,
        pace=int(context.tables.timing.bot_delay > 0),
        hand_pause=context.tables.timing.hand_pause,
        **template_context,
    )


def _table_url(request: Request, name: str) -> str:
    return f"{public_base_url(request)}/t/{name}"


def _parse_field(name: str, value: str) -> str | int | bool | list[str | int]:
    """Convert a form field, which is always text, to the type of the command's field."""
    if name == "packets":
        return [int(number) if number.isdecimal() and len(number) < 10 else number for number in value.split()]
    if value in _BOOLEANS:
        return _BOOLEANS[value]
    return int(value) if name in _NUMBER_FIELDS and value.isdecimal() and len(value) < 10 else value
