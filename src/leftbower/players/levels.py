"""Levels: how well a bot plays. Skill is layouts, memory and a steady hand; how boldly it calls is another matter."""

from dataclasses import dataclass
from enum import Enum
from typing import Final


class Temper(Enum):
    """How boldly a bot calls: what a call may be worth less than a pass and still be made, in points."""

    CAUTIOUS = ("cautious", -0.25)
    EVEN = ("even", 0.0)
    BOLD = ("bold", 0.25)

    def __init__(self, word: str, eager: float) -> None:
        self.word, self.eager = word, eager


@dataclass(frozen=True, slots=True, kw_only=True)
class Skill:
    """What sets one bot apart from another."""

    name: str
    layouts: int
    """How many layouts it imagines for each decision; its work, whatever the machine."""
    hunches: bool = False
    """Does it think of what the others called and passed?"""
    slips: float = 0.0
    """How far off its judgement of any choice is, in points, as a standard deviation."""
    in_points: bool = True
    """Does it count points, or its chance to win the game at this score?"""
    fitted: bool = False
    """Does it know what calls and passes have been worth, where such hands were played?"""
    playouts: int = 0
    """In how many layouts quick bots call on in its thoughts, to tell what a pass is worth where nothing is fitted."""
    threshold: float = 0.0
    """What a call must be worth, in points, to be preferred to a pass."""
    notices: float = 0.0
    """How often it calls an irregularity that the cards on the table prove."""


BASELINE: Final = Skill(name="baseline", layouts=100, threshold=0.2)
"""The measure of the others: layouts as they fall, plain thresholds on solved values. Never changed."""
QUICK: Final = Skill(name="quick", layouts=6, threshold=0.2)
"""Whoever calls on in another bot's thoughts."""
NOVICE: Final = Skill(name="novice", layouts=8, slips=0.4, threshold=0.3, notices=0.2)
REGULAR: Final = Skill(name="regular", layouts=40, slips=0.12, hunches=True, fitted=True, playouts=16, notices=0.6)
EXPERT: Final = Skill(name="expert", layouts=300, hunches=True, fitted=True, playouts=48, in_points=False, notices=0.95)
