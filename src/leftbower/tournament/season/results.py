"""What each person did in an evening, table by table, read from the evening's event."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from leftbower.tournament.model.choices import ByeValue
from leftbower.tournament.model.seating import Round, Seating
from leftbower.tournament.model.state import Event
from leftbower.tournament.scoring.results import MATCHES_WON, RoundResult, side_scores, table_results
from leftbower.tournament.season.facts import Identity
from leftbower.tournament.season.plan import Counting, SeasonPlan

Sitting = tuple[str, str]
"""The chair that a person sits in, and the chair whose results they are: two chairs for a substitute."""
_NO_SCORE = (RoundResult.PENDING, RoundResult.UNPLAYED)


@dataclass(frozen=True, slots=True, kw_only=True)
class ChairResult:
    """The result of one chair at one table, or of a bye that counts."""

    sitting: str
    """Chair of the person who sat there."""
    owner: str
    """Chair whose place it is; another one if a substitute sat there."""
    points: int
    matches: Fraction
    rounds: int
    """0 for a bye."""
    present: bool
    """Was anybody there? Not if the match was forfeited, or in a bye."""


@dataclass(slots=True, kw_only=True)
class EveningScore:
    """What a player has from one evening."""

    points: Fraction = Fraction(0)
    matches: Fraction = Fraction(0)
    rounds: int = 0
    came: bool = False
    substituted: bool = False
    """Did a substitute win some of it?"""

    def worth(self, counting: Counting) -> Fraction:
        """What it counts in the standings."""
        match counting:
            case Counting.POINTS:
                return self.points
            case Counting.MATCHES:
                return self.matches
            case Counting.POINTS_PER_ROUND:
                return self.points / self.rounds if self.rounds else Fraction(0)


def chair_names(event: Event, *, teams: bool) -> dict[str, str]:
    """Names by chair: `e3` is a single player or a team, `e3.1` the second of a team, `s0` the first substitute."""
    names = {}
    for entrant in event.entrants.values():
        if entrant.house_player or entrant.single:
            continue
        if teams or len(entrant.players) != 2:
            names[entrant.id] = entrant.name
        else:
            names |= {f"{entrant.id}.{number}": player for number, player in enumerate(entrant.players)}
    if not teams:
        names |= {f"s{number}": each.substitute for number, each in enumerate(event.substitutes) if not each.credit}
    return names


def chair_results(event: Event, *, teams: bool) -> Iterator[ChairResult]:
    """The settled results of all chairs, one for each table; house players have none."""
    for round_ in event.rounds:
        for seating in round_.tables:
            results = table_results(event, round_.number, seating)
            if any(result in _NO_SCORE for result in results):
                continue
            scores = side_scores(event, round_, seating)
            for side, result in enumerate(results):
                for sitting, owner in sittings(event, round_, seating, side, teams=teams):
                    yield ChairResult(
                        sitting=sitting,
                        owner=owner,
                        points=scores[side].points,
                        matches=MATCHES_WON.get(result, Fraction(0)),
                        rounds=1,
                        present=result is not RoundResult.FORFEIT,
                    )
        yield from _byes(event, round_, teams=teams)


def evening_scores(plan: SeasonPlan, event: Event, identities: Mapping[str, Identity]) -> dict[str, EveningScore]:
    """What each player has from an evening; a substitute's results are shared as the plan says."""
    scores: dict[str, EveningScore] = {}
    for result in chair_results(event, teams=plan.teams):
        sitting, owner = identities.get(result.sitting), identities.get(result.owner)
        player, absent = sitting.player if sitting else "", owner.player if owner else ""
        if sitting is not None and sitting.absent:
            absent = sitting.absent
        shares = [(player, Fraction(1), False)]
        if player != absent:
            shares = [(absent, plan.absent_share, True), (player, plan.substitute_share, False)]
        for receiver, share, is_substituted in shares:
            if receiver and share:
                score = scores.setdefault(receiver, EveningScore())
                score.points += share * result.points
                score.matches += share * result.matches
                score.rounds += result.rounds
                score.came |= result.present and not is_substituted
                score.substituted |= is_substituted
    return {player: score for player, score in scores.items() if score.came or score.substituted or score.matches}


def _byes(event: Event, round_: Round, *, teams: bool) -> Iterator[ChairResult]:
    """Byes that count as a win, once their round is over."""
    if event.plan.bye is not ByeValue.WIN or any(
        event.settled_score(round_.number, seating.table) is None for seating in round_.tables
    ):
        return
    for entrant in round_.byes:
        for chair in _chairs(event, entrant, teams=teams):
            yield ChairResult(sitting=chair, owner=chair, points=0, matches=Fraction(1), rounds=0, present=False)


def sittings(event: Event, round_: Round, seating: Seating, side: int, *, teams: bool) -> Sequence[Sitting]:
    """Who sits on a side of a table; house players are left out."""
    return [
        _sitting(event, round_.number, chair)
        for entrant in seating.entrants_on(side)
        for chair in _chairs(event, entrant, teams=teams)
    ]


def _chairs(event: Event, entrant: str, *, teams: bool) -> Sequence[str]:
    record = event.entrants[entrant]
    if record.house_player:
        return ()
    return (entrant,) if teams or len(record.players) != 2 else (f"{entrant}.0", f"{entrant}.1")


def _sitting(event: Event, round: int, chair: str) -> Sitting:
    """The chair itself, or the substitute in it; results that the desk credits to another entrant are that one's."""
    entrant, _, second = chair.partition(".")
    record = event.entrants[entrant]
    name = record.player_name(second == "1")
    for number in reversed(range(len(event.substitutes))):
        fact = event.substitutes[number]
        if fact.entrant == entrant and fact.player == name and fact.rounds[0] <= round <= fact.rounds[1]:
            return (fact.credit, fact.credit) if fact.credit else (f"s{number}", chair)
    return chair, chair
