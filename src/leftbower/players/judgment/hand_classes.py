"""Hand classes: five cards and an up-card, up to renaming of suits; there are 105,798.

Suits have no names here. There is the up-card's suit, the next suit, and two cross suits, which can be swapped. Each
class has a number, and the hand itself decides which of its cross suits comes first.
"""

from collections.abc import Collection, Iterator
from functools import cache
from itertools import combinations
from math import comb
from typing import Final, NamedTuple

from leftbower.rules.cards import Card, Rank, Suit

CLASS_COUNT: Final = 105_798
_RANKS: Final = tuple(Rank)
_SAME_COLOR_CARDS: Final = 11
"""The cards of the up-card's color that a hand can have, which excludes the up-card itself."""
_MASKS: Final = 64
"""The number of possible holdings in one cross suit."""


class HandClass(NamedTuple):
    """The class of a hand."""

    number: int
    suits: tuple[Suit, Suit, Suit, Suit]
    """The up-card's suit, the next suit, and the cross suits in the order of the class."""


def classify(hand: Collection[Card], up_card: Card) -> HandClass:
    """The class of five cards with an up-card."""
    up, (first, second) = up_card.suit, up_card.suit.cross
    masks = dict.fromkeys(Suit, 0)
    for card in hand:
        masks[card.suit] |= 1 << _RANKS.index(card.rank)
    rank = _RANKS.index(up_card.rank)
    low = (1 << rank) - 1
    color = masks[up] & low | masks[up] >> 1 & ~low | masks[up.sister] << 5
    if masks[first] < masks[second]:
        first, second = second, first
    pair = masks[first] * _MASKS + masks[second]
    parts = _parts()
    crossed = 5 - color.bit_count()
    number = rank * (CLASS_COUNT // 6) + parts.first[crossed] + parts.colors[color] * parts.pair_counts[crossed]
    return HandClass(number + parts.pairs[pair], (up, up.sister, first, second))


def example_hand(number: int) -> tuple[tuple[Card, ...], Card]:
    """A hand of this class with its up-card, which is a club."""
    parts = _parts()
    rank, rest = divmod(number, CLASS_COUNT // 6)
    crossed = max(size for size, start in enumerate(parts.first) if start <= rest)
    at_color, at_pair = divmod(rest - parts.first[crossed], parts.pair_counts[crossed])
    color = parts.colors_of[5 - crossed][at_color]
    first, second = divmod(parts.pairs_of[crossed][at_pair], _MASKS)
    low = (1 << rank) - 1
    up = color & 31
    masks = (up & low | (up & ~low) << 1, color >> 5, first, second)
    suits = (Suit.CLUBS, Suit.SPADES, Suit.DIAMONDS, Suit.HEARTS)
    hand = [Card(_RANKS[index], suit) for suit, mask in zip(suits, masks, strict=True) for index in _bits(mask)]
    return tuple(hand), Card(_RANKS[rank], Suit.CLUBS)


class _Parts(NamedTuple):
    """A hand in two parts, the cards of the up-card's color and the two cross suits, each numbered by size."""

    first: list[int]
    """By number of cross cards: the first class number."""
    pair_counts: list[int]
    """By number of cross cards: how many pairs of cross suits there are."""
    colors: dict[int, int]
    pairs: dict[int, int]
    colors_of: dict[int, list[int]]
    pairs_of: dict[int, list[int]]


@cache
def _parts() -> _Parts:
    colors_of = {
        size: [sum(1 << bit for bit in bits) for bits in combinations(range(_SAME_COLOR_CARDS), size)]
        for size in range(6)
    }
    pairs_of: dict[int, list[int]] = {size: [] for size in range(6)}
    for first in range(_MASKS):
        for second in range(first + 1):
            if first.bit_count() + second.bit_count() <= 5:
                pairs_of[first.bit_count() + second.bit_count()].append(first * _MASKS + second)
    pair_counts = [len(pairs_of[size]) for size in range(6)]
    sizes = [comb(_SAME_COLOR_CARDS, 5 - size) * pair_counts[size] for size in range(6)]
    return _Parts(
        first=[sum(sizes[:size]) for size in range(6)],
        pair_counts=pair_counts,
        colors={color: index for colors in colors_of.values() for index, color in enumerate(colors)},
        pairs={pair: index for pairs in pairs_of.values() for index, pair in enumerate(pairs)},
        colors_of=colors_of,
        pairs_of=pairs_of,
    )


def _bits(mask: int) -> Iterator[int]:
    return (index for index in range(6) if mask >> index & 1)
