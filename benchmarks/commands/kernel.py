"""`python -m benchmarks kernel`: how fast the exact search is."""

from typing import TYPE_CHECKING, Annotated

import typer

from leftbower.cli.common.output import print_json
from proofs.commands.options import HandSeed, Json

if TYPE_CHECKING:
    from benchmarks.kernel import KernelSpeed


def kernel(
    deals: Annotated[int, typer.Option(min=1, help="How many random deals are solved in a round.")] = 20_000,
    rounds: Annotated[int, typer.Option(min=1, help="How often everything is measured; medians count.")] = 9,
    seed: HandSeed = 1,
    json: Json = False,
) -> None:
    """Measure the exact search.

    Microseconds and instructions for a deal, one thread and two, random hands beside OpenSpiel's, and the plain
    reference, all in the same run. Instructions need valgrind. Needs the test extra.
    """
    from benchmarks.kernel import measure

    speed = measure(deals=deals, rounds=rounds, seed=seed)
    if json:
        from dataclasses import asdict

        print_json(asdict(speed))
    else:
        _print_speed(speed)


def _print_speed(speed: "KernelSpeed") -> None:
    kind = "compiled" if speed.compiled else "not compiled"
    instructions = speed.instructions
    outcome, tricks = (f"{instructions.outcome:,}", f"{instructions.tricks:,}") if instructions else ("–", "–")
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
