"""Omniscient: a player who sees every card. It is the upper bound in the arena and never sits at a real table.

It follows every choice to the first lead, where the exact search takes over. It assumes that all others see every card
too and play their best.
"""

from collections.abc import Sequence
from functools import lru_cache
from random import Random

from leftbower.engine import Action, Bury, OpenState, Play, Playing, Scored, State, View, acts, apply, view, whose_turn
from leftbower.errors import BadUsage, NothingToSolve
from leftbower.kernel import solve
from leftbower.players.judgment.stakes import stakes
from leftbower.players.player import proper_actions
from leftbower.rules.scoring import Points, points


class Omniscient:
    """Maximizes its side's points with all cards face up."""

    name = "omniscient"
    talks = False
    sees_all = True

    def act(self, view: View, rng: Random) -> Action:
        """Refuses: it can't play without seeing all cards."""
        raise BadUsage("omniscient sees every card, so it plays only in the arena")

    def remark(self, view: View, rng: Random) -> Action | None:
        return None

    def act_seeing(self, state: OpenState, view: View, rng: Random) -> Action:
        """The best action; the first of equals, or the first of all if an irregularity left nothing to solve."""
        choices = proper_actions(view)
        try:
            return choices[0] if len(choices) == 1 else _best(state, view, choices)
        except NothingToSolve:
            return choices[0]


def outcome(state: State) -> Points:
    """The points if every player sees every card and plays their best."""
    if isinstance(state, Scored):
        return state.points
    return _solved(state) if isinstance(state, Playing) and not _owes_a_card(state) else _decided(state)


@lru_cache(1024)
def _decided(state: OpenState) -> Points:
    """The outcome before the play; cached, because every seat asks for it."""
    seat_view = view(state, whose_turn(state))
    return outcome(apply(state, _best(state, seat_view, proper_actions(seat_view))))


def _best(state: OpenState, view: View, choices: Sequence[Action]) -> Action:
    at_stake = stakes(view, in_points=True)
    cards = [choice for choice in choices if isinstance(choice, Play)]
    if isinstance(state, Playing) and cards:
        worth, tricks = at_stake.of(state.contract), solve(state).cards
        return max(cards, key=lambda choice: worth[tricks[choice.card]])
    return max(choices, key=lambda choice: at_stake.of_points(outcome(apply(state, choice))))


def _solved(state: Playing) -> Points:
    return points(state.hand.rules, state.contract.outcome(solve(state).makers_tricks))


def _owes_a_card(state: Playing) -> bool:
    """Does the dealer at an honor table still have to discard when the first card is due?"""
    contract = state.contract
    return contract.ordered and contract.buried is None and any(isinstance(action, Bury) for action in acts(state))
