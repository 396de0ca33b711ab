"""Counts of partners, opponents, tables and byes, used by formats and audits."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from leftbower.tournament.model.seating import Pairings, Round

Pair = frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Meetings:
    partners: Counter[Pair]
    opponents: Counter[Pair]
    byes: Counter[str]
    tables: Counter[tuple[str, int]]
    """Times each entrant sat at each table."""
    played: Counter[str]
    """Rounds played by each entrant."""


def meetings(rounds: Iterable[Round | Pairings]) -> Meetings:
    counts = Meetings(partners=Counter(), opponents=Counter(), byes=Counter(), tables=Counter(), played=Counter())
    for round_ in rounds:
        counts.byes.update(round_.byes)
        for seating in round_.tables:
            counts.partners.update(seating.partners())
            counts.opponents.update(seating.opponents())
            counts.tables.update((entrant, seating.table) for entrant in seating.entrants)
            counts.played.update(seating.entrants)
    return counts
