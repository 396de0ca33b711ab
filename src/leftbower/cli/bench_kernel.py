"""`leftbower bench exact | peeking | kernel`: the compiled search against plain ones, and how fast it is."""

from typing import TYPE_CHECKING, Annotated, Final, TypeVar

import typer

from leftbower.cli.bench_options import INTERRUPTED, Json, Seed, shown_progress
from leftbower.cli.output import print_json

if TYPE_CHECKING:
    from collections.abc import Callable

    from leftbower.bench.exact import Report as Proof
    from leftbower.bench.kernel import KernelSpeed
    from leftbower.bench.peeking import Report as Peeking

    R = TypeVar("R", Proof, Peeking)

_POSITIONS: Final = 100
"""The same for positions, of which a piece takes some seconds."""


def exact(
    positions: Annotated[int, typer.Option(min=1, help="How many random positions to compare.")] = 20_000,
    processes: Annotated[int, typer.Option(min=1, help="How many processes share the work.")] = 2,
    seed: Seed = 1,
    json: Json = False,
) -> None:
    """Compare the exact search with a plain one, card by card.

    Positions of all seat counts, loners on either side, 1 to 5 tricks left, in the middle of a trick too. Status 1 when
    they differ. Ctrl-C ends it early with what was found so far.
    """
    from leftbower.bench.exact import ENOUGH, Report, compare

    report = _proved(compare, Report(seed=seed), positions, processes, ENOUGH)
    _print_proved(report, positions, _print_proof, json=json)


def peeking(
    positions: Annotated[int, typer.Option(min=1, help="How many random positions to compare.")] = 10_000,
    processes: Annotated[int, typer.Option(min=1, help="How many processes share the work.")] = 2,
    seed: Seed = 1,
    json: Json = False,
) -> None:
    """Prove that no bot sees more than it may.

    Every level decides in random positions of random rule sets, and again where the cards it may not know lie
    elsewhere. Status 1 when a decision differs. Ctrl-C ends it early with what was found so far.
    """
    from leftbower.bench.peeking import ENOUGH, Report, compare

    report = _proved(compare, Report(seed=seed), positions, processes, ENOUGH)
    _print_proved(report, positions, _print_peeking, json=json)


def kernel(
    deals: Annotated[int, typer.Option(min=1, help="How many random deals are solved in a round.")] = 20_000,
    rounds: Annotated[int, typer.Option(min=1, help="How often everything is measured; medians count.")] = 9,
    seed: Seed = 1,
    json: Json = False,
) -> None:
    """Measure the exact search.

    Microseconds and instructions for a deal, one thread and two, random hands beside OpenSpiel's, and the plain
    reference, all in the same run. Instructions need valgrind. Needs the bench extra.
    """
    from leftbower.bench.kernel import measure

    speed = measure(deals=deals, rounds=rounds, seed=seed)
    if json:
        from dataclasses import asdict

        print_json(asdict(speed))
    else:
        _print_kernel(speed)


def _proved(compare: "Callable[[int, int, int], R]", report: "R", positions: int, processes: int, enough: int) -> "R":
    """The report on all positions, or on as many as were compared before an interrupt or enough differences."""
    from concurrent.futures import ProcessPoolExecutor
    from itertools import repeat
    from multiprocessing import get_context
    from signal import SIG_IGN, SIGINT, signal

    firsts = range(0, positions, _POSITIONS)
    counts = [min(_POSITIONS, positions - first) for first in firsts]
    workers = ProcessPoolExecutor(processes, get_context("spawn"), initializer=signal, initargs=(SIGINT, SIG_IGN))
    with shown_progress() as progress, workers as pool:
        bar = progress.add_task("positions", total=positions)
        try:
            for part in pool.map(compare, firsts, counts, repeat(report.seed)):
                report += part
                progress.update(bar, completed=report.positions)
                if len(report.differences) >= enough:
                    break
        except KeyboardInterrupt:
            pass
        pool.shutdown(wait=False, cancel_futures=True)
    return report


def _print_proved(report: "R", asked: int, print_text: "Callable[[R, int], None]", *, json: bool) -> None:
    if json:
        from dataclasses import asdict

        print_json(asdict(report) | {"asked": asked})
    else:
        print_text(report, asked)
    if report.differences:
        raise typer.Exit(1)
    if report.positions < asked:
        raise typer.Exit(INTERRUPTED)


def _print_peeking(report: "Peeking", asked: int) -> None:
    _print_compared(report, asked, "")
    for one in report.differences:
        print(f"\nposition {one.number}, {one.bot} at {one.seat}")
        print(f"  {one.decided:<10}{one.position}\n  {one.decided_in_the_twin:<10}{one.twin}")


def _print_compared(report: "Proof | Peeking", asked: int, also: str) -> None:
    number = len(report.differences)
    found = f"{number} difference{'' if number == 1 else 's'}" if number else "no difference"
    of = "" if report.positions == asked else f" of {asked:,}"
    print(f"{report.positions:,}{of} positions{also}, seed {report.seed}: {found}.")
    for what, times in sorted(report.occurred.items()):
        print(f"  {what:<22} {times:>9,}")


def _print_proof(report: "Proof", asked: int) -> None:
    _print_compared(report, asked, f", {report.cards:,} cards")
    for one in report.differences:
        print(f"\nposition {one.number}: {one.position}\n  {one.differs}")
        print(f"  kernel     {one.kernel}\n  reference  {one.reference}")


def _print_kernel(speed: "KernelSpeed") -> None:
    kind = "compiled" if speed.compiled else "not compiled"
    counted = speed.instructions
    outcome, tricks = (f"{counted.outcome:,}", f"{counted.tricks:,}") if counted else ("–", "–")
    print(f"Random full deals for four, {speed.rounds} rounds of {speed.deals:,}; medians. The kernel is {kind}.\n")
    print(f"{'':<44}{'µs':>12}{'instructions':>15}")
    print(f"{'euchre, made or march of a deal':<44}{speed.outcome:>12,.2f}{outcome:>15}")
    print(f"{'exact tricks of a deal':<44}{speed.tricks:>12,.2f}{tricks:>15}")
    print(f"{'exact tricks by the plain reference':<44}{speed.reference:>12,.0f}")
    print(f"{'five cards in a hundred layouts':<44}{1000 * speed.cards:>12,.0f}")
    print(f"\nThe kernel is {speed.reference_ratio:,.0f} times as fast as the reference, and two threads are")
    print(f"{speed.two_threads:.2f} times as fast as one.")
    print(f"\nRandom hands: {speed.playouts:,.0f} a second on one thread; OpenSpiel driven from Python plays")
    print(f"{speed.openspiel:,.0f}, so the kernel is {speed.playouts_ratio:,.0f} times as fast.")
