"""Rollouts value a pass without a fitted model: quick bots finish the bidding in sampled layouts.

A call and a pass are tried in the same layouts, and only their difference counts: the bias of a solver that sees every
card cancels out.
"""

from collections import defaultdict
from collections.abc import Sequence
from random import Random
from typing import Final

from leftbower.engine.actions import Pass, ShowFarmersHand
from leftbower.engine.deal import Deal
from leftbower.engine.hand import apply, replay, start
from leftbower.engine.knowledge import Location
from leftbower.engine.legal_view import view
from leftbower.engine.play import active_seats, first_leader
from leftbower.engine.states import AskingFarmers, Bidding, Contract, FaceDown, Scored, State
from leftbower.engine.view import View
from leftbower.kernel import HiddenLocation, Layouts, Position, chair_seats
from leftbower.players.judgment.call_model import weigh_layouts
from leftbower.players.judgment.layouts import DUMMY, begin_contract, layouts
from leftbower.players.judgment.stakes import Stakes
from leftbower.players.player import Player
from leftbower.rules import Card, HouseRules, Seat

_OVERSAMPLING: Final = 8
"""Layouts sampled per layout used; the used ones are drawn by the likelihood of the calls."""


def can_roll_out(view: View) -> bool:
    """Can layouts be sampled from the deal on? Not after a farmer's hand was exchanged: the deal isn't known."""
    return not any(isinstance(action, ShowFarmersHand) for action in view.actions)


def pass_gain(view: View, call: Contract, stakes: Stakes, quick: Player, *, count: int, rng: Random) -> float:
    """The mean gain of passing instead of making this contract, in `count` layouts."""
    assert view.seat is not None
    worlds = _worlds(view, count, rng)
    ends = [_roll_out(apply(world, Pass(view.seat)), quick, rng) for world in worlds]
    deals = [world.hand.deal for world in worlds]
    passed, called = _worth(ends, deals, stakes), _worth([call] * count, deals, stakes)
    return (sum(passed) - sum(called)) / count


def _roll_out(state: State, quick: Player, rng: Random) -> Contract | Scored:
    """Let quick bots finish the bidding: a contract, or a passed-out hand."""
    while isinstance(state, FaceDown | Bidding | AskingFarmers):
        state = apply(state, quick.act(view(state, state.to_act), rng))
    if isinstance(state, Scored):
        return state
    contract = state.contract
    return Contract(maker=contract.maker, trump=contract.trump, ordered=contract.ordered, alone=contract.alone)


def _worth(ends: Sequence[Contract | Scored], deals: Sequence[Deal], stakes: Stakes) -> list[float]:
    """The value of each end; contracts are solved in batches by kind."""
    found = [0.0] * len(ends)
    alike: dict[Contract, list[int]] = defaultdict(list)
    for index, end in enumerate(ends):
        if isinstance(end, Scored):
            found[index] = stakes.of_points(end.points)
        else:
            alike[end].append(index)
    for contract, numbers in alike.items():
        worth = stakes.of(contract)
        solved = contract_layouts(stakes.rules, contract, [deals[index] for index in numbers]).outcomes()
        for index, tricks in zip(numbers, solved, strict=True):
            found[index] = worth[tricks]
    return found


def contract_layouts(rules: HouseRules, contract: Contract, deals: Sequence[Deal]) -> Layouts:
    """A contract in each of these deals, after the up-card and the dummy were taken and sensible discards."""
    active, chairs = active_seats(rules, contract), chair_seats(rules, contract)
    rooms: dict[Location, HiddenLocation] = {
        seat: HiddenLocation(chair=chairs.index(seat), size=5, allowed=()) for seat in active
    }
    if rules.dummy_size:
        rooms[DUMMY] = HiddenLocation(chair=None, size=rules.dummy_size, allowed=())
    dealer = deals[0].dealer
    empty = Position(
        trump=contract.trump,
        hands=((), (), (), ()),
        table=(None, None, None, None),
        leader=chairs.index(first_leader(rules, dealer, contract)),
        makers_tricks=0,
    )
    layouts_of_contract = Layouts(empty, rooms, (), count=0, seed=0)
    for deal in deals:
        lying: dict[Location, list[Card]] = {seat: _known(deal.hands[seat.index]) for seat in active}
        layouts_of_contract.add(lying | {DUMMY: _known(deal.dummy)} if rules.dummy_size else lying)
    begin_contract(layouts_of_contract, rules, contract, dealer, deals[0].up_card)
    return layouts_of_contract


def _known(cards: Sequence[object]) -> list[Card]:
    return [card for card in cards if isinstance(card, Card)]


def _worlds(view: View, count: int, rng: Random) -> list[Bidding]:
    """Complete states of the hand, sampled by the likelihood of the calls so far."""
    rules, seat = view.rules, view.seat
    assert seat is not None
    any_call = Contract(maker=seat, trump=view.up_card.suit, ordered=False, alone=False)
    imagined = layouts(view, any_call, _OVERSAMPLING * count, rng)
    weigh_layouts(view, imagined)
    imagined.choose(count, rng.random())
    chosen = [number for number, times in enumerate(imagined.weights) for _ in range(round(times))]
    held = {other: imagined.held(other) for other in rules.seats if other is not seat}
    dummies = imagined.held(DUMMY) if rules.dummy_size else None
    worlds: list[Bidding] = []
    for number in chosen:
        hands = [
            () if owner not in rules.seats else view.dealt if owner is seat else held[owner][number] for owner in Seat
        ]
        north, east, south, west = hands
        dummy = dummies[number] if dummies else ()
        deal = Deal(dealer=view.dealer, hands=(north, east, south, west), up_card=view.up_card, dummy=dummy)
        world = replay(start(rules, deal, view.scores, view.warnings, view.hands), view.actions)
        assert isinstance(world, Bidding)
        worlds.append(world)
    return worlds
