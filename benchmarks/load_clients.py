"""Load clients: thousands of people at tables, using little CPU time because they share a machine with the server.

They parse only the length of a chunk and the id of a feed message, and a view only if its seat is to act.
"""

import asyncio
import json
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from random import Random
from time import perf_counter
from typing import Any, Final, cast

from benchmarks.table_fixture import FixtureTable

_FEEDS_PER_BATCH: Final = 100
"""Feeds opened at the same time."""
_OPEN_TIMEOUT_SECONDS: Final = 30.0
"""Seconds that a feed may take to open."""
_RETRY_SECONDS: Final = 0.5
"""Seconds until a table is tried again if no seat could act."""
_PROBE_SECONDS: Final = 0.01
"""Interval of measurements of the clients' lag."""
_CARD_LENGTH: Final = len("Jd")
_INTERRUPTING_ACTIONS: Final = frozenset({"claim", "throw-in"})
"""Actions that would interrupt the hand."""


@dataclass(slots=True)
class Counts:
    """Counts of a period; times are in seconds."""

    answers: list[float] = field(default_factory=list)
    """From the POST of an action to its response."""
    deliveries: list[float] = field(default_factory=list)
    """From the POST of an action until the feeds of all seats have delivered it."""
    lags: list[float] = field(default_factory=list)
    """How late the clients were; times are too long by about as much."""
    refused: Counter[str] = field(default_factory=Counter)
    """Actions not answered with 200, by code."""
    versions: int = 0
    """New versions of tables, by people or by the server."""
    request_bytes: list[int] = field(default_factory=list)
    """Bytes of request bodies."""
    response_bytes: list[int] = field(default_factory=list)
    """Bytes of response bodies."""
    event_bytes: list[int] = field(default_factory=list)
    """Bytes of feed messages."""

    def add(self, more: "Counts") -> None:
        """Add the counts of another period."""
        for name in ("answers", "deliveries", "lags", "request_bytes", "response_bytes", "event_bytes"):
            getattr(self, name).extend(getattr(more, name))
        self.refused.update(more.refused)
        self.versions += more.versions


class FeedClient:
    """The feed of one person at a table, over successive connections, and its latest message."""

    __slots__ = ("_stream", "event", "port", "seat", "table_client", "token", "version")

    def __init__(self, table_client: "TableClient", seat: int, token: str, port: int) -> None:
        self.table_client, self.seat, self.token, self.port = table_client, seat, token, port
        self.version, self.event = -1, b""
        self._stream: FeedConnection | None = None

    async def open(self) -> None:
        """Connect, resume after the last version, and wait for the first message."""
        loop = asyncio.get_running_loop()
        self.disconnect()
        self._stream = stream = FeedConnection(self)
        try:
            async with asyncio.timeout(_OPEN_TIMEOUT_SECONDS):
                await loop.create_connection(lambda: stream, "127.0.0.1", self.port)
                await stream.started
        except BaseException:
            stream.disconnect()
            raise

    def disconnect(self) -> None:
        """Close the connection at once."""
        if self._stream:
            self._stream.disconnect()
            self._stream = None

    @property
    def request(self) -> bytes:
        """The bytes of the GET request."""
        last_event_id = f"Last-Event-ID: {self.version}\r\n" if self.version >= 0 else ""
        head = f"GET /api/tables/{self.table_client.name}/feed HTTP/1.1\r\nHost: localhost\r\n"
        return f"{head}Authorization: Bearer {self.token}\r\n{last_event_id}\r\n".encode()

    def deliver(self, event: bytes) -> None:
        before, self.version = self.version, int(event[4 : event.index(b"\n")])
        self.event = event
        self.table_client.delivered(self, before)

    def table_view(self) -> Any:
        """The latest view of this seat."""
        return json.loads(self.event[self.event.index(b"\ndata: ") + 7 :])


class FeedConnection(asyncio.Protocol):
    """One connection of a feed."""

    __slots__ = ("_feed", "_rest", "_transport", "started")

    def __init__(self, feed: FeedClient) -> None:
        self._feed: FeedClient | None = feed
        self._transport: asyncio.Transport | None = None
        self._rest: bytes | None = None
        self.started: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def disconnect(self) -> None:
        """Close it, and ignore anything that still arrives."""
        self._feed = None
        self.started.cancel()
        if self._transport:
            self._transport.abort()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        if self._feed is None:
            self._transport.abort()
        else:
            self._transport.write(self._feed.request)

    def connection_lost(self, exc: Exception | None) -> None:
        """Fail the pending `open`."""
        self._transport = None
        if not self.started.done():
            self.started.set_exception(ConnectionError("a feed was ended before it began"))

    def data_received(self, data: bytes) -> None:
        """Parse the complete chunks."""
        if self._rest is None:
            head, end, data = data.partition(b"\r\n\r\n")
            if not end or not head.startswith(b"HTTP/1.1 200 "):
                if self._transport:
                    self._transport.abort()
                return
        elif self._rest:
            data = self._rest + data
        at = 0
        while (line_end := data.find(b"\r\n", at)) > 0:
            end_of_chunk = line_end + 2 + int(data[at:line_end], 16)
            if len(data) < end_of_chunk + 2:
                break
            self._take(data[line_end + 2 : end_of_chunk])
            at = end_of_chunk + 2
        self._rest = data[at:]

    def _take(self, chunk: bytes) -> None:
        if not self.started.done():
            self.started.set_result(None)
        for event in chunk.split(b"\n\n"):
            if event.startswith(b"id: ") and self._feed is not None:
                self._feed.deliver(event)


