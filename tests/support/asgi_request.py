"""One request to an ASGI application in this process, without a socket; a feed is closed once it has begun."""

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote

CLIENT = ("127.0.0.1", 50000)
HOST = "localhost"


@dataclass(frozen=True, slots=True)
class Answer:
    """What the application sent."""

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
        """The code of an error in the one JSON shape; empty for anything else."""
        if self.status < 400 or not self.headers.get("content-type", "").startswith("application/json"):
            return ""
        code: str = json.loads(self.body)["error"]["code"]
        return code


async def send_request(
    app: Any, method: str, url: str, *, headers: Mapping[str, str] | None = None, body: bytes = b""
) -> Answer:
    """Send one request over HTTP and return the answer; of a feed, its beginning."""
    path, _, query = url.partition("?")
    sent = {
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
        "headers": [(key.encode(), value.encode("latin-1")) for key, value in sent.items()],
        "client": CLIENT,
        "server": (HOST, 80),
        "state": {},
    }
    messages: list[dict[str, Any]] = []
    begun = asyncio.Event()
    body_read = False

    async def receive() -> dict[str, Any]:
        nonlocal body_read
        if not body_read:
            body_read = True
            return {"type": "http.request", "body": body, "more_body": False}
        await begun.wait()
        return {"type": "http.disconnect"}

    async def send(message: dict[str, Any]) -> None:
        messages.append(message)
        begun.set()

    await app(scope, receive, send)
    start, *rest = messages
    names = {key.decode().lower(): value.decode("latin-1") for key, value in start["headers"]}
    return Answer(start["status"], names, b"".join(message.get("body", b"") for message in rest))
