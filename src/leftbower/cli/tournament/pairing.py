"""`leftbower tournament pair`: draw the next rounds, or redraw those without a score."""

import secrets
from collections.abc import Sequence
from typing import Annotated

import typer

from leftbower.cli.common.output import print_json
from leftbower.cli.tournament.event_file import open_ledger
from leftbower.cli.tournament.options import By, EventFile, Json
from leftbower.tournament.formats.odd_numbers import seating_options
from leftbower.tournament.model.commands import draw_rounds
from leftbower.tournament.model.seating import Round
from leftbower.tournament.model.state import Event
from leftbower.tournament.text.display import format_score, round_to_json, side_names


def pair(
    file: EventFile,
    redraw: Annotated[bool, typer.Option("--redraw", help="Draw rounds without a score again.")] = False,
    show: Annotated[bool, typer.Option("--show", help="Only show the rounds already drawn.")] = False,
    why: Annotated[str, typer.Option(help="The reason for a redraw.", show_default=False)] = "",
    seed: Annotated[str, typer.Option(help="The seed of the draw; by default random.", show_default=False)] = "",
    by: By = "desk",
    json: Json = False,
) -> None:
    """Draw the next round, or all rounds of a scheduled format.

    Before the first round, entrants are numbered at random. Late entries and dropouts change only rounds drawn after
    them.
    """
    ledger = open_ledger(file)
    first = 1
    if not show:
        first = ledger.event.first_redrawable_round if redraw else len(ledger.event.rounds) + 1
        ledger.write(*draw_rounds(ledger.event, seed or secrets.token_hex(8), redraw=redraw, why=why), by=by)
    rounds = ledger.event.rounds[first - 1 :]
    if json:
        print_json([line for round_ in rounds for line in round_to_json(ledger.event, round_)])
        return
    print_rounds(ledger.event, rounds)
    if not show and first == 1:
        print_seating_options(ledger.event)


def print_rounds(event: Event, rounds: Sequence[Round]) -> None:
    """Print rounds, one line per table."""
    for round_ in rounds:
        print(f"Round {round_.number}")
        for seating in round_.tables:
            score = event.settled_score(round_.number, seating.table)
            score_text = f"   {format_score(event, seating, score)}" if score is not None else ""
            named = zip(side_names(event, round_.number, seating), seating.labels, strict=True)
            sides = " v. ".join(f"{names} ({label})" for names, label in named)
            print(f"  Table {seating.table:<3} {sides}{score_text}")
        for entrant in round_.byes:
            print(f"  Bye       {event.entrants[entrant].name}")


def print_seating_options(event: Event) -> None:
    """Print what can be done if the entrants don't fill the tables."""
    options = seating_options(event)
    if options:
        print("The tables don't come out even. Your options:")
    for option in options:
        print(f"  {option.kind}: {option.cost}.")
