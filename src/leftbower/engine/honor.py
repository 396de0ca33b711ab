"""The referee of an honor table: calls, proof, penalties and corrections.

The referee hears a call at once, but decides a renege only from face-up cards: when the accused has shown the suit that
was led, or has no hidden cards left. So a call reveals nothing about a card still held.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from leftbower.engine.actions import CallOut, Correct, Play, Ready, Settle, Terms
from leftbower.engine.misdeals import MISDEALS, BeforePlay, call_misdeal, misdeal_calls
from leftbower.engine.play import close, first_leader, next_to_play, outcome
from leftbower.engine.states import (
    Answering,
    Closing,
    Docket,
    OpenState,
    Penalty,
    Playing,
    Reason,
    Scored,
    Settling,
    Verdict,
)
from leftbower.rules.cards import UNKNOWN, Card
from leftbower.rules.choices import Correction, FailureToDiscard, OutOfTurn, WarningsFor
from leftbower.rules.house import Side
from leftbower.rules.referee import Incident, Irregularity, Remedy, ruling
from leftbower.rules.scoring import Points
from leftbower.rules.seats import Seat

PlayOrClosing = Playing | Closing
"""A hand whose cards are being played, or were."""
AfterCall = Playing | Closing | Settling
"""States that can follow a call."""


def opponents_in_hand(state: PlayOrClosing, seat: Seat) -> Side:
    """Seats of the other side in this hand; with three players, the two defenders are one side."""
    rules = state.hand.rules
    if rules.players != 3:
        return rules.opponents_of(seat)
    maker = state.contract.maker
    return rules.opponents_of(maker) if seat is maker else (maker,)


def calls(state: BeforePlay | PlayOrClosing) -> Iterator[CallOut]:
    """Every call that is possible now.

    A renege can be called on any player who didn't follow suit, guilty or not, so that the list reveals no card.
    Offenses that everyone can see (a play out of turn, a sixth card, a misdeal) are listed only if they happened.
    """
    if not isinstance(state, Closing):
        yield from misdeal_calls(state)
    if isinstance(state, Playing | Closing):
        for against, kind, trick in _callable(state):
            for seat in opponents_in_hand(state, against):
                call = CallOut(seat, against, kind, trick)
                if not _already_called(state.docket, call):
                    yield call


def call_out(state: BeforePlay | PlayOrClosing, call: CallOut) -> AfterCall | Scored:
    """Hear a call: rule at once on what everyone saw, and on a renege as soon as it is proven."""
    if not isinstance(state, Playing | Closing) or call.irregularity in MISDEALS:
        return call_misdeal(state, call)
    heard = replace(state, actions=(*state.actions, call), docket=_extend(state.docket, calls=(call,)))
    return expose_accused(heard) if isinstance(heard, Closing) else decide_calls(heard)


def decide_calls(state: PlayOrClosing) -> AfterCall:
    """Rule on every open call that face-up cards decide."""
    for call in state.docket.calls:
        guilty, evidence = evidence_for(state, call)
        if guilty is None or (guilty and _may_still_be_corrected(state, call)):
            continue
        others = tuple(other for other in state.docket.calls if _offense(other) != _offense(call))
        docket = replace(state.docket, calls=others)
        decided = (
            _acquit(state, docket, call) if not guilty else _convict(replace(state, docket=docket), call, evidence)
        )
        return decide_calls(decided) if isinstance(decided, Playing | Closing) else decided
    return state


def corrections(state: Playing) -> Iterator[Correct]:
    """Every card that may be corrected: any that didn't follow suit, guilty or not, and any played out of turn."""
    correction = state.hand.rules.correction
    if correction is Correction.NEVER:
        return
    heard = {_offense(call) for call in (*state.docket.calls, *state.docket.settled)}
    wrong = [(seat, Irregularity.RENEGE, trick) for seat, trick in _did_not_follow(state)]
    if state.hand.rules.out_of_turn is OutOfTurn.AS_RENEGE:
        wrong += [(seat, Irregularity.OUT_OF_TURN, trick) for seat, trick in _out_of_turn(state)]
    for seat, trick in dict.fromkeys((seat, trick) for seat, _, trick in wrong):
        called = any((seat, kind, trick) in heard for kind in _CORRECTED)
        if correction is Correction.EVEN_WHEN_CALLED or not called:
            yield Correct(seat, trick)


