"""Inference of hidden cards: the true layout always fits, and only possible layouts fit.

The oracle is the engine: a layout is possible exactly if the same public actions, replayed from a deal that leads to
it, give the viewer the same view.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import combinations, islice
from math import factorial, prod
from random import Random

import pytest
from hypothesis import given, settings, strategies as st

from honor_table import FOUR, N, S, W, dealt, honor, say
from leftbower.engine import (
    Action,
    Bury,
    Correct,
    Deal,
    Discarding,
    LayAway,
    OpenState,
    Phase,
    Playing,
    Scored,
    ShowFarmersHand,
    State,
    UpCardStatus,
    View,
    replay,
    start,
    view,
)
from leftbower.engine.knowledge import BURIED, KITTY, LAID_AWAY, HiddenCards, Location, hidden_cards
from leftbower.errors import LeftbowerError
from leftbower.notation import parse_hand_line
from leftbower.players.judgment.layouts import sample_by_counting
from leftbower.rules import UNKNOWN, Card, HouseRules, Seat, parse_cards, preset
from leftbower.rules.choices import BuryOrder as BuryRule, FarmersHand, OutOfTurn, Supervision
from leftbower.testing import house_rules, states
from proofs.information_leak import card_locations, draw_rules, random_walk

Layout = Mapping[Location, frozenset[Card]]

# The true layout


def check_actual_layout_fits(state: OpenState, viewer: Seat | None) -> None:
    """Every card the viewer can't see, and no other, is in a possible location, and the sizes match."""
    unseen = hidden_cards(view(state, viewer))
    lying = card_locations(state, unseen)
    assert set(unseen.locations) == out_of_sight(state, viewer)
    assert {location: size for location, size in unseen.sizes.items() if size} == Counter(lying.values())
    assert all(lying[card] in homes for card, homes in unseen.locations.items())
    assert not unseen.owed or any(lying[card] in homes for card, homes in unseen.owed.items())


def out_of_sight(state: OpenState, viewer: Seat | None) -> set[object]:
    """The deck without face-up cards and without the viewer's cards, from the deal and the hands."""
    table = state.interrupted if hasattr(state, "interrupted") else state
    deal, contract = state.hand.deal, getattr(state, "contract", None)
    visible: set[object] = set(state.cards[viewer.index]) if viewer else set()
    visible |= {card for trick in getattr(table, "tricks", ()) for card in trick.cards} | set(
        getattr(table, "trick", ())
    )
    visible |= {card for act in state.actions if isinstance(act, ShowFarmersHand) for card in act.cards}
    if contract and viewer is deal.dealer:
        visible |= {contract.buried}
    if contract and viewer is contract.maker:
        visible |= set(contract.laid_away)
    held = {card for cards in state.cards for card in cards}
    taken = contract and (deal.up_card in held or deal.up_card in (contract.buried, *contract.laid_away))
    visible |= set() if taken else {deal.up_card}
    return {card for card in state.hand.rules.deck if card not in visible}


@settings(max_examples=150)
@given(st.sampled_from(Supervision).flatmap(lambda how: house_rules(supervision=how)).flatmap(states))
def test_what_is_so_is_left_open(state: State) -> None:
    """Any rules, any phase, every viewer and the spectator: the true layout fits."""
    if isinstance(state, Scored):
        return
    for viewer in (*state.hand.rules.seats, None):
        check_actual_layout_fits(state, viewer)


@pytest.mark.unmeasured
def test_what_is_so_is_left_open_whatever_mischief_is_done() -> None:
    """Reneges, cards out of turn, calls, corrections, failed claims, late discards; every phase comes up."""
    phases: Counter[Phase] = Counter()
    for number in range(200):
        rng = Random(number)
        for state in random_walk(draw_rules(rng, supervision=Supervision.HONOR), rng):
            phases[view(state, None).phase] += 1
            check_actual_layout_fits(state, rng.choice([*state.hand.rules.seats, None]))
    assert set(phases) == set(Phase) - {Phase.SCORED, Phase.FACE_DOWN}


