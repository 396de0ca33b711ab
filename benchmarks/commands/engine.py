"""`python -m benchmarks engine`: the speed of our engine and OpenSpiel's."""

from typing import TYPE_CHECKING, Annotated

import typer

from leftbower.cli.common.output import print_json
from proofs.commands.options import HandSeed, Json

if TYPE_CHECKING:
    from benchmarks.engine import EngineSpeed, Pace


def engine(
    hands: Annotated[int, typer.Option(min=1, help="Hands per engine and round.")] = 1000,
    rounds: Annotated[int, typer.Option(min=1, help="Number of rounds; results are medians.")] = 9,
    seed: HandSeed = 1,
    json: Json = False,
) -> None:
    """Compare the speed of our engine and OpenSpiel's.

    The engines take turns playing random hands, both driven from Python. Needs the test extra.
    """
    from benchmarks.engine import measure

    speed = measure(hands=hands, rounds=rounds, seed=seed)
    if json:
        from dataclasses import asdict

        print_json(asdict(speed))
    else:
        _print_speed(speed)


def _print_speed(speed: "EngineSpeed") -> None:
    print(f"Random hands for four, {speed.rounds} rounds of {speed.hands:,} hands; medians.\n")
    print(f"{'':<28}{'hands/s':>10}{'acts/hand':>11}{'µs/act':>9}{'ratio':>9}")
    _print_pace("ours", speed.ours, 1)
    _print_pace("OpenSpiel", speed.openspiel, speed.ratio)
    _print_pace("OpenSpiel, given a deck", speed.openspiel_with_deck, speed.ratio_with_deck)
    growth = speed.growth
    print(
        f"\nAn action takes {growth.first:.1f} µs in hand 1 of a game and {growth.last:.1f} µs in hand {growth.hands}: "
        f"{growth.ratio:.2f} times as long."
    )


def _print_pace(name: str, pace: "Pace", ratio: float) -> None:
    rate = f"{pace.hands_per_second:>10,.0f}{pace.acts_per_hand:>11.1f}{pace.microseconds_per_act:>9.1f}"
    print(f"{name:<28}{rate}{ratio:>9.2f}")
