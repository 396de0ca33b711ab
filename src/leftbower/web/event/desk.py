"""Routes of the organizer's desk: a live page for each section, forms, printouts, exports and links."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from types import MappingProxyType
from typing import Any

from fastapi import Depends
from fastapi.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from markupsafe import Markup

from leftbower.errors import BadRequest, LeftbowerError, NeedsPartners, NotFound
from leftbower.i18n import gettext as _
from leftbower.printing import PRINTOUTS, PaperSize, to_html
from leftbower.printing.blocks import Printout, Tent
from leftbower.printing.html_pages import Codes
from leftbower.rules.announcements import QUESTIONS
from leftbower.server.auth import address_of
from leftbower.server.http.errors import error_response, report_store_error, status_of
from leftbower.server.http.form_data import idempotency_key, parse_number, parse_urlencoded, wants_json
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
    card_codes,
    links_context,
    parse_shown_at,
    tables_to_print,
    tent_codes,
    update_links,
)
from leftbower.web.event.desk_sections import PRESENCE_TEXTS, SECTIONS, section_template
from leftbower.web.event.entry.addresses import addresses_context
from leftbower.web.event.entry.routes import parse_form
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
    EventPage,
    OrganizerPage,
    RolePage,
    check_organizer,
    link_cookie,
    link_url,
    session_token,
)
from leftbower.web.event.live import render_live_page, respond_to_error, stream_fragment
from leftbower.web.event.phone import table_state
from leftbower.web.event.referee_wizard import ruling_case
from leftbower.web.event.view_models import clock_view_model, table_row
from leftbower.web.qr import qr_svg
from leftbower.web.render import render_fragment
from leftbower.web.responses import as_sentence, page_router, render_page

router = page_router("/e/{event}/desk")


@router.get("")
async def get_desk(page: RolePage) -> Response:
    return await _render_section(page, "now")


@router.get("/opened")
async def get_opened(page: OrganizerPage) -> Response:
    """Show the organizer's link to the browser that created the event, for ten minutes."""
    code = link_cookie(page.request, OPENED_COOKIE)
    if not code or await page.context.events.role(page.name, code) != page.role:
        return RedirectResponse(f"/e/{page.name}/desk", 303)
    title, address = (await page.event()).plan.title, link_url(page.request, page.name, code)
    qr = Markup(await page.run(lambda _checkpoint: qr_svg(address)))  # our own SVG
    return render_page(page.request, "event/opened.html", title=title, event_name=page.name, address=address, qr=qr)


@router.get("/ruling")
async def get_ruling(page: OrganizerPage) -> Response:
    """The referee wizard for a table; its ruling is added to the table's tally."""
    answers = dict(page.request.query_params)
    event, table_key = await page.event(), parse_table_key(answers)
    return render_page(
        page.request,
        "event/ruling.html",
        title=_("Penalty"),
        case=ruling_case(event, table_key, event.seating(*table_key), answers),
        version=event.table_version(table_key),
        action_url=f"/e/{page.name}/desk/commands",
        back_url="../desk",
        questions=QUESTIONS,
    )


@router.get("/entrants/{entrant}")
async def get_entrant(entrant: str, page: RolePage) -> Response:
    """One team or player with every round, to correct scores or strike it."""
    event = await page.event()
    found = event.entrant(entrant)
    seatings = [(round_, round_.seating_of(entrant)) for round_ in event.rounds]
    return render_page(
        page.request,
        "event/entrant.html",
        title=found.name,
        event=event,
        event_name=page.name,
        entrant=found,
        presence=_(PRESENCE_TEXTS[found.presence]),
        lines=[table_row(event, round_, seating) for round_, seating in seatings if seating is not None],
        byes=", ".join(str(round_.number) for round_ in event.rounds if entrant in round_.byes),
        dollars=format_dollars,
        organizer=page.role.kind is RoleKind.ORGANIZER,
        version=event.version,
    )


@router.get("/printouts/{printout}")
async def get_printout(printout: str, page: RolePage, paper: str = "letter") -> Response:
    if printout not in PRINTOUTS:
        raise NotFound("page not found")
    if printout == "payouts":
        check_organizer(page.role)
    event, size = await page.event(), parse_choice(PaperSize, paper, "paper")
    return await page.run(lambda _checkpoint: _printout_response(PRINTOUTS[printout](event), size))


