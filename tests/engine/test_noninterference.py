"""Twin test: two deals that agree on what a seat may know look the same to it until they differ in public."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from leftbower.engine import (
    Action,
    Bury,
    Deal,
    Discarding,
    ExchangingDummy,
    GoTogether,
    LayAway,
    Name,
    Order,
    Play,
    Scored,
    ShowFarmersHand,
    State,
    View,
    apply,
    closed_kitty,
    legal_actions,
    replay,
    start,
    view,
)
from leftbower.notation import view_line, view_to_json
from leftbower.rules import UNKNOWN, Card, HouseRules, Seat
from leftbower.rules.choices import FarmersHand, GoingAlone
from leftbower.testing import hand_rules, hands, house_rules, states

pytestmark = pytest.mark.unmeasured

Viewer = Seat | None


def takes_dummy(state: State, seat: Viewer) -> bool:
    """Has this seat taken the dummy? Computed only from the actions."""
    rules = state.hand.rules
    if rules.players == 4:
        return False
    for index, action in enumerate(state.actions):
        if isinstance(action, Order | Name) and action.seat is seat and not action.alone:
            if rules.going_alone is GoingAlone.BEFORE_THE_LEAD:
                return GoTogether(action.seat) in state.actions
            return isinstance(action, Name) or any(isinstance(later, Bury) for later in state.actions[index:])
    return False


def swapped(state: State, seat: Viewer) -> bool:
    """Has this seat exchanged cards for the kitty?"""
    return state.hand.rules.farmers_hand is FarmersHand.SWAP and any(
        isinstance(action, ShowFarmersHand) and action.seat is seat for action in state.actions
    )


def on_the_table(state: State) -> set[Card]:
    """The public cards: the up-card, cards played, and farmers' hands shown."""
    visible = {state.hand.deal.up_card}
    visible |= {action.card for action in state.actions if isinstance(action, Play)}
    return visible | {card for action in state.actions if isinstance(action, ShowFarmersHand) for card in action.cards}


def may_know(state: State, seat: Viewer) -> set[object]:
    """Every card whose location this seat may know, computed from the deal and the actions."""
    deal = state.hand.deal
    known: set[object] = set(on_the_table(state))
    if seat is not None:
        known |= set(deal.hands[seat.index])
    if takes_dummy(state, seat):
        known |= set(deal.dummy)
    if swapped(state, seat):
        known |= set(closed_kitty(state.hand.rules, deal))
    return known


def twin_of(deal: Deal, known: set[object], order: Iterator[Any]) -> Deal:
    """The same deal with every card outside `known` exchanged for another of them.

    A hand that gets its own cards back keeps their order, which reveals nothing.
    """

    def exchanged(held: tuple[Any, ...]) -> tuple[Any, ...]:
        after = tuple(card if card in known else next(order) for card in held)
        return held if set(after) == set(held) else after

    north, east, south, west = (exchanged(held) for held in deal.hands)
    return replace(deal, hands=(north, east, south, west), dummy=exchanged(deal.dummy))


def same_act(action: Action, twin: State, viewer: Viewer, later: set[Card]) -> Action | None:
    """The action in the twin: the same one, or another card laid face down; None if it is impossible there."""
    legal = legal_actions(twin)
    if action in legal:
        return action
    if action.seat is viewer or not isinstance(action, Bury | LayAway):
        return None
    alike = [other for other in legal if type(other) is type(action)]
    idle = [other for other in alike if not later & set(_faces(other))]
    return next(iter([*idle, *alike]), None)


def _faces(action: Action) -> tuple[Any, ...]:
    match action:
        case Bury():
            return (action.card,)
        case LayAway():
            return action.cards
        case _:
            return ()


@dataclass(frozen=True)
class Twins:
    """A finished hand, a viewer, and another deal that agrees on everything the viewer may know."""

    walk: tuple[State, ...]
    viewer: Viewer
    twin: Deal


