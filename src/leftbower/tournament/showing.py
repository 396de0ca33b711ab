"""How an event is shown: pairings by the names of whoever sits there, standings and points for people and programs."""

from fractions import Fraction

from leftbower.tournament.model import Event
from leftbower.tournament.money import leaders
from leftbower.tournament.plan import Counter
from leftbower.tournament.results import Result, results_at
from leftbower.tournament.schools import SchoolPoints, school_points
from leftbower.tournament.scores import NoShow, Score, game_scores
from leftbower.tournament.seating import Round, Seating
from leftbower.tournament.standings import Standing, standings


def seats(event: Event, round: int, seating: Seating) -> dict[str, str]:
    """Who sits where, by name; of a team the second player faces the first."""
    found = {}
    for seat, entrant in seating.seats.items():
        second = len(seating.on(0)) == 1 and str(seat) in "SW"
        found[str(seat)] = event.sitter(round, entrant, second=second)
    return found


def pairings(event: Event, one: Round) -> list[dict[str, object]]:
    """A round for programs: its tables, then its byes."""
    tables: list[dict[str, object]] = [
        {"round": one.number, "table": seating.table, "seats": seats(event, one.number, seating)}
        for seating in one.tables
    ]
    return tables + [{"round": one.number, "bye": event.entrants[entrant].name} for entrant in one.byes]


def standing_as_json(event: Event, line: Standing) -> dict[str, object]:
    """A line of the standings for programs."""
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


def schools(event: Event) -> tuple[SchoolPoints, ...]:
    """The points of each school: match-ups as drawn, teams as entered."""
    entered: dict[str, int] = {}
    for one in event.entrants.values():
        if one.school and not one.single:
            entered[one.school] = entered.get(one.school, 0) + 1
    rounds = event.rounds_of(0)
    won: dict[str, Fraction] = {}
    for round_ in rounds:
        for seating in round_.tables:
            for side, result in enumerate(results_at(event, round_.number, seating)):
                school = event.entrants[seating.on(side)[0]].school
                won[school] = won.get(school, Fraction(0)) + _POINTS.get(result, Fraction(0))
    return school_points(event.rules, entered, won, sum(len(one.tables) for one in rounds))


_POINTS = {Result.WIN: Fraction(1), Result.WALKOVER: Fraction(1), Result.LEVEL: Fraction(1, 2)}


def counters(event: Event) -> tuple[str, ...]:
    """What is counted beside the places, each in a sentence; nothing where it is nobody's or nearly everybody's."""
    lines = standings(event)
    found = []
    for counter, words in _COUNTED.items():
        best = leaders(lines, counter) if lines else []
        if 0 < len(best) < 4:
            names = ", ".join(event.entrants[one.entrant].name for one in best)
            found.append(f"{words}, {_counted(best[0], counter)}: {names}")
    return tuple(found)


_COUNTED = {
    Counter.LONERS: "Most loners",
    Counter.EUCHRES: "Most euchres",
    Counter.HIGH_GAME: "Highest game",
}


def _counted(line: Standing, counter: Counter) -> int:
    own = line.tally
    return {Counter.LONERS: own.loners, Counter.EUCHRES: own.euchres, Counter.HIGH_GAME: own.high_game}[counter]


def score_in_words(event: Event, seating: Seating, score: Score) -> str:
    """A score as it is said: 10-6, or who did not come."""
    if isinstance(score, NoShow):
        return f"{' and '.join(score.absent)} did not come"
    games = ("-".join(map(str, scored)) for scored in game_scores(event.rules_of(seating), score.games))
    return ", ".join(games) + (" (stopped)" if score.stopped else "")


def fraction(value: Fraction) -> str:
    """An exact number as people write it: 2, 1/2, 10 7/10."""
    whole, rest = divmod(value, 1)
    if not rest:
        return str(whole)
    return f"{whole} {rest}" if whole else str(rest)
