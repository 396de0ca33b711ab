"""Counts of the facts that no rule of the game bounds, kept by the fold: every process has the same numbers."""

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Final

from leftbower.table.facts import (
    BotSat,
    Cleared,
    ClockSet,
    Closed,
    Covered,
    CutMade,
    CutOffered,
    Dealt,
    Drawn,
    Dropped,
    HandedOver,
    HintsSet,
    MatchOpened,
    Muted,
    Removed,
    Returned,
    RulesChanged,
    Sealed,
    Swapped,
    TableFact,
    TalkSet,
    TempoSet,
    TimedOut,
    UndoAsked,
)
from leftbower.table.model import Table

_PRESENCE: Final = (Dropped, Returned, Covered, TimedOut, Closed)
"""Facts of the house about who is there."""
_DEALING: Final = (MatchOpened, Drawn, Sealed, CutOffered, CutMade, Dealt)
"""Facts of the deal, which the rules bound."""
_OF_HOST: Final = (
    BotSat,
    Cleared,
    ClockSet,
    HandedOver,
    HintsSet,
    Removed,
    RulesChanged,
    Swapped,
    TalkSet,
    TempoSet,
)
"""Requests that only a host makes: the fact does not name its author."""


def counted(before: Table, table: Table, fact: TableFact) -> Table:
    """The table after one more fact, other than an act of the hand, with that fact counted."""
    counters = table.counters
    if isinstance(fact, _PRESENCE):
        return table.but(counters=replace(counters, presence=counters.presence + 1))
    if isinstance(fact, _DEALING):
        return table.but(
            counters=replace(counters, presence=0, undos=0 if isinstance(fact, Sealed) else counters.undos)
        )
    if isinstance(fact, Muted) and is_spectator(before, fact.person):
        return table.but(counters=replace(counters, by_spectators=counters.by_spectators + 1))
    by_person = _one_more(counters.by_person, _author(before, fact))
    undos = counters.undos + isinstance(fact, UndoAsked)
    return table.but(counters=replace(counters, requests=counters.requests + 1, by_person=by_person, undos=undos))


def is_spectator(table: Table, person: str) -> bool:
    """Has this person neither a seat nor the table?"""
    return person != table.host and table.seat_of(person) is None


def _author(table: Table, fact: TableFact) -> str:
    return table.host if isinstance(fact, _OF_HOST) else getattr(fact, "person", "")


def _one_more(counts: Mapping[str, int], person: str) -> Mapping[str, int]:
    return MappingProxyType({**counts, person: counts.get(person, 0) + 1})
