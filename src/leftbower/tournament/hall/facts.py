"""Facts of a hall during play: reported hands, director calls, the round clock, visibility."""

from dataclasses import dataclass

from leftbower.tournament.scoring.scores import ReportedHand, Score


@dataclass(frozen=True, slots=True, kw_only=True)
class HandReported:
    """The scoring side reported how a hand ended."""

    round: int
    table: int
    side: str
    hand: ReportedHand


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportWithdrawn:
    """A side withdrew the score it proposed or, without one, the last reported hand."""

    round: int
    table: int
    side: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ScorerChanged:
    """Another side keeps the score of a table."""

    round: int
    table: int
    side: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DirectorCalled:
    """A side asked for the director."""

    round: int
    table: int
    side: str
    why: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class DirectorArrived:
    """The director came to the table."""

    round: int
    table: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PaperScoreEntered:
    """The desk entered the score of a signed score sheet."""

    round: int
    table: int
    score: Score


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundClockSet:
    """The round clock was set to a duration; 0 removes it."""

    seconds: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundClockPaused:
    """The round clock was paused or resumed."""

    paused: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class VisibilityChanged:
    """What the public can see was changed."""

    public_page: bool
    """Does the event have a public page?"""
    show_standings: bool
    """Are standings shown on the public page and the wall?"""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerJoined:
    """A person joined an online event as a player."""

    entrant: str
    chair: int
    """0, or 1 for the second player of a team."""
    person: str
    """An opaque id."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RejoinAllowed:
    """The desk let a player join from another device, which gets the seat in the next match."""

    entrant: str
    chair: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TableOpened:
    """An online table was opened for a match."""

    round: int
    table: int
    log: str
    """The id of the table's log."""