# Possible layouts


def fits(unseen: HiddenCards, layout: Layout) -> bool:
    """Is each card in a possible location, and an owed card in place?"""
    lying = {card: location for location, cards in layout.items() for card in cards}
    paid = not unseen.owed or any(lying[card] in homes for card, homes in unseen.owed.items())
    return paid and all(location in unseen.locations[card] for card, location in lying.items())


def is_possible(seat_view: View, layout: Layout) -> bool:
    """Is there a deal from which the same actions lead to this layout, and look the same to the viewer?"""
    said = [_faced(act, layout) for act in seat_view.actions]
    return any(_shows(seat_view, layout, deal, said) for deal in _deals(seat_view, layout))


def _shows(seat_view: View, layout: Layout, deal: Deal, said: list[Action]) -> bool:
    try:
        state = replay(start(seat_view.rules, deal, seat_view.scores, seat_view.warnings), said)
    except LeftbowerError:
        return False
    there = all(
        {*state.cards[location.index]} == cards for location, cards in layout.items() if isinstance(location, Seat)
    )
    return there and _unordered(view(state, seat_view.seat)) == _unordered(seat_view)


def _unordered(seat_view: View) -> tuple[View, dict[Seat, frozenset[object]]]:
    """The view, and face-up hands without the order of their cards."""
    return replace(seat_view, exposed={}), {seat: frozenset(cards) for seat, cards in seat_view.exposed.items()}


def _faced(act: Action, layout: Layout) -> Action:
    match act:
        case Bury(card=card) if card is UNKNOWN:
            return Bury(act.seat, *layout[BURIED])
        case LayAway(cards=cards) if UNKNOWN in cards:
            return LayAway(act.seat, tuple(layout[LAID_AWAY]))
        case _:
            return act


def _deals(seat_view: View, layout: Layout) -> Iterator[Deal]:
    """Every deal, as far as it matters, that can lead to this layout."""
    kitty = sorted(layout[KITTY])
    dummy = tuple(seat_view.dummy) or tuple(kitty[: seat_view.rules.dummy_size])
    dealt: dict[Seat, tuple[Card, ...]] = dict.fromkeys(Seat, ())
    several: tuple[Seat, set[Card]] | None = None
    for seat in seat_view.rules.seats:
        if seat is seat_view.seat:
            dealt[seat] = tuple(card for card in seat_view.dealt if card is not UNKNOWN)
            continue
        had = _had(seat_view, layout, seat)
        farmers_hands = [
            card
            for act in seat_view.actions
            if isinstance(act, ShowFarmersHand) and act.seat is seat
            for card in act.cards
        ]
        if had is None:
            return
        if len(had) + len(farmers_hands) == 5:
            dealt[seat] = (*farmers_hands, *had)
        else:
            several, dealt[seat] = (seat, had), tuple(farmers_hands)
    for cards in [()] if several is None else combinations(sorted(several[1]), 5 - len(dealt[several[0]])):
        hands = {seat: (*held, *(cards if several and seat is several[0] else ())) for seat, held in dealt.items()}
        took = several and seat_view.rules.dummy_size
        rest = tuple(sorted(several[1].difference(cards))) if several and took else dummy
        north, east, south, west = (hands[seat] for seat in Seat)
        yield Deal(dealer=seat_view.dealer, hands=(north, east, south, west), up_card=seat_view.up_card, dummy=rest)


def _had(seat_view: View, layout: Layout, seat: Seat) -> set[Card] | None:
    """All cards a seat ever had, except a farmer's hand and the up-card; None if that is impossible."""
    had = set(layout[seat])
    for cards, seats in [
        *((trick.cards, trick.seats) for trick in seat_view.tricks),
        (seat_view.trick, seat_view.seats),
    ]:
        had |= {card for card, player in zip(cards, seats, strict=True) if player is seat}
    if seat_view.contract and seat is seat_view.contract.maker:
        had |= layout.get(LAID_AWAY, frozenset())
    waits = seat_view.phase is Phase.DISCARDING and seat_view.rules.bury is BuryRule.BEFORE_TAKING
    if seat is seat_view.dealer and seat_view.up_card_status is UpCardStatus.TAKEN and not waits:
        had |= layout.get(BURIED, frozenset())
        return had - {seat_view.up_card} if seat_view.up_card in had else None
    return had


