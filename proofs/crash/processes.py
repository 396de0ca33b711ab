"""Processes: several serve one PostgreSQL; each may be killed, and all of them replaced, and players go on.

The real command runs while people play over HTTP at several tables, listen, and send again what has had no answer. One
of its processes is killed, again and again, and again and again all of them are replaced in a rolling restart.
"""

import asyncio
import os
import re
import signal
import sys
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import pairwise
from json import loads
from random import Random
from time import time
from types import TracebackType
from typing import Final, Self

from leftbower.store import open_store
from proofs.crash.crash import (
    MAX_EXAMPLES,
    STALL_TIMEOUT_SECONDS,
    START_TIMEOUT_SECONDS,
    TABLES,
    StoreScan,
    compare_with_log,
)
from proofs.crash.players import ClientHistory, Plain, ServerAddress, SimulatedPlayer, open_tables, playing

MAX_RECOVERY_SECONDS: Final = 3.0
"""Seconds within which every table must have moved on, and every player have heard of it."""
WORKERS: Final = 2
THINK_SECONDS: Final = 0.02
"""Seconds people think: the server is run as it is, and does not let anybody ask more than fifty times a second."""
_REPLACING: Final = 120.0
"""Seconds after which a rolling restart is stuck; on a busy machine it takes a worker long to load the program."""
_BETWEEN: Final = 0.5
"""Seconds at most between one blow and the next."""
_SERVES: Final = re.compile(r"worker (\d+) serves as process (\d+)")
_REPLACED: Final = "every worker was replaced"


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessesReport:
    """What became of it."""

    seed: int
    workers: int
    kills: int
    restarts: int
    answered: int
    """Acts of people that were answered with yes."""
    resent: int
    """Acts sent again under the same id, as their answer was lost."""
    views: int
    tables: int
    facts: int
    """In the log at the end."""
    moved: float = 0.0
    """Seconds after a kill until something was done at a table again: at the worst table, after the worst kill."""
    heard: float = 0.0
    """Seconds until a player had heard of that: the worst."""
    silence: float = 0.0
    """The longest that a player heard nothing new while workers were replaced, in seconds."""
    lost: int = 0
    """Answered acts that are not in the log."""
    doubled: int = 0
    """Acts that are in it more than once."""
    forgotten: int = 0
    """Views of versions that are not in the log, or are something else there."""
    flaws: int = 0
    """Logs whose hash chain does not hold."""
    failed: int = 0
    """Acts that were sent, and sent again, and failed all the same."""
    late: int = 0
    """Tables that took too long after a kill."""
    examples: tuple[str, ...] = ()
    """What is wrong, in a sentence each."""

    @property
    def sound(self) -> bool:
        """Was nothing lost, and did everybody go on soon?"""
        return not self.examples


