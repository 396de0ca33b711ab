"""`leftbower bench oracle | engine`: our engine beside OpenSpiel's, which is not ours."""

from typing import TYPE_CHECKING, Annotated, Final, TypeVar

import typer

from leftbower.cli.bench_options import INTERRUPTED, Json, Seed, shown_progress
from leftbower.cli.output import print_json

if TYPE_CHECKING:
    from leftbower.bench.engine import Pace, Speed
    from leftbower.bench.exact import Report as Proof
    from leftbower.bench.oracle import Report
    from leftbower.bench.peeking import Report as Peeking

    R = TypeVar("R", Proof, Peeking)

_PIECE: Final = 200
"""Hands compared between two looks at the progress bar; an interrupt loses no more than these."""


def oracle(
    hands: Annotated[int, typer.Option(min=1, help="How many random hands to compare.")] = 200_000,
    seed: Seed = 1,
    json: Json = False,
) -> None:
    """Compare our engine with OpenSpiel's, act by act.

    Random hands are played in both. Whose turn it is, every legal act, tricks and points must be the same. Status 1
    when the engines part. Ctrl-C ends it early with what was found so far. Needs the bench extra.
    """
    report = _compared(hands, seed)
    if json:
        from dataclasses import asdict

        print_json(asdict(report) | {"asked": hands})
    else:
        _print_report(report, hands)
    if report.disagreements:
        raise typer.Exit(1)
    if report.hands < hands:
        raise typer.Exit(INTERRUPTED)


def engine(
    hands: Annotated[int, typer.Option(min=1, help="How many hands each engine plays in a round.")] = 1000,
    rounds: Annotated[int, typer.Option(min=1, help="How often the engines take turns; medians count.")] = 9,
    seed: Seed = 1,
    json: Json = False,
) -> None:
    """Measure our engine beside OpenSpiel's.

    Both play random hands in turn, driven from Python in the same run. Needs the bench extra.
    """
    from leftbower.bench.engine import measure

    speed = measure(hands=hands, rounds=rounds, seed=seed)
    if json:
        from dataclasses import asdict

        print_json(asdict(speed))
    else:
        _print_speed(speed)


def _compared(hands: int, seed: int) -> "Report":
    """The report on all hands, or on as many as were compared before an interrupt or enough disagreements."""
    from leftbower.bench.oracle import ENOUGH, Report, compare

    report = Report(seed=seed)
    with shown_progress() as progress:
        bar = progress.add_task("hands", total=hands)
        try:
            while report.hands < hands and len(report.disagreements) < ENOUGH:
                report += compare(min(_PIECE, hands - report.hands), seed, first=report.hands)
                progress.update(bar, completed=report.hands)
        except KeyboardInterrupt:
            pass
    return report


def _print_report(report: "Report", asked: int) -> None:
    number = len(report.disagreements)
    found = f"{number} disagreement{'' if number == 1 else 's'}" if number else "no disagreement"
    of = "" if report.hands == asked else f" of {asked:,}"
    print(f"{report.hands:,}{of} hands, {report.decisions:,} decisions, seed {report.seed}: {found}.")
    for what, times in sorted(report.occurred.items()):
        print(f"  {what:<22} {times:>9,}")
    for one in report.disagreements:
        print(f"\nhand {one.number}, {one.game}: {one.differs}\n  ours    {one.ours}\n  theirs  {one.theirs}")
        print(f"  {one.hand_line}\n  {' '.join(one.acts)}")


def _print_speed(speed: "Speed") -> None:
    print(f"Random hands for four, {speed.rounds} rounds of {speed.hands:,} in turn; medians.\n")
    print(f"{'':<28}{'hands/s':>10}{'acts/hand':>11}{'µs/act':>9}{'ours is':>9}")
    _print_pace("ours", speed.ours, 1)
    _print_pace("OpenSpiel", speed.openspiel, speed.ratio)
    _print_pace("OpenSpiel, handed a deck", speed.openspiel_with_deck, speed.ratio_with_deck)
    growth = speed.growth
    print(
        f"\nAn act in hand 1 of a game takes {growth.first:.1f} µs, in hand {growth.hands} {growth.last:.1f} µs: "
        f"{growth.ratio:.2f} times as long."
    )


def _print_pace(name: str, pace: "Pace", ratio: float) -> None:
    rate = f"{pace.hands_per_second:>10,.0f}{pace.acts_per_hand:>11.1f}{pace.microseconds_per_act:>9.1f}"
    print(f"{name:<28}{rate}{ratio:>9.2f}")
