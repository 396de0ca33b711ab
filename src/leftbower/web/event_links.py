"""Coming in to an event by a link: the code becomes a cookie for one kind of page, and the address is clean.

Nobody needs an account. A code is good for one role at one event, until the organiser ends it.
"""

from typing import Annotated, Final

from fastapi import APIRouter, Depends, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from leftbower.errors import NotYourRole, UnknownLink
from leftbower.server.addresses import base_for_others
from leftbower.server.auth import address_of
from leftbower.server.desk import AtDesk, Desk, desk_of
from leftbower.store import hash_token
from leftbower.tournament import Kind, Role
from leftbower.web.answering import PageRoute

router = APIRouter(
    prefix="/e/{event}", include_in_schema=False, default_response_class=HTMLResponse, route_class=PageRoute
)
COOKIE: Final = "leftbower-event"
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
    """Whoever has the code has the role."""
    desk.halls.ask(address_of(request))
    role = await desk.events.role(event, code)
    if role is None or role.kind not in PAGES:
        desk.wrong_codes.ask(address_of(request))
        raise UnknownLink("this link leads nowhere, or no longer")
    return brought_in(request, event, role, code)


def brought_in(request: Request, event: str, role: Role, code: str) -> Response:
    """To the page of a role, with its cookie."""
    page = f"/e/{event}/{PAGES[role.kind]}"
    answer = RedirectResponse(page, 303, {"Cache-Control": "no-store"})
    secure = request.url.scheme == "https"
    name = _cookie_name(request)
    answer.set_cookie(name, code, path=page, httponly=True, samesite="lax", secure=secure, max_age=_MONTH)
    return answer


async def role_here(event: str, request: Request) -> Role:
    """The role of whoever asks for a page of an event, by cookie or, for programs, by a token in the header."""
    desk, code = desk_of(request), code_of(request)
    if not code:
        desk.halls.ask(address_of(request))
        raise NotYourRole("this page is opened by the link or the code that you were given")
    role = await desk.events.role(event, code)
    if role is None:
        desk.wrong_codes.ask(address_of(request))
    else:
        desk.known.ask(hash_token(code))
    page = request.url.path.removeprefix(f"/e/{event}/").partition("/")[0]
    if role is None or PAGES.get(role.kind) != page:
        raise NotYourRole("this page is opened by the link or the code that you were given")
    return role


def _cookie_name(request: Request) -> str:
    """Under HTTPS `__Secure-`, which no plain HTTP page can set; `__Host-` is only for cookies of the whole host."""
    return f"__Secure-{COOKIE}" if request.url.scheme == "https" else COOKIE


def code_of(request: Request) -> str:
    """The code that a request brings."""
    bearer = request.headers.get("authorization", "")
    return bearer[7:] if bearer.lower().startswith("bearer ") else request.cookies.get(_cookie_name(request), "")


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


async def reader_of(desk: Desk, request: Request) -> str:
    """Under which a feed counts: the code's own, or all that come from one address."""
    code = code_of(request)
    return f"link {hash_token(code)[:16]}" if code else address_of(request)
