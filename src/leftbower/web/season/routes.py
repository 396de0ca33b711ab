"""Routes of seasons: create one, its page for the organizer and for players, who is who, settings, downloads."""

from collections import defaultdict
from dataclasses import replace
from typing import Any

from fastapi import Request
from fastapi.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from markupsafe import Markup

from leftbower.errors import BadRequest, LeftbowerError, NotYourRole, UnknownSeason
from leftbower.i18n import gettext as _
from leftbower.printing import PaperSize, season_printout, to_html
from leftbower.server.auth import address_of
from leftbower.server.context import AppContext, Context
from leftbower.server.http.errors import report_store_error, status_of
from leftbower.server.http.form_data import parse_urlencoded
from leftbower.server.live.seasons import SeasonRole
from leftbower.server.live.tables import EVENT_LOG_PREFIX, SEASON_LOG_PREFIX
from leftbower.tournament.model.roles import Role, RoleKind
from leftbower.tournament.season.commands import (
    add_evening,
    entrant_facts,
    evening_facts,
    evening_plan,
    next_season,
    playoff_plan,
)
from leftbower.tournament.season.exports import season_csv, season_to_json
from leftbower.tournament.season.facts import PlayoffsStarted
from leftbower.tournament.season.plan import SeasonPlan
from leftbower.tournament.season.standings import playoff_players
from leftbower.tournament.season.view import SeasonView
from leftbower.tournament.text.parse import parse_choice
from leftbower.web.event import links as event_links
from leftbower.web.event.entry.dates import week_later
from leftbower.web.qr import qr_svg
from leftbower.web.responses import message_for, page_router, render_page
from leftbower.web.season.forms import COMMANDS, MAX_CHAIRS_PER_FORM, Form, parse_event_link, parse_plan, parse_table
from leftbower.web.season.links import (
    OPENED_COOKIE,
    SESSION_COOKIE,
    Page,
    SeasonPage,
    link_url,
    redirect_to_opened,
    set_session_cookie,
)
from leftbower.web.season.view_models import chair_view_models, season_context

router = page_router("/seasons")
_MAX_LISTED = 50
_EVENT_ORGANIZER = Role(kind=RoleKind.ORGANIZER)


@router.get("")
async def get_seasons(request: Request, context: Context) -> Response:
    """My seasons, and the form for a new one."""
    return await _render_new(request, context, {"absent_share": "1/2"})


@router.post("")
async def post_season(request: Request, context: Context) -> Response:
    """Create a season and sign the caller in as its organizer."""
    form = parse_urlencoded(await request.body())
    context.limits.anonymous.take(address_of(request))
    context.limits.new_events.take(address_of(request))
    try:
        plan = parse_plan(form)
        person, token = await context.auth.browser_account_or_guest(request, _("Host"))
        name, code = await context.seasons.create(plan, person=person)
    except LeftbowerError as error:
        report_store_error(request, error)
        return await _render_new(request, context, form, notice=message_for(error), status=status_of(error))
    return await redirect_to_opened(context, request, name, code, guest_token=token)


@router.post("/{season}/open")
async def post_open(season: str, request: Request, context: Context) -> Response:
    """Open an own season, by the account that created it."""
    context.limits.anonymous.take(address_of(request))
    person = await context.auth.account_of_browser(request)
    if not person or person not in (await context.seasons.get(season)).organizers:
        raise NotYourRole("open this page with your own link")
    response = RedirectResponse(f"/seasons/{season}/desk", 303, {"Cache-Control": "no-store"})
    token = await context.seasons.create_session(season, SeasonRole.ORGANIZER)
    set_session_cookie(request, response, season, SeasonRole.ORGANIZER, token)
    return response


@router.get("/{season}/desk/opened")
async def get_opened(page: Page) -> Response:
    """Show the organizer's link to the browser that created the season, for ten minutes."""
    code = event_links.link_cookie(page.request, OPENED_COOKIE)
    if not code or await page.context.seasons.role(page.name, code) is not SeasonRole.ORGANIZER:
        return RedirectResponse(page.url, 303)
    return await _render_link(page, code, SeasonRole.ORGANIZER)


@router.get("/{season}/desk")
@router.get("/{season}/standings")
async def get_season(page: Page) -> Response:
    """The season's page."""
    return await _render_season(page)


@router.get("/{season}/desk/who/{event}")
async def get_who(page: Page, event: str) -> Response:
    """Who is who in an evening."""
    return await _render_who(page, event)


@router.get("/{season}/desk/settings")
async def get_settings(page: Page) -> Response:
    """How the season counts, divisions, links, and people who want to be left out."""
    return await _render_settings(page)


