"""The standings and ratings of a season as JSON and CSV."""

from fractions import Fraction

from leftbower.tournament.season.changes import LateCorrection, late_corrections
from leftbower.tournament.season.ratings import MIN_MATCHES, RatingLine, rate_pairs, rate_people, season_matches
from leftbower.tournament.season.standings import SeasonLine, season_standings
from leftbower.tournament.season.view import SeasonView
from leftbower.tournament.text.csv import to_csv


def season_to_json(view: SeasonView) -> dict[str, object]:
    """Standings and late corrections; points are exact fractions, as text."""
    plan = view.season.plan
    return {
        "title": plan.title,
        "counting": str(plan.counting),
        "best": plan.best,
        "evenings": [view.events[each.event].plan.title for each in view.season.evenings if each.event in view.events],
        "closed": view.season.closed,
        "standings": [_line_to_json(line) for line in season_standings(view)],
        "corrections": [_correction_to_json(change) for change in late_corrections(view)],
        "unconfirmed": {
            str(number): len(view.unconfirmed(evening.event))
            for number, evening in enumerate(view.season.evenings, 1)
            if view.unconfirmed(evening.event)
        },
    }


def _line_to_json(line: SeasonLine) -> dict[str, object]:
    return {
        "place": line.place,
        "name": line.name,
        "division": line.division,
        "total": str(line.total),
        "evenings": [None if cell is None else str(cell.worth) for cell in line.cells],
        "counting": [number for number, cell in enumerate(line.cells, 1) if cell is not None and cell.counts],
        "came": line.came,
        "rounds": line.rounds,
        "per_round": str(line.per_round),
        "moved": line.moved,
    }


def _correction_to_json(change: LateCorrection) -> dict[str, object]:
    return {
        "evening": change.evening,
        "round": change.round,
        "table": change.table,
        "old": change.old,
        "new": change.new,
        "why": change.why,
        "totals": {name: str(points) for name, points in change.totals},
    }


def season_csv(view: SeasonView) -> str:
    """The standings as CSV; points with at most two decimals."""
    weeks = [f"W{number}" for number in range(1, len(view.season.evenings) + 1)]
    rows = [
        (
            line.division,
            line.place,
            line.name,
            *("" if cell is None else decimal(cell.worth) for cell in line.cells),
            line.came,
            line.rounds,
            decimal(line.per_round),
            decimal(line.total),
        )
        for line in season_standings(view)
    ]
    return to_csv(("division", "place", "name", *weeks, "came", "rounds", "per_round", "total"), rows)


def decimal(value: Fraction) -> str:
    """A fraction with at most two decimals: 12, 12.5, 12.21."""
    return f"{float(value):.2f}".rstrip("0").rstrip(".")


def shown_ratings(view: SeasonView) -> tuple[tuple[RatingLine, ...], tuple[RatingLine, ...]]:
    """Ratings of people and of pairs who have played enough matches; none if the season doesn't rate."""
    if not view.season.plan.ratings:
        return (), ()
    matches = list(season_matches(view))
    people = tuple(line for line in rate_people(matches) if line.matches >= MIN_MATCHES)
    return people, tuple(line for line in rate_pairs(matches) if line.matches >= MIN_MATCHES)


def rating_to_json(view: SeasonView, line: RatingLine) -> dict[str, object]:
    names = [view.names[player] for player in line.players]
    return {"players": names, "rating": line.rating, "error": line.error, "matches": line.matches}
