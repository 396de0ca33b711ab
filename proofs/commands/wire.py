"""`python -m proofs wire`: check that no byte sent to a client depends on hidden cards."""

from typing import TYPE_CHECKING, Annotated, Final

import typer

from leftbower.cli.common.output import print_json
from leftbower.errors import MissingExtra
from proofs.commands.options import INTERRUPTED_STATUS, Json, progress_bar

if TYPE_CHECKING:
    from proofs.wire import WireReport

_BATCH_TABLES: Final = 5
"""Tables between two updates of the progress bar; Ctrl-C loses at most this many."""


def wire(
    hands: Annotated[int, typer.Option(min=1, help="Number of hands; each is played twice.")] = 2000,
    seed: Annotated[int, typer.Option(help="Random seed; the same seed gives the same tables.")] = 1,
    json: Json = False,
) -> None:
    """Check that no byte sent to a client depends on hidden cards.

    Every table is played twice, the second time with the cards that a client can't see rearranged. Responses, errors,
    headers, feeds, feeds after a reconnect and logs must be the same bytes, except hashes and salts. Exits with status
    1 if anything differs. Ctrl-C stops early and prints the results so far. Needs the server extra.
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
    sent = f"{report.answers:,} responses and feeds, {report.bytes:,} bytes"
    print(f"{report.hands:,} hands at {report.tables:,} tables, {sent}, seed {report.seed}: {verdict}.")
    for occurrence, times in sorted(report.occurred.items()):
        print(f"  {occurrence:<26} {times:>9,}")
    for case in report.differences:
        print(f"\ntable {case.number}, watched from {case.watcher}: {case.source}")
        print(f"  {case.sent!r}\n  {case.sent_in_the_twin!r}\n  {case.position}\n  {case.twin}")
