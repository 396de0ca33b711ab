"""The doors: every request comes in here and every answer goes out here, whatever goes wrong within.

What is stopped: malformed Host headers, bodies too long to be honest, browsers that another site sent, and whatever
would change something while the store takes nothing. What goes out carries the headers that all answers carry.
"""

import re
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final
from urllib.parse import urlsplit

from fastapi import FastAPI, Request, Response
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.requests import HTTPConnection
from starlette.types import Message, Receive, Scope, Send

from leftbower.errors import BadRequest, CrossSite, LeftbowerError, TooLarge
from leftbower.server.answers import refusal
from leftbower.server.headers import guarded
from leftbower.server.host_header import check_host
from leftbower.server.metrics import REQUESTS
from leftbower.server.streaming import streamed

COOKIE: Final = "leftbower"
"""By which a browser says whom it acts for; under HTTPS with a prefix, see `cookie_name`."""
LONGEST: Final = 8 << 10
"""The most bytes of a body; an honest one has some hundred."""
MAX_IMPORT_BYTES: Final = 4 << 20
"""An event that is imported by somebody with a token; an evening of 128 teams, told hand by hand, has a third of it."""
MAX_ANONYMOUS_IMPORT_BYTES: Final = 512 << 10
"""The same by anybody: an evening of 32 teams, told hand by hand, has 320 KiB."""
LONGER: Final[Mapping[str, int]] = {"/events/import": MAX_IMPORT_BYTES}
"""Where a body may be longer, by how the address begins; who asks is looked at before it is read, see `read_body`."""
LONG_LISTS: Final = "/desk/import", 256 << 10
"""And by how it ends: a list of names."""
_LENGTH_DIGITS: Final = 12
"""More digits than any length has that is worth comparing."""
_ROUTE: Final = "route"
"""Where the application says by which of its routes a request is answered."""
_SAFE: Final = frozenset({"GET", "HEAD", "OPTIONS"})
_METHODS: Final = _SAFE | {"POST", "PUT", "PATCH", "DELETE"}


AtTheDoor = Callable[[Scope, Receive], Awaitable[tuple[Response | None, Receive]]]
"""Answers some requests, or leaves them to the application; with what is still to be read."""


class Doors(FastAPI):
    """An application behind doors."""

    def __init__(self, *, check: Callable[[], None], **settings: Any) -> None:
        """`check` raises what is wrong while nothing can be changed."""
        super().__init__(**settings)
        self._check = check
        self.state.own_tls = False
        """Does the server itself speak TLS, without a proxy? Then every answer carries HSTS."""
        self.at_the_door: AtTheDoor | None = None
        self.on_the_way_out: Callable[[Scope, Send], Send] = lambda scope, send: send
        """Proofs look on here at whatever is sent."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request in, or say why not."""
        if scope["type"] != "http":
            await super().__call__(scope, receive, send)
            return

        send = self.on_the_way_out(scope, send)

        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = guarded(list(message.get("headers", ())), hsts=self.state.own_tls)
                route = getattr(scope.get(_ROUTE), "path", "none")
                method = scope["method"] if scope["method"] in _METHODS else "other"
                REQUESTS.add(method, route, str(message["status"]))
            await send(message)

        longest = longest_at(scope["path"])
        try:
            self._look_at(scope, longest)
        except LeftbowerError as error:
            await refusal(error)(scope, receive, sending)
            return
        receive = _no_more_than(longest, receive)
        if self.at_the_door is not None:
            scope["app"] = self
            answer, receive = await self.at_the_door(scope, receive)
            if answer is not None:
                await answer(scope, receive, sending)
                return
        asked = frozenset(scope)
        await super().__call__(scope, receive, sending)
        if stream := streamed(scope):
            for name in scope.keys() - asked - {_ROUTE}:
                del scope[name]  # the application has let go, and a feed may be open for hours
            del asked
            await stream.stream(scope, receive, sending)

    def _look_at(self, scope: Scope, longest: int) -> None:
        headers = Headers(scope=scope)
        check_host(headers.getlist("host"))
        if not scope["query_string"].isascii():
            raise BadRequest("the query is not percent-encoded", place="query")
        if announced_length(headers) > longest:
            raise TooLarge(f"more than {longest} bytes are not read")
        if scope["method"] not in _SAFE:
            if not has_token(headers) and asked_by_us(headers, scope["scheme"]) is False:
                raise CrossSite("this was asked for by a page of another site")
            self._check()


def cookie_name(request: HTTPConnection) -> str:
    """The name of the session cookie; under HTTPS `__Host-`, which no other host and no plain HTTP page can set."""
    return f"__Host-{COOKIE}" if request.url.scheme == "https" else COOKIE


def announced_length(headers: Headers) -> int:
    """The Content-Length of a request; 0 where it has none, or what is no number, such as a superscript."""
    said = headers.get("content-length", "")
    if not re.fullmatch("[0-9]+", said):
        return 0
    return int(said) if len(said) <= _LENGTH_DIGITS else 10**_LENGTH_DIGITS


def longest_at(path: str) -> int:
    """The most bytes of a body at an address."""
    if path.endswith(LONG_LISTS[0]):
        return LONG_LISTS[1]
    return next((most for begins, most in LONGER.items() if path.startswith(begins)), LONGEST)


async def check_feed(request: Request) -> None:
    """Refuse a feed that a page of another site asks for, and one by cookie of which no page of ours is known to ask.

    A feed changes nothing, but whoever has one counts as being there, and a person has only so many.
    """
    if has_token(request.headers):
        return
    ours = asked_by_us(request.headers, request.url.scheme)
    if ours is False or (ours is None and cookie_name(request) in request.cookies):
        raise CrossSite("a feed is asked for by a page of ours, or with a token in a header")


def has_token(headers: Headers) -> bool:
    """Is there a token in a header? No browser sends one by itself, so no page of another site makes it."""
    return headers.get("authorization", "").lower().startswith("bearer ")


def asked_by_us(headers: Headers, scheme: str) -> bool | None:
    """Was it a page of ours that asked, as far as the browser tells? None where nothing tells, as with programs.

    `Sec-Fetch-Site` is not sent over plain HTTP, as in a hall, nor by old browsers; then Origin tells, which has to
    be the host that was asked. Browsers send it with everything that changes something, and not with what a page gets
    from its own host: then the address of the page does.
    """
    site = headers.get("sec-fetch-site")
    if site is not None:
        return site in ("same-origin", "none")
    page = headers.get("origin") or headers.get("referer")
    if page is None:
        return None
    try:
        asking = urlsplit(page)
    except ValueError:
        return False
    return asking.netloc.lower() == headers.get("host", "").lower() and (scheme != "https" or asking.scheme == "https")


async def read_body(request: Request, limit: int) -> bytes:
    """The body of a request; TooLarge by its header before any of it is read, or as soon as more comes than that."""
    if announced_length(request.headers) > limit:
        raise TooLarge(f"the request is larger than {limit >> 10} KiB")
    chunks, length = [], 0
    async for chunk in request.stream():
        length += len(chunk)
        if length > limit:
            raise TooLarge(f"the request is larger than {limit >> 10} KiB")
        chunks.append(chunk)
    return b"".join(chunks)


def _no_more_than(left: int, receive: Receive) -> Receive:
    """Whatever a header says, no more is read."""

    async def counted() -> Message:
        nonlocal left
        message = await receive()
        left -= len(message.get("body", b""))
        if left < 0:
            raise HTTPException(413)
        return message

    return counted
