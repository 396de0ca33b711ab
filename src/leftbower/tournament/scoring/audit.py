"""Fairness audit: counts of meetings, tables and byes, and avoidable repeats."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from leftbower.tournament.formats.meetings import Meetings, Pair, meetings
from leftbower.tournament.model.seating import Pairings, Round
from leftbower.tournament.model.state import Event


@dataclass(frozen=True, slots=True, kw_only=True)
class Spread:
    """How often something happened: to how many pairs, or entrants, each number of times."""

    times: Mapping[int, int]

    @property
    def least(self) -> int:
        return min(self.times, default=0)

    @property
    def most(self) -> int:
        return max(self.times, default=0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Audit:
    entrants: int
    rounds: int
    singles: bool
    """Do partners change?"""
    partners: Spread
    opponents: Spread
    byes: Spread
    tables: Spread
    """How often an entrant sat at the table where it sat most."""
    partner_repeats: tuple[tuple[Pair, int], ...]
    opponent_repeats: tuple[tuple[Pair, int], ...]
    """Every two who met more often than they had to: teams more than once, single players more than twice."""
    first_repeat: int
    """The first round in which two meet again, as partners or as opponents; 0 if none do."""
    meetings: Meetings

    @property
    def perfect(self) -> bool:
        """Did every pair partner once and meet twice; for teams, did every pair meet once?"""
        wanted = 2 if self.singles else 1
        partners = not self.singles or (self.partners.least, self.partners.most) == (1, 1)
        return partners and (self.opponents.least, self.opponents.most) == (wanted, wanted) and self.fair_byes

    @property
    def fair_byes(self) -> bool:
        """Do byes differ by at most one?"""
        return self.byes.most - self.byes.least <= 1

    @property
    def free_of_repeats(self) -> bool:
        """Is nothing repeated that need not be?"""
        return not self.partner_repeats and not self.opponent_repeats


def audit(rounds: Sequence[Round | Pairings], entrants: Iterable[str], *, singles: bool) -> Audit:
    ids = tuple(entrants)
    met = meetings(rounds)
    most_at_one = _most_at_one(met)
    allowed = 2 if singles else 1
    return Audit(
        entrants=len(ids),
        rounds=len(rounds),
        singles=singles,
        partners=_pair_spread(ids, met.partners if singles else Counter()),
        opponents=_pair_spread(ids, met.opponents),
        byes=Spread(times=dict(Counter(met.byes[entrant] for entrant in ids))),
        tables=Spread(times=dict(Counter(most_at_one.get(entrant, 0) for entrant in ids))),
        partner_repeats=_repeated_pairs(met.partners, 1),
        opponent_repeats=_repeated_pairs(met.opponents, allowed),
        first_repeat=_first_repeat(rounds),
        meetings=met,
    )


def audit_event(event: Event) -> Audit:
    """Audit all rounds of an event, for the entrants that were drawn."""
    drawn = {entrant for round_ in event.rounds for seating in round_.tables for entrant in seating.entrants}
    drawn |= {entrant for round_ in event.rounds for entrant in round_.byes}
    entrants = [entrant for entrant in event.entrants if entrant in drawn]
    return audit(event.rounds, entrants, singles=event.plan.stage.singles)


def _pair_spread(entrants: Sequence[str], counted: Mapping[Pair, int]) -> Spread:
    every = (frozenset((first, second)) for index, first in enumerate(entrants) for second in entrants[:index])
    return Spread(times=dict(sorted(Counter(counted.get(pair, 0) for pair in every).items())))


def _most_at_one(met: Meetings) -> dict[str, int]:
    """How often each entrant sat at the table where it sat most, in one pass over all tables."""
    most: dict[str, int] = {}
    for (entrant, _), count in met.tables.items():
        most[entrant] = max(count, most.get(entrant, 0))
    return most


def _repeated_pairs(counted: Mapping[Pair, int], allowed: int) -> tuple[tuple[Pair, int], ...]:
    repeated = [(pair, count) for pair, count in counted.items() if count > allowed]
    return tuple(sorted(repeated, key=lambda item: (-item[1], sorted(item[0]))))


def _first_repeat(rounds: Sequence[Round | Pairings]) -> int:
    partners: set[Pair] = set()
    opponents: set[Pair] = set()
    for number, round_ in enumerate(rounds, 1):
        beside = {pair for seating in round_.tables for pair in seating.partners()}
        against = {pair for seating in round_.tables for pair in seating.opponents()}
        if partners & beside or opponents & against:
            return number
        partners |= beside
        opponents |= against
    return 0


def describe_audit(audit: Audit, names: Mapping[str, str]) -> Iterator[str]:
    """The audit in sentences, the verdict first."""
    noun = "players" if audit.singles else "teams"
    yield f"{audit.entrants} {noun}, {audit.rounds} round{'s' * (audit.rounds != 1)}: {_verdict(audit)}"
    if audit.singles:
        yield f"Partners: {_describe_spread(audit.partners, 'pairs')}."
    yield f"Opponents: {_describe_spread(audit.opponents, 'pairs')}."
    if audit.first_repeat:
        yield f"The first to meet again do so in round {audit.first_repeat}."
    else:
        yield "Nobody meets anybody again."
    yield f"Byes: {_describe_spread(audit.byes, noun)}."
    yield f"Most rounds at one table: {audit.tables.most}."
    for relation, repeats in (("partners", audit.partner_repeats), ("opponents", audit.opponent_repeats)):
        if repeats:
            listed = [
                f"{' and '.join(sorted(names[entrant] for entrant in pair))} {count} times"
                for pair, count in repeats[:12]
            ]
            more = f", and {len(repeats) - 12} more" if len(repeats) > 12 else ""
            yield f"Too often {relation}: {', '.join(listed)}{more}."


def _verdict(audit: Audit) -> str:
    if audit.perfect:
        return (
            "perfect: everyone partners everyone once and opposes everyone twice."
            if audit.singles
            else "perfect: every two meet once."
        )
    if audit.free_of_repeats:
        return (
            "nobody partners anybody twice, nor opposes anybody more than twice."
            if audit.singles
            else "nobody meets anybody twice."
        )
    repeated = len(audit.partner_repeats) + len(audit.opponent_repeats)
    return f"{repeated} pair{'s' * (repeated != 1)} meet more often than they should."


def _describe_spread(spread: Spread, noun: str) -> str:
    parts = [f"{count} {noun} {_times(times)}" for times, count in sorted(spread.times.items())]
    return ", ".join(parts) or f"no {noun}"


def _times(times: int) -> str:
    return {0: "never", 1: "once", 2: "twice"}.get(times, f"{times} times")


def audit_to_json(audit: Audit, names: Mapping[str, str]) -> dict[str, object]:
    """The audit for programs."""

    def pairs(repeats: Iterable[tuple[Pair, int]]) -> list[dict[str, object]]:
        return [{"pair": sorted(names[entrant] for entrant in pair), "times": count} for pair, count in repeats]

    def times(spread: Spread) -> dict[str, int]:
        return {str(number): count for number, count in sorted(spread.times.items())}

    return {
        "entrants": audit.entrants,
        "rounds": audit.rounds,
        "perfect": audit.perfect,
        "partners": times(audit.partners) if audit.singles else None,
        "opponents": times(audit.opponents),
        "byes": times(audit.byes),
        "most_at_one_table": audit.tables.most,
        "first_repeat": audit.first_repeat or None,
        "partner_repeats": pairs(audit.partner_repeats),
        "opponent_repeats": pairs(audit.opponent_repeats),
    }
