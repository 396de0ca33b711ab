"""One hand as a fold: `apply` an action to a state, or list its `legal_actions`.

The order of actions:

    the up-card is turned (an action at honor tables)  →  farmer's hand  →  two rounds of bidding
    →  the dealer picks up the up-card and discards
    →  the maker decides to go alone (if the rules ask this late), and takes the dummy (two and three players)
    →  the defenders decide to defend alone (if the rules allow it)  →  five tricks  →  scored
"""

from collections.abc import Callable, Iterable
from functools import reduce
from typing import Final

from leftbower.engine import actions, bidding
from leftbower.engine.claims import answer, answers, proposals, propose
from leftbower.engine.deal import Deal, check_deal
from leftbower.engine.honor import (
    call_out,
    calls,
    correct,
    corrections,
    decide_calls,
    expose_accused,
    ready,
    settle,
    settlements,
)
from leftbower.engine.play import play, plays
from leftbower.engine.states import (
    Answering,
    AskingDefenders,
    AskingFarmers,
    Bidding,
    Closing,
    DecidingAlone,
    Discarding,
    ExchangingDummy,
    FaceDown,
    Hand,
    OpenState,
    Playing,
    Scored,
    Settling,
    State,
)
from leftbower.errors import HandIsOver, NotNow, NotYourTurn
from leftbower.i18n import gettext_noop
from leftbower.rules import HouseRules, Seat
from leftbower.rules.choices import Supervision


def start(
    rules: HouseRules,
    deal: Deal,
    scores: tuple[int, ...] | None = None,
    warnings: tuple[int, int, int, int] = (0, 0, 0, 0),
    hands: int = 0,
) -> FaceDown | AskingFarmers | Bidding:
    """Start a hand. By default the score is 0 for each side, and no seat has a warning.

    `hands` is the number of hands counted so far. It is ignored unless the game is a fixed number of hands.
    """
    check_deal(rules, deal)
    scores = scores or (0,) * len(rules.sides)
    counted = hands if rules.fixed_hands is not None else 0
    return bidding.open_hand(Hand(rules=rules, deal=deal, scores=scores, warnings=warnings, hands=counted))


def apply(state: State, action: actions.Action) -> State:
    """Return the state after `action`, or raise the RuleViolation that explains why it isn't legal."""
    if isinstance(state, Scored):
        raise HandIsOver("the hand is over", state=state)
    if isinstance(action, actions.Talk):
        return _apply_talk(state, action)
    if isinstance(action, actions.GoAlone) and not isinstance(state, DecidingAlone):
        return _alone_unasked(state, action)
    if action.seat is not state.to_act and not _on_honor(state, action):
        raise NotYourTurn("it's %(turn)s's turn, not %(other)s's", state=state, turn=state.to_act, other=action.seat)
    match state, action:
        case Playing(), actions.Play():
            return _decide_after_card(play(state, action))
        case Bidding(), actions.Pass() | actions.Order() | actions.Name():
            return bidding.bid(state, action)
        case Discarding() | DecidingAlone() | ExchangingDummy() | AskingDefenders() | Playing(), actions.Bury():
            return bidding.bury(state, action)
        case DecidingAlone(), actions.GoAlone() | actions.GoTogether():
            return bidding.decide_alone(state, action)
        case ExchangingDummy(), actions.LayAway():
            return bidding.lay_away(state, action)
        case AskingDefenders(), actions.DefendAlone() | actions.DefendTogether():
            return bidding.answer_defense(state, action)
        case AskingFarmers(), actions.KeepHand() | actions.ShowFarmersHand():
            return bidding.answer_farmers(state, action)
        case FaceDown(), actions.TurnUp():
            return bidding.turn_up(state, action)
        case _:
            raise NotNow(_NOT_NOW[type(action)], state=state)


def whose_turn(state: OpenState) -> Seat:
    """Who has to act now: a dealer who still has to discard, otherwise `to_act`."""
    if isinstance(state, DecidingAlone | ExchangingDummy | AskingDefenders | Playing):
        contract = state.contract
        honor = state.hand.rules.supervision is Supervision.HONOR
        may_owe = honor and contract.ordered and contract.buried is None
        if may_owe and any(isinstance(action, actions.Bury) for action in acts(state)):
            return state.hand.deal.dealer
    return state.to_act


def legal_actions(state: State) -> tuple[actions.Action, ...]:
    """Every action that `apply` accepts, for all seats; empty once the hand is over."""
    return acts(state) + talk(state)


