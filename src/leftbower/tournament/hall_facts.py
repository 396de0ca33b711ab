"""The facts of a hall while it plays: hands told at the tables, calls for the director, the clock, what is shown."""

from dataclasses import dataclass

from leftbower.tournament.scores import Hand, Score


@dataclass(frozen=True, slots=True, kw_only=True)
class HandTold:
    """The side that keeps the score told how a hand ended."""

    round: int
    table: int
    side: str
    hand: Hand


@dataclass(frozen=True, slots=True, kw_only=True)
class TakenBack:
    """A side took back the score it had told or, where it had told none, the last hand."""

    round: int
    table: int
    side: str


@dataclass(frozen=True, slots=True, kw_only=True)
class KeeperChanged:
    """Another side keeps the score of a table from now on."""

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
class DirectorCame:
    """The director was at the table."""

    round: int
    table: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PaperRead:
    """The desk read the score on a sheet of paper that both sides had signed."""

    round: int
    table: int
    score: Score


@dataclass(frozen=True, slots=True, kw_only=True)
class ClockSet:
    """A round has so long from now on; no time at all takes the clock away."""

    seconds: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ClockHeld:
    """The clock was stopped for a while, or went on."""

    held: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Published:
    """What everybody may see was changed."""

    page: bool
    """Has the event a page for everybody?"""
    standings: bool
    """Are the standings shown, there and on the wall?"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Joined:
    """A person is at a screen of their own as a player of an event online."""

    entrant: str
    chair: int
    """0, or 1 for the second player of a team."""
    person: str
    """An opaque id."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RejoinAllowed:
    """The desk let a player join from another device, which gets the seat with the next match."""

    entrant: str
    chair: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TableOpened:
    """A table was opened online for a match."""

    round: int
    table: int
    log: str
    """Its name at the house."""
