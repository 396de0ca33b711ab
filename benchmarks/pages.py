"""Cost of pages: an action with four HTML feeds compared with one with four JSON feeds, and the time to paint a
card."""

import asyncio
import signal
from collections.abc import AsyncIterator, Collection, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from benchmarks.load import LoadResult, LoadRun, Percentiles, measure_load
from benchmarks.load_clients import random_player
from benchmarks.pictures import open_chromium
from benchmarks.server_process import SERVE_COMMAND, ServerProcess, raise_file_limit, run_servers, start
from benchmarks.table_fixture import FixtureTable, Progress, write_tables
from proofs.crash.crash import temporary_database

_IDLE_CHECK_SECONDS: Final = 1.0
_PAINTED: Final = """async () => {
  const offered = '.turn .panel button, .turn .hand button.card:not([aria-disabled])';
  const times = [];
  document.body.dataset.pace = 0; // show what others do at once
  const frame = () => new Promise(done => requestAnimationFrame(done));
  const end = performance.now() + 90000;
  while (times.length < 30 && !document.querySelector('.over') && performance.now() < end) {
    document.querySelector(':is(.suits, .hand:has(.pick)):not(:has(:checked)) input')?.click();
    const button = document.querySelector(offered);
    if (!button) { await frame(); continue; }
    const card = button.matches('.hand .card') && button.value.length === 2 ? button.dataset.k : '';
    const began = performance.now();
    button.click();
    const lies = () => document.querySelector(`.place > [data-k="${card}"]`) || performance.now() > began + 2000;
    while (card && !lies()) await frame();
    await frame();
    if (card) times.push((performance.now() - began) / 1000);
    await new Promise(done => setTimeout(done, 120));
  }
  return times;
}"""
"""Runs in the page: from the click on a card until the frame after it is on the table."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RenderCosts:
    """The same load three times: alone, with four more JSON feeds per table, and with four more HTML feeds."""

    alone: LoadResult
    json: LoadResult
    html: LoadResult

    @property
    def ratio(self) -> float:
        """CPU time of an action with HTML feeds only, relative to one with JSON feeds only."""
        act = self.alone.cpu_per_act
        return round((act + self.html.cpu_per_act - self.json.cpu_per_act) / act, 2)


@dataclass(slots=True, kw_only=True)
class PagesReport:
    """The result of the benchmark; None for parts that were not measured."""

    rendering: RenderCosts | None = None
    painting: Percentiles | None = None
    acts: int = 0
    """Number of cards timed."""
    finished: bool = True


async def measure(
    *, parts: Collection[str], tables: int, seconds: float, every: float, seed: int, progress: Progress
) -> PagesReport:
    """Measure these parts; Ctrl-C stops early."""
    raise_file_limit()
    stop = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGINT, stop.set)
    report = PagesReport()
    if "rendering" in parts:
        with temporary_database("sqlite") as address:
            fixtures = await write_tables(address, tables, seed=seed, progress=progress)
            run = LoadRun(
                address=address,
                fixtures=fixtures,
                seconds=seconds,
                every=every,
                seed=seed,
                progress=progress,
                stop=stop,
            )
            report.rendering = await _measure_rendering(run)
    if "painting" in parts and not stop.is_set():
        times = await _measure_painting()
        report.painting, report.acts = Percentiles.of(times), len(times)
    report.finished = not stop.is_set()
    return report


async def _measure_rendering(run: LoadRun) -> RenderCosts | None:
    loads: dict[str, LoadResult] = {}
    for name, path in (("alone", ""), ("json", "/api/tables/{}/feed"), ("html", "/t/{}/feed")):
        if run.stop.is_set():
            return None
        async with run_servers(run.address) as servers, _listeners(servers[0], run.fixtures, path):
            await run.wait(_IDLE_CHECK_SECONDS)
            loads[name] = await measure_load(run, name, servers, random_player(run.seed))
    return RenderCosts(**loads)


@asynccontextmanager
async def _listeners(server: ServerProcess, fixtures: Sequence[FixtureTable], path: str) -> AsyncIterator[None]:
    """Open one more feed for each person, and discard its messages."""
    feeds = [(path.format(fixture.name), token) for fixture in fixtures for token in fixture.tokens] if path else []
    tasks = [asyncio.create_task(_listen(server.port, feed, token)) for feed, token in feeds]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _listen(port: int, path: str, token: str) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        head = f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAuthorization: Bearer {token}\r\n\r\n"
        writer.write(head.encode())
        while await reader.read(1 << 16):
            pass
    finally:
        writer.close()


async def _measure_painting() -> list[float]:
    """Play with bots in a real browser; time each card from the click until it is painted."""
    with TemporaryDirectory(prefix="leftbower-") as folder:
        server = await start(
            *SERVE_COMMAND, str(Path(folder) / "tables.db"), "--bot-delay", "0.3", "--hand-pause", "0.3"
        )
        try:
            async with open_chromium() as browser:
                page: Any = await browser.new_page(viewport={"width": 1280, "height": 800})
                await page.goto(f"http://127.0.0.1:{server.port}/")
                await page.eval_on_selector("form[action='/play'] [name=level]", "list => { list.value = 'novice' }")
                await page.click("text=Play now")
                await page.wait_for_selector("#table")
                times: list[float] = await page.evaluate(_PAINTED)
                return times
        finally:
            await server.stop()
