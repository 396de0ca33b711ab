"""`python -m benchmarks pairing`: the time to draw Swiss rounds."""

from typing import Annotated

import typer

from leftbower.cli.common.output import print_json
from proofs.commands.options import HandSeed, Json


def pairing(
    teams: Annotated[int, typer.Option(min=2, max=1000, help="Number of teams.")] = 200,
    rounds: Annotated[int, typer.Option(min=1, max=50, help="Number of rounds.")] = 9,
    seed: HandSeed = 1,
    json: Json = False,
) -> None:
    """Draw a Swiss event, and time every round."""
    from dataclasses import asdict

    from benchmarks.pairing import draw_swiss

    event = draw_swiss(teams, rounds, seed)
    if json:
        print_json(asdict(event))
        return
    for number, seconds in enumerate(event.seconds, 1):
        print(f"round {number:>2}  {seconds:6.2f} s")
    print(f"{teams} teams, {event.repeats} repeated pairings, at most {event.byes} byes for one team.")
