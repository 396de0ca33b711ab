"""Is a claim certain? Whether one stated order of cards wins every trick left, whatever the others hold and do.

Only what the claimant can know counts: the claimant's view. Everybody else, the partner too, is taken to want a trick
and to be as lucky as the cards allow. One lost trick is enough, so it suffices to look for one player who could take
one with one card. Of the other cards of that player only the suits matter: they are there to follow or to throw away.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from itertools import chain, combinations, combinations_with_replacement
from typing import Final

from leftbower.engine.actions import Bury, Claim, LayAway, Order, Play, ShowFarmersHand
from leftbower.engine.states import Answering, State
from leftbower.engine.view import Made, UpCard, View
from leftbower.engine.view import view as view_of
from leftbower.rules.cards import UNKNOWN, Card, Suit
from leftbower.rules.choices import Supervision
from leftbower.rules.scoring import TRICKS
from leftbower.rules.seats import Seat
from leftbower.rules.tricks import playable, ranking, strength


def is_certain(view: View, order: Sequence[Card]) -> bool:
    """Do these cards, played in this order, win every trick left in every layout that fits the view?"""
    return not _loses(_knowledge(view), order)


def certain_order(view: View) -> tuple[Card, ...] | None:
    """An order in which the viewer's cards are certain winners, or None where there is none."""
    known = _knowledge(view)
    return next((order for order in _orders(view, known.trump) if not _loses(known, order)), None)


def told_certain(state: State) -> bool | None:
    """Whether the claim the table is asked about is certain; None where there is none, or the rules do not tell."""
    if not isinstance(state, Answering) or not isinstance(state.proposal, Claim):
        return None
    if not state.hand.rules.claims_judged:
        return None
    return certain_order(view_of(state.interrupted, state.proposal.seat)) is not None


Place = Seat | Suit | str
"""Where a card out of sight may lie: in the hand of a seat, among its cards of one suit, or in a closed heap."""
_BURIED: Final = "buried"
_LAID_AWAY: Final = "laid away"
_KITTY: Final = "kitty"
_Homes = Mapping[Card, frozenset[Place]]
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
    rooms: Mapping[Place, int]
    """How many of the cards out of sight lie in each place; all of them lie somewhere."""
    homes: tuple[_Homes, ...]
    """Where each card may lie: one table, or several of which one is true."""
    burier: Seat | None
    """A dealer at an honour table who can still bury a card. (That the up-card may have to stay changes nothing.)"""
    fits: _Fits
    """Whether a hand fits: asked for order after order, and answered once."""


def _knowledge(view: View) -> _Knowledge:
    made = _made(view)
    out = _out_of_sight(view)
    rooms = _rooms(view, len(out))
    homes = _homes(view, out, rooms)
    return _Knowledge(
        trump=made.trump,
        cards=tuple(card for card in view.cards if card is not UNKNOWN),
        leader=None if view.leader is view.seat else view.leader,
        players=tuple(seat for seat in view.active if seat is not view.seat),
        rooms=rooms,
        homes=homes,
        burier=view.dealer if _can_still_bury(view) else None,
        fits=cache(partial(_fits, rooms, homes, made.trump)),
    )


def _made(view: View) -> Made:
    if view.made is None:
        raise ValueError("a claim needs trump to be made")
    return view.made


def _out_of_sight(view: View) -> tuple[Card, ...]:
    """The cards the viewer does not see: in others' hands, or lying closed."""
    played = chain.from_iterable(trick.cards for trick in view.tricks)
    changed = chain.from_iterable(action.cards for action in view.said if isinstance(action, ShowFarmersHand))
    down = (view.up_card,) if view.up_card_is is UpCard.TURNED_DOWN else ()
    seen = {*view.cards, *played, *view.buried, *view.laid_away, *changed, *down}
    return tuple(card for card in view.rules.deck if card not in seen)


def _rooms(view: View, out: int) -> dict[Place, int]:
    """How many cards lie closed in each place; the dummy, if nobody took it, is counted with the kitty."""
    rooms: dict[Place, int] = {seat: view.backs[seat] for seat in view.rules.places if seat is not view.seat}
    for action in view.said:
        if isinstance(action, Bury) and action.card is UNKNOWN:
            rooms[_BURIED] = 1
        elif isinstance(action, LayAway) and UNKNOWN in action.cards:
            rooms[_LAID_AWAY] = len(action.cards)
    return {**rooms, _KITTY: out - sum(rooms.values())}


