"""Layouts: one position with its hidden cards filled in at random many times, each with a weight.

All layouts that fit are equally likely. `weigh` makes those more likely that explain the bidding.
"""

from array import array
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Final

from leftbower.engine.knowledge import Location
from leftbower.kernel import encoding, search
from leftbower.kernel.batch import SEED_MASK, Batch
from leftbower.kernel.position import Position
from leftbower.rules.cards import Card

_ASIDE: Final = search.POSITION_WORDS - 1
"""The last pile: cards that imagined players discard."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HiddenLocation:
    """A location of hidden cards."""

    chair: int | None
    """The chair that holds them; None for a pile, or for a player who sits out."""
    size: int
    """The number of hidden cards in it."""
    allowed: Collection[Card]
    """The cards that can be in it."""
    owed: Collection[Card] = ()
    """At least one of the owed cards of all locations is where it is owed."""


class Layouts(Batch):
    """One position with many random completions of its hidden cards."""

    def __init__(
        self,
        known: Position,
        rooms: Mapping[Location, HiddenLocation],
        pool: Sequence[Card],
        *,
        count: int,
        seed: int,
        tries: int = 20_000,
    ) -> None:
        """Distribute the cards of the pool over the locations; `known` has all other cards.

        A layout that doesn't fit is rejected. If none of `tries` attempts fits, there are fewer layouts than `count`,
        possibly none.
        """
        super().__init__([known])
        self.trump, self._words_at = known.trump, _words_at(rooms)
        sizes, allowed, owed = self._asked(rooms)
        self._known, self._words = self._words, encoding.empty_positions(count)
        filled = search.sample(
            self._known,
            encoding.card_words(pool, self.trump),
            sizes,
            allowed,
            owed,
            self._words,
            0,
            count,
            seed & SEED_MASK,
            tries,
        )
        del self._words[filled * search.POSITION_WORDS :]
        self.weights = array("d", [1.0]) * filled

    def add(self, lying: Mapping[Location, Iterable[Card]]) -> None:
        """Add a layout with these cards in these locations."""
        words = self._known[:]
        for location, cards in lying.items():
            words[self._words_at[location]] |= encoding.pack_cards(cards, self.trump)
        self._words.extend(words)
        self.weights.append(1.0)

    def weigh(
        self,
        locations: Sequence[Location],
        worth: Mapping[Card, float],
        bias: float,
        *,
        called: bool,
        more: Iterable[Card] = (),
        less: Iterable[Card] = (),
    ) -> None:
        """Give more weight to layouts in which the player would have called, or passed, as the player did.

        The player was dealt the cards of one or two locations, plus `more`, minus `less`. The logistic function turns
        their total worth plus `bias` into the probability of a call.
        """
        words = [self._words_at[location] for location in locations]
        numbers = encoding.numbers_by_bit(worth, self.trump)
        numbers.append(bias)
        search.weigh(
            self._words,
            words[0],
            words[-1],
            encoding.pack_cards(more, self.trump),
            encoding.pack_cards(less, self.trump),
            numbers,
            self.weights,
            1.0 if called else -1.0,
        )

    def choose(self, count: int, point: float) -> None:
        """Resample `count` layouts in proportion to their weights; a layout drawn several times gets that weight.

        Systematic sampling: `point`, from 0 to 1, is the offset of the first step.
        """
        distinct = search.choose(self._words, self.weights, count, point)
        del self._words[distinct * search.POSITION_WORDS :]
        del self.weights[distinct:]

    def take_up(self, dealer: int, up_card: Card) -> None:
        """The dealer's chair takes the up-card in every layout and discards as sensible dealers do."""
        search.take(self._words, dealer, _ASIDE, encoding.pack_cards([up_card], self.trump))
        search.bury(self._words, dealer, _ASIDE, 1)

    def take_dummy(self, maker: int, dummy: Location, size: int) -> None:
        """The maker's chair takes the dummy in every layout and discards as sensible makers do."""
        search.take(self._words, maker, self._words_at[dummy], 0)
        search.bury(self._words, maker, _ASIDE, size)

    def held(self, location: Location) -> list[tuple[Card, ...]]:
        """The cards in a location, one entry per layout."""
        words = self._words[self._words_at[location] :: search.POSITION_WORDS]
        return [encoding.unpack_cards(word, self.trump) for word in words]

    def card_means(self, cards: Sequence[Card], worth: Sequence[float], *, exact: bool = False) -> list[float]:
        """For each card, the weighted mean of `worth` by the makers' tricks after it, from none to five."""
        tricks = self.card_tricks(cards) if exact else self.card_outcomes(cards)
        return self._means(tricks, len(cards), worth)

    def mean(self, worth: Sequence[float]) -> float:
        """The weighted mean of `worth` by the makers' outcome."""
        return self._means(self.outcomes(), 1, worth)[0]

    def shares(self) -> tuple[float, float, float]:
        """Weighted shares of layouts in which the makers are euchred, make it, and march."""
        tricks = self.outcomes()
        euchre, made_it, march = (
            self._means(tricks, 1, [float(tricks_taken == outcome) for tricks_taken in range(6)])[0]
            for outcome in (0, 3, 5)
        )
        return euchre, made_it, march

    def _means(self, tricks: "array[int]", count: int, worth: Sequence[float]) -> list[float]:
        means = array("d", bytes(8 * count))
        search.averages(tricks, count, self.weights, array("d", worth), means)
        return means.tolist()

    def _asked(self, rooms: Mapping[Location, HiddenLocation]) -> tuple["array[int]", "array[int]", "array[int]"]:
        sizes = array("i", [0]) * search.POSITION_WORDS
        allowed, owed = (array("I", [0]) * search.POSITION_WORDS for _ in range(2))
        for location, room in rooms.items():
            word = self._words_at[location]
            sizes[word] = room.size
            allowed[word] = encoding.pack_cards(room.allowed, self.trump)
            owed[word] = encoding.pack_cards(room.owed, self.trump)
        return sizes, allowed, owed


def _words_at(rooms: Mapping[Location, HiddenLocation]) -> dict[Location, int]:
    """Index of the word that holds the cards of each location."""
    heaps = count(encoding.FIRST_PILE_WORD)
    return {location: next(heaps) if room.chair is None else room.chair for location, room in rooms.items()}
