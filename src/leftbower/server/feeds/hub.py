"""Feeds: server-sent streams of the versions of a table or an event, rendered for each client.

A feed has a bounded queue, and the next message is rendered only after the client has received the last one. A client
that reads too slowly is disconnected; it reconnects with the last version it saw and gets the current one.

Each feed is a task. A version that can be rendered without waiting is pushed to an idle client without waking its task:
waking it, hundreds of times per second, was an eighth of the work.
"""

import asyncio
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable, Collection, Iterable
from typing import Final, Generic, Protocol, TypeVar

from leftbower.errors import LeftbowerError, LinkRevoked, NotSignedIn, NotYourRole
from leftbower.server.http.protocol import PushChannel
from leftbower.server.observability.logs import log_error
from leftbower.server.observability.metrics import FEEDS_ENDED, LIMITS_HIT

FEED_QUEUE_SIZE: Final = 64
"""Versions queued for one client."""
_MAX_VERSIONS_BEHIND: Final = 8
"""A client further behind gets the latest version only."""
KEEP_ALIVE_SECONDS: Final = 15.0
"""A feed that was quiet for this long sends a comment."""
_KEEP_ALIVE_TICKS: Final = 10
"""Timer ticks per keep-alive interval."""
_log = logging.getLogger("leftbower.feeds")


class Versioned(Protocol):
    """A table or an event."""

    @property
    def version(self) -> int:
        """The number of its last fact."""


V = TypeVar("V", bound=Versioned)
Load = Callable[[], Awaitable[V]]
"""Returns the current version."""
Render = Callable[[V], Awaitable[bytes]]
"""Renders a version for the client as one line of JSON or HTML; empty if nothing changed for this client."""
RenderNow = Callable[[V], bytes | None]
"""The same without waiting; None if that is not possible."""


class Feed(Generic[V]):
    """One client's stream of the versions of a table or an event: a bounded queue with one consumer.

    It is smaller than an `asyncio.Queue`, because there are thousands.
    """

    __slots__ = ("_closed", "_last_version", "_states", "_waiter", "end_reason", "person", "push", "ticks")

    def __init__(self, person: str | None, *, since: int) -> None:
        self.person = person
        self._states: list[V] = []
        self._waiter: asyncio.Future[None] | None = None
        self._closed = False
        self._last_version = since
        self.end_reason = "disconnected"
        """Why the feed ended; by default the client disconnected."""
        self.push: Callable[[V], bool] | None = None
        """Sends a version without waiting; False if that is not possible."""
        self.ticks = 0
        """Ticks of the keep-alive timer since the last version."""

    def put(self, state: V, max_size: int) -> bool:
        """Queue a version, once; False if the queue was full and the feed has been ended."""
        if state.version > self._last_version:
            if self._closed or len(self._states) >= max_size:
                self.end("slow")
                return False
            self._states.append(state)
            self._last_version = state.version
            if self.push is None:
                self.wake()
        return True

    def flush(self) -> None:
        """Push versions while the feed's task is waiting; wake it for the first version that can't be pushed."""
        while self.push is not None and self._states and self._waiter is not None and not self._waiter.done():
            if not self.push(self._states[0]):
                self.wake()
                return
            self.ticks = 0
            del self._states[:1]

    def end(self, reason: str) -> None:
        self.end_reason = reason
        self._closed = True
        self._states.clear()
        self.wake()

    async def next(self) -> V | None:
        """The next version, or None if the feed was ended; TimeoutError if a keep-alive is due."""
        self.ticks = 0
        if not self._states and not self._closed:
            self._waiter = asyncio.get_running_loop().create_future()
            try:
                await self._waiter
            finally:
                self._waiter = None
        if self._states:
            return self._states.pop(0)
        if self._closed:
            return None
        raise TimeoutError

    def skip(self, max_items: int = 1) -> None:
        """Discard all but the last version if there are more than `max_items`."""
        if len(self._states) > max_items:
            del self._states[:-1]

    def wake(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)


