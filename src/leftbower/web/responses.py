"""Page responses: rendered HTML with the viewer's preferences, error messages and error pages."""

from collections.abc import Callable, Coroutine
from typing import Any, Final

from fastapi import APIRouter, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, Response
from fastapi.routing import APIRoute
from starlette.exceptions import HTTPException

from leftbower.errors import LeftbowerError, NotFound
from leftbower.server.http.errors import handle_error, status_of, validation_error
from leftbower.server.http.form_data import parse_urlencoded
from leftbower.web.preferences import PREFERENCES_COOKIE, parse_preferences
from leftbower.web.render import render

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
    """With a capital and a full stop."""
    return f"{text[:1].upper()}{text[1:]}{'' if text.endswith(('.', '?', '!')) else '.'}"


def render_page(request: Request, template: str, *, status: int = 200, **context: Any) -> HTMLResponse:
    """A whole page, with the viewer's preferences from the cookie."""
    preferences = sorted(parse_preferences(request.cookies.get(PREFERENCES_COOKIE, "")))
    return HTMLResponse(render(template, preferences=" ".join(preferences), path=request.url.path, **context), status)


def wants_json(request: Request) -> bool:
    """Is this a request of our script, rather than a form or link of the browser?"""
    return "application/json" in request.headers.get("accept", "")


async def read_form(request: Request) -> dict[str, str]:
    """The fields of a URL-encoded form; repeated fields are joined by spaces."""
    return parse_urlencoded(await request.body())


def page_router(prefix: str = "") -> APIRouter:
    """A router of pages: outside of the API's schema, with errors as HTML."""
    return APIRouter(prefix=prefix, include_in_schema=False, default_response_class=HTMLResponse, route_class=PageRoute)


class PageRoute(APIRoute):
    """A route that turns errors into HTML pages."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handle = super().get_route_handler()

        async def handled(request: Request) -> Response:
            try:
                return await handle(request)
            except RequestValidationError as error:
                return error_page(request, validation_error(error))
            except LeftbowerError as error:
                return error_page(request, error)

        return handled


def error_page(request: Request, error: LeftbowerError) -> Response:
    """The error as a page, or as JSON for a script; store outages are recorded either way."""
    response = handle_error(request, error)
    if wants_json(request):
        return response
    page = render_page(request, "error.html", status=status_of(error), title="leftbower", message=message_for(error))
    page.headers.update({name: value for name, value in response.headers.items() if name == "retry-after"})
    return page


def install_error_pages(app: FastAPI) -> None:
    """Answer a browser's 404s with an HTML page; other clients keep the API's JSON."""
    default_handler = app.exception_handlers[HTTPException]

    @app.exception_handler(HTTPException)
    async def _not_found(request: Request, error: HTTPException) -> Response:
        is_browser = "text/html" in request.headers.get("accept", "") and not request.url.path.startswith("/api/")
        if is_browser and error.status_code == 404:
            return error_page(request, NotFound("there is nothing here"))
        response: Response = await default_handler(request, error)  # type: ignore[misc]
        return response
