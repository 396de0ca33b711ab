"""`leftbower bench pages`: what pages cost a server, and how soon a card is painted."""

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Final

import typer

from leftbower.cli.bench_server import progress_bar
from leftbower.cli.output import print_json
from leftbower.errors import MissingExtra

if TYPE_CHECKING:
    from leftbower.bench.pages import Report

_INTERRUPTED: Final = 130
EXAMPLES: Final = "Examples:  leftbower bench pages;  leftbower bench pages --part drawing --tables 50 --seconds 5"


class Part(StrEnum):
    """What can be measured."""

    DRAWING = "drawing"
    PAINTING = "painting"


def pages(
    tables: Annotated[int, typer.Option(min=1, help="How many tables of four people.")] = 100,
    seconds: Annotated[float, typer.Option(min=0.1, help="How long each measurement takes.")] = 15.0,
    every: Annotated[float, typer.Option(min=0.1, help="Seconds between two acts at a table.")] = 1.0,
    part: Annotated[
        list[Part] | None, typer.Option(help="Only this part; can be repeated.", show_default=False)
    ] = None,
    seed: Annotated[int, typer.Option(help="Where the randomness of people begins.")] = 1,
    json: Annotated[bool, typer.Option("--json", help="Print JSON for programs.")] = False,
) -> None:
    """Measure what pages cost.

    drawing: the same load three times, with four more feeds of JSON at every table, with four of HTML, and without;
    says what an act costs with HTML feeds, beside one with JSON feeds. painting: somebody plays in a real Chromium, and
    each card is timed from the click until it is painted. Ctrl-C ends it early with what is done. Needs the pictures
    extra, Linux, and Chromium.
    """
    try:
        import asyncio

        import uvloop

        from leftbower.bench.pages import measure
    except ModuleNotFoundError as missing:
        raise MissingExtra("pictures") from missing
    with progress_bar() as progress, asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        report = runner.run(
            measure(parts=part or list(Part), tables=tables, seconds=seconds, every=every, seed=seed, progress=progress)
        )
    if json:
        from dataclasses import asdict

        print_json(asdict(report) | {"ratio": report.drawn.ratio if report.drawn else None})
    else:
        _print(report)
    if not report.finished:
        raise typer.Exit(_INTERRUPTED)


def _print(report: "Report") -> None:
    if drawn := report.drawn:
        print(f"{drawn.alone.tables:,} tables, four feeds each; processor time of the server for an act")
        for what, load in (("alone", drawn.alone), ("+ 4 of JSON", drawn.json), ("+ 4 of HTML", drawn.html)):
            print(f"  {what:<12} {load.cpu_per_act:6.2f} ms   {load.acts:,} acts")
        print(f"  an act with feeds of HTML costs {drawn.ratio:.2f} times one with feeds of JSON.\n")
    if painted := report.painted:
        print(f"From the click to the painted card, {report.acts} cards in a browser")
        print(f"  p50 {painted.p50:.1f} ms   p99 {painted.p99:.1f} ms   max {painted.max:.1f} ms\n")
