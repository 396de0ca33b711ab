"""`leftbower tournament print | export`: paper for the hall, and sheets for programs."""

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from leftbower.cli.output import print_json
from leftbower.cli.tournament_options import EventFile
from leftbower.errors import BadUsage, UnreadableFile

if TYPE_CHECKING:
    from leftbower.cli.ledgers import Ledger
    from leftbower.tournament import Event

Upto = Annotated[
    int, typer.Option("--upto", help="As it was after so many lines of the ledger.", show_default=False, min=0)
]


def print_(
    file: EventFile,
    what: Annotated[
        str, typer.Argument(help="cards, tents, sheets, chart, rules, standings, payouts or audit.", show_default=False)
    ],
    out: Annotated[
        str, typer.Option(help="A .html or .pdf to write; HTML on standard output if left out.", show_default=False)
    ] = "",
    paper: Annotated[str, typer.Option(help="a4 or letter.")] = "letter",
    upto: Upto = 0,
) -> None:
    """Print player cards, table tents, score sheets, charts and lists.

    HTML pages print from any browser; a .pdf needs the pdf extra.
    """
    from leftbower.cli.ledgers import open_ledger
    from leftbower.cli.telling import chosen
    from leftbower.printing import PRINTOUTS, Paper, to_html, to_pdf

    if what not in PRINTOUTS:
        raise BadUsage(f"what can be printed is {', '.join(PRINTOUTS)}", place="print")
    made = PRINTOUTS[what](open_ledger(file, upto).event)
    size = chosen(Paper, paper, "paper")
    if not out:
        sys.stdout.write(to_html(made, size))
        return
    written = to_pdf(made, size) if out.lower().endswith(".pdf") else to_html(made, size).encode()
    try:
        Path(out).write_bytes(written)
    except OSError as why:
        raise UnreadableFile(f"this file cannot be written: {why.strerror}", place=out) from None
    print(f"Written to {out}.")


def export(
    file: EventFile,
    what: Annotated[str, typer.Argument(help="entrants, pairings, results, standings, payouts or ledger.")],
    upto: Upto = 0,
    json: Annotated[bool, typer.Option("--json", help="JSON instead of CSV.")] = False,
) -> None:
    """Write a part of an event as CSV, or as JSON.

    Nothing in the CSV is a formula, whatever people are called. The ledger is JSON, one fact a line.
    """
    from leftbower.cli.ledgers import open_ledger
    from leftbower.tournament import to_csv, to_plain

    ledger = open_ledger(file, upto)
    if what == "ledger":
        for entry in ledger.entries:
            print_json(to_plain(entry))
        return
    if what not in _SHEETS:
        raise BadUsage(f"what can be exported is {', '.join((*_SHEETS, 'ledger'))}", place="export")
    heads, make = _SHEETS[what]
    rows = list(make(ledger))
    if json:
        print_json([dict(zip(heads, row, strict=True)) for row in rows])
    else:
        print(to_csv(heads, rows), end="")


Row = Sequence[object]


def _entrants(ledger: "Ledger") -> Iterator[Row]:
    for one in ledger.event.entrants.values():
        players = (*one.players, "", "")[:2]
        yield one.number, one.name, *players, one.school, str(one.presence), one.owes, one.paid


def _pairings(ledger: "Ledger") -> Iterator[Row]:
    from leftbower.tournament import seats

    event = ledger.event
    for one in event.rounds:
        for seating in one.tables:
            sitting = seats(event, one.number, seating)
            yield one.number, seating.table, *(sitting.get(seat, "") for seat in "NESW"), ""
        for who in one.byes:
            yield one.number, "", "", "", "", "", event.entrants[who].name


def _results(ledger: "Ledger") -> Iterator[Row]:
    from leftbower.tournament import results_at, score_in_words

    event = ledger.event
    for one in event.rounds:
        for seating in one.tables:
            score = event.settled(one.number, seating.table)
            told = score_in_words(event, seating, score) if score is not None else ""
            for side, result in enumerate(results_at(event, one.number, seating)):
                names = " & ".join(event.entrants[who].name for who in seating.on(side))
                yield one.number, seating.table, seating.labels[side], names, str(result), told


def _standings(ledger: "Ledger") -> Iterator[Row]:
    from leftbower.tournament import standings

    for one in standings(ledger.event):
        own = one.tally
        numbers = (own.games, own.points, own.difference, own.loners, own.euchres, own.high_game, own.byes)
        name = ledger.event.entrants[one.entrant].name
        yield one.place, name, str(own.matches), *numbers, one.decided_by, one.because


def _payouts(ledger: "Ledger") -> Iterator[Row]:
    from leftbower.tournament import payouts

    event: Event = ledger.event
    for one in payouts(event).prizes:
        yield event.entrants[one.entrant].name, one.what, one.cents


_SHEETS: Final = {
    "entrants": (("number", "name", "player", "partner", "school", "presence", "owes", "paid"), _entrants),
    "pairings": (("round", "table", "N", "E", "S", "W", "bye"), _pairings),
    "results": (("round", "table", "side", "names", "result", "score"), _results),
    "standings": (
        (
            "place",
            "name",
            "matches",
            "games",
            "points",
            "difference",
            "loners",
            "euchres",
            "high_game",
            "byes",
            "decided_by",
            "because",
        ),
        _standings,
    ),
    "payouts": (("name", "for", "cents"), _payouts),
}
