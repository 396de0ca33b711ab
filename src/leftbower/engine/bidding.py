"""From the deal to the first lead: farmer's hand, calls, discard, going alone, the dummy, defending alone."""

from dataclasses import replace
from itertools import chain, combinations

from leftbower import errors
from leftbower.engine.actions import (
    Action,
    Bury,
    DefendAlone,
    DefendTogether,
    GoAlone,
    GoTogether,
    KeepHand,
    LayAway,
    Name,
    Order,
    Pass,
    ShowFarmersHand,
    TurnUp,
)
from leftbower.engine.deal import Hands, HeldCards, closed_kitty, remove_cards, unlocated_cards, with_held
from leftbower.engine.misdeals import uncalled_misdeal
from leftbower.engine.play import first_trick, swapped_cards
from leftbower.engine.states import (
    AskingDefenders,
    AskingFarmers,
    Bidding,
    Contract,
    DecidingAlone,
    Discarding,
    ExchangingDummy,
    FaceDown,
    Hand,
    Playing,
    Reason,
    Scored,
)
from leftbower.rules import UNKNOWN, Call, Card, Rank, Seat, choices, may_pass, open_calls
from leftbower.rules.choices import FarmersHand, GoingAlone, Supervision

Bid = Pass | Order | Name
BeforeTheLead = DecidingAlone | ExchangingDummy | AskingDefenders | Playing
AfterTrump = BeforeTheLead | Scored
"""States after trump is made. Scored, because a wrong number of cards ends the hand before the first lead."""


def open_hand(hand: Hand) -> FaceDown | AskingFarmers | Bidding:
    """The first state of a hand."""
    if hand.deal.face_down:
        return FaceDown(hand=hand, cards=hand.deal.hands, actions=())
    return _open_bidding(hand, ())


def turn_up(state: FaceDown, action: TurnUp) -> AskingFarmers | Bidding:
    """Turn the up-card and open the bidding."""
    return _open_bidding(state.hand, (*state.actions, action))


def _open_bidding(hand: Hand, actions: tuple[Action, ...]) -> AskingFarmers | Bidding:
    if hand.rules.farmers_hand is FarmersHand.OFF:
        return _bidding(hand, hand.deal.hands, actions)
    first = hand.rules.left_of(hand.deal.dealer)
    return AskingFarmers(hand=hand, cards=hand.deal.hands, actions=actions, to_act=first)


def farmers_actions(state: AskingFarmers) -> tuple[KeepHand | ShowFarmersHand, ...]:
    """Keep the cards, or show any farmer's hand that the rules know."""
    seat, held = state.to_act, state.cards[state.to_act.index]
    low = [card for card in _may_hold(state, seat) if card.rank in (Rank.NINE, Rank.TEN)]
    size = 5 if state.hand.rules.farmers_hand is FarmersHand.REDEAL else 3
    farmers_hands = (
        cards for cards in combinations(low, size) if sum(card not in held for card in cards) <= held.count(UNKNOWN)
    )
    return (KeepHand(seat), *(ShowFarmersHand(seat, cards) for cards in farmers_hands))


def answer_farmers(state: AskingFarmers, action: KeepHand | ShowFarmersHand) -> AskingFarmers | Bidding | Scored:
    """Ask the next seat; or exchange the cards shown, or end the hand for a redeal."""
    hand, seat, actions = state.hand, state.to_act, (*state.actions, action)
    if action not in farmers_actions(state):
        raise errors.NoFarmersHand("you don't hold that farmer's hand", state=state)
    if isinstance(action, ShowFarmersHand):
        if hand.rules.farmers_hand is FarmersHand.REDEAL:
            return Scored(hand=hand, cards=state.cards, actions=actions, reason=Reason.FARMERS_REDEAL, points={})
        left = remove_cards(state.cards[seat.index], action.cards)
        return _bidding(hand, with_held(state.cards, seat, left + closed_kitty(hand.rules, hand.deal)), actions)
    if seat is hand.deal.dealer:
        return _bidding(hand, state.cards, actions)
    return AskingFarmers(hand=hand, cards=state.cards, actions=actions, to_act=hand.rules.left_of(seat))


