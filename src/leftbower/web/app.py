"""Preferences and static files; `install` adds all page routers to the server's application."""

import mimetypes
import re
from typing import Final

from fastapi import FastAPI, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from fastapi.staticfiles import StaticFiles
from starlette.exceptions import HTTPException

from leftbower.errors import NotFound
from leftbower.i18n import gettext
from leftbower.server.http.form_data import parse_urlencoded
from leftbower.web import home
from leftbower.web.account import routes as account
from leftbower.web.event import desk, links, phone, player, wall
from leftbower.web.event.entry import own_desk, routes as events, sign_up
from leftbower.web.learn import routes as learn
from leftbower.web.preferences import PREFERENCES, PREFERENCES_COOKIE, preferences_cookie
from leftbower.web.responses import compressed, error_page, page_router, render_page
from leftbower.web.rules import routes as rules
from leftbower.web.season import links as season_links, routes as seasons
from leftbower.web.static_files import fingerprint, static_files
from leftbower.web.table import routes as table

router = page_router()
_STATIC_FILES: Final = StaticFiles(packages=[("leftbower.web", "static")])
_STATIC_HEADERS: Final = {"Cache-Control": "max-age=60", "Accept-Ranges": "none"}
_FINGERPRINTED_HEADERS: Final = {"Cache-Control": "public, max-age=31536000, immutable", "Accept-Ranges": "none"}
for _type, _suffix in (
    *(("text/css", ".css"), ("text/javascript", ".mjs"), ("image/svg+xml", ".svg")),
    ("application/manifest+json", ".webmanifest"),
):
    mimetypes.add_type(_type, _suffix)  # some systems have other types or none
_WELL_KNOWN: Final = {
    "/favicon.ico": "icon.svg",
    "/apple-touch-icon.png": "icon-180.png",
    "/robots.txt": "robots.txt",
    "/service-worker.mjs": "service_worker.mjs",
}
"""Paths that browsers and robots ask for without being told, and the files that answer."""
_PREFERENCES_MAX_AGE_SECONDS: Final = 31_536_000
_LOCAL_PATH: Final = re.compile(r"/(?!/)[^\\\x00-\x20\x7f-\xa0\u2028\u2029]*")
ROUTERS: Final = (
    *(table.router, phone.router, desk.router, player.router, wall.router, links.router, events.router),
    *(own_desk.router, sign_up.router, home.router, router, account.router, learn.router, rules.router),
    *(season_links.router, seasons.router),
)
"""Busiest first."""


def install(app: FastAPI, *, start_code: str = "") -> None:
    """Add the pages to the application; `/start/{start_code}` opens a table with bots, once."""
    app.state.start_code = start_code
    app.router.routes.extend(route for router in ROUTERS for route in router.routes)
    app.state.error_page = error_page


@router.get("/preferences")
async def get_preferences(request: Request, back: str = "/") -> HTMLResponse:
    """The form for appearance and sound."""
    return render_page(
        request,
        "account/preferences.html",
        title=gettext("Look and sound"),
        back=_local_path_or_home(back),
        options=PREFERENCES,
    )


@router.post("/preferences")
async def post_preferences(request: Request) -> Response:
    """Store the preferences in a cookie and redirect back."""
    form = parse_urlencoded(await request.body())
    response = RedirectResponse(_local_path_or_home(form.get("back", "/")), 303)
    response.set_cookie(
        PREFERENCES_COOKIE,
        preferences_cookie(form),
        max_age=_PREFERENCES_MAX_AGE_SECONDS,
        samesite="lax",
        httponly=True,
    )
    return response


@router.get("/static/{version}/{name}")
async def fingerprinted_file(version: str, name: str, request: Request) -> Response:
    """A static file by its fingerprinted URL; a page from before an upgrade gets the new file, cached for a minute."""
    content = static_files().get(name)
    if content is None:
        raise NotFound("page not found")
    headers = _FINGERPRINTED_HEADERS if version == fingerprint() else _STATIC_HEADERS
    return compressed(request, Response(content, media_type=mimetypes.guess_type(name)[0], headers=headers))


@router.get("/static/{name}")
async def static_file(name: str, request: Request) -> Response:
    """A static file by its plain name.

    Always the whole file: `Range` is ignored, which HTTP allows.
    """
    if name.startswith("print-") and name in static_files():
        return Response(static_files()[name], media_type="text/css", headers=_STATIC_HEADERS)
    request.scope["headers"] = [header for header in request.scope["headers"] if header[0] != b"range"]
    try:
        response = await _STATIC_FILES.get_response(name, request.scope)
    except (HTTPException, ValueError):  # ValueError by older Starlettes, for a NUL
        raise NotFound("page not found") from None
    response.headers.update(_STATIC_HEADERS)
    return response


@router.get("/favicon.ico")
@router.get("/apple-touch-icon.png")
@router.get("/robots.txt")
@router.get("/service-worker.mjs")
async def well_known_file(request: Request) -> Response:
    """A file that browsers or robots look for at a path of its own."""
    return await static_file(_WELL_KNOWN[request.scope["path"]], request)


@router.get("/offline")
async def get_offline(request: Request) -> HTMLResponse:
    """The page that the service worker keeps and shows without a network."""
    return render_page(request, "offline.html", title=gettext("No connection"))


def _local_path_or_home(path: str) -> str:
    """The path if it is local, else `/`, so that `back` can't redirect to another site.

    Browsers drop tabs and line breaks from URLs and read a backslash as a slash, so none of these are allowed.
    """
    return path if _LOCAL_PATH.fullmatch(path) else "/"
