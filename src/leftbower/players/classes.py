"""Classes of hands: all that is known before anybody has called is five cards and the up-card, and 105,798 such differ.

Suits have no names here. There is the up-card's suit, the suit next to it, and two cross suits, which may change
places. So a class has a number, and a hand tells which of its cross suits comes first there.
"""

from collections.abc import Collection, Iterator
from functools import cache
from itertools import combinations
from math import comb
from typing import Final, NamedTuple

from leftbower.rules.cards import Card, Rank, Suit

CLASSES: Final = 105_798
_RANKS: Final = tuple(Rank)
_SAME_COLOUR: Final = 11
"""The cards of the up-card's colour that a hand may have: the up-card itself is not among them."""
_MASKS: Final = 64
"""The hands in one cross suit."""


class Class(NamedTuple):
    """Where a hand belongs."""

    number: int
    suits: tuple[Suit, Suit, Suit, Suit]
    """The up-card's suit, the one next to it, and the cross suits in the order of the class."""


def class_of(hand: Collection[Card], up_card: Card) -> Class:
    """The class of five cards beside an up-card."""
    up, (one, other) = up_card.suit, up_card.suit.cross
    masks = dict.fromkeys(Suit, 0)
    for card in hand:
        masks[card.suit] |= 1 << _RANKS.index(card.rank)
    rank = _RANKS.index(up_card.rank)
    low = (1 << rank) - 1
    colour = masks[up] & low | masks[up] >> 1 & ~low | masks[up.sister] << 5
    if masks[one] < masks[other]:
        one, other = other, one
    pair = masks[one] * _MASKS + masks[other]
    parts = _parts()
    crossed = 5 - colour.bit_count()
    number = rank * (CLASSES // 6) + parts.first[crossed] + parts.colours[colour] * parts.many[crossed]
    return Class(number + parts.pairs[pair], (up, up.sister, one, other))


def hand_of(number: int) -> tuple[tuple[Card, ...], Card]:
    """A hand of this class, and its up-card, which is a club."""
    parts = _parts()
    rank, rest = divmod(number, CLASSES // 6)
    crossed = max(size for size, first in enumerate(parts.first) if first <= rest)
    at_colour, at_pair = divmod(rest - parts.first[crossed], parts.many[crossed])
    colour = parts.colours_of[5 - crossed][at_colour]
    one, other = divmod(parts.pairs_of[crossed][at_pair], _MASKS)
    low = (1 << rank) - 1
    up = colour & 31
    masks = (up & low | (up & ~low) << 1, colour >> 5, one, other)
    suits = (Suit.CLUBS, Suit.SPADES, Suit.DIAMONDS, Suit.HEARTS)
    hand = [Card(_RANKS[at], suit) for suit, mask in zip(suits, masks, strict=True) for at in _bits(mask)]
    return tuple(hand), Card(_RANKS[rank], Suit.CLUBS)


class _Parts(NamedTuple):
    """A hand in two parts, the cards of the up-card's colour and the pair of cross suits, numbered by their sizes."""

    first: list[int]
    """By the number of cross cards: where such hands begin."""
    many: list[int]
    """By the number of cross cards: how many pairs there are."""
    colours: dict[int, int]
    pairs: dict[int, int]
    colours_of: dict[int, list[int]]
    pairs_of: dict[int, list[int]]


@cache
def _parts() -> _Parts:
    colours_of = {
        size: [sum(1 << at for at in ats) for ats in combinations(range(_SAME_COLOUR), size)] for size in range(6)
    }
    pairs_of: dict[int, list[int]] = {size: [] for size in range(6)}
    for one in range(_MASKS):
        for other in range(one + 1):
            if one.bit_count() + other.bit_count() <= 5:
                pairs_of[one.bit_count() + other.bit_count()].append(one * _MASKS + other)
    many = [len(pairs_of[size]) for size in range(6)]
    sizes = [comb(_SAME_COLOUR, 5 - size) * many[size] for size in range(6)]
    return _Parts(
        first=[sum(sizes[:size]) for size in range(6)],
        many=many,
        colours={colour: at for colours in colours_of.values() for at, colour in enumerate(colours)},
        pairs={pair: at for pairs in pairs_of.values() for at, pair in enumerate(pairs)},
        colours_of=colours_of,
        pairs_of=pairs_of,
    )


def _bits(mask: int) -> Iterator[int]:
    return (at for at in range(6) if mask >> at & 1)
