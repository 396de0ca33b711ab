"""Solve one hand: the makers' tricks if all play perfectly, and the result of each card."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from leftbower.engine.states import Closing, Contract, Interruption, Playing, Scored, State
from leftbower.errors import NothingToSolve
from leftbower.kernel.batch import Batch
from leftbower.kernel.position import position
from leftbower.rules import Card, HouseRules, Seat, playable, points
from leftbower.rules.scoring import TRICKS_PER_HAND


@dataclass(frozen=True, slots=True, kw_only=True)
class Solution:
    """The value of a hand from some point on, with all cards face up and both sides playing perfectly."""

    makers_tricks: int
    """The makers' tricks in the whole hand."""
    makers_points: int
    """The maker's points for that; negative if the other side scores."""
    to_act: Seat | None
    cards: Mapping[Card, int]
    """For each legal card: the makers' tricks in the whole hand after it."""


def solve(state: State) -> Solution:
    """Solve a hand in play, with the value of each card; a finished hand gives its result."""
    while isinstance(state, Interruption):
        state = state.interrupted
    if isinstance(state, Closing | Scored):
        return _solve_finished(state)
    if not isinstance(state, Playing):
        raise NothingToSolve("there is nothing to solve before the first lead")
    return _solve_playing(state)


def makers_points(rules: HouseRules, contract: Contract) -> tuple[int, ...]:
    """The maker's points for 0 to 5 tricks; negative if the other side scores."""
    return tuple(
        scored if contract.maker in scored_by else -scored
        for scored_by in (points(rules, contract.outcome(tricks)) for tricks in range(TRICKS_PER_HAND + 1))
        for scored in [next(iter(scored_by.values()), 0)]
    )


def _solve_finished(state: Closing | Scored) -> Solution:
    if state.contract is None or state.makers_tricks is None:
        raise NothingToSolve("the hand ended without tricks; there is nothing to solve")
    return Solution(
        makers_tricks=state.makers_tricks,
        makers_points=makers_points(state.hand.rules, state.contract)[state.makers_tricks],
        to_act=None,
        cards=MappingProxyType({}),
    )


def _solve_playing(state: Playing) -> Solution:
    rules, contract, current = state.hand.rules, state.contract, position(state)
    lead = current.table[current.leader]
    legal = playable(state.cards[state.to_act.index], lead and lead.suit_under(current.trump), current.trump)
    values = Batch([current]).card_tricks(legal)
    best = max(values) if state.to_act in rules.side_of(contract.maker) else min(values)
    return Solution(
        makers_tricks=best,
        makers_points=makers_points(rules, contract)[best],
        to_act=state.to_act,
        cards=MappingProxyType(dict(zip(legal, values, strict=True))),
    )