def bids(state: Bidding) -> tuple[Bid, ...]:
    """Bids open to the seat: pass, unless the dealer is stuck, and its calls."""
    rules, deal, seat = state.hand.rules, state.hand.deal, state.to_act
    calls = _open_calls(state)
    said: list[Bid] = []
    if may_pass(rules, round=state.round, seat=seat, dealer=deal.dealer):
        said.append(Pass(seat))
    if state.round == 1:
        said += [Order(seat, call.alone) for call in calls]
    else:
        said += [Name(seat, call.trump, call.alone) for call in calls]
    return tuple(said)


def unasked_alone(state: Bidding | Discarding | AskingDefenders | Playing) -> tuple[Order | Name | GoAlone, ...]:
    """Ways to go alone unasked: with the call, or after it until the first lead."""
    if state.hand.rules.going_alone is not GoingAlone.BEFORE_THE_LEAD:
        return ()
    if isinstance(state, Bidding):
        calls = (action for action in bids(state) if isinstance(action, Order | Name) and not action.alone)
        return tuple(replace(action, alone=True) for action in calls)
    led = isinstance(state, Playing) and (
        state.trick or state.tricks or state.docket.exposed or state.docket.taken_back
    )
    if led or state.contract.alone or state.contract.laid_away:
        return ()
    return (GoAlone(state.contract.maker),)


def say_alone(state: Discarding | AskingDefenders | Playing, action: GoAlone) -> Discarding | AfterTrump:
    """The maker goes alone before being asked, or changes a "no" before the first lead."""
    contract, actions = replace(state.contract, alone=True), (*state.actions, action)
    if isinstance(state, Discarding):
        return replace(state, contract=contract, actions=actions)
    if contract.defender is not None:
        return _lead(state.hand, state.cards, actions, contract)
    return _ask_defenders(state.hand, state.cards, actions, contract)


def bid(state: Bidding, action: Bid) -> Bidding | Discarding | AfterTrump:
    """Pass, or make trump."""
    if action not in bids(state) and action not in unasked_alone(state):
        raise _why_no_bid(state, action)
    if isinstance(action, Pass):
        return _pass(state, action)
    hand, actions = state.hand, (*state.actions, action)
    deal = hand.deal
    if isinstance(action, Name):
        contract = Contract(maker=action.seat, trump=action.suit, ordered=False, alone=action.alone)
        return _ask_maker(hand, state.cards, actions, contract)
    contract = Contract(maker=action.seat, trump=deal.up_card.suit, ordered=True, alone=action.alone)
    cards = state.cards
    may_forget = _may_forget(hand) and not _dummy_comes_next(hand, contract)
    if hand.rules.bury is choices.BuryOrder.AFTER_TAKING or may_forget:
        cards = with_held(cards, deal.dealer, (*cards[deal.dealer.index], deal.up_card))
    if may_forget:
        return _ask_maker(hand, cards, actions, contract)
    return Discarding(hand=hand, cards=cards, actions=actions, to_act=deal.dealer, contract=contract)


def bury_actions(state: Discarding | BeforeTheLead) -> tuple[Bury, ...]:
    """Cards the dealer may discard: when asked, or at an honor table until the dealer plays a first card."""
    hand, dealer = state.hand, state.hand.deal.dealer
    if not isinstance(state, Discarding) and not _owes_a_card(state):
        return ()
    held = (*_may_hold(state, dealer), *((UNKNOWN,) if UNKNOWN in state.cards[dealer.index] else ()))
    return tuple(Bury(dealer, card) for card in held if hand.rules.may_bury_up_card or card is not hand.deal.up_card)


def bury(state: Discarding | BeforeTheLead, action: Bury) -> AfterTrump:
    """Move a card from the dealer's hand to the discard."""
    hand, dealer = state.hand, state.hand.deal.dealer
    if action not in bury_actions(state):
        if not isinstance(state, Discarding) and not _owes_a_card(state):
            raise errors.NotNow("it's not time to discard", state=state)
        if action.seat is not dealer:
            raise errors.NotYourTurn("only the dealer discards, and %(dealer)s dealt", state=state, dealer=dealer)
        if action.card is hand.deal.up_card:
            raise errors.UpCardStays(
                "the up-card %(card)s can't be discarded here; pick another card", state=state, card=action.card
            )
        raise errors.CardNotHeld("you don't hold %(card)s", state=state, card=action.card)
    left = remove_cards(state.cards[dealer.index], (action.card,))
    if action.card is UNKNOWN and hand.rules.may_bury_up_card:
        left = _doubt_up_card(hand, left)
    contract, actions = replace(state.contract, buried=action.card), (*state.actions, action)
    if not isinstance(state, Discarding):
        return replace(state, cards=with_held(state.cards, dealer, left), contract=contract, actions=actions)
    if hand.rules.bury is choices.BuryOrder.BEFORE_TAKING:
        left = (*left, hand.deal.up_card)
    return _ask_maker(hand, with_held(state.cards, dealer, left), actions, contract)


