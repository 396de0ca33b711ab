"""The value of points at a score, computed by hand, and what calls and passes reveal about hands."""

from dataclasses import replace
from itertools import product
from math import fsum, isfinite
from random import Random

import pytest

from leftbower.engine import Contract, InHand, Name, Order, ToDeal, View, advance_game, deal_hand, view
from leftbower.kernel import Layouts
from leftbower.notation import parse_hand_line
from leftbower.players.judgment import call_model
from leftbower.players.judgment.call_model import first_round_weights, second_round_weights, weigh_layouts
from leftbower.players.judgment.layouts import layouts
from leftbower.players.judgment.stakes import Stakes, stakes
from leftbower.rules import DECK, Card, Rank, Seat, Suit, parse_cards, preset
from leftbower.rules.choices import GameEnds

N, E, S, W = Seat

# Stakes


def at_stake(sheet: str, seat: Seat, scores: tuple[int, ...] = (0, 0), *, in_points: bool = True) -> Stakes:
    """South deals."""
    return Stakes(rules=preset(sheet), scores=scores, dealer=S, seat=seat, in_points=in_points)


def by(maker: Seat, *, alone: bool = False, defender: Seat | None = None) -> Contract:
    return Contract(maker=maker, trump=Suit.SPADES, ordered=True, alone=alone, defender=defender)


@pytest.mark.parametrize(
    ("sheet", "seat", "contract", "worth"),
    [
        ("round-robin", N, by(N), (-2, -2, -2, 1, 1, 2)),
        ("round-robin", S, by(N), (-2, -2, -2, 1, 1, 2)),
        ("round-robin", E, by(N), (2, 2, 2, -1, -1, -2)),
        ("round-robin", N, by(N, alone=True), (-2, -2, -2, 1, 1, 4)),
        ("club", N, by(N, alone=True), (-4, -4, -4, 1, 1, 4)),
        ("club", E, by(N, defender=E), (4, 4, 4, -1, -1, -2)),
        ("club3", E, by(E), (-2, -2, -2, 1, 1, 2)),
        ("club3", N, by(E), (1, 1, 1, -0.5, -0.5, -1)),
        ("club2", S, by(N), (2, 2, 2, -1, -1, -2)),
    ],
)
def test_in_points_a_hand_is_worth_ours_less_theirs(
    sheet: str, seat: Seat, contract: Contract, worth: tuple[int, ...]
) -> None:
    """By the makers' tricks, from the sheets; with three players the others count half, even the other defender."""
    assert at_stake(sheet, seat).of(contract) == worth


def test_in_chances_the_last_point_is_worth_the_game() -> None:
    """9 to 9: the side that scores has won, and a march is worth no more than three tricks."""
    assert at_stake("round-robin", N, (9, 9), in_points=False).of(by(N)) == (0, 0, 0, 1, 1, 1)
    assert at_stake("round-robin", W, (9, 9), in_points=False).of(by(N)) == (1, 1, 1, 0, 0, 0)


def test_in_the_last_of_eight_hands_only_the_score_counts() -> None:
    """One point behind before the last of eight hands: one point ties, two win; earlier neither is true."""
    rules = replace(preset("round-robin"), game_ends=GameEnds.AFTER_8_HANDS)
    last_hand = Stakes(rules=rules, scores=(5, 6), dealer=S, seat=N, hands=7, in_points=False)
    assert last_hand.of(by(N)) == (0, 0, 0, 0.5, 0.5, 1)
    assert 0 < replace(last_hand, hands=5).of(by(N))[0] < replace(last_hand, hands=5).of(by(N))[5] < 1
    game = ToDeal(rules=rules, dealer=S, scores=(5, 6), hands=7)
    hand = advance_game(game, deal_hand(rules, dealer=S, deck=list(rules.deck)))
    assert isinstance(hand, InHand)
    assert stakes(view(hand.hand, N), in_points=False) == last_hand


