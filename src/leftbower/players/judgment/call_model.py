"""Call-likelihood model: logistic regression of a call on the cards of a hand, fitted to our own bots' calls.

A seat that passed is unlikely to be strong in that suit; one that called is likely to be. There is one row of weights
for each round and position from the dealer's left; in the second round there is one for the next suit and one for the
cross suits.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Final

from leftbower.engine import Bury, Name, Order, Pass, UpCardStatus, View
from leftbower.engine.knowledge import BURIED, Location
from leftbower.kernel import Layouts
from leftbower.rules import UNKNOWN, Card, HouseRules, Rank, Seat, Suit, ranking


@dataclass(frozen=True, slots=True)
class CallWeights:
    """A weight per card for calling one suit, and the intercept."""

    worth: Mapping[Card, float]
    bias: float


@dataclass(frozen=True, slots=True)
class CallEvidence:
    """One observation: a seat called, or did not call, a suit."""

    seat: Seat
    row: CallWeights
    called: bool


def applies_to(rules: HouseRules) -> bool:
    """Does the model apply to this game? It was fitted to four players."""
    return rules.players == 4


def has_evidence(view: View) -> bool:
    """Has another seat called or passed in a game the model applies to?"""
    return applies_to(view.rules) and next(_evidence(view), None) is not None


def weigh_layouts(view: View, layouts: Layouts) -> None:
    """Weight layouts by the likelihood of what the others called and passed."""
    if not applies_to(view.rules):
        return
    played = _played(view)
    for evidence in _evidence(view):
        took = evidence.seat is view.dealer and view.up_card_status is UpCardStatus.TAKEN
        buried = took and any(isinstance(action, Bury) and action.card is UNKNOWN for action in view.actions)
        locations: list[Location] = [evidence.seat, BURIED] if buried else [evidence.seat]
        less = [view.up_card] if took else []
        layouts.weigh(
            locations,
            evidence.row.worth,
            evidence.row.bias,
            called=evidence.called,
            more=played[evidence.seat],
            less=less,
        )


def call_logit(view: View, call: Order | Name, position: int) -> float:
    """The logit of this call for the viewer's hand."""
    if isinstance(call, Name):
        row = second_round_weights(position, view.up_card.suit, call.suit)
    else:
        row = first_round_weights(position, view.up_card)
    return row.bias + sum(row.worth[card] for card in view.cards if card is not UNKNOWN)


def _played(view: View) -> dict[Seat, list[Card]]:
    """The cards each seat has played in this hand."""
    played: dict[Seat, list[Card]] = {seat: [] for seat in view.rules.seats}
    tricks = [(trick.cards, trick.seats) for trick in view.tricks] + [(view.trick, view.seats)]
    for cards, seats in tricks:
        for card, seat in zip(cards, seats, strict=True):
            played[seat].append(card)
    return played


def _evidence(view: View) -> Iterator[CallEvidence]:
    """Observations from the calls and passes of the other seats, in order."""
    round_of: dict[Seat, int] = {}
    for action in view.actions:
        if not isinstance(action, Pass | Order | Name):
            continue
        round_of[action.seat] = round_of.get(action.seat, 0) + 1
        if action.seat is not view.seat:
            yield from _evidence_of(view, action, round_of[action.seat])


def _evidence_of(view: View, action: Pass | Order | Name, round: int) -> Iterator[CallEvidence]:
    position = (view.rules.seats.index(action.seat) - view.rules.seats.index(view.dealer) - 1) % 4
    if round == 1:
        yield CallEvidence(action.seat, first_round_weights(position, view.up_card), isinstance(action, Order))
    elif isinstance(action, Name):
        yield CallEvidence(action.seat, second_round_weights(position, view.up_card.suit, action.suit), True)
    else:
        for suit in Suit:
            if suit is not view.up_card.suit:
                yield CallEvidence(action.seat, second_round_weights(position, view.up_card.suit, suit), False)


@cache
def first_round_weights(position: int, up_card: Card) -> CallWeights:
    """Weights for ordering up this card, by position from the dealer's left."""
    row = _rows()[f"1-{position}"]
    bias = row["any"][0] + row["up_card"][list(Rank).index(up_card.rank)]
    return CallWeights(_worth(row, up_card.suit), bias)


@cache
def second_round_weights(position: int, turned_down: Suit, suit: Suit) -> CallWeights:
    """Weights for naming a suit after another was turned down."""
    row = _rows()[f"2-{position}-{'next' if suit is turned_down.sister else 'cross'}"]
    return CallWeights(_worth(row, suit), row["any"][0])


def _worth(row: Mapping[str, list[float]], suit: Suit) -> dict[Card, float]:
    kinds: Final = {suit: "trump", suit.sister: "next"}
    return {
        card: row[kinds.get(card_suit, "cross")][rank]
        for card_suit in Suit
        for rank, card in enumerate(reversed(ranking(card_suit, suit)))
    }


@cache
def _rows() -> dict[str, dict[str, list[float]]]:
    found: dict[str, dict[str, list[float]]] = json.loads(
        (files("leftbower.players") / "data" / "call_model.json").read_text(encoding="utf-8")
    )
    return found
