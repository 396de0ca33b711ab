"""The route of acts, which is asked hundreds of times a second: described as all others are, and read at a glance.

FastAPI spends more on reading an act than the engine on playing it. So a plain one, a good body with a token in its
header, is read here; anything else goes the common way, and is refused or answered there.
"""

import json
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, Final

from fastapi import Request, Response
from fastapi.routing import APIRoute
from pydantic import ValidationError

from leftbower.server.bodies import Act
from leftbower.server.desk import Desk, at_desk, desk_of, holder, somebody

_PLAIN: Final = "application/json"
_BEARER: Final = "Bearer "
Handle = Callable[[Request], Coroutine[Any, Any, Response]]
Answer = Callable[[str, Act, str, Request, Desk], Awaitable[Response]]


class ActRoute(APIRoute):
    """For a function of table, body, who asks, request and desk. Who needs to know more is asked the common way."""

    def get_route_handler(self) -> Handle:
        """Both ways."""
        common, answer = super().get_route_handler(), self.endpoint
        if {one.call for one in self.dependant.dependencies} != {somebody, at_desk}:
            return common

        async def handle(request: Request) -> Response:
            return await quickly(request, answer) or await common(request)

        return handle


async def quickly(request: Request, answer: Answer) -> Response | None:
    """The answer to a plain act; None for what is not plain, of which nothing has been done."""
    headers = request.headers
    token = headers.get("authorization", "")
    if headers.get("content-type") != _PLAIN or not token.startswith(_BEARER) or token == _BEARER:
        return None
    try:
        body = Act.model_validate(json.loads(await request.body()))
    except (ValueError, RecursionError, ValidationError):
        return None
    who = await holder(request, token.removeprefix(_BEARER))
    return await answer(request.path_params["table"], body, who, request, desk_of(request))