@router.post("/printouts/tents")
async def post_tents(page: OrganizerPage) -> Response:
    """Table tents with new codes for both sides' phones: all tables, only those without codes, or one."""
    form = parse_urlencoded(await page.request.body())
    event = await page.event()
    try:
        size = parse_choice(PaperSize, form.get("paper", "letter"), "paper")
        if event.plan.online:
            raise BadRequest("players of an online event get their own links", path="which")
        tables = await tables_to_print(page, event, form.get("which", "all"))
        printout = await page.run(lambda _checkpoint: PRINTOUTS["tents"](event))
        codes = await tent_codes(page, event, tables, shown_at=parse_shown_at(form))
    except LeftbowerError as error:
        return await _render_links_error(page, error)
    blocks = tuple(block for block in printout.blocks if not isinstance(block, Tent) or block.big in codes)
    return await page.run(lambda _checkpoint: _printout_response(replace(printout, blocks=blocks), size, codes))


@router.post("/printouts/cards")
async def post_cards(page: OrganizerPage) -> Response:
    """Player cards, each with a new code for the player's own page."""
    form = parse_urlencoded(await page.request.body())
    event = await page.event()
    try:
        size = parse_choice(PaperSize, form.get("paper", "letter"), "paper")
        printout = await page.run(lambda _checkpoint: PRINTOUTS["cards"](event))
        codes = await card_codes(page, event, shown_at=parse_shown_at(form))
    except LeftbowerError as error:
        return await _render_links_error(page, error)
    return await page.run(lambda _checkpoint: _printout_response(printout, size, codes))


def _printout_response(printout: Printout, size: PaperSize, codes: Codes | None = None) -> Response:
    style = f"/static/print-{size.value}.css"
    return HTMLResponse(to_html(printout, size, style=style, codes=codes or {}))


@router.get("/exports/{export}.csv")
async def get_csv(export: str, page: RolePage) -> Response:
    if export not in EXPORTS:
        raise NotFound("page not found")
    if export in ("payouts", "entrants"):
        check_organizer(page.role)
    event = await page.event()
    return _attachment(await page.run(lambda _checkpoint: export_csv(event, export)), "text/csv", f"{export}.csv")


@router.get("/ledger.jsonl")
async def get_ledger(page: OrganizerPage) -> Response:
    """The whole ledger as JSON lines, to import elsewhere or use with the CLI."""
    entries = await page.context.events.entries(page.name, client=address_of(page.request))

    def lines(checkpoint: Checkpoint) -> Iterator[str]:
        for entry in entries:
            checkpoint()
            yield f"{json.dumps(entry_to_json(entry), ensure_ascii=False)}\n"

    text = await page.run(lambda checkpoint: "".join(lines(checkpoint)))
    return _attachment(text, "application/x-ndjson", "event.jsonl")


@router.get("/{section}")
async def get_section(section: str, page: RolePage) -> Response:
    return await _render_section(page, section)


@router.get("/{section}/feed", dependencies=[Depends(check_feed_origin)])
async def stream_section(section: str, page: RolePage, version: str = "") -> EventStream:
    """Stream the section whenever its content changes."""
    _check_section(page.role, section)
    context, client = page.context, address_of(page.request)

    async def render_section(event: Event) -> str:
        template_context = await _section_context(page, event, section)

        def render(_checkpoint: Checkpoint) -> str:
            return render_fragment(section_template(section), **template_context, **SECTIONS[section].context(event))

        return await context.events.workers.run(page.name, render, client=client, page=True)

    def version_of(event: Event) -> int:
        return event.version if section == "now" else event.hall.public_version

    return await stream_fragment(
        context, page.request, page.name, render_section, version_of=version_of, version=version
    )


@router.post("/commands")
async def post_command(page: RolePage) -> Response:
    return await _run_command(page, parse_urlencoded(await page.request.body()))


@router.post("/import")
async def post_import(page: OrganizerPage) -> Response:
    """Enter pasted names, or those in an uploaded file."""
    body = await page.request.body()
    form = await page.run(lambda _checkpoint: parse_form(page.request, body))
    return await _run_command(page, form | {"command": "enter", "part": "people"})


