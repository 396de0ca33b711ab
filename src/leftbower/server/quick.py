"""The route of acts, which is asked hundreds of times a second: described as all others are, and answered at the door.

FastAPI spends more on finding a route and reading an act than the engine on playing it. So a plain one, a good body
with a token in its header, is read here; anything else goes the common way, and is refused or answered there.
"""

import json
import logging
from collections.abc import Awaitable, Callable
from typing import Final

from fastapi import Request, Response
from fastapi.routing import APIRoute, APIRouter
from pydantic import ValidationError
from starlette.exceptions import HTTPException
from starlette.types import Message, Receive, Scope

from leftbower.errors import LeftbowerError
from leftbower.server.answers import failed, refused
from leftbower.server.bodies import Act
from leftbower.server.desk import Desk, at_desk, desk_of, holder, somebody
from leftbower.server.logs import tell_of

_log = logging.getLogger("leftbower.api")
_PLAIN: Final = "application/json"
_BEARER: Final = "Bearer "
Answer = Callable[[str, Act, str, Request, Desk], Awaitable[Response]]


class Quick:
    """For a function of table, body, who asks, request and desk."""

    def __init__(self, route: APIRoute) -> None:
        self._route = route
        self._answer: Answer = route.endpoint

    @classmethod
    def of(cls, router: APIRouter) -> "Quick | None":
        """The quick way to a router's one route; None where that needs to know more than the common way alone finds."""
        [route] = (one for one in router.routes if isinstance(one, APIRoute))
        return cls(route) if {one.call for one in route.dependant.dependencies} == {somebody, at_desk} else None

    async def __call__(self, scope: Scope, receive: Receive) -> tuple[Response | None, Receive]:
        """The answer, or None for what is not plain, of which nothing has been done; and what is still to be read."""
        found = self._route.path_regex.match(scope["path"]) if scope["method"] == "POST" else None
        if found is None:
            return None, receive
        route = {"route": self._route, "path_params": found.groupdict()}
        request = Request({**scope, **route}, receive)
        if not is_plain(request):
            return None, receive
        try:
            body = await request.body()
        except HTTPException as error:
            return None, _raising(error)
        try:
            answer = await quickly(request, self._answer)
        except LeftbowerError as error:
            answer = refused(request, error)
        except Exception as error:
            tell_of(_log, "an act failed", error)
            answer = failed()
        if answer is None:
            return None, _again(body, receive)
        scope["route"] = self._route
        return answer, receive


def is_plain(request: Request) -> bool:
    """Is this JSON, by a token in its header?"""
    headers = request.headers
    token = headers.get("authorization", "")
    return headers.get("content-type") == _PLAIN and token.startswith(_BEARER) and token != _BEARER


async def quickly(request: Request, answer: Answer) -> Response | None:
    """The answer to a plain act; None for what is not one, of which nothing has been done."""
    try:
        body = Act.model_validate(json.loads(await request.body()))
    except (ValueError, RecursionError, ValidationError):
        return None
    who = await holder(request, request.headers["authorization"].removeprefix(_BEARER))
    return await answer(request.path_params["table"], body, who, request, desk_of(request))


def _raising(error: HTTPException) -> Receive:
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
