"""Judging calls by what they have been worth: the fitted lines, in points or in the chance to win."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from leftbower.engine import Action, Contract, Name, Order, UpCard, View
from leftbower.kernel import Layouts
from leftbower.players.hunches import hunch
from leftbower.players.stakes import Stakes
from leftbower.players.values import tilted, values

Call = Order | Name


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
    """One decision to call or to pass, and what the solved layouts of each call say."""

    def __init__(
        self,
        view: View,
        stakes: Stakes,
        contracts: Mapping[Call, Contract],
        solved: Mapping[Call, Layouts],
        eager: float = 0.0,
    ) -> None:
        place = place_of(view)
        self.stakes, self.eager = stakes, eager
        self.lines = values(1 if view.up_card_is is UpCard.TURNED_UP else 2, place)
        self.hunches = {call: hunch(view, call, place) for call in contracts}
        self.shares = {call: _results(stakes, contracts[call], layouts) for call, layouts in solved.items()}
        self.means = {call: sum(net * share for net, share in shares.items()) for call, shares in self.shares.items()}

    def judge(self, choices: Sequence[Action]) -> list[Judged]:
        """What each choice is worth."""
        return [Judged(choice, self._worth(choice)) for choice in choices]

    def _worth(self, choice: Action) -> float:
        if isinstance(choice, Order | Name):
            line = self.lines.alone if choice.alone else self.lines.call
            results = tilted(self.shares[choice], line.at(self.means[choice], self.hunches[choice]))
        else:
            results = tilted(self.lines.passed, self._pass())
        return sum(chance * self.stakes.of_net(net) for net, chance in results.items())

    def _pass(self) -> float:
        """The points to expect from a pass, by the best call with partner that is passed up."""
        together = [mean for call, mean in self.means.items() if not call.alone] or list(self.means.values())
        return self.lines.pass_.at(max(together), max(self.hunches.values())) - self.eager


def _results(stakes: Stakes, contract: Contract, layouts: Layouts) -> dict[int, float]:
    """The shares of the solved layouts by the points they bring, ours less theirs."""
    nets = stakes.net(contract)
    results: dict[int, float] = {}
    for tricks, share in zip((0, 3, 5), layouts.shares(), strict=True):
        results[nets[tricks]] = results.get(nets[tricks], 0.0) + share
    return results
