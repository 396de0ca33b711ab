"""What calls and passes are really worth: fitted to hands our bots played out, because solved layouts mislead.

A solver sees every card, so the mean of solved layouts tells little of what passing is worth, and too much of going
alone. Here both are lines in a few numbers, the mean of solved layouts of the best call, the hunch
that others would have of such a hand, and for a pass in the first round the best that can still be named; one line for
each round, place from the dealer's left, and choice.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from math import exp, fsum
from typing import Final

from leftbower.rules.choices import NobodyCalls
from leftbower.rules.house import HouseRules

RESULTS: Final = (-4, -2, -1, 0, 1, 2, 4)
"""What a hand can bring to a side, less what it brings to the other."""
_WEAK, _STRONG = -3.0, 2.0
"""Hunches beyond which a hand is weak or strong and no more: calls of weaker hands, and passes of stronger ones, are so
rare that little is known of them."""


Terms = tuple[float, float, float, float]
"""What the points to expect depend on, for any hand."""


def to_call(solved: float, hunch: float) -> Terms:
    """Of a call with partner: the solved mean, and the hunch that others would have of such a hand."""
    return 1.0, solved, min(max(hunch, _WEAK), _STRONG), 0.0


def to_call_alone(solved: float) -> Terms:
    """Of a lone call: what others would make of the hand changes nothing."""
    return 1.0, solved, 0.0, 0.0


def to_pass(solved: float, hunch: float, later: float) -> Terms:
    """Of a pass: mean and hunch of the best call that is passed up, and the best that can be named later."""
    return 1.0, solved, min(hunch, _STRONG), later


@dataclass(frozen=True, slots=True)
class Line:
    """A weight for each term."""

    weights: tuple[float, ...]

    def at(self, terms: Terms) -> float:
        """The points to expect."""
        return fsum(weight * term for weight, term in zip(self.weights, terms, strict=True))


@dataclass(frozen=True, slots=True)
class Values:
    """What is known of one round and place."""

    call: Line
    alone: Line
    pass_: Line
    passed: Mapping[int, float]
    """How often a pass has led to which points, ours less theirs."""


def fits(rules: HouseRules) -> bool:
    """Were the values fitted to such a game? Four players, a stuck dealer, free partners, and the usual points."""
    usual = (rules.made, rules.march, rules.euchre, rules.alone_made, rules.alone_march) == (1, 2, 2, 1, 4)
    stuck = rules.nobody_calls is NobodyCalls.STICK_THE_DEALER
    return rules.seats == 4 and usual and stuck and not rules.partner_orders_alone


def values(round: int, place: int) -> Values:
    """The lines for a seat so many places to the left of eldest."""
    row = _rows()[f"{round}-{place}"]
    passed = dict(zip(RESULTS, row["passed"], strict=True))
    return Values(
        call=Line(tuple(row["call"])), alone=Line(tuple(row["alone"])), pass_=Line(tuple(row["pass"])), passed=passed
    )


def tilted(chances: Mapping[int, float], mean: float) -> dict[int, float]:
    """The same results, the better or worse ones made likelier together, so that their mean is what it should be.

    Every result stays possible: a solver that saw no layout with it has not seen them all.
    """
    smooth = {points: 0.99 * chance + 0.01 / len(chances) for points, chance in chances.items()}
    low, high = -8.0, 8.0
    for _ in range(30):
        tilt = (low + high) / 2
        reached = sum(points * chance for points, chance in _tilted(smooth, tilt).items())
        low, high = (tilt, high) if reached < mean else (low, tilt)
    return _tilted(smooth, low)


def _tilted(chances: Mapping[int, float], tilt: float) -> dict[int, float]:
    weights = {points: chance * exp(tilt * points) for points, chance in chances.items()}
    total = sum(weights.values())
    return {points: weight / total for points, weight in weights.items()}


@cache
def _rows() -> dict[str, Mapping[str, list[float]]]:
    found: dict[str, Mapping[str, list[float]]] = json.loads(
        (files("leftbower.players") / "data" / "values.json").read_text(encoding="utf-8")
    )
    return found
