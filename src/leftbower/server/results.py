"""The score of a match that was played at a table of ours, as an event is told it."""

from collections import Counter
from collections.abc import Iterator, Sequence

from leftbower.engine import Reason, Scored, Scores
from leftbower.errors import LeftbowerError
from leftbower.rules.house import HouseRules
from leftbower.rules.referee import Incident
from leftbower.rules.scoring import TRICKS, Outcome, Points
from leftbower.rules.seats import Seat
from leftbower.server.records import games_of
from leftbower.table import Table
from leftbower.tournament import Hand, Hands, PassedOut, Played, Totals, check_score, hand_points, tally
from leftbower.tournament.scores import counts

_DEALT_AGAIN = (Reason.FARMERS_REDEAL, Reason.MISDEAL)
Games = Sequence[tuple[Sequence[Scored], Scores]]


def score_of(table: Table, rules: HouseRules, best_of: int, labels: Sequence[str]) -> Played:
    """Hand by hand where that says exactly what was scored, so that loners and euchres are counted; else totals."""
    *exact, plain = _tellings(rules, games_of(table))
    return next((score for score in exact if _can_be(rules, best_of, score, labels)), plain)


def _tellings(rules: HouseRules, games: Games) -> Iterator[Played]:
    """The same score, told ever more plainly."""
    by_hand = [_by_hand(rules, hands, scores) for hands, scores in games]
    told = tuple(game for game in by_hand if game is not None)
    if len(told) == len(by_hand):
        yield Played(games=told)
    totals = tuple(Totals(points=scores) for _, scores in games)
    yield Played(games=totals, loners=_loners(games))
    yield Played(games=totals)


def _can_be(rules: HouseRules, best_of: int, score: Played, labels: Sequence[str]) -> bool:
    try:
        check_score(rules, best_of, score, labels)
    except LeftbowerError:
        return False
    return True


def _by_hand(rules: HouseRules, hands: Sequence[Scored], scores: Scores) -> Hands | None:
    """A game hand by hand, unless a hand of it ended as cannot be told so, or the points come to something else."""
    told = [_told(rules, hand) for hand in hands if hand.reason not in _DEALT_AGAIN]
    game = Hands(hands=tuple(hand for hand in told if hand is not None))
    return game if len(game.hands) == len(told) and tally(rules, game) == tuple(scores) else None


def _told(rules: HouseRules, scored: Scored) -> Hand | None:
    """How a hand ended, if that brings exactly the points that it brought."""
    for hand in _readings(scored):
        if counts(rules, hand) and _some(hand_points(rules, hand)) == _some(scored.points):
            return hand
    return None


def _some(points: Points) -> dict[Seat, int]:
    return {seat: scored for seat, scored in points.items() if scored}


def _readings(scored: Scored) -> Iterator[Hand]:
    contract = scored.contract
    if scored.reason is Reason.PASSED_OUT:
        yield PassedOut()
    if contract is not None and scored.makers_tricks is not None:
        alone, defended = contract.alone, contract.defender is not None
        yield Outcome(maker=contract.maker, makers_tricks=scored.makers_tricks, alone=alone, defended_alone=defended)
    for verdict in scored.docket.verdicts if scored.makers_tricks is None else ():
        offender = verdict.call.against
        if verdict.guilty:
            yield Incident(
                irregularity=verdict.call.irregularity,
                offender=offender,
                maker=contract.maker if contract else None,
                dealer=scored.hand.deal.dealer,
                alone=contract is not None and contract.alone,
                called=True,
                earlier_warnings=scored.hand.warnings[offender.index],
            )


def _loners(games: Games) -> dict[Seat, int]:
    """Lone hands that took all five tricks, by who called them."""
    makers = (
        hand.contract.maker
        for hands, _ in games
        for hand in hands
        if hand.contract is not None and hand.contract.alone and hand.makers_tricks == TRICKS
    )
    return dict(Counter(makers))
