"""What a viewer can infer about hidden cards: which they are, how many are in each location, and where each can be.

Inference uses only what the viewer may know: failures to follow suit, the up-card, cards taken back, hands face up. A
wrong inference makes a claim too bold or a guess worse; it never reveals a card.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Final

from leftbower.engine.actions import Bury, Claim, LayAway, Order, Play, ShowFarmersHand
from leftbower.engine.view import Phase, UpCardStatus, View
from leftbower.rules import UNKNOWN, Card, Seat, choices, ranking
from leftbower.rules.choices import Supervision

Pile = str
"""A face-down pile: discard, laid-away cards or kitty."""
Location = Seat | Pile
"""A location of a hidden card: a seat's hand, or a face-down pile."""
BURIED: Final = "buried"
LAID_AWAY: Final = "laid away"
KITTY: Final = "kitty"
Locations = Mapping[Card, frozenset[Location]]


@dataclass(frozen=True, slots=True, kw_only=True)
class HiddenCards:
    """What the viewer knows about the hidden cards."""

    sizes: Mapping[Location, int]
    """The number of hidden cards in each location; they add up to all hidden cards."""
    locations: Locations
    """Possible locations of each card."""
    owed: Locations
    """At least one of these cards is in one of its locations: the dealer must have been dealt a natural trump.

    Empty if the rules don't require one.
    """


def hidden_cards(view: View) -> HiddenCards:
    """Infer the hidden cards from a view, at any point of a hand that isn't over."""
    if view.ending is not None:
        raise ValueError("when a hand is over nothing more can be found out")
    out = _out_of_sight(view)
    rooms = _rooms(view, len(out))
    homes = _homes(view, out, rooms)
    return HiddenCards(sizes=rooms, locations=homes, owed=_owed(view, homes))


def _out_of_sight(view: View) -> tuple[Card, ...]:
    """Cards the viewer can't see: in other hands, or face down."""
    played = chain.from_iterable(trick.cards for trick in view.tricks)
    changed = chain.from_iterable(action.cards for action in view.actions if isinstance(action, ShowFarmersHand))
    taken = _up_card_taken(view) and view.seat is not view.dealer
    up_card = () if taken else (view.up_card,)
    visible = {*view.cards, *played, *view.trick, *view.buried, *view.laid_away, *changed, *up_card}
    return tuple(card for card in view.rules.deck if card not in visible)


def _up_card_taken(view: View) -> bool:
    """Does the dealer have the up-card? If the dealer discards first, it is on the table until then."""
    waits = view.phase is Phase.DISCARDING and view.rules.bury is choices.BuryOrder.BEFORE_TAKING
    return view.up_card_status is UpCardStatus.TAKEN and not waits


def _rooms(view: View, out: int) -> dict[Location, int]:
    """The number of hidden cards in each location; a dummy that wasn't taken counts as kitty."""
    rooms: dict[Location, int] = {seat: view.card_counts[seat] for seat in view.rules.seats if seat is not view.seat}
    for action in view.actions:
        if isinstance(action, Bury) and action.card is UNKNOWN:
            rooms[BURIED] = 1
        elif isinstance(action, LayAway) and UNKNOWN in action.cards:
            rooms[LAID_AWAY] = len(action.cards)
    return {**rooms, KITTY: out - sum(rooms.values())}


def _homes(view: View, out: tuple[Card, ...], rooms: Mapping[Location, int]) -> Locations:
    lacking = _lacking(view)
    owned = _owned(view)
    return {
        card: frozenset(
            location
            for location in owned.get(card, rooms.keys()) & rooms.keys()
            if card not in lacking.get(location, ())
        )
        for card in out
    }


def _owed(view: View, homes: Locations) -> Locations:
    """The natural trumps the dealer may still have, if the dealer must have one in hand, buried or laid away."""
    if not _owes_a_natural(view):
        return {}
    naturals = (card for card in homes if card.suit is view.up_card.suit and card is not view.up_card)
    return {card: homes[card] & _with_the_dealer(view) for card in naturals}


def _lacking(view: View) -> dict[Location, set[Card]]:
    """Cards of suits that a player didn't follow; at an honor table that proves nothing."""
    contract = view.contract
    if contract is None or view.rules.supervision is Supervision.HONOR:
        return {}
    tricks = [(trick.cards, trick.seats) for trick in view.tricks] + [(view.trick, view.seats)]
    lacking: dict[Location, set[Card]] = {seat: set() for seat in view.active}
    for cards, seats in tricks:
        for card, seat in zip(cards, seats, strict=True):
            if card.suit_under(contract.trump) is not cards[0].suit_under(contract.trump):
                lacking[seat] |= set(ranking(cards[0].suit_under(contract.trump), contract.trump))
    return lacking


def _owned(view: View) -> dict[Card, frozenset[Location]]:
    """Cards known to be with one player, and where that player can have them."""
    owned: dict[Card, frozenset[Location]] = {}
    if view.up_card_status is UpCardStatus.TAKEN:
        owned[view.up_card] = _with_the_dealer(view)
    for play in view.taken_back:
        owned[play.card] = frozenset({play.seat, *({BURIED} if _buried_after(view, play) else ())})
    if view.up_card in owned and not view.rules.may_bury_up_card:
        owned[view.up_card] -= {BURIED}
    for seat, cards in view.exposed.items():
        owned |= {card: frozenset({seat}) for card in cards if card is not UNKNOWN}
    return owned


def _with_the_dealer(view: View) -> frozenset[Location]:
    """Where the dealer's cards can be: a dealer who took the dummy may have laid them away, even the up-card."""
    away = view.contract is not None and view.contract.maker is view.dealer
    return frozenset({view.dealer, BURIED, *({LAID_AWAY} if away else ())})


def _buried_after(view: View, play: Play) -> bool:
    """Did the dealer discard only after showing this card, by playing it or by a claim that failed?"""
    if play.seat is not view.dealer:
        return False
    laid = [start for start, action in enumerate(view.actions) if action == play]
    start = laid[-1] if laid else view.actions.index(Claim(play.seat))
    return any(isinstance(action, Bury) for action in view.actions[start:])


def _owes_a_natural(view: View) -> bool:
    """Did the dealer, another player, need a natural trump that hasn't been played yet?"""
    called = any(isinstance(action, Order) and action.seat is view.dealer for action in view.actions)
    played = (action for action in view.actions if isinstance(action, Play) and action.seat is view.dealer)
    played_natural = any(play.card.suit is view.up_card.suit and play.card is not view.up_card for play in played)
    return view.rules.natural_trump and called and not played_natural and view.dealer is not view.seat
