"""Cards, suits, tricks and calls, all written by hand: what a card is, what may be played, and what takes a trick."""

from typing import Final

import pytest

from leftbower.errors import BadCard, BadSeat, BadSuit, LeftbowerError, Malformed
from leftbower.rules import (
    DECK,
    Card,
    Rank,
    Seat,
    Suit,
    has_natural_trump,
    may_pass,
    open_calls,
    parse_cards,
    playable,
    preset,
    ranking,
    strength,
    winning_card,
)

pytestmark = pytest.mark.unmeasured

N, E, S, W = Seat.N, Seat.E, Seat.S, Seat.W

RANKINGS: Final = [
    # trump, suit, its cards from the top
    ("c", "c", "Jc Js Ac Kc Qc Tc 9c"),
    ("c", "s", "As Ks Qs Ts 9s"),
    ("c", "d", "Ad Kd Qd Jd Td 9d"),
    ("c", "h", "Ah Kh Qh Jh Th 9h"),
    ("d", "d", "Jd Jh Ad Kd Qd Td 9d"),
    ("d", "h", "Ah Kh Qh Th 9h"),
    ("d", "c", "Ac Kc Qc Jc Tc 9c"),
    ("d", "s", "As Ks Qs Js Ts 9s"),
    ("h", "h", "Jh Jd Ah Kh Qh Th 9h"),
    ("h", "d", "Ad Kd Qd Td 9d"),
    ("h", "c", "Ac Kc Qc Jc Tc 9c"),
    ("h", "s", "As Ks Qs Js Ts 9s"),
    ("s", "s", "Js Jc As Ks Qs Ts 9s"),
    ("s", "c", "Ac Kc Qc Tc 9c"),
    ("s", "d", "Ad Kd Qd Jd Td 9d"),
    ("s", "h", "Ah Kh Qh Jh Th 9h"),
]

FAMILIES: Final = [
    # suit, its sister ("next"), and the two of the other color ("cross")
    ("c", "s", {"d", "h"}),
    ("d", "h", {"c", "s"}),
    ("h", "d", {"c", "s"}),
    ("s", "c", {"d", "h"}),
]

JACKS: Final = [
    # trump, and the suits that the jacks of clubs, diamonds, hearts and spades belong to
    ("c", "cdhc"),
    ("d", "cdds"),
    ("h", "chhs"),
    ("s", "sdhs"),
]

TRICKS: Final = [
    # trump, the trick as the cards fell, the card that takes it
    # no trump: the highest of the suit led
    ("s", "9h Th Qh Ah", "Ah"),
    ("s", "Ah Kh Qh Jh", "Ah"),
    ("c", "9d Td Jd Qd", "Qd"),
    ("s", "Jh Th 9h Qh", "Qh"),
    ("s", "Jd Td 9d Ah", "Jd"),
    # off suits can't win, however high
    ("s", "9h Ad Ac Kd", "9h"),
    ("d", "9c As Ah Ks", "9c"),
    ("c", "Th Ad Kd As", "Th"),
    # the lowest trump beats the highest plain card
    ("s", "Ah 9s Kh Qh", "9s"),
    ("h", "As Ks 9h Qs", "9h"),
    ("d", "Ac 9d Td Kc", "Td"),
    # among trumps: right bower, left bower, ace, king, queen, ten, nine
    ("h", "Ah Jh Jd Kh", "Jh"),
    ("h", "Ah Kh Jd Qh", "Jd"),
    ("c", "Ac Kc Qc Js", "Js"),
    ("c", "Js Jc Ac Kc", "Jc"),
    ("s", "As Jc Ks Qs", "Jc"),
    ("s", "Ks As Qs Ts", "As"),
    ("d", "Qd Kd Td 9d", "Kd"),
    ("d", "Td Qd 9d Jh", "Jh"),
    ("d", "Td Qd 9d Ac", "Qd"),
    # a left bower that is led asks for trump, and its sister suit doesn't follow it
    ("h", "Jd Ad Kd Qd", "Jd"),
    ("h", "Jd 9h Ad Kd", "Jd"),
    ("h", "Jd Jh Ad Kd", "Jh"),
    ("s", "Jc Ac As Kc", "Jc"),
    # the left bower trumps a trick in its printed suit
    ("s", "Ac Kc Jc Qc", "Jc"),
    ("c", "As Js Ks Qs", "Js"),
    ("d", "Ah Jh Kh Ad", "Jh"),
    ("h", "Ad Jd 9h Kd", "Jd"),
    # a jack of the other color is just a jack
    ("s", "Jh Qh Jd Th", "Qh"),
    ("s", "Jd Jh 9d Td", "Jd"),
    ("h", "Jc Js Tc Kc", "Kc"),
    ("c", "Jd 9c Jh Ad", "9c"),
    # lone hands: three cards, or two if both sides are alone or only two play
    ("s", "Ah 9s Th", "9s"),
    ("h", "9c Tc As", "Tc"),
    ("d", "Jh Jd Ah", "Jd"),
    ("c", "Kd Ad", "Ad"),
    ("c", "Kd Ah", "Kd"),
    ("c", "Js Ac", "Js"),
]

