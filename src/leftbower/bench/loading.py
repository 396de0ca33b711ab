"""What a server costs under load, beside a bare echo of equal bytes."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from os import getpid
from time import perf_counter
from typing import Final

from leftbower.bench.crowd import Choose, Crowd, parrot, player
from leftbower.bench.running import Running, cpu_of, family_cpu, serving, start
from leftbower.bench.staging import Party, Progress

_ECHO: Final = ("-m", "leftbower.bench.echo")
_CALM: Final = 1.0
"""Seconds in which a server that was opened or connected to does next to nothing, once it has settled."""
_NEXT_TO_NOTHING: Final = 0.1
"""Of a core."""
_TRIES: Final = 30


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
    cpu_per_act: float
    """Milliseconds of processor time of the servers for each act of a person, whatever the house did included."""
    database_cpu_per_act: float | None
    """The same of the database, where that is a process of its own."""
    starved: float
    """The share of the time in which a server was ready and had no core, as others had them all."""
    kib_per_feed: float
    crowd_lag: Times
    """How late the crowd was that measured: times are too long by about as much."""
    crowd_cpu: float
    """Its share of one core."""
    bytes: tuple[int, int, int]
    """Of a request, an answer and an event, without heads; means."""


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


async def load(run: Run, *, processes: int = 1, postmaster: int | None = None) -> Load:
    """The real server, or several over one store."""
    async with serving(run.address, processes) as servers:
        await settled(run, servers)
        what = f"leftbower × {processes}" if processes > 1 else "leftbower"
        return await measured(run, what, servers, player(run.seed), postmaster)


async def settled(run: Run, servers: Sequence[Running]) -> None:
    """Until servers have folded their tables and looked at all that is new; longer than half a minute nobody waits."""
    for _ in range(_TRIES):
        before = sum(server.cpu for server in servers)
        await run.wait(_CALM)
        if sum(server.cpu for server in servers) - before <= max(_NEXT_TO_NOTHING * _CALM, 0.02):
            return


async def echoed(run: Run, like: Load) -> Load:
    """The bare echo, with as many bytes and as many acts."""
    sent, answered, told = like.bytes
    server = await start(*_ECHO, str(answered), str(told))
    try:
        return await measured(run, "bare echo", [server], parrot(sent), None)
    finally:
        await server.stop()


async def measured(run: Run, what: str, servers: Sequence[Running], choose: Choose, postmaster: int | None) -> Load:
    """What servers that are running do and cost while a crowd plays."""
    before = sum(server.memory for server in servers)
    async with crowded(run, servers, choose) as crowd:
        await settled(run, servers)
        after = sum(server.memory for server in servers)
        crowd.begin()
        await run.wait(run.every)  # until every table has had its turn
        crowd.count_anew()
        began, cpu, own = perf_counter(), sum(server.cpu for server in servers), cpu_of(getpid())
        database = family_cpu(postmaster) if postmaster else 0.0
        delay = sum(server.delay for server in servers)
        await run.wait(run.seconds, f"seconds of {what}")
        counts, seconds = crowd.count_anew(), perf_counter() - began
        spent, own = sum(server.cpu for server in servers) - cpu, cpu_of(getpid()) - own
        database = family_cpu(postmaster) - database if postmaster else 0.0
        delay = sum(server.delay for server in servers) - delay
    acts = len(counts.answers)
    return Load(
        what=what,
        processes=len(servers),
        tables=len(crowd.sittings),
        feeds=len(crowd.feeds),
        seconds=round(seconds, 1),
        acts=acts,
        refused=dict(counts.refused),
        house=max(counts.versions - acts, 0),
        acts_per_second=round(acts / seconds, 1),
        answer=Times.of(counts.answers),
        delivery=Times.of(counts.deliveries),
        cpu_per_act=round(1000 * spent / max(acts, 1), 3),
        database_cpu_per_act=round(1000 * database / max(acts, 1), 3) if postmaster else None,
        starved=round(delay / seconds / len(servers), 2),
        kib_per_feed=round((after - before) / 1024 / len(crowd.feeds), 1),
        crowd_lag=Times.of(counts.lags),
        crowd_cpu=round(own / seconds, 2),
        bytes=(_mean(counts.sent), _mean(counts.answered), _mean(counts.told)),
    )


def _mean(numbers: Sequence[int]) -> int:
    return round(sum(numbers) / len(numbers)) if numbers else 0