def _homes(view: View, out: tuple[Card, ...], rooms: Mapping[Place, int]) -> tuple[_Homes, ...]:
    """Where each card may lie; a dealer who owes a natural trump has kept, buried or laid away one of them."""
    voids: dict[Place, set[Suit]] = {seat: _voids(view, seat) for seat in view.active}
    owned = _owned(view)
    trump = _made(view).trump
    homes = {
        card: frozenset(
            place
            for place in owned.get(card, rooms.keys()) & rooms.keys()
            if card.suit_under(trump) not in voids.get(place, ())
        )
        for card in out
    }
    if not _owes_a_natural(view):
        return (homes,)
    naturals = (card for card in out if card.suit is view.up_card.suit and card is not view.up_card)
    return tuple({**homes, card: homes[card] & _with_the_dealer(view)} for card in naturals)


def _voids(view: View, seat: Seat) -> set[Suit]:
    """The suits a player has not followed; at an honour table that proves nothing."""
    if view.rules.supervision is Supervision.HONOUR:
        return set()
    trump = _made(view).trump
    led = [(trick, trick.cards[0].suit_under(trump)) for trick in view.tricks]
    return {suit for trick, suit in led if trick.cards[trick.seats.index(seat)].suit_under(trump) is not suit}


def _owned(view: View) -> dict[Card, frozenset[Place]]:
    """The cards known to be a certain player's, and where that player may have them."""
    owned: dict[Card, frozenset[Place]] = {}
    if view.up_card_is is UpCard.TAKEN:
        may_be_buried = view.rules.up_card_buried
        owned[view.up_card] = _with_the_dealer(view) - (frozenset() if may_be_buried else {_BURIED})
    for play in view.seen:
        owned[play.card] = frozenset({play.seat, *({_BURIED} if _buried_after(view, play) else ())})
    for seat, cards in view.exposed.items():
        owned |= {card: frozenset({seat}) for card in cards if card is not UNKNOWN}
    return owned


def _with_the_dealer(view: View) -> frozenset[Place]:
    """Where the dealer's cards may be: a dealer who took the dummy may have laid them away, even the up-card."""
    return frozenset({view.dealer, _BURIED, *({_LAID_AWAY} if _made(view).maker is view.dealer else ())})


def _buried_after(view: View, play: Play) -> bool:
    """Did the dealer bury a card only after taking this one back?"""
    if play.seat is not view.dealer or play not in view.said:
        return False
    return any(isinstance(action, Bury) for action in view.said[view.said.index(play) :])


def _owes_a_natural(view: View) -> bool:
    """Must another player, the dealer, have been dealt a natural trump that has not been played yet?"""
    called = any(isinstance(action, Order) and action.seat is view.dealer for action in view.said)
    played = (action for action in view.said if isinstance(action, Play) and action.seat is view.dealer)
    shown = any(play.card.suit is view.up_card.suit and play.card is not view.up_card for play in played)
    return view.rules.natural_trump and called and not shown and view.dealer is not view.seat


def _can_still_bury(view: View) -> bool:
    """Has the dealer taken the up-card, and neither buried a card nor laid one?"""
    buried = any(isinstance(action, Bury) for action in view.said)
    laid = any(view.dealer in trick.seats for trick in view.tricks)
    return view.up_card_is is UpCard.TAKEN and not buried and not laid


def _fits(
    rooms: Mapping[Place, int],
    homes: tuple[_Homes, ...],
    trump: Suit,
    seat: Seat,
    card: Card,
    others: tuple[Suit, ...],
) -> bool:
    """Is there a layout in which this seat holds this card, and others of just these suits?"""
    apart: dict[Place, int] = {place: size for place, size in rooms.items() if place is not seat}
    apart |= Counter((card.suit_under(trump), *others))
    return any(
        _find_room(apart, {**_by_suits(table, seat, trump), card: {card.suit_under(trump)}})
        for table in homes
        if seat in table[card]
    )


def _by_suits(table: _Homes, seat: Seat, trump: Suit) -> dict[Card, Collection[Place]]:
    """The same places, but for one hand that is parted into its suits."""
    return {
        card: places - {seat} | {card.suit_under(trump)} if seat in places else places for card, places in table.items()
    }


