"""ASGI middlewares: security headers, cross-site check, body limit, and detached streams for feeds.

The first three are not coroutines: each wraps `send` or `receive`, or refuses, and returns what the next one returns.
So they use no memory while a feed is open.
"""

import re
from collections.abc import Awaitable, Mapping
from ipaddress import AddressValueError, IPv6Address
from typing import Final
from urllib.parse import urlsplit

from fastapi import Request
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from leftbower.errors import BadHost, BadRequest, CrossSite, LeftbowerError, TooLarge
from leftbower.server.http.errors import respond
from leftbower.server.observability.metrics import request_counter

RawHeaders = list[tuple[bytes, bytes]]

STREAM_KEY: Final = "leftbower.stream"
"""The scope key under which a response puts its stream."""
SESSION_COOKIE_NAME: Final = "leftbower"
"""The session cookie; `cookie_name` adds a prefix under HTTPS."""
MAX_BODY_BYTES: Final = 8 << 10
"""Bytes of a request body; real ones have a few hundred."""
MAX_IMPORT_BYTES: Final = 4 << 20
"""An event imported with a token; one of 128 teams, reported hand by hand, is a third of this."""
MAX_ANONYMOUS_IMPORT_BYTES: Final = 512 << 10
"""An event imported without a token; one of 32 teams, reported hand by hand, is 320 KiB."""
LONGER_BODIES: Final[Mapping[str, int]] = {"/events/import": MAX_IMPORT_BYTES}
"""Larger limits by path prefix; `read_body` then applies the limit of the caller."""
NAME_LIST_SUFFIX: Final = "/desk/import"
MAX_NAME_LIST_BYTES: Final = 256 << 10
"""The limit of paths that end in `NAME_LIST_SUFFIX`."""
_MAX_LENGTH_DIGITS: Final = 12
"""A longer Content-Length counts as 10**12."""
_SAFE_METHODS: Final = frozenset({"GET", "HEAD", "OPTIONS"})
_KNOWN_METHODS: Final = _SAFE_METHODS | {"POST", "PUT", "PATCH", "DELETE"}
MAX_HOST_LENGTH: Final = 261
"""A name of 255 characters, a colon and a port."""
_HOST: Final = re.compile(
    r"(?:[A-Za-z0-9_][A-Za-z0-9._-]{0,254}|\[(?P<ipv6>[0-9A-Fa-f:.]{2,45})\])(?::(?P<port>[0-9]{1,5}))?"
)
DATA_POLICY: Final = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
"""For JSON, text and feeds, also if one is opened in a browser."""
PAGE_POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; connect-src 'self'; "
    "manifest-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
"""For pages, and for scripts, one of which is the service worker: resources from this host, nothing inline."""
_COMMON_HEADERS: Final = {
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=(), payment=(), usb=(), browsing-topics=()",
}
"""On all responses. The Referer is sent only to this host."""


def _headers(policy: str) -> RawHeaders:
    return [
        (name.encode(), value.encode())
        for name, value in {**_COMMON_HEADERS, "content-security-policy": policy}.items()
    ]


_DATA_HEADERS: Final = _headers(DATA_POLICY)
_PAGE_HEADERS: Final = _headers(PAGE_POLICY)
_NO_STORE: Final = (b"cache-control", b"no-store")
HSTS: Final = (b"strict-transport-security", b"max-age=31536000")
"""HTTPS only for a year; sent if this process terminates TLS, because a proxy sends its own."""


class SecurityHeaders:
    """Adds security headers to every response, and counts it.

    A page may load resources of this server and nothing inline; other responses may load nothing. Exceptions for a page
    belong here.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    def __call__(self, scope: Scope, receive: Receive, send: Send) -> Awaitable[None]:
        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = with_security_headers(message["headers"], hsts=scope["app"].state.own_tls)
                route = getattr(scope.get("route"), "path", "none")
                method = scope["method"] if scope["method"] in _KNOWN_METHODS else "other"
                request_counter(method, route, str(message["status"])).inc()
            await send(message)

        return self.app(scope, receive, send_with_headers)


class CrossSiteCheck:
    """Refuses writes by pages of other sites, writes during a store outage, and malformed Hosts and queries."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    def __call__(self, scope: Scope, receive: Receive, send: Send) -> Awaitable[None]:
        if scope["type"] == "http":
            headers = Headers(scope=scope)
            try:
                check_host(headers.getlist("host"))
                if not scope["query_string"].isascii():
                    raise BadRequest("the query must be percent-encoded", path="query")
                if scope["method"] not in _SAFE_METHODS:
                    if is_trusted(headers, scope["scheme"]) is False:
                        raise CrossSite("this request came from another site")
                    outage = scope["app"].state.context.outage
                    if outage.error is not None:
                        outage.check()
            except LeftbowerError as error:
                return respond(Request(scope), error)(scope, receive, send)
        return self.app(scope, receive, send)


