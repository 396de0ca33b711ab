"""`python -m benchmarks kernel`: the speed of the exact search."""

from typing import TYPE_CHECKING, Annotated

import typer

from leftbower.cli.common.output import print_json
from proofs.commands.options import HandSeed, Json

if TYPE_CHECKING:
    from benchmarks.kernel import KernelSpeed


def kernel(
    deals: Annotated[int, typer.Option(min=1, help="Random deals per round.")] = 20_000,
    rounds: Annotated[int, typer.Option(min=1, help="Number of rounds; results are medians.")] = 9,
    seed: HandSeed = 1,
    json: Json = False,
) -> None:
    """Measure the speed of the exact search.

    Prints microseconds and instructions per deal, the gain from a second thread, the plain reference, and random hands
    compared with OpenSpiel, all from the same run. Instructions need valgrind. Needs the test extra.
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
    print(
        f"Random full deals for four, {speed.rounds} rounds of {speed.deals:,} deals; medians. The kernel is {kind}.\n"
    )
    print(f"{'':<44}{'µs':>12}{'instructions':>15}")
    print(f"{'euchre, made or march of a deal':<44}{speed.outcome:>12,.2f}{outcome:>15}")
    print(f"{'exact tricks of a deal':<44}{speed.tricks:>12,.2f}{tricks:>15}")
    print(f"{'exact tricks by the plain reference':<44}{speed.reference:>12,.0f}")
    print(f"{'five cards in a hundred layouts':<44}{1000 * speed.cards:>12,.0f}")
    print(f"\nThe kernel is {speed.reference_ratio:,.0f} times as fast as the reference.")
    print(f"Two threads are {speed.two_threads:.2f} times as fast as one.")
    print(f"\nRandom hands per second: {speed.playouts:,.0f} on one thread, {speed.openspiel:,.0f} with OpenSpiel")
    print(f"from Python. The kernel is {speed.playouts_ratio:,.0f} times as fast.")
