"""One HTTP exchange with an ASGI application in this process, without a socket; can send any bytes."""

import asyncio
from base64 import b64encode
from collections.abc import Iterable
from dataclasses import dataclass, field
from time import process_time
from typing import Any, Final
from urllib.parse import unquote

Headers = list[tuple[bytes, bytes]]
CLIENT: Final = ("127.0.0.1", 50000)
_FEED_SECONDS: Final = 0.005
"""Seconds after which the client of a feed disconnects if nothing was sent."""
EXCHANGE_TIMEOUT_SECONDS: Final = 60.0
"""Seconds after which an exchange without a response raises TimeoutError."""


@dataclass(slots=True, kw_only=True)
class Request:
    """A request; the path is ASCII, percent-encoded if necessary."""

    method: str
    path: str
    query: bytes = b""
    headers: Headers = field(default_factory=list)
    body: bytes = b""
    disconnect_after: int | None = None
    """Bytes of the body after which the client disconnects; None if it stays connected."""

    def header(self, name: bytes) -> bytes:
        """The first header of this name, or nothing."""
        return next((value for key, value in self.headers if key == name), b"")

    def set_header(self, name: bytes, value: bytes) -> None:
        """Replace all headers of this name by one."""
        self.headers = [(key, old) for key, old in self.headers if key != name] + [(name, value)]

    def as_json(self) -> dict[str, Any]:
        """Everything needed to resend it."""
        headers = [[name.decode("latin-1"), value.decode("latin-1")] for name, value in self.headers]
        return {
            "method": self.method,
            "path": self.path,
            "query": self.query.decode("latin-1"),
            "headers": headers,
            "body": b64encode(self.body).decode(),
            "disconnect_after": self.disconnect_after,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The response, its route and its cost."""

    status: int
    """0 if nothing was sent, as to a client that disconnected."""
    headers: Headers
    body: bytes
    route: str
    """The path of the route that answered; `none` if there is none."""
    cpu_seconds: float

    def header(self, name: bytes) -> str:
        """The first header of this name, or nothing."""
        return next((value.decode("latin-1") for key, value in self.headers if key == name), "")

    def cookie(self, name: str) -> str:
        """The value of a cookie that was set, or nothing."""
        for key, value in self.headers:
            if key == b"set-cookie" and value.startswith(f"{name}=".encode()):
                return value.decode("latin-1").partition("=")[2].partition(";")[0]
        return ""


async def exchange(app: Any, request: Request, *, scheme: str = "http") -> Answer:
    """The response of an application; for a feed, its beginning. Errors of the application are raised."""
    sent: list[dict[str, Any]] = []
    begun, received = asyncio.Event(), 0
    body = request.body if request.disconnect_after is None else request.body[: request.disconnect_after]

    async def receive() -> dict[str, Any]:
        nonlocal received
        received += 1
        if received == 1:
            return {"type": "http.request", "body": body, "more_body": request.disconnect_after is not None}
        if request.disconnect_after is None:
            await begun.wait()
        return {"type": "http.disconnect"}

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)
        if message["type"] == "http.response.start" and _is_feed(message["headers"]):
            asyncio.get_running_loop().call_later(_FEED_SECONDS, begun.set)
        elif not _is_feed(sent[0]["headers"]) or message.get("body"):
            begun.set()

    scope: dict[str, Any] = {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.3"},
        "http_version": "1.1",
        "method": request.method,
        "scheme": scheme,
        "path": unquote(request.path),
        "raw_path": request.path.encode(),
        "root_path": "",
        "query_string": request.query,
        "headers": request.headers,
        "client": CLIENT,
        "server": ("127.0.0.1", 80),
        "state": {},
    }
    began = process_time()
    await asyncio.wait_for(app(scope, receive, send), EXCHANGE_TIMEOUT_SECONDS)
    taken = process_time() - began
    route = getattr(scope.get("route"), "path", "none")
    start: dict[str, Any] = sent[0] if sent else {"status": 0, "headers": []}
    content = b"".join(message.get("body", b"") for message in sent[1:])
    headers = [(name.lower(), value) for name, value in start["headers"]]
    return Answer(status=start["status"], headers=headers, body=content, route=route, cpu_seconds=taken)


def _is_feed(headers: Iterable[tuple[bytes, bytes]]) -> bool:
    return any(name.lower() == b"content-type" and b"text/event-stream" in value for name, value in headers)