def _doubt_up_card(hand: Hand, held: HeldCards) -> HeldCards:
    """The hand after an unknown discard: that may have been the up-card."""
    return tuple(UNKNOWN if card is hand.deal.up_card else card for card in held)


def alone_actions(state: DecidingAlone) -> tuple[GoAlone | GoTogether, ...]:
    """Alone or together; a dealer who still has to discard can't take the dummy yet."""
    alone, together = GoAlone(state.to_act), GoTogether(state.to_act)
    return (alone,) if _dummy_waits(state) else (alone, together)


def decide_alone(state: DecidingAlone, action: GoAlone | GoTogether) -> AfterTrump:
    if action not in alone_actions(state):
        raise errors.DiscardFirst("discard before you take the dummy", state=state)
    contract = replace(state.contract, alone=isinstance(action, GoAlone))
    return _take_dummy(state.hand, state.cards, (*state.actions, action), contract)


def lay_away_actions(state: ExchangingDummy) -> tuple[LayAway, ...]:
    """Every three cards that a maker who took the dummy may discard."""
    threes = combinations(state.cards[state.to_act.index], state.hand.rules.dummy_size)
    return tuple(dict.fromkeys(LayAway(state.to_act, three) for three in threes))


def lay_away(state: ExchangingDummy, action: LayAway) -> AfterTrump:
    """Discard three of the maker's eight cards."""
    held = state.cards[state.to_act.index]
    if len(action.cards) != state.hand.rules.dummy_size or any(
        action.cards.count(card) > held.count(card) for card in action.cards
    ):
        raise errors.CardNotHeld("pick three of your eight cards to discard", state=state)
    left = remove_cards(held, action.cards)
    if UNKNOWN in action.cards:
        left = _doubt_up_card(state.hand, left)
    cards = with_held(state.cards, state.to_act, left)
    contract = replace(state.contract, laid_away=action.cards)
    return _ask_defenders(state.hand, cards, (*state.actions, action), contract)


def answer_defense(state: AskingDefenders, action: DefendAlone | DefendTogether) -> AfterTrump:
    """The first defender who wants to defend alone does; then the play begins."""
    hand, seat, actions = state.hand, state.to_act, (*state.actions, action)
    if isinstance(action, DefendAlone):
        return _lead(hand, state.cards, actions, replace(state.contract, defender=seat))
    if seat is _defenders(hand, state.contract)[0]:
        return AskingDefenders(
            hand=hand, cards=state.cards, actions=actions, to_act=seat.partner, contract=state.contract
        )
    return _lead(hand, state.cards, actions, state.contract)


def _dummy_waits(state: DecidingAlone) -> bool:
    """Is the maker a dealer who must discard before taking the dummy?"""
    maker_deals = state.to_act is state.hand.deal.dealer
    return bool(state.hand.rules.dummy_size) and maker_deals and _owes_a_card(state)


def _dummy_comes_next(hand: Hand, contract: Contract) -> bool:
    """Does a dealer who made trump take the dummy without being asked? Then the discard has to come first."""
    asked = hand.rules.going_alone is GoingAlone.BEFORE_THE_LEAD
    takes_it = bool(hand.rules.dummy_size) and not contract.alone and not asked
    return takes_it and contract.maker is hand.deal.dealer


def _may_forget(hand: Hand) -> bool:
    """At an honor table a dealer can fail to discard, unless the rules make the table wait."""
    honor = hand.rules.supervision is Supervision.HONOR
    return honor and hand.rules.failure_to_discard is choices.FailureToDiscard.PENALTY


def _owes_a_card(state: BeforeTheLead) -> bool:
    """Has a dealer who picked up the up-card neither discarded nor played a card?"""
    contract, dealer = state.contract, state.hand.deal.dealer
    laid = isinstance(state, Playing) and (
        dealer in state.seats or any(dealer in trick.seats for trick in state.tricks)
    )
    return contract.ordered and contract.buried is None and not laid and _may_forget(state.hand)


def _bidding(hand: Hand, cards: Hands, actions: tuple[Action, ...]) -> Bidding:
    return Bidding(hand=hand, cards=cards, actions=actions, to_act=hand.rules.left_of(hand.deal.dealer), round=1)


