"""The public sign-up page, where people enter themselves, and the check-in with the code at the door."""

from collections import defaultdict
from contextlib import suppress
from dataclasses import dataclass
from hmac import compare_digest
from typing import Annotated, Any, Final

from fastapi import Depends, Request
from fastapi.responses import RedirectResponse, Response

from leftbower.errors import BadEntry, LeftbowerError, LinkRevoked, NotYourRole, UnknownEvent, WrongDoorCode
from leftbower.i18n import gettext as _
from leftbower.server.auth import address_of
from leftbower.server.context import AppContext, Context
from leftbower.server.http.errors import error_response, report_store_error, status_of
from leftbower.server.http.form_data import parse_urlencoded, wants_json
from leftbower.server.http.lan import public_base_url
from leftbower.server.people.sanitize import strip_invisible
from leftbower.tournament.entry.facts import EntrantDeleted, SignedUp
from leftbower.tournament.model.commands import new_ids
from leftbower.tournament.model.entrants import EntrantPresence
from leftbower.tournament.model.facts import EventFact, PresenceMarked
from leftbower.tournament.model.plan import EventPlan
from leftbower.tournament.model.roles import Role, RoleKind
from leftbower.tournament.model.state import Event
from leftbower.tournament.text.csv import parse_entrant
from leftbower.web.event.entry.calendar import evening_ics
from leftbower.web.event.entry.dates import format_when
from leftbower.web.event.entry.plan_form import describe_plan, short_dollars
from leftbower.web.event.links import session_token, set_session_cookie
from leftbower.web.responses import message_for, page_router, render_page

router = page_router("/e/{event}")
_GUEST: Final = Role(kind=RoleKind.GUEST)
_MAX_NAMES_SHOWN: Final = 200


@dataclass(frozen=True, slots=True)
class SignUpPage:
    """A request for the sign-up page of an event, with the entrant that this browser signed up."""

    name: str
    request: Request
    context: AppContext
    role: Role

    async def event(self) -> Event:
        event = await self.context.events.get(self.name)
        if event.signup is None:
            raise UnknownEvent("there is no such event, or it is not public")
        return event


async def sign_up_page(event: str, request: Request, context: Context) -> SignUpPage:
    """The page; a cookie or token of another role counts as none."""
    context.limits.event_pages.take(address_of(request))
    token, role = session_token(request), None
    with suppress(LinkRevoked):
        role = await context.events.role(event, token) if token else None
    page = SignUpPage(event, request, context, role if role is not None and role.kind is RoleKind.GUEST else _GUEST)
    await page.event()
    return page


OpenPage = Annotated[SignUpPage, Depends(sign_up_page)]


@router.get("/sign-up")
async def get_sign_up(page: OpenPage, door: str = "") -> Response:
    return await _render(page, {"door": door[:10]})


@router.post("/sign-up")
async def post_sign_up(page: OpenPage) -> Response:
    """Sign up; the cookie lets this browser change its mind."""
    form = await _parse(page)
    page.context.limits.new_entries.take(address_of(page.request))
    signed: list[SignedUp] = []

    def facts(event: Event) -> list[EventFact]:
        signed[:] = [parse_sign_up(event, form)]
        return [*signed]

    try:
        await page.context.events.execute(page.name, _GUEST, facts)
    except LeftbowerError as error:
        return await _render(page, form, error=error)
    role = Role(kind=RoleKind.GUEST, subject=signed[0].entrant)
    response = _redirect(page)
    set_session_cookie(
        page.request, response, page.name, role, await page.context.events.create_session(page.name, role)
    )
    return response


@router.post("/sign-up/cancel")
async def post_cancel(page: OpenPage) -> Response:
    """Delete what this browser signed up, before the first draw."""
    if not page.role.subject:
        raise NotYourRole("this browser didn't sign anyone up; ask the organizer")
    form = await _parse(page)
    try:
        await page.context.events.execute(page.name, page.role, lambda event: _cancel(event, page.role.subject))
    except LeftbowerError as error:
        return await _render(page, form, error=error)
    return _redirect(page)


@router.post("/sign-up/here")
async def post_here(page: OpenPage) -> Response:
    """Check in at the door, with the code that hangs there."""
    form = await _parse(page)

    def facts(event: Event) -> list[EventFact]:
        code = event.signup.door_code if event.signup else ""
        if not code or not compare_digest(code.encode(), form.get("door", "").strip().upper().encode()):
            raise WrongDoorCode("that isn't the code at the door")
        event.check_open()
        entrant = event.entrant(form.get("who", ""))
        if entrant.presence is EntrantPresence.WITHDRAWN or entrant.house_player:
            raise BadEntry("%(name)s isn't expected; ask the organizer", name=entrant.name)
        present = EntrantPresence.PRESENT
        return [] if entrant.presence is present else [PresenceMarked(entrant=entrant.id, presence=present)]

    try:
        await page.context.events.execute(page.name, _GUEST, facts)
    except LeftbowerError as error:
        if isinstance(error, WrongDoorCode):
            page.context.limits.wrong_codes.take(address_of(page.request))
        return await _render(page, form, error=error)
    return await _render(page, {}, checked_in=form["who"])


