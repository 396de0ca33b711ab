"""OpenSpiel's information-set Monte Carlo tree search as an opponent, on the same cards with the seats swapped.

It has two flaws. When it imagines the other hands, OpenSpiel rearranges only the cards that other players hold, so its
search knows the three cards of the kitty and the dealer's discard; our players don't. And it breaks ties in an order
that varies between runs, so a pair always has the same cards and random numbers, but not always the same result.
"""

from collections.abc import Iterator
from functools import cache
from importlib import import_module
from random import Random
from typing import Final, Protocol

from leftbower.engine import Action, Deal, OpenState, Play, View
from leftbower.errors import BadUsage
from leftbower.notation.openspiel import openspiel_id
from leftbower.players.arena.arena import BoutTally, play_pair
from leftbower.players.roster import player
from leftbower.rules.cards import UNKNOWN
from proofs.openspiel import SpielState, Variant, variant

SIMULATIONS: Final = 1000
"""Default number of playouts per decision."""
UCT: Final = 2.0
"""Weight of exploration, in points."""


class SpielBot(Protocol):
    """A bot from OpenSpiel."""

    def step(self, state: SpielState) -> int: ...


class Ismcts:
    """The search as a player: it gets our state converted to OpenSpiel's, and keeps nothing between actions."""

    talks = False
    sees_all = True

    def __init__(self, simulations: int = SIMULATIONS) -> None:
        self.simulations = simulations

    @property
    def name(self) -> str:
        """The name of the search with its number of simulations."""
        return f"ismcts-{self.simulations}"

    def act(self, view: View, rng: Random) -> Action:
        """Raises an error: OpenSpiel needs the whole state, and hides cards by itself."""
        raise BadUsage("ismcts plays against our players in the bench and nowhere else")

    def act_seeing(self, state: OpenState, view: View, rng: Random) -> Action:
        """The action it tried most often."""
        if state.hand.rules != game().rules:
            raise BadUsage("ismcts knows no other rules than those of OpenSpiel's euchre")
        ours = {openspiel_id(action, view.up_card): action for action in view.legal}
        return ours[_search(self.simulations, rng).step(to_openspiel(state))]

    def remark(self, view: View, rng: Random) -> Action | None:
        return None


def play_pairs(spec: str, first: int, count: int, *, seed: int, simulations: int = SIMULATIONS) -> BoutTally:
    """Play pairs from number `first` between a player of the roster, A, and the search, B.

    Cards and random numbers depend only on the seed and the number of the pair, so a long comparison can be split and
    resumed.
    """
    a, b, rules = player(spec), Ismcts(simulations), game().rules
    pairs = range(first, first + count)
    return sum((play_pair(rules, a, b, seed=seed, pair=pair) for pair in pairs), BoutTally())


@cache
def game() -> Variant:
    """The game they play: four players, stick the dealer, no lone defenders, as in OpenSpiel."""
    return variant(stuck=True, lone_defenders=False)


def to_openspiel(state: OpenState) -> SpielState:
    """The same position in OpenSpiel."""
    theirs, deal = game().game.new_initial_state(), state.hand.deal
    for number in (
        deal.dealer.index,
        *(openspiel_id(action, deal.up_card) for action in (*_dealt(deal), *state.actions)),
    ):
        if number is None:
            raise BadUsage("OpenSpiel's euchre has no such act")
        theirs.apply_action(number)
    return theirs


def _dealt(deal: Deal) -> Iterator[Play]:
    """OpenSpiel's chance nodes: the cards one by one around the table, the dealer first, then the up-card."""
    round_the_table = [deal.dealer]
    while len(round_the_table) < 4:
        round_the_table.append(round_the_table[-1].left)
    for row in zip(*(deal.hands[seat.index] for seat in round_the_table), strict=True):
        yield from (Play(seat, card) for seat, card in zip(round_the_table, row, strict=True) if card is not UNKNOWN)
    yield Play(deal.dealer, deal.up_card)


def _search(simulations: int, rng: Random) -> SpielBot:
    pyspiel = import_module("pyspiel")
    rollouts = pyspiel.RandomRolloutEvaluator(1, rng.getrandbits(31))
    most_visits = pyspiel.ISMCTSFinalPolicyType.MAX_VISIT_COUNT
    bot: SpielBot = pyspiel.ISMCTSBot(rng.getrandbits(31), rollouts, UCT, simulations, final_policy_type=most_visits)
    return bot
