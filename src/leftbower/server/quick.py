"""The routes of acts and asks, which are asked hundreds of times a second: described as all others are, and answered at
the door.

FastAPI spends more on finding a route and reading an act than the engine on playing it. So a plain one, a good body
with a token in its header, is read here; anything else goes the common way, and is refused or answered there.
"""

import logging
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Final, get_type_hints

from fastapi import Request, Response
from fastapi.routing import APIRoute, APIRouter
from pydantic import TypeAdapter, ValidationError
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.types import Message, Receive, Scope

from leftbower.errors import LeftbowerError
from leftbower.server.answers import failed, refused
from leftbower.server.auth import SignedIn, player, player_by_token
from leftbower.server.desk import Desk, at_desk, desk_of
from leftbower.server.logs import tell_of

_log = logging.getLogger("leftbower.api")
_PLAIN: Final = b"application/json"
_BEARER: Final = b"Bearer "
Answer = Callable[[str, Any, SignedIn, Request, Desk], Awaitable[Response]]


class Way:
    """The quick way to one route: a function of table, body, who asks, request and desk."""

    def __init__(self, route: APIRoute) -> None:
        self.route = route
        self.answer: Answer = route.endpoint
        self.body: TypeAdapter[Any] = TypeAdapter(get_type_hints(route.endpoint, include_extras=True)["body"])


class Quick:
    """The quick ways, by the last word of their addresses."""

    def __init__(self, routes: Sequence[APIRoute]) -> None:
        self._ways = {_last_word(route.path): Way(route) for route in routes}

    @classmethod
    def of(cls, router: APIRouter) -> "Quick":
        """To those routes of a router that need to know no more than is found here; the common way is for all."""
        routes = [one for one in router.routes if isinstance(one, APIRoute)]
        return cls([one for one in routes if {know.call for know in one.dependant.dependencies} == _KNOWN])

    def __len__(self) -> int:
        return len(self._ways)

    async def __call__(self, scope: Scope, receive: Receive) -> tuple[Response | None, Receive]:
        """The answer, or None for what is not plain, of which nothing has been done; and what is still to be read."""
        way = self._ways.get(_last_word(scope["path"])) if scope["method"] == "POST" else None
        found = way.route.path_regex.match(scope["path"]) if way else None
        token = token_of(scope) if found else ""
        if way is None or found is None or not token:
            return None, receive
        request = Request({**scope, "route": way.route, "path_params": found.groupdict()}, receive)
        try:
            body = await request.body()
        except (HTTPException, ClientDisconnect) as error:
            return None, _raising(error)
        try:
            answer = await quickly(request, body, token, way)
        except LeftbowerError as error:
            answer = refused(request, error)
        except Exception as error:
            tell_of(_log, "an act failed", error)
            answer = failed()
        if answer is None:
            return None, _again(body, receive)
        scope["route"] = way.route
        return answer, receive


def token_of(scope: Scope) -> str:
    """The token in the header of a request whose body is JSON; nothing where either is not so."""
    kind, token = b"", b""
    for name, value in scope["headers"]:
        if name == b"content-type":
            kind = kind or value
        elif name == b"authorization":
            token = token or value
    if kind != _PLAIN or not token.startswith(_BEARER):
        return ""
    return str(token[len(_BEARER) :], "latin-1")


async def quickly(request: Request, body: bytes, token: str, way: Way) -> Response | None:
    """The answer to what is plain; None for what is not, of which nothing has been done."""
    try:
        read = way.body.validate_json(body)
    except ValidationError:
        return None
    caller = await player_by_token(request, token)
    return await way.answer(request.path_params["table"], read, caller, request, desk_of(request))


_KNOWN: Final = {player, at_desk}
"""What is found here."""


def _last_word(path: str) -> str:
    return path.rpartition("/")[2]


def _raising(error: Exception) -> Receive:
    """What cannot be read cannot be read again."""

    async def never() -> Message:
        raise error

    return never


def _again(body: bytes, receive: Receive) -> Receive:
    """What was read is read once more."""
    read = False

    async def once_more() -> Message:
        nonlocal read
        if read:
            return await receive()
        read = True
        return {"type": "http.request", "body": body, "more_body": False}

    return once_more