@router.get("/evening.ics")
async def get_calendar(event: str, request: Request, context: Context) -> Response:
    """The evening for a calendar, if its page or its sign-up is public and it has a date."""
    context.limits.event_pages.take(address_of(request))
    state = await context.events.get(event)
    if not state.plan.starts or not (state.hall.public_page or state.signup):
        raise UnknownEvent("there is no such event, or it is not public")
    address = f"{public_base_url(request)}/e/{event}{'/sign-up' if state.signup else ''}"
    return Response(
        evening_ics(state, event, address),
        media_type="text/calendar",
        headers={"Content-Disposition": 'attachment; filename="evening.ics"'},
    )


def parse_sign_up(event: Event, form: dict[str, str]) -> SignedUp:
    """The sign-up that a form describes: a player, a team, or a player who needs a partner."""
    singles, alone = event.plan.stage.singles, form.get("partner_kind") == "find"
    names = [_clean_name(form, "name")]
    if not singles and not alone:
        if not form.get("partner", "").strip():
            raise BadEntry("enter your partner's name, or choose “Find me one”", path="partner")
        names.append(_clean_name(form, "partner"))
    return SignedUp(
        entrant=next(iter(new_ids(event))),
        name=" & ".join(names),
        players=tuple(names) if len(names) == 2 else (),
        school=_clean(form.get("school", "")) if event.plan.stage.definition.by_school else "",
        single=alone and not singles,
    )


def _clean_name(form: dict[str, str], field: str) -> str:
    name = _clean(form.get(field, ""))
    if not any(map(str.isalnum, name)) or parse_entrant(name).players:
        raise BadEntry("enter one person's name", path=field)
    return name


def _clean(text: str) -> str:
    return " ".join(strip_invisible(text).split())


def _cancel(event: Event, entrant: str) -> list[EventFact]:
    known = entrant in event.entrants or entrant in event.applicants
    return [EntrantDeleted(entrant=entrant)] if known else []


async def _parse(page: SignUpPage) -> dict[str, str]:
    page.context.limits.anonymous.take(address_of(page.request))
    return parse_urlencoded(await page.request.body())


def _redirect(page: SignUpPage) -> RedirectResponse:
    return RedirectResponse(f"/e/{page.name}/sign-up", 303, {"Cache-Control": "no-store"})


async def _render(
    page: SignUpPage, form: dict[str, str], *, error: LeftbowerError | None = None, checked_in: str = ""
) -> Response:
    if error is not None:
        report_store_error(page.request, error)
        if wants_json(page.request):
            return error_response(error)
    event = await page.event()
    return render_page(
        page.request,
        "event/entry/sign_up.html",
        status=status_of(error) if error else 200,
        title=event.plan.title,
        event_name=page.name,
        form=defaultdict(str, form),
        notice=message_for(error) if error else "",
        wrong_field=error.path if error else "",
        checked_in=event.entrant(checked_in).name if checked_in else "",
        **sign_up_context(event, page.role.subject),
    )


def sign_up_context(event: Event, own: str) -> dict[str, Any]:
    """What the public page shows; `own` is the entrant that the browser signed up, if any."""
    waiting = [*event.applicants]
    names = [entrant.name for entrant in event.entrants.values() if not entrant.house_player]
    return {
        "event": event,
        "when": format_when(event.plan.starts),
        "fee": fee_text(event.plan),
        "about": describe_plan(event.plan),
        "singles": event.plan.stage.singles,
        "schools": event.plan.stage.definition.by_school,
        "taken": event.people_entered,
        "seats": event.signup.seats if event.signup else 0,
        "is_full": bool(event.signup and 0 < event.signup.seats <= event.people_entered),
        "is_open": bool(event.signup and event.signup.open and not event.rounds and not event.closed),
        "own_name": (event.entrants.get(own) or event.applicants[own]).name
        if own in event.entrants or own in event.applicants
        else "",
        "own_place": waiting.index(own) + 1 if own in waiting else 0,
        "own": own,
        "names": names[:_MAX_NAMES_SHOWN],
        "more_names": max(0, len(names) - _MAX_NAMES_SHOWN),
        "partnerless": sum(entrant.single for entrant in event.entrants.values()),
        "waiting": len(waiting),
        "expected": [
            entrant
            for entrant in event.entrants.values()
            if entrant.presence not in (EntrantPresence.PRESENT, EntrantPresence.WITHDRAWN) and not entrant.house_player
        ],
    }


def fee_text(plan: EventPlan) -> str:
    """`$10 a player` or `$20 a team`; empty if it costs nothing."""
    if not plan.fee:
        return ""
    if plan.stage.singles:
        return _("%(fee)s a player", fee=short_dollars(plan.fee))
    return _("%(fee)s a team", fee=short_dollars(plan.fee))
