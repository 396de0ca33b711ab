"""Thousands of people at tables, as lean as can be, for they share a machine with the server that is measured.

Nothing is parsed but the length of a chunk and the number of an event, and a view only when its seat is asked.
"""

import asyncio
import json
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from random import Random
from time import perf_counter
from typing import Any, Final, cast

from leftbower.bench.staging import Party

_AT_ONCE: Final = 100
"""So many feeds are opened together."""
_PATIENCE: Final = 30.0
"""Seconds for which a feed may take to open."""
_LATER: Final = 0.5
"""Seconds after which somebody looks again whether anybody is asked."""
_PROBE: Final = 0.01
"""Seconds between two looks at how late the crowd itself is."""
_ONE_CARD: Final = len("Jd")
_TALK: Final = frozenset({"claim", "throw-in"})
"""What would interrupt the hand."""


@dataclass(slots=True)
class Counts:
    """What was seen between two moments; times are seconds."""

    answers: list[float] = field(default_factory=list)
    """From the post of an act to its answer."""
    deliveries: list[float] = field(default_factory=list)
    """From the post of an act to the moment when the last seat's feed has delivered it."""
    lags: list[float] = field(default_factory=list)
    """How late the crowd itself was: what it measures is too long by about as much."""
    refused: Counter[str] = field(default_factory=Counter)
    """Acts that were not answered with 200, by code."""
    versions: int = 0
    """Versions that tables came to, by people or by the house."""
    sent: list[int] = field(default_factory=list)
    """Bytes of requests, without heads."""
    answered: list[int] = field(default_factory=list)
    """Bytes of answers, without heads."""
    told: list[int] = field(default_factory=list)
    """Bytes of events."""

    def add(self, more: "Counts") -> None:
        """What was seen in another while."""
        for name in ("answers", "deliveries", "lags", "sent", "answered", "told"):
            getattr(self, name).extend(getattr(more, name))
        self.refused.update(more.refused)
        self.versions += more.versions


class Feed:
    """The feed of one person at a table, over one connection after another, and the newest event that it delivered."""

    __slots__ = ("_stream", "event", "port", "seat", "sitting", "token", "version")

    def __init__(self, sitting: "Sitting", seat: int, token: str, port: int) -> None:
        self.sitting, self.seat, self.token, self.port = sitting, seat, token, port
        self.version, self.event = -1, b""
        self._stream: Stream | None = None

    async def open(self) -> None:
        """Connect, from behind the version that was delivered last, and wait for the first word."""
        loop = asyncio.get_running_loop()
        self.cut()
        self._stream = stream = Stream(self)
        try:
            async with asyncio.timeout(_PATIENCE):
                await loop.create_connection(lambda: stream, "127.0.0.1", self.port)
                await stream.begun
        except BaseException:
            stream.cut()
            raise

    def cut(self) -> None:
        """Hang up without a word."""
        if self._stream:
            self._stream.cut()
            self._stream = None

    @property
    def request(self) -> bytes:
        """What asks for it."""
        seen = f"Last-Event-ID: {self.version}\r\n" if self.version >= 0 else ""
        head = f"GET /api/tables/{self.sitting.name}/feed HTTP/1.1\r\nHost: localhost\r\n"
        return f"{head}Authorization: Bearer {self.token}\r\n{seen}\r\n".encode()

    def take(self, event: bytes) -> None:
        """An event was delivered."""
        before, self.version = self.version, int(event[4 : event.index(b"\n")])
        self.event = event
        self.sitting.delivered(self, before)

    def shown(self) -> Any:
        """The table as this seat saw it last."""
        return json.loads(self.event[self.event.index(b"\ndata: ") + 7 :])


