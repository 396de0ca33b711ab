"""The play of the cards: who plays, who leads, following suit, taking tricks, scoring."""

from collections.abc import Iterator
from itertools import chain
from typing import Final

from leftbower.engine.actions import Action, Play, ShowFarmersHand
from leftbower.engine.deal import Hands, remove_cards, unlocated_cards, with_held
from leftbower.engine.states import (
    Closing,
    Contract,
    Hand,
    Playing,
    PublicContract,
    Reason,
    Scored,
    Trick,
    makers_tricks,
)
from leftbower.errors import CardNotHeld, MustFollowSuit, NotYourTurn
from leftbower.rules import DECK, UNKNOWN, Card, HouseRules, Points, Seat, playable, points, winning_card
from leftbower.rules.choices import FirstLead, Supervision
from leftbower.rules.scoring import TRICKS_NEEDED, TRICKS_PER_HAND


def first_trick(hand: Hand, cards: Hands, actions: tuple[Action, ...], contract: Contract) -> Playing:
    return Playing(
        hand=hand,
        cards=cards,
        actions=actions,
        to_act=first_leader(hand.rules, hand.deal.dealer, contract),
        contract=contract,
        active=active_seats(hand.rules, contract),
        trick=(),
        seats=(),
        tricks=(),
    )


def plays(state: Playing) -> tuple[Play, ...]:
    """Playable cards of the seat to act; at an honor table, of every seat without a card in the trick."""
    if state.hand.rules.supervision is Supervision.STRICT:
        mine = _PLAYS[state.to_act]
        return tuple([mine[card] for card in _playable_cards(state, state.to_act)])
    waiting = (seat for seat in state.active if seat not in state.seats)
    return tuple([_PLAYS[seat][card] for seat in waiting for card in _playable_cards(state, seat)])


def play(state: Playing, action: Play) -> Playing | Closing | Scored:
    """Play a card. The last card completes the trick, and the fifth trick ends the hand."""
    seat, card, active = action.seat, action.card, state.active
    if seat not in active or seat in state.seats:
        raise NotYourTurn("%(seat)s has no card to play in this trick", state=state, seat=seat)
    if card not in _playable_cards(state, seat):
        if card in state.cards[seat.index]:
            raise MustFollowSuit("%(card)s doesn't follow suit; play one that does", state=state, card=card)
        raise CardNotHeld("you don't hold %(card)s", state=state, card=card)
    left, actions = remove_cards(state.cards[seat.index], (card,)), (*state.actions, action)
    cards = with_held(state.cards, seat, left)
    trick, seats = (*state.trick, card), (*state.seats, seat)
    if len(trick) == len(active):
        return _complete_trick(state, cards, actions, trick, seats)
    return Playing(
        hand=state.hand,
        cards=cards,
        actions=actions,
        to_act=next_to_play(active, seats),
        contract=state.contract,
        active=active,
        trick=trick,
        seats=seats,
        tricks=state.tricks,
        docket=state.docket,
    )


def next_to_play(active: tuple[Seat, ...], seats: tuple[Seat, ...]) -> Seat:
    """The next player in a trick that has begun: clockwise from the leader, the first one without a card in it."""
    first = active.index(seats[0])
    return next(seat for seat in active[first:] + active[:first] if seat not in seats)


_PLAYS: Final = {seat: {card: Play(seat, card) for card in DECK} for seat in Seat}


def _playable_cards(state: Playing, seat: Seat) -> tuple[Card, ...]:
    """Cards a seat may play; an honor table refuses none.

    An unknown card can be any that follows suit, or any at all if no known card follows.
    """
    trump, held = state.contract.trump, state.cards[seat.index]
    must_follow = state.trick and state.hand.rules.supervision is Supervision.STRICT
    led = state.trick[0].suit_under(trump) if must_follow else None
    usable = playable(held, led, trump)
    if len(usable) == len(held) or UNKNOWN not in held:
        return usable
    others = _possible_cards(state, seat)
    if led is not None and any(card.suit_under(trump) is led for card in usable):
        others = tuple(card for card in others if card.suit_under(trump) is led)
    return usable + others


