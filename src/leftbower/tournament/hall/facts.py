"""Facts of a hall during play: reported hands, director calls, the round clock, visibility."""

from dataclasses import dataclass

from leftbower.tournament.model.table_map import FactAtTable, FactBySide
from leftbower.tournament.scoring.scores import ReportedHand, Score


@dataclass(frozen=True, slots=True, kw_only=True)
class HandReported(FactBySide):
    """The scoring side reported how a hand ended."""

    hand: ReportedHand


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportWithdrawn(FactBySide):
    """A side withdrew the score it proposed or, without one, the last reported hand."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScorerChanged(FactBySide):
    """Another side took over as scorer of a table."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DirectorCalled(FactBySide):
    """A side asked for the director."""

    why: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class DirectorArrived(FactAtTable):
    """The director came to the table."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PaperScoreEntered(FactAtTable):
    """The desk entered the score of a signed score sheet."""

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
    public_page: bool
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
    """The desk let a player join from another device, which takes the seat in the next match."""

    entrant: str
    chair: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TableOpened(FactAtTable):
    """An online table was opened for a match."""

    log: str
    """Id of the table's log."""


HallFact = (
    HandReported
    | ReportWithdrawn
    | ScorerChanged
    | DirectorCalled
    | DirectorArrived
    | PaperScoreEntered
    | RoundClockSet
    | RoundClockPaused
    | VisibilityChanged
    | PlayerJoined
    | RejoinAllowed
    | TableOpened
)
