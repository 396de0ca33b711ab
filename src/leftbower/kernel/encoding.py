"""Cards as bits: the only file that knows which bit is which card.

A word of 32 bits has one byte per suit, ordered relative to trump; a better card has a higher bit:

    byte   3 trump           2 cross       1 cross       0 next
    bits   9 T Q K A J' J    9 T J Q K A   9 T J Q K A   9 T Q K A
"""

from array import array
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, lru_cache
from typing import Final, TypeAlias

from leftbower.kernel import search
from leftbower.kernel.position import Position
from leftbower.rules import Card, Suit, ranking

Words: TypeAlias = "array[int]"
"""Packed words, as the search reads them."""
FIRST_PILE_WORD: Final = 10
"""Index of the first word for cards that aren't in play."""


def card_words(cards: Iterable[Card], trump: Suit) -> Words:
    """One word per card."""
    return array(_WORD, map(_bits(trump).__getitem__, cards))


def pack_cards(cards: Iterable[Card], trump: Suit) -> int:
    """One word with all these cards."""
    return sum(map(_bits(trump).__getitem__, cards))


@lru_cache(1 << 16)
def unpack_cards(word: int, trump: Suit) -> tuple[Card, ...]:
    return tuple(card for card, bit in _bits(trump).items() if word & bit)


def pack_positions(positions: Sequence[Position]) -> Words:
    packed = array(_WORD)
    for position in positions:
        bits = _bits(position.trump)
        packed.extend([sum(map(bits.__getitem__, held)) for held in position.hands])
        packed.extend([0 if card is None else bits[card] for card in position.table])
        packed.append(position.leader)
        packed.append(position.makers_tricks)
        packed.extend(_NO_HEAPS)
    return packed


def numbers_by_bit(worth: Mapping[Card, float], trump: Suit) -> "array[float]":
    """One number per bit of a word: the worth of its card."""
    numbers = array("d", bytes(8 * 32))
    for card, number in worth.items():
        numbers[_bits(trump)[card].bit_length() - 1] = number
    return numbers


def empty_positions(positions: int) -> Words:
    """Zeroed words for this many positions."""
    return array(_WORD, bytes(array(_WORD).itemsize * search.POSITION_WORDS * positions))


_WORD: Final = "I"
_NO_HEAPS: Final = (0,) * (search.POSITION_WORDS - FIRST_PILE_WORD)


@cache
def _bits(trump: Suit) -> dict[Card, int]:
    suits = (trump.sister, *trump.cross, trump)
    ranked = ((byte, reversed(ranking(suit, trump))) for byte, suit in enumerate(suits))
    return {card: 1 << 8 * byte + rank for byte, cards in ranked for rank, card in enumerate(cards)}
