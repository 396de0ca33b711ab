"""Two schools meet in groups of two and two; every match-up earns the winner's school its share of the points.

The number of match-ups is fixed at the draw. A team that is not there leaves the points to the school that is; where
both are missing nobody gets them. So the schools' points come to the event's points, plus what is given for taking
part, less the match-ups that nobody played.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from leftbower.errors import BadPlan
from leftbower.rules.choices import Participation
from leftbower.rules.house import HouseRules
from leftbower.tournament.entrants import Entrant
from leftbower.tournament.seating import Draw, teams_at_tables


def groups(teams: Sequence[Entrant]) -> Draw:
    """The draw: a team of one school against a team of the other, as far as they go."""
    schools = schools_of(teams)
    if len(schools) != 2 or "" in schools:
        named = ", ".join(school or "no school" for school in schools) or "none"
        raise BadPlan(f"two schools meet, and each team belongs to one of them; entered are {named}", place="schools")
    ours, theirs = ([team.id for team in teams if team.school == school] for school in schools)
    met = min(len(ours), len(theirs))
    return teams_at_tables(zip(ours, theirs, strict=False), (*ours[met:], *theirs[met:]))


def schools_of(teams: Sequence[Entrant]) -> tuple[str, ...]:
    """The schools in the order in which they were entered."""
    return tuple(dict.fromkeys(team.school for team in teams))


@dataclass(frozen=True, slots=True, kw_only=True)
class SchoolPoints:
    """What a school has."""

    school: str
    won: Fraction
    """From match-ups."""
    participation: Fraction
    matches: Fraction
    """Match-ups won; a level one is half."""

    @property
    def total(self) -> Fraction:
        """What the school takes home."""
        return self.won + self.participation


def school_points(
    rules: HouseRules, entered: Mapping[str, int], matches: Mapping[str, Fraction], match_ups: int
) -> tuple[SchoolPoints, ...]:
    """The points of each school, from the teams it entered and the match-ups it won, most first."""
    each = Fraction(rules.event_points, match_ups) if match_ups else Fraction(0)
    found = [
        SchoolPoints(
            school=school,
            won=each * matches.get(school, Fraction(0)),
            participation=participation(rules, count, sum(entered.values())),
            matches=matches.get(school, Fraction(0)),
        )
        for school, count in entered.items()
    ]
    return tuple(sorted(found, key=lambda one: -one.total))


def participation(rules: HouseRules, teams: int, of: int) -> Fraction:
    """What a school gets for the teams it entered."""
    match rules.participation:
        case Participation.TENTH_PER_TEAM:
            return Fraction(teams, 10)
        case Participation.SHARED_POOL:
            return Fraction(rules.event_points, 10) * Fraction(teams, of) if of else Fraction(0)
        case _:
            return Fraction(0)
