"""Fairness of shuffles: how often each card comes to each position, and whether decks repeat."""

from array import array
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from hashlib import blake2b, sha256
from math import erfc, sqrt
from os import urandom
from typing import Final

from leftbower.dealing import ENTROPY_BYTES, shuffled
from leftbower.rules.cards import DECK, Card

Shuffle = Callable[[bytes, Sequence[Card]], Sequence[Card]]
"""Orders the deck by entropy."""
FALSE_ALARM_RATE: Final = 1e-6
"""Probability that a fair shuffle is called uneven; the same for too even."""
CHUNK_DECKS: Final = 2_000
"""Decks between two updates of the progress bar; Ctrl-C loses at most this many per process."""

_NUMBERS: Final = {card: number for number, card in enumerate(DECK)}


@dataclass(frozen=True, slots=True, kw_only=True)
class ShuffleTally:
    """Counts over some decks."""

    decks: int
    counts: tuple[int, ...]
    """How often each card came to each position: all cards at the top, then all at position 1, and so on."""
    hashes: "array[int]"
    """64 bits of a hash for each deck, to find those that repeat."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fairness:
    """Result of the chi-square test, and repeated decks."""

    decks: int
    chi_square: float
    freedom: int
    p: float
    """Probability that chance alone is at least as uneven."""
    repeats: int
    """Number of decks that had come before."""

    @property
    def fair(self) -> bool:
        """Did the test pass, and was no deck repeated?"""
        return self.repeats == 0 and FALSE_ALARM_RATE <= self.p <= 1 - FALSE_ALARM_RATE


def chunks(decks: int) -> tuple[range, ...]:
    """The numbers of the decks, split into chunks."""
    return tuple(range(first, min(first + CHUNK_DECKS, decks)) for first in range(0, decks, CHUNK_DECKS))


def count(seed: int | None, numbers: range, shuffle: Shuffle = shuffled) -> ShuffleTally:
    """Shuffle the decks with these numbers and count the positions of the cards."""
    size = len(DECK)
    counts, hashes = [0] * size**2, array("Q")
    for number in numbers:
        order = bytes(map(_NUMBERS.__getitem__, shuffle(entropy(seed, number), DECK)))
        for position, card in enumerate(order):
            counts[size * position + card] += 1
        hashes.append(int.from_bytes(blake2b(order, digest_size=8).digest()))
    return ShuffleTally(decks=len(numbers), counts=tuple(counts), hashes=hashes)


def entropy(seed: int | None, number: int) -> bytes:
    """The entropy of one deck: from the system, or derived from a seed."""
    return urandom(ENTROPY_BYTES) if seed is None else sha256(f"leftbower shuffles {seed} {number}".encode()).digest()


def evaluate(tallies: Iterable[ShuffleTally]) -> Fairness:
    """Evaluate several tallies together.

    The counts of a fair shuffle vary in only (n - 1)² dimensions, because every deck has every card once, and in each
    of them n / (n - 1) times as much as independent counts, so Pearson's sum is divided by that.
    """
    tallies = list(tallies)
    size, decks = len(DECK), sum(tally.decks for tally in tallies)
    if not decks:
        raise ValueError("no deck was counted")
    expected = decks / size
    pearson = sum((sum(counts) - expected) ** 2 for counts in zip(*(tally.counts for tally in tallies), strict=True))
    chi_square, freedom = (size - 1) / size * pearson / expected, (size - 1) ** 2
    different = len({mark for tally in tallies for mark in tally.hashes})
    p = chi_square_tail(chi_square, freedom)
    return Fairness(decks=decks, chi_square=chi_square, freedom=freedom, p=p, repeats=decks - different)


def chi_square_tail(chi_square: float, freedom: int) -> float:
    """Probability of this value or more, by the Wilson-Hilferty approximation."""
    spread = 2 / (9 * freedom)
    return erfc(((chi_square / freedom) ** (1 / 3) - (1 - spread)) / sqrt(2 * spread)) / 2
