"""Layouts all fit and are equally likely; weights, means, discards and dummies match plain Python."""

from array import array
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from math import exp, fsum
from random import Random

import pytest

from leftbower.engine.knowledge import Location
from leftbower.kernel import Batch, HiddenLocation, Layouts, Position, search
from leftbower.kernel.encoding import FIRST_PILE_WORD, numbers_by_bit, pack_cards
from leftbower.rules import DECK, Card, Suit, parse_cards
from proofs import reference
from proofs.exact import draw, read

Rooms = Mapping[Location, HiddenLocation]

KNOWN = read("h 0 0 | JhAh - - - | - - - -")
POOL = parse_cards("9s9dTdQdKdAd9c")
ROOMS: Rooms = {
    "left": HiddenLocation(chair=1, size=2, allowed=parse_cards("9s9dTdQdKd9c")),
    "partner": HiddenLocation(chair=2, size=2, allowed=parse_cards("9sTdQdKdAd9c")),
    "kitty": HiddenLocation(chair=None, size=3, allowed=POOL),
}


def lying(layouts: Layouts, trump: Suit, word_indexes: Sequence[int]) -> list[tuple[frozenset[Card], ...]]:
    """The cards in these words of each layout."""
    words = array("I", layouts.packed)
    bits = {card: pack_cards([card], trump) for card in DECK}
    return [
        tuple(frozenset(card for card in DECK if words[first + word] & bits[card]) for word in word_indexes)
        for first in range(0, len(words), search.POSITION_WORDS)
    ]


def fitting_layouts(rooms: Rooms, pool: frozenset[Card], owing: bool = False) -> Iterator[tuple[frozenset[Card], ...]]:
    """Every layout by brute force, location by location; an owed card must be in place."""

    def fill(left: list[HiddenLocation], cards: frozenset[Card], paid: bool) -> Iterator[tuple[frozenset[Card], ...]]:
        if not left:
            if paid:
                yield ()
            return
        for chosen in combinations(sorted(cards & set(left[0].allowed)), left[0].size):
            pays = paid or bool(set(left[0].owed) & set(chosen))
            for others in fill(left[1:], cards.difference(chosen), pays):
                yield frozenset(chosen), *others

    return fill(list(rooms.values()), pool, not owing)


def chi_square(counts: Counter[tuple[frozenset[Card], ...]], cells: int, sample_size: int) -> float:
    """The deviation of the counts from even; about `cells`, give or take a few times the root of 2 `cells`."""
    expected = sample_size / cells
    return fsum((count - expected) ** 2 / expected for count in counts.values()) + (cells - len(counts)) * expected


# Sampling


@pytest.mark.parametrize("owed", ["", "Qd9s", "Kd"])
def test_every_layout_that_fits_is_as_likely_and_no_other_comes_up(owed: str) -> None:
    """Against the full list: chi-square within six standard deviations of the expected value."""
    rooms = dict(ROOMS)
    if owed:
        rooms["left"] = HiddenLocation(chair=1, size=2, allowed=ROOMS["left"].allowed, owed=parse_cards(owed))
        rooms["kitty"] = HiddenLocation(chair=None, size=3, allowed=POOL, owed=parse_cards(owed[:2]))
    every = set(fitting_layouts(rooms, frozenset(POOL), bool(owed)))
    count = 20_000
    layouts = Layouts(KNOWN, rooms, POOL, count=count, seed=5)
    counts = Counter(lying(layouts, Suit.HEARTS, (1, 2, FIRST_PILE_WORD)))
    assert len(layouts) == count
    assert set(counts) == every
    assert len(every) > 30
    assert abs(chi_square(counts, len(every), count) - len(every)) < 6 * (2 * len(every)) ** 0.5


def test_what_is_known_stays_as_it_is() -> None:
    """Hands, cards on the table, leader and tricks are the same in every layout."""
    known = read("s 3 1 | JsAd - - - | - - 9h Kh")
    rooms: Rooms = {
        "left": HiddenLocation(chair=1, size=1, allowed=DECK),
        "heap": HiddenLocation(chair=None, size=1, allowed=DECK),
    }
    layouts = Layouts(known, rooms, parse_cards("QhTh"), count=20, seed=1)
    words, before = array("I", layouts.packed), array("I", Batch([known]).packed)
    for first in range(0, len(words), search.POSITION_WORDS):
        assert words[first] == before[0]
        assert words[first + 2 : first + FIRST_PILE_WORD] == before[2:FIRST_PILE_WORD]


