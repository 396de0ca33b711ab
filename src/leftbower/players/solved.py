"""Solved calls: for every class of hands and every place at the table, the mean of solved layouts of every call.

Whoever is asked to call knows five cards, the up-card, and that everybody before has passed: there are so few such
cases that each was solved once, in more layouts than anybody could wait for. `leftbower fit solved` makes the file.
"""

import zlib
from collections.abc import Iterable
from functools import cache
from importlib.resources import files
from typing import Final

from leftbower.engine import Name, Order, UpCard, View
from leftbower.players.classes import CLASSES, class_of
from leftbower.rules.cards import UNKNOWN, Suit

Call = Order | Name

PLACES: Final = 4
COLUMNS: Final = 8
"""At each place: the up-card's suit, the one next to it, and the two cross suits; then the same alone."""
_LEAST: Final = -2.0
"""The worst that can happen."""
_STEPS: Final = 32
"""A byte counts so many steps a point, from the least on."""


def solved(view: View, calls: Iterable[Call], place: int) -> dict[Call, float]:
    """The mean of solved layouts of each call, in points, for a seat so many places to the left of eldest."""
    hand = [card for card in view.cards if card is not UNKNOWN]
    number, suits = class_of(hand, view.up_card)
    table = _table()
    return {call: mean_of(table[at(number, place, _column(call, suits))]) for call in calls}


def best_later(view: View, place: int) -> float:
    """The best mean of what can be named in the second round, alone or not; nothing when that is here."""
    if view.up_card_is is not UpCard.TURNED_UP:
        return 0.0
    hand = [card for card in view.cards if card is not UNKNOWN]
    number, table = class_of(hand, view.up_card).number, _table()
    return max(mean_of(table[at(number, place, column)]) for column in (1, 2, 3, 5, 6, 7))


def at(number: int, place: int, column: int) -> int:
    """Where a mean stands in the table: column by column, because like beside like packs small."""
    return (place * COLUMNS + column) * CLASSES + number


def byte_of(mean: float) -> int:
    """A mean as a byte."""
    return round((mean - _LEAST) * _STEPS)


def mean_of(byte: int) -> float:
    """The mean a byte stands for."""
    return _LEAST + byte / _STEPS


def packed(means: bytes) -> bytes:
    """The table as it is kept."""
    return zlib.compress(means, 9)


def suit_of(column: int, suits: tuple[Suit, Suit, Suit, Suit]) -> Suit:
    """The suit of a column."""
    return suits[column % 4]


def _column(call: Call, suits: tuple[Suit, Suit, Suit, Suit]) -> int:
    return (suits.index(call.suit) if isinstance(call, Name) else 0) + 4 * call.alone


@cache
def _table() -> bytes:
    return zlib.decompress((files("leftbower.players") / "data" / "solved.bin").read_bytes())
