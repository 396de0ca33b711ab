"""`python -m proofs wire`: what clients are sent, byte by byte."""

from typing import TYPE_CHECKING, Annotated, Final

import typer

from leftbower.cli.common.output import print_json
from leftbower.errors import MissingExtra
from proofs.commands.options import INTERRUPTED_STATUS, Json, progress_bar

if TYPE_CHECKING:
    from proofs.wire import WireReport

_BATCH_TABLES: Final = 5
"""Tables between two updates of the progress bar; an interrupt loses no more."""


def wire(
    hands: Annotated[int, typer.Option(min=1, help="How many hands to play, each with its twin.")] = 2000,
    seed: Annotated[int, typer.Option(help="Where the random tables begin; the same seed plays the same.")] = 1,
    json: Json = False,
) -> None:
    """Compare what clients are sent with what they may know, byte by byte.

    Every table is played twice, the second time with hidden cards exchanged so that a watcher may not notice. Answers,
    refusals, headers, feeds, feeds after a reconnection and logs must be the same bytes, but for hashes and salts.
    Status 1 when anything differs. Ctrl-C ends it early with what was compared so far. Needs the server extra.
    """
    try:
        from proofs.wire import MAX_DIFFERENCES, WireReport, compare
    except ModuleNotFoundError as missing:
        raise MissingExtra("server") from missing
    report = WireReport(seed=seed)
    with progress_bar() as progress:
        bar = progress.add_task("hands", total=hands)
        try:
            while report.hands < hands and len(report.differences) < MAX_DIFFERENCES:
                report += compare(report.tables, _BATCH_TABLES, seed)
                progress.update(bar, completed=report.hands)
        except KeyboardInterrupt:
            pass
    if json:
        from dataclasses import asdict

        print_json(asdict(report) | {"requested": hands})
    else:
        _print_report(report)
    if report.differences:
        raise typer.Exit(1)
    if report.hands < hands:
        raise typer.Exit(INTERRUPTED_STATUS)


def _print_report(report: "WireReport") -> None:
    number = len(report.differences)
    verdict = f"{number} difference{'' if number == 1 else 's'}" if number else "no difference"
    sent = f"{report.answers:,} answers and feeds, {report.bytes:,} bytes"
    print(f"{report.hands:,} hands at {report.tables:,} tables, {sent}, seed {report.seed}: {verdict}.")
    for occurrence, times in sorted(report.occurred.items()):
        print(f"  {occurrence:<26} {times:>9,}")
    for case in report.differences:
        print(f"\ntable {case.number}, watched from {case.watcher}: {case.source}")
        print(f"  {case.sent!r}\n  {case.sent_in_the_twin!r}\n  {case.position}\n  {case.twin}")
