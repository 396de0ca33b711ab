"""Counts of partners, opponents, tables and byes, used by formats and audits."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from leftbower.tournament.model.seating import Pairings, Round

Pair = frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Meetings:
    partners: Counter[Pair] = field(default_factory=Counter)
    opponents: Counter[Pair] = field(default_factory=Counter)
    byes: Counter[str] = field(default_factory=Counter)
    tables: Counter[tuple[str, int]] = field(default_factory=Counter)
    """Times each entrant sat at each table."""
    played: Counter[str] = field(default_factory=Counter)
    """Rounds played by each entrant."""
    rounds: int = 0

    def sat_out(self, entrant: str) -> int:
        """Rounds an entrant did not play: byes, and rounds missed before coming or while away."""
        return self.rounds - self.played[entrant]


def meetings(rounds: Iterable[Round | Pairings], base: Meetings | None = None) -> Meetings:
    """Count the rounds, after those of `base`."""
    drawn = tuple(rounds)
    counts = Meetings(rounds=len(drawn) + (base.rounds if base else 0))
    for round_ in drawn:
        add_round(counts, round_, 1)
    if base:
        for name in ("partners", "opponents", "byes", "tables", "played"):
            getattr(counts, name).update(getattr(base, name))
    return counts


def add_round(counts: Meetings, round_: Round | Pairings, times: int) -> None:
    """Add a round to the counts, or take it back with -1."""
    for entrant in round_.byes:
        counts.byes[entrant] += times
    for seating in round_.tables:
        for pair in seating.partners():
            counts.partners[pair] += times
        for pair in seating.opponents():
            counts.opponents[pair] += times
        for entrant in seating.entrants:
            counts.tables[entrant, seating.table] += times
            counts.played[entrant] += times
