"""The plan of a season: what an evening is worth, how many count, divisions and playoffs."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from leftbower.errors import BadPlan
from leftbower.rules.choices import Choice

MAX_EVENINGS: Final = 60
MAX_DIVISIONS: Final = 12


class Counting(Choice):
    """What an evening is worth."""

    POINTS = "points"
    POINTS_PER_ROUND = "points-per-round"
    MATCHES = "matches"
    """Matches won; a tie counts half."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SeasonPlan:
    """Settings of a season; they can change at any time, and the standings follow."""

    title: str
    evenings: int = 0
    """Planned number of evenings; 0 if open."""
    best: int = 0
    """How many of a player's best evenings count; 0 for all."""
    counting: Counting = Counting.POINTS
    attendance: int = 0
    """Points for each evening a player comes, besides the best ones."""
    absent_share: Fraction = Fraction(1, 2)
    """Share of a substitute's points that the absent player gets."""
    substitute_share: Fraction = Fraction(0)
    """Share that the substitute gets."""
    teams: bool = False
    """Rank teams instead of their players."""
    divisions: tuple[str, ...] = ()
    """Names of the divisions, best first."""
    promoted: int = 0
    """How many move up and down between divisions after the season."""
    playoffs: int = 0
    """How many of the best play off."""
    needed: int = 0
    """Evenings a player needs for the playoffs."""
    ratings: bool = False

    def __post_init__(self) -> None:
        if not self.title.strip() or len(self.title) > 80:
            raise BadPlan("the title must have 1 to 80 characters", path="title")
        if not 0 <= self.evenings <= MAX_EVENINGS or not 0 <= self.best <= MAX_EVENINGS:
            raise BadPlan("a season has at most %(limit)s evenings", path="evenings", limit=MAX_EVENINGS)
        if self.evenings and not max(self.best, self.needed) <= self.evenings:
            raise BadPlan("no more evenings can count than are planned", path="best")
        if not 0 <= self.attendance <= 1000 or not 0 <= self.needed <= MAX_EVENINGS:
            raise BadPlan("give 0 to 1000 points for coming", path="attendance")
        if not 0 <= self.absent_share <= 1 or not 0 <= self.substitute_share <= 1:
            raise BadPlan("a share is between 0 and 1, like 1/2", path="share")
        if not 0 <= self.playoffs <= 64 or self.playoffs == 1:
            raise BadPlan("2 to 64 play off", path="playoffs")
        _check_divisions(self.divisions, self.promoted)


def _check_divisions(names: tuple[str, ...], promoted: int) -> None:
    unique = {name.casefold() for name in names}
    if len(names) == 1 or len(names) > MAX_DIVISIONS or len(unique) < len(names):
        raise BadPlan("name 2 to %(limit)s different divisions, or none", path="divisions", limit=MAX_DIVISIONS)
    if not all(name.strip() and len(name) <= 30 for name in names):
        raise BadPlan("a division's name must have 1 to 30 characters", path="divisions")
    if not 0 <= promoted <= 20 or (promoted and not names):
        raise BadPlan("0 to 20 move up and down, between divisions", path="promoted")