_CORRECTED: Final = frozenset({Irregularity.RENEGE, Irregularity.OUT_OF_TURN})
"""Offenses that can be corrected, if the rules allow it."""


def correct(state: Playing, action: Correct) -> AfterCall:
    """Go back to a wrong card; if the card wasn't wrong, change nothing."""
    state = replace(state, actions=(*state.actions, action))
    out_of_turn = state.hand.rules.out_of_turn is OutOfTurn.AS_RENEGE
    early = out_of_turn and (action.seat, action.trick) in _out_of_turn(state)
    if not early and not _withheld(state, action.seat, action.trick):
        return state
    return decide_calls(_rewind_to(state, action.seat, action.trick))


def settlements(state: Settling) -> Iterator[Settle]:
    """Options of each offended player: the whole penalty, fewer points, a correction during the play, or nothing."""
    full = max(_points(state.verdict).values())
    for seat in state.asked:
        yield Settle(seat, Terms.FULL)
        yield from (Settle(seat, Terms.FEWER, points) for points in range(1, full))
        if isinstance(state.interrupted, Playing):
            yield Settle(seat, Terms.CORRECT)
        yield Settle(seat, Terms.LET_STAND)


def settle(state: Settling, action: Settle) -> AfterCall:
    """Settle a penalty: one player can enforce it, but waiving or reducing it takes the whole side."""
    said, actions = (*state.said, action), (*state.actions, action)
    agreed = all((settlement.terms, settlement.points) == (action.terms, action.points) for settlement in said)
    if agreed and action.terms is not Terms.FULL and len(state.asked) > 1:
        return replace(state, said=said, actions=actions)
    table, call = replace(state.interrupted, actions=actions), state.verdict.call
    full = _points(state.verdict)
    terms = action.terms if agreed else Terms.FULL
    match terms:
        case Terms.LET_STAND:
            return decide_calls(table)
        case Terms.CORRECT if isinstance(table, Playing):
            return decide_calls(_rewind_to(table, call.against, call.trick))
        case Terms.FEWER:
            return _penalize(table, call, dict.fromkeys(full, action.points))
        case _:
            return _penalize(table, call, full)


def ready(state: Closing, action: Ready) -> Closing | Scored:
    """The hand is scored when all players are ready."""
    state = replace(state, actions=(*state.actions, action), ready=(*state.ready, action.seat))
    return score_hand(state) if len(state.ready) == len(state.hand.rules.seats) else state


def points_so_far(state: OpenState) -> Points:
    """What the hand has brought already, until a later call changes it: penalties, and its result once play is over."""
    table = state.interrupted if isinstance(state, Answering | Settling) else state
    if isinstance(table, Closing):
        return score_hand(table).points
    if isinstance(table, Playing):
        return _sum(table, [penalty.points for penalty in (*table.docket.penalties, *table.docket.costs)])
    return {}


def _callable(state: PlayOrClosing) -> Iterator[tuple[Seat, Irregularity, int]]:
    for seat, trick in _did_not_follow(state):
        yield seat, Irregularity.RENEGE, trick
    for seat, trick in _out_of_turn(state):
        yield seat, Irregularity.OUT_OF_TURN, trick
    if _failed_to_discard(state):
        yield state.hand.deal.dealer, Irregularity.FAILURE_TO_DISCARD, 0


def _already_called(docket: Docket, call: CallOut) -> bool:
    """Did this seat already call it, or was it ruled on?"""
    return call in docket.calls or any(_offense(settled) == _offense(call) for settled in docket.settled)


def _offense(call: CallOut) -> tuple[Seat, Irregularity, int]:
    """The call without the caller."""
    return call.against, call.irregularity, call.trick