def every_layout(rooms: Mapping[Location, int], cards: frozenset[Card]) -> Iterator[Layout]:
    """Every way to distribute the cards over the locations, whatever is known about them."""
    if not rooms:
        yield {}
        return
    (location, size), *rest = rooms.items()
    for chosen in combinations(sorted(cards), size):
        for others in every_layout(dict(rest), cards.difference(chosen)):
            yield {location: frozenset(chosen), **others}


def layout_count(rooms: Mapping[Location, int]) -> int:
    return factorial(sum(rooms.values())) // prod(map(factorial, rooms.values()))


RULE_SETS = (
    *(preset(name) for name in ("round-robin", "campus", "school-cup", "prize-night", "club", "club3", "club2")),
    replace(preset("club"), players=3, natural_trump=True),
    replace(preset("club"), players=2, may_bury_up_card=False, natural_trump=True),
    replace(preset("campus"), natural_trump=True, farmers_hand=FarmersHand.SWAP),
    replace(preset("school-cup"), natural_trump=True),
    replace(preset("club"), supervision=Supervision.HONOR, out_of_turn=OutOfTurn.TAKEN_BACK, penalty_ends_hand=False),
    replace(preset("round-robin"), supervision=Supervision.HONOR, natural_trump=True),
    replace(preset("club"), players=3, supervision=Supervision.HONOR, out_of_turn=OutOfTurn.TAKEN_BACK),
    replace(preset("club"), players=2, supervision=Supervision.HONOR),
)


def moments(rules: HouseRules, rng: Random) -> Iterator[View]:
    """A player's view at each point of a hand, without corrections: a correction without effect is a confession."""
    for state in random_walk(rules, rng):
        if any(isinstance(action, Correct) for action in state.actions):
            return
        yield view(state, rng.choice([*rules.seats, None]))


@pytest.mark.unmeasured
def test_a_layout_fits_exactly_when_it_may_be_so() -> None:
    """At any point, including bidding and discarding, for layouts that fit and for others with two cards exchanged."""
    seen_in: Counter[object] = Counter()
    for number in range(210):
        rng, rules = Random(f"fits {number}"), RULE_SETS[number % len(RULE_SETS)]
        for seat_view in rng.sample(every := list(moments(rules, rng)), min(4, len(every))):
            unseen = hidden_cards(seat_view)
            drawn = sample_by_counting(unseen.sizes, unseen.locations, rng, unseen.owed)
            for layout in (drawn, *(exchanged(drawn, rng) for _ in range(3))):
                closed = {location: frozenset(cards) for location, cards in layout.items()}
                assert fits(unseen, closed) == is_possible(seat_view, closed), (seat_view, closed)
                seen_in.update(
                    [seat_view.phase, (seat_view.phase is Phase.PLAYING, fits(unseen, closed)), bool(unseen.owed)]
                )
    kinds = ((True, True), (True, False), (False, True), (False, False))
    often = (Phase.BIDDING, Phase.DISCARDING, Phase.EXCHANGING_DUMMY, Phase.PLAYING)
    assert min(seen_in[kind] for kind in (*kinds, *often, True)) > 12


def exchanged(layout: Mapping[Location, list[Card]], rng: Random) -> dict[Location, list[Card]]:
    """The layout with two cards of different locations exchanged, if there are two."""
    after = {location: list(cards) for location, cards in layout.items()}
    taken = [location for location, cards in layout.items() if cards]
    if len(taken) < 2:
        return after
    first, other = rng.sample(taken, 2)
    index, other_index = rng.randrange(len(after[first])), rng.randrange(len(after[other]))
    after[first][index], after[other][other_index] = after[other][other_index], after[first][index]
    return after


