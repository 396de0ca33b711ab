"""The play of the cards: who takes part, who leads, following suit, taking tricks, scoring."""

from itertools import chain

from leftbower.engine.actions import Action, Play
from leftbower.engine.deal import Hands, unplaced, without
from leftbower.engine.states import Contract, Hand, Playing, Reason, Scored, Trick, makers_tricks
from leftbower.errors import CardNotHeld, MustFollowSuit
from leftbower.rules.cards import UNKNOWN, Card
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
    seat = state.to_act
    return tuple([Play(seat, card) for card in _usable(state, seat)])


def play(state: Playing, action: Play) -> Playing | Scored:
    """Lay a card; the fourth takes the trick, and the fifth trick ends the hand."""
    seat, card, trump = action.seat, action.card, state.contract.trump
    held = state.cards[seat.index]
    if card not in _usable(state, seat):
        if card in held:
            raise MustFollowSuit(f"{card} does not follow suit, and you can", state=state)
        raise CardNotHeld(f"you do not hold {card}", state=state)
    cards = list(state.cards)
    cards[seat.index] = without(held, (card,))
    trick = (*state.trick, card)
    active = state.active
    turn = active.index(state.leader)
    to_act, leader, tricks = active[(turn + len(trick)) % len(active)], state.leader, state.tricks
    if len(trick) == len(active):
        to_act = active[(turn + trick.index(winning_card(trick, trump))) % len(active)]
        tricks = (*tricks, Trick(leader=leader, cards=trick, winner=to_act))
        leader, trick = to_act, ()
        if len(tricks) == TRICKS:
            return _scored(state, (cards[0], cards[1], cards[2], cards[3]), (*state.actions, action), tricks)
    return Playing(
        hand=state.hand,
        cards=(cards[0], cards[1], cards[2], cards[3]),
        actions=(*state.actions, action),
        to_act=to_act,
        contract=state.contract,
        active=active,
        leader=leader,
        trick=trick,
        tricks=tricks,
    )


def _usable(state: Playing, seat: Seat) -> tuple[Card, ...]:
    """The cards a seat may lay. An unknown card may be any that follows, or any at all if no known one follows."""
    trump, held = state.contract.trump, state.cards[seat.index]
    led = state.trick[0].suit_under(trump) if state.trick else None
    usable = playable(held, led, trump)
    if UNKNOWN not in held:
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
    return unplaced(state.hand.rules, chain(*state.cards, played, state.trick, aside, buried, up_card))


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
