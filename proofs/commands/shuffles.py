"""`python -m proofs shuffles`: a statistical test of the shuffle."""

from typing import TYPE_CHECKING, Annotated

import typer

from leftbower.cli.common.output import print_json
from proofs.commands.options import INTERRUPTED_STATUS, Json, Processes, format_done

if TYPE_CHECKING:
    from proofs.shuffles import Fairness


def shuffles(
    decks: Annotated[int, typer.Option(min=1, help="Number of decks.")] = 1_000_000,
    processes: Processes = 2,
    seed: Annotated[
        int | None, typer.Option(help="Random seed; by default the system's randomness.", show_default=False)
    ] = None,
    json: Json = False,
) -> None:
    """Test that the shuffle is fair.

    A chi-square test checks that every card comes to every position in the deck equally often; no deck may come twice.
    Exits with status 1 if the test fails. Ctrl-C stops early and prints the results so far.
    """
    from dataclasses import asdict
    from functools import partial

    from leftbower.cli.arena import run_with_progress
    from proofs.shuffles import ShuffleTally, chunks, count, evaluate

    tallies: list[ShuffleTally] = []
    work = partial(count, seed)
    run_with_progress(work, chunks(decks), lambda _, tally: tallies.append(tally), total=decks, processes=processes)
    if not tallies:
        raise typer.Exit(INTERRUPTED_STATUS)
    fairness = evaluate(tallies)
    if json:
        print_json(asdict(fairness) | {"fair": fairness.fair, "seed": seed, "requested": decks})
    else:
        _print_fairness(fairness, seed, decks)
    if not fairness.fair:
        raise typer.Exit(1)
    if fairness.decks < decks:
        raise typer.Exit(INTERRUPTED_STATUS)


def _print_fairness(fairness: "Fairness", seed: int | None, requested: int) -> None:
    source = "the system's randomness" if seed is None else f"seed {seed}"
    repeats = f"{fairness.repeats:,} came twice" if fairness.repeats else "none came twice"
    chi_square = (
        f"chi-square {fairness.chi_square:.1f} with {fairness.freedom} degrees of freedom, p = {fairness.p:.3g}"
    )
    print(
        f"{format_done(fairness.decks, requested)} decks from {source}: {repeats}.\nCards by positions: {chi_square}."
    )
    print("The shuffle is fair." if fairness.fair else "The shuffle is NOT fair.")