@pytest.mark.unmeasured
def test_in_small_endings_exactly_the_possible_layouts_fit() -> None:
    """All of them, by brute force over every layout of the hidden cards."""
    endings = (
        seat_view
        for number in range(10**6)
        for seat_view in moments(RULE_SETS[number % len(RULE_SETS)], Random(f"ending {number}"))
        if seat_view.contract and layout_count(hidden_cards(seat_view).sizes) <= 300
    )
    narrowed = 0
    for seat_view in islice(endings, 60):
        unseen = hidden_cards(seat_view)
        every = list(every_layout(unseen.sizes, frozenset(unseen.locations)))
        those = [layout for layout in every if fits(unseen, layout)]
        assert those == [layout for layout in every if is_possible(seat_view, layout)], seat_view
        narrowed += len(those) < len(every)
    assert narrowed > 20


# Handwritten cases


def hidden_from(seat: Seat, line: str) -> HiddenCards:
    return hidden_cards(view(parse_hand_line(line), seat))


def lies_in(unseen: HiddenCards, card: str) -> set[Location]:
    return set(unseen.locations[parse_cards(card)[0]])


ONLY_WEST_KNOWN = "N:?????????? E:?????????? S:?????????? W:JsJcAsAdAh"


def test_before_a_call_every_unseen_card_may_lie_anywhere() -> None:
    """Three hands and the kitty; the up-card is face up."""
    unseen = hidden_from(W, f"{{campus}} S 9d {ONLY_WEST_KNOWN} | p")
    assert unseen.sizes == {N: 5, Seat.E: 5, S: 5, KITTY: 3}
    assert len(unseen.locations) == 18
    assert set(map(frozenset, unseen.locations.values())) == {frozenset({N, Seat.E, S, KITTY})}
    assert unseen.owed == {}


def test_while_a_dealer_buries_before_taking_the_up_card_lies_open() -> None:
    """school-cup: no player has it yet, so there are three cards in the kitty, not four."""
    line = f"{{school-cup}} S 9d {ONLY_WEST_KNOWN} | p p p"
    state = parse_hand_line(line + " o")
    assert isinstance(state, Discarding)
    unseen = hidden_cards(view(state, W))
    assert parse_cards("9d")[0] not in unseen.locations
    assert unseen.sizes == {N: 5, Seat.E: 5, S: 5, KITTY: 3}
    own = hidden_from(S, "{school-cup} S 9d N:?????????? E:?????????? S:JsJcAsAdAh W:?????????? | p p p o")
    assert own.sizes == {N: 5, Seat.E: 5, W: 5, KITTY: 3}
    assert lies_in(hidden_from(W, line + " o -??"), "9d") == {S}


def test_the_up_card_is_with_the_dealer_or_buried_where_it_may_be() -> None:
    """campus lets the dealer discard it, school-cup doesn't; a dealer of three who took the dummy may lay it away."""
    assert lies_in(hidden_from(W, f"{{campus}} S 9d {ONLY_WEST_KNOWN} | o -??"), "9d") == {S, BURIED}
    assert lies_in(hidden_from(W, f"{{school-cup}} S 9d {ONLY_WEST_KNOWN} | o -??"), "9d") == {S}
    three = "{club3} S 9d N:?????????? E:JsJcAsAdAh S:?????????? D:?????? | p p o -?? & -??????"
    assert lies_in(hidden_from(Seat.E, three), "9d") == {S, BURIED, LAID_AWAY}
    assert hidden_from(Seat.E, three).sizes == {N: 5, S: 5, BURIED: 1, LAID_AWAY: 3, KITTY: 5}


