"""`python -m benchmarks pages`: what pages cost a server, and how soon a card is painted."""

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
    """What can be measured."""

    RENDERING = "rendering"
    PAINTING = "painting"


def pages(
    tables: Annotated[int, typer.Option(min=1, help="How many tables of four people.")] = 100,
    seconds: Annotated[float, typer.Option(min=0.1, help="How long each measurement takes.")] = 15.0,
    every: Annotated[float, typer.Option(min=0.1, help="Seconds between two acts at a table.")] = 1.0,
    part: Annotated[
        list[Part] | None, typer.Option(help="Only this part; can be repeated.", show_default=False)
    ] = None,
    seed: LoadSeed = 1,
    json: Json = False,
) -> None:
    """Measure what pages cost.

    rendering: the same load three times, with four more feeds of JSON at every table, with four of HTML, and without;
    says what an act costs with HTML feeds, beside one with JSON feeds. painting: a player in a real Chromium; each
    card is timed from the click until it is painted. Ctrl-C ends it early with what is done. Needs the test extra,
    Linux, and Chromium.
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
        print(f"{costs.alone.tables:,} tables, four feeds each; processor time of the server for an act")
        for label, load in (("alone", costs.alone), ("+ 4 of JSON", costs.json), ("+ 4 of HTML", costs.html)):
            print(f"  {label:<12} {load.cpu_per_act:6.2f} ms   {load.acts:,} acts")
        print(f"  an act with feeds of HTML costs {costs.ratio:.2f} times one with feeds of JSON.\n")
    if times := report.painting:
        print(f"From the click to the painted card, {report.acts} cards in a browser")
        print(f"  p50 {times.p50:.1f} ms   p99 {times.p99:.1f} ms   max {times.max:.1f} ms\n")
