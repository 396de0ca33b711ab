"""Rule sets one change away from another: every word of every option, and a few of the numbers."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from leftbower.errors import ImpossibleRules
from leftbower.rules import HouseRules, options
from leftbower.rules.options import Amounts, Number, OneOf


def near(start: HouseRules) -> Iterator[HouseRules]:
    """Every valid rule set at most one option away from `start`."""
    yield start
    for name, option in options().items():
        values: Any = (False, True)
        match option.domain:
            case OneOf(choices=choices):
                values = choices
            case Number(allowed=allowed):
                values = {*allowed[:3], option.default + 1, allowed[-1]} & set(allowed)
            case Amounts():
                values = ((), (5,), (75, 50, 25))
        for value in values:
            try:
                yield replace(start, **{name: value})
            except ImpossibleRules:
                continue
