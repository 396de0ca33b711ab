"""Resilience: stalled clients, many feeds cut at once, and a kill with restart."""

import asyncio
import socket
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from time import perf_counter
from typing import Final

from benchmarks.load import LoadRun, Percentiles, connect_clients, wait_until_idle
from benchmarks.load_clients import LoadClients, random_player
from benchmarks.server_process import ServerProcess, run_servers

_RETRY_SECONDS: Final = 0.05
_HEADER_BYTE_SECONDS: Final = 1.0
"""Seconds between two bytes of a slow header."""
_TIMEOUT_SECONDS: Final = 60.0
_ARRIVALS_PER_SECOND: Final = 100.0
"""Stalled clients arrive slowly, because the benchmark measures the stall and not the arrival."""
_FIRST_ACT_TABLES: Final = 20
"""Tables that act after a restart; the first response counts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StalledResult:
    """Latency of other clients while many clients stall, from POST to delivery."""

    silent: int
    """Clients that open a feed and never read."""
    slow_headers: int
    """Connections whose headers come byte by byte."""
    before: Percentiles
    """On both servers, without stalled clients."""
    without: Percentiles
    """On the server without stalled clients, at the same time."""
    during: Percentiles
    """On the server with them."""
    refused: dict[str, int]

    @property
    def ratios(self) -> dict[str, float]:
        """The p99 with stalled clients, relative to that without and before."""
        others = {"without": self.without.p99, "before": self.before.p99}
        return {name: round(self.during.p99 / p99, 2) for name, p99 in others.items() if p99}


@dataclass(frozen=True, slots=True, kw_only=True)
class ReconnectResult:
    """Many feeds cut at once."""

    feeds: int
    reconnected: int
    """Feeds that reconnected."""
    seconds: float
    """Seconds until the last of them reconnected."""
    acts: int
    """Actions answered in that time."""
    refused: dict[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class RestartResult:
    """The server was killed and restarted."""

    tables: int
    listening: float
    """Seconds until it printed its port."""
    first_act: float
    """Seconds from the start of the process until the first action was answered."""


async def measure_stalled(runs: tuple[LoadRun, LoadRun], *, silent: int, slow_headers: int) -> StalledResult:
    """Stall clients and slow headers on one of two servers in turns, so that other load on the machine slows both
    equally.

    The cost of connecting and closing them doesn't count; the cost of their timeouts does, if a turn lasts that long.
    """
    before, without, during = list[float](), list[float](), list[float]()
    refused = Counter[str]()
    async with open_measured_server(runs[0]) as first, open_measured_server(runs[1]) as second:
        for server in (first, second):
            server.clients.start_acting()
        for turn, (target, calm) in enumerate(((first, second), (second, first)), start=1):
            for times in await _delivery_times((first, second), f"seconds before, turn {turn} of 2", refused):
                before.extend(times)
            async with _stalled_clients(target.run, target.server.port, silent, slow_headers):
                stalled, unaffected = await _delivery_times(
                    (target, calm), f"seconds with them, turn {turn} of 2", refused
                )
            during += stalled
            without += unaffected
    return StalledResult(
        silent=silent,
        slow_headers=slow_headers,
        before=Percentiles.of(before),
        without=Percentiles.of(without),
        during=Percentiles.of(during),
        refused=dict(refused),
    )


@dataclass(frozen=True, slots=True)
class MeasuredServer:
    """One of two servers, and its clients."""

    run: LoadRun
    server: ServerProcess
    clients: LoadClients


@asynccontextmanager
async def open_measured_server(run: LoadRun) -> AsyncIterator[MeasuredServer]:
    """A server with clients whose feeds are open."""
    async with run_servers(run.address) as servers, connect_clients(run, servers, random_player(run.seed)) as clients:
        await wait_until_idle(run, servers)
        yield MeasuredServer(run, servers[0], clients)


async def _delivery_times(
    both: tuple[MeasuredServer, MeasuredServer], step: str, refused: Counter[str]
) -> list[list[float]]:
    """Delivery times on both at the same time, counted once every table has acted."""
    run = both[0].run
    await run.wait(run.every)
    for server in both:
        refused.update(server.clients.take_counts().refused)
    await run.wait(run.seconds, step)
    counts = [server.clients.take_counts() for server in both]
    for server_counts in counts:
        refused.update(server_counts.refused)
    return [server_counts.deliveries for server_counts in counts]


@asynccontextmanager
async def _stalled_clients(run: LoadRun, port: int, silent: int, slow_headers: int) -> AsyncIterator[None]:
    """Open feeds that are never read, with tokens of people at the tables, and connections with slow headers."""
    loop = asyncio.get_running_loop()
    silent_sockets: list[socket.socket] = []
    slow: list[socket.socket] = []

    async def connect() -> socket.socket:
        connection = socket.socket()
        connection.setblocking(False)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        await loop.sock_connect(connection, ("127.0.0.1", port))
        return connection

    async def send_slowly() -> None:
        while True:
            for at, connection in enumerate(slow):
                try:
                    connection.send(b"G" if at % 2 else b"\r")
                except OSError:  # closed by the server; connect again
                    connection.close()
                    slow[at] = await connect()
                    slow[at].send(b"GET / HTTP/1.1\r\nX: ")
            await asyncio.sleep(_HEADER_BYTE_SECONDS)

    seats = [(fixture.name, token) for fixture in run.fixtures for token in fixture.tokens]
    task: asyncio.Task[None] | None = None
    try:
        async for number in _arrivals(run, "clients that never read", silent):
            name, token = seats[number % len(seats)]
            silent_sockets.append(await connect())
            head = f"GET /api/tables/{name}/feed HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\n\r\n"
            await loop.sock_sendall(silent_sockets[-1], head.encode())
        async for _ in _arrivals(run, "slow headers", slow_headers):
            slow.append(await connect())
            slow[-1].send(b"GET / HTTP/1.1\r\nX: ")
        task = asyncio.create_task(send_slowly())
        yield
    finally:
        if task is not None:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
        for connection in (*silent_sockets, *slow):
            connection.close()


async def _arrivals(run: LoadRun, step: str, count: int) -> AsyncIterator[int]:
    """Numbers up to `count` at the arrival rate; Ctrl-C ends it early."""
    for number in range(count):
        await run.wait(1 / _ARRIVALS_PER_SECOND)
        if run.stop.is_set():
            return
        run.progress(step, number + 1, count)
        yield number


async def measure_reconnects(run: LoadRun, *, feeds: int) -> ReconnectResult:
    """Cut `feeds` feeds at once; they reconnect immediately while all tables keep playing."""
    async with run_servers(run.address) as servers, connect_clients(run, servers, random_player(run.seed)) as clients:
        clients.start_acting()
        await run.wait(run.every)
        clients.take_counts()
        cut_feeds = clients.feeds[:: max(len(clients.feeds) // feeds, 1)][:feeds]
        began = perf_counter()
        for feed in cut_feeds:
            feed.disconnect()
        results = await asyncio.gather(*(_reopen(feed.open, began) for feed in cut_feeds))
        await run.wait(run.every)
        counts = clients.take_counts()
    times = [seconds for seconds in results if seconds is not None]
    return ReconnectResult(
        feeds=len(cut_feeds),
        reconnected=len(times),
        seconds=round(max(times, default=0.0), 2),
        acts=len(counts.answers),
        refused=dict(counts.refused),
    )


async def _reopen(reopen: Callable[[], Awaitable[None]], began: float) -> float | None:
    """Seconds until a feed was open again, with retries; None after the timeout."""
    while perf_counter() - began < _TIMEOUT_SECONDS:
        try:
            async with asyncio.timeout(_TIMEOUT_SECONDS):
                await reopen()
            return perf_counter() - began
        except (OSError, TimeoutError):
            await asyncio.sleep(_RETRY_SECONDS)
    return None


async def measure_restart(run: LoadRun) -> RestartResult:
    """Kill the server while all tables play; time until it listens again and until it answers the first action."""
    async with run_servers(run.address) as servers, connect_clients(run, servers, random_player(run.seed)) as clients:
        clients.start_acting()
        await run.wait(2 * run.every)
        await servers[0].kill()
        for feed in clients.feeds:
            feed.disconnect()
    began = perf_counter()
    async with run_servers(run.address) as servers:
        listening = perf_counter() - began
        first = await _first_act(run, servers[0].port)
    return RestartResult(tables=len(run.fixtures), listening=round(listening, 2), first_act=round(first - began, 2))


async def _first_act(run: LoadRun, port: int) -> float:
    """When the first action was answered, out of a few tables that reconnect and act at once."""
    clients = LoadClients(run.fixtures[:_FIRST_ACT_TABLES], [port], random_player(run.seed), every=_RETRY_SECONDS)
    try:
        await clients.open()
        for table_client in clients.table_clients:
            table_client.act()
        end = perf_counter() + _TIMEOUT_SECONDS
        while not clients.counts.answers and perf_counter() < end:
            await asyncio.sleep(0.001)
            for table_client in clients.table_clients:
                table_client.act()
        return perf_counter()
    finally:
        clients.close()
