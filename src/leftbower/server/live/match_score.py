"""The score of a match at a table, in the form in which an event records it."""

from collections import Counter
from collections.abc import Iterator, Sequence

from leftbower.engine import CallOut, Reason, Scored, Scores
from leftbower.errors import LeftbowerError
from leftbower.rules import HouseRules, Incident, Outcome, Points, Seat
from leftbower.rules.scoring import TRICKS_PER_HAND
from leftbower.server.live.records import games_of
from leftbower.table import Table
from leftbower.tournament.scoring.scores import (
    Hands,
    PassedOut,
    Played,
    ReportedHand,
    Totals,
    check_score,
    game_scores,
    hand_results,
)

_REDEAL_REASONS = (Reason.FARMERS_REDEAL, Reason.MISDEAL)
Games = Sequence[tuple[Sequence[Scored], Scores]]


def score_of(table: Table, rules: HouseRules, best_of: int, labels: Sequence[str]) -> Played:
    """Hand by hand if that gives exactly these points, so that loners and euchres count; otherwise totals."""
    *detailed, totals = _candidates(rules, games_of(table))
    return next((score for score in detailed if _is_valid(rules, best_of, score, labels)), totals)


def _candidates(rules: HouseRules, games: Games) -> Iterator[Played]:
    """The same score with decreasing detail."""
    by_hand = _by_hand(rules, games)
    if by_hand is not None:
        yield Played(games=by_hand)
    totals = tuple(Totals(points=scores) for _, scores in games)
    yield Played(games=totals, loners=_loners(games))
    yield Played(games=totals)


def _is_valid(rules: HouseRules, best_of: int, score: Played, labels: Sequence[str]) -> bool:
    try:
        check_score(rules, best_of, score, labels)
    except LeftbowerError:
        return False
    return True


def _by_hand(rules: HouseRules, games: Games) -> tuple[Hands, ...] | None:
    """The games hand by hand; None if a hand can't be reported or the points differ."""
    reported: tuple[Hands, ...] = ()
    for hands, scores in games:
        reported = (*reported, Hands(hands=()))
        for hand in hands:
            entries = _entries(rules, reported, hand)
            if entries is None:
                return None
            reported = _with(reported, *entries)
        if game_scores(rules, reported)[-1] != tuple(scores):
            return None
    return reported


def _with(games: tuple[Hands, ...], *entries: ReportedHand) -> tuple[Hands, ...]:
    return (*games[:-1], Hands(hands=(*games[-1].hands, *entries)))


def _entries(rules: HouseRules, games: tuple[Hands, ...], scored: Scored) -> tuple[ReportedHand, ...] | None:
    """The warnings and the result of a hand; None if no interpretation gives the points it scored after these games."""
    warnings = tuple(_warnings(scored))
    if scored.reason in _REDEAL_REASONS:
        return warnings
    for hand in _readings(scored):
        *_, result = hand_results(rules, _with(games, *warnings, hand))[-1]
        if result.counts and _nonzero(result.points) == _nonzero(scored.points):
            return (*warnings, hand)
    return None


def _warnings(scored: Scored) -> Iterator[Incident]:
    for verdict in scored.docket.verdicts:
        if verdict.ruling is not None and verdict.ruling.warning and verdict.call in scored.docket.settled:
            yield _incident(scored, verdict.call)


def _nonzero(points: Points) -> dict[Seat, int]:
    return {seat: scored for seat, scored in points.items() if scored}


def _readings(scored: Scored) -> Iterator[ReportedHand]:
    contract = scored.contract
    if scored.reason is Reason.PASSED_OUT:
        yield PassedOut()
    if contract is not None and scored.makers_tricks is not None:
        alone, defended = contract.alone, contract.defender is not None
        yield Outcome(maker=contract.maker, makers_tricks=scored.makers_tricks, alone=alone, defended_alone=defended)
    for verdict in scored.docket.verdicts if scored.makers_tricks is None else ():
        if verdict.ruling is not None and not verdict.ruling.warning:
            yield _incident(scored, verdict.call)


def _incident(scored: Scored, call: CallOut) -> Incident:
    contract = scored.contract
    return Incident(
        irregularity=call.irregularity,
        offender=call.against,
        maker=contract.maker if contract else None,
        dealer=scored.hand.deal.dealer,
        alone=contract is not None and contract.alone,
        called=True,
    )


def _loners(games: Games) -> dict[Seat, int]:
    """Lone hands that took all five tricks, by caller."""
    makers = (
        hand.contract.maker
        for hands, _ in games
        for hand in hands
        if hand.contract is not None and hand.contract.alone and hand.makers_tricks == TRICKS_PER_HAND
    )
    return dict(Counter(makers))