class MultiProcessServer:
    """A server of several processes, begun as operators begin it, and what its logs tell of them."""

    def __init__(self, database: str, workers: int) -> None:
        options = {"processes": workers, "port": 0, "database": database, "bot_delay": 0.02, "hand_pause": 0.05}
        self._words = [word for name, value in options.items() for word in (f"--{name.replace('_', '-')}", str(value))]
        self._process: asyncio.subprocess.Process | None = None
        self._reading: asyncio.Task[None] | None = None
        self._news = asyncio.Condition()
        self._pids: set[int] = set()
        self.workers: dict[int, int] = {}
        """The process of each worker that serves."""
        self.replaced = 0
        """How often all of them were."""
        self.complaints: list[str] = []
        """What the logs say that should not be there."""

    async def __aenter__(self) -> Self:
        clean = {name: value for name, value in os.environ.items() if not name.startswith("LEFTBOWER_")}
        pipe = asyncio.subprocess.PIPE
        self._process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "leftbower", "serve", *self._words),
            env=clean,
            stdout=pipe,
            stderr=pipe,
            start_new_session=True,
        )
        self._reading = asyncio.create_task(self._read())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._process is not None
        assert self._reading is not None
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)  # with its workers, which hold the pipe that is read here
        await self._process.wait()
        await self._reading

    async def port(self) -> int:
        """Where it listens."""
        assert self._process is not None
        assert self._process.stdout is not None
        line = b""
        with suppress(TimeoutError):
            async with asyncio.timeout(START_TIMEOUT_SECONDS):
                line = await self._process.stdout.readline()
        if not line:
            raise RuntimeError(f"the server does not start: {' '.join(self.complaints)}")
        return int(line.decode().rpartition(":")[2])

    def kill(self, worker: int) -> None:
        """Kill the process of a worker: nothing more is done by it."""
        os.kill(self.workers.pop(worker), signal.SIGKILL)

    def tell(self, how: signal.Signals) -> None:
        """Send the supervisor a signal."""
        assert self._process is not None
        self._process.send_signal(how)

    async def until(self, holds: Callable[[], bool], timeout: float) -> bool:
        """Wait until the logs have told of this; False if they do not."""
        try:
            async with asyncio.timeout(timeout), self._news:
                await self._news.wait_for(holds)
        except TimeoutError:
            return False
        return True

    async def end(self) -> None:
        """Tell it to stop, and complain if it does not end in peace or leaves somebody behind."""
        assert self._process is not None
        self.tell(signal.SIGTERM)
        try:
            async with asyncio.timeout(STALL_TIMEOUT_SECONDS):
                if status := await self._process.wait():
                    self.complaints.append(f"the server ended with status {status}")
        except TimeoutError:
            self.complaints.append(f"the server did not stop within {STALL_TIMEOUT_SECONDS:.0f} seconds")
            return
        self.complaints += [f"process {pid} was left behind" for pid in sorted(self._pids) if _is_alive(pid)]

    async def _read(self) -> None:
        assert self._process is not None
        assert self._process.stderr is not None
        while line := await self._process.stderr.readline():
            async with self._news:
                self._hear(line.decode())
                self._news.notify_all()

    def _hear(self, line: str) -> None:
        try:
            said: Plain = loads(line)
        except ValueError:
            self.complaints.append(line.strip())
            return
        message = said["message"]
        if serves := _SERVES.fullmatch(message):
            self.workers[int(serves[1])] = int(serves[2])
            self._pids.add(int(serves[2]))
        self.replaced += message == _REPLACED
        if said["level"] in ("error", "warning") and "was ended by SIGKILL" not in message:
            self.complaints.append(f"a log says: {message}")


async def run_process_test(
    database: str,
    *,
    kills: int,
    restarts: int,
    seed: int = 1,
    tables: int = TABLES,
    workers: int = WORKERS,
    think: float = THINK_SECONDS,
    timeout: float = STALL_TIMEOUT_SECONDS,
    progress: Callable[[int], None] = lambda done: None,
) -> ProcessesReport:
    """Kill workers, and replace all of them, so often, on this empty PostgreSQL. Ctrl-C ends it with what is done.

    People `think` so many seconds before they act; after `patience` seconds play is stuck.
    """
    async with MultiProcessServer(database, workers) as crew:
        raging = _ProcessTest(crew, seed=seed, workers=workers, timeout=timeout)
        guests = await raging.gather(tables, think)
        async with playing(guests):
            try:
                await raging.rage(kills, restarts, progress)
            except asyncio.CancelledError:
                task = asyncio.current_task()
                if task is None or task.uncancel():
                    raise
        await crew.end()
    return await raging.report(database)


