"""A hall full of people at one server: how soon a tap on a phone is answered, alone and among everybody.

Every table has four phones, two of each side, all behind one address with everybody who looks on. Whoever taps does
what the page offers: the side that keeps the score tells a hand, or the score when the match is over; the other side
confirms it, and while there is nothing to confirm it loads the page again. Each tap is a connection of its own, as
phones that tap every twenty seconds have no open one.
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

RELOAD: Final = 30.0
"""Seconds after which somebody who looks on loads the page again."""
_PAUSE: Final = 0.1
"""Seconds between two taps of one who is alone."""
_TOGETHER: Final = 20
"""Taps at one table, about a match, before it is another one's turn: a table has only so many rounds."""
_WARM: Final = 10
"""Taps that are not counted, as nothing was drawn before them."""
_PROBE_SECONDS: Final = 0.01
"""Seconds between two looks at how late the crowd itself is."""
_PATIENCE: Final = 30.0
"""Seconds in which all feeds are open, and what was tapped last is delivered."""


@dataclass(slots=True)
class Samples:
    """What a part of the evening was like; times are seconds."""

    taps: Counter[str] = field(default_factory=Counter)
    """By what was tapped: hand, tell, confirm, load; and stale, where somebody else had been faster."""
    answers: list[float] = field(default_factory=list)
    undisturbed: list[float] = field(default_factory=list)
    deliveries: list[float] = field(default_factory=list)
    pages: list[float] = field(default_factory=list)
    lags: list[float] = field(default_factory=list)
    refused: Counter[str] = field(default_factory=Counter)


@dataclass(frozen=True, slots=True, kw_only=True)
class HallPart:
    """A part of the evening, measured."""

    phones: int
    seconds: float
    taps: dict[str, int]
    answer: Percentiles
    """From the tap to its answer, the connection included."""
    undisturbed: Percentiles
    """The same, less the time in which the server, or the crowd, was ready and had no core, as others had them all."""
    delivery: Percentiles
    """From the tap to the moment when the last of the other phones at the table shows what came of it."""
    cpu: float
    """The server's share of one core."""
    cpu_wait: float
    """The share of the time in which the server was ready and had no core, as others had them all."""
    client_lag: Percentiles
    """How late the crowd was that measured: times are too long by about as much."""
    client_cpu: float


@dataclass(slots=True, kw_only=True)
class HallReport:
    """What was measured."""

    tables: int
    onlookers: int
    every: float
    idle: HallPart | None = None
    full: HallPart | None = None
    pages: Percentiles | None = None
    """Of the public page, by those who look on."""
    standings_sent: int = 0
    """How often the public page was delivered to feeds, as a score stood."""
    refused: dict[str, int] = field(default_factory=dict)
    """Whatever was not answered as it should be, by status; a tap that came too late is none of it."""
    finished: bool = True

    @property
    def ratio(self) -> float | None:
        """How many times as long the slowest hundredth of taps took in the full hall."""
        if self.idle is None or self.full is None or not self.idle.answer.p99:
            return None
        return round(self.full.answer.p99 / self.idle.answer.p99, 2)


async def measure(
    *, tables: int, onlookers: int, alone: int, seconds: float, every: float, seed: int, progress: Progress
) -> HallReport:
    """First so many taps of one table `alone`, then everybody for so many seconds; Ctrl-C ends it with what is done."""
    raise_file_limit()
    stop = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGINT, stop.set)
    report = HallReport(tables=tables, onlookers=onlookers, every=every)
    with temporary_database("sqlite") as address:
        hall = await write_event(address, tables, seed=seed)
        async with run_servers(address) as [server]:
            evening = _HallRun(server, hall, Random(seed), stop, progress)
            report.idle = await evening.idle(alone)
            if not stop.is_set():
                report.full = await evening.full(onlookers, seconds, every)
                report.pages, report.standings_sent = Percentiles.of(evening.seen.pages), evening.standings_sent
    report.refused = dict(evening.refused)
    report.finished = not stop.is_set()
    return report


