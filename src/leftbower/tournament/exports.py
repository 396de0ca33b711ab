"""Parts of an event as sheets of rows, for spreadsheets and programs."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

from leftbower.tournament.lists import to_csv
from leftbower.tournament.model import Event
from leftbower.tournament.money import payouts
from leftbower.tournament.results import results_at
from leftbower.tournament.showing import score_in_words, seats
from leftbower.tournament.standings import standings

Row = Sequence[object]


def _entrants(event: Event) -> Iterator[Row]:
    for one in event.entrants.values():
        players = (*one.players, "", "")[:2]
        yield one.number, one.name, *players, one.school, str(one.presence), one.owes, one.paid


def _pairings(event: Event) -> Iterator[Row]:
    for one in event.rounds:
        for seating in one.tables:
            sitting = seats(event, one.number, seating)
            yield one.number, seating.table, *(sitting.get(seat, "") for seat in "NESW"), ""
        for who in one.byes:
            yield one.number, "", "", "", "", "", event.entrants[who].name


def _results(event: Event) -> Iterator[Row]:
    for one in event.rounds:
        for seating in one.tables:
            score = event.settled(one.number, seating.table)
            told = score_in_words(event, seating, score) if score is not None else ""
            for side, result in enumerate(results_at(event, one.number, seating)):
                names = " & ".join(event.entrants[who].name for who in seating.on(side))
                yield one.number, seating.table, seating.labels[side], names, str(result), told


def _standings(event: Event) -> Iterator[Row]:
    for one in standings(event):
        own = one.tally
        numbers = (own.games, own.points, own.difference, own.loners, own.euchres, own.high_game, own.byes)
        name = event.entrants[one.entrant].name
        yield one.place, name, str(own.matches), *numbers, one.decided_by, one.because


def _payouts(event: Event) -> Iterator[Row]:
    for one in payouts(event).prizes:
        yield event.entrants[one.entrant].name, one.what, one.cents


SHEETS: Final[Mapping[str, tuple[Sequence[str], Callable[[Event], Iterator[Row]]]]] = {
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


def sheet_as_csv(event: Event, what: str) -> str:
    """A sheet in which nothing is a formula."""
    heads, rows = SHEETS[what]
    return to_csv(heads, rows(event))


def sheet_as_json(event: Event, what: str) -> list[dict[str, object]]:
    """The same, a row an object."""
    heads, rows = SHEETS[what]
    return [dict(zip(heads, row, strict=True)) for row in rows(event)]
