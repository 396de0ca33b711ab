"""The words between which a plan chooses; each is its spelling in ledgers, forms and commands."""

from leftbower.rules.choices import Choice


class OddNumbers(Choice):
    """What to do if entrants do not fill the tables."""

    BYES = "byes"
    THREE_HANDED = "three-handed"
    """Some tables play the club's game for three."""


class ByeValue(Choice):
    """What a round without an opponent is worth."""

    NOTHING = "nothing"
    WIN = "win"


class TieBreak(Choice):
    """What puts one entrant before another."""

    BRACKET = "bracket"
    """How far the entrant came in an elimination."""
    MATCHES = "matches"
    """Matches won; a level one is half."""
    GAMES = "games"
    """Games won."""
    POINTS = "points"
    """Points scored."""
    DIFFERENCE = "difference"
    """Points scored less points given."""
    HEAD_TO_HEAD = "head-to-head"
    """Who beat the others that are level, or lost to all of them."""
    AMONG_TIED = "among-the-tied"
    """Matches, then the difference of points, counting only matches among those who are level."""
    OPPONENTS = "opponents"
    """Matches won by the entrant's opponents."""
    LONERS = "loners"
    """Lone hands that took all five tricks."""
    DRAW = "draw"
    """A draw by lot that was recorded."""


class ScoreApproval(Choice):
    """Who must approve a reported score."""

    BOTH_SIDES = "both-sides"
    """One side proposes it, and the other confirms."""
    ONE_SIDE = "one-side"


class ExtraCategory(Choice):
    """Extra prize categories besides places."""

    LONERS = "loners"
    EUCHRES = "euchres"
    HIGH_GAME = "high-game"
    LAST = "last"
