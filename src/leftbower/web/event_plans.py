"""A new event: a form in which everything is as the sheet has it until somebody says otherwise."""

import json
from collections import defaultdict
from collections.abc import Iterator
from typing import Final

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, Response

from leftbower.errors import BadLedger, BadUsage, LeftbowerError, TooLarge
from leftbower.rules.sheets import presets
from leftbower.server.answers import status_of
from leftbower.server.auth import HasAccount, address_of
from leftbower.server.bodies import Rules
from leftbower.server.desk import AtDesk
from leftbower.server.doors import MAX_ANONYMOUS_IMPORT_BYTES, MAX_IMPORT_BYTES, read_body
from leftbower.server.form_data import is_multipart, parse_multipart, parse_urlencoded
from leftbower.server.names import cleaned_title
from leftbower.tournament import (
    Bye,
    Entry,
    Fit,
    Format,
    Kind,
    Plan,
    Role,
    Stage,
    Word,
    cents,
    chosen,
    from_plain,
    planned,
    spelling,
    tie_breaks,
)
from leftbower.web.answering import PageRoute, form_of, page, says
from leftbower.web.event_links import opened

router = APIRouter(
    prefix="/events", include_in_schema=False, default_response_class=HTMLResponse, route_class=PageRoute
)
LONGEST_LINE: Final = 64 * 1024


@router.get("")
async def new(request: Request, rules: str = "prize-night") -> Response:
    """What kind of evening?"""
    return _form(request, {"rules": rules[:100]})


@router.post("")
async def create(request: Request, desk: AtDesk) -> Response:
    """An event; whoever opens it is its organiser."""
    form = await form_of(request)
    desk.strangers.ask(address_of(request))
    desk.new_events.ask(address_of(request))
    try:
        name, code = await desk.events.create(plan_of(form))
    except LeftbowerError as error:
        return _form(request, form, notice=says(error), status=status_of(error))
    return opened(request, name, code, await desk.events.admit(name, Role(kind=Kind.ORGANISER)))


@router.post("/import")
async def bring(request: Request, desk: AtDesk, has_account: HasAccount) -> Response:
    """An event that was begun on another laptop, from the file that was exported there."""
    client = address_of(request)
    desk.imports.ask(client)
    desk.new_events.ask(client)
    try:
        body = await _import_body(request, anonymous=not has_account)
        entries = imported_entries(content_type_of(request), body)
        name, code = await desk.events.bring(entries, client=client, disconnected=request.is_disconnected)
    except LeftbowerError as error:
        return _form(request, {}, notice=says(error), status=status_of(error))
    return opened(request, name, code, await desk.events.admit(name, Role(kind=Kind.ORGANISER)))


def plan_of(form: dict[str, str]) -> Plan:
    """The plan that a form describes."""
    rules = Rules(rules=(form.get("rules") or "club")[:100]).house_rules()
    title = cleaned_title(form.get("title", "")) or "Euchre"
    usual = planned(title, rules)
    way = chosen(Format, form["format"], "format") if form.get("format") else usual.stage.format
    stage = Stage(format=way, rounds=_count(form, "rounds"), best_of=_count(form, "best_of"))
    extras = [f"{name}={value}" for name in ("loners", "euchres", "high-game", "last") if (value := form.get(name, ""))]
    return planned(
        title,
        rules,
        stage,
        fee=cents(form.get("fee") or "0"),
        prizes=spelling.prizes(form.get("prizes", ""), form.get("gift_cards", ""), extras, usual.prizes),
        ties=tie_breaks(form.get("ties", "")),
        fit=chosen(Fit, form.get("fit") or "byes", "fit"),
        seeded=form.get("seeded") == "yes",
        word=chosen(Word, form.get("word") or "both-sides", "word"),
        minutes=_count(form, "minutes"),
        online=form.get("online") == "yes",
        patience=_count(form, "patience") or 10,
        **({"bye": chosen(Bye, form["bye"], "bye")} if form.get("bye") else {}),
    )


async def _import_body(request: Request, *, anonymous: bool) -> bytes:
    if not anonymous:
        return await read_body(request, MAX_IMPORT_BYTES)
    try:
        return await read_body(request, MAX_ANONYMOUS_IMPORT_BYTES)
    except TooLarge:
        most, more = MAX_ANONYMOUS_IMPORT_BYTES >> 10, MAX_IMPORT_BYTES >> 20
        raise TooLarge(
            f"a file over {most} KiB is taken from people with a name; enter yours on the first page, "
            f"then send up to {more} MiB"
        ) from None


def imported_entries(content_type: str, body: bytes) -> Iterator[Entry]:
    """The lines of a ledger that a form sent; nothing is parsed before the first is asked for."""
    yield from entries_of(field_in(content_type, body, "ledger"))


def entries_of(text: str) -> Iterator[Entry]:
    """The lines of a ledger, one by one."""
    lines = text.removeprefix("\ufeff").removesuffix("\n").split("\n") if text else []
    for at, line in enumerate(lines, 1):
        if len(line) > LONGEST_LINE:
            raise BadLedger("no line of a ledger is so long", place=f"line {at}")
        try:
            plain = json.loads(line)
        except (ValueError, RecursionError):
            raise BadLedger("this is not JSON", place=f"line {at}") from None
        if not isinstance(plain, dict):
            raise BadLedger("a line of a ledger is an object", place=f"line {at}")
        try:
            entry = from_plain(plain)
        except LeftbowerError as error:
            raise error.at(f"line {at}") from None
        yield entry


def content_type_of(request: Request) -> str:
    """The Content-Type of a request."""
    return request.headers.get("content-type", "")


def field_in(content_type: str, body: bytes, name: str) -> str:
    """A file or field of a form, in either encoding; empty where it has none of that name."""
    form = parse_multipart(content_type, body) if is_multipart(content_type) else parse_urlencoded(body)
    return form.get(name, "")


def _count(form: dict[str, str], name: str) -> int:
    value = form.get(name, "").strip()
    if value and not (value.isdecimal() and len(value) < 6):
        raise BadUsage("write a number here", place=name)
    return int(value or 0)


def _form(request: Request, form: dict[str, str], *, notice: str = "", status: int = 200) -> Response:
    return page(
        request,
        "event_new.html",
        status=status,
        title="A new event",
        form=defaultdict(str, form),
        notice=notice,
        sheets=[one for one in presets() if one.rules.seats == 4],
        formats=tuple(Format),
        ways=_WAYS,
    )


_WAYS: Final = {
    Format.ROUND_ROBIN: "every team meets every other",
    Format.SCHOOLS: "teams of two schools, in groups of two and two",
    Format.PROGRESSIVE: "single players; everybody partners everybody",
    Format.WINNERS_MOVE: "single players; winners go up a table",
    Format.CHART: "single players; the usual moving chart",
    Format.SWISS: "teams of equal score meet",
    Format.KNOCKOUT: "who loses is out",
    Format.DOUBLE: "who loses twice is out",
}
