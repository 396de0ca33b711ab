"""`python -m proofs exact | leak`: random positions, solved two ways or decided twice."""

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
"""Positions between two updates of the progress bar; they take some seconds."""


def exact(
    positions: Annotated[int, typer.Option(min=1, help="How many random positions to compare.")] = 20_000,
    processes: Processes = 2,
    seed: HandSeed = 1,
    json: Json = False,
) -> None:
    """Compare the exact search with a plain one, card by card.

    Positions of all seat counts, loners on either side, 1 to 5 tricks left, in the middle of a trick too. Status 1 when
    they differ. Ctrl-C ends it early with what was found so far.
    """
    from proofs.exact import MAX_DIFFERENCES, ExactReport, compare

    report = compare_positions(compare, ExactReport(seed=seed), positions, processes, MAX_DIFFERENCES)
    _finish(report, positions, _print_exact, json=json)


def leak(
    positions: Annotated[int, typer.Option(min=1, help="How many random positions to compare.")] = 10_000,
    processes: Processes = 2,
    seed: HandSeed = 1,
    json: Json = False,
) -> None:
    """Prove that no bot sees more than it may.

    Every level decides in random positions of random rule sets, and again where the cards it may not know lie
    elsewhere. Status 1 when a decision differs. Ctrl-C ends it early with what was found so far.
    """
    from proofs.information_leak import MAX_DIFFERENCES, LeakReport, compare

    report = compare_positions(compare, LeakReport(seed=seed), positions, processes, MAX_DIFFERENCES)
    _finish(report, positions, _print_leak, json=json)


def compare_positions(
    compare: "Callable[[int, int, int], R]", report: "R", positions: int, processes: int, max_differences: int
) -> "R":
    """Add batches to the report until all positions are done, there are enough differences, or an interrupt comes."""
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
    """Print the report, and exit with the status it calls for."""
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