class Stream(asyncio.Protocol):
    """One connection of a feed."""

    __slots__ = ("_feed", "_rest", "_transport", "begun")

    def __init__(self, feed: Feed) -> None:
        self._feed: Feed | None = feed
        self._transport: asyncio.Transport | None = None
        self._rest: bytes | None = None
        self.begun: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def cut(self) -> None:
        """Hang up, and hear nothing more."""
        self._feed = None
        self.begun.cancel()
        if self._transport:
            self._transport.abort()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Ask for the feed."""
        self._transport = cast(asyncio.Transport, transport)
        if self._feed is None:
            self._transport.abort()
        else:
            self._transport.write(self._feed.request)

    def connection_lost(self, exc: Exception | None) -> None:
        """Whoever waits for it hears of it."""
        self._transport = None
        if not self.begun.done():
            self.begun.set_exception(ConnectionError("a feed was ended before it began"))

    def data_received(self, data: bytes) -> None:
        """Chunks, of which some may be whole."""
        if self._rest is None:
            head, end, data = data.partition(b"\r\n\r\n")
            if not end or not head.startswith(b"HTTP/1.1 200 "):
                if self._transport:
                    self._transport.abort()
                return
        elif self._rest:
            data = self._rest + data
        at = 0
        while (line := data.find(b"\r\n", at)) > 0:
            end_of_chunk = line + 2 + int(data[at:line], 16)
            if len(data) < end_of_chunk + 2:
                break
            self._take(data[line + 2 : end_of_chunk])
            at = end_of_chunk + 2
        self._rest = data[at:]

    def _take(self, chunk: bytes) -> None:
        if not self.begun.done():
            self.begun.set_result(None)
        for event in chunk.split(b"\n\n"):
            if event.startswith(b"id: ") and self._feed is not None:
                self._feed.take(event)


class Line(asyncio.Protocol):
    """A connection for requests, one after another."""

    def __init__(self, lines: "Lines") -> None:
        self._lines = lines
        self._done: Callable[[int, bytes], None] | None = None
        self._data = b""
        self.transport: asyncio.Transport | None = None

    def ask(self, request: bytes, done: Callable[[int, bytes], None]) -> None:
        """Send a request; `done` is called with status and body, 0 when the line is lost."""
        assert self.transport is not None
        self._done, self._data = done, b""
        self.transport.write(request)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast(asyncio.Transport, transport)

    def connection_lost(self, exc: Exception | None) -> None:
        self.transport = None
        self._lines.lost(self)
        if self._done:
            done, self._done = self._done, None
            done(0, b"")

    def data_received(self, data: bytes) -> None:
        self._data += data
        head, end, body = self._data.partition(b"\r\n\r\n")
        if not end or not self._done:
            return
        at = head.lower().find(b"content-length: ") + 16
        if len(body) >= int(head[at:].split(b"\r\n", 1)[0]):
            done, self._done = self._done, None
            self._lines.free(self)
            done(int(head[9:12]), body)


class Lines:
    """Connections kept open for the requests of everybody, as a proxy in front of a server keeps them."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._free: list[Line] = []
        self._tasks: set[asyncio.Task[None]] = set()

    def ask(self, request: bytes, done: Callable[[int, bytes], None]) -> None:
        """Send a request on whichever line was used last, or on a new one.

        A line that was idle may be hung up on as it is used: then the request is sent again, once, on a new one.
        """

        def answered(status: int, body: bytes) -> None:
            if status:
                done(status, body)
            else:
                self._begin(request, done)

        if self._free:
            self._free.pop().ask(request, answered)
        else:
            self._begin(request, done)

    def _begin(self, request: bytes, done: Callable[[int, bytes], None]) -> None:
        task = asyncio.get_running_loop().create_task(self._ask_anew(request, done))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _ask_anew(self, request: bytes, done: Callable[[int, bytes], None]) -> None:
        loop = asyncio.get_running_loop()
        try:
            _, line = await loop.create_connection(lambda: Line(self), "127.0.0.1", self._port)
        except OSError:
            done(0, b"")
        else:
            line.ask(request, done)

    def free(self, line: Line) -> None:
        self._free.append(line)

    def lost(self, line: Line) -> None:
        if line in self._free:
            self._free.remove(line)

    def close(self) -> None:
        for line in tuple(self._free):
            if line.transport:
                line.transport.abort()


@dataclass(frozen=True, slots=True)
class Wish:
    """What somebody wants to do at a table."""

    feed: Feed
    path: str
    body: bytes


Choose = Callable[["Sitting"], Wish | None]


class Sitting:
    """One table and its people; one act of theirs at a time."""

    __slots__ = ("_due", "_left", "_sent_at", "crowd", "feeds", "name")

    def __init__(self, crowd: "Crowd", party: Party, ports: Sequence[int]) -> None:
        self.crowd, self.name = crowd, party.name
        self.feeds = [Feed(self, seat, token, ports[seat % len(ports)]) for seat, token in enumerate(party.tokens)]
        self._due, self._left, self._sent_at = -1, 0, 0.0

    def delivered(self, feed: Feed, before: int) -> None:
        """A seat has been told of one more version; its act is delivered when all of them were."""
        counts = self.crowd.counts
        counts.told.append(len(feed.event))
        if feed.seat == 0:
            counts.versions += 1
        if self._left and before < self._due <= feed.version:
            self._left -= 1
            if not self._left:
                counts.deliveries.append(perf_counter() - self._sent_at)

    @property
    def in_flight(self) -> bool:
        """Was an act sent that is not delivered to every seat?"""
        return self._left > 0

    def act(self) -> bool:
        """Have whoever is asked do something; False when nobody is, or the last act is still on its way."""
        wish = None if self._left else self.crowd.choose(self)
        if wish is None:
            return False
        head = (
            f"POST /api/tables/{self.name}/{wish.path} HTTP/1.1\r\nHost: localhost\r\n"
            f"Authorization: Bearer {wish.feed.token}\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(wish.body)}\r\n\r\n"
        )
        request = head.encode() + wish.body
        self._due, self._left = wish.feed.version + 1, len(self.feeds)
        self.crowd.counts.sent.append(len(wish.body))
        self._sent_at = perf_counter()
        self.crowd.lines[wish.feed.port].ask(request, self._answered)
        return True

    def _answered(self, status: int, body: bytes) -> None:
        counts = self.crowd.counts
        if status == 200:
            counts.answers.append(perf_counter() - self._sent_at)
            counts.answered.append(len(body))
        else:
            counts.refused[json.loads(body)["error"]["code"] if body else "gone"] += 1
            self._left = 0


