"""Server-sent events, streamed after FastAPI has returned.

Between two messages a feed is one connection and one small coroutine. Streaming inside FastAPI would keep the routing
state alive: 40 instead of 29 KiB per feed in `python -m benchmarks server --part load --tables 150`.
"""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing, suppress

from fastapi import Response
from starlette.exceptions import HTTPException
from starlette.types import Receive, Scope, Send

from leftbower.server.http.middleware import STREAM_KEY
from leftbower.server.http.protocol import channel_of


class EventStream(Response):
    """A response that streams messages after FastAPI has returned, and closes their source on disconnect."""

    media_type = "text/event-stream"

    def __init__(self, messages: AsyncGenerator[bytes, None]) -> None:
        super().__init__(headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"})
        del self.headers["content-length"]
        self._messages = messages

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Put the stream in the scope; `DetachedStreams` runs it."""
        scope[STREAM_KEY] = self.stream

    async def stream(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send messages until there are no more or the client disconnects. An idle feed holds no text."""
        if channel := channel_of(scope):
            channel.limit_buffering()
        task, is_disconnected = asyncio.current_task(), False
        assert task is not None

        async def watch() -> None:
            nonlocal is_disconnected
            with suppress(HTTPException):  # the body is too large
                while (await receive())["type"] != "http.disconnect":
                    pass
            is_disconnected = True
            task.cancel()  # before the next message is rendered

        watcher = asyncio.get_running_loop().create_task(watch(), name="leftbower feed")
        try:
            await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
            async with aclosing(self._messages) as messages:
                async for text in messages:
                    message = {"type": "http.response.body", "body": text, "more_body": True}
                    del text
                    await send(message)
                    del message
            await send({"type": "http.response.body", "body": b"", "more_body": False})
        except asyncio.CancelledError:
            if not is_disconnected or task.uncancel():
                raise
        finally:
            watcher.cancel()
