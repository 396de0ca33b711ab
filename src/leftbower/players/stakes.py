"""What a hand is worth to one side at this score: in points, or in the chance to win the game."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from leftbower.engine import Contract, View
from leftbower.players.equity import Equity
from leftbower.rules.house import HouseRules
from leftbower.rules.scoring import TRICKS, Outcome, Points, points
from leftbower.rules.seats import Seat

Worth = tuple[float, ...]
"""By the makers' tricks, none to five: what the hand is then worth to a side."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stakes:
    """What is at stake for `seat` in a hand: every decision compares these numbers."""

    rules: HouseRules
    scores: tuple[int, ...]
    dealer: Seat
    seat: Seat
    in_points: bool
    """Count points, not chances: for matches over so many hands, and to compare players."""

    def of(self, contract: Contract) -> Worth:
        """What each number of makers' tricks is worth under a contract."""
        return tuple(self.of_points(scored) for scored in _points(self.rules, contract))

    def of_points(self, scored: Points) -> float:
        """What it is worth when these points are scored: ours less the most of others', or our chance after them."""
        if self.in_points:
            theirs = max((scored.get(seat, 0) for seat in self.rules.opponents_of(self.seat)), default=0)
            return float(scored.get(self.seat, 0) - theirs)
        side = self.rules.sides.index(self.rules.side_of(self.seat))
        return equity(self.rules).after(self.scores, scored, self.dealer)[side]


def stakes(view: View, *, in_points: bool) -> Stakes:
    """What is at stake for the viewer."""
    assert view.seat is not None
    return Stakes(rules=view.rules, scores=view.scores, dealer=view.dealer, seat=view.seat, in_points=in_points)


@lru_cache(16)
def equity(rules: HouseRules) -> Equity:
    """The chances under a rule set, reckoned once."""
    return Equity(rules)


@lru_cache(256)
def _points(rules: HouseRules, contract: Contract) -> Sequence[Points]:
    return [
        points(
            rules,
            Outcome(
                maker=contract.maker,
                makers_tricks=tricks,
                alone=contract.alone,
                defended_alone=contract.defender is not None,
            ),
        )
        for tricks in range(TRICKS + 1)
    ]
