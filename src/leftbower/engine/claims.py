"""Ending a hand early: claims of sure winners, and throw-ins by agreement."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from leftbower.engine.actions import Agree, Claim, Disagree, ThrowIn
from leftbower.engine.claim_proof import certain_order
from leftbower.engine.honor import AfterCall, decide_calls, expose_accused, exposed_seats
from leftbower.engine.play import end_play
from leftbower.engine.states import Answering, Closing, Playing, Scored, makers_tricks
from leftbower.engine.view import exposed_view
from leftbower.rules.choices import ClaimConsent, Claims, ThrowIns
from leftbower.rules.scoring import TRICKS_PER_HAND
from leftbower.rules.seats import Seat


def proposals(state: Playing) -> Iterator[Claim | ThrowIn]:
    """Every claim and throw-in that can be proposed now."""
    rules = state.hand.rules
    if not state.trick and rules.claims is not Claims.OFF:
        claimants = state.active if rules.throw_ins is ThrowIns.ENCOURAGED else (state.to_act,)
        open_seats = exposed_seats(state.docket)
        yield from [_CLAIMS[seat] for seat in claimants if seat not in open_seats]
    if rules.throw_ins is not ThrowIns.OFF:
        number, taken = len(state.tricks) + 1, makers_tricks(rules, state.contract, state.tricks)
        most = taken + TRICKS_PER_HAND - len(state.tricks)
        for seat in state.active:
            if (seat, number) not in state.docket.proposals:
                yield from _THROW_INS[seat][taken : most + 1]


_CLAIMS: Final = {seat: Claim(seat) for seat in Seat}
_THROW_INS: Final = {seat: tuple(ThrowIn(seat, tricks) for tricks in range(TRICKS_PER_HAND + 1)) for seat in Seat}


def propose(state: Playing, action: Claim | ThrowIn) -> Answering | AfterCall | Scored:
    """Ask all other active players; a claim also turns the claimant's cards face up.

    If the rules need no consent, a sure claim is granted at once, and players are asked only about others.
    """
    number = len(state.tricks) + 1
    if isinstance(action, Claim):
        docket = replace(state.docket, exposed=(*state.docket.exposed, (action.seat, number)))
    else:
        docket = replace(state.docket, proposals=(*state.docket.proposals, (action.seat, number)))
    actions = (*state.actions, action)
    judged = decide_calls(replace(state, actions=actions, docket=docket))
    if not isinstance(judged, Playing):
        return judged
    asking = Answering(interrupted=judged, actions=actions, proposal=action)
    return _grant(asking) if isinstance(action, Claim) and _needs_no_consent(judged, action.seat) else asking


def answers(state: Answering) -> Iterator[Agree | Disagree]:
    """Everyone who is asked may agree or disagree."""
    for seat in state.asked:
        yield Agree(seat)
        yield Disagree(seat)


def answer(state: Answering, action: Agree | Disagree) -> Answering | AfterCall | Scored:
    """Record an answer: one player who disagrees is enough to play on; when all agree, the hand is over."""
    actions = (*state.actions, action)
    if isinstance(action, Disagree):
        return replace(state.interrupted, actions=actions)
    agreed = (*state.agreed, action.seat)
    answered = replace(state, actions=actions, agreed=agreed)
    return _grant(answered) if len(state.asked) == 1 else answered


def _needs_no_consent(state: Playing, claimant: Seat) -> bool:
    """Do the rules grant a claim that everyone can see is sure?"""
    asked = state.hand.rules.claim_consent is ClaimConsent.ALL_AGREE
    return not asked and certain_order(exposed_view(state, claimant)) is not None


def _grant(state: Answering) -> AfterCall | Scored:
    """End the hand as proposed, and show the active hands."""
    playing = state.interrupted
    number = len(playing.tricks) + 1
    newly_exposed = tuple((seat, number) for seat in playing.active if seat not in exposed_seats(playing.docket))
    docket = replace(playing.docket, exposed=(*playing.docket.exposed, *newly_exposed))
    over = end_play(replace(playing, actions=state.actions, docket=docket), _makers_tricks(state))
    return expose_accused(over) if isinstance(over, Closing) else over


def _makers_tricks(state: Answering) -> int:
    """The makers' tricks if everyone agrees to the proposal."""
    if isinstance(state.proposal, ThrowIn):
        return state.proposal.makers_tricks
    playing = state.interrupted
    rules, contract = playing.hand.rules, playing.contract
    taken = makers_tricks(rules, contract, playing.tricks)
    return taken + (TRICKS_PER_HAND - len(playing.tricks)) * (state.proposal.seat in rules.side_of(contract.maker))
