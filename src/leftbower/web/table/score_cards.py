"""The score shown with a four and a six: one visible pip per point."""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class ScoreCards:
    """Two cards, one on top of the other."""

    under: str
    """The lower card, whose visible pips count."""
    over: str
    """The card on top: another face, or `back`."""
    covers: int
    """Hidden pips of the lower card."""

    @property
    def transform(self) -> str:
        """SVG transform of the upper card."""
        return _TRANSFORMS[self.covers] if self.under != "back" else _TRANSFORMS[0]


_TRANSFORMS: Final = ("translate(104 0)", "translate(50 92)", "translate(0 92)", "translate(57 -3) rotate(20.6)")
"""SVG transforms by hidden pips: beside the card, over a corner, over the lower half, over all but a corner."""
_FOUR_PIPS: Final = 4
_SIX_PIPS: Final = 6


def score_cards(points: int, suit: str) -> ScoreCards:
    """The cards for a score from 0 to 10.

    Up to 4 the four under a card back, up to 6 the six under a card back, beyond that the six on top of the four.
    """
    points = min(points, _FOUR_PIPS + _SIX_PIPS)
    if points == 0:
        return ScoreCards("back", "back", 0)
    if points <= _FOUR_PIPS:
        return ScoreCards(f"4{suit}", "back", _FOUR_PIPS - points)
    if points <= _SIX_PIPS:
        return ScoreCards(f"6{suit}", "back", _SIX_PIPS - points)
    return ScoreCards(f"4{suit}", f"6{suit}", _FOUR_PIPS + _SIX_PIPS - points)
