"""Omniscient: a player who sees every card. It is the ceiling of the arena and never sits at a real table.

Whatever it decides, it follows every choice to the first lead, where the exact search takes over, and takes it that
all others see every card too and do what is best for their own side.
"""

from collections.abc import Sequence
from functools import lru_cache
from random import Random

from leftbower.engine.actions import Action, Bury, Play
from leftbower.engine.hand import acts, apply, whose_turn
from leftbower.engine.legal_view import view
from leftbower.engine.states import OpenState, Playing, Scored, State
from leftbower.engine.view import View
from leftbower.errors import BadUsage, NothingToSolve
from leftbower.kernel import solve
from leftbower.players.judgment.stakes import stakes
from leftbower.players.player import proper_actions
from leftbower.rules.scoring import Points, points


class Omniscient:
    """Does what brings its side most points when every card lies open."""

    name = "omniscient"
    talks = False
    sees_all = True

    def act(self, view: View, rng: Random) -> Action:
        """Refused: without the cards of the others it has nothing to say."""
        raise BadUsage("omniscient sees every card, so it plays in the arena and nowhere else")

    def remark(self, view: View, rng: Random) -> Action | None:
        return None

    def act_seeing(self, state: OpenState, view: View, rng: Random) -> Action:
        """What is best; the first of equals, and where an irregularity left nothing to solve, the first of all."""
        choices = proper_actions(view)
        try:
            return choices[0] if len(choices) == 1 else _best(state, view, choices)
        except NothingToSolve:
            return choices[0]


def outcome(state: State) -> Points:
    """The points when every player sees every card and plays best for their side."""
    if isinstance(state, Scored):
        return state.points
    return _solved(state) if isinstance(state, Playing) and not _owes_a_card(state) else _decided(state)


@lru_cache(1024)
def _decided(state: OpenState) -> Points:
    """The outcome before the play of cards; cached, because every seat asks for it."""
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
    """At an honor table a dealer may not have buried yet when the first card is due."""
    contract = state.contract
    return contract.ordered and contract.buried is None and any(isinstance(action, Bury) for action in acts(state))
