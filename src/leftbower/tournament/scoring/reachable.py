"""Reachable scores: enumerate all games under a rule set, hand by hand."""

from collections.abc import Iterator, Sequence
from functools import lru_cache

from leftbower.rules import HouseRules, Incident, Irregularity, Outcome, Points, Seat, points, ruling
from leftbower.rules.choices import LoneDefense
from leftbower.rules.scoring import TRICKS_PER_HAND, winners

Scored = tuple[int, ...]
"""Points of each side."""


def is_game_won(rules: HouseRules, scored: Sequence[int]) -> bool:
    """Has a side won, in a game played to a target?"""
    return winners(rules, scored) is not None


@lru_cache(maxsize=64)
def scores_to_target(rules: HouseRules, most: int) -> tuple[frozenset[Scored], frozenset[Scored]]:
    """All final scores of a game and all scores before its end, with no side above `most`."""
    start = tuple(0 for _ in rules.sides)
    on, ends, todo = {start}, set(), [start]
    while todo:
        for scored in _next_scores(rules, todo.pop(), most):
            if is_game_won(rules, scored):
                ends.add(scored)
            elif scored not in on:
                on.add(scored)
                todo.append(scored)
    return frozenset(ends), frozenset(on)


@lru_cache(maxsize=64)
def scores_after_hands(rules: HouseRules, hands: int, *, extra_hand: bool = False) -> frozenset[Scored]:
    """All scores after up to `hands` hands, and after one more if they were tied; a hand may score nothing."""
    scores = {tuple(0 for _ in rules.sides)}
    for _ in range(hands):
        scores |= {scored for earlier in scores for scored in _next_scores(rules, earlier, 99)}
    tied = [scored for scored in scores if extra_hand and len(set(scored)) == 1]
    return frozenset(scores.union(*(_next_scores(rules, scored, 99) for scored in tied)))


def _next_scores(rules: HouseRules, scored: Scored, most: int) -> Iterator[Scored]:
    for gained in _hand_points(rules):
        total = tuple(had + more for had, more in zip(scored, gained, strict=True))
        if max(total) <= most:
            yield total


@lru_cache(maxsize=64)
def _hand_points(rules: HouseRules) -> tuple[Scored, ...]:
    """All point gains of one hand."""
    gains = {tuple(points_.get(side[0], 0) for side in rules.sides) for points_ in _outcomes(rules)}
    return tuple(sorted(gained for gained in gains if any(gained)))


def _outcomes(rules: HouseRules) -> Iterator[Points]:
    against = (False,) if rules.defend_alone is LoneDefense.OFF else (False, True)
    for maker in rules.seats:
        for alone in (False, True):
            for tricks in range(TRICKS_PER_HAND + 1):
                for defended in against:
                    yield points(
                        rules, Outcome(maker=maker, makers_tricks=tricks, alone=alone, defended_alone=defended)
                    )
            for offender in rules.seats:
                yield from _penalties(rules, offender, maker, alone=alone)


def _penalties(rules: HouseRules, offender: Seat, maker: Seat, *, alone: bool) -> Iterator[Points]:
    renege = Incident(
        irregularity=Irregularity.RENEGE,
        offender=offender,
        maker=maker,
        alone=alone,
        earlier_warnings=rules.renege_warnings,
    )
    penalty = ruling(rules, renege).points
    yield penalty
    if rules.waiver:
        yield from (dict.fromkeys(penalty, less) for less in range(1, max(penalty.values())))
    if rules.wrong_call_points:
        yield dict.fromkeys(penalty, rules.wrong_call_points)
