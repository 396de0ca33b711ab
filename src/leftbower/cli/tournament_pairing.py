"""`leftbower tournament pair`: draw the next rounds, or draw again what has no score."""

import secrets
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from leftbower.cli.output import print_json
from leftbower.cli.tournament_options import By, EventFile, Json

if TYPE_CHECKING:
    from leftbower.tournament import Event, Round


def pair(
    file: EventFile,
    redraw: Annotated[bool, typer.Option("--redraw", help="Draw again whatever has no score yet.")] = False,
    show: Annotated[bool, typer.Option("--show", help="Only show what is drawn.")] = False,
    why: Annotated[str, typer.Option(help="Why it is drawn again.", show_default=False)] = "",
    seed: Annotated[str, typer.Option(help="Draw lots from this; from chance if left out.", show_default=False)] = "",
    by: By = "desk",
    json: Json = False,
) -> None:
    """Draw the next round, or all rounds where the format has a schedule.

    Entrants get their numbers by lot before the first round. Whoever came late or left changes only what is drawn
    from now on.
    """
    from leftbower.cli.ledgers import open_ledger
    from leftbower.tournament import drawing

    ledger = open_ledger(file)
    first = 1
    if not show:
        first = ledger.event.first_free if redraw else len(ledger.event.rounds) + 1
        ledger.write(*drawing(ledger.event, seed or secrets.token_hex(8), redraw=redraw, why=why), by=by)
    rounds = ledger.event.rounds[first - 1 :]
    if json:
        from leftbower.tournament import pairings

        print_json([line for one in rounds for line in pairings(ledger.event, one)])
        return
    print_rounds(ledger.event, rounds)
    if not show and first == 1:
        _print_offers(ledger.event)


def print_rounds(event: "Event", rounds: "Sequence[Round]") -> None:
    """Rounds for people: a line for each table."""
    from leftbower.tournament import score_in_words, seats

    for one in rounds:
        print(f"Round {one.number}")
        for seating in one.tables:
            sitting = seats(event, one.number, seating)
            score = event.settled(one.number, seating.table)
            told = f"   {score_in_words(event, seating, score)}" if score is not None else ""
            sides = " v. ".join(_side(sitting, label) for label in seating.labels)
            print(f"  Table {seating.table:<3} {sides}{told}")
        for entrant in one.byes:
            print(f"  Bye       {event.entrants[entrant].name}")


def _side(sitting: dict[str, str], label: str) -> str:
    return " & ".join(dict.fromkeys(sitting[seat] for seat in label)) + f" ({label})"


def _print_offers(event: "Event") -> None:
    from leftbower.tournament import offers

    for one in offers(event):
        print(f"Numbers do not fit; {one.what}: {one.cost}.")
