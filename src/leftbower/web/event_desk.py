"""The desk: everything an organiser does in an evening, a page for each part of it, all of them live."""

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Annotated, Any, TypeVar

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from markupsafe import Markup

from leftbower.errors import BadRequest, LeftbowerError, NotFound, NotYourRole
from leftbower.printing import PRINTOUTS, Paper, to_html
from leftbower.printing.html_pages import Codes
from leftbower.printing.sheets import Printout, Tent
from leftbower.rules.referee import QUESTIONS
from leftbower.server.answers import refusal, status_of
from leftbower.server.auth import address_of
from leftbower.server.desk import AtDesk, Desk
from leftbower.server.doors import check_feed
from leftbower.server.event_workers import Checkpoint
from leftbower.server.streaming import EventStream
from leftbower.tournament import (
    DESK,
    SHEETS,
    Event,
    Kind,
    Role,
    chosen,
    dollars,
    sheet_as_csv,
    to_plain,
)
from leftbower.web.answering import PageRoute, form_of, page, wants_json
from leftbower.web.desk_links import NewLinks, changed_links, links_shown, seen_in, tables_to_print, tent_codes
from leftbower.web.desk_parts import MADE_OF, OF_HELPERS_TO_SEE, PARTS
from leftbower.web.drawing import part as rendered_part
from leftbower.web.evening import clock_of
from leftbower.web.event_forms import AT_TABLES, OF_HELPERS, SLOW, STEPS, WEIGHTY, place_of
from leftbower.web.event_links import OPENED, Organiser, RoleHere, address_in, cookie_of, token_of
from leftbower.web.event_live import act_of, answered, follow_drawn, live_page, number
from leftbower.web.event_phone import there
from leftbower.web.event_plans import content_type_of, field_in
from leftbower.web.qr import qr_svg
from leftbower.web.refereeing import case_of

T = TypeVar("T")
router = APIRouter(
    prefix="/e/{event}/desk", include_in_schema=False, default_response_class=HTMLResponse, route_class=PageRoute
)


@router.get("")
async def see(event: str, request: Request, role: RoleHere, desk: AtDesk) -> Response:
    """What is going on now."""
    return await _page(request, desk, event, role, "now")


@router.get("/opened")
async def opened(event: str, request: Request, role: Organiser, desk: AtDesk) -> Response:
    """The desk's own link, shown to the browser that opened the event, for some minutes."""
    code = request.cookies.get(cookie_of(request, OPENED), "")
    if not code or await desk.events.role(event, code) != role:
        return RedirectResponse(f"/e/{event}/desk", 303)
    now, address = await desk.events.event(event), address_in(request, event, code)
    drawn = Markup(await _computed(desk, request, event, partial(qr_svg, address)))  # by us
    return page(request, "event_opened.html", title=now.plan.title, event_name=event, address=address, qr=drawn)


@router.get("/rule")
async def rule(event: str, request: Request, role: Organiser, desk: AtDesk) -> Response:
    """The referee's wizard for a table; what was ruled lands in its score."""
    told = dict(request.query_params)
    now = await desk.events.event(event)
    place = place_of(told)
    seating = now.seating(*place)
    given: dict[str, Any] = {
        "case": case_of(now, place, seating, told),
        "r": place[0],
        "v": now.moved(place),
        "action": f"/e/{event}/desk/do",
        "back": "../desk",
        "questions": QUESTIONS,
    }
    return page(request, "event_rule.html", title="Ruling", **given)


@router.get("/printout/{what}")
async def printed(
    event: str, what: str, request: Request, role: RoleHere, desk: AtDesk, paper: str = "letter"
) -> Response:
    """A printout, to be printed by the browser."""
    if what not in PRINTOUTS:
        raise NotFound("there is nothing here")
    if what == "payouts" and role.kind is not Kind.ORGANISER:
        raise NotYourRole(f"that is not for a {role.kind} to do")
    now, size = await desk.events.event(event), chosen(Paper, paper, "paper")
    return await _computed(desk, request, event, lambda: _print(PRINTOUTS[what](now), size))


