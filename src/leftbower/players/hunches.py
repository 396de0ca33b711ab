"""Hunches: what a call or a pass tells of the hand behind it.

Whoever passes has no strong hand in that suit, whoever calls has. How strong is a sum over the cards, one number for
each card as it stands under the suit in question, fitted to what our own bots call; its logistic is the chance of a
call. There is one such row for each round and each place from the dealer's left, and in the second round one for the
suit next to the up-card's and one for the others.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Final

from leftbower.engine import Bury, Name, Order, Pass, UpCard, View
from leftbower.engine.knowledge import BURIED, Place
from leftbower.kernel import Layouts
from leftbower.rules.cards import UNKNOWN, Card, Rank, Suit
from leftbower.rules.house import HouseRules
from leftbower.rules.seats import Seat
from leftbower.rules.tricks import ranking


@dataclass(frozen=True, slots=True)
class Row:
    """What the cards of a hand are worth when somebody thinks of calling one suit, and what any hand is."""

    worth: Mapping[Card, float]
    bias: float


@dataclass(frozen=True, slots=True)
class Told:
    """One thing a call told: somebody would, or would not, call a suit."""

    seat: Seat
    row: Row
    called: bool


def fit(rules: HouseRules) -> bool:
    """Are there hunches for this game? They were fitted to four players."""
    return rules.seats == 4


def tell(view: View) -> bool:
    """Has anybody else called or passed, in a game for which there are hunches?"""
    return fit(view.rules) and next(_told(view), None) is not None


def weigh(view: View, layouts: Layouts) -> None:
    """Make layouts the likelier the better they explain what the others called and passed."""
    if not fit(view.rules):
        return
    played = _played(view)
    for told in _told(view):
        took = told.seat is view.dealer and view.up_card_is is UpCard.TAKEN
        buried = took and any(isinstance(action, Bury) and action.card is UNKNOWN for action in view.said)
        places: list[Place] = [told.seat, BURIED] if buried else [told.seat]
        less = [view.up_card] if took else []
        layouts.weigh(places, told.row.worth, told.row.bias, called=told.called, more=played[told.seat], less=less)


def hunch(view: View, call: Order | Name, place: int) -> float:
    """How strong the viewer's hand would look to others if this were called: the logit of the call."""
    if isinstance(call, Name):
        row = second_round(place, view.up_card.suit, call.suit)
    else:
        row = first_round(place, view.up_card)
    return row.bias + sum(row.worth[card] for card in view.cards if card is not UNKNOWN)


def _played(view: View) -> dict[Seat, list[Card]]:
    """The cards each seat has laid in this hand."""
    played: dict[Seat, list[Card]] = {seat: [] for seat in view.rules.places}
    tricks = [(trick.cards, trick.seats) for trick in view.tricks] + [(view.trick, view.seats)]
    for cards, seats in tricks:
        for card, seat in zip(cards, seats, strict=True):
            played[seat].append(card)
    return played


def _told(view: View) -> Iterator[Told]:
    """What each of the others told by calling or passing, in turn."""
    round_of: dict[Seat, int] = {}
    for action in view.said:
        if not isinstance(action, Pass | Order | Name):
            continue
        round_of[action.seat] = round_of.get(action.seat, 0) + 1
        if action.seat is not view.seat:
            yield from _told_by(view, action, round_of[action.seat])


def _told_by(view: View, action: Pass | Order | Name, round: int) -> Iterator[Told]:
    place = (view.rules.places.index(action.seat) - view.rules.places.index(view.dealer) - 1) % 4
    if round == 1:
        yield Told(action.seat, first_round(place, view.up_card), isinstance(action, Order))
    elif isinstance(action, Name):
        yield Told(action.seat, second_round(place, view.up_card.suit, action.suit), True)
    else:
        for suit in Suit:
            if suit is not view.up_card.suit:
                yield Told(action.seat, second_round(place, view.up_card.suit, suit), False)


@cache
def first_round(place: int, up_card: Card) -> Row:
    """For ordering up this card, from so many places to the left of eldest."""
    row = _rows()[f"1-{place}"]
    bias = row["any"][0] + row["up_card"][list(Rank).index(up_card.rank)]
    return Row(_worth(row, up_card.suit), bias)


@cache
def second_round(place: int, turned_down: Suit, suit: Suit) -> Row:
    """For naming a suit when another was turned down."""
    row = _rows()[f"2-{place}-{'next' if suit is turned_down.sister else 'cross'}"]
    return Row(_worth(row, suit), row["any"][0])


def _worth(row: Mapping[str, list[float]], suit: Suit) -> dict[Card, float]:
    kinds: Final = {suit: "trump", suit.sister: "next"}
    return {
        card: row[kinds.get(one, "cross")][rank]
        for one in Suit
        for rank, card in enumerate(reversed(ranking(one, suit)))
    }


@cache
def _rows() -> dict[str, dict[str, list[float]]]:
    found: dict[str, dict[str, list[float]]] = json.loads(
        (files("leftbower.players") / "data" / "hunches.json").read_text(encoding="utf-8")
    )
    return found