FOLLOWING: Final = [
    # trump, suit led, cards held, cards that may be played
    ("s", "h", "Ah 9h Ks Qc Td", "Ah 9h"),
    ("s", "h", "Ah Ks Qc Td 9d", "Ah"),
    # void: anything, and no need to trump
    ("s", "h", "Ks Qc Td 9d 9c", "Ks Qc Td 9d 9c"),
    ("s", "h", "Ad Qc Td 9d 9c", "Ad Qc Td 9d 9c"),
    # trump led must be followed with the left bower, if it is the only one
    ("s", "s", "Jc Ac Kc 9d Th", "Jc"),
    ("c", "c", "Js As Ks 9d Th", "Js"),
    ("h", "h", "Jd Ad Kd 9c Ts", "Jd"),
    ("d", "d", "Jh Ah Kh 9c Ts", "Jh"),
    ("s", "s", "Jc 9s Kc 9d Th", "Jc 9s"),
    ("s", "s", "Js Jc As Ks Qs", "Js Jc As Ks Qs"),
    # the left bower isn't a card of its printed suit
    ("s", "c", "Jc Ac Kc 9d Th", "Ac Kc"),
    ("s", "c", "Jc As 9d Th 9h", "Jc As 9d Th 9h"),
    ("h", "d", "Jd Td 9c Ts As", "Td"),
    ("h", "d", "Jd 9c Ts As Ah", "Jd 9c Ts As Ah"),
    ("c", "s", "Js 9s 9h Td Ac", "9s"),
    ("d", "h", "Jh Qh 9c Ts Ad", "Qh"),
    # the right bower is a trump, and other jacks follow their own suit
    ("s", "s", "Js Ac Kc 9d Th", "Js"),
    ("s", "c", "Js Tc Kd 9d Th", "Tc"),
    ("s", "d", "Jd Jc Ac 9h Th", "Jd"),
    ("s", "h", "Jd Jh Ac 9c Td", "Jh"),
    # a last card is always playable
    ("s", "h", "Jc", "Jc"),
]

POSITIONS: Final[dict[Seat, dict[str, Seat]]] = {
    # dealer: who sits where
    N: {"eldest": E, "partner": S, "third": W, "dealer": N},
    E: {"eldest": S, "partner": W, "third": N, "dealer": E},
    S: {"eldest": W, "partner": N, "third": E, "dealer": S},
    W: {"eldest": N, "partner": E, "third": S, "dealer": W},
}

