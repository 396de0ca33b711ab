"""The discard: the value of the hand that each discard leaves, in the same layouts."""

from collections.abc import Callable, Sequence

from leftbower.engine import Bury, Contract, LayAway, View
from leftbower.kernel import Layouts
from leftbower.players.judgment.bidding import ValuedAction
from leftbower.players.judgment.stakes import Worth
from leftbower.rules.cards import UNKNOWN, Card

Imagine = Callable[[tuple[Card, ...]], Layouts]
"""Samples layouts around a hand of the viewer, with the same seed for every hand, so that only the discard differs."""


def value_discards(
    view: View, contract: Contract, choices: Sequence[Bury | LayAway], worth: Worth, imagine: Imagine
) -> list[ValuedAction]:
    """The value of each card to discard, or of each set of cards to lay away."""
    return [ValuedAction(choice, imagine(_hand_after(view, contract, choice)).mean(worth)) for choice in choices]


def _hand_after(view: View, contract: Contract, choice: Bury | LayAway) -> tuple[Card, ...]:
    """The cards that are left; a dealer who took the up-card holds it by then."""
    discarded: Sequence[object] = [choice.card] if isinstance(choice, Bury) else choice.cards
    held = {card for card in view.cards if card is not UNKNOWN}
    if contract.ordered and view.seat is view.dealer and not _has_buried(view):
        held |= {view.up_card}
    return tuple(card for card in held if card not in discarded)


def _has_buried(view: View) -> bool:
    return any(isinstance(action, Bury) for action in view.actions)
