"""Server-sent events, streamed after FastAPI has returned.

Between two messages a feed is a connection and one small coroutine. Streamed inside FastAPI, it would keep the
routing state alive while it is open, and every message would pass through the whole stack.
"""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing, suppress
from typing import Final

from fastapi import Response
from starlette.exceptions import HTTPException
from starlette.types import Receive, Scope, Send

from leftbower.server.http.protocol import PushChannel, channel_of

_STREAM_KEY: Final = "leftbower.stream"
"""The scope key of the stream that answers a request."""


class DirectWriter:
    """Writes messages straight to the connection of a stream, from its start to its end."""

    __slots__ = ("channel",)

    def __init__(self) -> None:
        self.channel: PushChannel | None = None

    @property
    def is_open(self) -> bool:
        """Is the client connected, and has it read everything so far?"""
        return self.channel is not None and self.channel.is_open

    def push(self, data: bytes) -> None:
        assert self.channel is not None
        self.channel.push(data)


class EventStream(Response):
    """A response that streams messages after FastAPI has returned, and closes their source on disconnect."""

    media_type = "text/event-stream"

    def __init__(self, messages: AsyncGenerator[str, None], writer: DirectWriter | None = None) -> None:
        """The `writer` may send messages while `messages` yields none."""
        super().__init__(headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"})
        del self.headers["content-length"]
        self._messages, self._writer = messages, writer or DirectWriter()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Put the stream into the scope; the middleware runs it."""
        scope[_STREAM_KEY] = self

    async def stream(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send messages until there are no more or the client disconnects."""
        channel = channel_of(scope)
        if channel is not None:
            channel.limit_buffering()
        task, is_disconnected = asyncio.current_task(), False
        assert task is not None

        async def watch() -> None:
            nonlocal is_disconnected
            with suppress(HTTPException):  # the body is too large
                while (await receive())["type"] != "http.disconnect":
                    pass
            is_disconnected = True
            task.cancel()  # at once, before the next message is rendered

        watcher = asyncio.get_running_loop().create_task(watch(), name="leftbower feed")
        try:
            await self._send(send, channel)
        except asyncio.CancelledError:
            if not is_disconnected or task.uncancel():
                raise
        finally:
            self._writer.channel = None
            watcher.cancel()

    async def _send(self, send: Send, channel: PushChannel | None) -> None:
        """Send messages in turn; keep none, so that an idle feed holds no text."""
        await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
        self._writer.channel = channel
        async with aclosing(self._messages) as messages:
            async for text in messages:
                message = {"type": "http.response.body", "body": text.encode(), "more_body": True}
                del text
                await send(message)
                del message
        self._writer.channel = None
        await send({"type": "http.response.body", "body": b"", "more_body": False})


def take_stream(scope: Scope) -> EventStream | None:
    """Remove and return the stream from the scope, if the response is one."""
    stream: EventStream | None = scope.pop(_STREAM_KEY, None)
    return stream