CALLS: Final = [
    # sheet, round, position, the calls with a natural trump, and without one; nine of hearts up; ! is alone
    ("round-robin", 1, "eldest", "h h!", "h h!"),
    ("round-robin", 1, "partner", "h!", "h!"),
    ("round-robin", 1, "third", "h h!", "h h!"),
    ("round-robin", 1, "dealer", "h h!", ""),
    ("campus", 1, "eldest", "h h!", "h h!"),
    ("campus", 1, "partner", "h h!", "h h!"),
    ("campus", 1, "third", "h h!", "h h!"),
    ("campus", 1, "dealer", "h h!", "h h!"),
    ("school-cup", 1, "eldest", "h h!", "h h!"),
    ("school-cup", 1, "partner", "h h!", "h h!"),
    ("school-cup", 1, "third", "h h!", "h h!"),
    ("school-cup", 1, "dealer", "h h!", "h h!"),
    ("prize-night", 1, "eldest", "h h!", "h h!"),
    ("prize-night", 1, "partner", "h h!", "h h!"),
    ("prize-night", 1, "third", "h h!", "h h!"),
    ("prize-night", 1, "dealer", "h h!", "h h!"),
    ("club", 1, "eldest", "h", "h"),
    ("club", 1, "partner", "h", "h"),
    ("club", 1, "third", "h", "h"),
    ("club", 1, "dealer", "h", "h"),
    ("round-robin", 2, "eldest", "c c! d d! s s!", "c c! d d! s s!"),
    ("round-robin", 2, "partner", "c c! d d! s s!", "c c! d d! s s!"),
    ("round-robin", 2, "third", "c c! d d! s s!", "c c! d d! s s!"),
    ("round-robin", 2, "dealer", "c c! d d! s s!", "c c! d d! s s!"),
    ("campus", 2, "eldest", "c c! d d! s s!", "c c! d d! s s!"),
    ("campus", 2, "partner", "c c! d d! s s!", "c c! d d! s s!"),
    ("campus", 2, "third", "c c! d d! s s!", "c c! d d! s s!"),
    ("campus", 2, "dealer", "c c! d d! s s!", "c c! d d! s s!"),
    ("school-cup", 2, "eldest", "c c! d d! s s!", "c c! d d! s s!"),
    ("school-cup", 2, "partner", "c c! d d! s s!", "c c! d d! s s!"),
    ("school-cup", 2, "third", "c c! d d! s s!", "c c! d d! s s!"),
    ("school-cup", 2, "dealer", "c c! d d! s s!", "c c! d d! s s!"),
    ("prize-night", 2, "eldest", "c c! d d! s s!", "c c! d d! s s!"),
    ("prize-night", 2, "partner", "c c! d d! s s!", "c c! d d! s s!"),
    ("prize-night", 2, "third", "c c! d d! s s!", "c c! d d! s s!"),
    ("prize-night", 2, "dealer", "c c! d d! s s!", "c c! d d! s s!"),
    ("club", 2, "eldest", "c d s", "c d s"),
    ("club", 2, "partner", "c d s", "c d s"),
    ("club", 2, "third", "c d s", "c d s"),
    ("club", 2, "dealer", "c d s", "c d s"),
]

CALLS_WITHOUT_PARTNERS: Final = [
    # preset, round, dealer, seat, the calls
    ("club3", 1, N, E, "h"),
    ("club3", 1, N, S, "h"),
    ("club3", 1, N, N, "h"),
    ("club3", 2, E, S, "c d s"),
    ("club3", 2, E, N, "c d s"),
    ("club3", 2, E, E, "c d s"),
    ("club2", 1, S, N, "h"),
    ("club2", 1, S, S, "h"),
    ("club2", 2, N, S, "c d s"),
    ("club2", 2, N, N, "c d s"),
]

STUCK: Final = [
    # preset, dealer, and who may not pass in round two
    ("round-robin", N, ""),
    ("round-robin", E, ""),
    ("campus", N, "N"),
    ("campus", W, "W"),
    ("school-cup", E, "E"),
    ("school-cup", S, "S"),
    ("prize-night", N, "N"),
    ("prize-night", S, "S"),
    ("club", E, "E"),
    ("club", W, "W"),
    ("club3", N, "N"),
    ("club3", S, "S"),
    ("club2", N, "N"),
    ("club2", S, "S"),
]


def cards(text: str) -> tuple[Card, ...]:
    """The cards of `Jd Ad`."""
    return tuple(Card.parse(word) for word in text.split())


def calls(sheet: str, *, round: int, seat: Seat, dealer: Seat, hand: str, up_card: str = "9h") -> list[str]:
    """The calls open to a seat, in the notation of the table above."""
    open_to_seat = open_calls(
        preset(sheet), round=round, seat=seat, dealer=dealer, cards=cards(hand), up_card=Card.parse(up_card)
    )
    return sorted(f"{call.trump}{'!' if call.alone else ''}" for call in open_to_seat)


# --- ranking -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("trump", "suit", "highest_first"), RANKINGS)
def test_the_cards_of_a_suit_rank_as_written(trump: str, suit: str, highest_first: str) -> None:
    """Seven trumps with both bowers on top, five cards next without its jack, six in each cross suit."""
    assert ranking(Suit.parse(suit), Suit.parse(trump)) == cards(highest_first)


