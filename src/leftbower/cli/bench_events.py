"""`leftbower bench schedule | pairing`: draws of events, looked for and timed."""

from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from leftbower.cli.bench_options import Json, Seed
from leftbower.cli.output import print_json

if TYPE_CHECKING:
    from leftbower.bench.exact import Report as Proof
    from leftbower.bench.peeking import Report as Peeking

    R = TypeVar("R", Proof, Peeking)


def schedule(
    players: Annotated[int, typer.Argument(min=4, max=64, help="How many single players.")],
    seconds: Annotated[float, typer.Option(min=0.1, help="How long to look.")] = 60.0,
    seed: Seed = 1,
    json: Json = False,
) -> None:
    """Look for a base round of a progressive evening.

    Partner once, oppose twice, for 4n or 4n+1 players; nearly so for others. Up to 17 players take seconds. Status 1
    when time ran out; for 9 players there is none of this kind.
    """
    from leftbower.bench.schedules import search

    found = search(players, seed, seconds)
    if json:
        print_json({"players": players, "round": found})
    else:
        print(" ".join(map(str, found)) if found else f"nothing was found in {seconds:g} seconds")
    if found is None:
        raise typer.Exit(1)


def pairing(
    teams: Annotated[int, typer.Option(min=2, max=1000, help="How many teams play.")] = 200,
    rounds: Annotated[int, typer.Option(min=1, max=50, help="How many rounds are drawn.")] = 9,
    seed: Seed = 1,
    json: Json = False,
) -> None:
    """Draw a Swiss event, and time every round."""
    from dataclasses import asdict

    from leftbower.bench.pairing import draw_swiss

    drawn = draw_swiss(teams, rounds, seed)
    if json:
        print_json(asdict(drawn))
        return
    for number, seconds in enumerate(drawn.seconds, 1):
        print(f"round {number:>2}  {seconds:6.2f} s")
    print(f"{teams} teams, {drawn.repeats} pairs met again, at most {drawn.byes} byes for one team.")
