"""Feeds: every client that listens to a table is sent every new version as it may see it.

A feed has a bounded queue. Whoever reads too slowly is cut, comes back with the last version it saw, and is sent the
table as it stands then.
"""

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Collection
from contextlib import aclosing
from typing import Any, Final

from fastapi.responses import StreamingResponse
from starlette.types import Send

from leftbower.errors import LeftbowerError, NotSignedIn
from leftbower.server.logs import tell_of
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
        self._queue: asyncio.Queue[Table | None] = asyncio.Queue(room)
        self._last = since

    def put(self, table: Table) -> bool:
        """Let it know of a version, once; False when it has been cut for want of room."""
        if table.version > self._last:
            try:
                self._queue.put_nowait(table)
            except asyncio.QueueFull:
                self.cut()
                return False
            self._last = table.version
        return True

    def cut(self) -> None:
        """End it, whatever waits."""
        while not self._queue.empty():
            self._queue.get_nowait()
        self._queue.put_nowait(None)

    async def next(self, patience: float) -> Table | None:
        """The next version, or None when the feed has been cut; TimeoutError when there was none for so long."""
        async with asyncio.timeout(patience):
            return await self._queue.get()


class Feeds:
    """All feeds of a server."""

    def __init__(self, *, room: int = ROOM, quiet: float = QUIET) -> None:
        self._room, self._quiet = room, quiet
        self._by_table: dict[str, set[Feed]] = {}
        self._closed = False

    def __len__(self) -> int:
        return sum(map(len, self._by_table.values()))

    def tables(self) -> Collection[str]:
        """Those that somebody listens to."""
        return self._by_table.keys()

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
        greeting = _COME_BACK
        try:
            table: Table | None = await present()
            last = seen if seen is not None and table is not None and seen <= table.version else 0
            while table is not None:
                if table.version > last:
                    yield event(table.version, await render(table)) + greeting
                    last, greeting = table.version, ""
                elif last == seen:
                    yield _STILL_HERE + greeting  # so that the client knows at once that it is heard
                    greeting = ""
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

    async def stream_response(self, send: Send) -> None:
        """Send one event after another."""
        async with aclosing(self.body_iterator):  # type: ignore[type-var]
            await super().stream_response(send)


def event(version: int, data: str) -> str:
    """One event of the stream."""
    return f"id: {version}\nevent: table\ndata: {data}\n\n"


def one_line(plain: dict[str, Any]) -> str:
    """JSON without a line break."""
    return json.dumps(plain, separators=(",", ":"), ensure_ascii=False)


_STILL_HERE: Final = ": still here\n\n"
_COME_BACK: Final = "retry: 1000\n\n"
"""Has a browser come back a second after its feed was ended, and not three or five: another process goes on with it."""