@pytest.mark.parametrize(("trump", "suit", "highest_first"), RANKINGS)
def test_a_card_belongs_to_the_suit_it_ranks_in(trump: str, suit: str, highest_first: str) -> None:
    """A card's suit is the one whose ranking lists it."""
    assert {card.suit_under(Suit.parse(trump)) for card in cards(highest_first)} == {Suit.parse(suit)}


@pytest.mark.parametrize("trump", ["c", "d", "h", "s"])
def test_every_card_belongs_to_one_suit(trump: str) -> None:
    """The four rankings have 7, 5, 6 and 6 cards, and all 24 together."""
    rows = [row.split() for ranked_trump, _, row in RANKINGS if ranked_trump == trump]
    assert [len(row) for row in rows if row[0][0] == "J"] == [7]
    assert sorted(map(len, rows)) == [5, 6, 6, 7]
    assert len({name for row in rows for name in row}) == 24


@pytest.mark.parametrize(("trump", "suit", "highest_first"), RANKINGS)
def test_when_a_suit_is_led_each_of_its_cards_beats_those_below_it(trump: str, suit: str, highest_first: str) -> None:
    """A higher card in a ranking takes the trick from a lower one, in whatever order they are played."""
    order = cards(highest_first)
    for index, high in enumerate(order):
        for low in order[index + 1 :]:
            assert winning_card((high, low), Suit.parse(trump)) is high
            assert winning_card((low, high), Suit.parse(trump)) is high


@pytest.mark.parametrize("trump", ["c", "d", "h", "s"])
def test_every_trump_beats_every_other_card(trump: str) -> None:
    """Whatever is led, the nine of trump takes the aces of the other suits."""
    trumps = {ranked_trump: cards(row) for ranked_trump, suit, row in RANKINGS if ranked_trump == suit}[trump]
    for plain in (card for card in DECK if card not in trumps):
        for trump_card in trumps:
            assert winning_card((plain, trump_card), Suit.parse(trump)) is trump_card
            assert winning_card((trump_card, plain), Suit.parse(trump)) is trump_card


@pytest.mark.parametrize(("trump", "suits"), JACKS)
def test_the_jack_of_the_sister_suit_goes_over_to_trump(trump: str, suits: str) -> None:
    """Of the four jacks only the left bower changes its suit."""
    jacks = cards("Jc Jd Jh Js")
    assert [str(jack.suit_under(Suit.parse(trump))) for jack in jacks] == list(suits)


@pytest.mark.parametrize(
    ("trump", "right", "left"), [("c", "Jc", "Js"), ("d", "Jd", "Jh"), ("h", "Jh", "Jd"), ("s", "Js", "Jc")]
)
def test_there_is_one_right_and_one_left_bower(trump: str, right: str, left: str) -> None:
    """The right bower is the jack of trump, the left the other jack of its color; no other card is a bower."""
    assert [str(card) for card in DECK if card.is_right_bower(Suit.parse(trump))] == [right]
    assert [str(card) for card in DECK if card.is_left_bower(Suit.parse(trump))] == [left]


@pytest.mark.parametrize(("suit", "sister", "cross"), FAMILIES)
def test_suits_have_a_sister_and_two_cross_suits(suit: str, sister: str, cross: set[str]) -> None:
    """Next is the other suit of the same color; cross are the two of the other color."""
    assert Suit.parse(suit).sister is Suit.parse(sister)
    assert {str(other) for other in Suit.parse(suit).cross} == cross
    assert len(Suit.parse(suit).cross) == 2


def test_hearts_and_diamonds_are_red() -> None:
    """Two suits of each color."""
    assert {suit for suit in Suit if suit.is_red} == {Suit.HEARTS, Suit.DIAMONDS}


# --- tricks ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("trump", "trick", "taken_by"), TRICKS)
def test_the_highest_trump_or_card_led_takes_the_trick(trump: str, trick: str, taken_by: str) -> None:
    """Each trick was judged by hand."""
    assert str(winning_card(cards(trick), Suit.parse(trump))) == taken_by


def test_prize_night_spades_rank_as_its_sheet_lists_them() -> None:
    """Prize night: with spades made, the jack of clubs stands between the jack and the ace of spades."""
    order = cards("Js Jc As Ks Qs Ts 9s")
    for index in range(6):
        assert winning_card((order[index + 1], order[index]), Suit.SPADES) is order[index]


