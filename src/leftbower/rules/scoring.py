"""Points of a hand that was played out.

makers' tricks        with partner or dummy     alone
5 (march)             march_points              march_points_alone
3 or 4                made_points               made_points_alone
0, 1 or 2 (euchre)    euchre_points             euchre_points_alone      to the other side;
                                                                         4 if a defender defended alone
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from leftbower.rules.choices import TieAtTarget
from leftbower.rules.house import HouseRules, Side
from leftbower.rules.seats import Seat

TRICKS_PER_HAND: Final = 5
TRICKS_NEEDED: Final = 3
LONE_DEFENSE_POINTS: Final = 4

Points = Mapping[Seat, int]
"""The points of each seat that scores; both partners are listed, and their side scores the points once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """The result of a hand that was played out."""

    maker: Seat
    makers_tricks: int
    alone: bool = False
    defended_alone: bool = False


def points(rules: HouseRules, outcome: Outcome) -> Points:
    """The points of each seat for a hand that was played out."""
    if outcome.makers_tricks < TRICKS_NEEDED:
        return dict.fromkeys(rules.opponents_of(outcome.maker), _euchre(rules, outcome))
    if outcome.makers_tricks < TRICKS_PER_HAND:
        scored = rules.made_points_alone if outcome.alone else rules.made_points
    else:
        scored = rules.march_points_alone if outcome.alone else rules.march_points
    return dict.fromkeys(rules.side_of(outcome.maker), scored)


def _euchre(rules: HouseRules, outcome: Outcome) -> int:
    if outcome.defended_alone:
        return LONE_DEFENSE_POINTS
    return rules.euchre_points_alone if outcome.alone else rules.euchre_points


def winners(rules: HouseRules, scores: Sequence[int], maker: Seat | None = None) -> Side | None:
    """Who has won a game to a target: one side, or None.

    With three players, two can reach the target on one hand. Then the rules decide, and `maker` is the maker who scored
    on it.
    """
    ranked = sorted(scores, reverse=True)
    there = [side for side, score in zip(rules.sides, scores, strict=True) if score >= rules.target]
    if len(there) > 1 and rules.tie_at_target is TieAtTarget.ALL_WIN:
        return tuple(seat for side in there for seat in side)
    if len(there) > 1 and rules.tie_at_target is TieAtTarget.MAKER_FIRST and maker and (maker,) in there:
        return (maker,)
    if ranked[0] < rules.target or ranked[0] - ranked[1] < rules.win_by:
        return None
    return rules.sides[scores.index(ranked[0])]