class RequestConnection(asyncio.Protocol):
    """A connection for requests, one after another."""

    def __init__(self, pool: "ConnectionPool") -> None:
        self._pool = pool
        self._done: Callable[[int, bytes], None] | None = None
        self._data = b""
        self.transport: asyncio.Transport | None = None

    def send(self, request: bytes, done: Callable[[int, bytes], None]) -> None:
        """Send a request; `done` is called with status and body, or with status 0 if the connection is lost."""
        assert self.transport is not None
        self._done, self._data = done, b""
        self.transport.write(request)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast(asyncio.Transport, transport)

    def connection_lost(self, exc: Exception | None) -> None:
        self.transport = None
        self._pool.discard(self)
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
            self._pool.release(self)
            done(int(head[9:12]), body)


class ConnectionPool:
    """Keep-alive connections for the requests of all clients, like those of a proxy in front of the server."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._free: list[RequestConnection] = []
        self._tasks: set[asyncio.Task[None]] = set()

    def send(self, request: bytes, done: Callable[[int, bytes], None]) -> None:
        """Send a request on the most recently used connection, or on a new one.

        The server may close an idle connection just then: the request is then resent, once, on a new one.
        """

        def retry_once(status: int, body: bytes) -> None:
            if status:
                done(status, body)
            else:
                self._start_request(request, done)

        if self._free:
            self._free.pop().send(request, retry_once)
        else:
            self._start_request(request, done)

    def _start_request(self, request: bytes, done: Callable[[int, bytes], None]) -> None:
        task = asyncio.get_running_loop().create_task(self._send_on_new_connection(request, done))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _send_on_new_connection(self, request: bytes, done: Callable[[int, bytes], None]) -> None:
        loop = asyncio.get_running_loop()
        try:
            _, connection = await loop.create_connection(lambda: RequestConnection(self), "127.0.0.1", self._port)
        except OSError:
            done(0, b"")
        else:
            connection.send(request, done)

    def release(self, connection: RequestConnection) -> None:
        self._free.append(connection)

    def discard(self, connection: RequestConnection) -> None:
        if connection in self._free:
            self._free.remove(connection)

    def close(self) -> None:
        for connection in tuple(self._free):
            if connection.transport:
                connection.transport.abort()


@dataclass(frozen=True, slots=True)
class PlannedRequest:
    """The next request of a table."""

    feed: FeedClient
    path: str
    body: bytes


ChooseRequest = Callable[["TableClient"], PlannedRequest | None]


class TableClient:
    """A table and its people; one action at a time."""

    __slots__ = ("_expected_version", "_pending_feeds", "_sent_at", "clients", "feeds", "name")

    def __init__(self, clients: "LoadClients", fixture: FixtureTable, ports: Sequence[int]) -> None:
        self.clients, self.name = clients, fixture.name
        self.feeds = [
            FeedClient(self, seat, token, ports[seat % len(ports)]) for seat, token in enumerate(fixture.tokens)
        ]
        self._expected_version, self._pending_feeds, self._sent_at = -1, 0, 0.0

    def delivered(self, feed: FeedClient, before: int) -> None:
        """A seat received a new version; an action is delivered when all seats have received it."""
        counts = self.clients.counts
        counts.event_bytes.append(len(feed.event))
        if feed.seat == 0:
            counts.versions += 1
        if self._pending_feeds and before < self._expected_version <= feed.version:
            self._pending_feeds -= 1
            if not self._pending_feeds:
                counts.deliveries.append(perf_counter() - self._sent_at)

    @property
    def in_flight(self) -> bool:
        """Was an action sent that some seat has not received yet?"""
        return self._pending_feeds > 0

    def act(self) -> bool:
        """Send an action of the seat to act; False if there is none, or the last action is still in flight."""
        planned = None if self._pending_feeds else self.clients.choose(self)
        if planned is None:
            return False
        head = (
            f"POST /api/tables/{self.name}/{planned.path} HTTP/1.1\r\nHost: localhost\r\n"
            f"Authorization: Bearer {planned.feed.token}\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(planned.body)}\r\n\r\n"
        )
        request = head.encode() + planned.body
        self._expected_version, self._pending_feeds = planned.feed.version + 1, len(self.feeds)
        self.clients.counts.request_bytes.append(len(planned.body))
        self._sent_at = perf_counter()
        self.clients.pools[planned.feed.port].send(request, self._answered)
        return True

    def _answered(self, status: int, body: bytes) -> None:
        counts = self.clients.counts
        if status == 200:
            counts.answers.append(perf_counter() - self._sent_at)
            counts.response_bytes.append(len(body))
        else:
            counts.refused[json.loads(body)["error"]["code"] if body else "connection lost"] += 1
            self._pending_feeds = 0


class LoadClients:
    """All people at all tables of one server, or of several on one store; seats are spread over their ports."""

    def __init__(
        self, fixtures: Iterable[FixtureTable], ports: Sequence[int], choose: ChooseRequest, *, every: float
    ) -> None:
        self.choose, self._every = choose, every
        self.counts = Counts()
        self.pools = {port: ConnectionPool(port) for port in ports}
        self.table_clients = [TableClient(self, fixture, ports) for fixture in fixtures]
        self.feeds = [feed for table_client in self.table_clients for feed in table_client.feeds]
        self._timers: dict[int, asyncio.TimerHandle] = {}

    async def open(self, progress: Callable[[int], None] = lambda done: None) -> None:
        for first in range(0, len(self.feeds), _FEEDS_PER_BATCH):
            await asyncio.gather(*(feed.open() for feed in self.feeds[first : first + _FEEDS_PER_BATCH]))
            progress(min(first + _FEEDS_PER_BATCH, len(self.feeds)))

    def start_acting(self) -> None:
        """Start acting, with the tables spread evenly over the interval."""
        loop = asyncio.get_running_loop()
        now = loop.time()
        for number in range(len(self.table_clients)):
            self._act_at(number, now + self._every * number / len(self.table_clients))
        self._probe(perf_counter())

    def pause(self) -> None:
        """Stop acting; feeds stay open."""
        for timer in self._timers.values():
            timer.cancel()

    def close(self) -> None:
        """Stop acting, and close all connections."""
        self.pause()
        for feed in self.feeds:
            feed.disconnect()
        for pool in self.pools.values():
            pool.close()

    def take_counts(self) -> Counts:
        """Return the counts so far, and reset them."""
        counts, self.counts = self.counts, Counts()
        return counts

    def _act_at(self, number: int, due: float) -> None:
        self._timers[number] = asyncio.get_running_loop().call_at(due, self._act, number, due)

    def _act(self, number: int, due: float) -> None:
        """The next action is timed relative to this one; otherwise tables that were late together would stay
        together."""
        self._act_at(number, due + (self._every if self.table_clients[number].act() else _RETRY_SECONDS))

    def _probe(self, due: float) -> None:
        now = perf_counter()
        self.counts.lags.append(max(now - due, 0.0))
        self._timers[-1] = asyncio.get_running_loop().call_later(_PROBE_SECONDS, self._probe, now + _PROBE_SECONDS)


def random_player(seed: int) -> ChooseRequest:
    """Chooses any legal action of the seat to act, from its latest view."""
    rng = Random(seed)

    def choose(table_client: TableClient) -> PlannedRequest | None:
        table_view = table_client.feeds[0].table_view()
        version = table_view["version"]
        to_act = table_view["cutter"] or (table_view["hand"]["to_act"] if table_view["phase"] == "playing" else None)
        if to_act is None:
            return None
        feed = table_client.feeds["NESW".index(to_act)]
        if feed.version != version:
            return None
        if table_view["cutter"]:
            body = {"command": "cut", "number": rng.randrange(20), "version": version}
            return PlannedRequest(feed, "commands", json.dumps(body).encode())
        seat_view = feed.table_view()
        if (
            seat_view["auto_last_card"]
            and seat_view["hand"]["phase"] == "playing"
            and len(seat_view["hand"]["cards"]) == _CARD_LENGTH
        ):
            return None  # the server plays it
        if seat_view["hand"]["phase"] == "deciding-alone":
            return None  # the server answers, as it did for the call
        legal = [action for action in seat_view["hand"]["legal"] if action["act"] not in _INTERRUPTING_ACTIONS]
        body = {"version": version, "action_id": f"a{version}", "action": rng.choice(legal)}
        return PlannedRequest(feed, "actions", json.dumps(body).encode())

    return choose


def constant_request(length: int) -> ChooseRequest:
    """Always sends the same body of `length` bytes."""
    body = b"x" * length
    return lambda table_client: PlannedRequest(table_client.feeds[0], "actions", body)
