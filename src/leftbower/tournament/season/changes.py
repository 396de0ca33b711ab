"""Late corrections: what a corrected score of an earlier evening changes in the standings now."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise

from leftbower.tournament.model.facts import LedgerEntry, ScoreCorrected
from leftbower.tournament.model.state import Event, Settled
from leftbower.tournament.season.standings import season_standings
from leftbower.tournament.season.view import SeasonView
from leftbower.tournament.text.display import format_score

MAX_CHANGES = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class LateCorrection:
    """A score corrected after the next evening was added."""

    evening: int
    round: int
    table: int
    old: str
    new: str
    why: str
    at: float
    is_news: bool
    """Was it made since the last evening but one?"""
    totals: tuple[tuple[str, Fraction], ...]
    """Names, and the points they won or lost by it."""


def late_corrections(view: SeasonView) -> tuple[LateCorrection, ...]:
    """The latest corrections, newest first."""
    entries = sorted(_entries(view), key=lambda found: found[1].at, reverse=True)[:MAX_CHANGES]
    return tuple(_describe(view, number, entry, fact) for number, entry, fact in entries)


def _entries(view: SeasonView) -> Iterator[tuple[int, LedgerEntry, ScoreCorrected]]:
    evenings = view.season.evenings
    for number, (evening, following) in enumerate(pairwise(evenings), 1):
        event = view.events.get(evening.event)
        for entry in event.corrections if event is not None else ():
            if entry.at >= following.added_at and isinstance(entry.fact, ScoreCorrected):
                yield number, entry, entry.fact


def _describe(view: SeasonView, number: int, entry: LedgerEntry, fact: ScoreCorrected) -> LateCorrection:
    evenings = view.season.evenings
    event = view.events[evenings[number - 1].event]
    seating = event.seating(*fact.key)
    before = replace(event, score_states=event.score_states.put(fact.key, Settled(score=fact.old)))
    after = replace(event, score_states=event.score_states.put(fact.key, Settled(score=fact.new)))
    old, new = (_totals(view, evenings[number - 1].event, version) for version in (before, after))
    return LateCorrection(
        evening=number,
        round=fact.round,
        table=fact.table,
        old=format_score(event, seating, fact.old),
        new=format_score(event, seating, fact.new),
        why=fact.why,
        at=entry.at,
        is_news=entry.at >= evenings[-2].added_at,
        totals=tuple(
            (view.names[player], new[player] - old.get(player, Fraction(0)))
            for player in new
            if new[player] != old.get(player)
        ),
    )


def _totals(view: SeasonView, name: str, event: Event) -> dict[str, Fraction]:
    """Totals of all players, with another version of one event."""
    return {line.player: line.total for line in season_standings(view.with_event(name, event))}
