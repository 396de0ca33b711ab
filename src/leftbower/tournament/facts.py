"""The facts of an event: what was entered, drawn, scored, corrected and paid, and nothing that follows from it.

Every fact stands in the ledger with who brought it and when. Nothing is ever taken out: a correction is one more fact.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from leftbower.rules.choices import Choice
from leftbower.tournament.entrants import Presence
from leftbower.tournament.hall_facts import (
    ClockHeld,
    ClockSet,
    DirectorCalled,
    DirectorCame,
    HandTold,
    Joined,
    KeeperChanged,
    PaperRead,
    Published,
    RejoinAllowed,
    TableOpened,
    TakenBack,
)
from leftbower.tournament.plan import Plan, Stage
from leftbower.tournament.scores import Score
from leftbower.tournament.seating import Seating

VERSION: Final = 1
"""Of every kind of fact; a kind whose meaning changes gets a higher one."""


class Money(Choice):
    """What money is paid in for."""

    FEE = "fee"
    FINE = "fine"
    GIFT = "gift"
    """From outside, to make the pot larger."""
    REFUND = "refund"
    """Given back to an entrant."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """The event was opened."""

    plan: Plan


@dataclass(frozen=True, slots=True, kw_only=True)
class Entered:
    """A player or a team was entered."""

    entrant: str
    name: str
    players: tuple[str, ...] = ()
    school: str = ""
    house: bool = False
    single: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Renamed:
    """A name was spelled wrongly, or a team has found one."""

    entrant: str
    name: str
    players: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Teamed:
    """Two singles became a team."""

    entrant: str
    singles: tuple[str, str]
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Marked:
    """The desk saw, or heard of, an entrant."""

    entrant: str
    presence: Presence
    why: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Substituted:
    """Somebody sits in for a player from a round on, up to another; the results go to whoever is credited."""

    entrant: str
    player: str
    """Whose chair it is; of a team one of the two."""
    by: str
    """The name of whoever sits in it."""
    rounds: tuple[int, int]
    """The first and the last round."""
    credit: str = ""
    """The entrant who gets the results; empty for the one who is away."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NumbersDrawn:
    """Entrants got their numbers."""

    order: tuple[str, ...]
    seed: str = ""
    """What the lots were drawn from; empty where the order was chosen."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Paired:
    """A round was drawn."""

    round: int
    tables: tuple[Seating, ...]
    byes: tuple[str, ...] = ()
    seed: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Unpaired:
    """A round and all behind it are to be drawn again; none of them has a score."""

    round: int
    why: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class StageBegun:
    """Another stage began, with those who came so far."""

    stage: Stage


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreProposed:
    """A side told the score of its match."""

    round: int
    table: int
    side: str
    score: Score


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreConfirmed:
    """The other side said so too."""

    round: int
    table: int
    side: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreDisputed:
    """The other side said otherwise; the desk is asked."""

    round: int
    table: int
    side: str
    why: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreRuled:
    """The desk decided what was in dispute, or what nobody confirmed."""

    round: int
    table: int
    score: Score
    why: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreEntered:
    """The desk wrote a score down, from paper or from a table online."""

    round: int
    table: int
    score: Score


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreCorrected:
    """The desk put a score right."""

    round: int
    table: int
    old: Score
    new: Score
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Fined:
    """An entrant owes the pot something."""

    entrant: str
    cents: int
    why: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PaidIn:
    """Money came into the pot, or was given back out of it."""

    what: Money
    cents: int
    entrant: str = ""
    """Empty where it is a gift to the pot."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LotsDrawn:
    """Those who are level were put in order by lot."""

    order: tuple[str, ...]
    seed: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Paused:
    """Nothing is drawn or scored for a while."""

    why: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Resumed:
    """The event goes on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Closed:
    """All is played that will be played."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reopened:
    """Something was overlooked, and nothing is paid out yet."""

    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PaidOut:
    """An entrant got a prize."""

    entrant: str
    cents: int


EventFact = (
    Opened
    | Entered
    | Renamed
    | Teamed
    | Marked
    | Substituted
    | NumbersDrawn
    | Paired
    | Unpaired
    | StageBegun
    | ScoreProposed
    | ScoreConfirmed
    | ScoreDisputed
    | ScoreRuled
    | ScoreEntered
    | ScoreCorrected
    | Fined
    | PaidIn
    | LotsDrawn
    | Paused
    | Resumed
    | Closed
    | Reopened
    | PaidOut
    | HandTold
    | TakenBack
    | KeeperChanged
    | DirectorCalled
    | DirectorCame
    | PaperRead
    | ClockSet
    | ClockHeld
    | Published
    | Joined
    | RejoinAllowed
    | TableOpened
)

KINDS: Final[Mapping[str, type[EventFact]]] = {
    "opened": Opened,
    "entered": Entered,
    "renamed": Renamed,
    "teamed": Teamed,
    "marked": Marked,
    "substituted": Substituted,
    "numbers-drawn": NumbersDrawn,
    "paired": Paired,
    "unpaired": Unpaired,
    "stage-begun": StageBegun,
    "score-proposed": ScoreProposed,
    "score-confirmed": ScoreConfirmed,
    "score-disputed": ScoreDisputed,
    "score-ruled": ScoreRuled,
    "score-entered": ScoreEntered,
    "score-corrected": ScoreCorrected,
    "fined": Fined,
    "paid-in": PaidIn,
    "lots-drawn": LotsDrawn,
    "paused": Paused,
    "resumed": Resumed,
    "closed": Closed,
    "reopened": Reopened,
    "paid-out": PaidOut,
    "hand-told": HandTold,
    "taken-back": TakenBack,
    "keeper-changed": KeeperChanged,
    "director-called": DirectorCalled,
    "director-came": DirectorCame,
    "paper-read": PaperRead,
    "clock-set": ClockSet,
    "clock-held": ClockHeld,
    "published": Published,
    "joined": Joined,
    "rejoin-allowed": RejoinAllowed,
    "table-opened": TableOpened,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A line of the ledger: what happened, who brought it, and when."""

    fact: EventFact
    by: str
    """Who wrote it down; a name or an opaque id."""
    at: float
    """In seconds, by a clock that was handed in."""
    asks: str = ""
    """The entrant who asks for it; empty for the desk."""
    act: str = ""
    """The client's own name for it, if it has one: the same again is not done twice."""
