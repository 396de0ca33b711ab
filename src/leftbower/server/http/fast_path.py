"""Fast path for POST /actions and /commands: the same handlers, without FastAPI's routing.

FastAPI spends more time on routing and parsing an action than the engine on playing it. A valid JSON body with a
bearer token is served here; every other request goes through FastAPI.
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
from leftbower.server.auth import SignedIn, player, player_by_token
from leftbower.server.context import AppContext, context_of, get_context
from leftbower.server.http.errors import handle_error, internal_error_response
from leftbower.server.observability.logs import log_error

_log = logging.getLogger("leftbower.api")
_JSON_TYPE: Final = b"application/json"
_BEARER: Final = b"Bearer "
Endpoint = Callable[[str, Any, SignedIn, Request, AppContext], Awaitable[Response]]
"""A route function of table, body, caller, request and context."""


class FastRoute:
    """A route with its endpoint and the parser of its body."""

    def __init__(self, route: APIRoute) -> None:
        self.route = route
        self.endpoint: Endpoint = route.endpoint
        self.body: TypeAdapter[Any] = TypeAdapter(get_type_hints(route.endpoint, include_extras=True)["body"])


class FastPath:
    """Dispatches requests to fast routes by the last segment of the path."""

    def __init__(self, routes: Sequence[APIRoute]) -> None:
        self._routes = {_last_segment(route.path): FastRoute(route) for route in routes}

    @classmethod
    def of(cls, router: APIRouter) -> "FastPath":
        """A fast path to those routes of a router that depend only on the player and the context."""
        routes = [route for route in router.routes if isinstance(route, APIRoute)]
        return cls(
            [route for route in routes if {needed.call for needed in route.dependant.dependencies} == _SUPPORTED]
        )

    def __len__(self) -> int:
        return len(self._routes)

    async def __call__(self, scope: Scope, receive: Receive) -> tuple[Response | None, Receive]:
        """The response, or None for a request that FastAPI has to serve; and the `receive` to go on with."""
        fast = self._routes.get(_last_segment(scope["path"])) if scope["method"] == "POST" else None
        match = fast.route.path_regex.match(scope["path"]) if fast else None
        token = bearer_token(scope) if match else ""
        if fast is None or match is None or not token:
            return None, receive
        request = Request({**scope, "route": fast.route, "path_params": match.groupdict()}, receive)
        try:
            body = await request.body()
        except (HTTPException, ClientDisconnect) as error:
            return None, _raise_on_receive(error)
        try:
            response = await handle_fast(request, body, token, fast)
        except LeftbowerError as error:
            response = handle_error(request, error)
        except Exception as error:
            log_error(_log, "an action failed", error)
            response = internal_error_response()
        if response is None:
            return None, _replay_body(body, receive)
        scope["route"] = fast.route
        return response, receive


def bearer_token(scope: Scope) -> str:
    """The bearer token of a request with a JSON body; empty if it has no token or another content type."""
    content_type, authorization = b"", b""
    for name, value in scope["headers"]:
        if name == b"content-type":
            content_type = content_type or value
        elif name == b"authorization":
            authorization = authorization or value
    if content_type != _JSON_TYPE or not authorization.startswith(_BEARER):
        return ""
    return str(authorization[len(_BEARER) :], "latin-1")


async def handle_fast(request: Request, body: bytes, token: str, fast: FastRoute) -> Response | None:
    """The response of the endpoint; None if the body is invalid, which FastAPI then reports."""
    try:
        parsed = fast.body.validate_json(body)
    except ValidationError:
        return None
    caller = await player_by_token(request, token)
    return await fast.endpoint(request.path_params["table"], parsed, caller, request, context_of(request))


_SUPPORTED: Final = {player, get_context}
"""Dependencies that the fast path resolves itself."""


def _last_segment(path: str) -> str:
    return path.rpartition("/")[2]


def _raise_on_receive(error: Exception) -> Receive:
    """A `receive` that fails again with the error of the first read."""

    async def receive() -> Message:
        raise error

    return receive


def _replay_body(body: bytes, receive: Receive) -> Receive:
    """A `receive` that returns a body that was already read, then what follows."""
    is_replayed = False

    async def replay() -> Message:
        nonlocal is_replayed
        if is_replayed:
            return await receive()
        is_replayed = True
        return {"type": "http.request", "body": body, "more_body": False}

    return replay