def test_school_cups_example_hand_takes_all_five_tricks() -> None:
    """School cup: holding both bowers, ace, king and queen of spades, each lead beats every card others can hold."""
    mine = cards("Js Jc As Ks Qs")
    others = [card for card in DECK if card not in mine]
    assert all(winning_card((lead, other), Suit.SPADES) is lead for lead in mine for other in others)


@pytest.mark.parametrize(
    ("card", "trump", "led"),
    [("Ad", "s", "h"), ("Jd", "s", "c"), ("Ac", "s", "h"), ("Ah", "c", "s"), ("Kd", "h", "h"), ("Js", "h", "c")],
)
def test_a_card_neither_trump_nor_of_the_suit_led_has_no_strength(card: str, trump: str, led: str) -> None:
    """A card that can't take the trick has strength -1."""
    assert strength(Card.parse(card), Suit.parse(trump), Suit.parse(led)) == -1


@pytest.mark.parametrize(("trump", "led", "held", "may_play"), FOLLOWING)
def test_a_player_follows_suit_if_able(trump: str, led: str, held: str, may_play: str) -> None:
    """The left bower follows trump and not its printed suit; without a card of the suit led anything goes."""
    legal = playable(cards(held), Suit.parse(led), Suit.parse(trump))
    assert sorted(legal) == sorted(cards(may_play))


@pytest.mark.parametrize("trump", ["c", "d", "h", "s"])
def test_a_leader_may_lead_anything(trump: str) -> None:
    """Even trump and the bowers."""
    held = cards("Jc Jd Ah 9s Ts")
    assert sorted(playable(held, None, Suit.parse(trump))) == sorted(held)


# --- natural trump -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("hand", "up", "natural"),
    [
        ("9h Ks Qs Tc 9d", "Ah", True),
        ("Jh Ks Qs Tc 9d", "9h", True),
        ("Jh Jd Qs Tc 9d", "9h", True),
        ("Jd Ks Qs Tc 9c", "9h", False),
        ("Jd Ad Kd Qd Td", "Jh", False),
        ("As Ks Qs Tc 9c", "9h", False),
        ("Jc Ac Kc 9d 9h", "9s", False),
        ("Js Ac Kc 9d 9h", "9s", True),
        ("Js As Kd 9d 9h", "Ac", False),
        ("Jc As Kd 9d 9h", "Ac", True),
        ("Jh Ah Kc Ts 9c", "9d", False),
        ("Jh Td Kc Ts 9c", "9d", True),
    ],
)
def test_a_natural_trump_is_a_dealt_card_printed_in_the_suit(hand: str, up: str, natural: bool) -> None:
    """The right bower counts; the left bower does not, and the up-card was not dealt."""
    assert has_natural_trump(cards(hand), Card.parse(up).suit) is natural


@pytest.mark.parametrize(
    ("hand", "expected"),
    [
        ("9h Ks Qs Tc 9d", ["h", "h!"]),
        ("Jh Ks Qs Tc 9d", ["h", "h!"]),
        ("Jd Ks Qs Tc 9c", []),
        ("Jd Ad Kd Qd Td", []),
        ("As Ks Qs Ac Kc", []),
    ],
)
def test_round_robin_dealer_takes_up_only_with_a_natural_trump(hand: str, expected: list[str]) -> None:
    """Round robin: the left bower and the up-card alone don't let the dealer take it up."""
    for dealer in (N, E, S, W):
        assert calls("round-robin", round=1, seat=dealer, dealer=dealer, hand=hand, up_card="Ah") == expected


def test_round_robin_dealer_without_a_natural_trump_may_still_pass() -> None:
    """Round robin: a dealer who may not take it up can pass like everyone else."""
    assert may_pass(preset("round-robin"), round=1, seat=S, dealer=S)


# --- calls -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dealer", [N, E, S, W], ids=str)
@pytest.mark.parametrize(("sheet", "round", "position", "with_natural", "without"), CALLS)
def test_a_seat_may_call_what_its_sheet_allows(
    sheet: str, round: int, position: str, with_natural: str, without: str, dealer: Seat
) -> None:
    """Written by hand for each sheet, round, position and dealer, with a natural trump and with only the left bower."""
    seat = POSITIONS[dealer][position]
    assert calls(sheet, round=round, seat=seat, dealer=dealer, hand="Kh As Qs Tc 9d") == with_natural.split()
    assert calls(sheet, round=round, seat=seat, dealer=dealer, hand="Jd As Qs Tc 9d") == without.split()


