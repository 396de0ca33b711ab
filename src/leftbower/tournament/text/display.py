"""Display of events: pairings by player names, standings and points as text and JSON."""

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from functools import reduce

from leftbower.i18n import gettext as _, gettext_noop
from leftbower.tournament.formats.schools import SchoolPoints, school_points
from leftbower.tournament.model.choices import ExtraCategory
from leftbower.tournament.model.seating import Round, Seating
from leftbower.tournament.model.state import Event
from leftbower.tournament.scoring.money import extra_count, leaders
from leftbower.tournament.scoring.results import MATCHES_WON, table_results
from leftbower.tournament.scoring.scores import NoShow, Score, game_scores
from leftbower.tournament.scoring.standings import Standing, join_names, standings


def seat_names(event: Event, round: int, seating: Seating) -> dict[str, str]:
    """Player names by seat; a team's second player faces the first."""
    names = {}
    for seat, entrant in seating.seats.items():
        second = len(seating.entrants_on(0)) == 1 and str(seat) in "SW"
        names[str(seat)] = event.player_name(round, entrant, second=second)
    return names


def side_names(event: Event, round: int, seating: Seating) -> tuple[str, ...]:
    """Player names by side."""
    sitting = seat_names(event, round, seating)
    return tuple(" & ".join(dict.fromkeys(sitting[seat] for seat in label)) for label in seating.labels)


def join_opponents(sides: Sequence[str]) -> str:
    """`Ann & Bob vs. Cid & Dot`."""
    return reduce(lambda joined, side: _("%(first)s vs. %(second)s", first=joined, second=side), sides)


def round_to_json(event: Event, round_: Round) -> list[dict[str, object]]:
    """A round as JSON: its tables, then its byes."""
    tables: list[dict[str, object]] = [
        {"round": round_.number, "table": seating.table, "seats": seat_names(event, round_.number, seating)}
        for seating in round_.tables
    ]
    return tables + [{"round": round_.number, "bye": event.entrants[entrant].name} for entrant in round_.byes]


def standing_to_json(event: Event, line: Standing) -> dict[str, object]:
    own = line.tally
    return {
        "place": line.place,
        "entrant": event.entrants[line.entrant].name,
        "decided_by": line.decided_by,
        "because": line.because,
        "matches": str(own.matches),
        "played": own.played,
        "games": own.games,
        "points": own.points,
        "conceded": own.conceded,
        "difference": own.difference,
        "loners": own.loners,
        "euchres": own.euchres,
        "high_game": own.high_game,
        "byes": own.byes,
    }


def school_standings(event: Event) -> tuple[SchoolPoints, ...]:
    """Points of each school, from the match-ups drawn and the teams entered."""
    teams = (entrant for entrant in event.entrants.values() if not entrant.single)
    entered = Counter(entrant.school for entrant in teams if entrant.school)
    rounds = event.rounds_of(0)
    won: dict[str, Fraction] = {}
    for round_ in rounds:
        for seating in round_.tables:
            for side, result in enumerate(table_results(event, round_.number, seating)):
                school = event.entrants[seating.entrants_on(side)[0]].school
                won[school] = won.get(school, Fraction(0)) + MATCHES_WON.get(result, Fraction(0))
    return school_points(event.rules, entered, won, sum(len(round_.tables) for round_ in rounds))


def describe_extra_leaders(event: Event) -> tuple[str, ...]:
    """Leaders of the extra categories, one line each; skips a category without a leader or with more than three."""
    lines = standings(event)
    texts = []
    for category, text in _EXTRA_LEADERS.items():
        best = leaders(lines, category) if lines else []
        if 0 < len(best) < 4:
            names = join_names([event.entrants[line.entrant].name for line in best])
            texts.append(_(text, names=names, count=extra_count(best[0], category)))
    return tuple(texts)


_EXTRA_LEADERS = {
    ExtraCategory.LONERS: gettext_noop("Most loners: %(names)s (%(count)d)"),
    ExtraCategory.EUCHRES: gettext_noop("Most euchres: %(names)s (%(count)d)"),
    ExtraCategory.HIGH_GAME: gettext_noop("Highest game: %(names)s (%(count)d)"),
}


def format_score(event: Event, seating: Seating, score: Score, *, first: int = 0) -> str:
    """A score as text, the `first` side's points first: 10-6, or who didn't show up."""
    if isinstance(score, NoShow):
        absent = [side for side, label in enumerate(seating.labels) if label in score.absent]
        names = [event.entrants[entrant].name for side in absent for entrant in seating.entrants_on(side)]
        return _("%(sides)s didn't show up", sides=join_names(names))
    games = format_games(game_scores(event.rules_of(seating), score.games), first)
    return _("%(score)s (time ran out)", score=games) if score.stopped else games


def format_games(games: Sequence[Sequence[int]], first: int = 0) -> str:
    """Games as 10-6, 8-10: the points of the `first` side, then of the others."""
    return ", ".join("-".join(map(str, (game[first], *game[:first], *game[first + 1 :]))) for game in games)


def format_fraction(value: Fraction) -> str:
    """A fraction as text: 2, 1/2, 10 7/10."""
    whole, rest = divmod(value, 1)
    if not rest:
        return str(whole)
    return f"{whole} {rest}" if whole else str(rest)
