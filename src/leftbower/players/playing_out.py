"""What a pass is worth where nothing was fitted: let quick bots call on in layouts that fit, and solve what they make.

A call and a pass are tried in the same layouts, and only their difference is believed: what a solver sees too much of
falls to both.
"""

from collections import defaultdict
from collections.abc import Sequence
from random import Random
from typing import Final

from leftbower.engine import (
    AskingFarmers,
    Bidding,
    Contract,
    Deal,
    FaceDown,
    Pass,
    Scored,
    ShowFarmersHand,
    State,
    View,
    active_seats,
    apply,
    first_leader,
    replay,
    start,
    view,
)
from leftbower.engine.knowledge import Place
from leftbower.kernel import Layouts, Position, Room, seats_on_chairs
from leftbower.players.hunches import weigh
from leftbower.players.layouts import DUMMY, layouts
from leftbower.players.player import Player
from leftbower.players.stakes import Stakes
from leftbower.rules.cards import Card
from leftbower.rules.house import HouseRules
from leftbower.rules.seats import Seat

_CHOICE: Final = 8
"""Layouts are chosen from so many times as many, by how well they explain what was called."""


def can_play_out(view: View) -> bool:
    """Can the hand be dealt again in thought? Not after a farmer's hand was changed: who had what is not known."""
    return not any(isinstance(action, ShowFarmersHand) for action in view.said)


def passed_up(view: View, call: Contract, stakes: Stakes, quick: Player, *, many: int, chance: Random) -> float:
    """How much more than this contract a pass is worth, over so many layouts."""
    assert view.seat is not None
    worlds = _worlds(view, many, chance)
    ends = [_called_on(apply(world, Pass(view.seat)), quick, chance) for world in worlds]
    deals = [world.hand.deal for world in worlds]
    passed, called = _worth(ends, deals, stakes), _worth([call] * many, deals, stakes)
    return (sum(passed) - sum(called)) / many


def _called_on(state: State, quick: Player, chance: Random) -> Contract | Scored:
    """What quick bots make of it: a contract, or a hand that nobody calls."""
    while isinstance(state, FaceDown | Bidding | AskingFarmers):
        state = apply(state, quick.act(view(state, state.to_act), chance))
    if isinstance(state, Scored):
        return state
    made = state.contract
    return Contract(maker=made.maker, trump=made.trump, ordered=made.ordered, alone=made.alone)


def _worth(ends: Sequence[Contract | Scored], deals: Sequence[Deal], stakes: Stakes) -> list[float]:
    """What each end is worth; contracts are solved, all of a kind together."""
    found = [0.0] * len(ends)
    alike: dict[Contract, list[int]] = defaultdict(list)
    for at, end in enumerate(ends):
        if isinstance(end, Scored):
            found[at] = stakes.of_points(end.points)
        else:
            alike[end].append(at)
    for contract, numbers in alike.items():
        worth = stakes.of(contract)
        solved = contracts(stakes.rules, contract, [deals[at] for at in numbers]).outcomes()
        for at, tricks in zip(numbers, solved, strict=True):
            found[at] = worth[tricks]
    return found


def contracts(rules: HouseRules, contract: Contract, deals: Sequence[Deal]) -> Layouts:
    """A contract in each of these deals, with the up-card and the dummy taken and cards laid away sensibly."""
    active, chairs = active_seats(rules, contract), seats_on_chairs(rules, contract)
    rooms: dict[Place, Room] = {seat: Room(chair=chairs.index(seat), size=5, allowed=()) for seat in active}
    if rules.dummy_size:
        rooms[DUMMY] = Room(chair=None, size=rules.dummy_size, allowed=())
    dealer = deals[0].dealer
    empty = Position(
        trump=contract.trump,
        hands=((), (), (), ()),
        table=(None, None, None, None),
        leader=chairs.index(first_leader(rules, dealer, contract)),
        makers_tricks=0,
    )
    made = Layouts(empty, rooms, (), many=0, seed=0)
    for deal in deals:
        lying: dict[Place, list[Card]] = {seat: _known(deal.hands[seat.index]) for seat in active}
        made.add(lying | {DUMMY: _known(deal.dummy)} if rules.dummy_size else lying)
    if contract.ordered and dealer in active:
        made.take_up(chairs.index(dealer), deals[0].up_card)
    if rules.dummy_size and not contract.alone:
        made.take_dummy(0, DUMMY, rules.dummy_size)
    return made


def _known(cards: Sequence[object]) -> list[Card]:
    return [card for card in cards if isinstance(card, Card)]


def _worlds(view: View, many: int, chance: Random) -> list[Bidding]:
    """The hand as it may be, from the deal on to where it stands, each as likely as what was called makes it."""
    rules, seat = view.rules, view.seat
    assert seat is not None
    any_call = Contract(maker=seat, trump=view.up_card.suit, ordered=False, alone=False)
    imagined = layouts(view, any_call, _CHOICE * many, chance)
    weigh(view, imagined)
    imagined.choose(many, chance.random())
    chosen = [number for number, times in enumerate(imagined.weights) for _ in range(round(times))]
    held = {other: imagined.held(other) for other in rules.places if other is not seat}
    dummies = imagined.held(DUMMY) if rules.dummy_size else None
    worlds: list[Bidding] = []
    for number in chosen:
        hands = [
            () if place not in rules.places else view.dealt if place is seat else held[place][number] for place in Seat
        ]
        north, east, south, west = hands
        dummy = dummies[number] if dummies else ()
        deal = Deal(dealer=view.dealer, hands=(north, east, south, west), up_card=view.up_card, dummy=dummy)
        world = replay(start(rules, deal, view.scores, view.warnings, view.hands), view.said)
        assert isinstance(world, Bidding)
        worlds.append(world)
    return worlds
