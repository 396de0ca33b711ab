"""One request to an ASGI application in this process, without a socket; a feed is closed once it has started."""

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote

CLIENT = ("127.0.0.1", 50000)
HOST = "localhost"


@dataclass(frozen=True, slots=True)
class AsgiResponse:
    """The response of the application."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def text(self) -> str:
        return self.body.decode()

    @property
    def is_feed(self) -> bool:
        return self.headers.get("content-type", "").startswith("text/event-stream")

    @property
    def error_code(self) -> str:
        """The code of a JSON error response; empty for anything else."""
        if self.status < 400 or not self.headers.get("content-type", "").startswith("application/json"):
            return ""
        code: str = json.loads(self.body)["error"]["code"]
        return code


async def send_request(
    app: Any, method: str, url: str, *, headers: Mapping[str, str] | None = None, body: bytes = b""
) -> AsgiResponse:
    """Send one request and return the response; for a feed, its beginning."""
    path, _, query = url.partition("?")
    request_headers = {
        "host": HOST,
        "content-length": str(len(body)),
        **{key.lower(): value for key, value in (headers or {}).items()},
    }
    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": unquote(path),
        "raw_path": path.encode(),
        "root_path": "",
        "query_string": query.encode(),
        "headers": [(key.encode(), value.encode("latin-1")) for key, value in request_headers.items()],
        "client": CLIENT,
        "server": (HOST, 80),
        "state": {},
    }
    messages: list[dict[str, Any]] = []
    started = asyncio.Event()
    body_read = False

    async def receive() -> dict[str, Any]:
        nonlocal body_read
        if not body_read:
            body_read = True
            return {"type": "http.request", "body": body, "more_body": False}
        await started.wait()
        return {"type": "http.disconnect"}

    async def send(message: dict[str, Any]) -> None:
        messages.append(message)
        started.set()

    await app(scope, receive, send)
    start, *rest = messages
    response_headers = {key.decode().lower(): value.decode("latin-1") for key, value in start["headers"]}
    return AsgiResponse(start["status"], response_headers, b"".join(message.get("body", b"") for message in rest))
