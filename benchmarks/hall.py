"""Full hall on one server: response times of taps on phones, for one table alone and for all tables together.

Every table has four phones, two for each side; all clients share one address. A tap sends a form of the page: the side
that keeps score reports a hand, or the score when the match is over; the other side confirms it, and reloads the page
while there is nothing to confirm. Each tap opens a connection, as real phones that tap every twenty seconds do.
"""

import asyncio
import signal
from collections import Counter
from collections.abc import AsyncIterator, Coroutine, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from os import getpid
from random import Random
from time import perf_counter
from typing import Any, Final

from benchmarks.event_fixture import HallFixture, write_event
from benchmarks.load import Percentiles
from benchmarks.server_process import ServerProcess, cpu_seconds, cpu_wait_seconds, raise_file_limit, run_servers
from benchmarks.table_fixture import Progress
from proofs.crash.crash import temporary_database
from proofs.crash.http_client import CONNECTION_ERRORS, Response, connect
from proofs.crash.phones import HTML, SAME_ORIGIN, Form, PhonePage, post, sign_in_by_link

RELOAD_SECONDS: Final = 30.0
"""Interval at which an onlooker loads the public page."""
_TAP_PAUSE_SECONDS: Final = 0.1
"""Pause between two taps of one table alone."""
_TAPS_PER_TABLE: Final = 20
"""Taps at one table, about a match, before moving to the next, because a table has a limited number of rounds."""
_WARM_UP_TAPS: Final = 10
"""Taps that don't count, because nothing was rendered before them."""
_PROBE_SECONDS: Final = 0.01
"""Interval of measurements of the clients' lag."""
_DELIVERY_TIMEOUT_SECONDS: Final = 30.0
"""Seconds for all feeds to open, and for the last taps to be delivered."""


@dataclass(slots=True)
class Samples:
    """Samples of one part; times are in seconds."""

    taps: Counter[str] = field(default_factory=Counter)
    """By form: hand, report, confirm, load; and stale, if another phone was faster."""
    answers: list[float] = field(default_factory=list)
    undisturbed: list[float] = field(default_factory=list)
    deliveries: list[float] = field(default_factory=list)
    pages: list[float] = field(default_factory=list)
    lags: list[float] = field(default_factory=list)
    refused: Counter[str] = field(default_factory=Counter)


@dataclass(frozen=True, slots=True, kw_only=True)
class HallPart:
    """The result of one part."""

    phones: int
    seconds: float
    taps: dict[str, int]
    answer: Percentiles
    """From the tap to its response, including the connection."""
    undisturbed: Percentiles
    """The same without the time in which the server or the clients waited for a core."""
    delivery: Percentiles
    """From the tap until the last of the other phones at the table has the new page."""
    cpu: float
    """The server's share of one core."""
    cpu_wait: float
    """Share of the time in which the server waited for a core."""
    client_lag: Percentiles
    """How late the measuring process was; times are too long by about as much."""
    client_cpu: float


@dataclass(slots=True, kw_only=True)
class HallReport:
    """The result of the benchmark."""

    tables: int
    onlookers: int
    every: float
    idle: HallPart | None = None
    full: HallPart | None = None
    pages: Percentiles | None = None
    """Response times of the public page."""
    standings_sent: int = 0
    """How often the public page was sent to feeds after a confirmed score."""
    refused: dict[str, int] = field(default_factory=dict)
    """Failed requests by status, except stale taps."""
    finished: bool = True

    @property
    def ratio(self) -> float | None:
        """The p99 of taps in the full hall, relative to that of one table alone."""
        if self.idle is None or self.full is None or not self.idle.answer.p99:
            return None
        return round(self.full.answer.p99 / self.idle.answer.p99, 2)


async def measure(
    *, tables: int, onlookers: int, alone: int, seconds: float, every: float, seed: int, progress: Progress
) -> HallReport:
    """Measure `alone` taps of one table, then all clients for `seconds`; Ctrl-C stops early."""
    raise_file_limit()
    stop = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGINT, stop.set)
    report = HallReport(tables=tables, onlookers=onlookers, every=every)
    with temporary_database("sqlite") as address:
        hall = await write_event(address, tables, seed=seed)
        async with run_servers(address) as [server]:
            run = _HallRun(server, hall, Random(seed), stop, progress)
            report.idle = await run.idle(alone)
            if not stop.is_set():
                report.full = await run.full(onlookers, seconds, every)
                report.pages, report.standings_sent = Percentiles.of(run.samples.pages), run.standings_sent
    report.refused = dict(run.refused)
    report.finished = not stop.is_set()
    return report


