"""`python -m proofs oracle`: compare our engine with OpenSpiel's."""

from typing import TYPE_CHECKING, Annotated, Final

import typer

from leftbower.cli.common.output import print_json
from proofs.commands.options import INTERRUPTED_STATUS, HandSeed, Json, format_done, progress_bar

if TYPE_CHECKING:
    from proofs.oracle import OracleReport

_BATCH_HANDS: Final = 200
"""Hands between two updates of the progress bar; Ctrl-C loses at most this many."""


def oracle(
    hands: Annotated[int, typer.Option(min=1, help="Number of random hands.")] = 200_000,
    seed: HandSeed = 1,
    json: Json = False,
) -> None:
    """Compare our engine with OpenSpiel's, action by action.

    Plays random hands in both engines. The player to act, all legal actions, tricks and points must be the same. Exits
    with status 1 if the engines differ. Ctrl-C stops early and prints the results so far. Needs the test extra.
    """
    report = _compare(hands, seed)
    if json:
        from dataclasses import asdict

        print_json(asdict(report) | {"requested": hands})
    else:
        _print_report(report, hands)
    if report.disagreements:
        raise typer.Exit(1)
    if report.hands < hands:
        raise typer.Exit(INTERRUPTED_STATUS)


def _compare(hands: int, seed: int) -> "OracleReport":
    """Compare in batches until all hands are done, there are enough disagreements, or Ctrl-C."""
    from proofs.oracle import MAX_DISAGREEMENTS, OracleReport, compare

    report = OracleReport(seed=seed)
    with progress_bar() as progress:
        bar = progress.add_task("hands", total=hands)
        try:
            while report.hands < hands and len(report.disagreements) < MAX_DISAGREEMENTS:
                report += compare(min(_BATCH_HANDS, hands - report.hands), seed, first=report.hands)
                progress.update(bar, completed=report.hands)
        except KeyboardInterrupt:
            pass
    return report


def _print_report(report: "OracleReport", requested: int) -> None:
    number = len(report.disagreements)
    verdict = f"{number} disagreement{'' if number == 1 else 's'}" if number else "no disagreement"
    hands = format_done(report.hands, requested)
    print(f"{hands} hands, {report.decisions:,} decisions, seed {report.seed}: {verdict}.")
    for occurrence, times in sorted(report.occurred.items()):
        print(f"  {occurrence:<22} {times:>9,}")
    for case in report.disagreements:
        print(f"\nhand {case.number}, {case.game}: {case.differs}\n  ours    {case.ours}\n  theirs  {case.theirs}")
        print(f"  {case.hand_line}\n  {' '.join(case.acts)}")
