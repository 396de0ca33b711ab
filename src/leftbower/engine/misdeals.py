"""Misdeals at an honor table: a cut that wasn't offered, or a wrong number of cards.

Turning the up-card completes the deal. A hand with a wrong number of cards can't be played, so it ends at the first
lead even if no player called it.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from leftbower.engine.actions import CallOut
from leftbower.engine.states import (
    NOTHING_CALLED,
    AskingDefenders,
    AskingFarmers,
    Bidding,
    Closing,
    DecidingAlone,
    Discarding,
    ExchangingDummy,
    FaceDown,
    Playing,
    Reason,
    Scored,
    Verdict,
)
from leftbower.rules.choices import MissingCut
from leftbower.rules.referee import Incident, Irregularity, ruling

BeforePlay = FaceDown | AskingFarmers | Bidding | Discarding | DecidingAlone | ExchangingDummy | AskingDefenders
"""States in which no card can be played yet."""
_TAKEN: Final = (ExchangingDummy, AskingDefenders, Playing, Closing)
"""Phases in which a maker who takes a dummy has it; the result leaves out the contract of an earlier phase."""
MISDEALS: Final = frozenset({Irregularity.NO_CUT_OFFERED, Irregularity.WRONG_CARD_COUNT})


def misdeal_calls(state: BeforePlay | Playing) -> Iterator[CallOut]:
    """The dealer's opponents may call a missing cut, and everyone a wrong number of cards."""
    rules, deal = state.hand.rules, state.hand.deal
    if not deal.cut_offered and (rules.missing_cut is MissingCut.UNTIL_PLAYED or _before_the_first_call(state)):
        for seat in rules.opponents_of(deal.dealer):
            yield CallOut(seat, deal.dealer, Irregularity.NO_CUT_OFFERED, 0)
    if deal.has_miscount():
        for seat in rules.seats:
            yield CallOut(seat, deal.dealer, Irregularity.WRONG_CARD_COUNT, 0)


def call_misdeal(state: BeforePlay | Playing | Closing, call: CallOut) -> Scored:
    """End the hand without a score; the rules decide who deals next."""
    return _void(replace(state, actions=(*state.actions, call)), call)


def uncalled_misdeal(state: Playing) -> Scored:
    """End a hand with a wrong number of cards at the first lead, as if the dealer had called it."""
    dealer = state.hand.deal.dealer
    return _void(state, CallOut(dealer, dealer, Irregularity.WRONG_CARD_COUNT, 0))


def _before_the_first_call(state: BeforePlay | Playing) -> bool:
    if isinstance(state, Bidding):
        return state.round == 1 and state.to_act is state.hand.rules.left_of(state.hand.deal.dealer)
    return isinstance(state, FaceDown | AskingFarmers)


def _void(state: BeforePlay | Playing | Closing, call: CallOut) -> Scored:
    turned = not isinstance(state, FaceDown)
    ruled = ruling(
        state.hand.rules, Incident(irregularity=call.irregularity, dealer=call.against, up_card_shown=turned)
    )
    verdict = Verdict(call=call, guilty=True, evidence=(), ruling=ruled)
    docket = state.docket if isinstance(state, Playing | Closing) else NOTHING_CALLED
    return Scored(
        hand=state.hand,
        cards=state.cards,
        actions=state.actions,
        reason=Reason.DEAL_LOST if ruled.deal_passes else Reason.MISDEAL,
        points={},
        contract=state.contract if isinstance(state, _TAKEN) else None,
        tricks=state.tricks if isinstance(state, Playing | Closing) else (),
        docket=replace(docket, verdicts=(*docket.verdicts, verdict)),
    )
