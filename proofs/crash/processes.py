"""Crash test of a server with several processes on one PostgreSQL: players continue after kills and rolling restarts.

The real command runs while clients play over HTTP at several tables, listen, and resend unanswered requests. One of its
worker processes is killed repeatedly, and all of them are replaced repeatedly in rolling restarts.
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
"""Seconds after a kill within which every table must have a new version that every player has received."""
WORKERS: Final = 2
THINK_SECONDS: Final = 0.02
"""Seconds before each request; the server has its default limit of fifty requests per second."""
_RESTART_TIMEOUT_SECONDS: Final = 120.0
"""Seconds after which a rolling restart is stuck; on a busy machine a worker takes long to import the program."""
_MAX_KILL_DELAY_SECONDS: Final = 0.5
"""Maximum delay before a kill."""
_WORKER_SERVES: Final = re.compile(r"worker (\d+) is serving, process (\d+)")
_WORKERS_REPLACED: Final = "all workers replaced"


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessesReport:
    """The result of a crash test of processes."""

    seed: int
    workers: int
    kills: int
    restarts: int
    answered: int
    """Actions of players answered with 200."""
    resent: int
    """Actions resent with the same id because the response was lost."""
    views: int
    tables: int
    facts: int
    """In the log at the end."""
    table_recovery_seconds: float = 0.0
    """From a kill to the next fact of a table, for the slowest table after the slowest kill."""
    player_recovery_seconds: float = 0.0
    """From a kill until a player had received that version, for the slowest."""
    silence: float = 0.0
    """The longest time in seconds without a new version for a player during a rolling restart."""
    lost: int = 0
    """Answered actions that are not in the log."""
    doubled: int = 0
    """Actions that are in it more than once."""
    forgotten: int = 0
    """Views of versions that are not in the log, or that the log shows differently."""
    flaws: int = 0
    """Logs whose hash chain is broken."""
    failed: int = 0
    """Requests that failed even when resent."""
    late: int = 0
    """Tables that took too long to continue after a kill."""
    examples: tuple[str, ...] = ()
    """The first errors, one sentence each."""

    @property
    def sound(self) -> bool:
        """Was nothing lost, and did all players continue in time?"""
        return not self.examples


class MultiProcessServer:
    """A server with several processes, started by the real command; its log says which workers serve."""

    def __init__(self, database: str, workers: int) -> None:
        options = {"processes": workers, "port": 0, "database": database, "bot_delay": 0.02, "hand_pause": 0.05}
        self._options = [
            word for name, value in options.items() for word in (f"--{name.replace('_', '-')}", str(value))
        ]
        self._process: asyncio.subprocess.Process | None = None
        self._reading: asyncio.Task[None] | None = None
        self._news = asyncio.Condition()
        self._pids: set[int] = set()
        self.workers: dict[int, int] = {}
        """Process ids of serving workers, by number."""
        self.replaced = 0
        """Finished rolling restarts."""
        self.complaints: list[str] = []
        """Unexpected lines of the log."""

    async def __aenter__(self) -> Self:
        clean = {name: value for name, value in os.environ.items() if not name.startswith("LEFTBOWER_")}
        pipe = asyncio.subprocess.PIPE
        self._process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "leftbower", "serve", *self._options),
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
        """Wait for the port."""
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
        """Send SIGKILL to a worker."""
        os.kill(self.workers.pop(worker), signal.SIGKILL)

    def send_signal(self, signal_number: signal.Signals) -> None:
        """Send the supervisor a signal."""
        assert self._process is not None
        self._process.send_signal(signal_number)

    async def wait_until(self, condition: Callable[[], bool], timeout: float) -> bool:
        """Wait for a condition, checked after each line of the log; False after the timeout."""
        try:
            async with asyncio.timeout(timeout), self._news:
                await self._news.wait_for(condition)
        except TimeoutError:
            return False
        return True

    async def end(self) -> None:
        """Stop it with SIGTERM; complain if it does not exit with status 0 or leaves a process behind."""
        assert self._process is not None
        self.send_signal(signal.SIGTERM)
        try:
            async with asyncio.timeout(STALL_TIMEOUT_SECONDS):
                if status := await self._process.wait():
                    self.complaints.append(f"the server exited with status {status}")
        except TimeoutError:
            self.complaints.append(f"the server did not stop within {STALL_TIMEOUT_SECONDS:.0f} seconds")
            return
        self.complaints += [f"process {pid} was left behind" for pid in sorted(self._pids) if _is_alive(pid)]

    async def _read(self) -> None:
        assert self._process is not None
        assert self._process.stderr is not None
        while line := await self._process.stderr.readline():
            async with self._news:
                self._read_line(line.decode())
                self._news.notify_all()

    def _read_line(self, line: str) -> None:
        try:
            entry: Plain = loads(line)
        except ValueError:
            self.complaints.append(line.strip())
            return
        message = entry["message"]
        if serves := _WORKER_SERVES.fullmatch(message):
            self.workers[int(serves[1])] = int(serves[2])
            self._pids.add(int(serves[2]))
        self.replaced += message == _WORKERS_REPLACED
        if entry["level"] in ("error", "warning") and "was killed by SIGKILL" not in message:
            self.complaints.append(f"in the log: {message}")


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
    """Kill workers and run rolling restarts on this empty PostgreSQL. Ctrl-C stops early.

    Players wait `think` seconds before each request; after `timeout` seconds without a new version, play is stuck.
    """
    async with MultiProcessServer(database, workers) as server:
        test = _ProcessTest(server, seed=seed, workers=workers, timeout=timeout)
        players = await test.seat_players(tables, think)
        async with playing(players):
            try:
                await test.kill_and_restart(kills, restarts, progress)
            except asyncio.CancelledError:
                task = asyncio.current_task()
                if task is None or task.uncancel():
                    raise
        await server.end()
    return await test.report(database)


class _ProcessTest:
    """One run: the server, the players and their history, and the times of kills and restarts."""

    def __init__(self, server: MultiProcessServer, *, seed: int, workers: int, timeout: float) -> None:
        self._server, self._seed, self._workers, self._timeout = server, seed, workers, timeout
        self._rng, self._address, self._history = Random(seed), ServerAddress(), ClientHistory()
        self._players: Sequence[SimulatedPlayer] = ()
        self._kills: list[float] = []
        self._restarts: list[tuple[float, float]] = []
        self._stuck: list[str] = []

    async def seat_players(self, tables: int, think: float) -> Sequence[SimulatedPlayer]:
        """Wait for the server, and seat people and bots."""
        self._address.open(await self._server.port())
        self._players = await open_tables(self._address, self._history, self._rng, tables, think=think)
        return self._players

    async def kill_and_restart(self, kills: int, restarts: int, progress: Callable[[int], None]) -> None:
        """Kill and restart in turn, each time after all players have continued; stop early if they don't."""
        for number in range(max(kills, restarts)):
            if self._stuck:
                break
            if number < kills:
                await self._wait_for_workers()
                await self._kill()
                progress(len(self._kills) + len(self._restarts))
            if number < restarts:
                await self._restart()
                progress(len(self._kills) + len(self._restarts))
        await self._wait_for_workers()

    async def report(self, database: str) -> ProcessesReport:
        """Compare the log with everything that clients were sent, and when."""
        history, log = self._history, StoreScan()
        async with await open_store(database, read_only=True) as store:
            mismatches = await compare_with_log(store, history, log)
            times = {name: [stored.at for stored in await store.read(name)] for name in log.heads}
        waits = [recovery_times(kill, times, history) for kill in self._kills]
        late = [
            f"{table} took {max(table_seconds, player_seconds):.1f} seconds to continue after kill {number}"
            for number, wait in enumerate(waits, 1)
            for table, (table_seconds, player_seconds) in wait.items()
            if max(table_seconds, player_seconds) > MAX_RECOVERY_SECONDS
        ]
        return ProcessesReport(
            seed=self._seed,
            workers=self._workers,
            kills=len(self._kills),
            restarts=len(self._restarts),
            answered=len(history.answered),
            resent=history.resent,
            views=history.views,
            tables=len(log.heads),
            facts=sum(head.seq for head in log.heads.values()),
            table_recovery_seconds=max(
                (table_seconds for wait in waits for table_seconds, _ in wait.values()), default=0.0
            ),
            player_recovery_seconds=max(
                (player_seconds for wait in waits for _, player_seconds in wait.values()), default=0.0
            ),
            silence=max((longest_silence(begin, end, history) for begin, end in self._restarts), default=0.0),
            lost=mismatches.lost,
            doubled=mismatches.doubled,
            forgotten=mismatches.forgotten,
            flaws=mismatches.flaws,
            failed=history.failed,
            late=len(late),
            examples=(*mismatches.sentences, *late, *self._stuck, *history.wrong, *self._server.complaints)[
                :MAX_EXAMPLES
            ],
        )

    async def _kill(self) -> None:
        await asyncio.sleep(self._rng.uniform(0, _MAX_KILL_DELAY_SECONDS))
        at = time()
        self._server.kill(self._rng.choice(sorted(self._server.workers)))
        await self._wait_for_play()
        self._kills.append(at)

    async def _restart(self) -> None:
        before, begin = self._server.replaced, time()
        self._server.send_signal(signal.SIGHUP)
        if not await self._server.wait_until(lambda: self._server.replaced > before, _RESTART_TIMEOUT_SECONDS):
            self._stuck.append(f"workers were not replaced within {_RESTART_TIMEOUT_SECONDS:.0f} seconds")
        await self._wait_for_play()
        self._restarts.append((begin, time()))

    async def _wait_for_workers(self) -> None:
        if not await self._server.wait_until(
            lambda: len(self._server.workers) == self._workers, _RESTART_TIMEOUT_SECONDS
        ):
            self._stuck.append(f"a worker was not restarted within {_RESTART_TIMEOUT_SECONDS:.0f} seconds")

    async def _wait_for_play(self) -> None:
        """Wait until every player has received a version newer than all received so far."""
        waiting = {player: self._latest(player.table) + 2 for player in self._players}
        with suppress(TimeoutError):
            async with asyncio.timeout(self._timeout):
                while waiting := {player: at for player, at in waiting.items() if player.latest["version"] < at}:
                    await asyncio.sleep(0.02)
        self._stuck += [
            f"nothing more is received at {table}" for table in sorted({player.table for player in waiting})
        ]

    def _latest(self, table: str) -> int:
        return max(int(player.latest["version"]) for player in self._players if player.table == table)