@router.post("/printout/tents")
async def coded_tents(event: str, request: Request, role: Organiser, desk: AtDesk) -> Response:
    """Tents with new codes for the phones of both sides, for all tables, for those without codes, or for one."""
    form = await form_of(request)
    now = await desk.events.event(event)
    try:
        size = chosen(Paper, form.get("paper", "letter"), "paper")
        if now.plan.online:
            raise BadRequest("players of an event online have links of their own", place="which")
        tables = await tables_to_print(desk, event, now, form.get("which", "all"))
        made = await _computed(desk, request, event, lambda: PRINTOUTS["tents"](now))
        codes = await tent_codes(desk, request, event, now, tables, seen=seen_in(form))
    except LeftbowerError as error:
        return await _refused_links(request, desk, event, role, error)
    tents = tuple(one for one in made.blocks if not isinstance(one, Tent) or one.big in codes)
    return await _computed(desk, request, event, lambda: _print(replace(made, blocks=tents), size, codes))


def _print(made: Printout, size: Paper, codes: Codes | None = None) -> Response:
    style = f"/static/print-{size.value}.css"
    return HTMLResponse(to_html(made, size, style=style, codes=codes or {}))


@router.get("/sheet/{what}.csv")
async def sheet(event: str, what: str, request: Request, role: RoleHere, desk: AtDesk) -> Response:
    """A part of the event for a spreadsheet."""
    if what not in SHEETS:
        raise NotFound("there is nothing here")
    if what in ("payouts", "entrants") and role.kind is not Kind.ORGANISER:
        raise NotYourRole(f"that is not for a {role.kind} to see")
    now = await desk.events.event(event)
    text = await _computed(desk, request, event, partial(sheet_as_csv, now, what))
    return _file(text, "text/csv", f"{what}.csv")


@router.get("/ledger.jsonl")
async def ledger(event: str, request: Request, role: Organiser, desk: AtDesk) -> Response:
    """The whole event, to carry on with it on another laptop or by the commands."""
    client = address_of(request)
    entries = await desk.events.entries(event, client=client)

    def lines(checkpoint: Checkpoint) -> Iterator[str]:
        for entry in entries:
            checkpoint()
            yield f"{json.dumps(to_plain(entry), ensure_ascii=False)}\n"

    text = await desk.events.workers.run(event, lambda go_on: "".join(lines(go_on)), client=client, page=True)
    return _file(text, "application/x-ndjson", "event.jsonl")


@router.get("/{part}")
async def see_part(event: str, part: str, request: Request, role: RoleHere, desk: AtDesk) -> Response:
    """Another part of the desk."""
    return await _page(request, desk, event, role, part)


@router.get("/{part}/events", dependencies=[Depends(check_feed)])
async def follow_part(
    event: str, part: str, request: Request, role: RoleHere, desk: AtDesk, seen: Annotated[str, Query()] = ""
) -> EventStream:
    """Every change of what this part shows."""
    _check_part(role, part)

    client = address_of(request)

    async def drawn(now: Event) -> str:
        given = await _given(desk, request, event, now, role, part)

        def rendered(_: Checkpoint) -> str:
            return rendered_part(f"event_{part}.html", **given, **_made(part, now))

        return await desk.events.workers.run(event, rendered, client=client, page=True)

    def mark(now: Event) -> int:
        return now.version if part == "now" else now.hall.shown

    return await follow_drawn(desk, request, event, drawn, mark=mark, seen=seen)


@router.post("/do")
async def do(event: str, request: Request, role: RoleHere, desk: AtDesk) -> Response:
    """One of the forms of the desk."""
    return await _do(request, desk, event, role, await form_of(request))


@router.post("/import")
async def bring_names(event: str, request: Request, role: Organiser, desk: AtDesk) -> Response:
    """A list of names from a file."""
    body = await request.body()
    names = await _computed(desk, request, event, partial(field_in, content_type_of(request), body, "names"))
    form = {"do": "enter", "part": "people", "names": names}
    return await _do(request, desk, event, role, form)


