"""Is a claim certain? Whether one stated order of cards wins every trick left, whatever the others hold and do.

Only what the claimant can know counts: the claimant's view. All others, the partner too, are taken to want a trick and
to be as lucky as the cards allow. One lost trick is enough, so it suffices to look for one player who could take one
with one card. Of the other cards of that player only the suits matter: they are there to follow or to throw away.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from itertools import combinations, combinations_with_replacement

from leftbower.engine.actions import Bury, Claim
from leftbower.engine.knowledge import Location, Locations, hidden_cards
from leftbower.engine.states import Answering, PublicContract, State
from leftbower.engine.view import UpCardStatus, View, view_without_legal
from leftbower.rules.cards import UNKNOWN, Card, Suit
from leftbower.rules.scoring import TRICKS_PER_HAND
from leftbower.rules.seats import Seat
from leftbower.rules.tricks import playable, ranking, strength


def is_certain(view: View, order: Sequence[Card]) -> bool:
    """Do these cards, played in this order, win every trick left in every layout that fits the view?"""
    return not _loses(_knowledge(view), order)


def certain_order(view: View) -> tuple[Card, ...] | None:
    """An order in which the viewer's cards are certain winners, or None where there is none."""
    knowledge = _knowledge(view)
    return next((order for order in _orders(view, knowledge.trump) if not _loses(knowledge, order)), None)


def claim_is_certain(state: State) -> bool | None:
    """Whether the claim the table is asked about is certain; None where there is none, or the rules do not tell."""
    if not isinstance(state, Answering) or not isinstance(state.proposal, Claim):
        return None
    if not state.hand.rules.judge_claims:
        return None
    return certain_order(view_without_legal(state.interrupted, state.proposal.seat)) is not None


_Spot = Location | Suit
"""A location, or in a hand that is looked at more closely its cards of one suit."""
_Fits = Callable[[Seat, Card, tuple[Suit, ...]], bool]
_Trick = tuple[Suit, Card]
"""The suit that is led to a trick, and the claimant's card in it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Knowledge:
    """What a claimant knows of the cards out of sight."""

    trump: Suit
    cards: tuple[Card, ...]
    """What the claimant holds."""
    leader: Seat | None
    """Who leads to the first trick; None where the claimant does."""
    players: tuple[Seat, ...]
    """Who else takes part."""
    rooms: Mapping[Location, int]
    """How many of the cards out of sight lie in each location; all of them lie somewhere."""
    homes: tuple[Locations, ...]
    """Where each card may lie: one table, or several of which one is true."""
    burier: Seat | None
    """A dealer at an honor table who can still bury a card. (That the up-card may have to stay changes nothing.)"""
    fits: _Fits
    """Whether a hand fits: asked for order after order, and answered once."""


def _knowledge(view: View) -> _Knowledge:
    contract = _contract_of(view)
    unseen = hidden_cards(view)
    homes = tuple({**unseen.locations, card: locations} for card, locations in unseen.owed.items()) or (
        unseen.locations,
    )
    return _Knowledge(
        trump=contract.trump,
        cards=tuple(card for card in view.cards if card is not UNKNOWN),
        leader=None if view.leader is view.seat else view.leader,
        players=tuple(seat for seat in view.active if seat is not view.seat),
        rooms=unseen.sizes,
        homes=homes,
        burier=view.dealer if _can_still_bury(view) else None,
        fits=cache(partial(_fits, unseen.sizes, homes, contract.trump)),
    )


def _contract_of(view: View) -> PublicContract:
    if view.contract is None:
        raise ValueError("a claim needs trump to be made")
    return view.contract


def _can_still_bury(view: View) -> bool:
    """Has the dealer taken the up-card, and neither buried a card nor laid one?"""
    buried = any(isinstance(action, Bury) for action in view.actions)
    laid = any(view.dealer in trick.seats for trick in view.tricks)
    return view.up_card_status is UpCardStatus.TAKEN and not buried and not laid


def _fits(
    rooms: Mapping[Location, int],
    homes: tuple[Locations, ...],
    trump: Suit,
    seat: Seat,
    card: Card,
    others: tuple[Suit, ...],
) -> bool:
    """Is there a layout in which this seat holds this card, and others of just these suits?"""
    apart: dict[_Spot, int] = {location: size for location, size in rooms.items() if location is not seat}
    apart |= Counter((card.suit_under(trump), *others))
    return any(
        _find_room(apart, {**_by_suits(table, seat, trump), card: {card.suit_under(trump)}})
        for table in homes
        if seat in table[card]
    )


def _by_suits(table: Locations, seat: Seat, trump: Suit) -> dict[Card, Collection[_Spot]]:
    """The same locations, but for one hand that is split into its suits."""
    return {
        card: locations - {seat} | {card.suit_under(trump)} if seat in locations else locations
        for card, locations in table.items()
    }


def _find_room(rooms: Mapping[_Spot, int], homes: Mapping[Card, Collection[_Spot]]) -> bool:
    """Bipartite matching: can every card lie in one of its locations, with no more cards in any than it can hold?"""
    lying: dict[_Spot, list[Card]] = {location: [] for location in rooms}

    def put(card: Card, tried: set[_Spot]) -> bool:
        for location in homes[card]:
            if location in lying and location not in tried:
                tried.add(location)
                if len(lying[location]) < rooms[location]:
                    lying[location].append(card)
                    return True
                moved = next((other for other in lying[location] if put(other, tried)), None)
                if moved is not None:
                    lying[location][lying[location].index(moved)] = card
                    return True
        return False

    return all(put(card, set()) for card in homes)


def _orders(view: View, trump: Suit) -> Iterator[tuple[Card, ...]]:
    """Every order worth trying; a sixth card, at an honor table, stays behind.

    Leading a suit from its top loses nothing: whatever beats a low card now would have beaten it before. That says
    nothing of a first card that is not led.
    """
    if UNKNOWN in view.cards:
        return
    for cards in combinations([card for card in view.cards if card is not UNKNOWN], TRICKS_PER_HAND - len(view.tricks)):
        if view.leader is view.seat:
            yield from _from_the_top(cards, trump)
        else:
            for first in cards:
                rest = [card for card in cards if card is not first]
                yield from ((first, *order) for order in _from_the_top(rest, trump))


def _from_the_top(cards: Sequence[Card], trump: Suit) -> Iterator[tuple[Card, ...]]:
    suits = dict.fromkeys((trump, *Suit))
    return _interleavings([tuple(card for card in ranking(suit, trump) if card in cards) for suit in suits])


def _interleavings(runs: Sequence[tuple[Card, ...]]) -> Iterator[tuple[Card, ...]]:
    """Every order that keeps the order within each run, the earlier runs first."""
    if not any(runs):
        yield ()
    for index, run in enumerate(runs):
        if run:
            for rest in _interleavings([*runs[:index], run[1:], *runs[index + 1 :]]):
                yield run[0], *rest


def _loses(knowledge: _Knowledge, order: Sequence[Card]) -> bool:
    """Could anybody take a trick from these cards, played in this order?"""
    tricks = tuple((card.suit_under(knowledge.trump), card) for card in order)
    if knowledge.leader is None:
        return any(_takes_one(knowledge, seat, tricks) for seat in knowledge.players)
    return any(_loses_after(knowledge, knowledge.leader, lead, tricks) for lead in knowledge.homes[0])


def _loses_after(knowledge: _Knowledge, leader: Seat, lead: Card, tricks: tuple[_Trick, ...]) -> bool:
    """Could anybody take a trick when another player leads this card to the first?"""
    after = _having_led(knowledge, leader, lead)
    rooms: dict[_Spot, int] = dict(after.rooms.items())
    if not any(_find_room(rooms, table) for table in after.homes):
        return False
    led, (_, first) = lead.suit_under(knowledge.trump), tricks[0]
    if first not in playable(knowledge.cards, led, knowledge.trump) or _beats(lead, (led, first), knowledge.trump):
        return True
    return any(
        _takes_one(after, seat, tricks[1:] if seat is leader else ((led, first), *tricks[1:]))
        for seat in knowledge.players
    )


def _having_led(knowledge: _Knowledge, leader: Seat, lead: Card) -> _Knowledge:
    """What is known when this card has left the leader's hand."""
    rooms = {**knowledge.rooms, leader: knowledge.rooms[leader] - 1}
    homes = tuple(
        {card: locations for card, locations in table.items() if card is not lead}
        for table in knowledge.homes
        if leader in table[lead]
    )
    return replace(knowledge, rooms=rooms, homes=homes, fits=cache(partial(_fits, rooms, homes, knowledge.trump)))


