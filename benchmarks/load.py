"""Load test of servers, alternating with a bare echo of the same byte sizes: latency, CPU time and memory."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import astuple, dataclass, replace
from os import cpu_count, getpid
from statistics import median
from time import perf_counter
from typing import Final

from benchmarks.load_clients import ChooseRequest, Counts, LoadClients, constant_request, random_player
from benchmarks.server_process import ServerProcess, cpu_seconds, cpu_seconds_with_children, run_servers, start, stolen
from benchmarks.table_fixture import FixtureTable, Progress

_ECHO_COMMAND: Final = ("-m", "benchmarks.echo")
_IDLE_CHECK_SECONDS: Final = 1.0
"""A server is idle if it used almost no CPU time for this long."""
_MAX_IDLE_CPU: Final = 0.1
"""As a share of a core."""
_MAX_IDLE_CHECKS: Final = 30
_TURNS: Final = 6
"""Turns of each measured server."""


@dataclass(frozen=True, slots=True)
class Percentiles:
    """Percentiles of some times, in milliseconds."""

    p50: float
    p99: float
    max: float

    @classmethod
    def of(cls, seconds: Sequence[float]) -> "Percentiles":
        """The percentiles of times in seconds; all 0 if there are none."""
        ordered = sorted(seconds) or [0.0]
        indexes = (min(int(share * len(ordered)), len(ordered) - 1) for share in (0.5, 0.99, 1))
        return cls(*(round(1000 * ordered[index], 2) for index in indexes))


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadResult:
    """The result for one server, or several on one store."""

    name: str
    processes: int
    tables: int
    feeds: int
    seconds: float
    acts: int
    """Answered actions of people."""
    refused: dict[str, int]
    """Refused actions, by code."""
    server_acts: int
    """Facts by the server itself: decks, last cards."""
    acts_per_second: float
    answer: Percentiles
    """From POST to response."""
    delivery: Percentiles
    """From POST until the feeds of all four seats have delivered the action."""
    turns: tuple[float, ...]
    """The p99 of delivery in each turn; one pause of the machine spoils only one turn."""
    cpu_per_act: float
    """Milliseconds of CPU time of the servers per action of a person, including the server's own facts."""
    database_cpu_per_act: float | None
    """The same for the database, if it is a separate process."""
    cpu_wait: float
    """Share of the time in which a server waited for a core."""
    stolen: float
    """Share of the time of all cores that the hypervisor gave to other guests."""
    kib_per_feed: float
    client_lag: Percentiles
    """How late the measuring process was; times are too long by about as much."""
    client_cpu: float
    """Its share of one core."""
    bytes: tuple[int, int, int]
    """Mean body sizes of a request, a response and a feed message."""

    @property
    def median_p99(self) -> float:
        """The p99 of the median turn, in milliseconds."""
        return round(median(self.turns), 2) if self.turns else 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadRun:
    """Shared by all parts: the store, its tables, and how long and how often to act."""

    address: str
    fixtures: Sequence[FixtureTable]
    seconds: float
    every: float
    seed: int
    progress: Progress
    stop: asyncio.Event
    """Set by Ctrl-C to stop early."""

    async def wait(self, seconds: float, step: str = "") -> None:
        """Wait, and show the progress of `step`; Ctrl-C ends it early."""
        end = perf_counter() + seconds
        while (left := end - perf_counter()) > 0 and not self.stop.is_set():
            with suppress(TimeoutError):
                await asyncio.wait_for(self.stop.wait(), min(left, 1.0))
            if step:
                self.progress(step, int(seconds - max(left, 0)), int(seconds))


@asynccontextmanager
async def connect_clients(
    run: LoadRun, servers: Sequence[ServerProcess], choose: ChooseRequest
) -> AsyncIterator[LoadClients]:
    """Clients with open feeds that don't act yet."""
    clients = LoadClients(run.fixtures, [server.port for server in servers], choose, every=run.every)
    try:
        await clients.open(lambda done: run.progress("feeds", done, len(clients.feeds)))
        yield clients
    finally:
        clients.close()


async def measure_in_turns(run: LoadRun, setups: Sequence["ServerSetup"]) -> tuple[list[LoadResult], LoadResult | None]:
    """Measure servers, and a bare echo with the byte sizes of the first, in turns, so that other load slows all of them
    equally.

    The echo is None if Ctrl-C came before it started.
    """
    async with AsyncExitStack() as stack:
        meters = [await stack.enter_async_context(setup.meter(run)) for setup in setups]
        await _turns(run, meters)
        if run.stop.is_set():
            return [meter.result() for meter in meters], None
        echo = await stack.enter_async_context(_echo(run, meters[0].bytes))
        await _turns(run, [echo])
        for _ in range(_TURNS - 1):
            await _turns(run, [*meters, echo])
        return [meter.result() for meter in meters], echo.result()


async def _turns(run: LoadRun, meters: Sequence["Meter"]) -> None:
    for meter in meters:
        if not run.stop.is_set():
            await meter.turn(run.seconds / _TURNS)


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerSetup:
    """One real server, or several on one store."""

    address: str
    fixtures: Sequence[FixtureTable]
    processes: int = 1
    postmaster: int | None = None
    """The process id of the database server, if there is one."""

    @asynccontextmanager
    async def meter(self, run: LoadRun) -> AsyncIterator["Meter"]:
        """Start the servers and connect the clients."""
        async with run_servers(self.address, self.processes) as servers:
            await wait_until_idle(run, servers)
            name = f"leftbower × {self.processes}" if self.processes > 1 else "leftbower"
            own = replace(run, address=self.address, fixtures=self.fixtures)
            async with open_meter(own, name, servers, random_player(run.seed), self.postmaster) as meter:
                yield meter


