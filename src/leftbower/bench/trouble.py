"""What a server bears: clients that stand still, many feeds cut at once, and being killed."""

import asyncio
import socket
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from time import perf_counter
from typing import Final

from leftbower.bench.crowd import Crowd, player
from leftbower.bench.loading import Run, Times, crowded, settled
from leftbower.bench.running import Running, serving

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
class Stalled:
    """How others fared while many clients stood still; all times are from post to delivery."""

    silent: int
    """Clients that opened a feed and never read."""
    dripping: int
    """Connections whose headers came byte by byte."""
    before: Times
    """At both servers, while nobody stood still."""
    beside: Times
    """At the one where nobody did, while many did at the other."""
    during: Times
    """At the other."""
    refused: dict[str, int]

    @property
    def ratios(self) -> dict[str, float]:
        """How many times as long the slowest hundredth took as beside, and as before."""
        others = {"beside": self.beside.p99, "before": self.before.p99}
        return {name: round(self.during.p99 / p99, 2) for name, p99 in others.items() if p99}


@dataclass(frozen=True, slots=True, kw_only=True)
class Storm:
    """Many feeds cut at once."""

    feeds: int
    back: int
    """So many came back."""
    seconds: float
    """Until the last of them was."""
    acts: int
    """Acts that were answered meanwhile."""
    refused: dict[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Restart:
    """Killed, and started again."""

    tables: int
    listening: float
    """Seconds until it said where it listens."""
    first_act: float
    """Seconds until the first act was answered, from the start of the process."""


async def stalled(runs: tuple[Run, Run], *, silent: int, dripping: int) -> Stalled:
    """So many clients that read nothing, and so many headers that come byte by byte, at one of two servers in turns.

    What makes the one slow besides, as whatever else the machine does, makes the other slow in the same moments. What
    their coming and going costs is not counted; that they are hung up on is, where a turn lasts so long.
    """
    before, beside, during = list[float](), list[float](), list[float]()
    refused = Counter[str]()
    async with twin(runs[0]) as one, twin(runs[1]) as other:
        for server in (one, other):
            server.crowd.begin()
        for turn, (still, calm) in enumerate(((one, other), (other, one)), start=1):
            for times in await _counted((one, other), f"seconds before, turn {turn} of 2", refused):
                before.extend(times)
            async with _standing_still(still.run, still.server.port, silent, dripping):
                with_them, without = await _counted((still, calm), f"seconds with them, turn {turn} of 2", refused)
            during += with_them
            beside += without
    return Stalled(
        silent=silent,
        dripping=dripping,
        before=Times.of(before),
        beside=Times.of(beside),
        during=Times.of(during),
        refused=dict(refused),
    )


@dataclass(frozen=True, slots=True)
class Twin:
    """One of two servers, and its crowd."""

    run: Run
    server: Running
    crowd: Crowd


@asynccontextmanager
async def twin(run: Run) -> AsyncIterator[Twin]:
    """A server with a crowd whose feeds are open."""
    async with serving(run.address) as servers, crowded(run, servers, player(run.seed)) as crowd:
        await settled(run, servers)
        yield Twin(run, servers[0], crowd)


async def _counted(twins: tuple[Twin, Twin], what: str, refused: Counter[str]) -> list[list[float]]:
    """The times of both in the same moments, once every table has had its turn."""
    run = twins[0].run
    await run.wait(run.every)
    for server in twins:
        refused.update(server.crowd.count_anew().refused)
    await run.wait(run.seconds, what)
    counts = [server.crowd.count_anew() for server in twins]
    for one in counts:
        refused.update(one.refused)
    return [one.deliveries for one in counts]


@asynccontextmanager
async def _standing_still(run: Run, port: int, silent: int, dripping: int) -> AsyncIterator[None]:
    """Clients that ask for a feed and read nothing, each with the token of somebody here; and slow headers."""
    loop = asyncio.get_running_loop()
    deaf: list[socket.socket] = []
    slow: list[socket.socket] = []

    async def connected() -> socket.socket:
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
                    slow[at] = await connected()
                    slow[at].send(b"GET / HTTP/1.1\r\nX: ")
            await asyncio.sleep(_DRIP)

    seats = [(party.name, token) for party in run.parties for token in party.tokens]
    task: asyncio.Task[None] | None = None
    try:
        async for number in _arrivals(run, "clients that never read", silent):
            name, token = seats[number % len(seats)]
            deaf.append(await connected())
            head = f"GET /api/tables/{name}/feed HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\n\r\n"
            await loop.sock_sendall(deaf[-1], head.encode())
        async for _ in _arrivals(run, "slow headers", dripping):
            slow.append(await connected())
            slow[-1].send(b"GET / HTTP/1.1\r\nX: ")
        task = asyncio.create_task(drip())
        yield
    finally:
        if task is not None:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
        for one in (*deaf, *slow):
            one.close()


async def _arrivals(run: Run, what: str, many: int) -> AsyncIterator[int]:
    """So many, one after another, until somebody wants no more."""
    for number in range(many):
        await run.wait(1 / _ARRIVALS)
        if run.stop.is_set():
            return
        run.progress(what, number + 1, many)
        yield number


async def storm(run: Run, *, feeds: int) -> Storm:
    """So many feeds hang up at once, come back at once, and everybody plays on."""
    async with serving(run.address) as servers, crowded(run, servers, player(run.seed)) as crowd:
        crowd.begin()
        await run.wait(run.every)
        crowd.count_anew()
        some = crowd.feeds[:: max(len(crowd.feeds) // feeds, 1)][:feeds]
        began = perf_counter()
        for feed in some:
            feed.cut()
        back = await asyncio.gather(*(_back(feed.open, began) for feed in some))
        await run.wait(run.every)
        counts = crowd.count_anew()
    there = [seconds for seconds in back if seconds is not None]
    return Storm(
        feeds=len(some),
        back=len(there),
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


async def restart(run: Run) -> Restart:
    """Killed while all tables play; then until it is there again, and until the first act is answered."""
    async with serving(run.address) as servers, crowded(run, servers, player(run.seed)) as crowd:
        crowd.begin()
        await run.wait(2 * run.every)
        await servers[0].kill()
        for feed in crowd.feeds:
            feed.cut()
    began = perf_counter()
    async with serving(run.address) as servers:
        listening = perf_counter() - began
        first = await _first_act(run, servers[0].port)
    return Restart(tables=len(run.parties), listening=round(listening, 2), first_act=round(first - began, 2))


async def _first_act(run: Run, port: int) -> float:
    """When the first act was answered, of a few people who come back and play at once."""
    crowd = Crowd(run.parties[:_FIRST], [port], player(run.seed), every=_BETWEEN)
    try:
        await crowd.open()
        for sitting in crowd.sittings:
            sitting.act()
        end = perf_counter() + _PATIENCE
        while not crowd.counts.answers and perf_counter() < end:
            await asyncio.sleep(0.001)
            for sitting in crowd.sittings:
                sitting.act()
        return perf_counter()
    finally:
        crowd.end()