class Phone:
    """A phone with the page of its side open."""

    def __init__(self, run: "_HallRun", code: str, rng: Random) -> None:
        self._run, self._code, self._rng = run, code, rng
        self._cookie = ""
        self._page, self._version = PhonePage(), 0
        self._waiting: list[_Tap] = []
        self.table: Sequence[Phone] = ()
        """All phones of the table."""

    async def sign_in_by_link(self) -> None:
        """Follow the link, and load the page."""
        self._cookie = await sign_in_by_link(self._run.port, self._run.event, self._code)
        self._page = PhonePage.of((await self._load()).body)

    async def listen(self, opened: asyncio.Event) -> None:
        """Follow the feed of the page."""
        async with connect(self._run.port) as connection:
            path = f"/e/{self._run.event}/table/feed"
            async for version, html in connection.events(path, self._cookie, SAME_ORIGIN):
                self._page, self._version = PhonePage.of(html), version
                opened.set()
                for tap in self._waiting:
                    tap.delivered(version)
                self._waiting = [tap for tap in self._waiting if tap.before >= version]

    async def tap(self) -> None:
        """Send a form of the page, or reload it."""
        form, samples = self._page.choose(self._rng), self._run.samples
        cpu_wait, tap = self._run.cpu_wait, _Tap(samples, self._version, len(self.table) - 1)
        if form:
            for other in self.table:
                if other is not self:
                    other._waiting.append(tap)
        response = await (self._send(form) if form else self._load())
        samples.answers.append(perf_counter() - tap.at)
        samples.undisturbed.append(max(samples.answers[-1] - (self._run.cpu_wait - cpu_wait), 0.0))
        kind = (form.get("command") or "hand") if form else "load"
        samples.taps["stale" if response.status == 409 else kind] += 1
        if response.status == 409:
            for other in self.table:
                other._waiting = [waiting for waiting in other._waiting if waiting is not tap]
        elif response.status != 200:
            self._run.refused[f"{kind} {response.status}"] += 1

    async def _load(self) -> Response:
        async with connect(self._run.port) as connection:
            return await connection.request("GET", f"/e/{self._run.event}/table", self._cookie, HTML)

    async def _send(self, form: Form) -> Response:
        async with connect(self._run.port) as connection:
            return await post(connection, f"/e/{self._run.event}/table/commands", self._cookie, form)


class _Tap:
    """A tap that is being delivered to the other phones of its table."""

    __slots__ = ("_left", "_samples", "at", "before")

    def __init__(self, samples: Samples, before: int, left: int) -> None:
        self._samples, self.before, self._left = samples, before, left
        self.at = perf_counter()

    def delivered(self, version: int) -> None:
        """A phone received this version."""
        if version > self.before:
            self._left -= 1
            if not self._left:
                self._samples.deliveries.append(perf_counter() - self.at)