def test_a_point_that_does_not_win_is_worth_what_follows() -> None:
    """8 to 9: a point makes it 9 to 9 and West deals. The dealer's side scores next in 66 of a hundred hands.

    Benjamin's count: the dealer's side gets 1, 2 or 4 points in 45, 16 and 5 hands of a hundred, the others in 34.
    """
    worth = at_stake("round-robin", N, (8, 9), in_points=False).of(by(N))
    assert worth == pytest.approx((0, 0, 0, 0.34, 0.34, 1))
    theirs = at_stake("round-robin", E, (8, 9), in_points=False).of(by(N))
    assert theirs == pytest.approx((1, 1, 1, 0.66, 0.66, 0))


def test_no_points_are_worth_nothing_and_cost_no_chance() -> None:
    """In a passed-out hand the deal moves on: at 9 to 9 that favors West's side."""
    assert at_stake("round-robin", N).of_points({}) == 0
    assert at_stake("round-robin", N, (9, 9), in_points=False).of_points({}) == pytest.approx(0.34)


def test_the_stakes_are_the_viewers() -> None:
    """Score, dealer and seat are those of the view."""
    seat_view = replace(at_west("p"), scores=(3, 4))
    assert stakes(seat_view, in_points=False) == Stakes(
        rules=seat_view.rules, scores=(3, 4), dealer=S, seat=W, in_points=False
    )


@pytest.mark.parametrize(("net", "worth"), [(2, 2.0), (-1, -1.0), (0, 0.0), (1.5, 1.5), (-0.25, -0.25)])
def test_expected_points_lie_between_whole_ones(net: float, worth: float) -> None:
    """In points they are worth themselves, for any side; in chances half a point is worth half of one."""
    for sheet, seat in (("round-robin", N), ("club2", S), ("club3", E)):
        assert at_stake(sheet, seat, (0,) * len(preset(sheet).sides)).of_expected(net) == pytest.approx(worth)
    close = at_stake("round-robin", N, (9, 9), in_points=False)
    assert (close.of_net(1), close.of_net(-1)) == (1, 0)
    assert close.of_expected(0.5) == pytest.approx((1 + close.of_net(0)) / 2)


# The call model


def at_west(calls: str, play: str = "", *, up_card: str = "9d", sheet: str = "campus") -> View:
    """West's view on the dealer's left; the other hands are unknown."""
    line = f"{{{sheet}}} S {up_card} N:?????????? E:?????????? S:?????????? W:JsJcAsAdAh | {calls} | {play}"
    return view(parse_hand_line(line), W)


def imagined(seat_view: View, count: int) -> Layouts:
    known_contract = seat_view.contract
    contract = (
        Contract(
            maker=known_contract.maker,
            trump=known_contract.trump,
            ordered=known_contract.ordered,
            alone=known_contract.alone,
        )
        if known_contract
        else Contract(maker=W, trump=seat_view.up_card.suit, ordered=True, alone=False)
    )
    return layouts(seat_view, contract, count, Random(1))


def likely(seat_view: View, seat: Seat, cards: str) -> tuple[float, float]:
    """The share of layouts in which a seat has one of these cards, before and after weighting by the calls."""
    sampled, held = imagined(seat_view, 3000), imagined(seat_view, 3000)
    held.weigh([seat], dict.fromkeys(parse_cards(cards), 100.0), -50.0, called=True)
    has = [weight > 0.5 for weight in held.weights]
    weigh_layouts(seat_view, sampled)
    weights = sampled.weights
    assert all(0 < weight <= 1 for weight in weights)
    after = fsum(weight for weight, holds in zip(weights, has, strict=True) if holds) / fsum(weights)
    return sum(has) / len(has), after


@pytest.mark.parametrize(("calls", "seat"), [("p o -??", N), ("p p o -??", E), ("p p p o -??", S)])
def test_a_call_makes_strong_hands_likelier(calls: str, seat: Seat) -> None:
    """A player who orders up diamonds has a bower or the king more often than at random."""
    before, after = likely(at_west(calls), seat, "JdJh")
    assert after > before + 0.1


@pytest.mark.parametrize("seat", [N, E])
def test_a_pass_makes_strong_hands_less_likely(seat: Seat) -> None:
    before, after = likely(at_west("p p p"), seat, "JdJh")
    assert after < before