def _takes_one(knowledge: _Knowledge, seat: Seat, tricks: tuple[_Trick, ...]) -> bool:
    """Could this player hold a hand, in some layout that fits, with which to take one of these tricks?"""
    trump, size = knowledge.trump, knowledge.rooms[seat]
    threats = {
        card for table in knowledge.homes for card in table if any(_beats(card, trick, trump) for trick in tricks)
    }
    return any(
        _wins_with(card, left, tricks, trump) and knowledge.fits(seat, card, others)
        for card in threats
        for others in combinations_with_replacement(Suit, size - 1)
        for left in (_without_one(others) if seat is knowledge.burier else (others,))
    )


def _beats(card: Card, trick: _Trick, trump: Suit) -> bool:
    led, claimed = trick
    return strength(card, trump, led) > strength(claimed, trump, led)


def _without_one(suits: tuple[Suit, ...]) -> Iterator[tuple[Suit, ...]]:
    """What may be left of some cards when one of them is buried or played."""
    for suit in set(suits):
        index = suits.index(suit)
        yield suits[:index] + suits[index + 1 :]


def _wins_with(card: Card, others: tuple[Suit, ...], tricks: tuple[_Trick, ...], trump: Suit) -> bool:
    """Could a player with this card, and others of these suits, take one of these tricks with it, following suit?"""
    (led, _), suit = tricks[0], card.suit_under(trump)
    if (suit is led or led not in others) and _beats(card, tricks[0], trump):
        return True
    if len(tricks) == 1 or (suit is led and led not in others):
        return False
    if led in others:
        index = others.index(led)
        return _wins_with(card, others[:index] + others[index + 1 :], tricks[1:], trump)
    return any(_wins_with(card, left, tricks[1:], trump) for left in _without_one(others))
