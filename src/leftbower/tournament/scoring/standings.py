"""Standings: entrants in order, with the tie-break that decided each place."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from typing import Final

from leftbower.i18n import gettext as _, gettext_noop, signed
from leftbower.tournament.formats.brackets import bracket_of
from leftbower.tournament.model.choices import TieBreak
from leftbower.tournament.model.state import Event
from leftbower.tournament.scoring.results import EntrantTally, entrant_tallies

Group = tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    place: int
    """Tied entrants share a place."""
    entrant: str
    decided_by: str
    """The tie-break that separated the entrant from its neighbor; "level" if none did."""
    because: str
    tally: EntrantTally


@dataclass(frozen=True, slots=True, kw_only=True)
class _Ranked:
    """A tied group, and the tie-break that separated it from the one before."""

    group: Group
    by: str = ""
    because: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class _TieData:
    tallies: Mapping[str, EntrantTally]
    names: Mapping[str, str]
    tie_draws: tuple[tuple[str, ...], ...] = ()
    bracket: Mapping[str, int] | None = None


def standings(event: Event) -> tuple[Standing, ...]:
    """Rank all entrants, best first; those who reached a later stage come before all others."""
    ranked: list[_Ranked] = []
    tables: dict[str, EntrantTally] = {}
    for stage in reversed(range(len(event.stages))):
        table = _tie_data(event, stage)
        group = tuple(entrant for entrant in _stage_entrants(event, stage) if entrant not in tables)
        tables |= {entrant: table.tallies[entrant] for entrant in group}
        ties = event.plan.ties if event.plan.ties and not stage else event.stages[stage].definition.tie_breaks
        stage_ranking = _rank(table, group, ties)
        if ranked and stage_ranking:
            why = _("%(names)s didn't make the next stage", names=_join_names_of(table, stage_ranking[0].group))
            stage_ranking[0] = _Ranked(group=stage_ranking[0].group, by="stage", because=why)
        ranked += stage_ranking
    return _number_places(ranked, tables, event.names)


def _tie_data(event: Event, stage: int) -> _TieData:
    bracket = bracket_of(event, stage).progress() if event.stages[stage].definition.bracket else None
    tallies = entrant_tallies(event, event.rounds_of(stage))
    return _TieData(tallies=tallies, names=event.names, tie_draws=event.tie_draws, bracket=bracket)


def _stage_entrants(event: Event, stage: int) -> Group:
    """Entrants of a stage by number, without house players and singles waiting for a partner."""
    chosen = event.stages[stage].entrants or tuple(
        entrant.id
        for entrant in sorted(event.entrants.values(), key=lambda entrant: entrant.number or len(event.entrants) + 1)
    )
    return tuple(
        member.id
        for member in map(event.entrants.__getitem__, chosen)
        if not (member.house_player or member.single or member.struck)
    )


def pool_standings(events: Sequence[Event], ties: Sequence[TieBreak] = ()) -> tuple[tuple[str, Standing], ...]:
    """Standings over several events; the same name is the same person."""
    total: dict[str, EntrantTally] = {}
    names: dict[str, str] = {}
    for event in events:
        for entrant, line in entrant_tallies(event, event.rounds).items():
            name = event.entrants[entrant].name
            key = name.casefold()
            names.setdefault(key, name)
            total[key] = _sum(total.get(key, EntrantTally(entrant=key)), line, event)
    table = _TieData(tallies=total, names=names)
    order = ties or next((event.plan.tie_breaks for event in events), ())
    usable = [line for line in order if line not in (TieBreak.BRACKET, TieBreak.DRAW)]
    ranked = _rank(table, tuple(sorted(total)), usable)
    return tuple((names[line.entrant], line) for line in _number_places(ranked, total, names))


_SUMMED: Final = (
    *("matches", "played", "rounds", "games", "games_lost"),
    *("points", "conceded", "loners", "euchres", "byes"),
)


def _sum(total: EntrantTally, tally: EntrantTally, event: Event) -> EntrantTally:
    for name in [
        "matches",
        "played",
        "rounds",
        "games",
        "games_lost",
        "points",
        "conceded",
        "loners",
        "euchres",
        "byes",
    ]:
        setattr(total, name, getattr(total, name) + getattr(tally, name))
    total.high_game = max(total.high_game, tally.high_game)
    total.opponents += [
        (event.entrants[opponent].name.casefold(), worth, more) for opponent, worth, more in tally.opponents
    ]
    return total


def _number_places(
    ranked: Iterable[_Ranked], tables: Mapping[str, EntrantTally], names: Mapping[str, str]
) -> tuple[Standing, ...]:
    ranked = list(ranked)
    lines: list[Standing] = []
    for index, rank in enumerate(ranked):
        below = ranked[index + 1] if index + 1 < len(ranked) else None
        near = rank if rank.by else below or rank
        level = len(rank.group) > 1
        by = "level" if level else near.by or "alone"
        because = _describe_level(rank.group, names) if level else near.because
        place = len(lines) + 1
        lines += [
            Standing(place=place, entrant=entrant, decided_by=by, because=because, tally=tables[entrant])
            for entrant in rank.group
        ]
    return tuple(lines)


def _describe_level(group: Group, names: Mapping[str, str]) -> str:
    if len(group) > 4:
        return _("%(count)d are tied", count=len(group))
    return _("%(names)s are tied", names=join_names([names[entrant] for entrant in group]))


def _rank(table: _TieData, group: Group, ties: Sequence[TieBreak]) -> list[_Ranked]:
    """Rank the group: the first tie-break splits it, the next one splits those still tied."""
    if len(group) < 2 or not ties:
        return [_Ranked(group=group)] if group else []
    parts = _split_group(table, group, ties[0])
    if len(parts) == 1:
        return _rank(table, group, ties[1:])
    ties_left = _ties_for_part(ties)
    ranked: list[_Ranked] = []
    for index, part in enumerate(parts):
        inner = _rank(table, part, ties_left)
        if index:
            first = inner[0]
            inner[0] = _Ranked(
                group=first.group,
                by=str(ties[0]),
                because=_describe_tie_break(table, group, (parts[index - 1], part), ties[0]),
            )
        ranked += inner
    return ranked


def _ties_for_part(ties: Sequence[TieBreak]) -> Sequence[TieBreak]:
    """Tie-breaks for a smaller group: those that count only matches among the tied apply again, others only once."""
    return ties if ties[0] in (TieBreak.HEAD_TO_HEAD, TieBreak.AMONG_TIED) else ties[1:]


def _split_group(table: _TieData, group: Group, tie: TieBreak) -> list[Group]:
    """Split the group, best part first; one part if the tie-break can't decide."""
    if tie is TieBreak.HEAD_TO_HEAD:
        return _head_to_head(table, group)
    if tie is TieBreak.DRAW:
        return _split_by_draw(table, group)
    among = _scores_among(table, group) if tie is TieBreak.AMONG_TIED else {}
    parts: dict[tuple[Fraction | int, ...], list[str]] = {}
    for entrant in group:
        parts.setdefault(among.get(entrant) or _value(table, entrant, tie), []).append(entrant)
    return [tuple(parts[value]) for value in sorted(parts, reverse=True)]


