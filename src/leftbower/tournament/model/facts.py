"""Facts of an event: entries, draws, scores, corrections, payments; nothing derived.

Each ledger line has an author and a time. Lines are never removed: a correction is another fact.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from leftbower.codec import kinds_by_name
from leftbower.rules.choices import Choice
from leftbower.tournament.entry.facts import EntryFact
from leftbower.tournament.hall.facts import HallFact
from leftbower.tournament.model.entrants import EntrantPresence
from leftbower.tournament.model.plan import EventPlan, Stage
from leftbower.tournament.model.seating import Seating
from leftbower.tournament.model.table_map import FactAtTable, FactBySide
from leftbower.tournament.scoring.scores import Score

FACT_VERSION: Final = 1
"""Version of every kind of fact; raise it for a kind whose meaning changes."""


class PaymentKind(Choice):
    FEE = "fee"
    FINE = "fine"
    GIFT = "gift"
    """Added to the pot from outside."""
    REFUND = "refund"
    """Given back to an entrant."""
    WAIVER = "waiver"
    """An entrant need not pay it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EventOpened:
    plan: EventPlan


@dataclass(frozen=True, slots=True, kw_only=True)
class EntrantAdded:
    entrant: str
    name: str
    players: tuple[str, ...] = ()
    school: str = ""
    house_player: bool = False
    single: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class EntrantRenamed:
    entrant: str
    name: str
    players: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class TeamFormed:
    """Two singles became a team."""

    entrant: str
    singles: tuple[str, str]
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PresenceMarked:
    entrant: str
    presence: EntrantPresence
    why: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class EntrantStruck:
    """An entrant left the standings, a team with its results; or came back to them."""

    entrant: str
    struck: bool = True
    why: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Substituted:
    """A substitute plays for a player in some rounds; the results go to the credited entrant."""

    entrant: str
    player: str
    """The player being replaced; for a team, one of its two."""
    substitute: str
    rounds: tuple[int, int]
    """First and last round, inclusive."""
    credit: str = ""
    """The entrant who gets the results; empty for the absent entrant."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SeedsDrawn:
    """Entrants got their numbers, by lot or in order of entry."""

    order: tuple[str, ...]
    seed: str = ""
    """The seed of the shuffle; empty if the order was chosen."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundDrawn:
    round: int
    tables: tuple[Seating, ...]
    byes: tuple[str, ...] = ()
    seed: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawDiscarded:
    """A round and all later ones, none with a score, were discarded to be drawn again."""

    round: int
    why: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class StageStarted:
    """A later stage started with its finalists."""

    stage: Stage


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreProposed(FactBySide):
    """A side proposed the score of its match."""

    score: Score


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreConfirmed(FactBySide):
    """The other side confirmed the score."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreDisputed(FactBySide):
    """The other side disputed the score; the desk decides."""

    why: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreRuled(FactAtTable):
    """The desk ruled on a disputed or unconfirmed score."""

    score: Score
    why: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreEntered(FactAtTable):
    """A score was entered by the desk or by an online table."""

    score: Score


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreCorrected(FactAtTable):
    """The desk corrected a score."""

    old: Score
    new: Score
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class EntrantFined:
    entrant: str
    cents: int
    why: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PaymentRecorded:
    """A fee, fine or gift was paid, or a refund given."""

    kind: PaymentKind
    cents: int
    entrant: str = ""
    """Empty for a gift."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TieDrawn:
    """A tie was broken by lot."""

    order: tuple[str, ...]
    seed: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class EventPaused:
    """The event was paused: no draws or scores."""

    why: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class EventResumed:
    """The event was resumed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EventClosed:
    """The event was closed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EventReopened:
    """The event was reopened before any payout."""

    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PrizePaid:
    entrant: str
    cents: int


EventFact = (
    EventOpened
    | EntrantAdded
    | EntrantRenamed
    | TeamFormed
    | PresenceMarked
    | EntrantStruck
    | Substituted
    | SeedsDrawn
    | RoundDrawn
    | DrawDiscarded
    | StageStarted
    | ScoreProposed
    | ScoreConfirmed
    | ScoreDisputed
    | ScoreRuled
    | ScoreEntered
    | ScoreCorrected
    | EntrantFined
    | PaymentRecorded
    | TieDrawn
    | EventPaused
    | EventResumed
    | EventClosed
    | EventReopened
    | PrizePaid
    | EntryFact
    | HallFact
)

FACT_KINDS: Final[Mapping[str, type[EventFact]]] = kinds_by_name(EventFact)
"""Fact classes by their name in ledgers: `score-entered` is `ScoreEntered`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerEntry:
    """A line of the ledger: fact, author and time."""

    fact: EventFact
    by: str
    """The author: a role or an opaque id."""
    at: float
    """Seconds since 1970."""
    requested_by: str = ""
    """The entrant who requested it; empty for the desk."""
    request_id: str = ""
    """The client's idempotency key, if any."""
