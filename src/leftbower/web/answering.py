"""How pages answer: HTML in the viewer's own look, and for everything that goes wrong a calm sentence and a way on."""

from collections.abc import Callable, Coroutine
from typing import Any, Final

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, Response
from fastapi.routing import APIRoute
from starlette.exceptions import HTTPException

from leftbower.errors import LeftbowerError, NotFound
from leftbower.server.answers import refused, status_of, unreadable
from leftbower.server.form_data import parse_urlencoded
from leftbower.web.drawing import drawn
from leftbower.web.look import COOKIE, look_of

SAYS: Final = {
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
    "seat-taken": "Somebody was faster: this seat is taken. Choose another, or watch.",
    "match-is-on": "The match has begun; that has to wait until it is over.",
    "cross-site": "This came from another site and was not done. Open the table from its own address.",
    "store-unreachable": "The house cannot reach its books right now. Nothing is lost; try again in a moment.",
    "log-edited": "This was changed outside of the server, so it cannot be shown. The operator has to look at it.",
    "store-full": "The house has run out of room and takes nothing new. Nothing is lost.",
    "wrong-password": "Login and password do not belong together. Try again.",
    "no-hints": "At this table nobody asks the coach in the middle of a hand.",
}
"""What people are told, where programs are told something shorter."""


def says(error: LeftbowerError) -> str:
    """What somebody is told who looks at a page."""
    told = SAYS.get(error.code) or f"{error.message[:1].upper()}{error.message[1:]}"
    return told if told.endswith((".", "?", "!")) else f"{told}."


def page(request: Request, template: str, *, status: int = 200, **given: Any) -> HTMLResponse:
    """A whole page, as the viewer likes pages to look."""
    look = sorted(look_of(request.cookies.get(COOKIE, "")))
    return HTMLResponse(drawn(template, look=" ".join(look), here=request.url.path, **given), status)


def wants_json(request: Request) -> bool:
    """Does our own script ask, and not somebody's browser?"""
    return "application/json" in request.headers.get("accept", "")


async def form_of(request: Request) -> dict[str, str]:
    """What a form sent; what it sent several times is joined by spaces. Nearly all of them have at most 8 KiB."""
    return parse_urlencoded(await request.body())


class PageRoute(APIRoute):
    """A route that answers in HTML whatever happens."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """The handler, with a page for what goes wrong in it."""
        handle = super().get_route_handler()

        async def handled(request: Request) -> Response:
            try:
                return await handle(request)
            except RequestValidationError as error:
                return trouble(request, unreadable(error))
            except LeftbowerError as error:
                return trouble(request, error)

        return handled


def trouble(request: Request, error: LeftbowerError) -> Response:
    """What went wrong, for people or for a script; trouble with the store is noticed either way."""
    answer = refused(request, error)
    if wants_json(request):
        return answer
    shown = page(request, "trouble.html", status=status_of(error), title="leftbower", says=says(error))
    shown.headers.update({name: value for name, value in answer.headers.items() if name == "retry-after"})
    return shown


def install_trouble(app: FastAPI) -> None:
    """Have a browser that asks for what is not here answered in HTML as well."""
    before = app.exception_handlers[HTTPException]

    @app.exception_handler(HTTPException)
    async def _nothing(request: Request, error: HTTPException) -> Response:
        people = "text/html" in request.headers.get("accept", "") and not request.url.path.startswith("/api/")
        if people and error.status_code == 404:
            return trouble(request, NotFound("there is nothing here"))
        answer: Response = await before(request, error)  # type: ignore[misc]
        return answer