def test_layouts_are_the_same_for_the_same_seed_and_others_for_another() -> None:
    """Any number is a seed, and a smaller count gives a prefix of a larger one."""
    first, same, other = (Layouts(KNOWN, ROOMS, POOL, count=200, seed=seed) for seed in (7, 7 + 2**64, 8))
    assert first.packed == same.packed != other.packed
    assert first.packed.startswith(Layouts(KNOWN, ROOMS, POOL, count=50, seed=7).packed)


def test_where_nothing_fits_there_are_no_layouts() -> None:
    """A card without a location, or an owed card that can't be in place, is noticed after `tries` tries."""
    nowhere: Rooms = {
        location: HiddenLocation(chair=room.chair, size=room.size, allowed=parse_cards("9s"))
        for location, room in ROOMS.items()
    }
    unpaid: Rooms = {
        **ROOMS,
        "left": HiddenLocation(chair=1, size=2, allowed=ROOMS["left"].allowed, owed=parse_cards("As")),
    }
    for rooms in (nowhere, unpaid):
        layouts = Layouts(KNOWN, rooms, POOL, count=10, seed=1, tries=50)
        assert len(layouts) == len(layouts.weights) == 0


def test_where_hardly_anything_fits_there_are_fewer() -> None:
    """One layout in 210 fits, so two hundred tries find it only sometimes; those before the first failure stay."""
    sure: Rooms = {
        "left": HiddenLocation(chair=1, size=2, allowed=parse_cards("9s9d")),
        "partner": HiddenLocation(chair=2, size=2, allowed=parse_cards("TdQd")),
        "kitty": HiddenLocation(chair=None, size=3, allowed=parse_cards("KdAd9c")),
    }
    samples = [Layouts(KNOWN, sure, POOL, count=10, seed=seed, tries=200) for seed in range(20)]
    sizes = {len(layouts) for layouts in samples}
    assert 10 not in sizes
    assert len(sizes) > 2
    for layouts in samples:
        assert len(layouts.weights) == len(layouts)
        assert set(lying(layouts, Suit.HEARTS, (1, 2, FIRST_PILE_WORD))) <= set(fitting_layouts(sure, frozenset(POOL)))


def test_a_layout_can_be_added() -> None:
    """It has the cards and weight it was given, and is solved like the others."""
    layouts = Layouts(KNOWN, ROOMS, POOL, count=2, seed=1)
    added: dict[Location, tuple[Card, ...]] = {
        "left": parse_cards("9sTd"),
        "partner": parse_cards("QdKd"),
        "kitty": parse_cards("9dAd9c"),
    }
    layouts.add(added)
    assert lying(layouts, Suit.HEARTS, (1, 2, FIRST_PILE_WORD))[2] == tuple(map(frozenset, added.values()))
    assert (len(layouts), list(layouts.weights), len(layouts.outcomes())) == (3, [1.0, 1.0, 1.0], 3)


# Weights


@pytest.mark.parametrize("called", [True, False])
@pytest.mark.parametrize("locations", [["left"], ["left", "kitty"]])
def test_a_weight_is_the_logistic_of_what_the_cards_are_worth(called: bool, locations: list[Location]) -> None:
    """By plain Python, card by card; two calls multiply."""
    rng = Random(3)
    worth = {card: rng.gauss(0, 1) for card in DECK}
    more, less = parse_cards("As"), parse_cards("9cJh")
    layouts = Layouts(KNOWN, ROOMS, POOL, count=50, seed=2)
    for _ in range(2):
        layouts.weigh(locations, worth, -0.3, called=called, more=more, less=less)
    for weight, (left, kitty) in zip(layouts.weights, lying(layouts, Suit.HEARTS, (1, FIRST_PILE_WORD)), strict=True):
        dealt = (left | (kitty if "kitty" in locations else frozenset()) | set(more)) - set(less)
        total = -0.3 + fsum(worth[card] for card in dealt)
        likely = 1 / (1 + exp(-total))
        assert weight == pytest.approx((likely if called else 1 - likely) ** 2)


