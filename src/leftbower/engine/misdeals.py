"""Misdeals at an honor table: a cut that wasn't offered, or a wrong number of cards.

Turning the up-card completes the deal. A hand with a wrong number of cards can't be played, so it ends at the first
lead even if no player called it.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from leftbower.engine import states
from leftbower.engine.actions import CallOut
from leftbower.rules.choices import MissingCut
from leftbower.rules.referee import Incident, Irregularity, ruling

BeforePlay = (
    states.FaceDown
    | states.AskingFarmers
    | states.Bidding
    | states.Discarding
    | states.DecidingAlone
    | states.ExchangingDummy
    | states.AskingDefenders
)
"""States in which no card can be played yet."""
_TAKEN: Final = (states.ExchangingDummy, states.AskingDefenders, states.Playing, states.Closing)
"""Phases in which a maker who takes a dummy has it; the result leaves out the contract of an earlier phase."""
MISDEALS: Final = frozenset({Irregularity.NO_CUT_OFFERED, Irregularity.WRONG_CARD_COUNT})


def misdeal_calls(state: BeforePlay | states.Playing) -> Iterator[CallOut]:
    """The dealer's opponents may call a missing cut, and everyone a wrong number of cards."""
    rules, deal = state.hand.rules, state.hand.deal
    if not deal.cut_offered and (rules.missing_cut is MissingCut.UNTIL_PLAYED or _before_the_first_call(state)):
        for seat in rules.opponents_of(deal.dealer):
            yield CallOut(seat, deal.dealer, Irregularity.NO_CUT_OFFERED, 0)
    if deal.has_miscount():
        for seat in rules.seats:
            yield CallOut(seat, deal.dealer, Irregularity.WRONG_CARD_COUNT, 0)


def call_misdeal(state: BeforePlay | states.Playing | states.Closing, call: CallOut) -> states.Scored:
    """End the hand without a score; the rules decide who deals next."""
    return _void(replace(state, actions=(*state.actions, call)), call)


def uncalled_misdeal(state: states.Playing) -> states.Scored:
    """End a hand with a wrong number of cards at the first lead, as if the dealer had called it."""
    dealer = state.hand.deal.dealer
    return _void(state, CallOut(dealer, dealer, Irregularity.WRONG_CARD_COUNT, 0))


def _before_the_first_call(state: BeforePlay | states.Playing) -> bool:
    if isinstance(state, states.Bidding):
        return state.round == 1 and state.to_act is state.hand.rules.left_of(state.hand.deal.dealer)
    return isinstance(state, states.FaceDown | states.AskingFarmers)


def _void(state: BeforePlay | states.Playing | states.Closing, call: CallOut) -> states.Scored:
    turned = not isinstance(state, states.FaceDown)
    ruled = ruling(
        state.hand.rules, Incident(irregularity=call.irregularity, dealer=call.against, up_card_shown=turned)
    )
    verdict = states.Verdict(call=call, guilty=True, evidence=(), ruling=ruled)
    docket = state.docket if isinstance(state, states.Playing | states.Closing) else states.NOTHING_CALLED
    return states.Scored(
        hand=state.hand,
        cards=state.cards,
        actions=state.actions,
        reason=states.Reason.DEAL_LOST if ruled.deal_passes else states.Reason.MISDEAL,
        points={},
        contract=state.contract if isinstance(state, _TAKEN) else None,
        tricks=state.tricks if isinstance(state, states.Playing | states.Closing) else (),
        docket=replace(docket, verdicts=(*docket.verdicts, verdict)),
    )
