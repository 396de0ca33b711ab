"""The calls open to a seat in either round of bidding."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from leftbower.rules.cards import UNKNOWN, Card, Face, Suit
from leftbower.rules.choices import GoingAlone, NobodyCalls
from leftbower.rules.house import HouseRules
from leftbower.rules.seats import Seat


@dataclass(frozen=True, slots=True)
class Call:
    """A seat makes trump, alone or with its partner or the dummy."""

    trump: Suit
    alone: bool = False


def has_natural_trump(cards: Iterable[Face], suit: Suit) -> bool:
    """Was a card printed in `suit` dealt? The right bower counts; the left bower and the up-card don't.

    An unknown card may be one.
    """
    return any(card is UNKNOWN or card.suit is suit for card in cards)


def may_pass(rules: HouseRules, *, round: int, seat: Seat, dealer: Seat) -> bool:
    """May this seat pass? Everyone may, except a dealer who is stuck."""
    stuck = round == 2 and seat is dealer and rules.nobody_calls is NobodyCalls.STICK_THE_DEALER
    return not stuck


def open_calls(
    rules: HouseRules, *, round: int, seat: Seat, dealer: Seat, cards: Iterable[Face], up_card: Card
) -> tuple[Call, ...]:
    """The calls open to a seat that was dealt `cards`, when it is its turn to bid."""
    if round == 2:
        return tuple(call for suit in Suit if suit is not up_card.suit for call in _either_way(rules, suit))
    if seat is dealer and rules.natural_trump and not has_natural_trump(cards, up_card.suit):
        return ()
    if rules.partner_orders_alone and seat is dealer.partner:
        return (Call(up_card.suit, alone=True),)
    return tuple(_either_way(rules, up_card.suit))


def _either_way(rules: HouseRules, suit: Suit) -> Iterator[Call]:
    yield Call(suit)
    if rules.going_alone is GoingAlone.WITH_THE_CALL:
        yield Call(suit, alone=True)
