"""Standings: everybody in order, and for every place the tie-break that decided it, in words."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from leftbower.tournament.brackets import bracket_of
from leftbower.tournament.model import Event
from leftbower.tournament.plan import BRACKETS, TIES, TieBreak
from leftbower.tournament.results import Tally, tallies

Group = tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """One line of the standings."""

    place: int
    """Those who are level share a place."""
    entrant: str
    decided_by: str
    """The tie-break that put the entrant apart from whoever stands next to it; "level" where nothing did."""
    because: str
    tally: Tally


@dataclass(frozen=True, slots=True, kw_only=True)
class _Ranked:
    """A group that nothing puts in order any further, and what set it apart from the one before."""

    group: Group
    by: str = ""
    because: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Table:
    """What ties are broken with."""

    tallies: Mapping[str, Tally]
    names: Mapping[str, str]
    lots: tuple[tuple[str, ...], ...] = ()
    bracket: Mapping[str, int] | None = None


def standings(event: Event) -> tuple[Standing, ...]:
    """Everybody who takes part, best first; whoever played a later stage stands before all who did not."""
    ranked: list[_Ranked] = []
    tables: dict[str, Tally] = {}
    for stage in reversed(range(len(event.stages))):
        table = _table(event, stage)
        group = tuple(entrant for entrant in _field(event, stage) if entrant not in tables)
        tables |= {entrant: table.tallies[entrant] for entrant in group}
        ties = event.plan.ties if event.plan.ties and not stage else TIES[event.stages[stage].format]
        found = _rank(table, group, ties)
        if ranked and found:
            why = f"{_named(table, found[0].group)} did not come to the next stage"
            found[0] = _Ranked(group=found[0].group, by="stage", because=why)
        ranked += found
    return _numbered(ranked, tables, {entrant: one.name for entrant, one in event.entrants.items()})


def _table(event: Event, stage: int) -> _Table:
    names = {entrant: one.name for entrant, one in event.entrants.items()}
    bracket = bracket_of(event, stage).places() if event.stages[stage].format in BRACKETS else None
    return _Table(tallies=tallies(event, event.rounds_of(stage)), names=names, lots=event.lots, bracket=bracket)


def _field(event: Event, stage: int) -> Group:
    """Who takes part in a stage, in the order of their numbers; bots of the house and lone singles do not."""
    chosen = event.stages[stage].entrants or tuple(
        one.id for one in sorted(event.entrants.values(), key=lambda one: one.number or len(event.entrants) + 1)
    )
    return tuple(
        entrant for entrant in chosen if not event.entrants[entrant].house and not event.entrants[entrant].single
    )


def pooled(evenings: Sequence[Event], ties: Sequence[TieBreak] = ()) -> tuple[tuple[str, Standing], ...]:
    """The standings over several evenings, by name: whoever plays under one name is one person."""
    total: dict[str, Tally] = {}
    names: dict[str, str] = {}
    for event in evenings:
        for entrant, one in tallies(event, event.rounds).items():
            name = event.entrants[entrant].name
            key = name.casefold()
            names.setdefault(key, name)
            total[key] = _sum(total.get(key, Tally(entrant=key)), one, event)
    table = _Table(tallies=total, names=names)
    order = ties or next((event.plan.tie_breaks for event in evenings), ())
    usable = [one for one in order if one not in (TieBreak.BRACKET, TieBreak.DRAW)]
    ranked = _rank(table, tuple(sorted(total)), usable)
    return tuple((names[one.entrant], one) for one in _numbered(ranked, total, names))


def _sum(total: Tally, one: Tally, event: Event) -> Tally:
    for name in ("matches", "played", "games", "games_lost", "points", "conceded", "loners", "euchres", "byes"):
        setattr(total, name, getattr(total, name) + getattr(one, name))
    total.high_game = max(total.high_game, one.high_game)
    total.met += [(event.entrants[who].name.casefold(), worth, more) for who, worth, more in one.met]
    return total


def _numbered(ranked: Iterable[_Ranked], tables: Mapping[str, Tally], names: Mapping[str, str]) -> tuple[Standing, ...]:
    ranked = list(ranked)
    lines: list[Standing] = []
    for at, one in enumerate(ranked):
        below = ranked[at + 1] if at + 1 < len(ranked) else None
        near = one if one.by else below or one
        level = len(one.group) > 1
        by = "level" if level else near.by or "alone"
        because = _level(one.group, names) if level else near.because
        place = len(lines) + 1
        lines += [
            Standing(place=place, entrant=entrant, decided_by=by, because=because, tally=tables[entrant])
            for entrant in one.group
        ]
    return tuple(lines)


def _level(group: Group, names: Mapping[str, str]) -> str:
    told = f"{len(group)}" if len(group) > 4 else _joined([names[entrant] for entrant in group])
    return f"{told} are level"


def _rank(table: _Table, group: Group, ties: Sequence[TieBreak]) -> list[_Ranked]:
    """The group in order: the first tie-break parts it, those still level go on to the next."""
    if len(group) < 2 or not ties:
        return [_Ranked(group=group)] if group else []
    parts = _parted(table, group, ties[0])
    if len(parts) == 1:
        return _rank(table, group, ties[1:])
    again = _again(ties)
    ranked: list[_Ranked] = []
    for at, part in enumerate(parts):
        inner = _rank(table, part, again)
        if at:
            first = inner[0]
            inner[0] = _Ranked(
                group=first.group, by=str(ties[0]), because=_because(table, group, (parts[at - 1], part), ties[0])
            )
        ranked += inner
    return ranked


def _again(ties: Sequence[TieBreak]) -> Sequence[TieBreak]:
    """What counts only among the tied is asked again when fewer are tied; all else is used up."""
    return ties if ties[0] in (TieBreak.HEAD_TO_HEAD, TieBreak.AMONG_TIED) else ties[1:]


def _parted(table: _Table, group: Group, tie: TieBreak) -> list[Group]:
    """The group in parts, best first; one part where the tie-break cannot decide."""
    if tie is TieBreak.HEAD_TO_HEAD:
        return _head_to_head(table, group)
    if tie is TieBreak.DRAW:
        return _by_lot(table, group)
    among = _among(table, group) if tie is TieBreak.AMONG_TIED else {}
    parts: dict[tuple[Fraction | int, ...], list[str]] = {}
    for entrant in group:
        parts.setdefault(among.get(entrant) or _value(table, entrant, tie), []).append(entrant)
    return [tuple(parts[value]) for value in sorted(parts, reverse=True)]


def _value(table: _Table, entrant: str, tie: TieBreak) -> tuple[Fraction | int, ...]:
    """What an entrant has, by one tie-break."""
    own = table.tallies[entrant]
    match tie:
        case TieBreak.BRACKET:
            return ((table.bracket or {}).get(entrant, 0),)
        case TieBreak.MATCHES:
            return (own.matches,)
        case TieBreak.GAMES:
            return (own.games,)
        case TieBreak.POINTS:
            return (own.points,)
        case TieBreak.DIFFERENCE:
            return (own.difference,)
        case TieBreak.LONERS:
            return (own.loners,)
        case _:
            return (_opponents(table, entrant),)


def _opponents(table: _Table, entrant: str) -> Fraction:
    """Matches won by everybody the entrant met."""
    met = (table.tallies[who].matches for who, _, _ in table.tallies[entrant].met if who in table.tallies)
    return sum(met, Fraction(0))


def _among(table: _Table, group: Group) -> dict[str, tuple[Fraction, int]]:
    """Matches and difference of points against those of the group; nothing where not all of them have met."""
    if not _all_met(table, group):
        return dict.fromkeys(group, (Fraction(0), 0))
    members = set(group)
    found = {}
    for entrant in group:
        rows = [(worth, more) for who, worth, more in table.tallies[entrant].met if who in members]
        found[entrant] = sum((worth for worth, _ in rows), Fraction(0)), sum(more for _, more in rows)
    return found


def _all_met(table: _Table, group: Group) -> bool:
    """Has everybody of the group met all the others?"""
    members = set(group)
    return all(members <= {entrant, *(who for who, _, _ in table.tallies[entrant].met)} for entrant in group)


def _head_to_head(table: _Table, group: Group) -> list[Group]:
    """Whoever beat all the others comes first, whoever lost to all of them last; a circle decides nothing."""
    beaten = {entrant: _beaten(table, entrant, set(group)) for entrant in group}
    losses = Counter(loser for losers in beaten.values() for loser in losers)
    best = [entrant for entrant in group if len(beaten[entrant]) == len(group) - 1]
    worst = [entrant for entrant in group if losses[entrant] == len(group) - 1]
    rest = tuple(entrant for entrant in group if entrant not in best and entrant not in worst)
    return [tuple(part) for part in (best, rest, worst) if part]


def _beaten(table: _Table, entrant: str, members: set[str]) -> set[str]:
    """Whom of the members an entrant beat: won more than half of their matches."""
    worths: dict[str, list[Fraction]] = {}
    for who, worth, _ in table.tallies[entrant].met:
        if who in members and who != entrant:
            worths.setdefault(who, []).append(worth)
    return {who for who, found in worths.items() if 2 * sum(found, Fraction(0)) > len(found)}


def _by_lot(table: _Table, group: Group) -> list[Group]:
    """The latest draw that has all of the group in it."""
    for order in reversed(table.lots):
        if set(group) <= set(order):
            return [(entrant,) for entrant in sorted(group, key=order.index)]
    return [group]


def _because(table: _Table, group: Group, parts: tuple[Group, Group], tie: TieBreak) -> str:
    """One sentence: who stands before whom, and by what."""
    above, below = parts
    one, other = _named(table, above), _named(table, below)
    match tie:
        case TieBreak.HEAD_TO_HEAD:
            return f"{one} beat {other}" if len(above) == len(below) == 1 else f"{one} before {other}, head to head"
        case TieBreak.DRAW:
            return f"{one} before {other} by lot"
        case TieBreak.BRACKET:
            return f"{one} came further than {other}"
        case TieBreak.AMONG_TIED:
            among = _among(table, group)
            (won, more), (lost, less) = among[above[0]], among[below[0]]
            told = f"{_told(won)} to {_told(lost)} matches" if won != lost else f"{more:+d} to {less:+d} points"
            return f"{one} before {other} among the tied: {told}"
        case _:
            told = " to ".join(_told(_value(table, part[0], tie)[0]) for part in parts)
            return f"{one} before {other} on {_WORDS[tie]}: {told}"


_WORDS: Final = {
    TieBreak.MATCHES: "matches won",
    TieBreak.GAMES: "games won",
    TieBreak.POINTS: "points",
    TieBreak.DIFFERENCE: "the difference of points",
    TieBreak.LONERS: "loners",
    TieBreak.OPPONENTS: "matches won by their opponents",
}


def _told(value: Fraction | int) -> str:
    return str(value) if isinstance(value, int) or value.denominator == 1 else f"{float(value):.1f}"


def _named(table: _Table, group: Group) -> str:
    return _joined([table.names[entrant] for entrant in group])


def _joined(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def circles(event: Event) -> tuple[str, ...]:
    """Ties that head to head cannot break, each in a sentence: who beat whom, round and round."""
    table = _table(event, len(event.stages) - 1)
    found = []
    for group in _level_on_matches(table, _field(event, len(event.stages) - 1)):
        if len(group) > 2 and _all_met(table, group) and len(_head_to_head(table, group)) == 1:
            beaten = {one: _beaten(table, one, set(group)) for one in group}
            beats = [
                f"{table.names[one]} beat {table.names[other]}"
                for one in group
                for other in group
                if other in beaten[one]
            ]
            if beats:
                found.append(f"{_named(table, group)} are level, and {', '.join(beats)}: head to head decides nothing")
    return tuple(found)


def _level_on_matches(table: _Table, group: Group) -> list[Group]:
    return [part for part in _parted(table, group, TieBreak.MATCHES) if len(part) > 1]
