"""One hand as a fold: `apply` an action to a state, or ask for its `legal_actions`.

The order of acts:

    farmer's hand asked  →  two rounds of bidding  →  the dealer takes the up-card and buries
    →  the maker is asked: alone or not (where the rules ask so late), and takes the dummy (two and three players)
    →  defenders are asked: alone or not (where the rules allow it)  →  five tricks  →  scored
"""

from collections.abc import Iterable
from functools import reduce

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
    Play,
    ShowFarmersHand,
)
from leftbower.engine.bidding import (
    answer_defence,
    answer_farmers,
    bid,
    bids,
    burials,
    bury,
    decide_alone,
    farmers_actions,
    lay_away,
    layings,
    open_hand,
)
from leftbower.engine.deal import Deal, check_deal
from leftbower.engine.play import play, plays
from leftbower.engine.states import (
    AskingDefenders,
    AskingFarmers,
    Bidding,
    DecidingAlone,
    Discarding,
    ExchangingDummy,
    Hand,
    Playing,
    Scored,
    State,
)
from leftbower.errors import HandIsOver, NotNow, NotYourTurn
from leftbower.rules.house import HouseRules


def start(rules: HouseRules, deal: Deal, scores: tuple[int, ...] | None = None) -> AskingFarmers | Bidding:
    """The hand as dealt, at this score (nothing to nothing where none is given)."""
    check_deal(rules, deal)
    return open_hand(Hand(rules=rules, deal=deal, scores=scores or (0,) * len(rules.sides)))


def apply(state: State, action: Action) -> State:
    """Return the state after `action`, or raise the RuleViolation that says why not."""
    if isinstance(state, Scored):
        raise HandIsOver("the hand is over", state=state)
    if action.seat is not state.to_act:
        raise NotYourTurn(f"{state.to_act} is to act, not {action.seat}", state=state)
    match state, action:
        case Playing(), Play():
            return play(state, action)
        case Bidding(), Pass() | Order() | Name():
            return bid(state, action)
        case Discarding(), Bury():
            return bury(state, action)
        case DecidingAlone(), GoAlone() | GoTogether():
            return decide_alone(state, action)
        case ExchangingDummy(), LayAway():
            return lay_away(state, action)
        case AskingDefenders(), DefendAlone() | DefendTogether():
            return answer_defence(state, action)
        case AskingFarmers(), KeepHand() | ShowFarmersHand():
            return answer_farmers(state, action)
        case _:
            raise NotNow(f"{_DOING[type(action)]} is not what the hand is waiting for", state=state)


def legal_actions(state: State) -> tuple[Action, ...]:
    """Exactly what `apply` accepts, for every seat; nothing once the hand is over."""
    match state:
        case Playing():
            return plays(state)
        case Bidding():
            return bids(state)
        case Discarding():
            return burials(state)
        case DecidingAlone():
            return GoAlone(state.to_act), GoTogether(state.to_act)
        case ExchangingDummy():
            return layings(state)
        case AskingDefenders():
            return DefendAlone(state.to_act), DefendTogether(state.to_act)
        case AskingFarmers():
            return farmers_actions(state)
        case _:
            return ()


def replay(state: State, actions: Iterable[Action]) -> State:
    """The state after all these actions, one after the other."""
    return reduce(apply, actions, state)


_DOING = {
    KeepHand: "keeping the hand",
    ShowFarmersHand: "showing a farmer's hand",
    Pass: "passing",
    Order: "ordering up",
    Name: "naming a suit",
    Bury: "burying a card",
    GoAlone: "going alone",
    GoTogether: "playing together",
    LayAway: "laying cards away",
    DefendAlone: "defending alone",
    DefendTogether: "defending together",
    Play: "playing a card",
}