def _value(table: _TieData, entrant: str, tie: TieBreak) -> tuple[Fraction | int, ...]:
    """An entrant's value by one tie-break."""
    match tie:
        case TieBreak.BRACKET:
            return ((table.bracket or {}).get(entrant, 0),)
        case TieBreak.OPPONENTS:
            return (_opponents_matches(table, entrant),)
        case _:
            return (getattr(table.tallies[entrant], tie.value.replace("-", "_")),)


def _opponents_matches(table: _TieData, entrant: str) -> Fraction:
    """Matches won by the entrant's opponents."""
    met = (
        table.tallies[opponent].matches
        for opponent, _, _ in table.tallies[entrant].opponents
        if opponent in table.tallies
    )
    return sum(met, Fraction(0))


def _scores_among(table: _TieData, group: Group) -> dict[str, tuple[Fraction, int]]:
    """Matches and point difference within the group; zeros unless all of them have met."""
    if not _all_met(table, group):
        return dict.fromkeys(group, (Fraction(0), 0))
    members = set(group)
    scores = {}
    for entrant in group:
        rows = [(worth, more) for opponent, worth, more in table.tallies[entrant].opponents if opponent in members]
        scores[entrant] = sum((worth for worth, _ in rows), Fraction(0)), sum(more for _, more in rows)
    return scores


def _all_met(table: _TieData, group: Group) -> bool:
    """Have all pairs of the group met?"""
    members = set(group)
    return all(
        members <= {entrant, *(opponent for opponent, _, _ in table.tallies[entrant].opponents)} for entrant in group
    )


def _head_to_head(table: _TieData, group: Group) -> list[Group]:
    """The entrant who beat all others is first, the one who lost to all is last; a cycle decides nothing."""
    beaten = {entrant: _beaten(table, entrant, set(group)) for entrant in group}
    losses = Counter(loser for losers in beaten.values() for loser in losers)
    best = [entrant for entrant in group if len(beaten[entrant]) == len(group) - 1]
    worst = [entrant for entrant in group if losses[entrant] == len(group) - 1]
    middle = tuple(entrant for entrant in group if entrant not in best and entrant not in worst)
    return [tuple(part) for part in (best, middle, worst) if part]


def _beaten(table: _TieData, entrant: str, members: set[str]) -> set[str]:
    """Members against whom the entrant won more than half of their matches."""
    worths: dict[str, list[Fraction]] = {}
    for opponent, worth, _more in table.tallies[entrant].opponents:
        if opponent in members and opponent != entrant:
            worths.setdefault(opponent, []).append(worth)
    return {opponent for opponent, results in worths.items() if 2 * sum(results, Fraction(0)) > len(results)}


