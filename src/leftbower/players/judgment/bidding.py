"""Values of calls and passes by the fitted models, in points or in win probability."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Final

from leftbower.engine import Action, Contract, Name, Order, PublicContract, UpCardStatus, View
from leftbower.players.judgment.call_model import call_logit
from leftbower.players.judgment.call_table import best_later
from leftbower.players.judgment.call_values import (
    call_features,
    call_values,
    lone_call_features,
    pass_features,
    with_mean,
)
from leftbower.players.judgment.stakes import Stakes

Call = Order | Name

_TRICKS_BY_POINTS: Final = {False: {-2: 0, 1: 3, 2: 5}, True: {-2: 0, 1: 3, 4: 5}}
"""With the partner and alone: the makers' tricks by the usual points, because means are in points."""
_USUAL_RESULT_SHARES: Final = {False: {-2: 0.37, 1: 0.53, 2: 0.10}, True: {-2: 0.06, 1: 0.86, 4: 0.08}}
"""Shares of the results of calls worth about 0 points, and of lone hands worth about 1."""


@dataclass(frozen=True, slots=True)
class ValuedAction:
    """An action and its value to the player."""

    action: Action
    worth: float


def known_contract(view: View) -> Contract:
    """The contract as the viewer knows it."""
    assert view.contract is not None
    return Contract(**{field.name: getattr(view.contract, field.name) for field in fields(PublicContract)})


def contract_of_call(view: View, call: Call) -> Contract:
    """The contract that a call would make."""
    trump = view.up_card.suit if isinstance(call, Order) else call.suit
    return Contract(maker=call.seat, trump=trump, ordered=isinstance(call, Order), alone=call.alone)


def bidding_position(view: View) -> int:
    """Seats between the dealer's left and the viewer: 0 for the first to bid."""
    assert view.seat is not None
    seats = view.rules.seats
    return (seats.index(view.seat) - seats.index(view.dealer) - 1) % len(seats)


class FittedCalls:
    """One decision to call or to pass, and the means of solved layouts of each call."""

    def __init__(self, view: View, stakes: Stakes, means: Mapping[Call, float], eager: float = 0.0) -> None:
        self.position = position = bidding_position(view)
        self.view, self.stakes, self.means, self.eager = view, stakes, means, eager
        self.lines = call_values(1 if view.up_card_status is UpCardStatus.TURNED_UP else 2, position)
        self.logits = {call: call_logit(view, call, position) for call in means}

    def judge(self, choices: Sequence[Action]) -> list[ValuedAction]:
        """The value of each choice."""
        return [
            ValuedAction(choice, self._call(choice) if isinstance(choice, Order | Name) else self._pass())
            for choice in choices
        ]

    def _call(self, call: Call) -> float:
        mean = self.means[call]
        lines = self.lines
        expected = (
            lines.alone.predict(lone_call_features(mean))
            if call.alone
            else lines.call.predict(call_features(mean, self.logits[call]))
        )
        results = with_mean(_USUAL_RESULT_SHARES[call.alone], expected)
        worth = self.stakes.of(contract_of_call(self.view, call))
        return sum(chance * worth[_TRICKS_BY_POINTS[call.alone][points]] for points, chance in results.items())

    def _pass(self) -> float:
        """The value of a pass, by the best call with partner that is passed up, and the best suit left to name."""
        together = [mean for call, mean in self.means.items() if not call.alone] or list(self.means.values())
        later = best_later(self.view, self.position)
        terms = pass_features(max(together), max(self.logits.values()), later)
        expected = self.lines.pass_.predict(terms) - self.eager
        return sum(chance * self.stakes.of_net(net) for net, chance in with_mean(self.lines.passed, expected).items())
