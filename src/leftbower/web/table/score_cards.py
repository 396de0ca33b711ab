"""The score kept with a four and a six: so many pips lie open as there are points."""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class ScoreCards:
    """Two cards one upon the other, as somebody lays them who keeps the score so."""

    under: str
    """The card that is counted, or in part."""
    over: str
    """The card upon it: another face, or `back`."""
    covers: int
    """How many pips of the card under it are hidden."""

    @property
    def transform(self) -> str:
        """Where the upper card lies, as SVG puts it."""
        return _TRANSFORMS[self.covers] if self.under != "back" else _TRANSFORMS[0]


_TRANSFORMS: Final = ("translate(104 0)", "translate(50 92)", "translate(0 92)", "translate(57 -3) rotate(20.6)")
"""Beside the other; upon its last corner; upon its lower half; aslant, so that one corner is left."""
_FOUR_PIPS: Final = 4
_SIX_PIPS: Final = 6


def score_cards(points: int, suit: str) -> ScoreCards:
    """How a score from 0 to 10 is laid.

    Up to four it is the four, up to six the six, both under the other card's back; beyond, the six lies upon the four.
    """
    points = min(points, _FOUR_PIPS + _SIX_PIPS)
    if points == 0:
        return ScoreCards("back", "back", 0)
    if points <= _FOUR_PIPS:
        return ScoreCards(f"4{suit}", "back", _FOUR_PIPS - points)
    if points <= _SIX_PIPS:
        return ScoreCards(f"6{suit}", "back", _SIX_PIPS - points)
    return ScoreCards(f"4{suit}", f"6{suit}", _FOUR_PIPS + _SIX_PIPS - points)