def _find_room(rooms: Mapping[Place, int], homes: Mapping[Card, Collection[Place]]) -> bool:
    """Can every card lie in one of its places, with no more cards in any than there is room for?"""
    lying: dict[Place, list[Card]] = {place: [] for place in rooms}

    def put(card: Card, tried: set[Place]) -> bool:
        for place in homes[card]:
            if place in lying and place not in tried:
                tried.add(place)
                if len(lying[place]) < rooms[place]:
                    lying[place].append(card)
                    return True
                moved = next((other for other in lying[place] if put(other, tried)), None)
                if moved is not None:
                    lying[place][lying[place].index(moved)] = card
                    return True
        return False

    return all(put(card, set()) for card in homes)


def _orders(view: View, trump: Suit) -> Iterator[tuple[Card, ...]]:
    """Every order worth trying; a sixth card, at an honour table, stays behind.

    Leading a suit from its top loses nothing: whatever beats a low card now would have beaten it before. That says
    nothing of a first card that is not led.
    """
    if UNKNOWN in view.cards:
        return
    for cards in combinations([card for card in view.cards if card is not UNKNOWN], TRICKS - len(view.tricks)):
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
    for at, run in enumerate(runs):
        if run:
            for rest in _interleavings([*runs[:at], run[1:], *runs[at + 1 :]]):
                yield run[0], *rest


def _loses(known: _Knowledge, order: Sequence[Card]) -> bool:
    """Could anybody take a trick from these cards, played in this order?"""
    tricks = tuple((card.suit_under(known.trump), card) for card in order)
    if known.leader is None:
        return any(_takes_one(known, seat, tricks) for seat in known.players)
    return any(_loses_after(known, known.leader, lead, tricks) for lead in known.homes[0])


def _loses_after(known: _Knowledge, leader: Seat, lead: Card, tricks: tuple[_Trick, ...]) -> bool:
    """Could anybody take a trick when another player leads this card to the first?"""
    after = _having_led(known, leader, lead)
    if not any(_find_room(after.rooms, table) for table in after.homes):
        return False
    led, (_, first) = lead.suit_under(known.trump), tricks[0]
    if first not in playable(known.cards, led, known.trump) or _beats(lead, (led, first), known.trump):
        return True
    return any(
        _takes_one(after, seat, tricks[1:] if seat is leader else ((led, first), *tricks[1:])) for seat in known.players
    )


def _having_led(known: _Knowledge, leader: Seat, lead: Card) -> _Knowledge:
    """What is known when this card has left the leader's hand."""
    rooms = {**known.rooms, leader: known.rooms[leader] - 1}
    homes = tuple(
        {card: places for card, places in table.items() if card is not lead}
        for table in known.homes
        if leader in table[lead]
    )
    return replace(known, rooms=rooms, homes=homes, fits=cache(partial(_fits, rooms, homes, known.trump)))


def _takes_one(known: _Knowledge, seat: Seat, tricks: tuple[_Trick, ...]) -> bool:
    """Could this player hold a hand, in some layout that fits, with which to take one of these tricks?"""
    trump, size = known.trump, known.rooms[seat]
    threats = {card for table in known.homes for card in table if any(_beats(card, one, trump) for one in tricks)}
    return any(
        _wins_with(card, left, tricks, trump) and known.fits(seat, card, others)
        for card in threats
        for others in combinations_with_replacement(Suit, size - 1)
        for left in (_without_one(others) if seat is known.burier else (others,))
    )


def _beats(card: Card, trick: _Trick, trump: Suit) -> bool:
    led, claimed = trick
    return strength(card, trump, led) > strength(claimed, trump, led)


def _without_one(suits: tuple[Suit, ...]) -> Iterator[tuple[Suit, ...]]:
    """What may be left of some cards when one of them is buried or played."""
    for suit in set(suits):
        at = suits.index(suit)
        yield suits[:at] + suits[at + 1 :]


def _wins_with(card: Card, others: tuple[Suit, ...], tricks: tuple[_Trick, ...], trump: Suit) -> bool:
    """Could a player with this card, and others of these suits, take one of these tricks with it, following suit?"""
    (led, _), suit = tricks[0], card.suit_under(trump)
    if (suit is led or led not in others) and _beats(card, tricks[0], trump):
        return True
    if len(tricks) == 1 or (suit is led and led not in others):
        return False
    if led in others:
        at = others.index(led)
        return _wins_with(card, others[:at] + others[at + 1 :], tricks[1:], trump)
    return any(_wins_with(card, left, tricks[1:], trump) for left in _without_one(others))
