"""Enums for plan settings; each value is its spelling in ledgers, forms and commands."""

from leftbower.rules.choices import Choice


class OddNumbers(Choice):
    """How to seat entrants who don't fill the tables."""

    BYES = "byes"
    THREE_HANDED = "three-handed"
    """Some tables play the club's three-handed game."""


class ByeValue(Choice):
    """Value of a bye."""

    NOTHING = "nothing"
    WIN = "win"


class TieBreak(Choice):
    """Criteria that rank entrants."""

    BRACKET = "bracket"
    """How far the entrant got in an elimination."""
    MATCHES = "matches"
    """Matches won; a tie counts half."""
    GAMES = "games"
    POINTS = "points"
    POINTS_PER_ROUND = "points-per-round"
    """Points divided by the rounds played, so that a bye costs nothing."""
    DIFFERENCE = "difference"
    """Points scored minus points allowed."""
    HEAD_TO_HEAD = "head-to-head"
    """The tied entrant who beat all the others is first; the one who lost to all is last."""
    AMONG_TIED = "among-the-tied"
    """Matches, then point difference, counting only matches among the tied."""
    OPPONENTS = "opponents"
    """Matches won by the entrant's opponents."""
    LONERS = "loners"
    """Lone hands that took all five tricks."""
    DRAW = "draw"
    """A recorded draw by lot."""


class ScoreApproval(Choice):
    """Who must approve a reported score."""

    BOTH_SIDES = "both-sides"
    """One side proposes the score, the other confirms it."""
    ONE_SIDE = "one-side"


class ExtraCategory(Choice):
    """Prize categories besides places."""

    LONERS = "loners"
    EUCHRES = "euchres"
    HIGH_GAME = "high-game"
    LAST = "last"
