"""Batches: solve or play out thousands of positions in one call that releases the GIL."""

import os
from array import array
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Final, Self, TypeAlias

from leftbower.kernel import search
from leftbower.kernel.encoding import card_words, empty_positions, pack_positions
from leftbower.kernel.position import Position
from leftbower.rules.cards import DECK, Card, Suit

Tricks: TypeAlias = "array[int]"
"""The makers' tricks, one small number per position (times cards, times playouts)."""
SEED_MASK: Final = (1 << 64) - 1
"""The bits of a seed that are used. Any number may be passed; equal low 64 bits give equal results."""


class Batch:
    """Many positions, solved in one call that releases the GIL, on one thread per core."""

    def __init__(self, positions: Sequence[Position]) -> None:
        """Pack positions of any kind; each has its own trump."""
        self._words = pack_positions(positions)
        self._turns = {(position.to_act, position.trump) for position in positions}

    @classmethod
    def random(cls, count: int, *, seed: int, trump: Suit = Suit.SPADES, threads: int | None = None) -> Self:
        """Random full deals for four players with a random leader, reproducible by seed."""
        batch = cls([])
        batch._words, deck = empty_positions(count), card_words(DECK, trump)
        _run_in_threads(
            count, threads, lambda start, stop: search.deal(deck, batch._words, start, stop, seed & SEED_MASK)
        )
        return batch

    def __len__(self) -> int:
        return len(self._words) // search.POSITION_WORDS

    @property
    def packed(self) -> bytes:
        """The packed words, to send to another process."""
        return self._words.tobytes()

    def outcomes(self, *, threads: int | None = None) -> Tricks:
        """For each position: 0 if the makers are euchred, 3 if they make it, 5 if they march."""
        return self._solved(exact=False, threads=threads)

    def tricks(self, *, threads: int | None = None) -> Tricks:
        """For each position: the makers' tricks in the whole hand."""
        return self._solved(exact=True, threads=threads)

    def card_outcomes(self, cards: Sequence[Card], *, threads: int | None = None) -> Tricks:
        """For each position and each of these cards played next: 0, 3 or 5 as in `outcomes`.

        The cards must be legal in every position; this isn't checked.
        """
        return self._solved_cards(cards, exact=False, threads=threads)

    def card_tricks(self, cards: Sequence[Card], *, threads: int | None = None) -> Tricks:
        """For each position and each of these cards played next: the makers' tricks in the whole hand.

        The cards must be legal in every position; this isn't checked.
        """
        return self._solved_cards(cards, exact=True, threads=threads)

    def playouts(self, *, times: int = 1, seed: int, threads: int | None = None) -> Tricks:
        """The makers' tricks of each position, played out `times` times with uniformly random legal cards.

        The same seed gives the same tricks, however the work is split.
        """
        tricks = _empty_tricks(len(self) * times)
        _run_in_threads(
            len(self),
            threads,
            lambda start, stop: search.playouts(self._words, tricks, start, stop, times, seed & SEED_MASK),
        )
        return tricks

    def _solved(self, *, exact: bool, threads: int | None) -> Tricks:
        tricks = _empty_tricks(len(self))
        _run_in_threads(len(self), threads, lambda start, stop: search.solve(self._words, tricks, start, stop, exact))
        return tricks

    def _solved_cards(self, cards: Sequence[Card], *, exact: bool, threads: int | None) -> Tricks:
        chair, trump = next(iter(self._turns), (None, None))
        if len(self._turns) != 1 or chair is None or trump is None:
            raise ValueError("cards can be compared only where the same chair is to play and the same suit is trump")
        laid, tricks = card_words(cards, trump), _empty_tricks(len(self) * len(cards))
        _run_in_threads(
            len(self),
            threads,
            lambda start, stop: search.solve_cards(self._words, laid, chair, tricks, start, stop, exact),
        )
        return tricks


MIN_POSITIONS_PER_THREAD: Final = 256
"""Smallest share of work for a thread: a few milliseconds."""


def _run_in_threads(count: int, threads: int | None, work: Callable[[int, int], None]) -> None:
    """Split the range from 0 to `count` over threads and run `work` on each part."""
    pieces = min(threads or os.cpu_count() or 1, max(1, count // MIN_POSITIONS_PER_THREAD))
    if pieces == 1:
        work(0, count)
        return
    bounds = [count * piece // pieces for piece in range(pieces + 1)]
    list(_pool(pieces).map(work, bounds[:-1], bounds[1:]))


@cache
def _pool(threads: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(threads, thread_name_prefix="kernel")


def _empty_tricks(count: int) -> Tricks:
    return array("b", bytes(count))
