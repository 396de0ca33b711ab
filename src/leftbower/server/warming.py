"""What is made only on the way to the first answer is made before anybody asks: it takes as long as many answers."""

from typing import Any

from starlette.types import ASGIApp, Message

_LOOK: dict[str, Any] = {
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
    """Have an application answer once, whatever it says; a process that takes over from another has no time for it."""

    async def receive() -> Message:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Message) -> None:
        pass

    await app({**_LOOK, "headers": [], "state": {}}, receive, send)
