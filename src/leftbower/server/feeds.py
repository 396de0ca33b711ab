"""Feeds: every client that listens to a table is sent every new version as it may see it.

A feed has a bounded queue. Whoever reads too slowly is cut, comes back with the last version it saw, and is sent the
table as it stands then.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import aclosing
from typing import Final

from fastapi.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from leftbower.errors import LeftbowerError, NotSignedIn
from leftbower.server.logs import tell_of
from leftbower.server.waiting import Line
from leftbower.table import Table

ROOM: Final = 64
"""Versions that wait for a reader."""
QUIET: Final = 15.0
"""Seconds without a word, after which a feed says that it is still there."""
_log = logging.getLogger("leftbower.feeds")
Present = Callable[[], Awaitable[Table]]
"""The table as it stands."""
Render = Callable[[Table], Awaitable[str]]
"""A table as the client may see it, as text of one line: JSON here, HTML where somebody hands that in."""


class Feed:
    """One client that listens to one table."""

    def __init__(self, person: str | None, *, room: int, since: int) -> None:
        self.person = person
        self._line: Line[Table] = Line(room)
        self._last = since

    def put(self, table: Table) -> bool:
        """Let it know of a version, once; False when it has been cut for want of room."""
        if table.version > self._last:
            if not self._line.put(table):
                self.cut()
                return False
            self._last = table.version
        return True

    def cut(self) -> None:
        """End it, whatever waits."""
        self._line.close()

    async def next(self, patience: float) -> Table | None:
        """The next version, or None when the feed has been cut; TimeoutError when there was none for so long."""
        return await self._line.take(patience)


class Feeds:
    """All feeds of a server."""

    def __init__(self, *, room: int = ROOM, quiet: float = QUIET) -> None:
        self._room, self._quiet = room, quiet
        self._by_table: dict[str, set[Feed]] = {}
        self._closed = False

    def __len__(self) -> int:
        return sum(map(len, self._by_table.values()))

    def tell(self, name: str, table: Table) -> None:
        """Pass a new version on."""
        for feed in tuple(self._by_table.get(name, ())):
            if not feed.put(table):
                self._drop(name, feed)

    def dismiss(self, person: str) -> None:
        """End every feed of a person, whose token is no longer good; with another one they come back."""
        self._cut(lambda feed: feed.person == person)

    def close(self) -> None:
        """End every feed, and let none begin."""
        self._closed = True
        self._cut(lambda feed: True)

    async def listen(
        self, name: str, person: str | None, present: Present, render: Render, *, since: int, seen: int | None
    ) -> AsyncIterator[str]:
        """The events for one client: the table as it stands, unless it has seen that, then every new version.

        The table was at version `since`. It listens before it looks, so that no version falls between the two. A
        table that may no longer be shown, or cannot be, ends the feed.
        """
        if self._closed:
            return
        feed = Feed(person, room=self._room, since=since)
        self._by_table.setdefault(name, set()).add(feed)
        try:
            table: Table | None = await present()
            last = seen if seen is not None and table is not None and seen <= table.version else 0
            while table is not None:
                if table.version > last:
                    yield event(table.version, await render(table))
                    last = table.version
                elif last == seen:
                    yield _STILL_HERE  # so that the client knows at once that it is heard
                while True:
                    try:
                        table = await feed.next(self._quiet)
                        break
                    except TimeoutError:
                        yield _STILL_HERE
        except LeftbowerError as error:
            if not isinstance(error, NotSignedIn):
                tell_of(_log, "a feed was ended", error)
        finally:
            self._drop(name, feed)

    def _cut(self, which: Callable[[Feed], bool]) -> None:
        for feeds in self._by_table.values():
            for feed in filter(which, feeds):
                feed.cut()

    def _drop(self, name: str, feed: Feed) -> None:
        feeds = self._by_table.get(name)
        if feeds is not None:
            feeds.discard(feed)
            if not feeds:
                del self._by_table[name]


class EventStream(StreamingResponse):
    """Server-sent events; when the client goes, so does whatever makes them, at once."""

    media_type = "text/event-stream"

    def __init__(self, events: AsyncIterator[str]) -> None:
        super().__init__(events, headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"})

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send until there is no more, or nobody there: what Starlette does, with half the memory for each feed."""
        task, left = asyncio.current_task(), False
        assert task is not None

        def gone(_: object) -> None:
            nonlocal left
            left = True
            task.cancel()

        watching = asyncio.get_running_loop().create_task(_until_gone(receive), name="leftbower feed")
        watching.add_done_callback(gone)
        try:
            await self.stream_response(send)
        except asyncio.CancelledError:
            if not left or task.uncancel():
                raise
        finally:
            watching.remove_done_callback(gone)
            watching.cancel()

    async def stream_response(self, send: Send) -> None:
        """Send one event after another, and keep none: between two events a feed holds no text."""
        await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
        async with aclosing(self.body_iterator) as events:  # type: ignore[type-var]
            async for text in events:
                body, text = str(text).encode(), ""  # noqa: PLW2901
                message = {"type": "http.response.body", "body": body, "more_body": True}
                del body
                await send(message)
                del message
        await send({"type": "http.response.body", "body": b"", "more_body": False})


async def _until_gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


def event(version: int, data: str) -> str:
    """One event of the stream."""
    return f"id: {version}\nevent: table\ndata: {data}\n\n"


_STILL_HERE: Final = ": still here\n\n"
