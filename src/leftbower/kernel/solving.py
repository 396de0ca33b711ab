"""Solve one hand, or thousands of layouts at once: what the makers take when nobody makes a mistake."""

import os
from array import array
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import Final, Self, TypeAlias

from leftbower.engine import Closing, Contract, Playing, Scored, State
from leftbower.engine.states import Interruption
from leftbower.errors import NothingToSolve
from leftbower.kernel import search
from leftbower.kernel.encoding import empty, pack, words_of
from leftbower.kernel.position import Position, position
from leftbower.rules.cards import DECK, Card, Suit
from leftbower.rules.house import HouseRules
from leftbower.rules.scoring import TRICKS, Outcome, points
from leftbower.rules.seats import Seat
from leftbower.rules.tricks import playable

Tricks: TypeAlias = "array[int]"
"""The makers' tricks, one small number for each position (times each card, times each playout)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Solution:
    """What a hand is worth from some point on when every card lies open and both sides play their best."""

    makers_tricks: int
    """Tricks the makers take in the whole hand."""
    makers_points: int
    """What that scores to the maker; below zero when the other side scores."""
    to_act: Seat | None
    cards: Mapping[Card, int]
    """For each card that may be laid: the makers' tricks in the whole hand after it."""


def solve(state: State) -> Solution:
    """The exact value of a hand that is being played, and of each card; of one that is over, what it came to."""
    while isinstance(state, Interruption):
        state = state.interrupted
    if isinstance(state, Closing | Scored):
        return _over(state)
    if not isinstance(state, Playing):
        raise NothingToSolve("there is nothing to solve before the first lead")
    return _solved(state)


def makers_points(rules: HouseRules, contract: Contract) -> tuple[int, ...]:
    """By the makers' tricks, from none to five: what the hand scores to the maker, below zero when others score."""
    outcomes = (
        Outcome(
            maker=contract.maker,
            makers_tricks=tricks,
            alone=contract.alone,
            defended_alone=contract.defender is not None,
        )
        for tricks in range(TRICKS + 1)
    )
    return tuple(
        scored if contract.maker in given else -scored
        for given in (points(rules, outcome) for outcome in outcomes)
        for scored in [next(iter(given.values()), 0)]
    )


class Batch:
    """Many positions, solved in one call that lets go of the interpreter, on as many threads as there are cores."""

    def __init__(self, positions: Sequence[Position]) -> None:
        """Positions of any kind; each has its own trump."""
        self._words = pack(positions)
        self._turns = {(one.to_act, one.trump) for one in positions}

    @classmethod
    def random(cls, count: int, *, seed: int, trump: Suit = Suit.SPADES) -> Self:
        """Random full deals for four with anyone to lead; the same for the same seed."""
        batch = cls([])
        batch._words, deck = empty(count), words_of(DECK, trump)
        _spread(count, None, lambda start, stop: search.deal(deck, batch._words, start, stop, seed))
        return batch

    def __len__(self) -> int:
        return len(self._words) // search.POSITION_WORDS

    def outcomes(self, *, threads: int | None = None) -> Tricks:
        """For each position 0 if the makers are euchred, 3 if they make it, 5 if they march."""
        return self._solved(exact=False, threads=threads)

    def tricks(self, *, threads: int | None = None) -> Tricks:
        """For each position the makers' tricks in the whole hand."""
        return self._solved(exact=True, threads=threads)

    def card_outcomes(self, cards: Sequence[Card], *, threads: int | None = None) -> Tricks:
        """For each position, and in it for each of these cards laid next, 0, 3 or 5 as in `outcomes`."""
        return self._solved_cards(cards, exact=False, threads=threads)

    def card_tricks(self, cards: Sequence[Card], *, threads: int | None = None) -> Tricks:
        """For each position, and in it for each of these cards laid next, the makers' tricks in the whole hand."""
        return self._solved_cards(cards, exact=True, threads=threads)

    def playouts(self, *, times: int = 1, seed: int, threads: int | None = None) -> Tricks:
        """Each position played out so many times, every legal card as likely: the makers' tricks.

        However the work is split, the same seed gives the same tricks.
        """
        tricks = _room(len(self) * times)
        _spread(len(self), threads, lambda start, stop: search.playouts(self._words, tricks, start, stop, times, seed))
        return tricks

    def _solved(self, *, exact: bool, threads: int | None) -> Tricks:
        tricks = _room(len(self))
        _spread(len(self), threads, lambda start, stop: search.solve(self._words, tricks, start, stop, exact))
        return tricks

    def _solved_cards(self, cards: Sequence[Card], *, exact: bool, threads: int | None) -> Tricks:
        chair, trump = next(iter(self._turns), (None, None))
        if len(self._turns) != 1 or chair is None or trump is None:
            raise ValueError("cards can be compared only where the same chair is to play and the same suit is trump")
        laid, tricks = words_of(cards, trump), _room(len(self) * len(cards))
        _spread(
            len(self),
            threads,
            lambda start, stop: search.solve_cards(self._words, laid, chair, tricks, start, stop, exact),
        )
        return tricks


PIECE: Final = 256
"""Positions worth a thread of their own: some milliseconds of work."""


def _spread(count: int, threads: int | None, work: Callable[[int, int], None]) -> None:
    """Do the work from 0 to `count` in as many pieces as there are threads, at once."""
    pieces = min(threads or os.cpu_count() or 1, max(1, count // PIECE))
    if pieces == 1:
        work(0, count)
        return
    bounds = [count * piece // pieces for piece in range(pieces + 1)]
    list(_pool(pieces).map(work, bounds[:-1], bounds[1:]))


@cache
def _pool(threads: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(threads, thread_name_prefix="kernel")


def _room(count: int) -> Tricks:
    return array("b", bytes(count))


def _over(state: Closing | Scored) -> Solution:
    """Nothing is left to play: the tricks are what they are."""
    if state.contract is None or state.makers_tricks is None:
        raise NothingToSolve("the hand is over, and it was not decided by tricks")
    return Solution(
        makers_tricks=state.makers_tricks,
        makers_points=makers_points(state.hand.rules, state.contract)[state.makers_tricks],
        to_act=None,
        cards=MappingProxyType({}),
    )


def _solved(state: Playing) -> Solution:
    rules, contract, here = state.hand.rules, state.contract, position(state)
    lead = here.table[here.leader]
    legal = playable(state.cards[state.to_act.index], lead and lead.suit_under(here.trump), here.trump)
    values = Batch([here]).card_tricks(legal)
    best = max(values) if state.to_act in rules.side_of(contract.maker) else min(values)
    return Solution(
        makers_tricks=best,
        makers_points=makers_points(rules, contract)[best],
        to_act=state.to_act,
        cards=MappingProxyType(dict(zip(legal, values, strict=True))),
    )