def test_layouts_are_chosen_as_often_as_their_weights_demand() -> None:
    """By plain Python: equal steps through the sum of the weights, and the layout in which each step ends."""
    for point in (0.0, 0.31, 0.99):
        layouts = Layouts(KNOWN, ROOMS, POOL, count=60, seed=5)
        layouts.weigh(["left"], {card: 0.5 * index for index, card in enumerate(DECK)}, -30.0, called=True)
        before, weights = lying(layouts, Suit.HEARTS, (1, 2, FIRST_PILE_WORD)), list(layouts.weights)
        sums = [fsum(weights[: index + 1]) for index in range(60)]
        ends = [
            next(
                index
                for index, cumulative in enumerate(sums)
                if (step + point) * sums[-1] / 40 < cumulative or index == 59
            )
            for step in range(40)
        ]
        layouts.choose(40, point)
        assert lying(layouts, Suit.HEARTS, (1, 2, FIRST_PILE_WORD)) == [before[index] for index in sorted(set(ends))]
        assert list(layouts.weights) == [ends.count(index) for index in sorted(set(ends))]
        assert sum(layouts.weights) == 40
        assert len(layouts.outcomes()) == len(layouts) < 40


def test_layouts_that_weigh_the_same_are_all_kept() -> None:
    layouts = Layouts(KNOWN, ROOMS, POOL, count=30, seed=6)
    before = lying(layouts, Suit.HEARTS, (1, 2, FIRST_PILE_WORD))
    layouts.choose(30, 0.5)
    assert lying(layouts, Suit.HEARTS, (1, 2, FIRST_PILE_WORD)) == before
    assert list(layouts.weights) == [1.0] * 30


def test_cards_are_numbered_by_their_bits() -> None:
    """Cards that aren't listed are worth 0."""
    for trump in Suit:
        numbers = numbers_by_bit({card: 1.0 + index for index, card in enumerate(DECK[:10])}, trump)
        assert len(numbers) == 32
        assert sum(map(bool, numbers)) == 10
        assert all(
            numbers[pack_cards([card], trump).bit_length() - 1] == 1 + index for index, card in enumerate(DECK[:10])
        )


# Means


def weighed(known: Position, rooms: Rooms, pool: Sequence[Card]) -> Layouts:
    layouts = Layouts(known, rooms, pool, count=80, seed=4)
    layouts.weigh(["left"], {card: 0.3 * index for index, card in enumerate(pool)}, -1.0, called=True)
    return layouts


def positions_of(layouts: Layouts, known: Position) -> list[Position]:
    """Each layout as a position."""
    hands = lying(layouts, known.trump, range(4))
    return [
        Position(
            trump=known.trump,
            hands=(tuple(first), tuple(two), tuple(three), tuple(four)),
            table=known.table,
            leader=known.leader,
            makers_tricks=known.makers_tricks,
        )
        for first, two, three, four in hands
    ]


ENDING = read("h 0 2 | JhTd - - - | - - - -")
END_ROOMS: Rooms = {
    "left": HiddenLocation(chair=1, size=2, allowed=DECK),
    "partner": HiddenLocation(chair=2, size=2, allowed=DECK),
    "right": HiddenLocation(chair=3, size=2, allowed=DECK),
    "kitty": HiddenLocation(chair=None, size=3, allowed=DECK),
}
END_POOL = parse_cards("9sKdQd9cTcAhAd9hKc")
WORTH = (-2.0, -2.5, -1.75, 1.0, 1.5, 2.0)


def plain_mean(values: Sequence[float], weights: Sequence[float]) -> float:
    return fsum(value * weight for value, weight in zip(values, weights, strict=True)) / fsum(weights)


def outcome(tricks: int) -> int:
    return 0 if tricks < 3 else 3 if tricks < 5 else 5


def test_means_are_those_of_the_solved_layouts() -> None:
    """The mean by outcome, by card and outcome or tricks, and the shares, all against the reference solver."""
    layouts = weighed(ENDING, END_ROOMS, END_POOL)
    weights, positions = list(layouts.weights), positions_of(layouts, ENDING)
    cards = parse_cards("TdJh")
    by_card = [[values[card] for values in map(reference.card_values, positions)] for card in cards]
    best = [max(values) for values in zip(*by_card, strict=True)]
    assert len({*best}) > 1
    assert layouts.mean(WORTH) == pytest.approx(plain_mean([WORTH[outcome(value)] for value in best], weights))
    exact = [plain_mean([WORTH[value] for value in values], weights) for values in by_card]
    rough = [plain_mean([WORTH[outcome(value)] for value in values], weights) for values in by_card]
    assert layouts.card_means(cards, WORTH, exact=True) == pytest.approx(exact)
    assert layouts.card_means(cards, WORTH) == pytest.approx(rough)
    shares = [plain_mean([float(outcome(value) == end) for value in best], weights) for end in (0, 3, 5)]
    assert layouts.shares() == pytest.approx(tuple(shares))
    assert fsum(layouts.shares()) == pytest.approx(1)