async def _run_command(page: EventPage, form: dict[str, str]) -> Response:
    command, section = form.get("command", ""), form.get("part", "now")
    section = section if section in SECTIONS else "now"
    seed = page.context.entropy(8).hex()

    try:
        if command not in COMMANDS:
            raise BadRequest("unknown command", path="command")
        if command not in HELPER_COMMANDS:
            check_organizer(page.role)
        await page.context.events.execute(
            page.name,
            page.role,
            lambda event: COMMANDS[command](event, form, seed),
            request_id=idempotency_key(form),
            table_key=parse_table_key(form) if command in TABLE_COMMANDS else DESK,
            seen_version=parse_number(form, "version") if command in TABLE_COMMANDS | EVENT_WIDE_COMMANDS else None,
            slow=command in SLOW_COMMANDS,
            client=address_of(page.request),
            disconnected=page.request.is_disconnected,
        )
    except LeftbowerError as error:

        async def current_state() -> object:
            event = await page.event()
            is_at_table = command in TABLE_COMMANDS
            return table_state(event, *parse_table_key(form)) if is_at_table else {"version": event.version}

        render = partial(_render_section, page, section, sent=form, unpaired=isinstance(error, NeedsPartners))
        return await respond_to_error(page.request, error, render, current_state)
    if wants_json(page.request):
        return JSONResponse({"new": False})
    if form.get("back", "") in (await page.event()).entrants:
        section = f"entrants/{form['back']}"
    return RedirectResponse(f"/e/{page.name}/desk" + ("" if section == "now" else f"/{section}"), 303)


@router.post("/links")
async def post_links(page: OrganizerPage) -> Response:
    """Create links, shown only in this response, or end one."""
    form = parse_urlencoded(await page.request.body())
    try:
        new_links = await update_links(page, form, session_token(page.request))
    except LeftbowerError as error:
        return await _render_links_error(page, error)
    if new_links is None:
        return RedirectResponse(f"/e/{page.name}/desk/links", 303)
    return await _render_section(page, "links", new_links=new_links)


async def _render_links_error(page: EventPage, error: LeftbowerError) -> Response:
    report_store_error(page.request, error)
    if wants_json(page.request):
        return error_response(error)
    return await _render_section(page, "links", notice=as_sentence(error.message), status=status_of(error))


def _check_section(role: Role, section: str) -> None:
    if section not in SECTIONS:
        raise NotFound("page not found")
    if not SECTIONS[section].for_helpers:
        check_organizer(role)


async def _section_context(page: EventPage, event: Event, section: str) -> dict[str, Any]:
    """The section's template context, without the parts computed in a worker."""
    template_context: dict[str, Any] = {
        "event": event,
        "event_name": page.name,
        "role": page.role,
        "part": section,
        "version": event.version,
        "dollars": format_dollars,
        "clock": clock_view_model(event, page.context.events.clock()),
        "organizer": page.role.kind is RoleKind.ORGANIZER,
        "sent": {},
        "unpaired": False,
    }
    match section:
        case "links":
            return template_context | await links_context(page, event)
        case "sign-up":
            return template_context | await page.run(lambda _checkpoint: addresses_context(page, event))
        case _:
            return template_context


async def _render_section(
    page: EventPage,
    section: str,
    *,
    notice: str = "",
    status: int = 200,
    new_links: NewLinks | None = None,
    sent: Mapping[str, str] = MappingProxyType({}),
    unpaired: bool = False,
) -> Response:
    """Render a section of the desk; `sent` is the form that was refused, `unpaired` asks how to pair its names."""
    _check_section(page.role, section)
    event = await page.event()
    is_organizer = page.role.kind is RoleKind.ORGANIZER
    template_context = await _section_context(page, event, section) | {
        "title": _("%(event)s: %(section)s", event=event.plan.title, section=_(SECTIONS[section].title)),
        "notice": notice,
        "kind": "desk",
        "parts": {key: _(item.title) for key, item in SECTIONS.items() if is_organizer or item.for_helpers},
        "new_links": new_links,
        "sent": sent,
        "unpaired": unpaired,
    }

    def render(_checkpoint: Checkpoint) -> Response:
        context, feed_url = template_context | SECTIONS[section].context(event), f"/e/{page.name}/desk/{section}/feed"
        return render_live_page(page.request, section_template(section), feed_url, context, status=status)

    return await page.run(render)


def _attachment(text: str, media_type: str, name: str) -> Response:
    return Response(text, media_type=media_type, headers={"Content-Disposition": f'attachment; filename="{name}"'})
