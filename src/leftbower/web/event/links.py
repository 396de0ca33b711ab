"""Role links of an event: a code starts a session, whose cookie is sent only to the pages of its role.

No account is needed. A code gives one role at one event until the organizer replaces or ends it. Codes and sessions
are stored as hashes, so a link is shown only when it is created.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Final, TypeVar

from fastapi import Depends, Request
from fastapi.responses import RedirectResponse, Response

from leftbower.errors import NotYourRole, UnknownLink
from leftbower.server.auth import address_of, set_cookie
from leftbower.server.context import AppContext, Context
from leftbower.server.http.lan import public_base_url
from leftbower.server.live.event_workers import Checkpoint
from leftbower.tournament.model.roles import Role, RoleKind
from leftbower.tournament.model.state import Event
from leftbower.web.event.entry.mine import remember_organizer
from leftbower.web.responses import page_router

T = TypeVar("T")
router = page_router("/e/{event}")
SESSION_COOKIE: Final = "leftbower-event"
OPENED_COOKIE: Final = "leftbower-opened"
"""Carries the organizer's code to the page that shows it, in the browser that created the event."""
_OPENED_MAX_AGE_SECONDS: Final = 600
ROLE_PAGES: Final = {
    RoleKind.ORGANIZER: "desk",
    RoleKind.HELPER: "desk",
    RoleKind.SIDE: "table",
    RoleKind.PLAYER: "me",
    RoleKind.WALL: "wall",
    RoleKind.GUEST: "sign-up",
}
"""The page of each role. It is also the path of the session cookie, so one browser can have several roles."""
_SESSION_MAX_AGE_SECONDS: Final = 2_678_400


@router.get("/join/{code}")
async def redeem_link(event: str, code: str, request: Request, context: Context) -> Response:
    """Exchange a code for a session cookie and redirect to the page of its role."""
    context.limits.event_pages.take(address_of(request))
    role = await context.events.role(event, code)
    if role is None or role.kind not in ROLE_PAGES:
        context.limits.wrong_codes.take(address_of(request))
        raise UnknownLink("this link doesn't work; ask for a new one")
    if role.kind is RoleKind.ORGANIZER:
        await remember_organizer(context, request, event)
    response = RedirectResponse(f"/e/{event}/{ROLE_PAGES[role.kind]}", 303, {"Cache-Control": "no-store"})
    set_session_cookie(request, response, event, role, await context.events.create_session(event, role))
    return response


def set_session_cookie(request: Request, response: Response, event: str, role: Role, token: str) -> None:
    """Set the session cookie, HttpOnly and limited to the pages of its role."""
    path = f"/e/{event}/{ROLE_PAGES[role.kind]}"
    _set_cookie(request, response, SESSION_COOKIE, token, path, _SESSION_MAX_AGE_SECONDS)


async def require_role(event: str, request: Request, context: Context) -> Role:
    """The caller's role at an event, by session cookie or bearer token; NotYourRole without one for this page."""
    token = session_token(request)
    if not token:
        context.limits.event_pages.take(address_of(request))
        raise NotYourRole("open this page with your own link or code")
    role = await context.events.role(event, token)
    if role is None:
        context.limits.wrong_codes.take(address_of(request))
    else:
        context.limits.token.take(role_limit_key(event, role))
    page = request.url.path.removeprefix(f"/e/{event}/").partition("/")[0]
    if role is None or ROLE_PAGES.get(role.kind) != page:
        raise NotYourRole("open this page with your own link or code")
    request.state.role = role
    return role


def request_role(request: Request) -> Role | None:
    """The role that `require_role` stored on the request; None on public pages."""
    role: Role | None = getattr(request.state, "role", None)
    return role


def role_limit_key(event: str, role: Role) -> str:
    """Rate-limit key shared by all browsers with the same link."""
    return f"link {event} {role.key}"


async def redirect_to_opened(request: Request, event: str, code: str, *, guest_token: str = "") -> Response:
    """Set the cookies of the desk and of the page that shows the organizer's link; redirect to that page.

    A new guest gets its cookie too, so that the browser's own list shows the event.
    """
    path, organizer = f"/e/{event}/desk/opened", Role(kind=RoleKind.ORGANIZER)
    response = RedirectResponse(path, 303, {"Cache-Control": "no-store"})
    if guest_token:
        set_cookie(request, response, guest_token)
    _set_cookie(request, response, OPENED_COOKIE, code, path, _OPENED_MAX_AGE_SECONDS)
    token = await request.app.state.context.events.create_session(event, organizer)
    set_session_cookie(request, response, event, organizer, token)
    return response


def _set_cookie(request: Request, response: Response, name: str, value: str, path: str, max_age: int) -> None:
    secure = request.url.scheme == "https"
    response.set_cookie(
        event_cookie_name(request, name), value, max_age, path=path, secure=secure, httponly=True, samesite="lax"
    )


def event_cookie_name(request: Request, name: str) -> str:
    """Add `__Secure-` under HTTPS, so plain HTTP cannot set the cookie; `__Host-` would forbid a path."""
    return f"__Secure-{name}" if request.url.scheme == "https" else name


def session_token(request: Request, cookie: str = SESSION_COOKIE) -> str:
    """The bearer token or session cookie of a request; a bearer token may also be a link's code."""
    bearer = request.headers.get("authorization", "")
    return bearer[7:] if bearer.lower().startswith("bearer ") else link_cookie(request, cookie)


def link_cookie(request: Request, name: str) -> str:
    """A cookie of the links of events and seasons; empty without one."""
    return request.cookies.get(event_cookie_name(request, name), "")


EventRole = Annotated[Role, Depends(require_role)]


def check_organizer(role: Role) -> None:
    """Raise NotYourRole for other roles."""
    if role.kind is not RoleKind.ORGANIZER:
        raise NotYourRole("only the organizer can do this")


@dataclass(frozen=True, slots=True)
class EventPage:
    """A request for a page of an event, with the caller's role."""

    name: str
    """Name of the event."""
    request: Request
    role: Role
    context: AppContext

    async def event(self) -> Event:
        return await self.context.events.get(self.name)

    async def run(self, job: Callable[[Checkpoint], T]) -> T:
        """Run a job in the event workers; cancel it if the client disconnects."""
        client, disconnected = address_of(self.request), self.request.is_disconnected
        return await self.context.events.workers.run(
            self.name, job, client=client, page=True, disconnected=disconnected
        )


async def role_page(event: str, request: Request, role: EventRole, context: Context) -> EventPage:
    return EventPage(event, request, role, context)


RolePage = Annotated[EventPage, Depends(role_page)]


async def organizer_page(page: RolePage) -> EventPage:
    check_organizer(page.role)
    return page


OrganizerPage = Annotated[EventPage, Depends(organizer_page)]


def link_url(request: Request, event: str, code: str) -> str:
    return f"{public_base_url(request)}/e/{event}/join/{code}"