# Taking and discarding

HANDS: Rooms = {
    "left": HiddenLocation(chair=1, size=5, allowed=DECK),
    "partner": HiddenLocation(chair=2, size=5, allowed=DECK),
    "right": HiddenLocation(chair=3, size=5, allowed=DECK),
    "kitty": HiddenLocation(chair=None, size=3, allowed=DECK),
}
MINE = parse_cards("JhAhKhQh9s")
UP_CARD = parse_cards("Th")[0]
ASIDE = search.POSITION_WORDS - 1


def full(count: int = 300, seed: int = 6) -> Layouts:
    known = Position(trump=Suit.HEARTS, hands=(MINE, (), (), ()), table=(None,) * 4, leader=1, makers_tricks=0)
    pool = [card for card in DECK if card not in MINE and card is not UP_CARD]
    return Layouts(known, HANDS, pool, count=count, seed=seed)


def is_trump(card: Card) -> bool:
    return card.suit_under(Suit.HEARTS) is Suit.HEARTS


@pytest.mark.parametrize("chair", range(4))
def test_a_sampled_dealer_buries_a_side_card_before_a_trump(chair: int) -> None:
    """No card is lost, no other hand changes, and the up-card itself is discarded only if nothing else is left."""
    layouts = full()
    before = lying(layouts, Suit.HEARTS, (*range(4), ASIDE))
    layouts.take_up(chair, UP_CARD)
    for old, new in zip(before, lying(layouts, Suit.HEARTS, (*range(4), ASIDE)), strict=True):
        [buried] = new[4]
        assert old[4] == frozenset()
        assert new[chair] | {buried} == old[chair] | {UP_CARD}
        assert len(new[chair]) == 5
        assert all(new[other] == old[other] for other in range(4) if other != chair)
        assert not is_trump(buried) or all(map(is_trump, new[chair]))


def test_a_maker_takes_the_dummy_and_lays_as_many_away() -> None:
    """Five of eight cards are kept, the dummy's pile is empty, and trumps go last."""
    layouts = full()
    before = lying(layouts, Suit.HEARTS, (1, FIRST_PILE_WORD, ASIDE))
    layouts.take_dummy(1, "kitty", 3)
    for (hand, dummy, _), (left, heap, away) in zip(
        before, lying(layouts, Suit.HEARTS, (1, FIRST_PILE_WORD, ASIDE)), strict=True
    ):
        assert (len(left), len(away), heap) == (5, 3, frozenset())
        assert left | away == hand | dummy
        assert not any(map(is_trump, away)) or all(map(is_trump, left))


@pytest.mark.parametrize(
    ("hand", "buried"),
    [
        ("JhAh9sKdAc", "9s"),
        ("JhAh9sTsKd", "Kd"),
        ("JhAh9sTsAd", "9s"),
        ("JhAhKsAsQd", "Qd"),
        ("JhAhAdAsAc", "Ad"),
        ("JhAhQcKcJs", "Js"),
        ("JhJdAhKhQh", "Th"),
        ("JhAh9dTdAs", "9d"),
    ],
)
def test_what_a_sensible_dealer_buries(hand: str, buried: str) -> None:
    """First a low singleton, which leaves a void; then the lowest side card; an ace or a trump last."""
    cards = parse_cards(hand)
    known = Position(trump=Suit.HEARTS, hands=(cards, (), (), ()), table=(None,) * 4, leader=1, makers_tricks=0)
    layouts = Layouts(known, {}, (), count=1, seed=1)
    layouts.take_up(0, UP_CARD)
    assert lying(layouts, Suit.HEARTS, [ASIDE]) == [(frozenset(parse_cards(buried)),)]


def test_positions_of_every_kind_take_layouts() -> None:
    """A position without hidden cards has itself as its only layout."""
    for number in range(40):
        position = draw(number, seed=2)
        layouts = Layouts(position, {}, (), count=2, seed=1)
        assert layouts.packed == Batch([position, position]).packed
