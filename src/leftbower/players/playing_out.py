"""What a call or a pass is worth where nothing was fitted: play the hand out by quick bots, in layouts that fit."""

from collections.abc import Sequence
from random import Random

from leftbower.engine import Action, Bidding, Contract, Deal, ShowFarmersHand, State, View, apply, replay, start
from leftbower.players.driving import drive
from leftbower.players.hunches import weigh
from leftbower.players.layouts import DUMMY, layouts
from leftbower.players.player import Player
from leftbower.players.stakes import Stakes
from leftbower.rules.cards import Card
from leftbower.rules.seats import Seat


def can_play_out(view: View) -> bool:
    """Can the hand be dealt again in thought? Not after a farmer's hand was changed: who had what is not known."""
    return not any(isinstance(action, ShowFarmersHand) for action in view.said)


def played_out(
    view: View, choices: Sequence[Action], stakes: Stakes, quick: Player, *, many: int, chance: Random
) -> list[float]:
    """The mean of what each choice turned out to be worth, in the same layouts."""
    worlds, weights = _worlds(view, many, chance)
    seed = chance.getrandbits(64)
    return [_mean(worlds, weights, choice, stakes, quick, seed) for choice in choices]


def _mean(
    worlds: Sequence[State], weights: Sequence[float], choice: Action, stakes: Stakes, quick: Player, seed: int
) -> float:
    rules = stakes.rules
    ends = (
        drive(apply(world, choice), dict.fromkeys(rules.places, quick), _chances(rules.places, f"{seed} {number}"))
        for number, world in enumerate(worlds)
    )
    return sum(w * stakes.of_points(end.points) for w, end in zip(weights, ends, strict=True)) / sum(weights)


def _chances(seats: Sequence[Seat], seed: str) -> dict[Seat, Random]:
    return {seat: Random(f"{seed} {seat}") for seat in seats}


def _worlds(view: View, many: int, chance: Random) -> tuple[list[State], list[float]]:
    """The hand as it may be, from the deal on to where it stands, and how likely each is by what was called."""
    rules, seat = view.rules, view.seat
    assert seat is not None
    any_call = Contract(maker=seat, trump=view.up_card.suit, ordered=False, alone=False)
    imagined = layouts(view, any_call, many, chance)
    weigh(view, imagined)
    held: dict[Seat, list[tuple[Card, ...]]] = {
        other: imagined.held(other) for other in rules.places if other is not seat
    }
    dummies = imagined.held(DUMMY) if rules.dummy_size else [()] * many
    worlds: list[State] = []
    for number in range(many):
        hands = [
            () if place not in rules.places else view.dealt if place is seat else held[place][number] for place in Seat
        ]
        north, east, south, west = hands
        deal = Deal(dealer=view.dealer, hands=(north, east, south, west), up_card=view.up_card, dummy=dummies[number])
        world = replay(start(rules, deal, view.scores, view.warnings), view.said)
        assert isinstance(world, Bidding)
        worlds.append(world)
    return worlds, imagined.weights.tolist()
