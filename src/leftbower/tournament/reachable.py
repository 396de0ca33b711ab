"""Which scores can come about: every game there is, played out in numbers, hand by hand, under a rule set."""

from collections.abc import Iterator, Sequence
from functools import lru_cache

from leftbower.rules.choices import DefendAlone
from leftbower.rules.house import HouseRules
from leftbower.rules.referee import Incident, Irregularity, ruling
from leftbower.rules.scoring import TRICKS, Outcome, Points, points, winners

Scored = tuple[int, ...]
"""Points of each side."""


def over(rules: HouseRules, scored: Sequence[int]) -> bool:
    """Has a side won a game that is played to a target?"""
    return winners(rules, scored) is not None


@lru_cache(maxsize=64)
def to_target(rules: HouseRules, most: int) -> tuple[frozenset[Scored], frozenset[Scored]]:
    """Every score at which a game can end, and every one at which it can stand before; nobody has more than `most`."""
    start = tuple(0 for _ in rules.sides)
    on, ends, todo = {start}, set(), [start]
    while todo:
        for scored in _after(rules, todo.pop(), most):
            if over(rules, scored):
                ends.add(scored)
            elif scored not in on:
                on.add(scored)
                todo.append(scored)
    return frozenset(ends), frozenset(on)


@lru_cache(maxsize=64)
def after_hands(rules: HouseRules, hands: int) -> frozenset[Scored]:
    """Every score after so many hands; a hand that is passed out, or on which both sides offend, brings nothing."""
    now = {tuple(0 for _ in rules.sides)}
    for _ in range(hands):
        now |= {scored for before in now for scored in _after(rules, before, 99)}
    return frozenset(now)


def _after(rules: HouseRules, scored: Scored, most: int) -> Iterator[Scored]:
    for gained in _hands(rules):
        total = tuple(had + more for had, more in zip(scored, gained, strict=True))
        if max(total) <= most:
            yield total


@lru_cache(maxsize=64)
def _hands(rules: HouseRules) -> tuple[Scored, ...]:
    """What one hand can bring to each side."""
    found = {tuple(given.get(side[0], 0) for side in rules.sides) for given in _outcomes(rules)}
    return tuple(sorted(gained for gained in found if any(gained)))


def _outcomes(rules: HouseRules) -> Iterator[Points]:
    against = (False,) if rules.defend_alone is DefendAlone.OFF else (False, True)
    for maker in rules.places:
        for alone in (False, True):
            for tricks in range(TRICKS + 1):
                for defended in against:
                    yield points(
                        rules, Outcome(maker=maker, makers_tricks=tricks, alone=alone, defended_alone=defended)
                    )
            for offender in rules.places:
                yield from _penalties(rules, offender, maker, alone=alone)


def _penalties(rules: HouseRules, offender: object, maker: object, *, alone: bool) -> Iterator[Points]:
    facts = {"irregularity": Irregularity.RENEGE, "offender": str(offender), "maker": str(maker), "alone": alone}
    given = ruling(rules, Incident.from_json(facts | {"earlier_warnings": rules.renege_warnings})).points
    yield given
    if rules.waiver:
        yield from (dict.fromkeys(given, less) for less in range(1, max(given.values())))
    if rules.wrong_call:
        yield dict.fromkeys(given, rules.wrong_call)
