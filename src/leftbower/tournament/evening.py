"""How long an evening takes: rounds that are left, games to a round, hands to a game, minutes to a hand."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from leftbower.rules.house import HouseRules
from leftbower.tournament.model import Event
from leftbower.tournament.pairing import rounds_planned

SECONDS_A_HAND: Final = 135
"""Dealing, bidding, five tricks and writing it down, at a real table."""
SECONDS_BETWEEN: Final = 300
"""Handing in the sheet, finding the next table, sitting down."""
POINTS_A_HAND: Final = Fraction(3, 2)
"""To both sides together; what our bots score under the sheets (`leftbower simulate regular`)."""
LOSERS_SHARE: Final = Fraction(3, 5)
"""What the losers of a game have on average, as a part of the target."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """How long it will take from now, if nothing goes wrong."""

    rounds: int
    seconds_a_round: int

    @property
    def seconds(self) -> int:
        """Until the last score is in."""
        return self.rounds * self.seconds_a_round


def estimate(event: Event) -> Estimate:
    """From the rounds that are not over yet; the slowest table keeps everybody waiting."""
    over = sum(
        all(event.settled(one.number, seating.table) is not None for seating in one.tables)
        for one in event.rounds_of(len(event.stages) - 1)
    )
    left = max(0, rounds_planned(event) - over)
    return Estimate(rounds=left, seconds_a_round=seconds_a_round(event.rules, event.best_of(len(event.stages) - 1)))


def seconds_a_round(rules: HouseRules, best_of: int) -> int:
    """A match and the way to the next one."""
    hands = hands_a_game(rules) * games_a_match(best_of)
    return int(hands * SECONDS_A_HAND) + SECONDS_BETWEEN


def hands_a_game(rules: HouseRules) -> Fraction:
    """How many hands a game has: so many as are fixed, or what it takes to reach the target."""
    if rules.fixed_hands is not None:
        return Fraction(rules.fixed_hands)
    return rules.target * (1 + LOSERS_SHARE) / POINTS_A_HAND


def games_a_match(best_of: int) -> Fraction:
    """How many games a match takes between equals: of three games two and a half."""
    needed = best_of // 2 + 1
    ways = [Fraction(_choose(games - 1, needed - 1) * 2, 2**games) for games in range(needed, best_of + 1)]
    return sum((games * chance for games, chance in zip(range(needed, best_of + 1), ways, strict=True)), Fraction(0))


def _choose(of: int, some: int) -> int:
    chosen = Fraction(1)
    for at in range(some):
        chosen = chosen * (of - at) / (at + 1)
    return int(chosen)