def _every_trick(state: PlayOrClosing) -> Iterator[tuple[int, tuple[Card, ...], tuple[Seat, ...]]]:
    """Each trick with its number, including the unfinished one."""
    for number, trick in enumerate(state.tricks, 1):
        yield number, trick.cards, trick.seats
    if state.trick:
        yield len(state.tricks) + 1, state.trick, state.seats


def _did_not_follow(state: PlayOrClosing) -> Iterator[tuple[Seat, int]]:
    trump = state.contract.trump
    for number, cards, seats in _every_trick(state):
        led = cards[0].suit_under(trump)
        yield from (
            (seat, number) for seat, card in zip(seats, cards, strict=True) if card.suit_under(trump) is not led
        )


def _out_of_turn(state: PlayOrClosing) -> Iterator[tuple[Seat, int]]:
    """Plays out of turn. If the rules only take them back, those of complete tricks don't count."""
    only_now = state.hand.rules.out_of_turn is OutOfTurn.TAKEN_BACK
    leader = first_leader(state.hand.rules, state.hand.deal.dealer, state.contract)
    for number, cards, seats in _every_trick(state):
        complete = len(cards) == len(state.active)
        for index, seat in enumerate(seats):
            if seat is not (leader if index == 0 else next_to_play(state.active, seats[:index])) and not (
                only_now and complete
            ):
                yield seat, number
        leader = state.tricks[number - 1].winner if complete else leader


def _failed_to_discard(state: PlayOrClosing) -> bool:
    """Has a dealer who had to discard played a first card without it? Everyone can count the backs."""
    rules, dealer = state.hand.rules, state.hand.deal.dealer
    owes = rules.failure_to_discard is FailureToDiscard.PENALTY and state.contract.ordered
    laid = any(dealer in seats for _, _, seats in _every_trick(state))
    return owes and state.contract.buried is None and laid


def evidence_for(state: PlayOrClosing, call: CallOut) -> tuple[bool | None, tuple[Card, ...]]:
    """Guilty, innocent, or None while undecided; and the cards that prove it."""
    if call.irregularity is Irregularity.FAILURE_TO_DISCARD or call.irregularity in MISDEALS:
        return True, ()
    [(cards, seats)] = [(cards, seats) for number, cards, seats in _every_trick(state) if number == call.trick]
    laid = cards[seats.index(call.against)]
    if call.irregularity is Irregularity.OUT_OF_TURN:
        return True, (laid,)
    led, trump = cards[0].suit_under(state.contract.trump), state.contract.trump
    withheld = tuple(card for card in _shown_after(state, call) if card.suit_under(trump) is led)
    if withheld:
        return True, (laid, *withheld)
    return (None if _closed_cards(state, call.against) else False), (laid,)


def _shown_after(state: PlayOrClosing, call: CallOut) -> Iterator[Card]:
    """Cards the accused has shown since the trick in question."""
    for number, cards, seats in _every_trick(state):
        if number > call.trick and call.against in seats:
            yield cards[seats.index(call.against)]
    if not _closed_cards(state, call.against):
        yield from (card for card in state.cards[call.against.index] if card is not UNKNOWN)


def _closed_cards(state: PlayOrClosing, seat: Seat) -> bool:
    return bool(state.cards[seat.index]) and seat not in exposed_seats(state.docket)


def exposed_seats(docket: Docket) -> tuple[Seat, ...]:
    """Players who laid all their cards face up."""
    return tuple(seat for seat, _ in docket.exposed)


def _withheld(state: Playing, seat: Seat, trick: int) -> bool:
    """Did the player really hold the suit that was led? Only checked when the player confesses."""
    trump = state.contract.trump
    [led] = [cards[0].suit_under(trump) for number, cards, _ in _every_trick(state) if number == trick]
    later = [cards[seats.index(seat)] for n, cards, seats in _every_trick(state) if n > trick and seat in seats]
    held = [card for card in (*later, *state.cards[seat.index]) if card is not UNKNOWN]
    return any(card.suit_under(trump) is led for card in held)