@st.composite
def twins(draw: st.DrawFn, rules: HouseRules | None = None, *, first: bool = False, last: bool = False) -> Twins:
    """Twins that agree on what the viewer knows at some point: the start of the hand, the end, or any."""
    walk = draw(hands(rules))
    hand = walk[0].hand
    viewer = draw(st.sampled_from([*hand.rules.seats, None]))
    low, high = (len(walk) - 1) * last, (len(walk) - 1) * (not first)
    known = may_know(walk[draw(st.integers(low, high))], viewer)
    kitty = closed_kitty(hand.rules, hand.deal)
    hidden = [card for held in (*hand.deal.hands, hand.deal.dummy, kitty) for card in held if card not in known]
    return Twins(walk, viewer, twin_of(hand.deal, known, iter(draw(st.permutations(hidden)))))


def check_twins(pair: Twins) -> int:
    """Play a deal and its twin by the same actions, compare the views, and return how far they got."""
    walk, viewer = pair.walk, pair.viewer
    twin: State = start(walk[0].hand.rules, pair.twin)
    acts = walk[-1].actions
    for index, state in enumerate(walk):
        if may_know(state, viewer) != may_know(twin, viewer):
            return index
        ours, theirs = view(state, viewer), view(twin, viewer)
        assert ours == theirs
        assert view_to_json(ours) == view_to_json(theirs)
        assert view_line(ours) == view_line(theirs)
        if isinstance(state, Scored):
            break
        later = {action.card for action in acts[index:] if isinstance(action, Play)}
        act = same_act(acts[index], twin, viewer, later)
        if act is None:
            assert acts[index].seat is not viewer, "the viewer's own acts depend on nothing hidden"
            return index
        twin = apply(twin, act)
    return len(walk)


# The laws


@settings(max_examples=80)
@given(twins(first=True))
def test_twins_look_alike_until_they_differ_in_public(pair: Twins) -> None:
    """All hidden cards are exchanged; the views are equal up to the first public difference, at any point."""
    check_twins(pair)


@settings(max_examples=80)
@given(twins())
def test_twins_look_alike_to_the_end_where_only_unseen_cards_differ(pair: Twins) -> None:
    """Only cards the viewer won't have seen by some later point are exchanged, so the twins last long."""
    check_twins(pair)


@settings(max_examples=40)
@given(house_rules().flatmap(lambda rules: twins(rules, last=True)))
def test_twins_look_alike_under_any_rule_set(pair: Twins) -> None:
    """Options about game, match, penalties and event reveal nothing either."""
    check_twins(pair)


def test_most_twins_go_through_the_whole_hand() -> None:
    """The law above isn't vacuous: twins that differ in unseen cards reach the end, in every kind of game."""
    outcomes: list[tuple[int, int]] = []

    @settings(max_examples=60, database=None, derandomize=True)
    @given(twins(last=True))
    def drive(pair: Twins) -> None:
        outcomes.append((check_twins(pair), len(pair.walk)))

    drive()
    assert sum(far == length for far, length in outcomes) > len(outcomes) / 3
    assert sum(far > length / 2 for far, length in outcomes) > len(outcomes) / 2


@settings(max_examples=30)
@given(states(phase=Discarding))
def test_only_the_dealer_can_tell_the_buried_card(state: State) -> None:
    """Whatever is discarded, the others see the same, and the dealer sees which card it was."""
    after = [apply(state, action) for action in legal_actions(state) if isinstance(action, Bury)]
    dealer = state.hand.deal.dealer
    for viewer in (*state.hand.rules.seats, None):
        views = [view(each, viewer) for each in after]
        if viewer is dealer:
            assert [each.buried for each in views] == [_faces(each.actions[-1]) for each in after]
        elif not takes_dummy(after[0], viewer):
            assert all(each == views[0] for each in views)
            assert views[0].buried == ()
            assert all(view_to_json(each) == view_to_json(views[0]) for each in views)


@settings(max_examples=20)
@given(states(phase=ExchangingDummy), st.integers(0, 55))
def test_only_the_maker_can_tell_what_was_laid_away(state: State, number: int) -> None:
    """The dummy is hidden from the others too."""
    legal = legal_actions(state)
    picks = [legal[0], legal[-1], legal[number]]
    after = [apply(state, action) for action in picks]
    maker = legal[0].seat
    for viewer in (*state.hand.rules.seats, None):
        views = [view(each, viewer) for each in after]
        if viewer is maker:
            assert [each.laid_away for each in views] == [_faces(each) for each in picks]
            assert all(set(each.dummy) == set(state.hand.deal.dummy) for each in views)
        else:
            assert all(each == views[0] for each in views)
            assert views[0].laid_away == ()
            assert views[0].dummy == ()


