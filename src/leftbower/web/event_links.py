"""Coming in to an event by a link: the code begins a session, whose cookie is for one kind of page.

Nobody needs an account. A code is good for one role at one event, until the organizer replaces or ends it. Codes and
sessions are kept as hashes, so a link is shown only when it is made.
"""

from typing import Annotated, Final

from fastapi import APIRouter, Depends, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from leftbower.errors import NotYourRole, UnknownLink
from leftbower.server.addresses import base_for_others
from leftbower.server.auth import address_of
from leftbower.server.desk import AtDesk, desk_of
from leftbower.tournament import Kind, Role
from leftbower.web.answering import PageRoute

router = APIRouter(
    prefix="/e/{event}", include_in_schema=False, default_response_class=HTMLResponse, route_class=PageRoute
)
COOKIE: Final = "leftbower-event"
OPENED: Final = "leftbower-opened"
"""Holds the desk's code for the page that shows it, in the browser that has just opened the event."""
_OPENED_SECONDS: Final = 600
PAGES: Final = {
    Kind.ORGANISER: "desk",
    Kind.HELPER: "desk",
    Kind.SIDE: "table",
    Kind.PLAYER: "me",
    Kind.WALL: "wall",
}
"""Where each role comes to: its cookie is sent there and nowhere else, so that one browser can have several."""
_MONTH: Final = 2_678_400


@router.get("/in/{code}")
async def come_in(event: str, code: str, request: Request, desk: AtDesk) -> Response:
    """Begin a session for the browser that has the code."""
    desk.halls.ask(address_of(request))
    role = await desk.events.role(event, code)
    if role is None or role.kind not in PAGES:
        desk.wrong_codes.ask(address_of(request))
        raise UnknownLink("this link leads nowhere, or no longer")
    answer = RedirectResponse(f"/e/{event}/{PAGES[role.kind]}", 303, {"Cache-Control": "no-store"})
    set_session(request, answer, event, role, await desk.events.admit(event, role))
    return answer


def set_session(request: Request, answer: Response, event: str, role: Role, token: str) -> None:
    """Have a browser keep the token of a session for the pages of its role, where no script reads it."""
    path, secure = f"/e/{event}/{PAGES[role.kind]}", request.url.scheme == "https"
    answer.set_cookie(
        cookie_of(request, COOKIE), token, path=path, httponly=True, samesite="lax", secure=secure, max_age=_MONTH
    )


async def role_here(event: str, request: Request) -> Role:
    """The role of whoever asks for a page of an event, by cookie or, for programs, by a token in the header."""
    desk, token = desk_of(request), token_of(request)
    if not token:
        desk.halls.ask(address_of(request))
        raise NotYourRole("this page is opened by the link or the code that you were given")
    role = await desk.events.role(event, token)
    if role is None:
        desk.wrong_codes.ask(address_of(request))
    else:
        desk.known.ask(link_key(event, role))
    page = request.url.path.removeprefix(f"/e/{event}/").partition("/")[0]
    if role is None or PAGES.get(role.kind) != page:
        raise NotYourRole("this page is opened by the link or the code that you were given")
    request.state.role = role
    return role


def asked_as(request: Request) -> Role | None:
    """The role that `role_here` found for a request; None on pages that ask for none."""
    role: Role | None = getattr(request.state, "role", None)
    return role


def link_key(event: str, role: Role) -> str:
    """Under which all browsers that came in by one link are limited together."""
    return f"link {event} {role.word}"


def opened(request: Request, event: str, code: str, token: str) -> Response:
    """To the page that shows the desk's link, with the cookies of the desk and of that page."""
    path, secure = f"/e/{event}/desk/opened", request.url.scheme == "https"
    answer = RedirectResponse(path, 303, {"Cache-Control": "no-store"})
    answer.set_cookie(
        cookie_of(request, OPENED),
        code,
        path=path,
        httponly=True,
        samesite="lax",
        secure=secure,
        max_age=_OPENED_SECONDS,
    )
    set_session(request, answer, event, Role(kind=Kind.ORGANISER), token)
    return answer


def cookie_of(request: Request, name: str) -> str:
    """Under HTTPS `__Secure-`, which no plain HTTP page can set; `__Host-` is only for cookies of the whole host."""
    return f"__Secure-{name}" if request.url.scheme == "https" else name


def token_of(request: Request) -> str:
    """The session's token that a request brings, or the code."""
    bearer = request.headers.get("authorization", "")
    return bearer[7:] if bearer.lower().startswith("bearer ") else request.cookies.get(cookie_of(request, COOKIE), "")


RoleHere = Annotated[Role, Depends(role_here)]


async def organiser_here(role: RoleHere) -> Role:
    """The organiser, and nobody else."""
    if role.kind is not Kind.ORGANISER:
        raise NotYourRole(f"that is not for a {role.kind} to do")
    return role


Organiser = Annotated[Role, Depends(organiser_here)]


def address_in(request: Request, event: str, code: str) -> str:
    """The address that brings somebody in."""
    return f"{base_for_others(request)}/e/{event}/in/{code}"
