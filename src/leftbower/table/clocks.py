"""Time controls: seconds per decision and a time bank for people, and how long bots take.

Nothing here reads a clock. A fact says how many seconds a decision took, as the server measured it, so neither an
outage nor a change of the system time costs a player anything.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final


class TimeControl(StrEnum):
    """How long people may take to decide."""

    OFF = "off"
    RELAXED = "relaxed"
    QUICK = "quick"


class Tempo(StrEnum):
    """How long bots take to act."""

    SLOW = "slow"
    STEADY = "steady"
    BRISK = "brisk"


@dataclass(frozen=True, slots=True)
class TimeAllowance:
    """Seconds that a person has."""

    per_decision: float
    """Seconds for each decision; unused ones are lost."""
    bank: float
    """Seconds for all decisions of a match together, on top of `per_decision`."""


DELAY_FACTORS: Final = {Tempo.SLOW: 2.0, Tempo.STEADY: 1.0, Tempo.BRISK: 0.35}
"""Multipliers of the server's bot delay."""
TIME_ALLOWANCES: Final = {
    TimeControl.RELAXED: TimeAllowance(per_decision=30.0, bank=180.0),
    TimeControl.QUICK: TimeAllowance(per_decision=10.0, bank=40.0),
}


def bank_after(clock: TimeControl, bank: float, spent: float) -> float:
    """Return the seconds left in the time bank after a decision that took `spent` seconds."""
    return max(0.0, round(bank - max(0.0, spent - TIME_ALLOWANCES[clock].per_decision), 3))