@asynccontextmanager
async def _echo(run: LoadRun, like: tuple[int, int, int]) -> AsyncIterator["Meter"]:
    """The bare echo with these byte sizes and the same number of actions."""
    request_bytes, response_bytes, event_bytes = like
    server = await start(*_ECHO_COMMAND, str(response_bytes), str(event_bytes))
    try:
        async with open_meter(run, "bare echo", [server], constant_request(request_bytes), None) as meter:
            yield meter
    finally:
        await server.stop()


async def wait_until_idle(run: LoadRun, servers: Sequence[ServerProcess]) -> None:
    """Wait until the servers have replayed their tables and use almost no CPU time; at most half a minute."""
    for _ in range(_MAX_IDLE_CHECKS):
        before = sum(server.cpu for server in servers)
        await run.wait(_IDLE_CHECK_SECONDS)
        if sum(server.cpu for server in servers) - before <= max(_MAX_IDLE_CPU * _IDLE_CHECK_SECONDS, 0.02):
            return


async def measure_load(run: LoadRun, name: str, servers: Sequence[ServerProcess], choose: ChooseRequest) -> LoadResult:
    """Measure running servers in one turn."""
    async with open_meter(run, name, servers, choose, None) as meter:
        await meter.turn(run.seconds)
        return meter.result()


@asynccontextmanager
async def open_meter(
    run: LoadRun, name: str, servers: Sequence[ServerProcess], choose: ChooseRequest, postmaster: int | None
) -> AsyncIterator["Meter"]:
    """A meter for running servers, with clients whose feeds are open."""
    before = sum(server.memory for server in servers)
    async with connect_clients(run, servers, choose) as clients:
        await wait_until_idle(run, servers)
        held = sum(server.memory for server in servers) - before
        yield Meter(run, name, servers, clients, postmaster, held / 1024 / len(clients.feeds))


@dataclass(slots=True)
class _CpuTimes:
    """Seconds of wall time, and of CPU time by process."""

    wall: float
    servers: float
    clients: float
    database: float
    cpu_wait: float
    """Seconds in which servers waited for a core."""
    stolen: float
    """Seconds in which the hypervisor ran other guests."""

    def __sub__(self, other: "_CpuTimes") -> "_CpuTimes":
        return _CpuTimes(*(after - before for after, before in zip(astuple(self), astuple(other), strict=True)))

    def __add__(self, other: "_CpuTimes") -> "_CpuTimes":
        return _CpuTimes(*(first + second for first, second in zip(astuple(self), astuple(other), strict=True)))


class Meter:
    """Measures servers in turns: their clients act during a turn, and only listen between turns."""

    def __init__(
        self,
        run: LoadRun,
        name: str,
        servers: Sequence[ServerProcess],
        clients: LoadClients,
        postmaster: int | None,
        kib_per_feed: float,
    ) -> None:
        self._run, self._name, self._servers, self._clients = run, name, servers, clients
        self._postmaster, self._kib_per_feed = postmaster, kib_per_feed
        self._counts, self._cpu_times = Counts(), _CpuTimes(0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
        self._turns: list[float] = []

    async def turn(self, seconds: float) -> None:
        """Let the clients act for `seconds`, counted once every table has acted; then pause them."""
        self._clients.start_acting()
        await self._run.wait(self._run.every)
        self._clients.take_counts()
        began = self._read_cpu_times()
        await self._run.wait(seconds, f"seconds of {self._name}")
        counts = self._clients.take_counts()
        self._counts.add(counts)
        self._turns.append(Percentiles.of(counts.deliveries).p99)
        self._cpu_times += self._read_cpu_times() - began
        self._clients.pause()

    @property
    def bytes(self) -> tuple[int, int, int]:
        """Mean body sizes of a request, a response and a feed message."""
        return _mean(self._counts.request_bytes), _mean(self._counts.response_bytes), _mean(self._counts.event_bytes)

    def result(self) -> LoadResult:
        """The result of all turns so far."""
        counts, cpu_times, acts = self._counts, self._cpu_times, len(self._counts.answers)
        seconds = max(cpu_times.wall, 0.001)
        database = round(1000 * cpu_times.database / max(acts, 1), 3) if self._postmaster else None
        return LoadResult(
            name=self._name,
            processes=len(self._servers),
            tables=len(self._clients.table_clients),
            feeds=len(self._clients.feeds),
            seconds=round(seconds, 1),
            acts=acts,
            refused=dict(counts.refused),
            server_acts=max(counts.versions - acts, 0),
            acts_per_second=round(acts / seconds, 1),
            answer=Percentiles.of(counts.answers),
            delivery=Percentiles.of(counts.deliveries),
            turns=tuple(self._turns),
            cpu_per_act=round(1000 * cpu_times.servers / max(acts, 1), 3),
            database_cpu_per_act=database,
            cpu_wait=round(cpu_times.cpu_wait / seconds / len(self._servers), 2),
            stolen=round(cpu_times.stolen / seconds / (cpu_count() or 1), 2),
            kib_per_feed=round(self._kib_per_feed, 1),
            client_lag=Percentiles.of(counts.lags),
            client_cpu=round(cpu_times.clients / seconds, 2),
            bytes=self.bytes,
        )

    def _read_cpu_times(self) -> _CpuTimes:
        return _CpuTimes(
            wall=perf_counter(),
            servers=sum(server.cpu for server in self._servers),
            clients=cpu_seconds(getpid()),
            database=cpu_seconds_with_children(self._postmaster) if self._postmaster else 0.0,
            cpu_wait=sum(server.cpu_wait for server in self._servers),
            stolen=stolen(),
        )


def _mean(numbers: Sequence[int]) -> int:
    return round(sum(numbers) / len(numbers)) if numbers else 0
