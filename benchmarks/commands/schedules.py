"""`python -m benchmarks schedules`: search for schedules of progressive events."""

from typing import Annotated

import typer

from leftbower.cli.common.output import print_json
from proofs.commands.options import HandSeed, Json


def schedules(
    players: Annotated[int, typer.Argument(min=4, max=64, help="Number of players.")],
    seconds: Annotated[float, typer.Option(min=0.1, help="Seconds to search.")] = 60.0,
    seed: HandSeed = 1,
    json: Json = False,
) -> None:
    """Search for a base round of a progressive event.

    Rotating it makes each two players partners once and opponents twice, for 4n or 4n+1 players; for other numbers,
    nearly so. Up to 17 players take seconds. There is no such round for 9 players. Exits with status 1 if none was
    found in time.
    """
    from benchmarks.schedules import search

    base_round = search(players, seed, seconds)
    if json:
        print_json({"players": players, "round": base_round})
    else:
        print(" ".join(map(str, base_round)) if base_round else f"nothing found in {seconds:g} seconds")
    if base_round is None:
        raise typer.Exit(1)
