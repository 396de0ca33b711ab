"""`python -m benchmarks pages`: the cost of HTML feeds, and the time from a click to a painted card."""

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Final

import typer

from benchmarks.commands.options import LoadSeed, step_progress
from leftbower.cli.common.output import print_json
from leftbower.errors import MissingExtra
from proofs.commands.options import INTERRUPTED_STATUS, Json

if TYPE_CHECKING:
    from benchmarks.pages import PagesReport

EXAMPLES: Final = (
    "Examples:  python -m benchmarks pages;  python -m benchmarks pages --part rendering --tables 50 --seconds 5"
)


class Part(StrEnum):
    RENDERING = "rendering"
    PAINTING = "painting"


def pages(
    tables: Annotated[int, typer.Option(min=1, help="Number of tables of four people.")] = 100,
    seconds: Annotated[float, typer.Option(min=0.1, help="Seconds per measurement.")] = 15.0,
    every: Annotated[float, typer.Option(min=0.1, help="Seconds between two actions at a table.")] = 1.0,
    part: Annotated[
        list[Part] | None, typer.Option(help="Only this part; can be repeated.", show_default=False)
    ] = None,
    seed: LoadSeed = 1,
    json: Json = False,
) -> None:
    """Measure the cost of pages.

    rendering: CPU time per action under the same load three times: alone, with four more JSON feeds per table, and with
    four more HTML feeds per table. painting: the time from a click on a card until Chromium has painted it. Ctrl-C
    stops early and prints the results so far. Needs the test extra, Linux, and Chromium.
    """
    try:
        import asyncio

        import uvloop

        from benchmarks.pages import measure
    except ModuleNotFoundError as missing:
        raise MissingExtra("test") from missing
    with step_progress() as progress, asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        report = runner.run(
            measure(parts=part or list(Part), tables=tables, seconds=seconds, every=every, seed=seed, progress=progress)
        )
    if json:
        from dataclasses import asdict

        print_json(asdict(report) | {"ratio": report.rendering.ratio if report.rendering else None})
    else:
        _print(report)
    if not report.finished:
        raise typer.Exit(INTERRUPTED_STATUS)


def _print(report: "PagesReport") -> None:
    if costs := report.rendering:
        print(f"{costs.alone.tables:,} tables, four feeds each; CPU time of the server per action")
        for label, load in (("alone", costs.alone), ("+ 4 JSON", costs.json), ("+ 4 HTML", costs.html)):
            print(f"  {label:<12} {load.cpu_per_act:6.2f} ms   {load.acts:,} actions")
        print(f"  With HTML feeds an action costs {costs.ratio:.2f} times as much as with JSON feeds.\n")
    if times := report.painting:
        print(f"From click to painted card, {report.acts} cards in a browser")
        print(f"  p50 {times.p50:.1f} ms   p99 {times.p99:.1f} ms   max {times.max:.1f} ms\n")
