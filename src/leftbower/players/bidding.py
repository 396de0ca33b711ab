"""Judging calls by what they have been worth: the fitted lines, in points or in the chance to win."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from leftbower.engine import Action, Contract, Name, Order, UpCard, View
from leftbower.players.hunches import hunch
from leftbower.players.solved import best_later
from leftbower.players.stakes import Stakes
from leftbower.players.values import tilted, to_call, to_call_alone, to_pass, values

Call = Order | Name

_POINTS: Final = {False: {-2: 0, 1: 3, 2: 5}, True: {-2: 0, 1: 3, 4: 5}}
"""With partner and alone: the makers' tricks by the usual points, of which every mean speaks."""
_USUAL: Final = {False: {-2: 0.37, 1: 0.53, 2: 0.10}, True: {-2: 0.06, 1: 0.86, 4: 0.08}}
"""How often calls that are worth nothing much, and lone hands that are worth one point, come to which."""


@dataclass(frozen=True, slots=True)
class Judged:
    """An action and what it is worth to the player."""

    action: Action
    worth: float


def would_make(view: View, call: Call) -> Contract:
    """The contract that a call would make."""
    trump = view.up_card.suit if isinstance(call, Order) else call.suit
    return Contract(maker=call.seat, trump=trump, ordered=isinstance(call, Order), alone=call.alone)


def place_of(view: View) -> int:
    """How many places to the left of eldest the viewer sits."""
    assert view.seat is not None
    places = view.rules.places
    return (places.index(view.seat) - places.index(view.dealer) - 1) % len(places)


class Fitted:
    """One decision to call or to pass, and the means of solved layouts of each call."""

    def __init__(self, view: View, stakes: Stakes, means: Mapping[Call, float], eager: float = 0.0) -> None:
        self.place = place = place_of(view)
        self.view, self.stakes, self.means, self.eager = view, stakes, means, eager
        self.lines = values(1 if view.up_card_is is UpCard.TURNED_UP else 2, place)
        self.hunches = {call: hunch(view, call, place) for call in means}

    def judge(self, choices: Sequence[Action]) -> list[Judged]:
        """What each choice is worth."""
        return [
            Judged(choice, self._call(choice) if isinstance(choice, Order | Name) else self._pass())
            for choice in choices
        ]

    def _call(self, call: Call) -> float:
        mean = self.means[call]
        lines = self.lines
        expected = (
            lines.alone.at(to_call_alone(mean)) if call.alone else lines.call.at(to_call(mean, self.hunches[call]))
        )
        results = tilted(_USUAL[call.alone], expected)
        worth = self.stakes.of(would_make(self.view, call))
        return sum(chance * worth[_POINTS[call.alone][points]] for points, chance in results.items())

    def _pass(self) -> float:
        """By the best call with partner that is passed up, and the best that can still be named."""
        together = [mean for call, mean in self.means.items() if not call.alone] or list(self.means.values())
        later = best_later(self.view, self.place)
        terms = to_pass(max(together), max(self.hunches.values()), later)
        expected = self.lines.pass_.at(terms) - self.eager
        return sum(chance * self.stakes.of_net(net) for net, chance in tilted(self.lines.passed, expected).items())
