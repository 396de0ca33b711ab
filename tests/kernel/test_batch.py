"""Batches: many positions at once, random deals, and playouts with uniformly random legal cards."""

from array import array
from collections import Counter
from collections.abc import Sequence
from itertools import product
from random import Random

import pytest

from leftbower.kernel import Batch, Position, batch as batches, search
from leftbower.kernel.encoding import card_words, pack_positions
from leftbower.rules import DECK, Suit, parse_cards, ranking
from proofs import reference
from proofs.exact import draw, lay, legal, read, size

SMALL_POSITIONS = [position for number in range(200) if size(number) <= 3 for position in [draw(number, seed=21)]]
"""Positions of every kind of table, with up to three tricks left."""


def reachable(position: Position) -> set[int]:
    """The makers' tricks at the end of every legal line of play."""
    cards = legal(position)
    if not cards:
        return {position.makers_tricks}
    return set().union(*(reachable(lay(position, card)) for card in cards))


def playout(position: Position, rng: Random) -> int:
    """The makers' tricks after playing random legal cards."""
    while cards := legal(position):
        position = lay(position, rng.choice(cards))
    return position.makers_tricks


def distance(first: Sequence[int], other: Sequence[int]) -> float:
    """The total variation distance of two distributions, from 0 to 1."""
    counts = Counter(first), Counter(other)
    return sum(abs(counts[0][value] / len(first) - counts[1][value] / len(other)) for value in range(6)) / 2


def words(batch: Batch) -> "array[int]":
    """The words that the search reads."""
    return array("I", batch.packed)


# Words


def test_a_better_card_has_a_higher_bit_of_its_own() -> None:
    """Trump is the top byte, and the top bit of each byte is free."""
    for trump in Suit:
        bits = dict(zip(DECK, card_words(DECK, trump), strict=True))
        assert len(set(bits.values())) == len(DECK)
        assert all(bit.bit_count() == 1 and not bit & 0x80808080 for bit in bits.values())
        for byte, suit in enumerate((trump.sister, *trump.cross, trump)):
            ranked = [bits[card] for card in reversed(ranking(suit, trump))]
            assert ranked == [1 << 8 * byte + rank for rank in range(len(ranked))]


def test_a_position_is_ten_words() -> None:
    """Four hands, four cards on the table, the leader and the makers' tricks."""
    packed = pack_positions([read("s 1 2 | JsAd 9c - Kc | - Ac - -"), read("h 0 0 | - - - - | - - - -")])
    assert len(packed) == 2 * search.POSITION_WORDS
    suit = {card: card_words([card], Suit.SPADES)[0] for card in DECK}
    jack, ace, nine, king, led = (suit[card] for card in parse_cards("JsAd9cKcAc"))
    assert list(packed) == [jack | ace, nine, 0, king, 0, led, 0, 0, 1, 2, *[0] * (6 + 16)]


# Many at once


def test_a_batch_of_mixed_positions_gives_each_its_value() -> None:
    """Any trump, any table, any number of cards, side by side."""
    batch = Batch(SMALL_POSITIONS)
    values = [reference.makers_tricks(position) for position in SMALL_POSITIONS]
    assert len({position.trump for position in SMALL_POSITIONS}) == 4
    assert len(batch) == len(SMALL_POSITIONS)
    assert list(batch.tricks()) == values
    assert list(batch.outcomes()) == [0 if tricks < 3 else 3 if tricks < 5 else 5 for tricks in values]


def test_cards_are_valued_in_every_position_of_a_batch() -> None:
    """Position by position, and in each card by card, in the order of the request."""
    lines = ["s 0 0 | JsAs9h JcKsAh - - | - - - -", "s 0 2 | JsAs9h ThTcTd - - | - - - -"]
    batch = Batch([read(line) for line in lines])
    assert list(batch.card_tricks(parse_cards("9hJs"))) == [2, 1, 4, 4]
    assert list(batch.card_outcomes(parse_cards("Js9h"))) == [0, 0, 3, 3]
    assert list(batch.card_tricks(())) == []


@pytest.mark.parametrize(
    "lines",
    [
        ["s 0 0 | As Ah - - | - - - -", "s 1 0 | As Ah - - | - - - -"],
        ["s 0 0 | As Ah - - | - - - -", "h 0 0 | As Ah - - | - - - -"],
        ["s 0 0 | - - - - | - - - -"],
        [],
    ],
)
def test_cards_of_different_turns_cannot_be_compared(lines: list[str]) -> None:
    """Another chair, another trump, no seat to act, no position: refused before anything is computed."""
    batch = Batch([read(line) for line in lines])
    for solve_batch in (batch.card_tricks, batch.card_outcomes):
        with pytest.raises(ValueError, match="the same chair is to play and the same suit is trump"):
            solve_batch(parse_cards("As"))


def test_an_empty_batch_has_no_answers() -> None:
    """No positions, no results, with any number of threads."""
    for batch in (Batch([]), Batch.random(0, seed=1)):
        assert len(batch) == 0
        assert batch.tricks() == batch.outcomes(threads=2) == batch.playouts(seed=1, times=3) == array("b")


