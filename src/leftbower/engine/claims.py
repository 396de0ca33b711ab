"""Ending a hand early: laying down certain winners, and throwing in by agreement."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from leftbower.engine.actions import Agree, Claim, Disagree, ThrowIn
from leftbower.engine.justice import Judged, closed, exposed, judge
from leftbower.engine.play import ended
from leftbower.engine.states import Answering, Closing, Playing, Scored, makers_tricks
from leftbower.rules.choices import Claims, ThrowIns
from leftbower.rules.scoring import TRICKS
from leftbower.rules.seats import Seat


def proposals(state: Playing) -> Iterator[Claim | ThrowIn]:
    """Who may lay down the rest as certain winners, and which throw-ins may be proposed."""
    rules = state.hand.rules
    if not state.trick and rules.claims is not Claims.OFF:
        claimants = state.active if rules.throw_ins is ThrowIns.ENCOURAGED else (state.to_act,)
        shown = exposed(state.docket)
        yield from [_CLAIMS[seat] for seat in claimants if seat not in shown]
    if rules.throw_ins is not ThrowIns.OFF:
        number, taken = len(state.tricks) + 1, makers_tricks(rules, state.contract, state.tricks)
        most = taken + TRICKS - len(state.tricks)
        for seat in state.active:
            if (seat, number) not in state.docket.proposals:
                yield from _THROW_INS[seat][taken : most + 1]


_CLAIMS: Final = {seat: Claim(seat) for seat in Seat}
_THROW_INS: Final = {seat: tuple(ThrowIn(seat, tricks) for tricks in range(TRICKS + 1)) for seat in Seat}


def propose(state: Playing, action: Claim | ThrowIn) -> Answering | Judged:
    """Everyone else who takes part is asked; a claim shows the cards at once."""
    number = len(state.tricks) + 1
    if isinstance(action, Claim):
        docket = replace(state.docket, exposed=(*state.docket.exposed, (action.seat, number)))
    else:
        docket = replace(state.docket, proposals=(*state.docket.proposals, (action.seat, number)))
    actions = (*state.actions, action)
    judged = judge(replace(state, actions=actions, docket=docket))
    if not isinstance(judged, Playing):
        return judged
    return Answering(interrupted=judged, actions=actions, proposal=action)


def answers(state: Answering) -> Iterator[Agree | Disagree]:
    """Everyone asked may agree or not."""
    for seat in state.asked:
        yield Agree(seat)
        yield Disagree(seat)


def answer(state: Answering, action: Agree | Disagree) -> Answering | Judged | Scored:
    """One who disagrees is enough to play on; when all agree the hand is over and the active hands are shown."""
    actions = (*state.actions, action)
    if isinstance(action, Disagree):
        return replace(state.interrupted, actions=actions)
    agreed = (*state.agreed, action.seat)
    if len(state.asked) > 1:
        return replace(state, actions=actions, agreed=agreed)
    playing = state.interrupted
    number = len(playing.tricks) + 1
    shown = tuple((seat, number) for seat in playing.active if seat not in exposed(playing.docket))
    docket = replace(playing.docket, exposed=(*playing.docket.exposed, *shown))
    over = ended(replace(playing, actions=actions, docket=docket), _granted(state))
    return closed(over) if isinstance(over, Closing) else over


def _granted(state: Answering) -> int:
    """The makers' tricks if the proposal is agreed to."""
    if isinstance(state.proposal, ThrowIn):
        return state.proposal.makers_tricks
    playing = state.interrupted
    rules, contract = playing.hand.rules, playing.contract
    taken = makers_tricks(rules, contract, playing.tricks)
    return taken + (TRICKS - len(playing.tricks)) * (state.proposal.seat in rules.side_of(contract.maker))
