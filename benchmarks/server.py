"""Runs the parts of the server benchmark one after another and collects their results."""

import asyncio
import signal
from collections.abc import Collection
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path

from benchmarks.attack import ATTACK_KINDS, MAX_TABLES, AttackResult, measure_attack
from benchmarks.load import LoadResult, LoadRun, ServerSetup, measure_in_turns
from benchmarks.resilience import (
    ReconnectResult,
    RestartResult,
    StalledResult,
    measure_reconnects,
    measure_restart,
    measure_stalled,
)
from benchmarks.server_process import raise_file_limit
from benchmarks.table_fixture import Progress, write_tables
from proofs.crash.crash import temporary_database


@dataclass(slots=True)
class ServerReport:
    """Results of the parts that were measured."""

    database: str
    loads: list[LoadResult] = field(default_factory=list)
    echo: LoadResult | None = None
    stalled: StalledResult | None = None
    reconnect: ReconnectResult | None = None
    restart: RestartResult | None = None
    attacks: list[AttackResult] = field(default_factory=list)
    finished: bool = True
    """False after Ctrl-C."""

    @property
    def ratios(self) -> dict[str, float]:
        """Times of the first server relative to the echo; p99 with stalled clients or an attack relative to that
        without."""
        ratios = {f"stalled_to_{name}": ratio for name, ratio in self.stalled.ratios.items()} if self.stalled else {}
        for attack in self.attacks:
            attack_ratios = {attack.kind: attack.ratio, f"{attack.kind}_typical": attack.median_ratio}
            ratios |= {name: ratio for name, ratio in attack_ratios.items() if ratio is not None}
        if not self.loads or self.echo is None or not self.echo.acts or not self.echo.delivery.p99:
            return ratios
        ours = self.loads[0]
        return ratios | {
            "delivery_p99": round(ours.delivery.p99 / self.echo.delivery.p99, 2),
            "typical_p99": round(ours.median_p99 / self.echo.median_p99, 2) if self.echo.median_p99 else 0.0,
            "cpu_per_act": round(ours.cpu_per_act / self.echo.cpu_per_act, 2) if self.echo.cpu_per_act else 0.0,
        }


async def measure(
    database: str,
    *,
    parts: Collection[str],
    tables: int,
    seconds: float,
    every: float,
    processes: int,
    seed: int,
    progress: Progress,
) -> ServerReport:
    """Measure these parts on a temporary database; Ctrl-C stops early.

    More than one process is measured in turns with a single one, each on its own database.
    """
    raise_file_limit()
    stop = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGINT, stop.set)
    report = ServerReport(database=database)
    with temporary_database(database) as address:
        postmaster = await _postmaster(address) if database == "postgresql" else None
        fixtures = await write_tables(address, tables, seed=seed, progress=progress)
        run = LoadRun(
            address=address, fixtures=fixtures, seconds=seconds, every=every, seed=seed, progress=progress, stop=stop
        )
        if "load" in parts:
            with ExitStack() as databases:
                setups = [ServerSetup(address=address, fixtures=fixtures, postmaster=postmaster)]
                if processes > 1:
                    other = databases.enter_context(temporary_database(database))
                    fixtures_again = await write_tables(other, tables, seed=seed, progress=progress)
                    setups.append(
                        ServerSetup(
                            address=other,
                            fixtures=fixtures_again,
                            processes=processes,
                            postmaster=await _postmaster(other),
                        )
                    )
                report.loads, report.echo = await measure_in_turns(run, setups)
        if "stalled" in parts and not stop.is_set():
            with temporary_database(database) as first, temporary_database(database) as second:
                half = max(tables // 2, 1)
                runs = (await _smaller_run(run, first, half), await _smaller_run(run, second, half))
                report.stalled = await measure_stalled(runs, silent=tables, slow_headers=half)
        if "reconnect" in parts and not stop.is_set():
            report.reconnect = await measure_reconnects(run, feeds=2 * tables)
        if "restart" in parts and not stop.is_set():
            report.restart = await measure_restart(run)
        for kind in ATTACK_KINDS if "attack" in parts else ():
            if not stop.is_set():
                with temporary_database(database) as first, temporary_database(database) as second:
                    few = min(tables, MAX_TABLES)
                    report.attacks.append(
                        await measure_attack(
                            (await _smaller_run(run, first, few), await _smaller_run(run, second, few)), kind
                        )
                    )
    report.finished = not stop.is_set()
    return report


async def _smaller_run(run: LoadRun, address: str, tables: int) -> LoadRun:
    """The same run with fewer tables on another database."""
    fixtures = await write_tables(address, tables, seed=run.seed, progress=run.progress)
    return replace(run, address=address, fixtures=fixtures)


async def _postmaster(address: str) -> int:
    """The process id of the temporary database server."""
    import asyncpg  # type: ignore[import-untyped]  # noqa: PLC0415

    connection = await asyncpg.connect(address)
    try:
        folder = await connection.fetchval("show data_directory")
    finally:
        await connection.close()
    return int((Path(folder) / "postmaster.pid").read_text().split()[0])
