"""Page responses: rendered HTML with the viewer's preferences, error messages and error pages."""

from typing import Any, Final

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse

from leftbower.errors import LeftbowerError
from leftbower.server.http.errors import status_of
from leftbower.server.http.form_data import wants_json
from leftbower.web.preferences import PREFERENCES_COOKIE, parse_preferences
from leftbower.web.render import render

_DATA_PATHS: Final = ("/api/", "/healthz", "/metrics")
"""Paths whose errors are always JSON."""
MESSAGES: Final = {
    "unknown-table": "There is no table here. The link may not be whole, or the table is long gone.",
    "unknown-link": "This link leads nowhere, or no longer.",
    "not-found": "There is nothing here. The link may not be whole.",
    "unknown-match": "This table has no match of that number.",
    "not-your-match": "Only those who played this match can look at it.",
    "not-signed-in": "Take a seat first; that needs nothing but a name.",
    "seat-only": "You are signed in for one seat at one table only. Sign in as yourself for anything else.",
    "too-many": "You have many tables open. Leave one of them before you open another.",
    "too-often": "That was a lot at once. Wait a moment and try again.",
    "stale": "The table has moved on; here is how it stands now.",
    "seat-taken": "Someone was faster: this seat is taken. Choose another, or watch.",
    "match-is-on": "The match has begun; that has to wait until it is over.",
    "wrong-method": "Nothing is at this address by itself. Go back to the page that you came from.",
    "cross-site": "This came from another site and was not done. Open the table from its own address.",
    "store-unreachable": "The house cannot reach its books right now. Nothing is lost; try again in a moment.",
    "log-edited": "This was changed outside of the server, so it cannot be shown. The operator has to look at it.",
    "store-full": "The house has run out of room and takes nothing new. Nothing is lost.",
    "wrong-password": "Login and password do not belong together. Try again.",
    "no-hints": "Hints are off at this table.",
}
"""Messages on pages, by error code, where the API's message is too short for people."""


def message_for(error: LeftbowerError) -> str:
    """The sentence that a page shows for an error."""
    return as_sentence(MESSAGES.get(error.code) or error.message)


def as_sentence(text: str) -> str:
    """Capitalize the first letter and add a period."""
    return f"{text[:1].upper()}{text[1:]}{'' if text.endswith(('.', '?', '!')) else '.'}"


def render_page(request: Request, template: str, *, status: int = 200, **context: Any) -> HTMLResponse:
    """A whole page, with the viewer's preferences from the cookie."""
    preferences = " ".join(sorted(parse_preferences(request.cookies.get(PREFERENCES_COOKIE, ""))))
    return HTMLResponse(render(template, preferences=preferences, path=request.scope["path"], **context), status)


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
    return render_page(request, "error.html", status=status_of(error), title="leftbower", message=message_for(error))
