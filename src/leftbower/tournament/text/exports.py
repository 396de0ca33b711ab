"""Exports of an event as CSV or JSON rows."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

from leftbower.tournament.model.state import Event
from leftbower.tournament.scoring.money import payouts
from leftbower.tournament.scoring.results import table_results
from leftbower.tournament.scoring.standings import standings
from leftbower.tournament.text.csv import to_csv
from leftbower.tournament.text.display import format_score, seat_names

Row = Sequence[object]


def _entrants(event: Event) -> Iterator[Row]:
    for entrant in event.entrants.values():
        players = (*entrant.players, "", "")[:2]
        yield entrant.number, entrant.name, *players, entrant.school, str(entrant.presence), entrant.owes, entrant.paid


def _pairings(event: Event) -> Iterator[Row]:
    for round_ in event.rounds:
        for seating in round_.tables:
            sitting = seat_names(event, round_.number, seating)
            yield round_.number, seating.table, *(sitting.get(seat, "") for seat in "NESW"), ""
        for entrant in round_.byes:
            yield round_.number, "", "", "", "", "", event.entrants[entrant].name


def _results(event: Event) -> Iterator[Row]:
    for round_ in event.rounds:
        for seating in round_.tables:
            score = event.settled_score(round_.number, seating.table)
            score_text = format_score(event, seating, score) if score is not None else ""
            for side, result in enumerate(table_results(event, round_.number, seating)):
                names = " & ".join(event.entrants[entrant].name for entrant in seating.entrants_on(side))
                yield round_.number, seating.table, seating.labels[side], names, str(result), score_text


def _standings(event: Event) -> Iterator[Row]:
    for line in standings(event):
        own = line.tally
        numbers = (own.games, own.points, own.difference, own.loners, own.euchres, own.high_game, own.byes)
        name = event.entrants[line.entrant].name
        yield line.place, name, str(own.matches), *numbers, line.decided_by, line.because


def _payouts(event: Event) -> Iterator[Row]:
    for prize in payouts(event).prizes:
        yield event.entrants[prize.entrant].name, prize.reason, prize.cents


EXPORTS: Final[Mapping[str, tuple[Sequence[str], Callable[[Event], Iterator[Row]]]]] = {
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


def export_csv(event: Event, name: str) -> str:
    """One export as CSV, safe from formula injection."""
    columns, rows = EXPORTS[name]
    return to_csv(columns, rows(event))


def export_json(event: Event, name: str) -> list[dict[str, object]]:
    """One export as JSON objects."""
    columns, rows = EXPORTS[name]
    return [dict(zip(columns, row, strict=True)) for row in rows(event)]
