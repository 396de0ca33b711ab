"""`python -m benchmarks hall`: response times of scorers' phones in a full hall."""

from typing import TYPE_CHECKING, Annotated, Final

import typer

from benchmarks.commands.options import LoadSeed, step_progress
from leftbower.cli.common.output import print_json
from leftbower.errors import MissingExtra
from proofs.commands.options import INTERRUPTED_STATUS, Json

if TYPE_CHECKING:
    from benchmarks.hall import HallPart, HallReport

EXAMPLES: Final = (
    "Examples:  python -m benchmarks hall;  python -m benchmarks hall --tables 4 --onlookers 10 --every 2 --seconds 20"
)


def hall(
    tables: Annotated[int, typer.Option(min=1, max=16, help="Number of tables with four phones each.")] = 16,
    onlookers: Annotated[int, typer.Option(min=0, help="Number of people on the public page.")] = 100,
    alone: Annotated[int, typer.Option(min=1, help="Number of taps of one table alone, measured first.")] = 300,
    seconds: Annotated[float, typer.Option(min=0.1, help="Seconds with all tables.")] = 180.0,
    every: Annotated[float, typer.Option(min=0.1, help="Seconds between two taps on a phone.")] = 20.0,
    seed: LoadSeed = 1,
    json: Json = False,
) -> None:
    """Load-test an event in a full hall.

    A real server runs in its own process with default limits; all clients share one address. Each table has four single
    players with phones and feeds. A wall and the onlookers follow the standings and load the public page every 30
    seconds. A tap is what the page offers: report a hand or a score, confirm it, or reload the page. One table taps
    alone first, then all tables. Prints the time from a tap to its response and to the other phones of the table; "less
    CPU wait" leaves out the time in which server or clients waited for a core. Exits with status 1 if a request was
    refused. Ctrl-C stops early and prints the results so far. Needs the server extra, and Linux.
    """
    try:
        import asyncio

        import uvloop

        from benchmarks.hall import measure
    except ModuleNotFoundError as missing:
        raise MissingExtra("server") from missing
    with step_progress() as progress, asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        report = runner.run(
            measure(
                tables=tables,
                onlookers=onlookers,
                alone=alone,
                seconds=seconds,
                every=every,
                seed=seed,
                progress=progress,
            )
        )
    if json:
        from dataclasses import asdict

        print_json(asdict(report) | {"ratio": report.ratio})
    else:
        _print(report)
    if report.refused:
        raise typer.Exit(1)
    if not report.finished:
        raise typer.Exit(INTERRUPTED_STATUS)


def _print(report: "HallReport") -> None:
    if idle := report.idle:
        print("One table alone")
        _print_part(idle)
    if full := report.full:
        print(f"{report.tables:,} tables, a wall and {report.onlookers:,} onlookers, a tap every {report.every:g} s")
        _print_part(full)
        if pages := report.pages:
            print(
                f"  {'public page':<22} p50 {pages.p50:>7.1f} ms   p99 {pages.p99:>7.1f} ms   max {pages.max:>7.1f} ms"
            )
        print(f"  standings sent {report.standings_sent:,} times")
    if report.ratio:
        print(f"The p99 of a tap in the full hall is {report.ratio:.2f} times that of one table alone.")
    refused = ", ".join(f"{number:,} × {kind}" for kind, number in sorted(report.refused.items()))
    print(f"Refused: {refused}." if refused else "No request was refused.")


def _print_part(part: "HallPart") -> None:
    kinds = ", ".join(f"{number:,} {kind}" for kind, number in sorted(part.taps.items()))
    print(f"  {part.phones} phones, {sum(part.taps.values()):,} taps in {part.seconds:.1f} s: {kinds}")
    for label, times in (
        ("tap to response", part.answer),
        ("less CPU wait", part.undisturbed),
        ("tap to other phones", part.delivery),
        ("client lag", part.client_lag),
    ):
        print(f"  {label:<22} p50 {times.p50:>7.1f} ms   p99 {times.p99:>7.1f} ms   max {times.max:>7.1f} ms")
    print(
        f"  CPU: server {100 * part.cpu:.0f} % of a core, clients {100 * part.client_cpu:.0f} %; "
        f"waiting for a core {100 * part.cpu_wait:.0f} % of the time"
    )
