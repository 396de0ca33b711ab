"""Latency of actions at tables while one address sends the heaviest requests that limits allow."""

import asyncio
import json
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from statistics import median
from time import perf_counter
from typing import Final

from benchmarks.load import LoadRun, Percentiles, wait_until_idle
from benchmarks.load_clients import Counts
from benchmarks.resilience import MeasuredServer, open_measured_server
from proofs.checkout import child_environment

ATTACK_KINDS: Final = ("uploads", "draws")
"""Invalid imports of every kind and the largest valid one; full round robins of the largest size."""
MAX_TABLES: Final = 200
"""Tables on each of the two servers."""
SIZE_SHARE: Final = 1.0
"""Size of everything that is sent, as a share of the maximum."""
TURNS: Final = 4
"""The attacked server alternates by turn."""
_DELIVERY_TIMEOUT_SECONDS: Final = 60.0
"""Seconds to wait for the last actions."""
_POLL_SECONDS: Final = 0.01
_READY_TIMEOUT_SECONDS: Final = 120.0
"""Seconds for an attacker to prepare its requests, events and names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AttackResult:
    """Latency of actions during an attack, from POST to delivery."""

    kind: str
    tables: int
    """On each of the two servers."""
    without: Percentiles
    """On the other server, at the same time."""
    during: Percentiles
    """On the attacked server."""
    turns: tuple[tuple[float, float], ...]
    """The p99 of each turn, with and without the attack."""
    requests: dict[str, int]
    """The attacker's requests by name and status."""
    refused: dict[str, int]
    """Refused actions of people, by code."""
    cpu: tuple[float, float]
    """Shares of a core: of the attacked server, and of the other."""

    @property
    def ratio(self) -> float | None:
        """The p99 of actions during the attack, relative to that without."""
        return round(self.during.p99 / self.without.p99, 2) if self.without.p99 else None

    @property
    def median_ratio(self) -> float | None:
        """The same for the median turn: one pause of the machine spoils only one turn."""
        ratios = [during / without for during, without in self.turns if without]
        return round(median(ratios), 2) if ratios else None


async def measure_attack(runs: tuple[LoadRun, LoadRun], kind: str) -> AttackResult:
    """Play on two servers while one of them is attacked, in turns, so that other load on the machine slows both
    equally."""
    without, during, turns = list[float](), list[float](), list[tuple[float, float]]()
    requests, refused = Counter[str](), Counter[str]()
    cpu = [0.0, 0.0]
    async with open_measured_server(runs[0]) as first, open_measured_server(runs[1]) as second:
        for turn in range(TURNS):
            target, calm = (first, second) if turn % 2 == 0 else (second, first)
            async with _attacker(kind, target, requests) as begin:
                step = f"seconds of {kind}, turn {turn + 1} of {TURNS}"
                counts, spent = await _play(target, calm, begin, step)
            during += counts[0].deliveries
            without += counts[1].deliveries
            turns.append((Percentiles.of(counts[0].deliveries).p99, Percentiles.of(counts[1].deliveries).p99))
            for count in counts:
                refused.update(count.refused)
            cpu = [total + share / TURNS for total, share in zip(cpu, spent, strict=True)]
            if runs[0].stop.is_set():
                break
            await wait_until_idle(runs[0], [first.server, second.server])
    return AttackResult(
        kind=kind,
        tables=len(runs[0].fixtures),
        without=Percentiles.of(without),
        during=Percentiles.of(during),
        turns=tuple(turns),
        requests=dict(sorted(requests.items())),
        refused=dict(refused),
        cpu=(round(cpu[0], 2), round(cpu[1], 2)),
    )


async def _play(
    target: MeasuredServer, calm: MeasuredServer, begin: Callable[[], None], step: str
) -> tuple[list[Counts], list[float]]:
    """Counts and CPU shares of both, from the start of the attack until all actions are delivered.

    Clients pause when the time is over, but the attack continues: a stalled action counts with its full time.
    """
    run, both = target.run, (target, calm)
    for measured in both:
        measured.clients.start_acting()
    await run.wait(run.every)
    for measured in both:
        measured.clients.take_counts()
    before, began = [measured.server.cpu for measured in both], perf_counter()
    begin()
    await run.wait(run.seconds, step)
    seconds = perf_counter() - began
    spent = [(measured.server.cpu - cpu) / seconds for measured, cpu in zip(both, before, strict=True)]
    for measured in both:
        measured.clients.pause()
    end = perf_counter() + _DELIVERY_TIMEOUT_SECONDS
    while (
        any(table_client.in_flight for measured in both for table_client in measured.clients.table_clients)
        and perf_counter() < end
    ):
        await asyncio.sleep(_POLL_SECONDS)
    return [measured.clients.take_counts() for measured in both], spent


@asynccontextmanager
async def _attacker(kind: str, target: MeasuredServer, requests: Counter[str]) -> AsyncIterator[Callable[[], None]]:
    """Start an attacker process, and yield a function that starts the attack; its counts are added to `requests`."""
    words = ("-m", "benchmarks.attacker", kind, str(target.server.port), str(SIZE_SHARE))
    process = await asyncio.create_subprocess_exec(
        sys.executable, *words, stdin=PIPE, stdout=PIPE, stderr=DEVNULL, env=child_environment(), start_new_session=True
    )
    stdin = process.stdin
    assert stdin is not None
    try:
        target.run.progress(f"preparing {kind}", 0, 1)
        if await _line_of(process) != "ready":
            raise RuntimeError(f"the attacker of {kind} could not begin")
        yield lambda: stdin.write(b"go\n")
        stdin.close()
        requests.update(json.loads(await _line_of(process)))
    finally:
        with suppress(ProcessLookupError):
            process.kill()
        await process.wait()


async def _line_of(process: Process) -> str:
    assert process.stdout is not None
    async with asyncio.timeout(_READY_TIMEOUT_SECONDS):
        return (await process.stdout.readline()).decode().strip()
