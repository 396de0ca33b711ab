"""Routes of the organizer's desk: a live page for each section, forms, printouts, exports and links."""

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Annotated, Any, TypeVar

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from markupsafe import Markup

from leftbower.errors import BadRequest, LeftbowerError, NotFound
from leftbower.printing import PRINTOUTS, PaperSize, to_html
from leftbower.printing.blocks import Printout, Tent
from leftbower.printing.html_pages import Codes
from leftbower.rules.announcements import QUESTIONS
from leftbower.server.auth import address_of
from leftbower.server.context import AppContext, Context
from leftbower.server.http.errors import error_response, status_of
from leftbower.server.http.middleware import check_feed_origin
from leftbower.server.http.sse import EventStream
from leftbower.server.live.event_workers import Checkpoint
from leftbower.tournament.hall.state import DESK
from leftbower.tournament.model.codec import entry_to_json
from leftbower.tournament.model.roles import Role, RoleKind
from leftbower.tournament.model.state import Event
from leftbower.tournament.text.exports import EXPORTS, export_csv
from leftbower.tournament.text.parse import format_dollars, parse_choice
from leftbower.web.event.desk_links import (
    NewLinks,
    links_context,
    parse_shown_at,
    tables_to_print,
    tent_codes,
    update_links,
)
from leftbower.web.event.desk_sections import HELPER_SECTIONS, SECTION_CONTEXTS, SECTIONS
from leftbower.web.event.forms import (
    COMMANDS,
    EVENT_WIDE_COMMANDS,
    HELPER_COMMANDS,
    SLOW_COMMANDS,
    TABLE_COMMANDS,
    parse_table_key,
)
from leftbower.web.event.links import (
    OPENED_COOKIE,
    EventRole,
    OrganizerRole,
    check_organizer,
    event_cookie_name,
    link_url,
    session_token,
)
from leftbower.web.event.live import idempotency_key, parse_number, render_live_page, respond_to_form, stream_fragment
from leftbower.web.event.phone import table_state
from leftbower.web.event.plans import content_type, form_field
from leftbower.web.event.referee_wizard import ruling_case
from leftbower.web.event.view_models import clock_view_model
from leftbower.web.qr import qr_svg
from leftbower.web.render import render_fragment
from leftbower.web.responses import PageRoute, read_form, render_page, wants_json

T = TypeVar("T")
router = APIRouter(
    prefix="/e/{event}/desk", include_in_schema=False, default_response_class=HTMLResponse, route_class=PageRoute
)


@router.get("")
async def get_desk(event: str, request: Request, role: EventRole, context: Context) -> Response:
    """The section `now`."""
    return await _render_section(request, context, event, role, "now")


@router.get("/opened")
async def get_opened(event: str, request: Request, role: OrganizerRole, context: Context) -> Response:
    """Show the organizer's link for ten minutes to the browser that created the event."""
    code = request.cookies.get(event_cookie_name(request, OPENED_COOKIE), "")
    if not code or await context.events.role(event, code) != role:
        return RedirectResponse(f"/e/{event}/desk", 303)
    state, address = await context.events.get(event), link_url(request, event, code)
    qr = Markup(await _run_in_worker(context, request, event, partial(qr_svg, address)))  # by us
    return render_page(request, "event/opened.html", title=state.plan.title, event_name=event, address=address, qr=qr)


@router.get("/ruling")
async def get_ruling(event: str, request: Request, role: OrganizerRole, context: Context) -> Response:
    """The referee wizard for a table; its ruling is added to the table's tally."""
    answers = dict(request.query_params)
    state = await context.events.get(event)
    table_key = parse_table_key(answers)
    seating = state.seating(*table_key)
    template_context: dict[str, Any] = {
        "case": ruling_case(state, table_key, seating, answers),
        "version": state.table_version(table_key),
        "action_url": f"/e/{event}/desk/commands",
        "back_url": "../desk",
        "questions": QUESTIONS,
    }
    return render_page(request, "event/ruling.html", title="Ruling", **template_context)


@router.get("/printouts/{printout}")
async def get_printout(
    event: str, printout: str, request: Request, role: EventRole, context: Context, paper: str = "letter"
) -> Response:
    """A printout as an HTML page."""
    if printout not in PRINTOUTS:
        raise NotFound("there is nothing here")
    if printout == "payouts":
        check_organizer(role)
    state, size = await context.events.get(event), parse_choice(PaperSize, paper, "paper")
    return await _run_in_worker(context, request, event, lambda: _printout_response(PRINTOUTS[printout](state), size))