class _HallRun:
    """A run against one server."""

    def __init__(
        self, server: ServerProcess, hall: HallFixture, rng: Random, stop: asyncio.Event, progress: Progress
    ) -> None:
        self._server, self._hall, self._rng, self._stop, self._progress = server, hall, rng, stop, progress
        self.port, self.event = server.port, hall.event
        self.samples = Samples()
        self.refused: Counter[str] = Counter()
        self.standings_sent = 0

    @property
    def cpu_wait(self) -> float:
        """Seconds in which the server or this process waited for a core."""
        return self._server.cpu_wait + cpu_wait_seconds(getpid())

    async def idle(self, taps: int) -> HallPart:
        """Tap one phone of each side in turn, one table after another, without other clients."""
        tables = [await self._phones([sides], each=1) for sides in self._hall.sides]
        async with self._open_feeds([phone.listen for phone in tables[-1]]):
            for number in range(min(_WARM_UP_TAPS, taps)):
                await tables[-1][number % 2].tap()
        self.samples = Samples()
        async with self._measured(len(tables[0])) as part:
            for first in range(0, taps, _TAPS_PER_TABLE):
                phones = tables[first // _TAPS_PER_TABLE % len(tables)]
                async with self._open_feeds([phone.listen for phone in phones]):
                    for number in range(first, min(first + _TAPS_PER_TABLE, taps)):
                        if self._stop.is_set():
                            break
                        await phones[number % 2].tap()
                        self._progress("taps of one table alone", number + 1, taps)
                        await asyncio.sleep(_TAP_PAUSE_SECONDS)
        return part[0]

    async def full(self, onlookers: int, seconds: float, every: float) -> HallPart:
        """Run all clients for `seconds`."""
        phones = await self._phones(self._hall.sides, each=2)
        wall = await sign_in_by_link(self.port, self.event, self._hall.wall)
        desk = await sign_in_by_link(self.port, self.event, self._hall.desk)
        feeds = [*(phone.listen for phone in phones)]
        feeds += [self._watcher("/wall/feed", wall), self._watcher("/desk/now/feed", desk)]
        feeds += [self._watcher("/feed") for _ in range(onlookers)]
        async with self._open_feeds(feeds):
            self.samples, self.standings_sent = Samples(), 0
            async with self._measured(len(phones)) as part, asyncio.TaskGroup() as group:
                end = perf_counter() + seconds
                for phone in phones:
                    group.create_task(self._repeat(phone.tap, every, end))
                for _ in range(onlookers):
                    group.create_task(self._repeat(self._load_public_page, RELOAD_SECONDS, end))
                group.create_task(self._show_progress(seconds, end))
        return part[0]

    async def _phones(self, sides: Sequence[tuple[str, str]], *, each: int) -> list[Phone]:
        tables = [[Phone(self, code, self._rng) for code in codes for _ in range(each)] for codes in sides]
        for table in tables:
            for phone in table:
                phone.table = table
        phones = [phone for table in tables for phone in table]
        await asyncio.gather(*(phone.sign_in_by_link() for phone in phones))
        return phones

    @asynccontextmanager
    async def _open_feeds(self, feeds: Sequence[Any]) -> AsyncIterator[None]:
        """Keep these feeds open; one that ends early counts as refused."""
        opened = [asyncio.Event() for _ in feeds]
        tasks = [asyncio.create_task(self._run_feed(feed(event))) for feed, event in zip(feeds, opened, strict=True)]
        try:
            async with asyncio.timeout(_DELIVERY_TIMEOUT_SECONDS):
                await asyncio.gather(*(event.wait() for event in opened))
            yield
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _run_feed(self, feed: Coroutine[Any, Any, None]) -> None:
        with suppress(*CONNECTION_ERRORS):
            await feed
        self.refused["feed ended"] += 1

    def _watcher(self, path: str, *headers: str) -> Any:
        """A client of one feed."""

        async def watch(opened: asyncio.Event) -> None:
            async with connect(self.port) as connection:
                async for _ in connection.events(f"/e/{self.event}{path}", *headers, SAME_ORIGIN):
                    opened.set()
                    self.standings_sent += not headers

        return watch

    async def _load_public_page(self) -> None:
        """Load the public page as an onlooker."""
        began = perf_counter()
        async with connect(self.port) as connection:
            response = await connection.request("GET", f"/e/{self.event}", HTML)
        self.samples.pages.append(perf_counter() - began)
        if response.status != 200:
            self.refused[f"page {response.status}"] += 1

    async def _repeat(self, action: Any, every: float, end: float) -> None:
        """Repeat an action at this interval until `end`, starting at a random time within the first interval."""
        due = perf_counter() + self._rng.random() * every
        while due < end and not self._stop.is_set():
            with suppress(TimeoutError):
                await asyncio.wait_for(self._stop.wait(), max(due - perf_counter(), 0.0))
                return
            try:
                await action()
            except CONNECTION_ERRORS as error:
                self.refused[type(error).__name__] += 1
            due += every

    async def _show_progress(self, seconds: float, end: float) -> None:
        while (left := end - perf_counter()) > 0 and not self._stop.is_set():
            self._progress("seconds of a full hall", int(seconds - left), int(seconds))
            await asyncio.sleep(min(left, 1.0))

    @asynccontextmanager
    async def _measured(self, phones: int) -> AsyncIterator[list[HallPart]]:
        """Measure the block; afterwards its result is the only element of the list."""
        parts: list[HallPart] = []
        probing = asyncio.create_task(self._probe())
        began, cpu, own, cpu_wait = perf_counter(), self._server.cpu, cpu_seconds(getpid()), self._server.cpu_wait
        try:
            yield parts
        finally:
            probing.cancel()
        seconds, samples = perf_counter() - began, self.samples
        parts.append(
            HallPart(
                phones=phones,
                seconds=round(seconds, 1),
                taps=dict(samples.taps),
                answer=Percentiles.of(samples.answers),
                undisturbed=Percentiles.of(samples.undisturbed),
                delivery=Percentiles.of(samples.deliveries),
                cpu=round((self._server.cpu - cpu) / seconds, 3),
                cpu_wait=round((self._server.cpu_wait - cpu_wait) / seconds, 3),
                client_lag=Percentiles.of(samples.lags),
                client_cpu=round((cpu_seconds(getpid()) - own) / seconds, 3),
            )
        )

    async def _probe(self) -> None:
        while True:
            due = perf_counter() + _PROBE_SECONDS
            await asyncio.sleep(_PROBE_SECONDS)
            self.samples.lags.append(max(perf_counter() - due, 0.0))
