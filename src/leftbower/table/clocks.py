"""Clocks: how long a person may think over each decision, and the time bank for hard ones; and how long bots take.

No clock reads the time. A fact says how many seconds a decision took, as the house that asked for it measured; so an
outage of the house, or a clock that is set, costs nobody anything.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final


class Clock(StrEnum):
    """How a table keeps time."""

    OFF = "off"
    RELAXED = "relaxed"
    QUICK = "quick"


class Tempo(StrEnum):
    """How much time bots take over what they do."""

    SLOW = "slow"
    STEADY = "steady"
    BRISK = "brisk"

    @property
    def times(self) -> float:
        """How many times as long as the house has them take."""
        return {Tempo.SLOW: 2.0, Tempo.STEADY: 1.0, Tempo.BRISK: 0.35}[self]


@dataclass(frozen=True, slots=True)
class Allowance:
    """Seconds a person has."""

    each: float
    """For every decision; what is left of it is lost."""
    bank: float
    """For all decisions of a match together, where that is not enough."""


ALLOWANCES: Final = {Clock.RELAXED: Allowance(each=30.0, bank=180.0), Clock.QUICK: Allowance(each=10.0, bank=40.0)}


def left_after(clock: Clock, bank: float, spent: float) -> float:
    """What is left in the bank after a decision that took so long."""
    return bank if clock is Clock.OFF else max(0.0, round(bank - max(0.0, spent - ALLOWANCES[clock].each), 3))
