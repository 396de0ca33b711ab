"""Score utility: the value of a hand to one side, in points or in win probability at this score."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import floor

from leftbower.engine import Contract, View
from leftbower.players.judgment.equity import Equity
from leftbower.rules import HouseRules, Points, Seat, points
from leftbower.rules.scoring import TRICKS_PER_HAND

Worth = tuple[float, ...]
"""The value of a hand to a side, by the makers' tricks from none to five."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stakes:
    """What is at stake for `seat` in a hand; every decision compares these values."""

    rules: HouseRules
    scores: tuple[int, ...]
    dealer: Seat
    seat: Seat
    hands: int = 0
    """Hands of the game counted so far, if that matters."""
    in_points: bool
    """Count points instead of win probability: for games of fixed length, and to compare players."""

    def of(self, contract: Contract) -> Worth:
        """The value of each number of makers' tricks under a contract."""
        return tuple(self.of_points(scored) for scored in _points(self.rules, contract))

    def of_net(self, net: int) -> float:
        """The value of `net` points to our side; negative points go to the others."""
        ours, theirs = self.rules.side_of(self.seat), self.rules.opponents_of(self.seat)
        return self.of_points(dict.fromkeys(ours if net > 0 else theirs, abs(net)))

    def of_expected(self, points: float) -> float:
        """The value of an expected number of points, interpolated between whole points."""
        below = floor(points)
        part = points - below
        return (1 - part) * self.of_net(below) + part * self.of_net(below + 1)

    def of_points(self, scored: Points) -> float:
        """The value of these points: ours minus the mean of the others', or our chance to win after them."""
        if self.in_points:
            theirs = self.rules.opponents_of(self.seat)
            return scored.get(self.seat, 0) - sum(scored.get(seat, 0) for seat in theirs) / len(theirs)
        side = self.rules.sides.index(self.rules.side_of(self.seat))
        return equity(self.rules).after(self.scores, scored, self.dealer, hands=self.hands)[side]


def stakes(view: View, *, in_points: bool) -> Stakes:
    assert view.seat is not None
    return Stakes(
        rules=view.rules,
        scores=view.scores,
        dealer=view.dealer,
        seat=view.seat,
        hands=view.hands,
        in_points=in_points,
    )


@lru_cache(16)
def equity(rules: HouseRules) -> Equity:
    """The cached equity of a rule set."""
    return Equity(rules)


@lru_cache(256)
def _points(rules: HouseRules, contract: Contract) -> Sequence[Points]:
    return [points(rules, contract.outcome(tricks)) for tricks in range(TRICKS_PER_HAND + 1)]
