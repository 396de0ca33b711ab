"""`leftbower play`: a whole match at a text prompt, good for screen readers and scripts."""

import random
from typing import Annotated, Final

import typer

EXAMPLES: Final = "Examples:  leftbower play;  leftbower play --rules school-cup --bots expert --record game.jsonl"


def play(
    rules: Annotated[str, typer.Option(help="A preset, a TOML file, or a link.")] = "club",
    players: Annotated[int | None, typer.Option(help="Play with 2, 3 or 4.", show_default=False)] = None,
    seat: Annotated[str, typer.Option(help="Where you sit: N, E, S or W.")] = "S",
    bots: Annotated[str, typer.Option(help="How well the others play: novice, regular, expert or random.")] = "regular",
    seed: Annotated[int | None, typer.Option(help="Deal the same cards again.", show_default=False)] = None,
    record: Annotated[str | None, typer.Option(help="Keep the record in this file.", show_default=False)] = None,
    plain: Annotated[bool, typer.Option("--plain", help="Plain text and prompts: so far the only way.")] = False,
) -> None:
    """Play a match at the prompt.

    The other players are bots. Answer with the number or the word of what you want to do; hint asks the coach, and ?
    says what else you can type. A record can be read again with leftbower replay FILE.
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
