"""Server-sent events, streamed outside of the application that answered with them.

Between two events a feed is a connection and one small coroutine. Answered from within, each would keep whatever
FastAPI needed to find its route for as long as it is open, and every event would pass through all of that.
"""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing, suppress
from typing import Final

from fastapi import Response
from starlette.exceptions import HTTPException
from starlette.types import Receive, Scope, Send

from leftbower.server.patience import hold_little

_OUTSIDE: Final = "leftbower.stream"
"""Where the scope of a request holds the stream that answers it."""


class EventStream(Response):
    """Events that are sent once the application has let go; when the client goes, so does whatever makes them."""

    media_type = "text/event-stream"

    def __init__(self, events: AsyncGenerator[str, None]) -> None:
        super().__init__(headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"})
        del self.headers["content-length"]
        self._events = events

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Leave the stream for whoever is outside."""
        scope[_OUTSIDE] = self

    async def stream(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send until there is no more, or nobody there."""
        hold_little(scope)
        task, left = asyncio.current_task(), False
        assert task is not None

        async def watch() -> None:
            nonlocal left
            with suppress(HTTPException):  # more than is read
                while (await receive())["type"] != "http.disconnect":
                    pass
            left = True
            task.cancel()  # at once, before anything more is made for somebody who was being waited for

        watching = asyncio.get_running_loop().create_task(watch(), name="leftbower feed")
        try:
            await self._send(send)
        except asyncio.CancelledError:
            if not left or task.uncancel():
                raise
        finally:
            watching.cancel()

    async def _send(self, send: Send) -> None:
        """One event after another; none is kept, so that between two events a feed holds no text."""
        await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
        async with aclosing(self._events) as events:
            async for text in events:
                message = {"type": "http.response.body", "body": text.encode(), "more_body": True}
                del text
                await send(message)
                del message
        await send({"type": "http.response.body", "body": b"", "more_body": False})


def streamed(scope: Scope) -> EventStream | None:
    """The stream that an application left, if it answered with one."""
    stream: EventStream | None = scope.pop(_OUTSIDE, None)
    return stream
