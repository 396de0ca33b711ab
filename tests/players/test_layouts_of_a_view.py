"""Layouts of a view: they fit what the viewer knows, are equally likely, and have the true position."""

from array import array
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import count, permutations
from math import fsum
from random import Random

import pytest

from honor_table import E, N, S, W, table
from leftbower.engine import Contract, Phase, Playing, State, View, active_seats, view
from leftbower.engine.knowledge import KITTY, HiddenCards, Location, hidden_cards
from leftbower.kernel import Batch, HiddenLocation, Layouts, chair_seats, position
from leftbower.kernel.encoding import FIRST_PILE_WORD, pack_cards
from leftbower.kernel.search import POSITION_WORDS
from leftbower.notation import parse_hand_line
from leftbower.players.judgment import layouts as module
from leftbower.players.judgment.layouts import DUMMY, layouts, sample_by_counting
from leftbower.rules import DECK, Card, Seat, Suit, parse_cards
from leftbower.rules.choices import Supervision
from proofs.information_leak import draw_rules, random_walk

Words = list["array[int]"]


def words_of_each(sampled: Layouts) -> Words:
    words = array("I", sampled.packed)
    return [words[index : index + POSITION_WORDS] for index in range(0, len(words), POSITION_WORDS)]


def word_at(seat_view: View, contract: Contract, unseen: HiddenCards, dummy: bool) -> dict[Location, int]:
    """The words of each location: the chair of an active player, otherwise the next pile."""
    heaps, chairs = count(FIRST_PILE_WORD), chair_seats(seat_view.rules, contract)
    playing = active_seats(seat_view.rules, contract)
    locations = [*unseen.sizes, *([DUMMY] if dummy else [])]
    return {
        location: chairs.index(location) if isinstance(location, Seat) and location in playing else next(heaps)
        for location in locations
    }


def check_layouts(seat_view: View, contract: Contract, sampled: Layouts) -> None:
    """Sizes, locations and owed cards of every layout, and that no card is lost."""
    unseen = hidden_cards(seat_view)
    dummy = bool(seat_view.rules.dummy_size and not seat_view.dummy and unseen.sizes[KITTY] > 3)
    word_indexes = word_at(seat_view, contract, unseen, dummy)
    bits = {card: pack_cards([card], contract.trump) for card in DECK}
    for words in words_of_each(sampled):
        lying = {
            card: {location for location in word_indexes if words[word_indexes[location]] & bits[card]}
            for card in unseen.locations
        }
        assert all(len(locations) == 1 for locations in lying.values())
        where = {card: KITTY if DUMMY in locations else next(iter(locations)) for card, locations in lying.items()}
        assert Counter(where.values()) == {location: size for location, size in unseen.sizes.items() if size}
        assert all(where[card] in homes for card, homes in unseen.locations.items())
        assert not unseen.owed or any(where[card] in homes for card, homes in unseen.owed.items())
        assert not dummy or words[word_indexes[DUMMY]].bit_count() == 3


def contract_of(seat_view: View) -> Contract:
    """The contract that was made, or one that the viewer could make."""
    if seat_view.contract is None:
        return Contract(
            maker=seat_view.seat or seat_view.dealer, trump=seat_view.up_card.suit, ordered=True, alone=False
        )
    known_contract = seat_view.contract
    return Contract(
        maker=known_contract.maker,
        trump=known_contract.trump,
        ordered=known_contract.ordered,
        alone=known_contract.alone,
        defender=known_contract.defender,
    )


def moments(limit: int, **fixed: object) -> Iterator[State]:
    """Random states of random hands, one or two from each."""
    for number in range(limit):
        rng = Random(f"moment {number}")
        walk = list(random_walk(draw_rules(rng, **fixed), rng))
        yield from rng.sample(walk, min(2, len(walk)))