class Phone:
    """One phone, which has the page of its side open."""

    def __init__(self, evening: "_HallRun", code: str, rng: Random) -> None:
        self._run, self._code, self._chance = evening, code, rng
        self._cookie = ""
        self._offer, self._version = PhonePage(), 0
        self._waiting: list[_Tap] = []
        self.table: Sequence[Phone] = ()
        """Every phone of the table."""

    async def sign_in_by_link(self) -> None:
        """By the link, to the page."""
        self._cookie = await sign_in_by_link(self._run.port, self._run.event, self._code)
        self._offer = PhonePage.of((await self._load()).body)

    async def listen(self, there: asyncio.Event) -> None:
        """Follow the page."""
        async with connect(self._run.port) as connection:
            path = f"/e/{self._run.event}/table/feed"
            async for version, html in connection.events(path, self._cookie, SAME_ORIGIN):
                self._offer, self._version = PhonePage.of(html), version
                there.set()
                for tap in self._waiting:
                    tap.seen_at(version)
                self._waiting = [tap for tap in self._waiting if tap.before >= version]

    async def tap(self) -> None:
        """Do what the page offers, or load it again."""
        form, seen = self._offer.choose(self._chance), self._run.seen
        cpu_wait, tap = self._run.cpu_wait, _Tap(seen, self._version, len(self.table) - 1)
        if form:
            for other in self.table:
                if other is not self:
                    other._waiting.append(tap)
        response = await (self._send(form) if form else self._load())
        seen.answers.append(perf_counter() - tap.at)
        seen.undisturbed.append(max(seen.answers[-1] - (self._run.cpu_wait - cpu_wait), 0.0))
        what = (form.get("do") or "hand") if form else "load"
        seen.taps["stale" if response.status == 409 else what] += 1
        if response.status == 409:
            for other in self.table:
                other._waiting = [one for one in other._waiting if one is not tap]
        elif response.status != 200:
            self._run.refused[f"{what} {response.status}"] += 1

    async def _load(self) -> Response:
        async with connect(self._run.port) as connection:
            return await connection.request("GET", f"/e/{self._run.event}/table", self._cookie, HTML)

    async def _send(self, form: Form) -> Response:
        async with connect(self._run.port) as connection:
            return await post(connection, f"/e/{self._run.event}/table/commands", self._cookie, form)


class _Tap:
    """A tap on its way to the other phones of its table."""

    __slots__ = ("_left", "_seen", "at", "before")

    def __init__(self, seen: Samples, before: int, left: int) -> None:
        self._seen, self.before, self._left = seen, before, left
        self.at = perf_counter()

    def seen_at(self, version: int) -> None:
        """One of them was shown this version."""
        if version > self.before:
            self._left -= 1
            if not self._left:
                self._seen.deliveries.append(perf_counter() - self.at)