async def _do(request: Request, desk: Desk, event: str, role: Role, form: dict[str, str]) -> Response:
    what, part = form.get("do", ""), form.get("part", "now")
    part = part if part in PARTS else "now"
    seed = desk.entropy(8).hex()

    async def done() -> Event:
        if what not in STEPS:
            raise BadRequest("this cannot be asked", place="do")
        if role.kind is not Kind.ORGANISER and what not in OF_HELPERS:
            raise NotYourRole(f"that is not for a {role.kind} to do")
        place = place_of(form) if what in AT_TABLES else DESK
        seen = number(form, "v") if what in AT_TABLES or what in WEIGHTY else None
        return await desk.events.tell(
            event,
            role,
            lambda now: STEPS[what](now, form, seed),
            act=act_of(form),
            place=place,
            seen=seen,
            slow=what in SLOW,
            client=address_of(request),
            disconnected=request.is_disconnected,
        )

    async def shown(notice: str, status: int) -> Response:
        return await _page(request, desk, event, role, part, notice=notice, status=status)

    async def now() -> object:
        here = await desk.events.event(event)
        return there(here, *place_of(form)) if what in AT_TABLES else {"version": here.version}

    back = f"/e/{event}/desk" + ("" if part == "now" else f"/{part}")
    return await answered(request, done, shown, back=back, now=now)


@router.post("/links")
async def change_links(event: str, request: Request, role: Organiser, desk: AtDesk) -> Response:
    """New links, which this answer shows and nothing shows again; or the end of one."""
    form = await form_of(request)
    try:
        fresh = await changed_links(desk, request, event, form, token_of(request))
    except LeftbowerError as error:
        return await _refused_links(request, desk, event, role, error)
    if fresh is None:
        return RedirectResponse(f"/e/{event}/desk/links", 303)
    return await _page(request, desk, event, role, "links", fresh=fresh)


async def _refused_links(request: Request, desk: Desk, event: str, role: Role, error: LeftbowerError) -> Response:
    if wants_json(request):
        return refusal(error)
    notice = f"{error.message[:1].upper()}{error.message[1:]}."
    return await _page(request, desk, event, role, "links", notice=notice, status=status_of(error))


def _check_part(role: Role, part: str) -> None:
    if part not in PARTS:
        raise NotFound("there is nothing here")
    if role.kind is not Kind.ORGANISER and part not in OF_HELPERS_TO_SEE:
        raise NotYourRole(f"that is not for a {role.kind} to see")


async def _given(desk: Desk, request: Request, name: str, event: Event, role: Role, part: str) -> dict[str, Any]:
    """What a part of the desk is made of, but for what takes long."""
    given: dict[str, Any] = {
        "event": event,
        "event_name": name,
        "role": role,
        "part": part,
        "version": event.version,
        "dollars": dollars,
        "clock": clock_of(event, desk.events.clock()),
        "organiser": role.kind is Kind.ORGANISER,
    }
    if part == "links":
        return given | await links_shown(desk, request, name, event)
    return given


def _made(part: str, event: Event) -> dict[str, Any]:
    return MADE_OF[part](event) if part in MADE_OF else {}


async def _computed(desk: Desk, request: Request, event: str, work: Callable[[], T]) -> T:
    """What some work comes to, done by a worker unless the caller has disconnected."""
    client, disconnected = address_of(request), request.is_disconnected
    workers = desk.events.workers
    return await workers.run(event, lambda _: work(), client=client, page=True, disconnected=disconnected)


async def _page(
    request: Request,
    desk: Desk,
    name: str,
    role: Role,
    part: str,
    *,
    notice: str = "",
    status: int = 200,
    fresh: NewLinks | None = None,
) -> Response:
    _check_part(role, part)
    event = await desk.events.event(name)
    given = await _given(desk, request, name, event, role, part)
    parts = {one: title for one, title in PARTS.items() if role.kind is Kind.ORGANISER or one in OF_HELPERS_TO_SEE}
    given |= {"title": f"{event.plan.title}: {PARTS[part].lower()}", "notice": notice, "kind": "desk", "parts": parts}
    given["fresh"] = fresh
    feed = f"/e/{name}/desk/{part}/events"

    def rendered() -> Response:
        return live_page(request, f"event_{part}.html", feed, given | _made(part, event), status=status)

    return await _computed(desk, request, name, rendered)


def _file(text: str, kind: str, name: str) -> Response:
    return Response(text, media_type=kind, headers={"Content-Disposition": f'attachment; filename="{name}"'})