class FeedHub(Generic[V]):
    """All feeds of a server."""

    def __init__(self, *, queue_size: int = FEED_QUEUE_SIZE, keep_alive: float = KEEP_ALIVE_SECONDS) -> None:
        self._queue_size, self._tick_seconds = queue_size, keep_alive / _KEEP_ALIVE_TICKS
        self._timer: asyncio.TimerHandle | None = None
        """One timer for all feeds, cheaper than one timer each; stopped while there are none."""
        self._by_log: dict[str, set[Feed[V]]] = {}
        self._by_reader: dict[str, dict[Feed[V], None]] = {}
        self._closed = False

    def __len__(self) -> int:
        return sum(map(len, self._by_log.values()))

    def watched_logs(self) -> Collection[str]:
        """The tables or events with open feeds."""
        return self._by_log.keys()

    def publish(self, name: str, state: V) -> None:
        """Send a new version to all its feeds, after the response to the request that made it."""
        pushable: list[Feed[V]] = []
        for feed in tuple(self._by_log.get(name, ())):
            if not feed.put(state, self._queue_size):
                self._drop(name, feed)
            elif feed.push is not None:
                pushable.append(feed)
        if pushable:
            asyncio.get_running_loop().call_soon(_flush, pushable)

    def end_for_person(self, person: str) -> None:
        """End all feeds of a person whose token was revoked; clients with another token reconnect."""
        self._end(lambda feed: feed.person == person)

    def end_for_log(self, name: str) -> None:
        """End all feeds of a removed table or event."""
        for feed in tuple(self._by_log.get(name, ())):
            feed.end("closed")

    def evict_oldest(self, reader: str, max_feeds: int) -> None:
        """End the oldest feeds of a reader to make room for one more."""
        active = [feed for feed in self._by_reader.get(reader, ()) if feed.end_reason == "disconnected"]
        for feed in active[: max(0, len(active) + 1 - max_feeds)]:
            LIMITS_HIT.labels("feeds").inc()
            feed.end("evicted")

    def close(self) -> None:
        """End every feed and accept no more."""
        self._closed = True
        self._end(lambda feed: True)

    async def listen(
        self,
        name: str,
        person: str | None,
        load: Load[V],
        render: Render[V],
        *,
        since: int,
        last_seen: int | None,
        reader: str = "",
        max_feeds: int = 1,
        min_interval: float = 0.0,
        render_now: RenderNow[V] | None = None,
        writer: PushChannel | None = None,
    ) -> AsyncGenerator[bytes, None]:
        """The messages for one client: the current version, unless it is `last_seen`, then every new one.

        The feed is registered at version `since` before the current version is loaded, so that no version between the
        two is lost. An error in `render` ends the feed. A `reader` has at most `max_feeds`; the oldest is evicted. With
        a `min_interval` in seconds, versions in between are skipped. A version that `render_now` can render goes
        directly to the `writer`.
        """
        if self._closed:
            return
        feed: Feed[V] = Feed(person, since=since)
        if render_now is not None and writer is not None:
            feed.push = _push_to(render_now, writer)
        if reader:
            self.evict_oldest(reader, max_feeds)
            self._by_reader.setdefault(reader, {})[feed] = None
        self._by_log.setdefault(name, set()).add(feed)
        if self._timer is None:
            self._start_timer()
        retry = _RETRY
        try:
            state: V | None = await load()
            sent = last_seen if last_seen is not None and state is not None and last_seen <= state.version else 0
            while state is not None:
                if state.version > sent:
                    sent = state.version
                    if text := await render(state):
                        yield format_message(state.version, text) + retry
                        retry = b""
                    del text  # otherwise it stays in memory while the feed is quiet
                    if min_interval:
                        await asyncio.sleep(min_interval)
                        feed.skip()
                elif sent == last_seen:
                    yield _KEEP_ALIVE + retry  # tells the client at once that it is connected
                    retry = b""
                feed.skip(_MAX_VERSIONS_BEHIND)
                while True:
                    try:
                        state = await feed.next()
                        break
                    except TimeoutError:
                        yield _KEEP_ALIVE
            if feed.end_reason == "evicted":
                yield _EVICTED
        except LeftbowerError as error:
            feed.end_reason = "failed"
            if not isinstance(error, NotSignedIn | LinkRevoked | NotYourRole):  # a revoked token is no failure
                log_error(_log, "a feed failed", error)
        finally:
            FEEDS_ENDED.labels(feed.end_reason).inc()
            self._drop(name, feed)
            self._drop_reader(reader, feed)

    def _start_timer(self) -> None:
        self._timer = asyncio.get_running_loop().call_later(self._tick_seconds, self._tick)

    def _tick(self) -> None:
        """Wake feeds that were quiet for a keep-alive interval."""
        self._timer = None
        for feeds in self._by_log.values():
            for feed in feeds:
                feed.ticks += 1
                if feed.ticks > _KEEP_ALIVE_TICKS:
                    feed.wake()
        if self._by_log:
            self._start_timer()

    def _end(self, matches: Callable[[Feed[V]], bool]) -> None:
        for feeds in self._by_log.values():
            for feed in filter(matches, feeds):
                feed.end("closed")

    def _drop(self, name: str, feed: Feed[V]) -> None:
        feeds = self._by_log.get(name)
        if feeds is not None:
            feeds.discard(feed)
            if not feeds:
                del self._by_log[name]

    def _drop_reader(self, reader: str, feed: Feed[V]) -> None:
        feeds = self._by_reader.get(reader, {})
        feeds.pop(feed, None)
        if not feeds:
            self._by_reader.pop(reader, None)


def _push_to(render_now: RenderNow[V], writer: PushChannel) -> Callable[[V], bool]:
    """A function that renders and writes a version, or returns False."""

    def push(state: V) -> bool:
        text = render_now(state) if writer.is_open else None
        if text is None:
            return False
        writer.push(format_message(state.version, text))
        return True

    return push


def _flush(feeds: Iterable[Feed[V]]) -> None:
    for feed in feeds:
        try:
            feed.flush()
        except Exception:  # the feed's task gets the same error and handles it
            feed.wake()


def parse_version(text: str) -> int | None:
    """The version in `Last-Event-ID`, or None."""
    return int(text) if text.isdecimal() and len(text) < 10 else None


def format_message(version: int, data: bytes) -> bytes:
    """One server-sent message."""
    return b"id: %d\nevent: table\ndata: %b\n\n" % (version, data)


_KEEP_ALIVE: Final = b": still here\n\n"
_EVICTED: Final = b'retry: 60000\nevent: end\ndata: {"code":"too-many"}\n\n'
"""Tells the client of an evicted feed to wait before it reconnects."""
_RETRY: Final = b"retry: 1000\n\n"
"""Makes browsers reconnect after one second instead of three to five, as another process can continue the feed."""
