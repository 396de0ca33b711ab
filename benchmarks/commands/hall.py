"""`python -m benchmarks hall`: how soon a tap is answered in a full hall."""

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
    tables: Annotated[int, typer.Option(min=1, max=16, help="How many tables of four people with phones.")] = 16,
    onlookers: Annotated[int, typer.Option(min=0, help="How many people look at the public page.")] = 100,
    alone: Annotated[int, typer.Option(min=1, help="How many taps of one table alone come first.")] = 300,
    seconds: Annotated[float, typer.Option(min=0.1, help="How long the hall is full.")] = 180.0,
    every: Annotated[float, typer.Option(min=0.1, help="Seconds between two taps on a phone.")] = 20.0,
    seed: LoadSeed = 1,
    json: Json = False,
) -> None:
    """Measure an event in a full hall.

    The real server runs in a process of its own, with default limits; all clients have one address. Single players
    sit at tables, four phones at each, with feeds; a wall and people who look on follow the standings, and load the
    public page every 30 seconds. A tap does what the page offers: report a hand or a score, confirm it, or load
    the page again. First one table taps alone, then all of them. Says how long taps take to be answered, and to be
    shown on the other phones of the table; "less what others took" is without the time in which server or clients were
    ready and had no core. Status 1 when anything was refused. Ctrl-C ends it early with what is done.
    Needs the server extra, and Linux.
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
        print(f"{report.tables:,} tables, a wall and {report.onlookers:,} who look on, a tap every {report.every:g} s")
        _print_part(full)
        if pages := report.pages:
            print(
                f"  {'public page':<22} p50 {pages.p50:>7.1f} ms   p99 {pages.p99:>7.1f} ms   max {pages.max:>7.1f} ms"
            )
        print(f"  standings were sent {report.standings_sent:,} times")
    if report.ratio:
        print(f"p99 of a tap in the full hall: {report.ratio:.2f} times that of one table alone.")
    refused = ", ".join(f"{number:,} × {kind}" for kind, number in sorted(report.refused.items()))
    print(f"Refused: {refused}." if refused else "No request was refused.")


def _print_part(part: "HallPart") -> None:
    kinds = ", ".join(f"{number:,} {kind}" for kind, number in sorted(part.taps.items()))
    print(f"  {part.phones} phones, {sum(part.taps.values()):,} taps in {part.seconds:.1f} s: {kinds}")
    for label, times in (
        ("tap to answer", part.answer),
        ("less what others took", part.undisturbed),
        ("tap to other phones", part.delivery),
        ("lag of the clients", part.client_lag),
    ):
        print(f"  {label:<22} p50 {times.p50:>7.1f} ms   p99 {times.p99:>7.1f} ms   max {times.max:>7.1f} ms")
    print(
        f"  processor {100 * part.cpu:.0f} % of a core, of the clients {100 * part.client_cpu:.0f} %; "
        f"ready without a core {100 * part.cpu_wait:.0f} % of the time"
    )