def _may_still_be_corrected(state: PlayOrClosing, call: CallOut) -> bool:
    rules = state.hand.rules
    taken_back = call.irregularity is Irregularity.OUT_OF_TURN and rules.out_of_turn is OutOfTurn.TAKEN_BACK
    correctable = call.irregularity in _CORRECTED and not taken_back
    return correctable and rules.correction is Correction.EVEN_WHEN_CALLED and isinstance(state, Playing)


def _acquit(state: PlayOrClosing, docket: Docket, call: CallOut) -> PlayOrClosing:
    """Acquit a player; a wrong call may cost the caller points."""
    verdict = Verdict(call=call, guilty=False, evidence=(), ruling=None)
    cost = state.hand.rules.wrong_call_points
    friends = (seat for seat in state.hand.rules.seats if seat not in opponents_in_hand(state, call.against))
    costs = (Penalty(offender=call.seat, trick=call.trick, points=dict.fromkeys(friends, cost)),) if cost else ()
    return replace(state, docket=_extend(docket, verdicts=(verdict,), settled=(call,), costs=costs))


def _convict(state: PlayOrClosing, call: CallOut, evidence: tuple[Card, ...]) -> AfterCall:
    """Apply the ruling for a proven offense."""
    ruled = ruling(state.hand.rules, _incident(state, call))
    verdict = Verdict(call=call, guilty=True, evidence=evidence, ruling=ruled)
    state = replace(state, docket=_extend(state.docket, verdicts=(verdict,), settled=(call,)))
    if ruled.remedy is Remedy.TAKE_BACK and isinstance(state, Playing):
        return _rewind_to(state, call.against, call.trick)
    if ruled.remedy is not Remedy.PENALTY or _has_paid(state, call.against):
        return state
    if ruled.may_be_waived:
        return Settling(interrupted=state, actions=state.actions, verdict=verdict)
    return _penalize(state, call, ruled.points)


def _incident(state: PlayOrClosing, call: CallOut) -> Incident:
    return Incident(
        irregularity=call.irregularity,
        offender=call.against,
        maker=state.contract.maker,
        dealer=state.hand.deal.dealer,
        alone=state.contract.alone,
        called=True,
        earlier_warnings=_warnings(state, call.against),
    )


def _warnings(state: PlayOrClosing, seat: Seat) -> int:
    """Warnings that count against a player, including the partner's if sides are warned."""
    rules = state.hand.rules
    counted = rules.side_of(seat) if rules.warnings_for is WarningsFor.SIDE else (seat,)
    return sum(
        state.hand.warnings[counted_seat.index] + count_warnings(state.docket, counted_seat) for counted_seat in counted
    )


def count_warnings(docket: Docket, seat: Seat) -> int:
    """Warnings a player got in this hand."""
    standing = (
        verdict for verdict in docket.verdicts if verdict.call in docket.settled and verdict.call.against is seat
    )
    return sum(verdict.ruling is not None and verdict.ruling.warning for verdict in standing)


def _has_paid(state: PlayOrClosing, seat: Seat) -> bool:
    """Has this side already been penalized? There is one penalty per side and hand."""
    return any(penalty.offender not in opponents_in_hand(state, seat) for penalty in state.docket.penalties)


def _penalize(state: PlayOrClosing, call: CallOut, points: Points) -> AfterCall:
    penalty = Penalty(offender=call.against, trick=call.trick, points=points)
    state = replace(state, docket=_extend(state.docket, penalties=(penalty,)))
    if isinstance(state, Playing) and state.hand.rules.penalty_ends_hand:
        return expose_accused(close(state, None))
    return decide_calls(state)


def expose_accused(state: Closing) -> AfterCall:
    """Turn up the cards of every accused player, and rule on all open calls."""
    accused = dict.fromkeys(call.against for call in state.docket.calls)
    number = len(state.tricks) + 1
    newly_exposed = tuple((seat, number) for seat in accused if seat not in exposed_seats(state.docket))
    return decide_calls(replace(state, docket=_extend(state.docket, exposed=newly_exposed)))