@pytest.mark.parametrize("tries", [module.MAX_KERNEL_TRIES, 0])
def test_every_layout_fits_the_view(tries: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Any rules, phase and viewer, sampled by the kernel or, if that gives up, by counting."""
    monkeypatch.setattr(module, "MAX_KERNEL_TRIES", tries)
    phases: Counter[Phase] = Counter()
    for number, state in enumerate(moments(200)):
        rng = Random(number)
        seat_view = view(state, rng.choice(state.hand.rules.seats))
        sampled = layouts(seat_view, contract_of(seat_view), 6, rng)
        assert len(sampled) == 6
        check_layouts(seat_view, contract_of(seat_view), sampled)
        phases[seat_view.phase] += 1
    assert min(phases[phase] for phase in (Phase.BIDDING, Phase.PLAYING, Phase.EXCHANGING_DUMMY, Phase.CLOSING)) > 3


def test_the_position_is_the_one_on_the_table() -> None:
    """Trick, leader, makers' tricks and the viewer's hand match the engine whenever a hand can be solved."""
    compared = 0
    for number, state in enumerate(moments(150, supervision=Supervision.STRICT)):
        if isinstance(state, Playing):
            truth = array("I", Batch([position(state)]).packed)
            seat_view = view(state, state.to_act)
            chair = chair_seats(seat_view.rules, state.contract).index(state.to_act)
            for words in words_of_each(layouts(seat_view, contract_of(seat_view), 3, Random(number))):
                assert words[4:FIRST_PILE_WORD] == truth[4:FIRST_PILE_WORD]
                assert words[chair] == truth[chair]
                assert [word.bit_count() for word in words[:4]] == [word.bit_count() for word in truth[:4]]
            compared += 1
    assert compared > 60


UNKNOWN_HANDS = "N:?????????? E:?????????? S:?????????? W:JsJcAsAdAh"


def view_of(seat: Seat, line: str) -> View:
    return view(parse_hand_line(line), seat)


def test_the_same_rng_gives_the_same_layouts() -> None:
    seat_view = view_of(W, f"{{campus}} S 9d {UNKNOWN_HANDS} | o -?? | ")
    first, same, other = (layouts(seat_view, contract_of(seat_view), 30, Random(seed)) for seed in (1, 1, 2))
    assert first.packed == same.packed != other.packed


def test_a_hypothetical_hand_replaces_the_viewers() -> None:
    """A dealer's hand after a possible discard; the layouts of the others stay the same."""
    seat_view = view_of(W, f"{{campus}} W 9d {UNKNOWN_HANDS} | o")
    mine = parse_cards("JsJcAsAdAh")
    replaced, actual = (layouts(seat_view, contract_of(seat_view), 5, Random(1), mine=held) for held in (mine, None))
    chair = chair_seats(seat_view.rules, contract_of(seat_view)).index(W)
    for words, before in zip(words_of_each(replaced), words_of_each(actual), strict=True):
        assert words[chair] == pack_cards(mine, Suit.DIAMONDS)
        assert before[chair] == pack_cards((*mine, seat_view.up_card), Suit.DIAMONDS)
        assert [*words[:chair], *words[chair + 1 :]] == [*before[:chair], *before[chair + 1 :]]


def test_who_sits_out_has_an_empty_chair() -> None:
    """The viewer's own hand, or a partner's, which is a pile like others."""
    for viewer, line in (
        (W, f"{{campus}} W 9d {UNKNOWN_HANDS} | p o! -Ah"),
        (N, f"{{campus}} S 9d {UNKNOWN_HANDS} | p p o! -??"),
    ):
        seat_view = view_of(viewer, line)
        sampled = layouts(seat_view, contract_of(seat_view), 5, Random(1))
        empty = chair_seats(seat_view.rules, contract_of(seat_view)).index(contract_of(seat_view).maker.partner)
        assert all(words[empty] == 0 for words in words_of_each(sampled))
        check_layouts(seat_view, contract_of(seat_view), sampled)


def test_a_dummy_not_taken_has_a_heap_of_its_own() -> None:
    """Three of the eight hidden cards outside the hands; once taken they are the viewer's."""
    deal = "{club3} S 9d N:JsJcAsAdAh E:?????????? S:?????????? D:9hThQh | "
    for calls in ("", "p p p s", "p p p s &", "p p p s & -9hThQh", "p p p s !"):
        seat_view = view_of(N, deal + calls)
        check_layouts(seat_view, contract_of(seat_view), layouts(seat_view, contract_of(seat_view), 20, Random(3)))


def test_an_open_hand_is_in_every_layout() -> None:
    """North made a failed claim at an honor table: random layouts hardly ever fit that, so they are counted."""
    state = table("club", "N* E-")
    seat_view = view(state, S)
    sampled = layouts(seat_view, contract_of(seat_view), 8, Random(1))
    check_layouts(seat_view, contract_of(seat_view), sampled)
    north = pack_cards(parse_cards("JhAhAsAcAd"), Suit.HEARTS)
    assert all(words[0] == north for words in words_of_each(sampled))


def test_a_natural_trump_is_owed_however_layouts_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """round-robin: South called, so South has or discarded another diamond; West sees none of the four."""
    seat_view = view_of(W, f"{{round-robin}} S 9d {UNKNOWN_HANDS} | p p p o -?? | Js9s9cTs")
    for tries in (module.MAX_KERNEL_TRIES, 0):
        monkeypatch.setattr(module, "MAX_KERNEL_TRIES", tries)
        check_layouts(seat_view, contract_of(seat_view), layouts(seat_view, contract_of(seat_view), 100, Random(2)))


# Counting

CARDS = parse_cards("9sTsJsQsKsAs9h")
SIZES: dict[Location, int] = {N: 2, E: 2, KITTY: 3}
HOMES = {
    card: frozenset[Location]({N, KITTY} if index < 2 else {E, KITTY} if index < 3 else SIZES)
    for index, card in enumerate(CARDS)
}
OWED = {CARDS[0]: frozenset[Location]({N}), CARDS[4]: frozenset[Location]({N, E})}

Spread = tuple[frozenset[Card], ...]


def that_fit(owed: Mapping[Card, frozenset[Location]]) -> set[Spread]:
    """Every layout, by brute force over all orders of the cards."""
    found = set()
    for order in permutations(CARDS):
        lying = dict(zip(order, [location for location, size in SIZES.items() for _ in range(size)], strict=True))
        paid = not owed or any(lying[card] in locations for card, locations in owed.items())
        if paid and all(location in HOMES[card] for card, location in lying.items()):
            found.add(tuple(frozenset(card for card in CARDS if lying[card] == location) for location in SIZES))
    return found


@pytest.mark.parametrize("owed", [{}, OWED])
def test_counted_layouts_are_as_likely_as_the_kernels(
    owed: Mapping[Card, frozenset[Location]],
) -> None:
    """Both against the full list: chi-square within six standard deviations of the expected value."""
    every, sample_size, rng = that_fit(owed), 4_000, Random(1)
    counted = Counter[Spread]()
    for _ in range(sample_size):
        lying = sample_by_counting(SIZES, HOMES, rng, owed)
        counted[tuple(frozenset(lying[location]) for location in SIZES)] += 1
    rooms: dict[Location, HiddenLocation] = {
        location: HiddenLocation(
            chair=index if index < 2 else None,
            size=size,
            allowed=[card for card in CARDS if location in HOMES[card]],
            owed=[card for card, locations in owed.items() if location in locations],
        )
        for index, (location, size) in enumerate(SIZES.items())
    }
    seat_view = view_of(W, f"{{campus}} S 9d {UNKNOWN_HANDS}")
    known = module._known(seat_view, contract_of(seat_view), ())
    sampled = Counter[Spread]()
    bits = {card: pack_cards([card], Suit.DIAMONDS) for card in CARDS}
    for words in words_of_each(Layouts(known, rooms, CARDS, count=sample_size, seed=1)):
        sampled[
            tuple(frozenset(card for card in CARDS if words[index] & bits[card]) for index in (0, 1, FIRST_PILE_WORD))
        ] += 1
    expected = sample_size / len(every)
    for counts in (counted, sampled):
        assert set(counts) == every
        chi_square = fsum((times - expected) ** 2 / expected for times in counts.values())
        assert abs(chi_square - len(every)) < 6 * (2 * len(every)) ** 0.5
    assert len(every) > 25


def test_counting_finds_the_only_layout() -> None:
    """However unlikely at random; every card has its location, and a location may stay empty."""
    homes = {
        card: frozenset[Location]({N if index < 5 else E if index < 10 else KITTY})
        for index, card in enumerate(DECK[:13])
    }
    lying = sample_by_counting({N: 5, E: 5, KITTY: 3, S: 0}, homes, Random(1))
    assert {location: sorted(cards) for location, cards in lying.items()} == {
        N: sorted(DECK[:5]),
        E: sorted(DECK[5:10]),
        KITTY: sorted(DECK[10:13]),
        S: [],
    }
