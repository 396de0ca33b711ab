"""Links of a season: a code starts a session, whose cookie is sent only to the pages of its role."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Final, TypeVar

from fastapi import Depends, Request
from fastapi.responses import RedirectResponse, Response

from leftbower.errors import NotYourRole, UnknownLink
from leftbower.server.auth import address_of, set_cookie as set_account_cookie
from leftbower.server.context import AppContext, Context
from leftbower.server.http.lan import public_base_url
from leftbower.server.live.event_workers import Checkpoint
from leftbower.server.live.seasons import SeasonRole
from leftbower.tournament.season.view import SeasonView
from leftbower.web.event.links import event_cookie_name, session_token
from leftbower.web.responses import page_router

T = TypeVar("T")
router = page_router("/seasons/{season}")
SESSION_COOKIE: Final = "leftbower-season"
OPENED_COOKIE: Final = "leftbower-opened"
"""Carries the organizer's code to the page that shows it, in the browser that created the season."""
_OPENED_MAX_AGE_SECONDS: Final = 600
_SESSION_MAX_AGE_SECONDS: Final = 31_536_000
SEASON_PAGES: Final = {SeasonRole.ORGANIZER: "desk", SeasonRole.READER: "standings"}
"""The page of each role; also the path of the session cookie, so that an organizer can open the players' link."""


@dataclass(frozen=True, slots=True)
class SeasonPage:
    """A request for a page of a season, with the caller's role."""

    name: str
    request: Request
    role: SeasonRole
    context: AppContext

    @property
    def url(self) -> str:
        return f"/seasons/{self.name}/{SEASON_PAGES[self.role]}"

    @property
    def is_organizer(self) -> bool:
        return self.role is SeasonRole.ORGANIZER

    async def view(self, *more: str) -> SeasonView:
        return await self.context.seasons.view(self.name, *more)

    async def run(self, job: Callable[[Checkpoint], T]) -> T:
        """Run a job in the event workers; cancel it if the client disconnects."""
        client, disconnected = address_of(self.request), self.request.is_disconnected
        return await self.context.events.workers.run(
            self.name, job, client=client, page=True, disconnected=disconnected
        )


@router.get("/join/{code}")
async def redeem_link(season: str, code: str, request: Request, context: Context) -> Response:
    """Exchange a code for a session cookie and redirect to the page of its role."""
    context.limits.event_pages.take(address_of(request))
    role = await context.seasons.role(season, code)
    if role is None:
        context.limits.wrong_codes.take(address_of(request))
        raise UnknownLink("this link doesn't work; ask for a new one")
    response = RedirectResponse(f"/seasons/{season}/{SEASON_PAGES[role]}", 303, {"Cache-Control": "no-store"})
    set_session_cookie(request, response, season, role, await context.seasons.create_session(season, role))
    return response


def set_session_cookie(request: Request, response: Response, season: str, role: SeasonRole, token: str) -> None:
    """Set the session cookie, HttpOnly and limited to the pages of its role."""
    path = f"/seasons/{season}/{SEASON_PAGES[role]}"
    set_cookie(request, response, SESSION_COOKIE, token, path, _SESSION_MAX_AGE_SECONDS)


def set_cookie(request: Request, response: Response, name: str, value: str, path: str, max_age: int) -> None:
    secure = request.url.scheme == "https"
    cookie = event_cookie_name(request, name)
    response.set_cookie(cookie, value, max_age, path=path, secure=secure, httponly=True, samesite="lax")


async def season_page(season: str, request: Request, context: Context) -> SeasonPage:
    """The caller's role by cookie or bearer token; NotYourRole without one for this page."""
    token = session_token(request, SESSION_COOKIE)
    context.limits.event_pages.take(address_of(request))
    role = await context.seasons.role(season, token) if token else None
    if role is None and token:
        context.limits.wrong_codes.take(address_of(request))
    page = request.url.path.removeprefix(f"/seasons/{season}/").partition("/")[0]
    if role is None or SEASON_PAGES[role] != page:
        raise NotYourRole("open this page with your own link")
    return SeasonPage(season, request, role, context)


Page = Annotated[SeasonPage, Depends(season_page)]


async def redirect_to_opened(
    context: AppContext, request: Request, season: str, code: str, *, guest_token: str = ""
) -> Response:
    """Set the cookies of the organizer and of the page that shows the link; redirect to that page."""
    path = f"/seasons/{season}/desk/opened"
    response = RedirectResponse(path, 303, {"Cache-Control": "no-store"})
    set_cookie(request, response, OPENED_COOKIE, code, path, _OPENED_MAX_AGE_SECONDS)
    token = await context.seasons.create_session(season, SeasonRole.ORGANIZER)
    set_session_cookie(request, response, season, SeasonRole.ORGANIZER, token)
    if guest_token:
        set_account_cookie(request, response, guest_token)
    return response


def link_url(request: Request, season: str, code: str) -> str:
    return f"{public_base_url(request)}/seasons/{season}/join/{code}"
