"""Create an event from a form with the rule sheet's defaults, or import one from a ledger."""

import json
from collections import defaultdict
from collections.abc import Iterator
from typing import Final

from fastapi import Request
from fastapi.responses import Response

from leftbower.errors import BadLedger, BadUsage, LeftbowerError, TooLarge
from leftbower.i18n import gettext as _, gettext_noop
from leftbower.rules.link import is_link
from leftbower.server.api.requests import RulesRequest
from leftbower.server.auth import HasAccount, address_of
from leftbower.server.context import Context
from leftbower.server.http.errors import report_store_error, status_of
from leftbower.server.http.form_data import is_multipart, parse_multipart, parse_urlencoded
from leftbower.server.http.middleware import MAX_ANONYMOUS_IMPORT_BYTES, MAX_IMPORT_BYTES, read_body
from leftbower.server.people.sanitize import clean_title
from leftbower.tournament.formats.registry import Format
from leftbower.tournament.model.choices import ByeValue, ExtraCategory, OddNumbers, ScoreApproval
from leftbower.tournament.model.codec import entry_from_json
from leftbower.tournament.model.facts import LedgerEntry
from leftbower.tournament.model.plan import EventPlan, Stage, default_plan
from leftbower.tournament.scoring.standings import join_names
from leftbower.tournament.text import parse
from leftbower.tournament.text.parse import parse_cents, parse_choice, parse_tie_breaks
from leftbower.web.event.links import redirect_to_opened
from leftbower.web.responses import message_for, page_router, render_page
from leftbower.web.rule_choices import rule_groups

router = page_router("/events")
MAX_LEDGER_LINE_CHARS: Final = 64 * 1024
_EXTRA_PRIZES: Final = {
    ExtraCategory.LONERS: gettext_noop("Most loners"),
    ExtraCategory.EUCHRES: gettext_noop("Most euchres"),
    ExtraCategory.HIGH_GAME: gettext_noop("Highest game"),
    ExtraCategory.LAST: gettext_noop("Last place"),
}


@router.get("")
async def get_new_event(request: Request, rules: str = "prize-night") -> Response:
    return _render_form(request, {"rules": rules[:100]})


@router.post("")
async def post_new_event(request: Request, context: Context) -> Response:
    """Create an event and sign the caller in as its organizer."""
    form = parse_urlencoded(await request.body())
    context.limits.anonymous.take(address_of(request))
    context.limits.new_events.take(address_of(request))
    try:
        name, code = await context.events.create(parse_plan(form))
    except LeftbowerError as error:
        report_store_error(request, error)
        return _render_form(request, form, notice=message_for(error), status=status_of(error))
    return await redirect_to_opened(request, name, code)


@router.post("/import")
async def post_import(request: Request, context: Context, has_account: HasAccount) -> Response:
    """Import an event from the ledger that another server exported."""
    client = address_of(request)
    context.limits.imports.take(client)
    context.limits.new_events.take(client)
    try:
        body = await _read_import_body(request, anonymous=not has_account)
        entries = parse_imported_ledger(request, body)
        name, code = await context.events.import_event(entries, client=client, disconnected=request.is_disconnected)
    except LeftbowerError as error:
        report_store_error(request, error)
        return _render_form(request, {}, notice=message_for(error), status=status_of(error))
    return await redirect_to_opened(request, name, code)


def parse_plan(form: dict[str, str]) -> EventPlan:
    rules = RulesRequest(rules=(form.get("rules") or "club")[:100]).house_rules()
    title = clean_title(form.get("title", "")) or _("Euchre")
    defaults = default_plan(title, rules)
    format_ = parse_choice(Format, form["format"], "format") if form.get("format") else defaults.stage.format
    stage = Stage(format=format_, rounds=_parse_count(form, "rounds"), best_of=_parse_count(form, "best_of"))
    extras = [f"{category}={value}" for category in ExtraCategory if (value := form.get(category.value, ""))]
    return default_plan(
        title,
        rules,
        stage,
        fee=parse_cents(form.get("fee") or "0"),
        prizes=parse.parse_prizes(form.get("prizes", ""), form.get("gift_cards", ""), extras, defaults.prizes),
        ties=parse_tie_breaks(form.get("ties", "")),
        odd_numbers=parse_choice(OddNumbers, form.get("odd_numbers") or "byes", "odd_numbers"),
        seeded=form.get("seeded") == "yes",
        approval=parse_choice(ScoreApproval, form.get("approval") or "both-sides", "approval"),
        minutes=_parse_count(form, "minutes"),
        online=form.get("online") == "yes",
        no_show_minutes=_parse_count(form, "no_show_minutes") or 10,
        **({"bye": parse_choice(ByeValue, form["bye"], "bye")} if form.get("bye") else {}),
    )


async def _read_import_body(request: Request, *, anonymous: bool) -> bytes:
    if not anonymous:
        return await read_body(request, MAX_IMPORT_BYTES)
    try:
        return await read_body(request, MAX_ANONYMOUS_IMPORT_BYTES)
    except TooLarge:
        anonymous_kib, account_mib = MAX_ANONYMOUS_IMPORT_BYTES >> 10, MAX_IMPORT_BYTES >> 20
        raise TooLarge(
            "files over %(small)s KiB need a name; enter yours on the home page, then send up to %(large)s MiB",
            small=anonymous_kib,
            large=account_mib,
        ) from None


def parse_imported_ledger(request: Request, body: bytes) -> Iterator[LedgerEntry]:
    """The entries of an uploaded ledger, parsed lazily."""
    yield from parse_ledger(parse_form(request, body).get("ledger", ""))


def parse_ledger(text: str) -> Iterator[LedgerEntry]:
    """The entries of a ledger in JSON lines, parsed lazily."""
    lines = text.removeprefix("\ufeff").removesuffix("\n").split("\n") if text else []
    for number, line in enumerate(lines, 1):
        if len(line) > MAX_LEDGER_LINE_CHARS:
            raise BadLedger("this line is too long for a ledger", path=f"line {number}")
        try:
            parsed = json.loads(line)
        except (ValueError, RecursionError):
            raise BadLedger("this is not JSON", path=f"line {number}") from None
        if not isinstance(parsed, dict):
            raise BadLedger("a ledger line must be a JSON object", path=f"line {number}")
        try:
            entry = entry_from_json(parsed)
        except LeftbowerError as error:
            raise error.at(f"line {number}") from None
        yield entry


def parse_form(request: Request, body: bytes) -> dict[str, str]:
    """Fields and files of a URL-encoded or multipart form."""
    content_type = request.headers.get("content-type", "")
    return parse_multipart(content_type, body) if is_multipart(content_type) else parse_urlencoded(body)


def _parse_count(form: dict[str, str], name: str) -> int:
    value = form.get(name, "").strip()
    if value and not (value.isdecimal() and len(value) < 6):
        raise BadUsage("enter a number", path=name)
    return int(value or 0)


def _render_form(request: Request, form: dict[str, str], *, notice: str = "", status: int = 200) -> Response:
    return render_page(
        request,
        "event/new.html",
        status=status,
        title=_("New event"),
        form=defaultdict(str, form),
        notice=notice,
        has_own_rules=is_link(form.get("rules", "")),
        rule_groups=rule_groups(players=4),
        formats=[known.definition for known in Format],
        three_handed=join_names([_(known.definition.title) for known in Format if known.definition.three_handed]),
        extra_prizes={category.value: _(text) for category, text in _EXTRA_PRIZES.items()},
    )