def acts(state: State) -> tuple[actions.Act, ...]:
    """Actions that move the hand forward, without talk."""
    match state:
        case Playing():
            contract = state.contract
            return (
                plays(state) + bidding.bury_actions(state)
                if contract.ordered and contract.buried is None
                else plays(state)
            )
        case Bidding():
            return bidding.bids(state)
        case Discarding():
            return bidding.bury_actions(state)
        case DecidingAlone():
            return *bidding.alone_actions(state), *bidding.bury_actions(state)
        case ExchangingDummy():
            return *bidding.lay_away_actions(state), *bidding.bury_actions(state)
        case AskingDefenders():
            return actions.DefendAlone(state.to_act), actions.DefendTogether(state.to_act), *bidding.bury_actions(state)
        case AskingFarmers():
            return bidding.farmers_actions(state)
        case FaceDown():
            return (actions.TurnUp(state.to_act),)
        case _:
            return ()


def talk(state: State) -> tuple[actions.Talk | actions.Order | actions.Name | actions.GoAlone, ...]:
    """What players may say across the table: calls of irregularities, corrections, claims, throw-ins and answers.

    Going alone is talk when said unasked: with the call, or later until the first lead.
    """
    honor = state.hand.rules.supervision is Supervision.HONOR
    match state:
        case Playing() if honor:
            return *calls(state), *corrections(state), *proposals(state), *bidding.unasked_alone(state)
        case Playing():
            return *proposals(state), *(() if state.tricks else bidding.unasked_alone(state))
        case Answering():
            return tuple(answers(state))
        case Settling():
            return tuple(settlements(state))
        case Closing():
            waiting = (seat for seat in state.hand.rules.seats if seat not in state.ready)
            return *calls(state), *(actions.Ready(seat) for seat in waiting)
        case Bidding() | Discarding() | AskingDefenders():
            return *(calls(state) if honor else ()), *bidding.unasked_alone(state)
        case FaceDown() | AskingFarmers() | DecidingAlone() | ExchangingDummy() if honor:
            return tuple(calls(state))
        case _:
            return ()


def replay(state: State, actions: Iterable[actions.Action]) -> State:
    """Apply all these actions in order."""
    return reduce(apply, actions, state)


_NOT_NOW: Final = {
    actions.TurnUp: gettext_noop("you can't turn the up-card now"),
    actions.KeepHand: gettext_noop("you can't keep your hand now"),
    actions.ShowFarmersHand: gettext_noop("you can't show a farmer's hand now"),
    actions.Pass: gettext_noop("you can't pass now"),
    actions.Order: gettext_noop("you can't order up now"),
    actions.Name: gettext_noop("you can't name a suit now"),
    actions.Bury: gettext_noop("you can't discard now"),
    actions.GoAlone: gettext_noop("you can't go alone now"),
    actions.GoTogether: gettext_noop("you can't choose to play with your partner now"),
    actions.LayAway: gettext_noop("you can't lay cards away now"),
    actions.DefendAlone: gettext_noop("you can't defend alone now"),
    actions.DefendTogether: gettext_noop("you can't choose to defend together now"),
    actions.Play: gettext_noop("you can't play a card now"),
}


def _alone_unasked(state: OpenState, action: actions.GoAlone) -> State:
    """The maker goes alone unasked, until the first lead."""
    if isinstance(state, Discarding | AskingDefenders | Playing) and action in bidding.unasked_alone(state):
        return bidding.say_alone(state, action)
    raise NotNow("you can't go alone now", state=state)


def _apply_talk(state: OpenState, action: actions.Talk) -> State:
    if action not in talk(state):
        raise NotNow("you can't say that now", state=state)
    return _TALK_HANDLERS[type(action)](state, action)


_TALK_HANDLERS: Final[dict[type[actions.Talk], Callable[..., State]]] = {
    actions.CallOut: call_out,
    actions.Correct: correct,
    actions.Settle: settle,
    actions.Claim: propose,
    actions.ThrowIn: propose,
    actions.Agree: answer,
    actions.Disagree: answer,
    actions.Ready: ready,
}


def _on_honor(state: OpenState, action: actions.Act) -> bool:
    """At an honor table a card can be played out of turn, and a discard can come late."""
    if state.hand.rules.supervision is Supervision.STRICT:
        return False
    return isinstance(action, actions.Bury) or (isinstance(state, Playing) and isinstance(action, actions.Play))


def _decide_after_card(state: Playing | Closing | Scored) -> State:
    """A card just played may prove an open call."""
    if isinstance(state, Closing):
        return expose_accused(state)
    return decide_calls(state) if isinstance(state, Playing) and state.docket.calls else state
