"""`python -m benchmarks ismcts`: one of our bots against OpenSpiel's tree search."""

from typing import TYPE_CHECKING, Annotated

import typer

from leftbower.cli.common.output import print_json
from leftbower.i18n import signed
from proofs.commands.options import INTERRUPTED_STATUS, HandSeed, Json, Processes, format_done

if TYPE_CHECKING:
    from leftbower.players.arena.arena import BoutTally


def ismcts(
    player: Annotated[str, typer.Argument(help="Our player: a name, or bid=X,play=Y.")] = "expert",
    pairs: Annotated[
        int, typer.Option(min=1, help="Number of deals; each is played again with the seats swapped.")
    ] = 1000,
    simulations: Annotated[int, typer.Option(min=1, help="Simulations per decision of the search.")] = 1000,
    processes: Processes = 1,
    seed: HandSeed = 1,
    json: Json = False,
) -> None:
    """Play one of our bots against OpenSpiel's tree search.

    Every deal is played again with the seats swapped, as in the arena, with stick the dealer. The search knows the
    kitty and the dealer's discard; our player does not. Ctrl-C stops early, prints the results so far and exits with
    status 130. Needs the test extra.
    """
    from functools import partial

    from benchmarks.ismcts import game
    from leftbower.cli.arena import run_with_progress
    from leftbower.players import roster
    from leftbower.players.arena.arena import BoutTally, tally_to_json
    from leftbower.players.arena.parallel import chunks

    roster.player(player)
    game()
    tallies: list[BoutTally] = []
    work = partial(_play_chunk, player, seed, simulations)
    run_with_progress(work, chunks(pairs), lambda _, tally: tallies.append(tally), total=pairs, processes=processes)
    tally = sum(tallies, BoutTally())
    if json:
        bout = {"a": player, "simulations": simulations, "seed": seed, "requested": pairs}
        print_json({**bout, "difference": tally.difference._asdict(), "tally": tally_to_json(tally)})
    else:
        _print_bout(player, simulations, seed, pairs, tally)
    if tally.pairs < pairs:
        raise typer.Exit(INTERRUPTED_STATUS)


def _play_chunk(player: str, seed: int, simulations: int, numbers: range) -> "BoutTally":
    """Play the pairs of these numbers; a module-level function can be pickled for other processes."""
    from benchmarks.ismcts import play_pairs

    return play_pairs(player, numbers.start, len(numbers), seed=seed, simulations=simulations)


def _print_bout(player: str, simulations: int, seed: int, requested: int, tally: "BoutTally") -> None:
    mean, low, high = tally.difference
    between = (
        "too few pairs for an interval"
        if low is None or high is None
        else f"95% interval {signed(low, 3)} to {signed(high, 3)}"
    )
    print(f"A {player}, B OpenSpiel's ISMCTS with {simulations:,} simulations; stick the dealer, seed {seed}.")
    print(f"{format_done(tally.pairs, requested)} pairs, {tally.hands:,} hands.\n")
    print(f"A minus B: {signed(mean, 3)} ({between}) points per hand.")
