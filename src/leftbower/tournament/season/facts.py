"""Facts of a season: evenings, who is who, divisions. Results stay in the ledgers of the evenings.

A log holds no names: players have ids, and their names are read from the evenings.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, get_args

from leftbower.tournament.season.plan import SeasonPlan

FACT_VERSION: Final = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class SeasonOpened:
    plan: SeasonPlan
    organizers: tuple[str, ...] = ()
    """The people whose lists have it, by opaque ids."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanChanged:
    plan: SeasonPlan


@dataclass(frozen=True, slots=True, kw_only=True)
class EveningAdded:
    event: str
    """The event's name at the server, or its file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TableAdded:
    """The matches of a live table count for the ratings."""

    table: str


@dataclass(frozen=True, slots=True, kw_only=True)
class EveningRemoved:
    """An evening or a table no longer counts."""

    event: str
    why: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """Who sat in a chair of an evening."""

    chair: str
    player: str
    absent: str = ""
    """The player for whom this one was a substitute all evening."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayersConfirmed:
    """The organizer confirmed who is who; a player named for the first time joins the season."""

    event: str
    identities: tuple[Identity, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerCarried:
    """A player of the season before joined, known by a chair of one of its evenings."""

    player: str
    event: str
    chair: str
    division: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class DivisionChanged:
    player: str
    division: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RatingChosen:
    """A player chose whether to be rated."""

    player: str
    rated: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerErased:
    """A player's name is no longer shown anywhere in the season, and there is no rating."""

    player: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayoffsStarted:
    """The best play off in an event; empty if it was called off."""

    event: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SeasonClosed:
    """The season is over."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SeasonReopened:
    why: str = ""


SeasonFact = (
    SeasonOpened
    | PlanChanged
    | EveningAdded
    | TableAdded
    | EveningRemoved
    | PlayersConfirmed
    | PlayerCarried
    | DivisionChanged
    | RatingChosen
    | PlayerErased
    | PlayoffsStarted
    | SeasonClosed
    | SeasonReopened
)
FACT_KINDS: Final[Mapping[str, type[SeasonFact]]] = {
    re.sub(r"\B(?=[A-Z])", "-", kind.__name__).lower(): kind for kind in get_args(SeasonFact)
}
"""Fact classes by their name in logs: `evening-added` is `EveningAdded`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SeasonEntry:
    """A line of a season's log: fact, author and time."""

    fact: SeasonFact
    by: str
    at: float
    """Seconds since 1970."""