@router.get("/{season}/desk/print")
@router.get("/{season}/standings/print")
async def get_printout(page: Page, paper: str = "letter") -> Response:
    view, size = await page.view(), parse_choice(PaperSize, paper, "paper")
    style = f"/static/print-{size.value}.css"
    return HTMLResponse(await page.run(lambda _checkpoint: to_html(season_printout(view), size, style=style)))


@router.get("/{season}/desk/season.csv")
@router.get("/{season}/standings/season.csv")
async def get_csv(page: Page) -> Response:
    view = await page.view()
    text = await page.run(lambda _checkpoint: season_csv(view))
    return Response(text, media_type="text/csv", headers={"Content-Disposition": 'attachment; filename="season.csv"'})


@router.get("/{season}/desk/season.json")
@router.get("/{season}/standings/season.json")
async def get_json(page: Page) -> Response:
    view = await page.view()
    return JSONResponse(await page.run(lambda _checkpoint: season_to_json(view)))


@router.post("/{season}/desk/commands")
async def post_command(page: Page) -> Response:
    """Change the season; a refusal comes back on the page with the form."""
    form = parse_urlencoded(await page.request.body())
    command, event = form.get("command", ""), form.get("event", "")
    try:
        match command:
            case "add":
                return await _add_evening(page, form)
            case "add-table":
                return await _add_table(page, form)
            case "evening" | "playoffs":
                return await _create_event(page, command)
            case "next":
                return await _next_season(page, form)
            case "link":
                return await _new_link(page, form)
            case _ if command in COMMANDS:
                await page.context.seasons.execute(page.name, lambda view: COMMANDS[command](view, form))
            case _:
                raise BadRequest("unknown command", path="command")
    except LeftbowerError as error:
        report_store_error(page.request, error)
        notice, status = message_for(error), status_of(error)
        if command == "confirm":
            return await _render_who(page, event, notice=notice, status=status)
        if command in ("plan", "divide", "rate", "erase", "next", "close", "reopen"):
            return await _render_settings(page, notice=notice, status=status)
        return await _render_season(page, notice=notice, status=status)
    if command == "confirm":
        view = await page.view()
        return RedirectResponse(_who_url(page, view) or page.url, 303)
    back = f"{page.url}/settings" if command in ("plan", "divide", "rate", "erase", "reopen") else page.url
    return RedirectResponse(back, 303)


async def _add_evening(page: SeasonPage, form: Form) -> Response:
    """Add an event of which the caller is an organizer: one of their own, or by its link."""
    context = page.context
    if event := form.get("event", ""):
        person = await context.auth.account_of_browser(page.request)
        if not person or person not in (await context.events.get(event)).organizers:
            raise NotYourRole("this is not your event; paste the link of its desk")
    else:
        event, code = parse_event_link(form.get("link", ""))
        if await context.events.role(event, code) != _EVENT_ORGANIZER:
            context.limits.wrong_codes.take(address_of(page.request))
            raise NotYourRole("this is not the link of a desk")
    await context.seasons.execute(page.name, lambda view: add_evening(view, event), event)
    return RedirectResponse(_who_url(page, await page.view()) or page.url, 303)


async def _add_table(page: SeasonPage, form: Form) -> Response:
    """Add a live table at which the organizer has played; its matches count for the ratings."""
    person = await page.context.auth.account_of_browser(page.request)
    await page.context.seasons.add_table(page.name, parse_table(form.get("table", "")), person)
    return RedirectResponse(_who_url(page, await page.view()) or page.url, 303)


def _who_url(page: SeasonPage, view: SeasonView) -> str:
    """The page of the first evening with names to confirm; empty if there is none."""
    played = (*view.season.evenings, *view.season.tables)
    missing = [each.event for each in played if view.unconfirmed(each.event)]
    return f"{page.url}/who/{missing[0]}" if missing else ""


async def _create_event(page: SeasonPage, kind: str) -> Response:
    """Create the next evening or the playoffs as an event, and open its desk."""
    context, view = page.context, await page.view()
    context.limits.new_events.take(address_of(page.request))
    is_evening = kind == "evening"
    entrants = list(evening_facts(view) if is_evening else entrant_facts(view, playoff_players(view)))
    plan = evening_plan(view) if is_evening else playoff_plan(view)
    plan = replace(plan, starts=week_later(plan.starts) if is_evening else "")
    person, token = await context.auth.browser_account_or_guest(page.request, _("Host"))
    name, code = await context.events.create(plan, facts=lambda _event: entrants, person=person)
    if is_evening:
        await context.seasons.execute(page.name, lambda view: add_evening(view, name), name)
    else:
        await context.seasons.execute(page.name, lambda view: [PlayoffsStarted(event=name)])
    return await event_links.redirect_to_opened(page.request, name, code, guest_token=token)


