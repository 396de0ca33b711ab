"""Precomputed calls: for every hand class and position, the mean value of every call over solved layouts.

A player who may call knows five cards, the up-card, and that everyone before passed. These cases are few enough to
solve each of them once, offline, in many layouts. `python -m training call-table` writes the file.
"""

import zlib
from collections.abc import Iterable
from functools import cache
from importlib.resources import files
from typing import Final

from leftbower.engine import Name, Order, UpCardStatus, View
from leftbower.players.judgment.hand_classes import CLASS_COUNT, classify
from leftbower.rules.cards import UNKNOWN, Suit

Call = Order | Name

POSITIONS: Final = 4
CALLS_PER_POSITION: Final = 8
"""At each position: the up-card's suit, the next suit, and the two cross suits; then the same alone."""
_LOWEST_MEAN: Final = -2.0
"""The lowest possible mean: a euchre."""
_STEPS_PER_POINT: Final = 32
"""Resolution of a byte, counted from the lowest mean."""


def solved_means(view: View, calls: Iterable[Call], position: int) -> dict[Call, float]:
    """The mean value of each call in points, for a position from the dealer's left."""
    hand = [card for card in view.cards if card is not UNKNOWN]
    number, suits = classify(hand, view.up_card)
    table = _table()
    return {call: decode_mean(table[table_index(number, position, _column(call, suits))]) for call in calls}


def best_later(view: View, position: int) -> float:
    """The best mean of a suit that can be named in the second round, alone or not; 0 in the second round."""
    if view.up_card_status is not UpCardStatus.TURNED_UP:
        return 0.0
    hand = [card for card in view.cards if card is not UNKNOWN]
    number, table = classify(hand, view.up_card).number, _table()
    return max(decode_mean(table[table_index(number, position, column)]) for column in (1, 2, 3, 5, 6, 7))


def table_index(number: int, position: int, column: int) -> int:
    """Index of a mean in the table; column-major, because similar values compress well."""
    return (position * CALLS_PER_POSITION + column) * CLASS_COUNT + number


def encode_mean(mean: float) -> int:
    return round((mean - _LOWEST_MEAN) * _STEPS_PER_POINT)


def decode_mean(byte: int) -> float:
    return _LOWEST_MEAN + byte / _STEPS_PER_POINT


def compress_table(means: bytes) -> bytes:
    return zlib.compress(means, 9)


def _column(call: Call, suits: tuple[Suit, Suit, Suit, Suit]) -> int:
    return (suits.index(call.suit) if isinstance(call, Name) else 0) + 4 * call.alone


@cache
def _table() -> bytes:
    return zlib.decompress((files("leftbower.players") / "data" / "call_table.bin").read_bytes())
