"""Warm-up: one dummy request at start-up, so that lazy initialization doesn't slow the first real one."""

from typing import Any

from starlette.types import ASGIApp, Message

_SCOPE: dict[str, Any] = {
    "type": "http",
    "asgi": {"version": "3.0", "spec_version": "2.3"},
    "http_version": "1.1",
    "method": "GET",
    "scheme": "http",
    "path": "/healthz",
    "raw_path": b"/healthz",
    "query_string": b"",
    "root_path": "",
    "headers": [],
    "client": None,
    "server": None,
}


async def warm_up(app: ASGIApp) -> None:
    """Send one request to the application and discard the response."""

    async def receive() -> Message:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Message) -> None:
        pass

    await app({**_SCOPE, "headers": [], "state": {}}, receive, send)
