"""What a server costs under load, in turns with a bare echo of equal bytes."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import astuple, dataclass, replace
from os import cpu_count, getpid
from statistics import median
from time import perf_counter
from typing import Final

from leftbower.bench.crowd import Choose, Counts, Crowd, parrot, player
from leftbower.bench.running import Running, cpu_of, family_cpu, serving, start, stolen
from leftbower.bench.staging import Party, Progress

_ECHO: Final = ("-m", "leftbower.bench.echo")
_CALM: Final = 1.0
"""Seconds in which a server that was opened or connected to does next to nothing, once it has settled."""
_NEXT_TO_NOTHING: Final = 0.1
"""Of a core."""
_TRIES: Final = 30
_TURNS: Final = 6
"""So many has each of those that are measured side by side."""


@dataclass(frozen=True, slots=True)
class Times:
    """Milliseconds."""

    p50: float
    p99: float
    max: float

    @classmethod
    def of(cls, seconds: Sequence[float]) -> "Times":
        """The times of some seconds; nothing took no time."""
        ordered = sorted(seconds) or [0.0]
        at = [ordered[min(int(share * len(ordered)), len(ordered) - 1)] for share in (0.5, 0.99, 1)]
        return cls(*(round(1000 * one, 2) for one in at))


@dataclass(frozen=True, slots=True, kw_only=True)
class Load:
    """What one server, or several over one store, did and cost under load."""

    what: str
    processes: int
    tables: int
    feeds: int
    seconds: float
    acts: int
    """Acts of people that were answered."""
    refused: dict[str, int]
    """Those that were not, by code."""
    house: int
    """What the house did besides: decks, last cards."""
    acts_per_second: float
    answer: Times
    """From post to answer."""
    delivery: Times
    """From post to the moment when the last of the four seats has been told."""
    turns: tuple[float, ...]
    """The p99 of that in each turn: if the machine stands still for 0.3 s, that is the p99 of half a minute."""
    cpu_per_act: float
    """Milliseconds of processor time of the servers for each act of a person, whatever the house did included."""
    database_cpu_per_act: float | None
    """The same of the database, where that is a process of its own."""
    starved: float
    """The share of the time in which a server was ready and had no core, as others had them all."""
    stolen: float
    """The share of the time of all cores that this machine was not given: other guests of its host had it."""
    kib_per_feed: float
    crowd_lag: Times
    """How late the crowd was that measured: times are too long by about as much."""
    crowd_cpu: float
    """Its share of one core."""
    bytes: tuple[int, int, int]
    """Of a request, an answer and an event, without heads; means."""

    @property
    def typical(self) -> float:
        """The p99 of the middle turn, in milliseconds."""
        return round(median(self.turns), 2) if self.turns else 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """What all parts share."""

    address: str
    parties: Sequence[Party]
    seconds: float
    every: float
    seed: int
    progress: Progress
    stop: asyncio.Event
    """Set when somebody wants no more: what is done is kept."""

    async def wait(self, seconds: float, what: str = "") -> None:
        """So long, or until somebody wants no more."""
        end = perf_counter() + seconds
        while (left := end - perf_counter()) > 0 and not self.stop.is_set():
            with suppress(TimeoutError):
                await asyncio.wait_for(self.stop.wait(), min(left, 1.0))
            if what:
                self.progress(what, int(seconds - max(left, 0)), int(seconds))


@asynccontextmanager
async def crowded(run: Run, servers: Sequence[Running], choose: Choose) -> AsyncIterator[Crowd]:
    """A crowd whose feeds are open; nobody acts yet."""
    crowd = Crowd(run.parties, [server.port for server in servers], choose, every=run.every)
    try:
        await crowd.open(lambda done: run.progress("feeds", done, len(crowd.feeds)))
        yield crowd
    finally:
        crowd.end()


async def side_by_side(run: Run, contests: Sequence["Contest"]) -> tuple[list[Load], Load | None]:
    """Some servers, each over its own store, and a bare echo of as many bytes as the first has: in turns, so that what
    the machine does besides meets all of them. Without the echo when somebody wanted no more before it was there."""
    async with AsyncExitStack() as stack:
        meters = [await stack.enter_async_context(contest.meter(run)) for contest in contests]
        await _turns(run, meters)
        if run.stop.is_set():
            return [meter.load() for meter in meters], None
        echo = await stack.enter_async_context(_echo(run, meters[0].bytes))
        await _turns(run, [echo])
        for _ in range(_TURNS - 1):
            await _turns(run, [*meters, echo])
        return [meter.load() for meter in meters], echo.load()


async def _turns(run: Run, meters: Sequence["Meter"]) -> None:
    for meter in meters:
        if not run.stop.is_set():
            await meter.turn(run.seconds / _TURNS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Contest:
    """The real server, or several over one store."""

    address: str
    parties: Sequence[Party]
    processes: int = 1
    postmaster: int | None = None
    """The process of the database, where it has one."""

    @asynccontextmanager
    async def meter(self, run: Run) -> AsyncIterator["Meter"]:
        """It serves, and its crowd listens."""
        async with serving(self.address, self.processes) as servers:
            await settled(run, servers)
            what = f"leftbower × {self.processes}" if self.processes > 1 else "leftbower"
            own = replace(run, address=self.address, parties=self.parties)
            async with metered(own, what, servers, player(run.seed), self.postmaster) as meter:
                yield meter


@asynccontextmanager
async def _echo(run: Run, like: tuple[int, int, int]) -> AsyncIterator["Meter"]:
    """The bare echo, with as many bytes and as many acts."""
    sent, answered, told = like
    server = await start(*_ECHO, str(answered), str(told))
    try:
        async with metered(run, "bare echo", [server], parrot(sent), None) as meter:
            yield meter
    finally:
        await server.stop()


async def settled(run: Run, servers: Sequence[Running]) -> None:
    """Until servers have folded their tables and looked at all that is new; longer than half a minute nobody waits."""
    for _ in range(_TRIES):
        before = sum(server.cpu for server in servers)
        await run.wait(_CALM)
        if sum(server.cpu for server in servers) - before <= max(_NEXT_TO_NOTHING * _CALM, 0.02):
            return


async def measured(run: Run, what: str, servers: Sequence[Running], choose: Choose) -> Load:
    """What servers that are running do and cost while a crowd plays, in one turn."""
    async with metered(run, what, servers, choose, None) as meter:
        await meter.turn(run.seconds)
        return meter.load()


@asynccontextmanager
async def metered(
    run: Run, what: str, servers: Sequence[Running], choose: Choose, postmaster: int | None
) -> AsyncIterator["Meter"]:
    """Servers that are running, with a crowd whose feeds are open."""
    before = sum(server.memory for server in servers)
    async with crowded(run, servers, choose) as crowd:
        await settled(run, servers)
        held = sum(server.memory for server in servers) - before
        yield Meter(run, what, servers, crowd, postmaster, held / 1024 / len(crowd.feeds))


@dataclass(slots=True)
class _Spent:
    """Seconds, of processors but for the first."""

    wall: float
    servers: float
    crowd: float
    database: float
    delay: float
    """In which servers were ready and had no core."""
    stolen: float
    """Which this machine was not given."""

    def __sub__(self, other: "_Spent") -> "_Spent":
        return _Spent(*(after - before for after, before in zip(astuple(self), astuple(other), strict=True)))

    def __add__(self, other: "_Spent") -> "_Spent":
        return _Spent(*(one + more for one, more in zip(astuple(self), astuple(other), strict=True)))


class Meter:
    """What servers do and cost in the turns in which their crowd plays."""

    def __init__(
        self,
        run: Run,
        what: str,
        servers: Sequence[Running],
        crowd: Crowd,
        postmaster: int | None,
        kib_per_feed: float,
    ) -> None:
        self._run, self._what, self._servers, self._crowd = run, what, servers, crowd
        self._postmaster, self._kib_per_feed = postmaster, kib_per_feed
        self._counts, self._spent = Counts(), _Spent(0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
        self._turns: list[float] = []

    async def turn(self, seconds: float) -> None:
        """Have everybody play for so long, once every table has had its turn; then nobody does."""
        self._crowd.begin()
        await self._run.wait(self._run.every)
        self._crowd.count_anew()
        began = self._now()
        await self._run.wait(seconds, f"seconds of {self._what}")
        counts = self._crowd.count_anew()
        self._counts.add(counts)
        self._turns.append(Times.of(counts.deliveries).p99)
        self._spent += self._now() - began
        self._crowd.rest()

    @property
    def bytes(self) -> tuple[int, int, int]:
        """Of a request, an answer and an event, without heads; means."""
        return _mean(self._counts.sent), _mean(self._counts.answered), _mean(self._counts.told)

    def load(self) -> Load:
        """All of it so far."""
        counts, spent, acts = self._counts, self._spent, len(self._counts.answers)
        seconds = max(spent.wall, 0.001)
        database = round(1000 * spent.database / max(acts, 1), 3) if self._postmaster else None
        return Load(
            what=self._what,
            processes=len(self._servers),
            tables=len(self._crowd.sittings),
            feeds=len(self._crowd.feeds),
            seconds=round(seconds, 1),
            acts=acts,
            refused=dict(counts.refused),
            house=max(counts.versions - acts, 0),
            acts_per_second=round(acts / seconds, 1),
            answer=Times.of(counts.answers),
            delivery=Times.of(counts.deliveries),
            turns=tuple(self._turns),
            cpu_per_act=round(1000 * spent.servers / max(acts, 1), 3),
            database_cpu_per_act=database,
            starved=round(spent.delay / seconds / len(self._servers), 2),
            stolen=round(spent.stolen / seconds / (cpu_count() or 1), 2),
            kib_per_feed=round(self._kib_per_feed, 1),
            crowd_lag=Times.of(counts.lags),
            crowd_cpu=round(spent.crowd / seconds, 2),
            bytes=self.bytes,
        )

    def _now(self) -> _Spent:
        return _Spent(
            wall=perf_counter(),
            servers=sum(server.cpu for server in self._servers),
            crowd=cpu_of(getpid()),
            database=family_cpu(self._postmaster) if self._postmaster else 0.0,
            delay=sum(server.delay for server in self._servers),
            stolen=stolen(),
        )


def _mean(numbers: Sequence[int]) -> int:
    return round(sum(numbers) / len(numbers)) if numbers else 0
