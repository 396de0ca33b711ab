"""All measurements of a server under load, one part after another."""

import asyncio
import signal
from collections.abc import Collection
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path

from leftbower.bench.attack import KINDS, MAX_TABLES, Attack, attacked
from leftbower.bench.crash import own_database
from leftbower.bench.loading import Contest, Load, Run, side_by_side
from leftbower.bench.running import allow_many_connections
from leftbower.bench.staging import Progress, set_the_stage
from leftbower.bench.trouble import Restart, Stalled, Storm, restart, stalled, storm


@dataclass(slots=True)
class Report:
    """Everything that was measured."""

    database: str
    loads: list[Load] = field(default_factory=list)
    echo: Load | None = None
    stalled: Stalled | None = None
    storm: Storm | None = None
    restart: Restart | None = None
    attacks: list[Attack] = field(default_factory=list)
    finished: bool = True
    """False when somebody wanted no more."""

    @property
    def ratios(self) -> dict[str, float]:
        """How many times as much time, and processor time, the first server took as the echo, and others with stalled
        clients, or during an attack, as without them."""
        ratios = {f"stalled_to_{name}": ratio for name, ratio in self.stalled.ratios.items()} if self.stalled else {}
        for attack in self.attacks:
            found = {attack.kind: attack.ratio, f"{attack.kind}_typical": attack.typical}
            ratios |= {name: ratio for name, ratio in found.items() if ratio is not None}
        if not self.loads or self.echo is None or not self.echo.acts or not self.echo.delivery.p99:
            return ratios
        ours = self.loads[0]
        return ratios | {
            "delivery_p99": round(ours.delivery.p99 / self.echo.delivery.p99, 2),
            "typical_p99": round(ours.typical / self.echo.typical, 2) if self.echo.typical else 0.0,
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
) -> Report:
    """Measure these parts with so many tables on a database of its own; Ctrl-C ends it with what is done.

    With more than one process they stand beside one alone, over a database of their own.
    """
    allow_many_connections()
    stop = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGINT, stop.set)
    report = Report(database=database)
    with own_database(database) as address:
        postmaster = await _postmaster(address) if database == "postgresql" else None
        parties = await set_the_stage(address, tables, seed=seed, progress=progress)
        run = Run(
            address=address, parties=parties, seconds=seconds, every=every, seed=seed, progress=progress, stop=stop
        )
        if "load" in parts:
            with ExitStack() as databases:
                contests = [Contest(address=address, parties=parties, postmaster=postmaster)]
                if processes > 1:
                    other = databases.enter_context(own_database(database))
                    same = await set_the_stage(other, tables, seed=seed, progress=progress)
                    contests.append(
                        Contest(address=other, parties=same, processes=processes, postmaster=await _postmaster(other))
                    )
                report.loads, report.echo = await side_by_side(run, contests)
        if "stalled" in parts and not stop.is_set():
            with own_database(database) as one, own_database(database) as other:
                half = max(tables // 2, 1)
                twins = (await _twin(run, one, half), await _twin(run, other, half))
                report.stalled = await stalled(twins, silent=tables, dripping=half)
        if "storm" in parts and not stop.is_set():
            report.storm = await storm(run, feeds=2 * tables)
        if "restart" in parts and not stop.is_set():
            report.restart = await restart(run)
        for kind in KINDS if "attack" in parts else ():
            if not stop.is_set():
                with own_database(database) as one, own_database(database) as other:
                    few = min(tables, MAX_TABLES)
                    report.attacks.append(
                        await attacked((await _twin(run, one, few), await _twin(run, other, few)), kind)
                    )
    report.finished = not stop.is_set()
    return report


async def _twin(run: Run, address: str, tables: int) -> Run:
    """The same with fewer tables on another database."""
    parties = await set_the_stage(address, tables, seed=run.seed, progress=run.progress)
    return replace(run, address=address, parties=parties)


async def _postmaster(address: str) -> int:
    """The process of the database that was started for this."""
    import asyncpg  # type: ignore[import-untyped]  # noqa: PLC0415

    connection = await asyncpg.connect(address)
    try:
        folder = await connection.fetchval("show data_directory")
    finally:
        await connection.close()
    return int((Path(folder) / "postmaster.pid").read_text().split()[0])