@settings(max_examples=60)
@given(st.sampled_from([2, 3]).flatmap(lambda seats: hand_rules(players=seats)).flatmap(hands))
def test_only_the_maker_can_tell_the_dummy(walk: tuple[State, ...]) -> None:
    """With dummy and kitty exchanged, the others see the same to the end; so does a maker who goes alone."""
    over = walk[-1]
    hand, deal = over.hand, over.hand.deal
    kitty = closed_kitty(hand.rules, deal)
    taken = any(isinstance(action, LayAway) for action in over.actions)
    laid = {card for action in over.actions if isinstance(action, LayAway) for card in action.cards}
    if taken and not set(deal.dummy) <= laid:
        return
    acts = [
        replace(action, cards=kitty[: len(deal.dummy)]) if isinstance(action, LayAway) else action
        for action in over.actions
    ]
    twin = replay(start(hand.rules, replace(deal, dummy=kitty[: len(deal.dummy)])), acts)
    assert isinstance(over, Scored)
    maker = over.contract.maker if over.contract else None
    for viewer in (*hand.rules.seats, None):
        if viewer is None or viewer is not maker or not taken:
            assert view(over, viewer) == view(twin, viewer)
        else:
            assert view(over, viewer) != view(twin, viewer)


def cards_in(value: object) -> Iterator[object]:
    """Every card in a value, however deep."""
    if isinstance(value, Card):
        yield value
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            yield from (*cards_in(key), *cards_in(inner))
    elif isinstance(value, tuple | list | set | frozenset):
        for inner in value:
            yield from cards_in(inner)
    elif is_dataclass(value):
        for field in fields(value):
            yield from cards_in(getattr(value, field.name))


@settings(max_examples=100)
@given(states())
def test_every_card_in_a_view_is_one_the_viewer_may_know(state: State) -> None:
    """The allowlist, computed here from the deal and the actions, for every seat and the spectator."""
    for viewer in (*state.hand.rules.seats, None):
        seat_view = view(state, viewer)
        assert set(cards_in(seat_view)) <= may_know(state, viewer)
        assert UNKNOWN not in (
            *seat_view.cards,
            *seat_view.dealt,
            *seat_view.dummy,
            *seat_view.buried,
            *seat_view.laid_away,
        )


def test_the_search_for_cards_finds_them_everywhere() -> None:
    """The test above finds a card in a key, a nested tuple or a field."""
    jack, ace = Card.parse("Jd"), Card.parse("As")
    deal = Deal(dealer=Seat.N, hands=((jack,), (), (), ()), up_card=ace)
    assert set(cards_in({jack: ((ace,),)})) == {jack, ace}
    assert set(cards_in([deal])) == {jack, ace}


def test_a_view_has_no_field_that_could_hold_a_state() -> None:
    """The fields of a view are those we have reviewed; review a new one here."""
    assert [field.name for field in fields(View)] == [
        *("rules", "scores", "warnings", "hands", "seat", "phase", "dealer"),
        *("turned", "up_card_status", "dealt_counts", "dealt", "cards"),
        *(
            "dummy",
            "card_counts",
            "actions",
            "contract",
            "active",
            "leader",
            "trick",
            "seats",
            "tricks",
            "to_act",
            "legal",
            "refused",
        ),
        *("taken_back", "exposed", "docket", "proposal", "verdict", "ending"),
    ]


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_an_empty_seat_has_no_view(seats: int) -> None:
    @settings(max_examples=3, database=None)
    @given(hand_rules(players=seats).flatmap(states))
    def look(state: State) -> None:
        for seat in set(Seat) - set(state.hand.rules.seats):
            with pytest.raises(Exception, match="there is no seat"):
                view(state, seat)

    look()
