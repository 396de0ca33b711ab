"""Fairness audit: counts of meetings, tables and byes, and avoidable repeats."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from leftbower.i18n import gettext as _, ngettext
from leftbower.tournament.formats.meetings import Meetings, Pair, meetings
from leftbower.tournament.model.seating import Pairings, Round
from leftbower.tournament.model.state import Event
from leftbower.tournament.scoring.standings import join_names

_MAX_LISTED_REPEATS: Final = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class Spread:
    """A histogram: how many pairs or entrants had each count."""

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
    """Single players, whose partners change."""
    partners: Spread
    opponents: Spread
    byes: Spread
    tables: Spread
    """Rounds each entrant spent at its most frequent table."""
    partner_repeats: tuple[tuple[Pair, int], ...]
    opponent_repeats: tuple[tuple[Pair, int], ...]
    """Pairs that met too often: teams more than once, single players more than twice."""
    first_repeat: int
    """The first round with a repeated pair, as partners or as opponents; 0 if there is none."""
    meetings: Meetings

    @property
    def perfect(self) -> bool:
        """Did all pairs of players partner once and meet twice, or all pairs of teams meet once, with fair byes?"""
        wanted = 2 if self.singles else 1
        partners = not self.singles or (self.partners.least, self.partners.most) == (1, 1)
        return partners and (self.opponents.least, self.opponents.most) == (wanted, wanted) and self.fair_byes

    @property
    def fair_byes(self) -> bool:
        """Do byes differ by at most one?"""
        return self.byes.most - self.byes.least <= 1

    @property
    def free_of_repeats(self) -> bool:
        """Are there no avoidable repeats?"""
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
    """Rounds each entrant spent at its most frequent table, in one pass over all tables."""
    most: dict[str, int] = {}
    for (entrant, _table), count in met.tables.items():
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
    yield _verdict(audit)
    counts = {"count": audit.entrants, "rounds": audit.rounds, "byes": _describe_byes(audit.byes)}
    if audit.singles:
        yield _("Players: %(count)d. Rounds: %(rounds)d. Byes: %(byes)s.", **counts)
        yield _("Partners: %(spread)s.", spread=_describe_pairs(audit.partners))
    else:
        yield _("Teams: %(count)d. Rounds: %(rounds)d. Byes: %(byes)s.", **counts)
    yield _("Opponents: %(spread)s.", spread=_describe_pairs(audit.opponents))
    if audit.first_repeat:
        yield _("First repeat: round %(round)d.", round=audit.first_repeat)
    yield _("Most rounds at one table: %(rounds)d.", rounds=audit.tables.most)
    if audit.partner_repeats:
        yield _("Partners too often: %(pairs)s.", pairs=_describe_repeats(audit.partner_repeats, names))
    if audit.opponent_repeats:
        yield _("Opponents too often: %(pairs)s.", pairs=_describe_repeats(audit.opponent_repeats, names))


def _verdict(audit: Audit) -> str:
    if audit.perfect:
        if audit.singles:
            return _("Perfect: you partner everyone once and play against everyone twice.")
        return _("Perfect: every two teams meet once.")
    if audit.free_of_repeats:
        if audit.singles:
            return _("Fair: you never get a partner twice, or an opponent more than twice.")
        return _("Fair: no two teams meet twice.")
    repeated = len(audit.partner_repeats) + len(audit.opponent_repeats)
    return ngettext("%(num)d pair meets too often.", "%(num)d pairs meet too often.", repeated)


def _describe_pairs(spread: Spread) -> str:
    """`2 pairs never, 6 pairs once`."""
    return ", ".join(_pairs_text(count, times) for times, count in sorted(spread.times.items())) or _("none")


def _pairs_text(count: int, times: int) -> str:
    match times:
        case 0:
            return ngettext("%(num)d pair never", "%(num)d pairs never", count)
        case 1:
            return ngettext("%(num)d pair once", "%(num)d pairs once", count)
        case 2:
            return ngettext("%(num)d pair twice", "%(num)d pairs twice", count)
        case _:
            return ngettext("%(num)d pair %(times)d times", "%(num)d pairs %(times)d times", count, times=times)


def _describe_byes(spread: Spread) -> str:
    """`none`, or `0 for 12, 1 for 4`."""
    if not spread.most:
        return _("none")
    counts = sorted(spread.times.items())
    # Translators: the number of byes, and how many players or teams have them, as in "0 for 12, 1 for 4"
    return ", ".join(_("%(byes)d for %(count)d", byes=byes, count=count) for byes, count in counts)


def _describe_repeats(repeats: Sequence[tuple[Pair, int]], names: Mapping[str, str]) -> str:
    texts = [
        _("%(pair)s (%(times)d times)", pair=join_names(sorted(names[entrant] for entrant in pair)), times=times)
        for pair, times in repeats[:_MAX_LISTED_REPEATS]
    ]
    if (more := len(repeats) - len(texts)) > 0:
        texts.append(_("%(count)d more", count=more))
    return ", ".join(texts)


def audit_to_json(audit: Audit, names: Mapping[str, str]) -> dict[str, object]:

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
