"""The score kept with a four and a six: so many pips lie open as there are points."""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Tally:
    """Two cards one upon the other, as somebody lays them who keeps the score so."""

    under: str
    """The card that is counted, or in part."""
    over: str
    """The card upon it: another face, or `back`."""
    covers: int
    """How many pips of the card under it are hidden."""

    @property
    def laid(self) -> str:
        """Where the upper card lies, as SVG puts it."""
        return _LAID[self.covers] if self.under != "back" else _LAID[0]


_LAID: Final = ("translate(104 0)", "translate(50 92)", "translate(0 92)", "translate(57 -3) rotate(20.6)")
"""Beside the other; upon its last corner; upon its lower half; aslant, so that one corner is left."""
_HALF: Final = 4
_MOST: Final = 6


def tally(points: int, suit: str) -> Tally:
    """How a score from 0 to 10 is laid.

    Up to four it is the four, up to six the six, both under the other card's back; beyond, the six lies upon the four.
    """
    points = min(points, _HALF + _MOST)
    if points == 0:
        return Tally("back", "back", 0)
    if points <= _HALF:
        return Tally(f"4{suit}", "back", _HALF - points)
    if points <= _MOST:
        return Tally(f"6{suit}", "back", _MOST - points)
    return Tally(f"4{suit}", f"6{suit}", _HALF + _MOST - points)
