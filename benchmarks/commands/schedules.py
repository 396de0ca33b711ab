"""`python -m benchmarks schedules`: search for schedules of progressive events."""

from typing import Annotated

import typer

from leftbower.cli.common.output import print_json
from proofs.commands.options import HandSeed, Json


def schedules(
    players: Annotated[int, typer.Argument(min=4, max=64, help="How many single players.")],
    seconds: Annotated[float, typer.Option(min=0.1, help="How long to search.")] = 60.0,
    seed: HandSeed = 1,
    json: Json = False,
) -> None:
    """Search for a base round of a progressive event.

    Partner once, oppose twice, for 4n or 4n+1 players; nearly so for others. Up to 17 players take seconds. Status 1
    when time ran out; for 9 players there is none of this kind.
    """
    from benchmarks.schedules import search

    base_round = search(players, seed, seconds)
    if json:
        print_json({"players": players, "round": base_round})
    else:
        print(" ".join(map(str, base_round)) if base_round else f"nothing was found in {seconds:g} seconds")
    if base_round is None:
        raise typer.Exit(1)