@pytest.mark.parametrize(("name", "round", "dealer", "seat", "expected"), CALLS_WITHOUT_PARTNERS)
def test_without_partners_the_club_calls_and_says_alone_later(
    name: str, round: int, dealer: Seat, seat: Seat, expected: str
) -> None:
    """Club for three and two: the call names a suit, and the maker is asked about going alone later."""
    assert calls(name, round=round, seat=seat, dealer=dealer, hand="Jd As Qs Tc Td", up_card="Th") == expected.split()


@pytest.mark.parametrize(
    ("up", "expected"),
    [
        ("Ac", ["d", "d!", "h", "h!", "s", "s!"]),
        ("Jd", ["c", "c!", "h", "h!", "s", "s!"]),
        ("9h", ["c", "c!", "d", "d!", "s", "s!"]),
        ("Ts", ["c", "c!", "d", "d!", "h", "h!"]),
    ],
)
@pytest.mark.parametrize("sheet", ["round-robin", "campus", "school-cup", "prize-night"])
def test_the_suit_turned_down_may_not_be_named(sheet: str, up: str, expected: list[str]) -> None:
    """In round two any other suit is open to all players, even a stuck dealer."""
    for seat in (N, E, S, W):
        assert calls(sheet, round=2, seat=seat, dealer=W, hand="Kh As Qs Tc 9d", up_card=up) == expected


@pytest.mark.parametrize(("up", "expected"), [("Ac", "dhs"), ("Jd", "chs"), ("9h", "cds"), ("Ts", "cdh")])
def test_club_suit_turned_down_may_not_be_named_either(up: str, expected: str) -> None:
    """Club: the same three suits, without alone."""
    for seat in (N, E, S, W):
        assert calls("club", round=2, seat=seat, dealer=N, hand="Kh As Qs Tc 9d", up_card=up) == list(expected)


@pytest.mark.parametrize(("dealer", "partner"), [(N, S), (E, W), (S, N), (W, E)])
def test_round_robin_dealers_partner_orders_up_alone_or_passes(dealer: Seat, partner: Seat) -> None:
    """Round robin: the dealer's partner can only order up alone, whatever the hand; round two is free."""
    weak = "9c Tc 9d Td Qs"
    assert calls("round-robin", round=1, seat=partner, dealer=dealer, hand=weak) == ["h!"]
    assert may_pass(preset("round-robin"), round=1, seat=partner, dealer=dealer)
    both_ways = ["c", "c!", "d", "d!", "s", "s!"]
    assert calls("round-robin", round=2, seat=partner, dealer=dealer, hand=weak) == both_ways


@pytest.mark.parametrize(("name", "dealer", "stuck"), STUCK)
def test_only_a_stuck_dealer_may_not_pass(name: str, dealer: Seat, stuck: str) -> None:
    """In round one everyone may pass; in round two everyone except a stuck dealer."""
    rules = preset(name)
    seats = {4: (N, E, S, W), 3: (N, E, S), 2: (N, S)}[rules.players]
    assert all(may_pass(rules, round=1, seat=seat, dealer=dealer) for seat in seats)
    assert [str(seat) for seat in seats if not may_pass(rules, round=2, seat=seat, dealer=dealer)] == list(stuck)


# --- words for cards, suits and seats ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "rank", "suit", "plain", "pretty"),
    [
        ("Jd", Rank.JACK, Suit.DIAMONDS, "Jd", "J♦"),
        ("J♦", Rank.JACK, Suit.DIAMONDS, "Jd", "J♦"),
        ("Ts", Rank.TEN, Suit.SPADES, "Ts", "10♠"),
        ("10♠", Rank.TEN, Suit.SPADES, "Ts", "10♠"),
        ("T♠", Rank.TEN, Suit.SPADES, "Ts", "10♠"),
        ("9c", Rank.NINE, Suit.CLUBS, "9c", "9♣"),
        ("9♣", Rank.NINE, Suit.CLUBS, "9c", "9♣"),
        ("Ah", Rank.ACE, Suit.HEARTS, "Ah", "A♥"),
        ("K♥", Rank.KING, Suit.HEARTS, "Kh", "K♥"),
        ("Qs", Rank.QUEEN, Suit.SPADES, "Qs", "Q♠"),
    ],
)
def test_a_card_is_read_and_written_as_people_write_it(
    text: str, rank: Rank, suit: Suit, plain: str, pretty: str
) -> None:
    """Letters or symbols in; letters for files and symbols for people out."""
    card = Card.parse(text)
    assert (card.rank, card.suit) == (rank, suit)
    assert (str(card), card.pretty) == (plain, pretty)
    assert card is Card(rank, suit)


