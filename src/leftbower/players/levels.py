"""Levels: skill is layouts, memory and a steady hand; how boldly a bot calls is separate."""

from dataclasses import dataclass
from enum import Enum
from typing import Final


class Temper(Enum):
    """How boldly a bot calls: how many points a call may be worth less than a pass and still be made."""

    CAUTIOUS = ("cautious", -0.25)
    EVEN = ("even", 0.0)
    BOLD = ("bold", 0.25)

    def __init__(self, word: str, eager: float) -> None:
        self.word, self.eager = word, eager


@dataclass(frozen=True, slots=True, kw_only=True)
class Skill:
    """The settings that make one bot different from another."""

    name: str
    layouts: int
    """Layouts sampled per decision; a fixed amount of work on any machine."""
    weighs_calls: bool = False
    """Does it weight layouts by what the others called and passed?"""
    slips: float = 0.0
    """Standard deviation of the noise added to its values, in points."""
    in_points: bool = True
    """Does it count points, or win probability at this score?"""
    fitted: bool = False
    """Does it use fitted values of calls and passes, if there are any for the game?"""
    rollouts: int = 0
    """Layouts in which quick bots finish the bidding, to value a pass without a fitted model."""
    threshold: float = 0.0
    """How many points more than a pass a call must be worth."""
    notice_probability: float = 0.0
    """Probability of calling an irregularity that face-up cards prove."""


BASELINE: Final = Skill(name="baseline", layouts=100, threshold=0.2)
"""The yardstick for the others: unweighted layouts, plain thresholds on solved values. Never changed."""
QUICK: Final = Skill(name="quick", layouts=6, threshold=0.2)
"""The bot that plays rollouts inside other bots."""
NOVICE: Final = Skill(name="novice", layouts=8, slips=0.4, threshold=0.3, notice_probability=0.2)
REGULAR: Final = Skill(
    name="regular", layouts=40, slips=0.12, weighs_calls=True, fitted=True, rollouts=16, notice_probability=0.6
)
EXPERT: Final = Skill(
    name="expert", layouts=300, weighs_calls=True, fitted=True, rollouts=48, in_points=False, notice_probability=0.95
)