def test_a_dealer_who_called_owes_a_natural_trump_until_one_is_played() -> None:
    """round-robin: any of the six other diamonds but those West holds, with South or buried."""
    line = f"{{round-robin}} S 9d {ONLY_WEST_KNOWN} | p p p o -??"
    unseen = hidden_from(W, line)
    assert {*unseen.owed} == {*parse_cards("TdJdQdKd")}
    assert set(map(frozenset, unseen.owed.values())) == {frozenset({S, BURIED})}
    assert hidden_from(W, line + " | JsTs9sTd").owed == {}
    assert hidden_from(W, line + " | JsTs9s9d").owed.keys() == unseen.owed.keys()
    assert hidden_from(W, line.replace("p p p o", "o")).owed == {}
    assert hidden_from(W, line.replace("round-robin", "campus")).owed == {}


def test_a_void_seat_may_still_have_buried_a_card_of_the_suit() -> None:
    """South trumps a spade: South has no spade, and the left bower isn't one."""
    unseen = hidden_from(W, f"{{campus}} S 9h {ONLY_WEST_KNOWN} | o -?? | AsTs9sTh")
    assert lies_in(unseen, "Qs") == {N, Seat.E, BURIED, KITTY}
    assert lies_in(unseen, "Jd") == {N, Seat.E, S, BURIED, KITTY}


def table_of_west(words: str, **changes: object) -> Playing:
    """Club rules, honor: West deals, North orders up the nine of hearts; then this happens."""
    rules = honor("club", correction="even-when-called", **changes)
    state = say(start(rules, dealt(rules, FOUR)), f"o & {words}")
    assert isinstance(state, Playing)
    return state


def test_on_honor_who_does_not_follow_may_have_the_suit() -> None:
    state = table_of_west("-Js N:As E:Td")
    assert Seat.E in hidden_cards(view(state, S)).locations[parse_cards("Ts")[0]]


def test_a_card_taken_back_is_where_it_was_unless_buried_since() -> None:
    """West plays a card out of turn and takes it back; an earlier discard is another card."""
    king = "Kd"
    early = table_of_west(f"-Js W:{king} N^W1out-of-turn", out_of_turn="taken-back")
    late = table_of_west(f"W:{king} N^W1out-of-turn -Js", out_of_turn="taken-back")
    twice = table_of_west(f"W:{king} N^W1out-of-turn -Js W:{king} N^W1out-of-turn", out_of_turn="taken-back")
    stays = table_of_west("W:9h N^W1out-of-turn -Js", out_of_turn="taken-back", may_bury_up_card=False)
    assert lies_in(hidden_cards(view(early, S)), king) == {W}
    assert lies_in(hidden_cards(view(late, S)), king) == {W, BURIED}
    assert lies_in(hidden_cards(view(twice, S)), king) == {W}
    assert lies_in(hidden_cards(view(stays, S)), "9h") == {W}
    for state in (early, late, twice, stays):
        check_actual_layout_fits(state, S)


def test_a_hand_closed_again_is_known_but_for_a_buried_card() -> None:
    """West forgets to discard, makes a failed claim, and East's confession takes play back to the first trick."""
    folded = table_of_west("N:As E:Td S:Qs W:Ks W* N- E<1", failure_to_discard="penalty", throw_ins="encouraged")
    assert lies_in(hidden_cards(view(folded, S)), "Jd") == {W}
    buried = say(folded, "-Js")
    assert not isinstance(buried, Scored)
    assert lies_in(hidden_cards(view(buried, S)), "Jd") == {W, BURIED}
    check_actual_layout_fits(buried, S)


def test_cards_laid_open_lie_there_and_nowhere_else() -> None:
    """North makes a failed claim: from then on all players know North's cards."""
    unseen = hidden_cards(view(table_of_west("-Js N* E-"), S))
    assert all(lies_in(unseen, card) == {N} for card in ("Jh", "Ah", "As", "Ac", "Ad"))


def test_when_a_hand_is_over_it_is_too_late_to_ask() -> None:
    """Its last trick may be unfinished, and then a view doesn't show its cards."""
    over = parse_hand_line("{round-robin} S 9d N:?????????? E:?????????? S:?????????? W:?????????? | p p p p p p p p")
    assert isinstance(over, Scored)
    with pytest.raises(ValueError, match="over"):
        hidden_cards(view(over, W))
