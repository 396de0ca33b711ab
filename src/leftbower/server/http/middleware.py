"""Middleware around every request and response: checks on the way in, security headers and metrics on the way out.

It refuses malformed Host headers, large bodies, cross-site requests, and writes while the store takes none.
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
from leftbower.server.http.errors import error_response
from leftbower.server.http.host_header import check_host
from leftbower.server.http.security_headers import with_security_headers
from leftbower.server.http.sse import take_stream
from leftbower.server.observability.metrics import REQUESTS

SESSION_COOKIE_NAME: Final = "leftbower"
"""The session cookie; under HTTPS it has a prefix, see `cookie_name`."""
MAX_BODY_BYTES: Final = 8 << 10
"""Bytes of a request body; a real one has some hundred."""
MAX_IMPORT_BYTES: Final = 4 << 20
"""An event imported with a token; one of 128 teams, reported hand by hand, has a third of it."""
MAX_ANONYMOUS_IMPORT_BYTES: Final = 512 << 10
"""An event imported without a token; one of 32 teams, reported hand by hand, has 320 KiB."""
LONGER_BODIES: Final[Mapping[str, int]] = {"/events/import": MAX_IMPORT_BYTES}
"""Larger limits by path prefix; `read_body` applies the limit of the caller."""
NAME_LIST_SUFFIX: Final = "/desk/import"
MAX_NAME_LIST_BYTES: Final = 256 << 10
"""The limit of paths that end in `NAME_LIST_SUFFIX`."""
_MAX_LENGTH_DIGITS: Final = 12
"""A longer Content-Length counts as 10**12."""
_ROUTE: Final = "route"
"""The scope key under which FastAPI puts the matched route."""
_SAFE_METHODS: Final = frozenset({"GET", "HEAD", "OPTIONS"})
_KNOWN_METHODS: Final = _SAFE_METHODS | {"POST", "PUT", "PATCH", "DELETE"}


FastPathHandler = Callable[[Scope, Receive], Awaitable[tuple[Response | None, Receive]]]
"""Returns a response, or None to leave the request to FastAPI; and the `receive` to go on with."""


class MiddlewareApp(FastAPI):
    """A FastAPI application with the middleware in front of its routes."""

    def __init__(self, *, check_writable: Callable[[], None], **settings: Any) -> None:
        """`check_writable` raises the error of the store while it takes no writes."""
        super().__init__(**settings)
        self._check_writable = check_writable
        self.state.own_tls = False
        """Does the server itself speak TLS, without a proxy? Then every response has HSTS."""
        self.fast_path: FastPathHandler | None = None
        self.wrap_send: Callable[[Scope, Send], Send] = lambda scope, send: send
        """A hook of the proofs, which record what is sent."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Check a request and serve it by the fast path or by FastAPI; stream a feed outside of both."""
        if scope["type"] != "http":
            await super().__call__(scope, receive, send)
            return

        send = self.wrap_send(scope, send)

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = with_security_headers(list(message.get("headers", ())), hsts=self.state.own_tls)
                route = getattr(scope.get(_ROUTE), "path", "none")
                method = scope["method"] if scope["method"] in _KNOWN_METHODS else "other"
                REQUESTS.labels(method, route, str(message["status"])).inc()
            await send(message)

        max_bytes = max_body_bytes(scope["path"])
        try:
            self._check_request(scope, max_bytes)
        except LeftbowerError as error:
            await error_response(error)(scope, receive, send_with_headers)
            return
        receive = _limit_body(max_bytes, receive)
        if self.fast_path is not None:
            scope["app"] = self
            response, receive = await self.fast_path(scope, receive)
            if response is not None:
                await response(scope, receive, send_with_headers)
                return
        original_keys = frozenset(scope)
        await super().__call__(scope, receive, send_with_headers)
        if stream := take_stream(scope):
            for key in scope.keys() - original_keys - {_ROUTE}:
                del scope[key]  # FastAPI is done with it, and a feed may be open for hours
            del original_keys
            await stream.stream(scope, receive, send_with_headers)

    def _check_request(self, scope: Scope, max_bytes: int) -> None:
        headers = Headers(scope=scope)
        check_host(headers.getlist("host"))
        if not scope["query_string"].isascii():
            raise BadRequest("the query is not percent-encoded", path="query")
        if content_length(headers) > max_bytes:
            raise TooLarge(f"more than {max_bytes} bytes are not read")
        if scope["method"] not in _SAFE_METHODS:
            if not has_bearer_token(headers) and is_same_origin(headers, scope["scheme"]) is False:
                raise CrossSite("this was asked for by a page of another site")
            self._check_writable()


