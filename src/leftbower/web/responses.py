"""Page responses: rendered HTML with the viewer's preferences, error messages and error pages."""

import gzip
import re
from typing import Any, Final, TypeVar

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, Response

from leftbower.errors import LeftbowerError
from leftbower.i18n import gettext, gettext_noop
from leftbower.server.http.errors import status_of
from leftbower.server.http.form_data import wants_json
from leftbower.web.preferences import PREFERENCES_COOKIE, parse_preferences
from leftbower.web.render import render

_DATA_PATHS: Final = ("/api/", "/healthz", "/metrics")
"""Paths whose errors are always JSON."""
_MIN_GZIP_BYTES: Final = 1000
_GZIP_LEVEL: Final = 6
_GZIP: Final = re.compile(r"(?<![\w-])gzip\s*(?:;\s*q=(?!0(?:\.0*)?\s*(?:,|$))|,|$)", re.IGNORECASE)
"""In Accept-Encoding, unless its weight is 0."""
R = TypeVar("R", bound=Response)
MESSAGES: Final = {
    "unknown-table": gettext_noop("There is no table here. Check the link, or ask for a new one."),
    "unknown-link": gettext_noop("This link doesn't work. Ask for a new one."),
    "not-found": gettext_noop("There is no page at this address. Check the link."),
    "unknown-match": gettext_noop("This table has no such match."),
    "not-your-match": gettext_noop("Only the players of this match can see it."),
    "not-signed-in": gettext_noop("Take a seat first. All you need is a name."),
    "seat-only": gettext_noop("You are signed in for one seat at one table. Sign in as yourself for anything else."),
    "too-many": gettext_noop("You have too many tables open. Leave one first."),
    "too-often": gettext_noop("Too many requests. Wait a moment and try again."),
    "stale": gettext_noop("The table has changed. Here is the current version."),
    "seat-taken": gettext_noop("This seat is taken. Pick another, or watch."),
    "match-is-on": gettext_noop("Wait until the match is over."),
    "wrong-method": gettext_noop("There is no page here. Go back and try again."),
    "cross-site": gettext_noop("This came from another site, so nothing was done. Open the table at its own address."),
    "store-unreachable": gettext_noop("The server can't save right now. Nothing is lost; try again in a moment."),
    "log-edited": gettext_noop("This was changed outside the server, so it can't be shown. Tell the operator."),
    "store-full": gettext_noop("The server is out of disk space. Nothing is lost, but nothing new is saved."),
    "wrong-password": gettext_noop("Wrong login or password."),
    "no-hints": gettext_noop("Hints are off at this table."),
}
"""Messages on pages, by error code, where the API's message is too short for people."""


def message_for(error: LeftbowerError) -> str:
    """The sentence that a page shows for an error."""
    message = MESSAGES.get(error.code)
    return as_sentence(gettext(message) if message else error.message)


def as_sentence(text: str) -> str:
    """Capitalize the first letter and add a period."""
    return f"{text[:1].upper()}{text[1:]}{'' if text.endswith(('.', '?', '!')) else '.'}"


def render_page(request: Request, template: str, *, status: int = 200, **context: Any) -> HTMLResponse:
    """A whole page, with the viewer's preferences from the cookie."""
    preferences = " ".join(sorted(parse_preferences(request.cookies.get(PREFERENCES_COOKIE, ""))))
    text = render(template, preferences=preferences, path=request.scope["path"], **context)
    return compressed(request, HTMLResponse(text, status))


def compressed(request: Request, response: R) -> R:
    """Compress the body of a response by gzip, if the client reads it and the body is large enough to gain.

    Not for requests from other sites, which could guess a secret of a page by its length (BREACH).
    """
    accepts = _GZIP.search(request.headers.get("accept-encoding", ""))
    is_foreign = request.headers.get("sec-fetch-site") == "cross-site"
    if len(response.body) >= _MIN_GZIP_BYTES and accepts and not is_foreign:
        response.body = gzip.compress(response.body, _GZIP_LEVEL, mtime=0)
        response.headers.update({"Content-Encoding": "gzip", "Content-Length": str(len(response.body))})
    response.headers.add_vary_header("Accept-Encoding")
    return response


def page_router(prefix: str = "") -> APIRouter:
    """A router for pages, left out of the API schema."""
    return APIRouter(prefix=prefix, include_in_schema=False, default_response_class=HTMLResponse)


def error_page(request: Request, error: LeftbowerError) -> HTMLResponse | None:
    """The error as a page; None for scripts and programs, which get JSON.

    A client that accepts no specific type counts as a browser if there is a page, otherwise as a program.
    """
    is_page = "route" in request.scope or "text/html" in request.headers.get("accept", "")
    if not is_page or wants_json(request) or request.scope["path"].startswith(_DATA_PATHS):
        return None
    status = status_of(error)
    heading = gettext("Page not found") if status == 404 else gettext("That didn't work")
    return render_page(
        request, "error.html", status=status, title="leftbower", heading=heading, message=message_for(error)
    )
