"""`python -m proofs exact | leak`: random positions, solved by two searches or decided twice."""

from typing import TYPE_CHECKING, Annotated, Final, TypeVar

import typer

from leftbower.cli.common.output import print_json
from proofs.commands.options import INTERRUPTED_STATUS, HandSeed, Json, Processes, format_done, progress_bar

if TYPE_CHECKING:
    from collections.abc import Callable

    from proofs.exact import ExactReport
    from proofs.information_leak import LeakReport

    R = TypeVar("R", ExactReport, LeakReport)

_BATCH_POSITIONS: Final = 100
"""Positions between two updates of the progress bar, which take a few seconds."""


def exact(
    positions: Annotated[int, typer.Option(min=1, help="Number of random positions.")] = 20_000,
    processes: Processes = 2,
    seed: HandSeed = 1,
    json: Json = False,
) -> None:
    """Compare the exact search with a plain one, card by card.

    Positions have 2, 3 or 4 players, loners on either side, 1 to 5 tricks left, and may be in the middle of a trick.
    Exits with status 1 if the searches differ. Ctrl-C stops early and prints the results so far.
    """
    from proofs.exact import MAX_DIFFERENCES, ExactReport, compare

    report = compare_positions(compare, ExactReport(seed=seed), positions, processes, MAX_DIFFERENCES)
    _finish(report, positions, _print_exact, json=json)


def leak(
    positions: Annotated[int, typer.Option(min=1, help="Number of random positions.")] = 10_000,
    processes: Processes = 2,
    seed: HandSeed = 1,
    json: Json = False,
) -> None:
    """Check that no bot uses hidden cards.

    Every bot decides in random positions of random rule sets, and again with the cards it can't see rearranged. Exits
    with status 1 if a decision differs. Ctrl-C stops early and prints the results so far.
    """
    from proofs.information_leak import MAX_DIFFERENCES, LeakReport, compare

    report = compare_positions(compare, LeakReport(seed=seed), positions, processes, MAX_DIFFERENCES)
    _finish(report, positions, _print_leak, json=json)


def compare_positions(
    compare: "Callable[[int, int, int], R]", report: "R", positions: int, processes: int, max_differences: int
) -> "R":
    """Add batches to the report until all positions are done, there are enough differences, or Ctrl-C."""
    from concurrent.futures import ProcessPoolExecutor
    from itertools import repeat
    from multiprocessing import get_context
    from signal import SIG_IGN, SIGINT, signal

    firsts = range(0, positions, _BATCH_POSITIONS)
    counts = [min(_BATCH_POSITIONS, positions - first) for first in firsts]
    workers = ProcessPoolExecutor(processes, get_context("spawn"), initializer=signal, initargs=(SIGINT, SIG_IGN))
    with progress_bar() as progress, workers as pool:
        bar = progress.add_task("positions", total=positions)
        try:
            for part in pool.map(compare, firsts, counts, repeat(report.seed)):
                report += part
                progress.update(bar, completed=report.positions)
                if len(report.differences) >= max_differences:
                    break
        except KeyboardInterrupt:
            pass
        pool.shutdown(wait=False, cancel_futures=True)
    return report


def _finish(report: "R", requested: int, print_text: "Callable[[R, int], None]", *, json: bool) -> None:
    """Print the report, and exit with its status."""
    if json:
        from dataclasses import asdict

        print_json(asdict(report) | {"requested": requested})
    else:
        print_text(report, requested)
    if report.differences:
        raise typer.Exit(1)
    if report.positions < requested:
        raise typer.Exit(INTERRUPTED_STATUS)


def _print_exact(report: "ExactReport", requested: int) -> None:
    _print_summary(report, requested, f", {report.cards:,} cards")
    for case in report.differences:
        print(f"\nposition {case.number}: {case.position}\n  {case.differs}")
        print(f"  kernel     {case.kernel}\n  reference  {case.reference}")


def _print_leak(report: "LeakReport", requested: int) -> None:
    _print_summary(report, requested, "")
    for case in report.differences:
        print(f"\nposition {case.number}, {case.bot} at {case.seat}")
        print(f"  {case.decided:<10}{case.position}\n  {case.decided_in_the_twin:<10}{case.twin}")


def _print_summary(report: "ExactReport | LeakReport", requested: int, detail: str) -> None:
    number = len(report.differences)
    verdict = f"{number} difference{'' if number == 1 else 's'}" if number else "no difference"
    print(f"{format_done(report.positions, requested)} positions{detail}, seed {report.seed}: {verdict}.")
    for occurrence, times in sorted(report.occurred.items()):
        print(f"  {occurrence:<22} {times:>9,}")
