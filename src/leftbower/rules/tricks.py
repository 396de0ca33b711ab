"""Following suit and taking tricks: the order of cards once trump is made.

The order, highest first (J♠ right bower, J♣ left bower when spades are trump):

    trump          J  J'  A  K  Q  10  9      seven cards, including the left bower
    next           A  K  Q  10  9             five: its jack is trump
    cross (two)    A  K  Q  J  10  9          six each
"""

from collections.abc import Collection, Sequence
from functools import cache
from typing import Final

from leftbower.rules.cards import DECK, UNKNOWN, Card, Face, Rank, Suit

_PLAIN: Final = {rank: strength for strength, rank in enumerate(Rank)}
_TRUMP: Final = {rank: 6 + strength for strength, rank in enumerate(Rank)}
_LEFT_BOWER: Final = 6 + len(Rank)
_RIGHT_BOWER: Final = _LEFT_BOWER + 1


def strength(card: Card, trump: Suit, led: Suit) -> int:
    """The rank of a card in a trick to which `led` was led; -1 if it can't take the trick."""
    if card.is_right_bower(trump):
        return _RIGHT_BOWER
    if card.is_left_bower(trump):
        return _LEFT_BOWER
    if card.suit is trump:
        return _TRUMP[card.rank]
    return _PLAIN[card.rank] if card.suit is led else -1


def winning_card(trick: Sequence[Card], trump: Suit) -> Card:
    """The card that takes a trick: the highest trump, or else the highest card of the suit led."""
    return max(trick, key=_strengths(trump, trick[0].suit_under(trump)).__getitem__)


def playable(cards: Collection[Face], led: Suit | None, trump: Suit) -> tuple[Card, ...]:
    """Cards a player may play: any when leading (`led` is None) or unable to follow, otherwise those that follow."""
    if led is not None:
        suit = _belonging(led, trump)
        following = tuple([card for card in cards if card in suit])
        if following:
            return following  # an unknown card has no suit
    return tuple([card for card in cards if card is not UNKNOWN])


def ranking(suit: Suit, trump: Suit) -> tuple[Card, ...]:
    """The cards of `suit` once `trump` is made, highest first."""
    return tuple(sorted(_belonging(suit, trump), key=lambda card: -strength(card, trump, suit)))


@cache
def _belonging(suit: Suit, trump: Suit) -> frozenset[Card]:
    return frozenset(card for card in DECK if card.suit_under(trump) is suit)


@cache
def _strengths(trump: Suit, led: Suit) -> dict[Card, int]:
    return {card: strength(card, trump, led) for card in DECK}
