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

from leftbower.server.patience import Wire, wire_of

_OUTSIDE: Final = "leftbower.stream"
"""Where the scope of a request holds the stream that answers it."""


class Tap:
    """Where events of a stream may go at once, from when it has begun until it ends."""

    __slots__ = ("wire",)

    def __init__(self) -> None:
        self.wire: Wire | None = None

    @property
    def is_open(self) -> bool:
        """Is the client there, and has it taken what it was sent?"""
        return self.wire is not None and self.wire.is_open

    def push(self, data: bytes) -> None:
        """Send it some events."""
        assert self.wire is not None
        self.wire.push(data)


class EventStream(Response):
    """Events that are sent once the application has let go; when the client goes, so does whatever makes them."""

    media_type = "text/event-stream"

    def __init__(self, events: AsyncGenerator[str, None], tap: Tap | None = None) -> None:
        """Others may send events by the `tap` while nothing comes of `events`."""
        super().__init__(headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"})
        del self.headers["content-length"]
        self._events, self._tap = events, tap or Tap()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Leave the stream for whoever is outside."""
        scope[_OUTSIDE] = self

    async def stream(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send until there is no more, or nobody there."""
        wire = wire_of(scope)
        if wire is not None:
            wire.hold_little()
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
            await self._send(send, wire)
        except asyncio.CancelledError:
            if not left or task.uncancel():
                raise
        finally:
            self._tap.wire = None
            watching.cancel()

    async def _send(self, send: Send, wire: Wire | None) -> None:
        """One event after another; none is kept, so that between two events a feed holds no text."""
        await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
        self._tap.wire = wire
        async with aclosing(self._events) as events:
            async for text in events:
                message = {"type": "http.response.body", "body": text.encode(), "more_body": True}
                del text
                await send(message)
                del message
        self._tap.wire = None
        await send({"type": "http.response.body", "body": b"", "more_body": False})


def streamed(scope: Scope) -> EventStream | None:
    """The stream that an application left, if it answered with one."""
    stream: EventStream | None = scope.pop(_OUTSIDE, None)
    return stream