@router.post("/printouts/tents")
async def post_tents(event: str, request: Request, role: OrganizerRole, context: Context) -> Response:
    """Table tents with new codes for both sides' phones: for all tables, those without codes, or one."""
    form = await read_form(request)
    state = await context.events.get(event)
    try:
        size = parse_choice(PaperSize, form.get("paper", "letter"), "paper")
        if state.plan.online:
            raise BadRequest("players of an event online have links of their own", path="which")
        tables = await tables_to_print(context, event, state, form.get("which", "all"))
        printout = await _run_in_worker(context, request, event, lambda: PRINTOUTS["tents"](state))
        codes = await tent_codes(context, request, event, state, tables, shown_at=parse_shown_at(form))
    except LeftbowerError as error:
        return await _render_links_error(request, context, event, role, error)
    blocks = tuple(block for block in printout.blocks if not isinstance(block, Tent) or block.big in codes)
    return await _run_in_worker(
        context, request, event, lambda: _printout_response(replace(printout, blocks=blocks), size, codes)
    )


def _printout_response(printout: Printout, size: PaperSize, codes: Codes | None = None) -> Response:
    style = f"/static/print-{size.value}.css"
    return HTMLResponse(to_html(printout, size, style=style, codes=codes or {}))


@router.get("/exports/{export}.csv")
async def get_csv(event: str, export: str, request: Request, role: EventRole, context: Context) -> Response:
    """An export as CSV."""
    if export not in EXPORTS:
        raise NotFound("there is nothing here")
    if export in ("payouts", "entrants"):
        check_organizer(role, "see")
    state = await context.events.get(event)
    text = await _run_in_worker(context, request, event, partial(export_csv, state, export))
    return _attachment(text, "text/csv", f"{export}.csv")


@router.get("/ledger.jsonl")
async def get_ledger(event: str, request: Request, role: OrganizerRole, context: Context) -> Response:
    """The whole ledger as JSON lines, to import elsewhere or use with the CLI."""
    client = address_of(request)
    entries = await context.events.entries(event, client=client)

    def lines(checkpoint: Checkpoint) -> Iterator[str]:
        for entry in entries:
            checkpoint()
            yield f"{json.dumps(entry_to_json(entry), ensure_ascii=False)}\n"

    text = await context.events.workers.run(event, lambda go_on: "".join(lines(go_on)), client=client, page=True)
    return _attachment(text, "application/x-ndjson", "event.jsonl")


@router.get("/{section}")
async def get_section(event: str, section: str, request: Request, role: EventRole, context: Context) -> Response:
    """A section of the desk."""
    return await _render_section(request, context, event, role, section)


@router.get("/{section}/feed", dependencies=[Depends(check_feed_origin)])
async def stream_section(
    event: str, section: str, request: Request, role: EventRole, context: Context, version: Annotated[str, Query()] = ""
) -> EventStream:
    """Stream the section whenever what it shows changes."""
    _check_section(role, section)

    client = address_of(request)

    async def render_section(state: Event) -> str:
        template_context = await _section_context(context, request, event, state, role, section)

        def render(_: Checkpoint) -> str:
            return render_fragment(f"event/{section}.html", **template_context, **_computed_context(section, state))

        return await context.events.workers.run(event, render, client=client, page=True)

    def version_of(state: Event) -> int:
        return state.version if section == "now" else state.hall.public_version

    return await stream_fragment(context, request, event, render_section, version_of=version_of, version=version)


@router.post("/commands")
async def post_command(event: str, request: Request, role: EventRole, context: Context) -> Response:
    """Execute the command of a form."""
    return await _run_command(request, context, event, role, await read_form(request))


@router.post("/import")
async def post_import(event: str, request: Request, role: OrganizerRole, context: Context) -> Response:
    """Enter the names in an uploaded file."""
    body = await request.body()
    names = await _run_in_worker(context, request, event, partial(form_field, content_type(request), body, "names"))
    form = {"command": "enter", "part": "people", "names": names}
    return await _run_command(request, context, event, role, form)


