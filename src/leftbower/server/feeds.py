"""Feeds: every client that listens to a table, or to an event, is sent every new version as it may see it.

A feed has a bounded queue, and nothing is made for a client before it has taken what was made last. Whoever reads too
slowly is cut, comes back with the last version it saw, and is sent the table as it stands then.

Each feed is a task that makes one event after another. A client that waits for the next version, of which all is at
hand, is sent it without waking that task: hundreds of times a second that would be an eighth of the work.
"""

import logging
from asyncio import get_running_loop, sleep
from collections.abc import AsyncGenerator, Awaitable, Callable, Collection, Iterable
from typing import Final, Generic, Protocol, TypeVar

from leftbower.errors import LeftbowerError, LinkRevoked, NotSignedIn, NotYourRole
from leftbower.server.logs import tell_of
from leftbower.server.metrics import FEEDS_ENDED, LIMITS
from leftbower.server.waiting import Line, Ticking

ROOM: Final = 64
"""Versions that wait for a reader."""
_BEHIND: Final = 8
"""Whoever is more versions behind is sent the latest only: old ones would be made for nobody else, and are no news."""
QUIET: Final = 15.0
"""Seconds without a word, after which a feed says that it is still there."""
EACH: Final = 20
"""Feeds of one person. One more ends the oldest: a browser that lost its way leaves some that nobody reads."""
_log = logging.getLogger("leftbower.feeds")


class Versioned(Protocol):
    """What can be listened to: a table or an event."""

    @property
    def version(self) -> int:
        """The number of its last fact."""


V = TypeVar("V", bound=Versioned)
Present = Callable[[], Awaitable[V]]
"""The table as it stands."""
Render = Callable[[V], Awaitable[str]]
"""A table as the client may see it, as text of one line: JSON here, HTML where somebody hands that in.

An empty text says that there is nothing new for this client.
"""


AtOnce = Callable[[V], str | None]
"""The same text, if nothing has to be waited for."""


class Outlet(Protocol):
    """Where bytes go to a client without waiting."""

    @property
    def is_open(self) -> bool:
        """Is it connected, and has it taken what it was sent?"""

    def push(self, data: bytes) -> None:
        """Send it something."""


class Feed(Generic[V]):
    """One client that listens to one table."""

    __slots__ = ("_last", "give", "line", "person", "why")

    def __init__(self, person: str | None, *, room: int, since: int) -> None:
        self.person = person
        self.line: Line[V] = Line(room)
        self._last = since
        self.why = "left"
        """Why it ended: the client left, unless somebody says otherwise."""
        self.give: Callable[[V], bool] | None = None
        """Sends a version at once, if that can be done."""

    def put(self, table: V) -> bool:
        """Let it know of a version, once; False when it has been cut for want of room."""
        if table.version > self._last:
            if not self.line.put(table, quietly=self.give is not None):
                self.cut("slow")
                return False
            self._last = table.version
        return True

    def hand_out(self) -> None:
        """Send what waits at once, as far as that can be done."""
        if self.give is not None:
            self.line.hand_out(self.give)

    def cut(self, why: str) -> None:
        """End it, whatever waits."""
        self.why = why
        self.line.close()

    async def next(self) -> V | None:
        """The next version, or None when the feed has been cut; TimeoutError when there was none for a while."""
        return await self.line.take()