def test_the_deck_is_written_in_sorting_order() -> None:
    """Clubs, diamonds, hearts, spades, each from nine to ace."""
    written = "9c Tc Jc Qc Kc Ac 9d Td Jd Qd Kd Ad 9h Th Jh Qh Kh Ah 9s Ts Js Qs Ks As"
    assert " ".join(map(str, DECK)) == written
    assert sorted(DECK, reverse=True)[::-1] == list(cards(written))


def test_cards_are_read_without_gaps() -> None:
    """The hand line writes cards without spaces."""
    assert parse_cards("JdAd9s") == (Card.parse("Jd"), Card.parse("Ad"), Card.parse("9s"))
    assert parse_cards("") == ()


@pytest.mark.parametrize("text", ["", "J", "d", "dJ", "8h", "2c", "1d", "Jx", "Xd", "JdAd", "Jd ", "11♠", "joker"])
def test_what_is_no_card_is_refused_by_name(text: str) -> None:
    """The error has its code and quotes the input."""
    with pytest.raises(BadCard) as refused:
        Card.parse(text)
    _is_malformed(refused.value, "bad-card", text)


@pytest.mark.parametrize("text", ["J", "JdA", "Jd Ad", "JdXx", "8h9h"])
def test_what_is_no_row_of_cards_is_refused_by_name(text: str) -> None:
    """One wrong card makes the whole row invalid."""
    with pytest.raises(BadCard) as refused:
        parse_cards(text)
    assert refused.value.code == "bad-card"


@pytest.mark.parametrize(
    ("text", "suit"),
    [("c", Suit.CLUBS), ("d", Suit.DIAMONDS), ("h", Suit.HEARTS), ("s", Suit.SPADES), ("H", Suit.HEARTS)],
)
def test_a_suit_is_read_from_its_letter(text: str, suit: Suit) -> None:
    """In either case; written in lower case."""
    assert Suit.parse(text) is suit
    assert str(suit) == text.lower()


@pytest.mark.parametrize("text", ["", "x", "hh", "n", "0"])
def test_what_is_no_suit_is_refused_by_name(text: str) -> None:
    """The error has its code and quotes the input."""
    with pytest.raises(BadSuit) as refused:
        Suit.parse(text)
    _is_malformed(refused.value, "bad-suit", text)


@pytest.mark.parametrize(
    ("text", "seat"),
    [("N", N), ("E", E), ("S", S), ("W", W), ("n", N), ("North", N), ("east", E), ("SOUTH", S), (" w ", W)],
)
def test_a_seat_is_read_from_its_letter_or_name(text: str, seat: Seat) -> None:
    """In either case, with or without spaces around it."""
    assert Seat.parse(text) is seat


@pytest.mark.parametrize("text", ["", "X", "NE", "Nort", "0"])
def test_what_is_no_seat_is_refused_by_name(text: str) -> None:
    """The error has its code and quotes the input."""
    with pytest.raises(BadSeat) as refused:
        Seat.parse(text)
    _is_malformed(refused.value, "bad-seat", text)


def test_an_empty_seat_has_no_left() -> None:
    """An empty seat is refused like an unknown one."""
    with pytest.raises(BadSeat) as refused:
        preset("club3").left_of(W)
    assert refused.value.code == "bad-seat"


@pytest.mark.parametrize(
    ("seat", "left", "partner", "right"), [(N, E, S, W), (E, S, W, N), (S, W, N, E), (W, N, E, S)], ids=str
)
def test_four_sit_clockwise_with_partners_opposite(seat: Seat, left: Seat, partner: Seat, right: Seat) -> None:
    """The deal, the bidding and the play all go to the left."""
    assert (seat.left, seat.partner, seat.right) == (left, partner, right)


def _is_malformed(error: LeftbowerError, code: str, excerpt: str) -> None:
    assert isinstance(error, Malformed)
    assert error.code == code
    assert f"'{excerpt}'" in str(error)
    assert error.as_json()["code"] == code