class BodyLimit:
    """Refuses a body that is too large, by its Content-Length or as soon as too many bytes arrive."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    def __call__(self, scope: Scope, receive: Receive, send: Send) -> Awaitable[None]:
        if scope["type"] != "http":
            return self.app(scope, receive, send)
        remaining = max_bytes = max_body_bytes(scope["path"])
        if content_length(Headers(scope=scope)) > max_bytes:
            error = TooLarge("the request is larger than %(limit)s bytes", limit=max_bytes)
            return respond(Request(scope), error)(scope, receive, send)

        async def receive_limited() -> Message:
            nonlocal remaining
            message = await receive()
            remaining -= len(message.get("body", b""))
            if remaining < 0:
                raise HTTPException(413)
            return message

        return self.app(scope, receive_limited, send)


class DetachedStreams:
    """Runs the stream of a feed after FastAPI has returned; see `sse`."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        original_keys = frozenset(scope)
        await self.app(scope, receive, send)
        stream: ASGIApp | None = scope.pop(STREAM_KEY, None)
        if stream:
            for key in scope.keys() - original_keys - {"route"}:
                del scope[key]  # FastAPI no longer needs it, and a feed may be open for hours
            del original_keys
            await stream(scope, receive, send)


def with_security_headers(headers: RawHeaders, *, hsts: bool = False) -> RawHeaders:
    """Add the security headers to a response, and `no-store` if it has no Cache-Control."""
    content_type = cache_control = b""
    for name, value in headers:
        if name == b"content-type":
            content_type = value
        elif name == b"cache-control":
            cache_control = value
    ours = _PAGE_HEADERS if content_type.startswith((b"text/html", b"text/javascript")) else _DATA_HEADERS
    tls = [HSTS] if hsts else []
    return [*headers, *ours, *tls] if cache_control else [*headers, *ours, *tls, _NO_STORE]


def check_host(values: list[str]) -> None:
    """Raise BadHost unless a request has at most one Host, and a well-formed one; HTTP/1.0 may omit it."""
    if not values:
        return
    found = _HOST.fullmatch(values[0]) if len(values) == 1 and len(values[0]) <= MAX_HOST_LENGTH else None
    try:
        if found is None or int(found["port"] or 0) > 65535:
            raise AddressValueError
        if found["ipv6"]:
            IPv6Address(found["ipv6"])
    except AddressValueError:
        raise BadHost("the Host header must be a host name or address with an optional port", path="host") from None


def cookie_name(request: HTTPConnection) -> str:
    """The name of the session cookie; under HTTPS with `__Host-`, which other hosts and plain HTTP pages can't set."""
    return f"__Host-{SESSION_COOKIE_NAME}" if request.scope["scheme"] == "https" else SESSION_COOKIE_NAME


def content_length(headers: Headers) -> int:
    """The Content-Length of a request; 0 if missing or not ASCII digits."""
    digits = headers.get("content-length", "")
    if not re.fullmatch("[0-9]+", digits):
        return 0
    return int(digits) if len(digits) <= _MAX_LENGTH_DIGITS else 10**_MAX_LENGTH_DIGITS


def max_body_bytes(path: str) -> int:
    if path.endswith(NAME_LIST_SUFFIX):
        return MAX_NAME_LIST_BYTES
    return next((limit for prefix, limit in LONGER_BODIES.items() if path.startswith(prefix)), MAX_BODY_BYTES)


async def check_feed_origin(request: Request) -> None:
    """Raise CrossSite for a feed requested by another site, or with a cookie from an unknown origin.

    A feed changes nothing, but it marks its person as present and counts against their number of feeds.
    """
    trusted = is_trusted(request.headers, request.scope["scheme"])
    if trusted is False or (trusted is None and cookie_name(request) in request.cookies):
        raise CrossSite("feeds are only for this site's pages, or with a token in a header")


def is_trusted(headers: Headers, scheme: str) -> bool | None:
    """Was the request sent by one of our pages, or with a bearer token? None if no header tells.

    Browsers never add a bearer token by themselves, so another site can't send one. `Sec-Fetch-Site` is missing over
    plain HTTP, as in a hall, and in old browsers; then Origin must be our host. Browsers send Origin with every write,
    but not with same-origin reads; then Referer decides.
    """
    if headers.get("authorization", "").lower().startswith("bearer "):
        return True
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
    """Read the body of a request; TooLarge by its Content-Length, or as soon as too many bytes arrive."""
    if content_length(request.headers) > limit:
        raise TooLarge("the request is larger than %(limit)s KiB", limit=limit >> 10)
    chunks, length = [], 0
    async for chunk in request.stream():
        length += len(chunk)
        if length > limit:
            raise TooLarge("the request is larger than %(limit)s KiB", limit=limit >> 10)
        chunks.append(chunk)
    return b"".join(chunks)