def test_naming_and_passing_in_the_second_round_tell_too() -> None:
    """North names hearts, or passes them along with clubs and spades."""
    named = likely(at_west("p p p p p h"), N, "JhKh")
    passed = likely(at_west("p p p p p p"), N, "JhKh")
    assert named[1] > named[0] + 0.1
    assert passed[1] < passed[0]


def test_a_hand_is_weighed_as_it_was_dealt() -> None:
    """North ordered up: each weight is the logistic for what North was dealt, including the card already played."""
    seat_view = at_west("p o -??", "As9sTsQs")
    sampled = imagined(seat_view, 60)
    expected = imagined(seat_view, 60)
    row = first_round_weights(1, seat_view.up_card)
    expected.weigh([N], row.worth, row.bias, called=True, more=parse_cards("9s"))
    weigh_layouts(seat_view, sampled)
    assert list(sampled.weights) == pytest.approx(list(expected.weights))


def test_a_dealer_is_weighed_with_the_buried_card() -> None:
    """South, the only one who didn't pass, took the nine; before South discards there is no such pile."""
    seat_view = at_west("p p p o -??")
    sampled, expected = imagined(seat_view, 60), imagined(seat_view, 60)
    for position, seat in enumerate((N, E), 1):
        row = first_round_weights(position, seat_view.up_card)
        expected.weigh([seat], row.worth, row.bias, called=False)
    row = first_round_weights(3, seat_view.up_card)
    expected.weigh([S, "buried"], row.worth, row.bias, called=True, less=[seat_view.up_card])
    weigh_layouts(seat_view, sampled)
    assert list(sampled.weights) == pytest.approx(list(expected.weights))
    waiting = at_west("p p p o")
    sampled = imagined(waiting, 20)
    weigh_layouts(waiting, sampled)
    assert len(set(sampled.weights)) > 10


def test_own_calls_and_smaller_tables_are_not_weighed() -> None:
    """West knows why West passed; three players call differently from four."""
    own = at_west("p")
    line = "{club3} S 9d N:JsJcAsAdAh E:?????????? S:?????????? D:?????? | p o -??"
    for seat_view in (own, view(parse_hand_line(line), N)):
        sampled = imagined(seat_view, 20)
        weigh_layouts(seat_view, sampled)
        assert set(sampled.weights) == {1.0}


def test_there_is_a_row_for_every_round_position_and_suit() -> None:
    """Each has a number for every card, and a bower of the suit is worth more than any card of another suit."""
    first = [first_round_weights(position, card) for position, card in product(range(4), DECK)]
    second = [
        second_round_weights(position, down, suit)
        for position, down, suit in product(range(4), Suit, Suit)
        if down is not suit
    ]
    for row in (*first, *second):
        assert set(row.worth) == set(DECK)
        assert all(map(isfinite, (*row.worth.values(), row.bias)))
    for position, suit in product(range(4), Suit):
        worth = first_round_weights(position, Card(Rank.NINE, suit)).worth
        assert max(worth, key=lambda card: worth[card]) == Card(Rank.JACK, suit)


def test_every_row_of_the_file_is_complete() -> None:
    """Seven trumps, five cards of the next suit, six of the others, and the bias; nothing else."""
    rows = call_model._rows()
    assert {*rows} == {f"1-{index}" for index in range(4)} | {
        f"2-{index}-{kind}" for index in range(4) for kind in ("next", "cross")
    }
    for name, row in rows.items():
        sizes = {"trump": 7, "next": 5, "cross": 6, "any": 1} | ({"up_card": 6} if name[0] == "1" else {})
        assert {kind: len(numbers) for kind, numbers in row.items()} == sizes
        assert all(isfinite(number) for numbers in row.values() for number in numbers)


def test_a_call_likelihood_sums_over_the_viewers_own_hand() -> None:
    """The bias, plus the worth of each of the five cards under the suit in question."""
    seat_view = at_west("")
    for call, row in (
        (Order(W), first_round_weights(0, seat_view.up_card)),
        (Name(W, Suit.SPADES), second_round_weights(0, Suit.DIAMONDS, Suit.SPADES)),
    ):
        total = row.bias + fsum(row.worth[card] for card in parse_cards("JsJcAsAdAh"))
        assert call_model.call_logit(seat_view, call, 0) == pytest.approx(total)
