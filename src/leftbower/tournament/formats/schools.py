"""Two schools, one team of each at every table; each match-up earns the winner's school an equal share of the points.

The number of match-ups is fixed at the draw. If a team is absent, the other school gets the points; if both are, the
points are lost. So the schools' points add up to the event's points, plus participation points, minus unplayed
match-ups.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from leftbower.errors import BadPlan
from leftbower.i18n import gettext_noop
from leftbower.rules.choices import Participation
from leftbower.rules.house import HouseRules
from leftbower.tournament.formats.base import StageView, TournamentFormat
from leftbower.tournament.model.choices import TieBreak
from leftbower.tournament.model.entrants import Entrant
from leftbower.tournament.model.seating import Pairings, team_pairings


def school_pairings(teams: Sequence[Entrant]) -> Pairings:
    """Pair teams of one school with teams of the other; extra teams have byes."""
    schools = schools_of(teams)
    if len(schools) != 2 or "" in schools:
        listed = ", ".join(school or "no school" for school in schools) or "none"
        raise BadPlan(
            "teams must come from two schools; these are entered: %(schools)s", path="schools", schools=listed
        )
    ours, theirs = ([team.id for team in teams if team.school == school] for school in schools)
    count = min(len(ours), len(theirs))
    return team_pairings(zip(ours, theirs, strict=False), (*ours[count:], *theirs[count:]))


def schools_of(teams: Sequence[Entrant]) -> tuple[str, ...]:
    """Schools in order of entry."""
    return tuple(dict.fromkeys(team.school for team in teams))


@dataclass(frozen=True, slots=True, kw_only=True)
class SchoolPoints:
    school: str
    won: Fraction
    """From match-ups."""
    participation: Fraction
    matches: Fraction
    """Match-ups won; a tie counts half."""

    @property
    def total(self) -> Fraction:
        return self.won + self.participation


def school_points(
    rules: HouseRules, entered: Mapping[str, int], matches: Mapping[str, Fraction], match_ups: int
) -> tuple[SchoolPoints, ...]:
    """Points of each school for match-ups won and teams entered, most first."""
    each = Fraction(rules.event_points, match_ups) if match_ups else Fraction(0)
    totals = [
        SchoolPoints(
            school=school,
            won=each * matches.get(school, Fraction(0)),
            participation=participation(rules, count, sum(entered.values())),
            matches=matches.get(school, Fraction(0)),
        )
        for school, count in entered.items()
    ]
    return tuple(sorted(totals, key=lambda points: -points.total))


def participation(rules: HouseRules, teams: int, of: int) -> Fraction:
    """Points for the teams a school entered."""
    match rules.participation:
        case Participation.TENTH_PER_TEAM:
            return Fraction(teams, 10)
        case Participation.SHARED_POOL:
            return Fraction(rules.event_points, 10) * Fraction(teams, of) if of else Fraction(0)
        case _:
            return Fraction(0)


class Schools(TournamentFormat):
    def planned_rounds(self, stage: StageView) -> int:
        return 1

    def draw(self, stage: StageView) -> tuple[Pairings, ...]:
        return (school_pairings(stage.field),)


SCHOOLS = Schools(
    key="schools",
    title=gettext_noop("Schools"),
    description=gettext_noop("two schools, one team of each at every table"),
    tie_breaks=(TieBreak.MATCHES, TieBreak.GAMES, TieBreak.DIFFERENCE, TieBreak.DRAW),
    scheduled=True,
    by_school=True,
    has_own_byes=True,
)