async def _run_command(request: Request, context: AppContext, event: str, role: Role, form: dict[str, str]) -> Response:
    command, section = form.get("command", ""), form.get("part", "now")
    section = section if section in SECTIONS else "now"
    seed = context.entropy(8).hex()

    async def run() -> Event:
        if command not in COMMANDS:
            raise BadRequest("this cannot be asked", path="command")
        if command not in HELPER_COMMANDS:
            check_organizer(role)
        table_key = parse_table_key(form) if command in TABLE_COMMANDS else DESK
        version = parse_number(form, "version") if command in TABLE_COMMANDS or command in EVENT_WIDE_COMMANDS else None
        return await context.events.execute(
            event,
            role,
            lambda state: COMMANDS[command](state, form, seed),
            request_id=idempotency_key(form),
            table_key=table_key,
            seen_version=version,
            slow=command in SLOW_COMMANDS,
            client=address_of(request),
            disconnected=request.is_disconnected,
        )

    async def render_error(notice: str, status: int) -> Response:
        return await _render_section(request, context, event, role, section, notice=notice, status=status)

    async def current_state() -> object:
        state = await context.events.get(event)
        return table_state(state, *parse_table_key(form)) if command in TABLE_COMMANDS else {"version": state.version}

    back_url = f"/e/{event}/desk" + ("" if section == "now" else f"/{section}")
    return await respond_to_form(request, run, render_error, back_url=back_url, current_state=current_state)


@router.post("/links")
async def post_links(event: str, request: Request, role: OrganizerRole, context: Context) -> Response:
    """Create links, which only this response shows, or end one."""
    form = await read_form(request)
    try:
        new_links = await update_links(context, request, event, form, session_token(request))
    except LeftbowerError as error:
        return await _render_links_error(request, context, event, role, error)
    if new_links is None:
        return RedirectResponse(f"/e/{event}/desk/links", 303)
    return await _render_section(request, context, event, role, "links", new_links=new_links)


async def _render_links_error(
    request: Request, context: AppContext, event: str, role: Role, error: LeftbowerError
) -> Response:
    if wants_json(request):
        return error_response(error)
    notice = f"{error.message[:1].upper()}{error.message[1:]}."
    return await _render_section(request, context, event, role, "links", notice=notice, status=status_of(error))


def _check_section(role: Role, section: str) -> None:
    if section not in SECTIONS:
        raise NotFound("there is nothing here")
    if section not in HELPER_SECTIONS:
        check_organizer(role, "see")


async def _section_context(
    context: AppContext, request: Request, name: str, event: Event, role: Role, section: str
) -> dict[str, Any]:
    """The context of a section, except what a worker computes."""
    template_context: dict[str, Any] = {
        "event": event,
        "event_name": name,
        "role": role,
        "part": section,
        "version": event.version,
        "dollars": format_dollars,
        "clock": clock_view_model(event, context.events.clock()),
        "organizer": role.kind is RoleKind.ORGANIZER,
    }
    if section == "links":
        return template_context | await links_context(context, request, name, event)
    return template_context


def _computed_context(section: str, event: Event) -> dict[str, Any]:
    return SECTION_CONTEXTS[section](event) if section in SECTION_CONTEXTS else {}


async def _run_in_worker(context: AppContext, request: Request, event: str, work: Callable[[], T]) -> T:
    """Run a function in the event workers; cancel it if the client disconnects."""
    client, disconnected = address_of(request), request.is_disconnected
    workers = context.events.workers
    return await workers.run(event, lambda _: work(), client=client, page=True, disconnected=disconnected)


async def _render_section(
    request: Request,
    context: AppContext,
    name: str,
    role: Role,
    section: str,
    *,
    notice: str = "",
    status: int = 200,
    new_links: NewLinks | None = None,
) -> Response:
    _check_section(role, section)
    event = await context.events.get(name)
    template_context = await _section_context(context, request, name, event, role, section)
    sections = {
        key: title for key, title in SECTIONS.items() if role.kind is RoleKind.ORGANIZER or key in HELPER_SECTIONS
    }
    template_context |= {
        "title": f"{event.plan.title}: {SECTIONS[section].lower()}",
        "notice": notice,
        "kind": "desk",
        "parts": sections,
    }
    template_context["new_links"] = new_links
    feed_url = f"/e/{name}/desk/{section}/feed"

    def render() -> Response:
        return render_live_page(
            request,
            f"event/{section}.html",
            feed_url,
            template_context | _computed_context(section, event),
            status=status,
        )

    return await _run_in_worker(context, request, name, render)


def _attachment(text: str, media_type: str, name: str) -> Response:
    return Response(text, media_type=media_type, headers={"Content-Disposition": f'attachment; filename="{name}"'})
