"""What a server bears: clients that stand still, many feeds cut at once, and being killed."""

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

_BETWEEN: Final = 0.05
"""Seconds between two tries."""
_DRIP: Final = 1.0
"""Seconds between two bytes of a header that comes slowly."""
_PATIENCE: Final = 60.0
"""Seconds for which anything is waited for."""
_ARRIVALS: Final = 100.0
"""So many stalled clients come in a second: that they stand still is measured here, and not how many come at once."""
_FIRST: Final = 20
"""So many tables try to be the first that goes on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StalledResult:
    """How others fared while many clients stood still; all times are from post to delivery."""

    silent: int
    """Clients that opened a feed and never read."""
    slow_headers: int
    """Connections whose headers came byte by byte."""
    before: Percentiles
    """At both servers, while nobody stood still."""
    without: Percentiles
    """At the one where nobody did, while many did at the other."""
    during: Percentiles
    """At the other."""
    refused: dict[str, int]

    @property
    def ratios(self) -> dict[str, float]:
        """How many times as long the slowest hundredth took as without them, and as before."""
        others = {"without": self.without.p99, "before": self.before.p99}
        return {name: round(self.during.p99 / p99, 2) for name, p99 in others.items() if p99}


@dataclass(frozen=True, slots=True, kw_only=True)
class ReconnectResult:
    """Many feeds cut at once."""

    feeds: int
    reconnected: int
    """So many came back."""
    seconds: float
    """Until the last of them was."""
    acts: int
    """Acts that were answered meanwhile."""
    refused: dict[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class RestartResult:
    """Killed, and started again."""

    tables: int
    listening: float
    """Seconds until it said where it listens."""
    first_act: float
    """Seconds until the first act was answered, from the start of the process."""


async def measure_stalled(runs: tuple[LoadRun, LoadRun], *, silent: int, slow_headers: int) -> StalledResult:
    """So many clients that read nothing, and so many headers that come byte by byte, at one of two servers in turns.

    What makes the one slow besides, as whatever else the machine does, makes the other slow in the same moments. What
    their coming and going costs is not counted; that they are hung up on is, where a turn lasts so long.
    """
    before, without, during = list[float](), list[float](), list[float]()
    refused = Counter[str]()
    async with open_measured_server(runs[0]) as one, open_measured_server(runs[1]) as other:
        for server in (one, other):
            server.clients.start_acting()
        for turn, (still, calm) in enumerate(((one, other), (other, one)), start=1):
            for times in await _counted((one, other), f"seconds before, turn {turn} of 2", refused):
                before.extend(times)
            async with _stalled_clients(still.run, still.server.port, silent, slow_headers):
                stalled, unaffected = await _counted((still, calm), f"seconds with them, turn {turn} of 2", refused)
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
    """One of two servers, and its crowd."""

    run: LoadRun
    server: ServerProcess
    clients: LoadClients


@asynccontextmanager
async def open_measured_server(run: LoadRun) -> AsyncIterator[MeasuredServer]:
    """A server with a crowd whose feeds are open."""
    async with run_servers(run.address) as servers, connect_clients(run, servers, random_player(run.seed)) as clients:
        await wait_until_idle(run, servers)
        yield MeasuredServer(run, servers[0], clients)


async def _counted(twins: tuple[MeasuredServer, MeasuredServer], what: str, refused: Counter[str]) -> list[list[float]]:
    """The times of both in the same moments, once every table has had its turn."""
    run = twins[0].run
    await run.wait(run.every)
    for server in twins:
        refused.update(server.clients.take_counts().refused)
    await run.wait(run.seconds, what)
    counts = [server.clients.take_counts() for server in twins]
    for one in counts:
        refused.update(one.refused)
    return [one.deliveries for one in counts]


@asynccontextmanager
async def _stalled_clients(run: LoadRun, port: int, silent: int, slow_headers: int) -> AsyncIterator[None]:
    """Clients that ask for a feed and read nothing, each with the token of somebody here; and slow headers."""
    loop = asyncio.get_running_loop()
    deaf: list[socket.socket] = []
    slow: list[socket.socket] = []

    async def connect() -> socket.socket:
        one = socket.socket()
        one.setblocking(False)
        one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        await loop.sock_connect(one, ("127.0.0.1", port))
        return one

    async def drip() -> None:
        while True:
            for at, one in enumerate(slow):
                try:
                    one.send(b"G" if at % 2 else b"\r")
                except OSError:  # hung up on: it comes back
                    one.close()
                    slow[at] = await connect()
                    slow[at].send(b"GET / HTTP/1.1\r\nX: ")
            await asyncio.sleep(_DRIP)

    seats = [(fixture.name, token) for fixture in run.fixtures for token in fixture.tokens]
    task: asyncio.Task[None] | None = None
    try:
        async for number in _arrivals(run, "clients that never read", silent):
            name, token = seats[number % len(seats)]
            deaf.append(await connect())
            head = f"GET /api/tables/{name}/feed HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\n\r\n"
            await loop.sock_sendall(deaf[-1], head.encode())
        async for _ in _arrivals(run, "slow headers", slow_headers):
            slow.append(await connect())
            slow[-1].send(b"GET / HTTP/1.1\r\nX: ")
        task = asyncio.create_task(drip())
        yield
    finally:
        if task is not None:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
        for one in (*deaf, *slow):
            one.close()


async def _arrivals(run: LoadRun, what: str, many: int) -> AsyncIterator[int]:
    """So many, one after another, until somebody wants no more."""
    for number in range(many):
        await run.wait(1 / _ARRIVALS)
        if run.stop.is_set():
            return
        run.progress(what, number + 1, many)
        yield number


async def measure_reconnects(run: LoadRun, *, feeds: int) -> ReconnectResult:
    """So many feeds hang up at once, come back at once, and everybody plays on."""
    async with run_servers(run.address) as servers, connect_clients(run, servers, random_player(run.seed)) as clients:
        clients.start_acting()
        await run.wait(run.every)
        clients.take_counts()
        some = clients.feeds[:: max(len(clients.feeds) // feeds, 1)][:feeds]
        began = perf_counter()
        for feed in some:
            feed.disconnect()
        back = await asyncio.gather(*(_back(feed.open, began) for feed in some))
        await run.wait(run.every)
        counts = clients.take_counts()
    there = [seconds for seconds in back if seconds is not None]
    return ReconnectResult(
        feeds=len(some),
        reconnected=len(there),
        seconds=round(max(there, default=0.0), 2),
        acts=len(counts.answers),
        refused=dict(counts.refused),
    )


async def _back(reopen: Callable[[], Awaitable[None]], began: float) -> float | None:
    """Seconds until a feed was open again, however often that had to be tried; None when it never was."""
    while perf_counter() - began < _PATIENCE:
        try:
            async with asyncio.timeout(_PATIENCE):
                await reopen()
            return perf_counter() - began
        except (OSError, TimeoutError):
            await asyncio.sleep(_BETWEEN)
    return None


async def measure_restart(run: LoadRun) -> RestartResult:
    """Killed while all tables play; then until it is there again, and until the first act is answered."""
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
    """When the first act was answered, of a few people who come back and play at once."""
    clients = LoadClients(run.fixtures[:_FIRST], [port], random_player(run.seed), every=_BETWEEN)
    try:
        await clients.open()
        for table_client in clients.table_clients:
            table_client.act()
        end = perf_counter() + _PATIENCE
        while not clients.counts.answers and perf_counter() < end:
            await asyncio.sleep(0.001)
            for table_client in clients.table_clients:
                table_client.act()
        return perf_counter()
    finally:
        clients.close()
