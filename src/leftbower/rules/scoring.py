"""Points of a hand that was played out.

makers' tricks        with partner or dummy     alone
5 (march)                     march             alone_march
3 or 4                        made              alone_made
0, 1 or 2 (euchre)            euchre            euchre_alone      to the other side
                              4, when a defender stood alone
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from leftbower.rules.choices import TieAtTarget
from leftbower.rules.house import HouseRules, Side
from leftbower.rules.seats import Seat

TRICKS: Final = 5
NEEDED: Final = 3
LONE_DEFENCE: Final = 4

Points = Mapping[Seat, int]
"""What each seat that scores is given; both partners of a side are listed, and the side scores it once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """How a hand ended that was played out."""

    maker: Seat
    makers_tricks: int
    alone: bool = False
    defended_alone: bool = False


def points(rules: HouseRules, outcome: Outcome) -> Points:
    """What each seat scores for a hand that was played out."""
    if outcome.makers_tricks < NEEDED:
        return dict.fromkeys(rules.opponents_of(outcome.maker), _euchre(rules, outcome))
    if outcome.makers_tricks < TRICKS:
        made = rules.alone_made if outcome.alone else rules.made
    else:
        made = rules.alone_march if outcome.alone else rules.march
    return dict.fromkeys(rules.side_of(outcome.maker), made)


def _euchre(rules: HouseRules, outcome: Outcome) -> int:
    if outcome.defended_alone:
        return LONE_DEFENCE
    return rules.euchre_alone if outcome.alone else rules.euchre


def winners(rules: HouseRules, scores: Sequence[int], maker: Seat | None = None) -> Side | None:
    """Who has won a game that is played to a target: one side, or None while none has.

    Among three, two players may reach the target on one hand, on which `maker` scored: the rules say who wins then.
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