class Feeds(Generic[V]):
    """All feeds of a server."""

    def __init__(self, *, room: int = ROOM, quiet: float = QUIET) -> None:
        self._room = room
        self._ticking = Ticking(lambda: (one.line for feeds in self._by_table.values() for one in feeds), quiet)
        self._by_table: dict[str, set[Feed[V]]] = {}
        self._by_reader: dict[str, dict[Feed[V], None]] = {}
        self._closed = False

    def __len__(self) -> int:
        return sum(map(len, self._by_table.values()))

    def tables(self) -> Collection[str]:
        """Those that somebody listens to."""
        return self._by_table.keys()

    def tell(self, name: str, table: V) -> None:
        """Pass a new version on: at once, but behind the answer to whoever has just done something."""
        quick: list[Feed[V]] = []
        for feed in tuple(self._by_table.get(name, ())):
            if not feed.put(table):
                self._drop(name, feed)
            elif feed.give is not None:
                quick.append(feed)
        if quick:
            get_running_loop().call_soon(_hand_out, quick)

    def dismiss(self, person: str) -> None:
        """End every feed of a person, whose token is no longer good; with another one they come back."""
        self._cut(lambda feed: feed.person == person)

    def end(self, name: str) -> None:
        """End every feed of a table or an event that was removed."""
        for feed in tuple(self._by_table.get(name, ())):
            feed.cut("cut")

    def make_room(self, reader: str, most: int) -> None:
        """End the oldest feeds of a reader, so that one more is not too many."""
        theirs = [feed for feed in self._by_reader.get(reader, ()) if feed.why == "left"]
        for feed in theirs[: max(0, len(theirs) + 1 - most)]:
            LIMITS.add("feeds")
            feed.cut("crowded")

    def close(self) -> None:
        """End every feed, and let none begin."""
        self._closed = True
        self._cut(lambda feed: True)

    async def listen(
        self,
        name: str,
        person: str | None,
        present: Present[V],
        render: Render[V],
        *,
        since: int,
        seen: int | None,
        reader: str = "",
        most: int = EACH,
        rest: float = 0.0,
        at_once: AtOnce[V] | None = None,
        outlet: Outlet | None = None,
    ) -> AsyncGenerator[str, None]:
        """The events for one client: the table as it stands, unless it has seen that, then every new version.

        The table was at version `since`. It listens before it looks, so that no version falls between the two. A
        table that may no longer be shown, or cannot be, ends the feed. A `reader` has at `most` so many, and the
        oldest is told to go. With a `rest` nothing is sent for so many seconds after each version, and then only the
        latest. Where a version's text is there `at_once`, it goes out by the `outlet` without coming by here.
        """
        if self._closed:
            return
        feed: Feed[V] = Feed(person, room=self._room, since=since)
        if at_once is not None and outlet is not None:
            feed.give = _giving(at_once, outlet)
        if reader:
            self.make_room(reader, most)
            self._by_reader.setdefault(reader, {})[feed] = None
        self._by_table.setdefault(name, set()).add(feed)
        self._ticking.begin()
        greeting = _COME_BACK
        try:
            table: V | None = await present()
            last = seen if seen is not None and table is not None and seen <= table.version else 0
            while table is not None:
                if table.version > last:
                    last = table.version
                    if text := await render(table):
                        yield event(table.version, text) + greeting
                        greeting = ""
                    del text  # it would be kept for as long as the feed is quiet
                    if rest:
                        await sleep(rest)
                        feed.line.skip()
                elif last == seen:
                    yield _STILL_HERE + greeting  # so that the client knows at once that it is heard
                    greeting = ""
                feed.line.skip(_BEHIND)
                while True:
                    try:
                        table = await feed.next()
                        break
                    except TimeoutError:
                        yield _STILL_HERE
            if feed.why == "crowded":
                yield _CROWDED
        except LeftbowerError as error:
            feed.why = "failed"
            if not isinstance(error, NotSignedIn | LinkRevoked | NotYourRole):  # an ended token ends its feeds
                tell_of(_log, "a feed was ended", error)
        finally:
            FEEDS_ENDED.add(feed.why)
            self._drop(name, feed)
            self._leave(reader, feed)

    def _cut(self, which: Callable[[Feed[V]], bool]) -> None:
        for feeds in self._by_table.values():
            for feed in filter(which, feeds):
                feed.cut("cut")

    def _drop(self, name: str, feed: Feed[V]) -> None:
        feeds = self._by_table.get(name)
        if feeds is not None:
            feeds.discard(feed)
            if not feeds:
                del self._by_table[name]

    def _leave(self, reader: str, feed: Feed[V]) -> None:
        theirs = self._by_reader.get(reader, {})
        theirs.pop(feed, None)
        if not theirs:
            self._by_reader.pop(reader, None)


def _giving(at_once: AtOnce[V], outlet: Outlet) -> Callable[[V], bool]:
    """Sends a version, or does nothing and says so."""

    def give(table: V) -> bool:
        text = at_once(table) if outlet.is_open else None
        if text is None:
            return False
        outlet.push(event(table.version, text).encode())
        return True

    return give


def _hand_out(feeds: Iterable[Feed[V]]) -> None:
    for feed in feeds:
        try:
            feed.hand_out()
        except Exception:  # whoever makes its events meets the same, and knows what to do
            feed.line.wake()


def event(version: int, data: str) -> str:
    """One event of the stream."""
    return f"id: {version}\nevent: table\ndata: {data}\n\n"


_STILL_HERE: Final = ": still here\n\n"
_CROWDED: Final = 'retry: 60000\nevent: end\ndata: {"code":"too-many"}\n\n'
"""To a feed that is one too many: come back on your own later, or better not at all."""
_COME_BACK: Final = "retry: 1000\n\n"
"""Has a browser come back a second after its feed was ended, and not three or five: another process goes on with it."""