def _rewind_to(state: Playing, seat: Seat, trick: int) -> Playing:
    """Go back to the card a player played to a trick; that card and all later ones return to their hands."""
    laid = [
        (number, Play(player, card))
        for number, cards, seats in _every_trick(state)
        for player, card in zip(seats, cards, strict=True)
    ]
    wrong = next(index for index, (number, play) in enumerate(laid) if number == trick and play.seat is seat)
    standing, withdrawn = [play for _, play in laid[:wrong]], [play for _, play in laid[wrong:]]
    cards = [state.cards[index.index] + tuple(play.card for play in withdrawn if play.seat is index) for index in Seat]
    tricks = state.tricks[: trick - 1]
    begun = standing[len(state.active) * (trick - 1) :]
    seats = tuple(play.seat for play in begun)
    leader = tricks[-1].winner if tricks else first_leader(state.hand.rules, state.hand.deal.dealer, state.contract)
    return replace(
        state,
        cards=(cards[0], cards[1], cards[2], cards[3]),
        to_act=next_to_play(state.active, seats) if seats else leader,
        trick=tuple(play.card for play in begun),
        seats=seats,
        tricks=tricks,
        docket=_rewind_docket(state, trick, seats, tuple(withdrawn)),
    )


def _rewind_docket(state: Playing, trick: int, seats: tuple[Seat, ...], withdrawn: tuple[Play, ...]) -> Docket:
    """Undo calls, rulings and exposed hands for cards that were taken back; `taken_back` remembers the cards."""
    docket = state.docket

    def lies(call: CallOut) -> bool:
        return call.trick < trick or (call.trick == trick and call.against in seats)

    folded = [seat for seat, number in docket.exposed if number > trick]
    hands = tuple(Play(seat, card) for seat in folded for card in state.cards[seat.index] if card is not UNKNOWN)
    return replace(
        docket,
        calls=tuple(filter(lies, docket.calls)),
        settled=tuple(filter(lies, docket.settled)),
        penalties=tuple(
            entry
            for entry in docket.penalties
            if entry.trick < trick or (entry.trick == trick and entry.offender in seats)
        ),
        taken_back=(*docket.taken_back, *withdrawn, *hands),
        exposed=tuple(entry for entry in docket.exposed if entry[1] <= trick),
        proposals=tuple(entry for entry in docket.proposals if entry[1] <= trick),
    )


def score_hand(state: Closing) -> Scored:
    """Score the hand: its points, or a penalty that replaces them, and the cost of wrong calls."""
    rules, docket = state.hand.rules, state.docket
    reason, scored = outcome(state.hand, state.contract, state.makers_tricks or 0)
    taken = state.makers_tricks
    paid = [penalty.points for penalty in docket.penalties]
    if paid and rules.penalty_ends_hand:
        reason, scored, taken = (Reason.PENALTY, paid[0], None) if len(paid) == 1 else (Reason.BOTH_GUILTY, {}, None)
        paid = []
    return Scored(
        hand=state.hand,
        cards=state.cards,
        actions=state.actions,
        reason=reason,
        points=_sum(state, [scored, *paid, *(penalty.points for penalty in docket.costs)]),
        contract=state.contract,
        tricks=state.tricks,
        makers_tricks=taken,
        docket=docket,
    )


def _sum(state: PlayOrClosing, scored: list[Points]) -> Points:
    totals = {seat: sum(points.get(seat, 0) for points in scored) for seat in state.hand.rules.seats}
    return {seat: total for seat, total in totals.items() if total}


def _points(verdict: Verdict) -> Points:
    return verdict.ruling.points if verdict.ruling else {}


def _extend(docket: Docket, **more: tuple[object, ...]) -> Docket:
    """Return the docket with these entries appended to its lists."""
    return replace(docket, **{name: (*getattr(docket, name), *added) for name, added in more.items()})
