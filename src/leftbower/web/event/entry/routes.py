"""My events: the list, a new event by the rule sheet's defaults, or one imported from a ledger."""

import json
from collections import defaultdict
from collections.abc import Iterator
from typing import Final

from fastapi import Request
from fastapi.responses import Response

from leftbower.errors import BadLedger, LeftbowerError, TooLarge
from leftbower.i18n import gettext as _
from leftbower.server.auth import HasAccount, address_of
from leftbower.server.context import Context
from leftbower.server.http.errors import report_store_error, status_of
from leftbower.server.http.form_data import is_multipart, parse_multipart, parse_urlencoded
from leftbower.server.http.middleware import MAX_ANONYMOUS_IMPORT_BYTES, MAX_IMPORT_BYTES, read_body
from leftbower.tournament.model.codec import entry_from_json
from leftbower.tournament.model.facts import LedgerEntry
from leftbower.web.event.entry.mine import events_of
from leftbower.web.event.entry.plan_form import MAX_RULES_CHARS, PlanForm, form_context, parse_plan
from leftbower.web.event.forms import enter
from leftbower.web.event.links import redirect_to_opened
from leftbower.web.responses import message_for, page_router, render_page
from leftbower.web.rule_choices import own_rules

router = page_router("/events")
MAX_LEDGER_LINE_CHARS: Final = 64 * 1024


@router.get("")
async def get_events(request: Request, context: Context, rules: str = "prize-night") -> Response:
    """The caller's own events, and the form for a new one."""
    return await _render_events(request, context, {"rules": rules[:MAX_RULES_CHARS]})


@router.post("")
async def post_new_event(request: Request, context: Context) -> Response:
    """Create an event, with the names in the form, and sign the caller in as its organizer."""
    form = parse_urlencoded(await request.body())
    context.limits.anonymous.take(address_of(request))
    context.limits.new_events.take(address_of(request))
    try:
        plan, seed = parse_plan(form), context.entropy(8).hex()
        has_names = bool(form.get("names", "").strip())
        person, token = await context.auth.browser_account_or_guest(request, _("Host"))
        name, code = await context.events.create(
            plan, facts=(lambda event: enter(event, form, seed)) if has_names else None, person=person
        )
    except LeftbowerError as error:
        report_store_error(request, error)
        return await _render_events(request, context, form, error=error)
    return await redirect_to_opened(request, name, code, guest_token=token)


@router.post("/import")
async def post_import(request: Request, context: Context, has_account: HasAccount) -> Response:
    """Import an event from the ledger that another server exported."""
    client = address_of(request)
    context.limits.imports.take(client)
    context.limits.new_events.take(client)
    try:
        body = await _read_import_body(request, anonymous=not has_account)
        entries = parse_imported_ledger(request, body)
        person, token = await context.auth.browser_account_or_guest(request, _("Host"))
        name, code = await context.events.import_event(
            entries, client=client, disconnected=request.is_disconnected, person=person
        )
    except LeftbowerError as error:
        report_store_error(request, error)
        return await _render_events(request, context, {}, error=error)
    return await redirect_to_opened(request, name, code, guest_token=token)


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


async def _render_events(
    request: Request, context: Context, form: PlanForm, *, error: LeftbowerError | None = None
) -> Response:
    person = await context.auth.account_of_browser(request)
    return render_page(
        request,
        "event/entry/events.html",
        status=status_of(error) if error else 200,
        title=_("Events"),
        form=defaultdict(str, form),
        notice=message_for(error) if error else "",
        asks_partners=error is not None and error.code == "needs-partners",
        events=await events_of(context, person),
        **form_context(form, await own_rules(context, person)),
    )
