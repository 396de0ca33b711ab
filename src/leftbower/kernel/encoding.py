"""Cards as bits: the only file that says which bit is which card.

Seen from trump, a word of 32 bits has one byte for each suit, the better a card the higher its bit:

    byte   3 trump           2 cross       1 cross       0 next
    bits   9 T Q K A J' J    9 T J Q K A   9 T J Q K A   9 T Q K A
"""

from array import array
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Final, TypeAlias

from leftbower.kernel import search
from leftbower.kernel.position import Position
from leftbower.rules.cards import Card, Suit
from leftbower.rules.tricks import ranking

Words: TypeAlias = "array[int]"
"""Packed words, as the search reads them."""


def words_of(cards: Iterable[Card], trump: Suit) -> Words:
    """Each of these cards as a word of its own."""
    return array(_WORD, map(_bits(trump).__getitem__, cards))


def pack(positions: Sequence[Position]) -> Words:
    """Many positions, one after the other."""
    packed = array(_WORD)
    for position in positions:
        bits = _bits(position.trump)
        packed.extend([sum(map(bits.__getitem__, held)) for held in position.hands])
        packed.extend([0 if card is None else bits[card] for card in position.table])
        packed.append(position.leader)
        packed.append(position.makers_tricks)
    return packed


def empty(positions: int) -> Words:
    """Room for so many positions."""
    return array(_WORD, bytes(array(_WORD).itemsize * search.POSITION_WORDS * positions))


_WORD: Final = "I"


@cache
def _bits(trump: Suit) -> dict[Card, int]:
    suits = (trump.sister, *trump.cross, trump)
    ranked = ((byte, reversed(ranking(suit, trump))) for byte, suit in enumerate(suits))
    return {card: 1 << 8 * byte + rank for byte, cards in ranked for rank, card in enumerate(cards)}
