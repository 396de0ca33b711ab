"""`leftbower bench shuffles`: are decks as fair as chance?"""

from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from leftbower.cli.bench_options import INTERRUPTED, Json
from leftbower.cli.output import print_json

if TYPE_CHECKING:
    from leftbower.bench.exact import Report as Proof
    from leftbower.bench.peeking import Report as Peeking
    from leftbower.bench.shuffles import Fairness

    R = TypeVar("R", Proof, Peeking)


def shuffles(
    decks: Annotated[int, typer.Option(min=1, help="How many decks to shuffle.")] = 1_000_000,
    processes: Annotated[int, typer.Option(min=1, help="How many processes share the work.")] = 2,
    seed: Annotated[
        int | None, typer.Option(help="The same decks each time, not the system's randomness.", show_default=False)
    ] = None,
    json: Json = False,
) -> None:
    """Prove that the shuffle is fair.

    Every card must come to every place of the deck as often as chance allows, and no deck twice. Status 1 when the
    shuffle is suspect. Ctrl-C ends it early with what was counted so far.
    """
    from dataclasses import asdict
    from functools import partial

    from leftbower.bench.shuffles import Tally, count, judge, pieces
    from leftbower.cli.arena import gather

    tallies: list[Tally] = []
    work = partial(count, seed)
    gather(work, pieces(decks), lambda _, tally: tallies.append(tally), total=decks, processes=processes)
    if not tallies:
        raise typer.Exit(INTERRUPTED)
    fairness = judge(tallies)
    if json:
        print_json(asdict(fairness) | {"fair": fairness.fair, "seed": seed, "asked": decks})
    else:
        _print_fairness(fairness, seed, decks)
    if not fairness.fair:
        raise typer.Exit(1)
    if fairness.decks < decks:
        raise typer.Exit(INTERRUPTED)


def _print_fairness(fairness: "Fairness", seed: int | None, asked: int) -> None:
    of = "" if fairness.decks == asked else f" of {asked:,}"
    source = "the system's randomness" if seed is None else f"seed {seed}"
    repeats = f"{fairness.repeats:,} came twice" if fairness.repeats else "none came twice"
    chi_square = (
        f"chi-square {fairness.chi_square:.1f} with {fairness.freedom} degrees of freedom, p = {fairness.p:.3g}"
    )
    print(f"{fairness.decks:,}{of} decks from {source}: {repeats}.\nCards by places: {chi_square}.")
    print("The shuffle is fair." if fairness.fair else "The shuffle is NOT fair.")