def _pass(state: Bidding, action: Pass) -> Bidding | Scored:
    hand, actions = state.hand, (*state.actions, action)
    last = action.seat is hand.deal.dealer
    if last and state.round == 2:
        return Scored(hand=hand, cards=state.cards, actions=actions, reason=Reason.PASSED_OUT, points={})
    return Bidding(
        hand=hand,
        cards=state.cards,
        actions=actions,
        to_act=hand.rules.left_of(action.seat),
        round=state.round + last,
    )


def _ask_maker(hand: Hand, cards: Hands, actions: tuple[Action, ...], contract: Contract) -> AfterTrump:
    if hand.rules.going_alone is GoingAlone.BEFORE_THE_LEAD and not contract.alone:
        return DecidingAlone(hand=hand, cards=cards, actions=actions, to_act=contract.maker, contract=contract)
    return _take_dummy(hand, cards, actions, contract)


def _take_dummy(hand: Hand, cards: Hands, actions: tuple[Action, ...], contract: Contract) -> AfterTrump:
    if contract.alone or not hand.rules.dummy_size:
        return _ask_defenders(hand, cards, actions, contract)
    maker = contract.maker
    cards = with_held(cards, maker, cards[maker.index] + hand.deal.dummy)
    return ExchangingDummy(hand=hand, cards=cards, actions=actions, to_act=maker, contract=contract)


def _ask_defenders(hand: Hand, cards: Hands, actions: tuple[Action, ...], contract: Contract) -> AfterTrump:
    asked = hand.rules.defend_alone is choices.LoneDefense.ALWAYS or (
        hand.rules.defend_alone is choices.LoneDefense.AGAINST_A_LONER and contract.alone
    )
    if not asked:
        return _lead(hand, cards, actions, contract)
    first = _defenders(hand, contract)[0]
    return AskingDefenders(hand=hand, cards=cards, actions=actions, to_act=first, contract=contract)


def _lead(hand: Hand, cards: Hands, actions: tuple[Action, ...], contract: Contract) -> Playing | Scored:
    """Start the play, or end a misdealt hand that no one called: a wrong card count can't be played."""
    playing = first_trick(hand, cards, actions, contract)
    return uncalled_misdeal(playing) if hand.deal.has_miscount() else playing


def _defenders(hand: Hand, contract: Contract) -> tuple[Seat, Seat]:
    """The two defenders, from the dealer's left, in the order they are asked."""
    first = hand.deal.dealer.left
    if first in hand.rules.side_of(contract.maker):
        first = first.left
    return first, first.partner


def _open_calls(state: Bidding) -> tuple[Call, ...]:
    deal, seat = state.hand.deal, state.to_act
    return open_calls(
        state.hand.rules,
        round=state.round,
        seat=seat,
        dealer=deal.dealer,
        cards=state.cards[seat.index],
        up_card=deal.up_card,
    )


def _why_no_bid(state: Bidding, action: Bid) -> errors.RuleViolation:
    """The error that explains why a bid is refused."""
    calls = _open_calls(state)
    match action:
        case Pass():
            return errors.DealerIsStuck("everyone passed; the dealer must name a suit", state=state)
        case Order() if state.round == 2:
            return errors.NotNow("the up-card was turned down; name another suit or pass", state=state)
        case Order() if not calls:
            return errors.NoNaturalTrump("the dealer can pick up only with a dealt card of that suit", state=state)
        case Order():
            return errors.MustGoAlone("the dealer's partner can order up only to go alone", state=state)
        case Name() if state.round == 1:
            return errors.NotNow("in the first round you can make only the up-card's suit trump", state=state)
        case _:
            suit = state.hand.deal.up_card.suit.name.lower()
            return errors.SuitTurnedDown("%(suit)s were turned down; name another suit", state=state, suit=suit)


def _may_hold(state: AskingFarmers | Discarding | BeforeTheLead, seat: Seat) -> tuple[Card, ...]:
    """The known cards of a seat, and all that its unknown cards can be."""
    known = tuple(card for card in state.cards[seat.index] if card is not UNKNOWN)
    if UNKNOWN not in state.cards[seat.index]:
        return known
    located = chain(*state.cards, state.hand.deal.dummy, (state.hand.deal.up_card,), swapped_cards(state.actions))
    return known + unlocated_cards(state.hand.rules, located)