def _possible_cards(state: Playing, seat: Seat) -> tuple[Card, ...]:
    """Every card that an unknown card of `seat` can be."""
    deal, contract = state.hand.deal, state.contract
    played = (card for trick in state.tricks for card in trick.cards)
    aside = deal.dummy if contract.alone else contract.laid_away
    up_card = () if contract.ordered and seat is deal.dealer else (deal.up_card,)
    buried = () if contract.buried is None else (contract.buried,)
    located = chain(*state.cards, played, state.trick, aside, buried, up_card, swapped_cards(state.actions))
    return unlocated_cards(state.hand.rules, located)


def swapped_cards(actions: tuple[Action, ...]) -> Iterator[Card]:
    """Cards of a farmer's hand that were exchanged for the kitty."""
    return chain.from_iterable(action.cards for action in actions if isinstance(action, ShowFarmersHand))


def _complete_trick(
    state: Playing, cards: Hands, actions: tuple[Action, ...], trick: tuple[Card, ...], seats: tuple[Seat, ...]
) -> Playing | Closing | Scored:
    """Let the winner of a complete trick lead to the next one, or end the play."""
    winner = seats[trick.index(winning_card(trick, state.contract.trump))]
    tricks = (*state.tricks, Trick(cards=trick, seats=seats, winner=winner))
    after = Playing(
        hand=state.hand,
        cards=cards,
        actions=actions,
        to_act=winner,
        contract=state.contract,
        active=state.active,
        trick=(),
        seats=(),
        tricks=tricks,
        docket=state.docket,
    )
    if len(tricks) == TRICKS_PER_HAND:
        return end_play(after, makers_tricks(state.hand.rules, state.contract, tricks))
    return after


def end_play(state: Playing, taken: int) -> Closing | Scored:
    """End a hand in which the makers took, or were granted, `taken` tricks; an honor table first allows calls."""
    if state.hand.rules.supervision is Supervision.HONOR:
        return close(state, taken)
    reason, scored = outcome(state.hand, state.contract, taken)
    return Scored(
        hand=state.hand,
        cards=state.cards,
        actions=state.actions,
        reason=reason,
        points=scored,
        contract=state.contract,
        tricks=state.tricks,
        makers_tricks=taken,
        docket=state.docket,
    )


def close(state: Playing, taken: int | None) -> Closing:
    """End the play at an honor table. `taken` is None if a penalty ended the hand."""
    return Closing(
        hand=state.hand,
        cards=state.cards,
        actions=state.actions,
        contract=state.contract,
        active=state.active,
        tricks=state.tricks,
        trick=state.trick,
        seats=state.seats,
        makers_tricks=taken,
        docket=state.docket,
    )


def outcome(hand: Hand, contract: Contract, taken: int) -> tuple[Reason, Points]:
    """The result and the points of a hand in which the makers take `taken` tricks."""
    reason = Reason.EUCHRE if taken < TRICKS_NEEDED else Reason.MADE_IT if taken < TRICKS_PER_HAND else Reason.MARCH
    return reason, points(hand.rules, contract.outcome(taken))


def active_seats(rules: HouseRules, contract: PublicContract) -> tuple[Seat, ...]:
    """Seats that play: all but a lone player's partner."""
    out = []
    if rules.players == 4:
        out += [contract.maker.partner] if contract.alone else []
        out += [contract.defender.partner] if contract.defender is not None else []
    return tuple(seat for seat in rules.seats if seat not in out)


def first_leader(rules: HouseRules, dealer: Seat, contract: Contract) -> Seat:
    """Who leads to the first trick; the next active seat if that player sits out."""
    loner = contract.maker if contract.alone else contract.defender
    beside = loner if loner and rules.first_lead is FirstLead.LONERS_LEFT else dealer
    leader, active = rules.left_of(beside), active_seats(rules, contract)
    while leader not in active:
        leader = rules.left_of(leader)
    return leader
