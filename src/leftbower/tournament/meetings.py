"""Who has played with whom, against whom, at which table, and who sat out: what formats and audits count."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from leftbower.tournament.seating import Draw, Round

Pair = frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Meetings:
    """What some rounds have brought about."""

    partners: Counter[Pair]
    opponents: Counter[Pair]
    byes: Counter[str]
    tables: Counter[tuple[str, int]]
    """How often an entrant sat at a table."""
    played: Counter[str]
    """How many rounds an entrant played."""


def meetings(rounds: Iterable[Round | Draw]) -> Meetings:
    """Everything these rounds bring about."""
    found = Meetings(partners=Counter(), opponents=Counter(), byes=Counter(), tables=Counter(), played=Counter())
    for one in rounds:
        found.byes.update(one.byes)
        for seating in one.tables:
            found.partners.update(seating.partners())
            found.opponents.update(seating.opponents())
            found.tables.update((entrant, seating.table) for entrant in seating.entrants)
            found.played.update(seating.entrants)
    return found
