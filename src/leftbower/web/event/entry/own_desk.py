"""The desk by the account or browser that opened the event, and the next evening with the same plan and people."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Annotated, Final

from fastapi import Depends, Request
from fastapi.responses import RedirectResponse, Response

from leftbower.errors import NotYourRole
from leftbower.i18n import gettext as _
from leftbower.server.auth import address_of
from leftbower.server.context import Context
from leftbower.server.http.form_data import parse_urlencoded
from leftbower.tournament.entry.facts import NextEventOpened
from leftbower.tournament.model.facts import EntrantAdded, EventFact
from leftbower.tournament.model.roles import Role, RoleKind
from leftbower.tournament.model.state import Event
from leftbower.web.event.entry.dates import week_later
from leftbower.web.event.links import redirect_to_opened, session_token, set_session_cookie
from leftbower.web.responses import page_router

router = page_router("/e/{event}/desk")
_ORGANIZER: Final = Role(kind=RoleKind.ORGANIZER)


async def own_event(event: str, request: Request, context: Context) -> Event:
    """The event, if the caller has an organizer's session or is one of its organizers; else NotYourRole."""
    context.limits.anonymous.take(address_of(request))
    token = session_token(request)
    if token and await context.events.role(event, token) == _ORGANIZER:
        return await context.events.get(event)
    person = await context.auth.account_of_browser(request)
    if not person or person not in (state := await context.events.get(event)).organizers:
        raise NotYourRole("open this page with your own link or code")
    return state


OwnEvent = Annotated[Event, Depends(own_event)]


@router.post("/open")
async def post_open(event: str, request: Request, context: Context, state: OwnEvent) -> Response:
    """Open the desk, with a new session unless this browser has one."""
    response = RedirectResponse(f"/e/{event}/desk", 303, {"Cache-Control": "no-store"})
    token = session_token(request)
    if not token or await context.events.role(event, token) is None:
        session = await context.events.create_session(event, _ORGANIZER)
        set_session_cookie(request, response, event, _ORGANIZER, session)
    return response


@router.post("/again")
async def post_again(event: str, request: Request, context: Context, state: OwnEvent) -> Response:
    """Open the next evening with the same plan and people, a week later or at the time in the form."""
    form = parse_urlencoded(await request.body())
    context.limits.new_events.take(address_of(request))
    plan = replace(state.plan, starts=form.get("starts", "")[:16] or week_later(state.plan.starts))
    person, token = await context.auth.browser_account_or_guest(request, _("Host"))
    name, code = await context.events.create(plan, facts=lambda _event: _same_people(state), person=person)
    await context.events.execute(event, _ORGANIZER, lambda _event: [NextEventOpened(event=name)])
    return await redirect_to_opened(request, name, code, guest_token=token)


def _same_people(event: Event) -> Iterator[EventFact]:
    """All entrants but bots, unpaid and expected."""
    people = (entrant for entrant in event.entrants.values() if not entrant.house_player)
    for number, entrant in enumerate(people, 1):
        yield EntrantAdded(
            entrant=f"e{number}",
            name=entrant.name,
            players=entrant.players,
            school=entrant.school,
            single=entrant.single,
        )