def _split_by_draw(table: _TieData, group: Group) -> list[Group]:
    """Order the group by the latest draw that includes all of it."""
    for order in reversed(table.tie_draws):
        if set(group) <= set(order):
            return [(entrant,) for entrant in sorted(group, key=order.index)]
    return [group]


def _describe_tie_break(table: _TieData, group: Group, parts: tuple[Group, Group], tie: TieBreak) -> str:
    """Text: who ranks ahead of whom, and why; no period at the end."""
    above, below = parts
    names = {"better": _join_names_of(table, above), "worse": _join_names_of(table, below)}
    match tie:
        case TieBreak.HEAD_TO_HEAD:
            if len(above) == len(below) == 1:
                return _("%(better)s beat %(worse)s", **names)
            return _("%(better)s ahead of %(worse)s, head to head", **names)
        case TieBreak.DRAW:
            return _("%(better)s ahead of %(worse)s by random draw", **names)
        case TieBreak.BRACKET:
            return _("%(better)s got further than %(worse)s", **names)
        case TieBreak.AMONG_TIED:
            among = _scores_among(table, group)
            (won, more), (lost, less) = among[above[0]], among[below[0]]
            if won != lost:
                sentence = _("%(better)s ahead of %(worse)s in matches among the tied: %(high)s to %(low)s")
                return sentence % (names | {"high": _format_value(won), "low": _format_value(lost)})
            sentence = _("%(better)s ahead of %(worse)s in points among the tied: %(high)s to %(low)s")
            return sentence % (names | {"high": signed(more, 0), "low": signed(less, 0)})
        case _:
            high, low = (_format_value(_value(table, part[0], tie)[0]) for part in parts)
            return _(_TIE_BREAK_SENTENCES[tie], **names, high=high, low=low)


_TIE_BREAK_SENTENCES: Final = {
    TieBreak.MATCHES: gettext_noop("%(better)s ahead of %(worse)s in matches won: %(high)s to %(low)s"),
    TieBreak.GAMES: gettext_noop("%(better)s ahead of %(worse)s in games won: %(high)s to %(low)s"),
    TieBreak.POINTS: gettext_noop("%(better)s ahead of %(worse)s in points: %(high)s to %(low)s"),
    TieBreak.POINTS_PER_ROUND: gettext_noop("%(better)s ahead of %(worse)s in points per round: %(high)s to %(low)s"),
    TieBreak.DIFFERENCE: gettext_noop("%(better)s ahead of %(worse)s in point difference: %(high)s to %(low)s"),
    TieBreak.LONERS: gettext_noop("%(better)s ahead of %(worse)s in loners: %(high)s to %(low)s"),
    TieBreak.OPPONENTS: gettext_noop(
        "%(better)s ahead of %(worse)s in matches won by their opponents: %(high)s to %(low)s"
    ),
}


def _format_value(value: Fraction | int) -> str:
    text = str(value) if isinstance(value, int) or value.denominator == 1 else f"{float(value):.2f}".rstrip("0")
    return text.replace("-", "−")


def _join_names_of(table: _TieData, group: Group) -> str:
    return join_names([table.names[entrant] for entrant in group])


def join_names(names: Sequence[str]) -> str:
    """`Ann`, `Ann and Bob`, `Ann, Bob and Cid`."""
    *others, last = names
    if not others:
        return last
    first = reduce(lambda joined, name: _("%(first)s, %(second)s", first=joined, second=name), others)
    return _("%(first)s and %(second)s", first=first, second=last)


def tie_reasons(event: Event, lines: Iterable[Standing]) -> tuple[str, ...]:
    """Texts: what broke ties in matches and points, and what head to head couldn't decide."""
    because = (line.because for line in lines if line.decided_by not in ("matches", "points"))
    return (*dict.fromkeys(filter(None, because)), *head_to_head_cycles(event))


def head_to_head_cycles(event: Event) -> tuple[str, ...]:
    """Describe ties that head to head cannot break because the wins form a cycle."""
    table = _tie_data(event, len(event.stages) - 1)
    sentences = []
    for group in _level_on_matches(table, _stage_entrants(event, len(event.stages) - 1)):
        if len(group) > 2 and _all_met(table, group) and len(_head_to_head(table, group)) == 1:
            beaten = {entrant: _beaten(table, entrant, set(group)) for entrant in group}
            beats = [
                _("%(better)s beat %(worse)s", better=table.names[entrant], worse=table.names[other])
                for entrant in group
                for other in group
                if other in beaten[entrant]
            ]
            if beats:
                names = _join_names_of(table, group)
                sentences.append(
                    _("%(names)s are tied; head to head can't decide: %(beats)s", names=names, beats=", ".join(beats))
                )
    return tuple(sentences)


def _level_on_matches(table: _TieData, group: Group) -> list[Group]:
    return [part for part in _split_group(table, group, TieBreak.MATCHES) if len(part) > 1]
