"""What people at tables notice while one address sends the heaviest requests that limits allow."""

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
"""Imports of every bad kind and of the largest good one; whole round robins of the largest size."""
MAX_TABLES: Final = 200
"""Tables at each of the two servers."""
SHARE: Final = 1.0
"""Of the largest size of everything that is sent."""
TURNS: Final = 4
"""In every second one of which it is the other server that is attacked."""
_DELIVERY_SECONDS: Final = 60.0
"""For which the last acts are waited for."""
_POLL_SECONDS: Final = 0.01
_READY_SECONDS: Final = 120.0
"""In which an attacker has prepared its requests, events and names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AttackResult:
    """How acts at tables fared during an attack; all times are from post to delivery."""

    kind: str
    tables: int
    """At each of the two servers."""
    without: Percentiles
    """At the server that is not attacked, in the same moments."""
    during: Percentiles
    """At the server that is."""
    turns: tuple[tuple[float, float], ...]
    """The p99 with and without, in each turn."""
    requests: dict[str, int]
    """What the attacker sent, with the answers by status."""
    refused: dict[str, int]
    """Acts of people that were not answered, by code."""
    cpu: tuple[float, float]
    """Shares of a core: of the server that is attacked, and of the other."""

    @property
    def ratio(self) -> float | None:
        """How many times as long the slowest hundredth of acts took."""
        return round(self.during.p99 / self.without.p99, 2) if self.without.p99 else None

    @property
    def median_ratio(self) -> float | None:
        """The same in the middle turn: a machine that stands still for a moment spoils one turn only."""
        ratios = [during / without for during, without in self.turns if without]
        return round(median(ratios), 2) if ratios else None


async def measure_attack(runs: tuple[LoadRun, LoadRun], kind: str) -> AttackResult:
    """Play at two servers while one of them is attacked, in turns.

    What makes the one slow besides, as whatever else the machine does, makes the other slow in the same moments.
    """
    without, during, turns = list[float](), list[float](), list[tuple[float, float]]()
    requests, refused = Counter[str](), Counter[str]()
    cpu = [0.0, 0.0]
    async with open_measured_server(runs[0]) as one, open_measured_server(runs[1]) as other:
        for turn in range(TURNS):
            victim, calm = (one, other) if turn % 2 == 0 else (other, one)
            async with _attacker(kind, victim, requests) as begin:
                what = f"seconds of {kind}, turn {turn + 1} of {TURNS}"
                counts, spent = await _played(victim, calm, begin, what)
            during += counts[0].deliveries
            without += counts[1].deliveries
            turns.append((Percentiles.of(counts[0].deliveries).p99, Percentiles.of(counts[1].deliveries).p99))
            for count in counts:
                refused.update(count.refused)
            cpu = [total + share / TURNS for total, share in zip(cpu, spent, strict=True)]
            if runs[0].stop.is_set():
                break
            await wait_until_idle(runs[0], [one.server, other.server])
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


async def _played(
    victim: MeasuredServer, calm: MeasuredServer, begin: Callable[[], None], what: str
) -> tuple[list[Counts], list[float]]:
    """What was seen at both from the beginning of the attack until all acts are delivered; and their processor shares.

    Nobody acts any more when the time is over, but the attack goes on: an act that hangs counts for as long as it does.
    """
    run, twins = victim.run, (victim, calm)
    for one in twins:
        one.clients.start_acting()
    await run.wait(run.every)
    for one in twins:
        one.clients.take_counts()
    before, began = [one.server.cpu for one in twins], perf_counter()
    begin()
    await run.wait(run.seconds, what)
    seconds = perf_counter() - began
    spent = [(one.server.cpu - cpu) / seconds for one, cpu in zip(twins, before, strict=True)]
    for one in twins:
        one.clients.pause()
    end = perf_counter() + _DELIVERY_SECONDS
    while (
        any(table_client.in_flight for one in twins for table_client in one.clients.table_clients)
        and perf_counter() < end
    ):
        await asyncio.sleep(_POLL_SECONDS)
    return [one.clients.take_counts() for one in twins], spent


@asynccontextmanager
async def _attacker(kind: str, victim: MeasuredServer, requests: Counter[str]) -> AsyncIterator[Callable[[], None]]:
    """How to have an attacker begin, in a process of its own; what it was answered is added to `requests`."""
    words = ("-m", "benchmarks.attacker", kind, str(victim.server.port), str(SHARE))
    process = await asyncio.create_subprocess_exec(
        sys.executable, *words, stdin=PIPE, stdout=PIPE, stderr=DEVNULL, env=child_environment(), start_new_session=True
    )
    stdin = process.stdin
    assert stdin is not None
    try:
        victim.run.progress(f"preparing {kind}", 0, 1)
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
    async with asyncio.timeout(_READY_SECONDS):
        return (await process.stdout.readline()).decode().strip()