async def _next_season(page: SeasonPage, form: Form) -> Response:
    """Create the next season with the same people, after promotion."""
    context, view = page.context, await page.view()
    context.limits.new_events.take(address_of(page.request))
    plan = parse_plan(form)
    person, token = await context.auth.browser_account_or_guest(page.request, _("Host"))
    _opened, *carried = next_season(view, plan)
    name, code = await context.seasons.create(plan, *carried, person=person)
    return await redirect_to_opened(context, page.request, name, code, guest_token=token)


async def _new_link(page: SeasonPage, form: Form) -> Response:
    """Make a new link for players or for the organizer; the old one ends."""
    role = SeasonRole.ORGANIZER if form.get("role") == SeasonRole.ORGANIZER else SeasonRole.READER
    code = await page.context.seasons.create_link(
        page.name, role, except_token=event_links.session_token(page.request, SESSION_COOKIE)
    )
    return await _render_link(page, code, role)


async def _render_link(page: SeasonPage, code: str, role: SeasonRole) -> Response:
    address, view = link_url(page.request, page.name, code), await page.view()
    return render_page(
        page.request,
        "season/link.html",
        title=view.season.plan.title,
        url=page.url,
        address=address,
        qr=Markup(await page.run(lambda _checkpoint: qr_svg(address))),  # our own SVG
        for_players=role is SeasonRole.READER,
    )


async def _render_new(
    request: Request, context: AppContext, form: Form, *, notice: str = "", status: int = 200
) -> Response:
    own = await _own(context, request, SEASON_LOG_PREFIX)
    return render_page(
        request,
        "season/new.html",
        status=status,
        title=_("Seasons"),
        form=defaultdict(str, form),
        notice=notice,
        seasons=own,
    )


async def _own(context: AppContext, request: Request, prefix: str) -> list[tuple[str, str]]:
    """The names and titles of the caller's own events or seasons, latest first."""
    person = await context.auth.account_of_browser(request)
    listings = await context.store.listings(person=person, limit=4 * _MAX_LISTED) if person else []
    own = [listing for listing in listings if listing.log.startswith(prefix)][:_MAX_LISTED]
    return [(listing.log.removeprefix(prefix), str(listing.body.get("title", ""))) for listing in own]


async def _render_season(page: SeasonPage, *, notice: str = "", status: int = 200) -> Response:
    view = await page.view()
    own = await _own(page.context, page.request, EVENT_LOG_PREFIX) if page.is_organizer else []
    context: dict[str, Any] = await page.run(lambda _checkpoint: season_context(view))
    return render_page(
        page.request,
        "season/page.html",
        status=status,
        title=view.season.plan.title,
        url=page.url,
        is_organizer=page.is_organizer,
        own_events=[(name, title) for name, title in own if name not in view.events],
        notice=notice,
        **context,
    )


async def _render_who(page: SeasonPage, event: str, *, notice: str = "", status: int = 200) -> Response:
    view = await page.view()
    if view.season.evening(event) is None:
        raise UnknownSeason("this evening isn't in the season")
    chairs = await page.run(lambda _checkpoint: chair_view_models(view, event))
    return render_page(
        page.request,
        "season/who.html",
        status=status,
        title=_("Who is who"),
        url=page.url,
        event=event,
        evening=_title(view, event),
        to_confirm=[chair for chair in chairs if not chair.player][:MAX_CHAIRS_PER_FORM],
        known=[chair for chair in chairs if chair.player],
        players=sorted(view.names.items(), key=lambda item: item[1].casefold()),
        notice=notice,
    )


def _title(view: SeasonView, event: str) -> str:
    """The title of an evening or a live table; empty if it can't be read."""
    if event in view.live:
        return view.live[event].title
    return view.events[event].plan.title if event in view.events else ""


async def _render_settings(page: SeasonPage, *, notice: str = "", status: int = 200) -> Response:
    view = await page.view()
    plan = view.season.plan
    return render_page(
        page.request,
        "season/settings.html",
        status=status,
        title=_("Settings"),
        url=page.url,
        season=view.season,
        form=plan_form(plan),
        names=view.names,
        notice=notice,
    )


def plan_form(plan: SeasonPlan) -> dict[str, str]:
    """The fields of the form for this plan."""
    return {
        "title": plan.title,
        "evenings": str(plan.evenings or ""),
        "best": str(plan.best or ""),
        "counting": str(plan.counting),
        "attendance": str(plan.attendance or ""),
        "absent_share": str(plan.absent_share),
        "substitute_share": str(plan.substitute_share),
        "teams": "yes" if plan.teams else "",
        "divisions": ", ".join(plan.divisions),
        "promoted": str(plan.promoted or ""),
        "playoffs": str(plan.playoffs or ""),
        "needed": str(plan.needed or ""),
        "ratings": "yes" if plan.ratings else "",
    }