class Crowd:
    """All people at all tables of a server, or of several over one store; seats are spread over their ports."""

    def __init__(self, parties: Iterable[Party], ports: Sequence[int], choose: Choose, *, every: float) -> None:
        self.choose, self._every = choose, every
        self.counts = Counts()
        self.lines = {port: Lines(port) for port in ports}
        self.sittings = [Sitting(self, party, ports) for party in parties]
        self.feeds = [feed for sitting in self.sittings for feed in sitting.feeds]
        self._timers: dict[int, asyncio.TimerHandle] = {}

    async def open(self, progress: Callable[[int], None] = lambda done: None) -> None:
        """Open every feed."""
        for first in range(0, len(self.feeds), _AT_ONCE):
            await asyncio.gather(*(feed.open() for feed in self.feeds[first : first + _AT_ONCE]))
            progress(min(first + _AT_ONCE, len(self.feeds)))

    def begin(self) -> None:
        """Have people act from now on, the tables spread evenly."""
        loop = asyncio.get_running_loop()
        now = loop.time()
        for number in range(len(self.sittings)):
            self._act_at(number, now + self._every * number / len(self.sittings))
        self._probe(perf_counter())

    def rest(self) -> None:
        """Nobody acts until they begin again; everybody listens."""
        for timer in self._timers.values():
            timer.cancel()

    def end(self) -> None:
        """Nobody acts any more, and nobody listens."""
        self.rest()
        for feed in self.feeds:
            feed.cut()
        for lines in self.lines.values():
            lines.close()

    def count_anew(self) -> Counts:
        """What was seen until now; from here on it is counted anew."""
        counts, self.counts = self.counts, Counts()
        return counts

    def _act_at(self, number: int, due: float) -> None:
        self._timers[number] = asyncio.get_running_loop().call_at(due, self._act, number, due)

    def _act(self, number: int, due: float) -> None:
        """The next turn counts from when this one was due: tables that were late together would stay together."""
        self._act_at(number, due + (self._every if self.sittings[number].act() else _LATER))

    def _probe(self, due: float) -> None:
        now = perf_counter()
        self.counts.lags.append(max(now - due, 0.0))
        self._timers[-1] = asyncio.get_running_loop().call_later(_PROBE, self._probe, now + _PROBE)


def player(seed: int) -> Choose:
    """Somebody who does whatever is legal, as the newest view of the seat that is asked lists it."""
    chance = Random(seed)

    def choose(sitting: Sitting) -> Wish | None:
        shown = sitting.feeds[0].shown()
        version = shown["version"]
        asked = shown["cut"] or (shown["hand"]["to_act"] if shown["phase"] == "playing" else None)
        if asked is None:
            return None
        feed = sitting.feeds["NESW".index(asked)]
        if feed.version != version:
            return None
        if shown["cut"]:
            body = {"ask": "cut", "number": chance.randrange(20), "version": version}
            return Wish(feed, "asks", json.dumps(body).encode())
        own = feed.shown()
        if own["last_card"] and own["hand"]["phase"] == "playing" and len(own["hand"]["cards"]) == _ONE_CARD:
            return None  # the house lays it
        if own["hand"]["phase"] == "deciding-alone":
            return None  # the house answers, as the call did
        legal = [action for action in own["hand"]["legal"] if action["act"] not in _TALK]
        body = {"version": version, "act": f"a{version}", "action": chance.choice(legal)}
        return Wish(feed, "acts", json.dumps(body).encode())

    return choose


def parrot(length: int) -> Choose:
    """Somebody who always says the same, in a body of so many bytes."""
    body = b"x" * length
    return lambda sitting: Wish(sitting.feeds[0], "acts", body)
