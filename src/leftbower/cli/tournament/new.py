"""`leftbower tournament new`: create an event file."""

from typing import Annotated, Final

import typer

from leftbower.cli.common.input import read_rules
from leftbower.cli.common.output import print_result
from leftbower.cli.tournament.event_file import new_ledger
from leftbower.cli.tournament.options import By, EventFile, Json
from leftbower.tournament.formats.registry import Format
from leftbower.tournament.model.choices import ByeValue, OddNumbers, ScoreApproval
from leftbower.tournament.model.facts import EventOpened
from leftbower.tournament.model.plan import Stage, default_plan
from leftbower.tournament.scoring.standings import join_names
from leftbower.tournament.text.parse import parse_cents, parse_choice, parse_prizes, parse_tie_breaks


def _formats(*, singles: bool) -> str:
    return join_names([str(known) for known in Format if known.definition.singles is singles])


HELP: Final = f"""Create an event in a new file.

Formats for teams: {_formats(singles=False)}. For single players: {_formats(singles=True)}. Tie-breaks: matches,
games, points, difference, head-to-head, among-the-tied, opponents, loners, draw. Extra prizes: loners, euchres,
high-game, last.
"""


def new(
    file: EventFile,
    title: Annotated[str, typer.Option(help="The name of the event.")] = "Euchre",
    rules: Annotated[str, typer.Option(help="A preset, a TOML file, or a link.")] = "club",
    format: Annotated[str, typer.Option(help="The format; by default that of the rules.", show_default=False)] = "",
    rounds: Annotated[int, typer.Option(help="Number of rounds; 0 for the full schedule.")] = 0,
    best_of: Annotated[int, typer.Option(help="Games in a match; 0 for what the rules say.")] = 0,
    fee: Annotated[str, typer.Option(help="The entry fee in dollars.")] = "0",
    prizes: Annotated[
        str,
        typer.Option(
            help="By place, in dollars like 100,50,25 or in percent of the pot like 50%,30%,20%.", show_default=False
        ),
    ] = "",
    gift_cards: Annotated[
        str, typer.Option(help="By place, in dollars, or none; by default what the rules say.", show_default=False)
    ] = "",
    extra: Annotated[list[str] | None, typer.Option(help="Another prize, like loners=10.", show_default=False)] = None,
    ties: Annotated[str, typer.Option(help="Tie-breaks in order, like points,loners,draw.", show_default=False)] = "",
    bye: Annotated[str, typer.Option(help="What a bye is worth: nothing or win.", show_default=False)] = "",
    odd_numbers: Annotated[
        str, typer.Option(help="If the number of players doesn't fit: byes or three-handed.")
    ] = "byes",
    seeded: Annotated[
        bool, typer.Option("--seeded", help="Seed entrants in the order entered, not at random.")
    ] = False,
    approval: Annotated[
        str, typer.Option(help="Who approves a score that a table reports: both-sides or one-side.")
    ] = "both-sides",
    minutes: Annotated[int, typer.Option(help="Length of a round in minutes; 0 for no limit.", min=0)] = 0,
    by: By = "desk",
    json: Json = False,
) -> None:
    house_rules = read_rules(rules)
    defaults = default_plan(title, house_rules)
    chosen_format = parse_choice(Format, format, "format") if format else defaults.stage.format
    stage = Stage(format=chosen_format, rounds=rounds, best_of=best_of)
    plan = default_plan(
        title,
        house_rules,
        stage,
        fee=parse_cents(fee),
        prizes=parse_prizes(prizes, gift_cards, extra or (), defaults.prizes),
        ties=parse_tie_breaks(ties),
        odd_numbers=parse_choice(OddNumbers, odd_numbers, "odd-numbers"),
        seeded=seeded,
        approval=parse_choice(ScoreApproval, approval, "approval"),
        minutes=minutes,
        **({"bye": parse_choice(ByeValue, bye, "bye")} if bye else {}),
    )
    new_ledger(file, EventOpened(plan=plan), by=by)
    noun = chosen_format.definition.entrant_noun
    print_result(
        {"title": title, "format": str(chosen_format), "file": file},
        f"{title}: {chosen_format}, in {file}. Enter the {noun} next.",
        as_json=json,
    )