def test_threads_change_nothing() -> None:
    """Enough positions for two chunks and more: the same results, in the same order, on one thread or three."""
    count = 3 * batches.MIN_POSITIONS_PER_THREAD + 1
    batch = Batch.random(count, seed=5)
    for solve_batch in (batch.tricks, batch.outcomes):
        assert solve_batch(threads=1) == solve_batch(threads=2) == solve_batch(threads=3) == solve_batch()
    position = read("s 0 0 | JsAs9h JcKsAh - - | - - - -")
    alike = Batch([position] * count)
    assert list(alike.card_tricks(position.hands[0], threads=2)) == [1, 1, 2] * count


@pytest.mark.parametrize("cores", [1, None])
def test_where_the_cores_cannot_be_counted_one_thread_works(cores: int | None, monkeypatch: pytest.MonkeyPatch) -> None:
    """The number of cores is only a hint."""
    expected = Batch.random(600, seed=5).outcomes()
    monkeypatch.setattr("os.cpu_count", lambda: cores)
    assert Batch.random(600, seed=5).outcomes() == expected


# Random deals


@pytest.mark.parametrize("trump", Suit)
def test_random_deals_give_each_chair_five_different_cards(trump: Suit) -> None:
    """Twenty cards of the deck, none twice, nothing on the table, no trick taken, and a chair leads."""
    deck = {bit: card for card, bit in zip(DECK, card_words(DECK, trump), strict=True)}
    dealt = words(Batch.random(500, seed=3, trump=trump))
    for first in range(0, len(dealt), search.POSITION_WORDS):
        hands, rest = dealt[first : first + 4], dealt[first + 4 : first + 10]
        held = [bit for word in hands for bit in deck if word & bit]
        assert [word.bit_count() for word in hands] == [5, 5, 5, 5]
        assert (len(held), len(set(held)), sum(held)) == (20, 20, sum(hands))
        assert (list(rest[:4]), rest[4] in range(4), rest[5]) == ([0, 0, 0, 0], True, 0)


def test_random_deals_depend_on_the_seed_alone() -> None:
    """However the work is split: deal n depends only on the seed and n."""
    packed = words(Batch.random(2000, seed=3))
    assert packed == words(Batch.random(2000, seed=3, threads=1)) == words(Batch.random(2000, seed=3, threads=3))
    assert packed[: search.POSITION_WORDS * 300] == words(Batch.random(300, seed=3))
    assert packed != words(Batch.random(2000, seed=4))


def test_random_deals_are_even() -> None:
    """Each card goes to each chair, and each chair leads, equally often: chi-square far from its tail."""
    count = 12_000
    dealt = words(Batch.random(count, seed=1))
    where: Counter[tuple[int, int]] = Counter()
    for chair, bit in product(range(4), card_words(DECK, Suit.SPADES)):
        where[chair, bit] = sum(bool(word & bit) for word in dealt[chair :: search.POSITION_WORDS])
    expected = count * 5 / 24
    assert sum((times - expected) ** 2 / expected for times in where.values()) < 160  # 96 cells
    leads = Counter(dealt[8 :: search.POSITION_WORDS])
    assert sum((leads[chair] - count / 4) ** 2 / (count / 4) for chair in range(4)) < 16


# Playouts


def test_a_playout_ends_in_something_that_can_happen() -> None:
    """Every result is the end of a legal line of play, and over time they all come up."""
    small = [position for position in SMALL_POSITIONS if sum(map(len, position.hands)) <= 6]
    assert len(small) > 60
    played = Batch(small).playouts(times=400, seed=9)
    for index, position in enumerate(small):
        assert set(played[400 * index : 400 * index + 400]) == reachable(position)


def test_best_play_lies_between_the_least_and_the_most() -> None:
    """The result of perfect play can be reached."""
    for position in SMALL_POSITIONS[:60]:
        assert reference.makers_tricks(position) in reachable(position)


def test_playouts_depend_on_the_seed_and_not_on_threads() -> None:
    """Playout n of a position depends only on the seed and n, not on the thread."""
    batch = Batch.random(2 * batches.MIN_POSITIONS_PER_THREAD, seed=8)
    played = batch.playouts(times=3, seed=4, threads=1)
    assert len(played) == 3 * len(batch)
    assert played == batch.playouts(times=3, seed=4, threads=2) == batch.playouts(times=3, seed=4)
    assert played != batch.playouts(times=3, seed=5)
    assert batch.playouts(seed=4) == batch.playouts(times=1, seed=4)


@pytest.mark.parametrize("number", [66, 67, 68, 69, 70, 71, 18, 20])
def test_playouts_fall_as_a_plain_playout_does(number: int) -> None:
    """Whole hands and others of each kind of table: 800 games against a loop over legal cards, within 6 %."""
    position, rng = draw(number, seed=31), Random(number)
    plain = [playout(position, rng) for _ in range(800)]
    assert distance(Batch([position]).playouts(times=20_000, seed=number), plain) < 0.06
