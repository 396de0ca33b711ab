"""Counters of facts that the rules don't limit. The reducer updates them, so all processes have the same numbers."""

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Final

from leftbower.table import facts
from leftbower.table.state import Table

_PRESENCE_FACTS: Final = (
    facts.Disconnected,
    facts.Reconnected,
    facts.BotSubstituted,
    facts.TimedOut,
    facts.TableClosed,
)
"""Facts about connections, caused by the server."""
_DEAL_FACTS: Final = (
    facts.MatchOpened,
    facts.DrawDeckSealed,
    facts.DeckSealed,
    facts.CutOffered,
    facts.DeckCut,
    facts.HandDealt,
)
"""Facts of the deal, which the rules limit."""
_HOST_FACTS: Final = (
    facts.BotSeated,
    facts.BotRemoved,
    facts.TimeControlChanged,
    facts.HostChanged,
    facts.HintsChanged,
    facts.PlayerRemoved,
    facts.RulesChanged,
    facts.SeatsSwapped,
    facts.FreeChatChanged,
    facts.TempoChanged,
    facts.WatchingChanged,
)
"""Facts that only a host can cause; they don't name their author."""


def count_fact(before: Table, table: Table, fact: facts.TableFact) -> Table:
    """Return `table` with this fact counted, if it isn't an act of the hand; `before` is the table before the fact."""
    counters = table.counters
    if isinstance(fact, _PRESENCE_FACTS):
        return table.replaced(counters=replace(counters, presence=counters.presence + 1))
    if isinstance(fact, _DEAL_FACTS):
        return table.replaced(
            counters=replace(counters, presence=0, undos=0 if isinstance(fact, facts.DeckSealed) else counters.undos)
        )
    if isinstance(fact, facts.Muted) and is_spectator(before, fact.person):
        return table.replaced(counters=replace(counters, by_spectators=counters.by_spectators + 1))
    by_person = _increment(counters.by_person, _author(before, fact))
    undos = counters.undos + isinstance(fact, facts.UndoRequested)
    return table.replaced(counters=replace(counters, requests=counters.requests + 1, by_person=by_person, undos=undos))


def is_spectator(table: Table, person: str) -> bool:
    """Is this person neither seated nor the host?"""
    return person != table.host and table.seat_of(person) is None


def _author(table: Table, fact: facts.TableFact) -> str:
    return table.host if isinstance(fact, _HOST_FACTS) else getattr(fact, "person", "")


def _increment(counts: Mapping[str, int], person: str) -> Mapping[str, int]:
    return MappingProxyType({**counts, person: counts.get(person, 0) + 1})