class _HallRun:
    """One run at one server."""

    def __init__(
        self, server: ServerProcess, hall: HallFixture, rng: Random, stop: asyncio.Event, progress: Progress
    ) -> None:
        self._server, self._hall, self._chance, self._stop, self._progress = server, hall, rng, stop, progress
        self.port, self.event = server.port, hall.event
        self.seen = Samples()
        self.refused: Counter[str] = Counter()
        self.standings_sent = 0

    @property
    def cpu_wait(self) -> float:
        """Seconds in which the server, or we, had no core."""
        return self._server.cpu_wait + cpu_wait_seconds(getpid())

    async def idle(self, taps: int) -> HallPart:
        """One phone of each side of a table, one after the other, and nobody else is there; then of the next table."""
        tables = [await self._phones([sides], each=1) for sides in self._hall.sides]
        async with self._following([phone.listen for phone in tables[-1]]):
            for number in range(min(_WARM, taps)):
                await tables[-1][number % 2].tap()
        self.seen = Samples()
        async with self._measured(len(tables[0])) as part:
            for first in range(0, taps, _TOGETHER):
                phones = tables[first // _TOGETHER % len(tables)]
                async with self._following([phone.listen for phone in phones]):
                    for number in range(first, min(first + _TOGETHER, taps)):
                        if self._stop.is_set():
                            break
                        await phones[number % 2].tap()
                        self._progress("taps of one table alone", number + 1, taps)
                        await asyncio.sleep(_PAUSE)
        return part[0]

    async def full(self, onlookers: int, seconds: float, every: float) -> HallPart:
        """Everybody for so many seconds."""
        phones = await self._phones(self._hall.sides, each=2)
        wall = await sign_in_by_link(self.port, self.event, self._hall.wall)
        desk = await sign_in_by_link(self.port, self.event, self._hall.desk)
        feeds = [*(phone.listen for phone in phones)]
        feeds += [self._watching("/wall/feed", wall), self._watching("/desk/now/feed", desk)]
        feeds += [self._watching("/feed") for _ in range(onlookers)]
        async with self._following(feeds):
            self.seen, self.standings_sent = Samples(), 0
            async with self._measured(len(phones)) as part, asyncio.TaskGroup() as group:
                end = perf_counter() + seconds
                for phone in phones:
                    group.create_task(self._again(phone.tap, every, end))
                for _ in range(onlookers):
                    group.create_task(self._again(self._look, RELOAD, end))
                group.create_task(self._show_progress(seconds, end))
        return part[0]

    async def _phones(self, sides: Sequence[tuple[str, str]], *, each: int) -> list[Phone]:
        tables = [[Phone(self, code, self._chance) for code in codes for _ in range(each)] for codes in sides]
        for table in tables:
            for phone in table:
                phone.table = table
        phones = [phone for table in tables for phone in table]
        await asyncio.gather(*(phone.sign_in_by_link() for phone in phones))
        return phones

    @asynccontextmanager
    async def _following(self, feeds: Sequence[Any]) -> AsyncIterator[None]:
        """All of these feeds are open; one that ends meanwhile is a refusal."""
        there = [asyncio.Event() for _ in feeds]
        tasks = [asyncio.create_task(self._kept(feed(one))) for feed, one in zip(feeds, there, strict=True)]
        try:
            async with asyncio.timeout(_PATIENCE):
                await asyncio.gather(*(one.wait() for one in there))
            yield
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _kept(self, feed: Coroutine[Any, Any, None]) -> None:
        with suppress(*CONNECTION_ERRORS):
            await feed
        self.refused["feed ended"] += 1

    def _watching(self, path: str, *headers: str) -> Any:
        """A feed that somebody looks at."""

        async def watch(there: asyncio.Event) -> None:
            async with connect(self.port) as connection:
                async for _ in connection.events(f"/e/{self.event}{path}", *headers, SAME_ORIGIN):
                    there.set()
                    self.standings_sent += not headers

        return watch

    async def _look(self) -> None:
        """Somebody who looks on loads the public page."""
        began = perf_counter()
        async with connect(self.port) as connection:
            response = await connection.request("GET", f"/e/{self.event}", HTML)
        self.seen.pages.append(perf_counter() - began)
        if response.status != 200:
            self.refused[f"page {response.status}"] += 1

    async def _again(self, what: Any, every: float, end: float) -> None:
        """Again and again, from somewhere in the first round on, until the end."""
        due = perf_counter() + self._chance.random() * every
        while due < end and not self._stop.is_set():
            with suppress(TimeoutError):
                await asyncio.wait_for(self._stop.wait(), max(due - perf_counter(), 0.0))
                return
            try:
                await what()
            except CONNECTION_ERRORS as error:
                self.refused[type(error).__name__] += 1
            due += every

    async def _show_progress(self, seconds: float, end: float) -> None:
        while (left := end - perf_counter()) > 0 and not self._stop.is_set():
            self._progress("seconds of a full hall", int(seconds - left), int(seconds))
            await asyncio.sleep(min(left, 1.0))

    @asynccontextmanager
    async def _measured(self, phones: int) -> AsyncIterator[list[HallPart]]:
        """What happens meanwhile, as the only part of the list afterwards."""
        parts: list[HallPart] = []
        probing = asyncio.create_task(self._probe())
        began, cpu, own, cpu_wait = perf_counter(), self._server.cpu, cpu_seconds(getpid()), self._server.cpu_wait
        try:
            yield parts
        finally:
            probing.cancel()
        seconds, seen = perf_counter() - began, self.seen
        parts.append(
            HallPart(
                phones=phones,
                seconds=round(seconds, 1),
                taps=dict(seen.taps),
                answer=Percentiles.of(seen.answers),
                undisturbed=Percentiles.of(seen.undisturbed),
                delivery=Percentiles.of(seen.deliveries),
                cpu=round((self._server.cpu - cpu) / seconds, 3),
                cpu_wait=round((self._server.cpu_wait - cpu_wait) / seconds, 3),
                client_lag=Percentiles.of(seen.lags),
                client_cpu=round((cpu_seconds(getpid()) - own) / seconds, 3),
            )
        )

    async def _probe(self) -> None:
        while True:
            due = perf_counter() + _PROBE_SECONDS
            await asyncio.sleep(_PROBE_SECONDS)
            self.seen.lags.append(max(perf_counter() - due, 0.0))
