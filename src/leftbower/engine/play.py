"""The play of the cards: who takes part, who leads, following suit, taking tricks, scoring."""

from collections.abc import Iterator
from itertools import chain
from typing import Final

from leftbower.engine.actions import Action, Play, ShowFarmersHand
from leftbower.engine.deal import Hands, unplaced, without
from leftbower.engine.states import Contract, Hand, Playing, Reason, Scored, Trick, makers_tricks
from leftbower.errors import CardNotHeld, MustFollowSuit
from leftbower.rules.cards import DECK, UNKNOWN, Card
from leftbower.rules.choices import FirstLead
from leftbower.rules.scoring import NEEDED, TRICKS, Outcome, points
from leftbower.rules.seats import Seat
from leftbower.rules.tricks import playable, winning_card


def first_trick(hand: Hand, cards: Hands, actions: tuple[Action, ...], contract: Contract) -> Playing:
    """Everything is said; the first leader is to play."""
    active = _active(hand, contract)
    leader = _first_leader(hand, contract)
    while leader not in active:
        leader = hand.rules.left_of(leader)
    return Playing(
        hand=hand,
        cards=cards,
        actions=actions,
        to_act=leader,
        contract=contract,
        active=active,
        leader=leader,
        trick=(),
        tricks=(),
    )


def plays(state: Playing) -> tuple[Play, ...]:
    """The cards the seat may lay."""
    mine = _PLAYS[state.to_act]
    return tuple([mine[card] for card in _usable(state, state.to_act)])


def play(state: Playing, action: Play) -> Playing | Scored:
    """Lay a card; the fourth takes the trick, and the fifth trick ends the hand."""
    seat, card, active = action.seat, action.card, state.active
    if card not in _usable(state, seat):
        if card in state.cards[seat.index]:
            raise MustFollowSuit(f"{card} does not follow suit, and you can", state=state)
        raise CardNotHeld(f"you do not hold {card}", state=state)
    cards, actions, trick = _laid(state.cards, seat, card), (*state.actions, action), (*state.trick, card)
    if len(trick) == len(active):
        return _taken(state, cards, actions, trick)
    return Playing(
        hand=state.hand,
        cards=cards,
        actions=actions,
        to_act=active[(active.index(seat) + 1) % len(active)],
        contract=state.contract,
        active=active,
        leader=state.leader,
        trick=trick,
        tricks=state.tricks,
    )


_PLAYS: Final = {seat: {card: Play(seat, card) for card in DECK} for seat in Seat}


def _usable(state: Playing, seat: Seat) -> tuple[Card, ...]:
    """The cards a seat may lay. An unknown card may be any that follows, or any at all if no known one follows."""
    trump, held = state.contract.trump, state.cards[seat.index]
    led = state.trick[0].suit_under(trump) if state.trick else None
    usable = playable(held, led, trump)
    if len(usable) == len(held) or UNKNOWN not in held:
        return usable
    others = _hidden(state, seat)
    if led is not None and any(card.suit_under(trump) is led for card in usable):
        others = tuple(card for card in others if card.suit_under(trump) is led)
    return usable + others


def _hidden(state: Playing, seat: Seat) -> tuple[Card, ...]:
    """What an unknown card of `seat` may be: a card we know no place of."""
    deal, contract = state.hand.deal, state.contract
    played = (card for trick in state.tricks for card in trick.cards)
    aside = deal.dummy if contract.alone else contract.laid_away
    up_card = () if contract.ordered and seat is deal.dealer else (deal.up_card,)
    buried = () if contract.buried is None else (contract.buried,)
    known = chain(*state.cards, played, state.trick, aside, buried, up_card, changed(state.actions))
    return unplaced(state.hand.rules, known)


def changed(actions: tuple[Action, ...]) -> Iterator[Card]:
    """The cards of a farmer's hand that were shown and went into the kitty."""
    return chain.from_iterable(action.cards for action in actions if isinstance(action, ShowFarmersHand))


def _laid(cards: Hands, seat: Seat, card: Card) -> Hands:
    """The same hands without the card that `seat` laid."""
    left = list(cards)
    left[seat.index] = without(cards[seat.index], (card,))
    return left[0], left[1], left[2], left[3]


def _taken(state: Playing, cards: Hands, actions: tuple[Action, ...], trick: tuple[Card, ...]) -> Playing | Scored:
    """The winner of a complete trick leads to the next one, or the hand is over."""
    active, best = state.active, winning_card(trick, state.contract.trump)
    winner = active[(active.index(state.leader) + trick.index(best)) % len(active)]
    tricks = (*state.tricks, Trick(leader=state.leader, cards=trick, winner=winner))
    if len(tricks) == TRICKS:
        return _scored(state, cards, actions, tricks)
    return Playing(
        hand=state.hand,
        cards=cards,
        actions=actions,
        to_act=winner,
        contract=state.contract,
        active=active,
        leader=winner,
        trick=(),
        tricks=tricks,
    )


def _active(hand: Hand, contract: Contract) -> tuple[Seat, ...]:
    out = []
    if hand.rules.seats == 4:
        out += [contract.maker.partner] if contract.alone else []
        out += [contract.defender.partner] if contract.defender is not None else []
    return tuple(seat for seat in hand.rules.places if seat not in out)


def _first_leader(hand: Hand, contract: Contract) -> Seat:
    loner = contract.maker if contract.alone else contract.defender
    if loner is not None and hand.rules.first_lead is FirstLead.LONERS_LEFT:
        return hand.rules.left_of(loner)
    return hand.rules.left_of(hand.deal.dealer)


def _scored(state: Playing, cards: Hands, actions: tuple[Action, ...], tricks: tuple[Trick, ...]) -> Scored:
    rules, contract = state.hand.rules, state.contract
    taken = makers_tricks(rules, contract, tricks)
    outcome = Outcome(
        maker=contract.maker,
        makers_tricks=taken,
        alone=contract.alone,
        defended_alone=contract.defender is not None,
    )
    reason = Reason.EUCHRE if taken < NEEDED else Reason.MADE if taken < TRICKS else Reason.MARCH
    return Scored(
        hand=state.hand,
        cards=cards,
        actions=actions,
        reason=reason,
        points=points(rules, outcome),
        contract=contract,
        tricks=tricks,
    )
