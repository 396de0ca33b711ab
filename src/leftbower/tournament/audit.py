"""The fairness audit: who met whom how often, at which tables, who sat out, and what of it could have been better."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from leftbower.tournament.meetings import Meetings, Pair, meetings
from leftbower.tournament.seating import Draw, Round


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
    """What a draw does to those who play it."""

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
    """The first round in which two meet again, as partners or as opponents; 0 where nobody does."""
    met: Meetings

    @property
    def perfect(self) -> bool:
        """Has everybody partnered everybody once and opposed everybody twice; of teams, met everybody once?"""
        wanted = 2 if self.singles else 1
        partners = not self.singles or (self.partners.least, self.partners.most) == (1, 1)
        return partners and (self.opponents.least, self.opponents.most) == (wanted, wanted) and self.fair_byes

    @property
    def fair_byes(self) -> bool:
        """Do byes differ by at most one?"""
        return self.byes.most - self.byes.least <= 1

    @property
    def sound(self) -> bool:
        """Is nothing repeated that need not be?"""
        return not self.partner_repeats and not self.opponent_repeats


def audit(rounds: Sequence[Round | Draw], entrants: Iterable[str], *, singles: bool) -> Audit:
    """The audit of some rounds, for those who could have been in them."""
    who = tuple(entrants)
    met = meetings(rounds)
    most_at_one = _most_at_one(met)
    allowed = 2 if singles else 1
    return Audit(
        entrants=len(who),
        rounds=len(rounds),
        singles=singles,
        partners=_pairs(who, met.partners if singles else Counter()),
        opponents=_pairs(who, met.opponents),
        byes=Spread(times=dict(Counter(met.byes[one] for one in who))),
        tables=Spread(times=dict(Counter(most_at_one.get(one, 0) for one in who))),
        partner_repeats=_over(met.partners, 1),
        opponent_repeats=_over(met.opponents, allowed),
        first_repeat=_first_repeat(rounds),
        met=met,
    )


def _pairs(who: Sequence[str], counted: Mapping[Pair, int]) -> Spread:
    every = (frozenset((one, two)) for at, one in enumerate(who) for two in who[:at])
    return Spread(times=dict(sorted(Counter(counted.get(pair, 0) for pair in every).items())))


def _most_at_one(met: Meetings) -> dict[str, int]:
    """How often each entrant sat at the table where it sat most, in one pass over all tables."""
    found: dict[str, int] = {}
    for (entrant, _), count in met.tables.items():
        found[entrant] = max(count, found.get(entrant, 0))
    return found


def _over(counted: Mapping[Pair, int], allowed: int) -> tuple[tuple[Pair, int], ...]:
    found = [(pair, count) for pair, count in counted.items() if count > allowed]
    return tuple(sorted(found, key=lambda one: (-one[1], sorted(one[0]))))


def _first_repeat(rounds: Sequence[Round | Draw]) -> int:
    partners: set[Pair] = set()
    opponents: set[Pair] = set()
    for number, one in enumerate(rounds, 1):
        beside = {pair for seating in one.tables for pair in seating.partners()}
        against = {pair for seating in one.tables for pair in seating.opponents()}
        if partners & beside or opponents & against:
            return number
        partners |= beside
        opponents |= against
    return 0


def as_words(found: Audit, names: Mapping[str, str]) -> tuple[str, ...]:
    """The audit in sentences, the verdict first."""
    return tuple(_sentences(found, names))


def _sentences(found: Audit, names: Mapping[str, str]) -> Iterable[str]:
    who = "players" if found.singles else "teams"
    yield f"{found.entrants} {who}, {found.rounds} round{'s' * (found.rounds != 1)}: {_verdict(found)}"
    if found.singles:
        yield f"Partners: {_spread(found.partners, 'pairs')}."
    yield f"Opponents: {_spread(found.opponents, 'pairs')}."
    if found.first_repeat:
        yield f"The first to meet again do so in round {found.first_repeat}."
    else:
        yield "Nobody meets anybody again."
    yield f"Byes: {_spread(found.byes, who)}."
    yield f"Most rounds at one table: {found.tables.most}."
    for what, repeats in (("partners", found.partner_repeats), ("opponents", found.opponent_repeats)):
        if repeats:
            told = [f"{' and '.join(sorted(names[one] for one in pair))} {count} times" for pair, count in repeats[:12]]
            more = f", and {len(repeats) - 12} more" if len(repeats) > 12 else ""
            yield f"Too often {what}: {', '.join(told)}{more}."


def _verdict(found: Audit) -> str:
    if found.perfect:
        return (
            "perfect: everybody partners everybody once and opposes everybody twice."
            if found.singles
            else "perfect: every two meet once."
        )
    if found.sound:
        return (
            "nobody partners anybody twice, nor opposes anybody more than twice."
            if found.singles
            else "nobody meets anybody twice."
        )
    again = len(found.partner_repeats) + len(found.opponent_repeats)
    return f"{again} pair{'s' * (again != 1)} meet more often than they should."


def _spread(spread: Spread, whom: str) -> str:
    told = [f"{count} {whom} {_times(times)}" for times, count in sorted(spread.times.items())]
    return ", ".join(told) or f"no {whom}"


def _times(times: int) -> str:
    return {0: "never", 1: "once", 2: "twice"}.get(times, f"{times} times")


def as_json(found: Audit, names: Mapping[str, str]) -> dict[str, object]:
    """The audit for programs."""

    def pairs(repeats: Iterable[tuple[Pair, int]]) -> list[dict[str, object]]:
        return [{"pair": sorted(names[one] for one in pair), "times": count} for pair, count in repeats]

    def spread(one: Spread) -> dict[str, int]:
        return {str(times): count for times, count in sorted(one.times.items())}

    return {
        "entrants": found.entrants,
        "rounds": found.rounds,
        "perfect": found.perfect,
        "partners": spread(found.partners) if found.singles else None,
        "opponents": spread(found.opponents),
        "byes": spread(found.byes),
        "most_at_one_table": found.tables.most,
        "first_repeat": found.first_repeat or None,
        "partner_repeats": pairs(found.partner_repeats),
        "opponent_repeats": pairs(found.opponent_repeats),
    }
