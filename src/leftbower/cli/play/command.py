"""`leftbower play`: a match at a text prompt, which suits screen readers and scripts."""

import random
from typing import Annotated, Final

import typer

EXAMPLES: Final = "Examples:  leftbower play;  leftbower play --rules school-cup --bots expert --record game.jsonl"


def play(
    rules: Annotated[str, typer.Option(help="A preset, a TOML file, or a link.")] = "standard",
    players: Annotated[int | None, typer.Option(help="Number of players: 2, 3 or 4.", show_default=False)] = None,
    seat: Annotated[str, typer.Option(help="Where you sit: N, E, S or W.")] = "S",
    bots: Annotated[str, typer.Option(help="The other players: novice, regular, expert or random.")] = "regular",
    seed: Annotated[int | None, typer.Option(help="The same seed deals the same cards.", show_default=False)] = None,
    record: Annotated[str | None, typer.Option(help="Save the record in this file.", show_default=False)] = None,
    plain: Annotated[bool, typer.Option("--plain", help="Plain text and prompts, which is the only mode.")] = False,
) -> None:
    """Play a match against bots in the terminal.

    Answer with the number or the word of your choice. Type hint to ask the coach, and ? for everything else you can
    type. Replay a saved record with leftbower replay FILE.
    """
    from dataclasses import replace

    from leftbower.cli.common.input import read_rules
    from leftbower.cli.play.text_ui import TextTable
    from leftbower.rules import Seat

    house_rules = read_rules(rules)
    if players is not None:
        house_rules = replace(house_rules, players=players)
    rng = random.SystemRandom() if seed is None else random.Random(seed)
    table = TextTable(house_rules, Seat.parse(seat), rng, bots=bots, record=record)
    raise typer.Exit(0 if table.run() else 1)
