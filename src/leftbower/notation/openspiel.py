"""OpenSpiel's ids for the cards and actions of its game `euchre`.

0 … 23      cards, from the nines up to the aces, in each rank clubs, diamonds, hearts, spades
24          pass
25 … 28     trump: clubs, diamonds, hearts, spades
29, 30      alone, together: asked of the maker after the discard, then of the defenders
"""

from typing import Final

from leftbower.engine import actions
from leftbower.rules.cards import Card, Rank, Suit

_CARDS: Final = tuple(Card(rank, suit) for rank in Rank for suit in Suit)
_CARD_IDS: Final = {card: number for number, card in enumerate(_CARDS)}
PASS: Final = 24
_TRUMP_IDS: Final = {suit: number for number, suit in enumerate(Suit, 25)}
_ALONE: Final = 29
_TOGETHER: Final = 30


def card_from_id(number: int) -> Card:
    return _CARDS[number]


def openspiel_id(action: actions.Action, up_card: Card) -> int | None:
    """The id of an action, given the up-card; None for an action that OpenSpiel's game doesn't have."""
    match action:
        case actions.Pass():
            return PASS
        case actions.Order(alone=False):
            return _TRUMP_IDS[up_card.suit]
        case actions.Name(alone=False):
            return _TRUMP_IDS[action.suit]
        case actions.Bury(card=Card() as card) | actions.Play(card=card):
            return _CARD_IDS[card]
        case actions.GoAlone() | actions.DefendAlone():
            return _ALONE
        case actions.GoTogether() | actions.DefendTogether():
            return _TOGETHER
        case _:
            return None