def cookie_name(request: HTTPConnection) -> str:
    """The name of the session cookie; under HTTPS `__Host-`, which no other host and no plain HTTP page can set."""
    return f"__Host-{SESSION_COOKIE_NAME}" if request.url.scheme == "https" else SESSION_COOKIE_NAME


def content_length(headers: Headers) -> int:
    """The Content-Length of a request; 0 if it has none or one that is not ASCII digits."""
    digits = headers.get("content-length", "")
    if not re.fullmatch("[0-9]+", digits):
        return 0
    return int(digits) if len(digits) <= _MAX_LENGTH_DIGITS else 10**_MAX_LENGTH_DIGITS


def max_body_bytes(path: str) -> int:
    if path.endswith(NAME_LIST_SUFFIX):
        return MAX_NAME_LIST_BYTES
    return next((limit for prefix, limit in LONGER_BODIES.items() if path.startswith(prefix)), MAX_BODY_BYTES)


async def check_feed_origin(request: Request) -> None:
    """Raise CrossSite for a feed requested by another site, or by cookie from an unknown origin.

    A feed changes nothing, but it marks its person as present, and the number of feeds per person is limited.
    """
    if has_bearer_token(request.headers):
        return
    is_ours = is_same_origin(request.headers, request.url.scheme)
    if is_ours is False or (is_ours is None and cookie_name(request) in request.cookies):
        raise CrossSite("a feed is asked for by a page of ours, or with a token in a header")


def has_bearer_token(headers: Headers) -> bool:
    """Is there a token in a header? Browsers do not add one by themselves, so another site cannot send it."""
    return headers.get("authorization", "").lower().startswith("bearer ")


def is_same_origin(headers: Headers, scheme: str) -> bool | None:
    """Was the request sent by one of our pages? None if no header says so, as with programs.

    Over plain HTTP, as in a hall, and in old browsers `Sec-Fetch-Site` is missing; then Origin has to be our host.
    Browsers send Origin with every write, but not with same-origin reads; then Referer decides.
    """
    site = headers.get("sec-fetch-site")
    if site is not None:
        return site in ("same-origin", "none")
    page = headers.get("origin") or headers.get("referer")
    if page is None:
        return None
    try:
        origin = urlsplit(page)
    except ValueError:
        return False
    return origin.netloc.lower() == headers.get("host", "").lower() and (scheme != "https" or origin.scheme == "https")


async def read_body(request: Request, limit: int) -> bytes:
    """Read the body of a request; TooLarge by its Content-Length, or as soon as more bytes arrive."""
    if content_length(request.headers) > limit:
        raise TooLarge(f"the request is larger than {limit >> 10} KiB")
    chunks, length = [], 0
    async for chunk in request.stream():
        length += len(chunk)
        if length > limit:
            raise TooLarge(f"the request is larger than {limit >> 10} KiB")
        chunks.append(chunk)
    return b"".join(chunks)


def _limit_body(max_bytes: int, receive: Receive) -> Receive:
    """A `receive` that fails with 413 after `max_bytes`, whatever Content-Length says."""
    remaining = max_bytes

    async def limited() -> Message:
        nonlocal remaining
        message = await receive()
        remaining -= len(message.get("body", b""))
        if remaining < 0:
            raise HTTPException(413)
        return message

    return limited
