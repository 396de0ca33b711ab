"""Table talk of bots: honest answers to claims, and calls that face-up cards prove."""

from collections.abc import Iterator
from random import Random

from leftbower.engine import Agree, CallOut, Claim, Contract, Disagree, Settle, Terms, ThrowIn, View
from leftbower.players.judgment.layouts import layouts
from leftbower.players.judgment.stakes import Worth
from leftbower.rules import UNKNOWN, Card, Irregularity, Seat
from leftbower.rules.scoring import TRICKS_PER_HAND

CLAIM_CHECK_LAYOUTS = 60
"""Layouts in which an opponent's claim must hold before a bot agrees."""


def proven_calls(view: View) -> tuple[CallOut, ...]:
    """Calls the viewer can make now that the cards on the table prove."""
    calls = [action for action in view.legal if isinstance(action, CallOut)]
    return tuple(call for call in calls if call.irregularity is not Irregularity.RENEGE or _reneged(view, call))


def answer_proposal(view: View, contract: Contract, worth: Worth, rng: Random) -> Agree | Disagree:
    """Agree to a partner's claim, to another one if it holds in every layout, and to a throw-in that costs nothing."""
    seat, proposal = view.seat, view.proposal
    assert seat is not None
    if isinstance(proposal, Claim) and proposal.seat in view.rules.side_of(seat):
        return Agree(seat)
    imagined = layouts(view, contract, CLAIM_CHECK_LAYOUTS, rng)
    if isinstance(proposal, ThrowIn):
        fair = imagined.mean(worth) <= worth[proposal.makers_tricks] + 1e-9
    else:
        assert isinstance(proposal, Claim)
        taken = sum(trick.winner in view.rules.side_of(contract.maker) for trick in view.tricks)
        left = TRICKS_PER_HAND - len(view.tricks)
        makers = taken + left if proposal.seat in view.rules.side_of(contract.maker) else taken
        fair = all(tricks == makers for tricks in imagined.tricks())
    return Agree(seat) if fair else Disagree(seat)


def settlement_rank(settlement: Settle) -> int:
    """Preference order of settlements: the full penalty first."""
    return [Terms.LET_STAND, Terms.CORRECT, Terms.FEWER, Terms.FULL].index(settlement.terms)


def _reneged(view: View, call: CallOut) -> bool:
    """Has the accused shown a card of the suit led after the trick in question?"""
    assert view.contract is not None
    trump, tricks = (
        view.contract.trump,
        [*((trick.cards, trick.seats) for trick in view.tricks), (view.trick, view.seats)],
    )
    led = tricks[call.trick - 1][0][0].suit_under(trump)
    return any(card.suit_under(trump) is led for card in _face_up_cards(view, call.against, tricks[call.trick :]))


def _face_up_cards(view: View, seat: Seat, tricks: list[tuple[tuple[Card, ...], tuple[Seat, ...]]]) -> Iterator[Card]:
    """The public cards of a seat: in these tricks, and face up."""
    for cards, seats in tricks:
        if seat in seats:
            yield cards[seats.index(seat)]
    yield from (card for card in view.exposed.get(seat, ()) if card is not UNKNOWN)