def recovery_times(
    kill: float, times: Mapping[str, Sequence[float]], history: ClientHistory
) -> dict[str, tuple[float, float]]:
    """By table: the seconds from a kill to the next fact of its log, and until every client had received it.

    `times` are those of the facts of each log. Anything that never came counts as infinite.
    """
    waits = {}
    for table, facts in times.items():
        index = bisect_right(facts, kill)
        table_seconds = facts[index] - kill if index < len(facts) else float("inf")
        clients = (received for (name, _), received in history.version_times.items() if name == table)
        player_seconds = max((_received_at(index + 1, received) - kill for received in clients), default=table_seconds)
        waits[table] = (table_seconds, player_seconds)
    return waits


def longest_silence(begin: float, end: float, history: ClientHistory) -> float:
    """The longest time without a new version for any client between these times."""

    def between(received: Iterable[tuple[float, int]]) -> list[float]:
        return [begin, *(at for at, _ in received if begin < at < end), end]

    clients = history.version_times.values()
    return max((after - before for received in clients for before, after in pairwise(between(received))), default=0.0)


def _received_at(version: int, received: Sequence[tuple[float, int]]) -> float:
    index = bisect_left(received, version, key=lambda entry: entry[1])
    return received[index][0] if index < len(received) else float("inf")


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True
