"""Call-value regression: the value of calls and passes, fitted to hands that our bots played out.

A solver sees every card, so means of solved layouts misjudge passes and overrate lone calls. Here each value is linear
in a few features: the solved mean of the best call, the logit of the call, and for a first-round pass the best suit
that can still be named. There is one model for each round, position and choice.
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

POINT_DIFFERENCES: Final = (-4, -2, -1, 0, 1, 2, 4)
"""Possible point differences of a hand, our side minus theirs."""
_WEAK, _STRONG = -3.0, 2.0
"""Logits are clamped to this range: calls of weaker hands, and passes of stronger ones, are too rare to fit."""


Features = tuple[float, float, float, float]
"""The inputs of the regression."""


def call_features(solved: float, logit: float) -> Features:
    """For a call with partner: the solved mean and the logit of the call."""
    return 1.0, solved, min(max(logit, _WEAK), _STRONG), 0.0


def lone_call_features(solved: float) -> Features:
    """For a lone call: its logit doesn't matter."""
    return 1.0, solved, 0.0, 0.0


def pass_features(solved: float, logit: float, later: float) -> Features:
    """For a pass: mean and logit of the best call that is passed up, and the best that can be named later."""
    return 1.0, solved, min(logit, _STRONG), later


@dataclass(frozen=True, slots=True)
class LinearModel:
    """A weight for each feature."""

    weights: tuple[float, ...]

    def predict(self, terms: Features) -> float:
        """The expected points."""
        return fsum(weight * term for weight, term in zip(self.weights, terms, strict=True))


@dataclass(frozen=True, slots=True)
class CallValues:
    """The models of one round and position."""

    call: LinearModel
    alone: LinearModel
    pass_: LinearModel
    passed: Mapping[int, float]
    """The distribution of point differences after a pass, our side minus theirs."""


def applies_to(rules: HouseRules) -> bool:
    """Do the values apply to this game? Four players, a stuck dealer, free partners, and the usual points."""
    usual = (
        rules.made_points,
        rules.march_points,
        rules.euchre_points,
        rules.made_points_alone,
        rules.march_points_alone,
    ) == (1, 2, 2, 1, 4)
    stuck = rules.nobody_calls is NobodyCalls.STICK_THE_DEALER
    return rules.players == 4 and usual and stuck and not rules.partner_orders_alone


def call_values(round: int, position: int) -> CallValues:
    """The models for a round and a position from the dealer's left."""
    row = _rows()[f"{round}-{position}"]
    passed = dict(zip(POINT_DIFFERENCES, row["passed"], strict=True))
    return CallValues(
        call=LinearModel(tuple(row["call"])),
        alone=LinearModel(tuple(row["alone"])),
        pass_=LinearModel(tuple(row["pass"])),
        passed=passed,
    )


def with_mean(chances: Mapping[int, float], mean: float) -> dict[int, float]:
    """Tilt a distribution of results exponentially so that it has this mean.

    Every result stays possible: a solver that saw no layout with it hasn't seen them all.
    """
    smooth = {points: 0.99 * chance + 0.01 / len(chances) for points, chance in chances.items()}
    low, high = -8.0, 8.0
    for _ in range(30):
        tilt = (low + high) / 2
        reached = sum(points * chance for points, chance in _tilt(smooth, tilt).items())
        low, high = (tilt, high) if reached < mean else (low, tilt)
    return _tilt(smooth, low)


def _tilt(chances: Mapping[int, float], tilt: float) -> dict[int, float]:
    weights = {points: chance * exp(tilt * points) for points, chance in chances.items()}
    total = sum(weights.values())
    return {points: weight / total for points, weight in weights.items()}


@cache
def _rows() -> dict[str, Mapping[str, list[float]]]:
    found: dict[str, Mapping[str, list[float]]] = json.loads(
        (files("leftbower.players") / "data" / "call_values.json").read_text(encoding="utf-8")
    )
    return found
