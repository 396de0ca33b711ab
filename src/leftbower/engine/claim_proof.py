"""Proof of claims: does one order of the claimant's cards win every remaining trick, whatever the others hold and do?

Only the claimant's view counts. All others, including the partner, are assumed to want a trick and to hold the best
cards the view allows. One lost trick refutes a claim, so the proof looks for one player who can take one trick with one
card. Only the suits of that player's other cards matter: they must be followed or can be thrown off.
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
from leftbower.rules import UNKNOWN, Card, Seat, Suit, playable, ranking, strength
from leftbower.rules.scoring import TRICKS_PER_HAND


def is_certain(view: View, order: Sequence[Card]) -> bool:
    """Do these cards, played in this order, win every remaining trick in every layout that fits the view?"""
    return not _loses(_knowledge(view), order)


def certain_order(view: View) -> tuple[Card, ...] | None:
    """An order in which the viewer's cards are sure winners, or None."""
    knowledge = _knowledge(view)
    return next((order for order in _orders(view, knowledge.trump) if not _loses(knowledge, order)), None)


def claim_is_certain(state: State) -> bool | None:
    """Is the proposed claim sure? None if there is no claim, or if the rules leave it to the players."""
    if not isinstance(state, Answering) or not isinstance(state.proposal, Claim):
        return None
    if not state.hand.rules.judge_claims:
        return None
    return certain_order(view_without_legal(state.interrupted, state.proposal.seat)) is not None


_Spot = Location | Suit
"""A location, or one suit of the hand under test."""
_Fits = Callable[[Seat, Card, tuple[Suit, ...]], bool]
_Trick = tuple[Suit, Card]
"""The suit led to a trick, and the claimant's card in it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Knowledge:
    """What a claimant knows about the hidden cards."""

    trump: Suit
    cards: tuple[Card, ...]
    leader: Seat | None
    """Who leads to the first trick; None if the claimant does."""
    players: tuple[Seat, ...]
    """The other active players."""
    rooms: Mapping[Location, int]
    """The number of hidden cards in each location; they add up to all hidden cards."""
    homes: tuple[Locations, ...]
    """Possible locations of each card: one mapping, or several of which one is true."""
    burier: Seat | None
    """A dealer at an honor table who can still discard. A rule that the up-card must stay changes nothing."""
    fits: _Fits
    """Cached test whether a hand fits: each order asks again."""


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
    """Has the dealer picked up the up-card, and neither discarded nor played a card?"""
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
    """Is there a layout in which this seat holds this card and others of exactly these suits?"""
    apart: dict[_Spot, int] = {location: size for location, size in rooms.items() if location is not seat}
    apart |= Counter((card.suit_under(trump), *others))
    return any(
        _find_room(apart, {**_by_suits(table, seat, trump), card: {card.suit_under(trump)}})
        for table in homes
        if seat in table[card]
    )


def _by_suits(table: Locations, seat: Seat, trump: Suit) -> dict[Card, Collection[_Spot]]:
    """The same locations, with one hand split by suits."""
    return {
        card: locations - {seat} | {card.suit_under(trump)} if seat in locations else locations
        for card, locations in table.items()
    }


def _find_room(rooms: Mapping[_Spot, int], homes: Mapping[Card, Collection[_Spot]]) -> bool:
    """Bipartite matching: can every card get one of its locations without any location overflowing?"""
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
    """Every order worth trying; a sixth card, at an honor table, is left out.

    Leading a suit from the top loses nothing: a card that beats the low card now would have beaten it before. This
    doesn't apply to the first card if another player leads.
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
    """Every order that keeps the order within each run; earlier runs come first."""
    if not any(runs):
        yield ()
    for index, run in enumerate(runs):
        if run:
            for rest in _interleavings([*runs[:index], run[1:], *runs[index + 1 :]]):
                yield run[0], *rest


def _loses(knowledge: _Knowledge, order: Sequence[Card]) -> bool:
    """Can any player take a trick if these cards are played in this order?"""
    tricks = tuple((card.suit_under(knowledge.trump), card) for card in order)
    if knowledge.leader is None:
        return any(_takes_one(knowledge, seat, tricks) for seat in knowledge.players)
    return any(_loses_after(knowledge, knowledge.leader, lead, tricks) for lead in knowledge.homes[0])


def _loses_after(knowledge: _Knowledge, leader: Seat, lead: Card, tricks: tuple[_Trick, ...]) -> bool:
    """Can any player take a trick if `leader` leads this card first?"""
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
    """The knowledge after this card left the leader's hand."""
    rooms = {**knowledge.rooms, leader: knowledge.rooms[leader] - 1}
    homes = tuple(
        {card: locations for card, locations in table.items() if card is not lead}
        for table in knowledge.homes
        if leader in table[lead]
    )
    return replace(knowledge, rooms=rooms, homes=homes, fits=cache(partial(_fits, rooms, homes, knowledge.trump)))


def _takes_one(knowledge: _Knowledge, seat: Seat, tricks: tuple[_Trick, ...]) -> bool:
    """Can this player, in some layout that fits, take one of these tricks?"""
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
    """Each way to discard or play one of these cards."""
    for suit in set(suits):
        index = suits.index(suit)
        yield suits[:index] + suits[index + 1 :]


def _wins_with(card: Card, others: tuple[Suit, ...], tricks: tuple[_Trick, ...], trump: Suit) -> bool:
    """Can a player with this card, and others of these suits, take one of these tricks with it while following suit?"""
    (led, _), suit = tricks[0], card.suit_under(trump)
    if (suit is led or led not in others) and _beats(card, tricks[0], trump):
        return True
    if len(tricks) == 1 or (suit is led and led not in others):
        return False
    if led in others:
        index = others.index(led)
        return _wins_with(card, others[:index] + others[index + 1 :], tricks[1:], trump)
    return any(_wins_with(card, left, tricks[1:], trump) for left in _without_one(others))
