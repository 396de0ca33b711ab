"""Duration estimate: rounds left, games per match, hands per game, seconds per hand."""

from dataclasses import dataclass
from fractions import Fraction
from math import comb
from typing import Final

from leftbower.rules.house import HouseRules
from leftbower.tournament.formats.pairing import planned_rounds
from leftbower.tournament.model.state import Event

SECONDS_PER_HAND: Final = 135
"""Deal, bidding, five tricks and scoring, at a real table."""
SECONDS_BETWEEN_ROUNDS: Final = 300
"""Hand in the sheet, find the next table, sit down."""
POINTS_PER_HAND: Final = Fraction(3, 2)
"""Both sides together, measured with our bots under the rule sheets (`leftbower simulate regular`)."""
LOSER_SHARE_OF_TARGET: Final = Fraction(3, 5)
"""Average points of the losing side, as a share of the target."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DurationEstimate:
    rounds: int
    seconds_per_round: int

    @property
    def seconds(self) -> int:
        """Seconds until the last score is in."""
        return self.rounds * self.seconds_per_round


def estimate_duration(event: Event) -> DurationEstimate:
    """Estimate the remaining rounds at the pace of the slowest table."""
    finished = sum(
        all(event.settled_score(round_.number, seating.table) is not None for seating in round_.tables)
        for round_ in event.rounds_of(len(event.stages) - 1)
    )
    rounds_left = max(0, planned_rounds(event) - finished)
    return DurationEstimate(
        rounds=rounds_left, seconds_per_round=seconds_per_round(event.rules, event.best_of(len(event.stages) - 1))
    )


def seconds_per_round(rules: HouseRules, best_of: int) -> int:
    """A match, plus the time to the next one."""
    hands = hands_per_game(rules) * games_per_match(best_of)
    return int(hands * SECONDS_PER_HAND) + SECONDS_BETWEEN_ROUNDS


def hands_per_game(rules: HouseRules) -> Fraction:
    """Expected hands per game: the fixed number, or enough to reach the target."""
    if rules.fixed_hands is not None:
        return Fraction(rules.fixed_hands)
    return rules.target * (1 + LOSER_SHARE_OF_TARGET) / POINTS_PER_HAND


def games_per_match(best_of: int) -> Fraction:
    """Expected games per match between equals: 2.5 for best of three."""
    needed = best_of // 2 + 1
    ends = range(needed, best_of + 1)
    return sum((Fraction(2 * games * comb(games - 1, needed - 1), 2**games) for games in ends), Fraction(0))