class _ProcessTest:
    """One run: the crew, the company and what they were told, and when which blow fell."""

    def __init__(self, crew: MultiProcessServer, *, seed: int, workers: int, timeout: float) -> None:
        self._crew, self._seed, self._workers, self._timeout = crew, seed, workers, timeout
        self._chance, self._door, self._memory = Random(seed), ServerAddress(), ClientHistory()
        self._guests: Sequence[SimulatedPlayer] = ()
        self._kills: list[float] = []
        self._restarts: list[tuple[float, float]] = []
        self._stuck: list[str] = []

    async def gather(self, tables: int, think: float) -> Sequence[SimulatedPlayer]:
        """Let people and bots sit down."""
        self._door.open(await self._crew.port())
        self._guests = await open_tables(self._door, self._memory, self._chance, tables, think=think)
        return self._guests

    async def rage(self, kills: int, restarts: int, progress: Callable[[int], None]) -> None:
        """One blow after another, each when all have gone on after the last."""
        for number in range(max(kills, restarts)):
            if number < kills:
                await self._all_serve()
                await self._kill()
                progress(len(self._kills) + len(self._restarts))
            if number < restarts:
                await self._restart()
                progress(len(self._kills) + len(self._restarts))
        await self._all_serve()

    async def report(self, database: str) -> ProcessesReport:
        """Hold everything that people were told against the log, and look when they were."""
        memory, log = self._memory, StoreScan()
        async with await open_store(database, read_only=True) as store:
            found = await compare_with_log(store, memory, log)
            times = {name: [stored.at for stored in await store.read(name)] for name in log.heads}
        waits = [recovery_times(kill, times, memory) for kill in self._kills]
        late = [
            f"{table} took {max(moved, heard):.1f} seconds to go on after kill {number}"
            for number, wait in enumerate(waits, 1)
            for table, (moved, heard) in wait.items()
            if max(moved, heard) > MAX_RECOVERY_SECONDS
        ]
        return ProcessesReport(
            seed=self._seed,
            workers=self._workers,
            kills=len(self._kills),
            restarts=len(self._restarts),
            answered=len(memory.answered),
            resent=memory.resent,
            views=memory.views,
            tables=len(log.heads),
            facts=sum(head.seq for head in log.heads.values()),
            moved=max((moved for wait in waits for moved, _ in wait.values()), default=0.0),
            heard=max((heard for wait in waits for _, heard in wait.values()), default=0.0),
            silence=max((longest_silence(begin, end, memory) for begin, end in self._restarts), default=0.0),
            lost=found.lost,
            doubled=found.doubled,
            forgotten=found.forgotten,
            flaws=found.flaws,
            failed=memory.failed,
            late=len(late),
            examples=(*found.sentences, *late, *self._stuck, *memory.wrong, *self._crew.complaints)[:MAX_EXAMPLES],
        )

    async def _kill(self) -> None:
        await asyncio.sleep(self._chance.uniform(0, _BETWEEN))
        at = time()
        self._crew.kill(self._chance.choice(sorted(self._crew.workers)))
        await self._gone_on()
        self._kills.append(at)

    async def _restart(self) -> None:
        before, begin = self._crew.replaced, time()
        self._crew.tell(signal.SIGHUP)
        if not await self._crew.until(lambda: self._crew.replaced > before, _REPLACING):
            self._stuck.append(f"workers were not replaced within {_REPLACING:.0f} seconds")
        await self._gone_on()
        self._restarts.append((begin, time()))

    async def _all_serve(self) -> None:
        if not await self._crew.until(lambda: len(self._crew.workers) == self._workers, _REPLACING):
            self._stuck.append(f"a worker was not begun again within {_REPLACING:.0f} seconds")

    async def _gone_on(self) -> None:
        """Wait until everybody has seen what came after anything that anybody has seen by now."""
        waiting = {guest: self._latest(guest.table) + 2 for guest in self._guests}
        with suppress(TimeoutError):
            async with asyncio.timeout(self._timeout):
                while waiting := {guest: at for guest, at in waiting.items() if guest.latest["version"] < at}:
                    await asyncio.sleep(0.02)
        self._stuck += [f"nothing more is heard at {table}" for table in sorted({guest.table for guest in waiting})]

    def _latest(self, table: str) -> int:
        return max(int(guest.latest["version"]) for guest in self._guests if guest.table == table)


def recovery_times(
    kill: float, times: Mapping[str, Sequence[float]], memory: ClientHistory
) -> dict[str, tuple[float, float]]:
    """By table: the seconds after a kill until the next fact was in its log, and until all who look had seen it.

    A log has the `times` of its facts. What never came took forever.
    """
    waits = {}
    for table, facts in times.items():
        index = bisect_right(facts, kill)
        moved = facts[index] - kill if index < len(facts) else float("inf")
        seen = (sights for (name, _), sights in memory.sights.items() if name == table)
        waits[table] = (moved, max((_seen(index + 1, sights) - kill for sights in seen), default=moved))
    return waits


def longest_silence(begin: float, end: float, memory: ClientHistory) -> float:
    """The longest that anybody heard nothing new between these times."""

    def heard(sights: Iterable[tuple[float, int]]) -> list[float]:
        return [begin, *(at for at, _ in sights if begin < at < end), end]

    return max(
        (after - before for one in memory.sights.values() for before, after in pairwise(heard(one))), default=0.0
    )


def _seen(version: int, sights: Sequence[tuple[float, int]]) -> float:
    index = bisect_left(sights, version, key=lambda sight: sight[1])
    return sights[index][0] if index < len(sights) else float("inf")


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True
