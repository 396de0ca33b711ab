"""Standings of a season: the best evenings of each player, ranked in divisions."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import groupby, pairwise

from leftbower.errors import BadPlan, TieStands
from leftbower.tournament.scoring.standings import join_names
from leftbower.tournament.season.facts import DivisionChanged
from leftbower.tournament.season.plan import SeasonPlan
from leftbower.tournament.season.results import EveningScore
from leftbower.tournament.season.view import SeasonView


@dataclass(frozen=True, slots=True, kw_only=True)
class EveningCell:
    """One evening of a player in the standings."""

    worth: Fraction
    counts: bool
    """Is it among the best ones?"""
    is_top: bool
    """Did nobody have more that evening?"""
    came: bool
    substituted: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class SeasonLine:
    place: int
    """Within the division; tied players share a place."""
    player: str
    name: str
    division: str
    cells: tuple[EveningCell | None, ...]
    """By evening; None for one the player missed."""
    total: Fraction
    came: int
    rounds: int
    per_round: Fraction
    """Points per round, in all evenings."""
    moved: int = 0
    """Places won, or lost if negative, by the last evening."""

    @property
    def key(self) -> tuple[Fraction, ...]:
        """Total, then points per round, then the best evening."""
        return self.total, self.per_round, max((cell.worth for cell in self.cells if cell), default=Fraction(0))


def season_standings(view: SeasonView) -> tuple[SeasonLine, ...]:
    """All players who came, had a substitute or were put into a division: by division, best first."""
    count = len(view.season.evenings)
    scores = [view.scores[evening.event] for evening in view.season.evenings]
    lines = _rank(view, scores)
    if count < 2:
        return lines
    before = {line.player: line.place for line in _rank(view, scores[:-1])}
    return tuple(replace(line, moved=before.get(line.player, line.place) - line.place) for line in lines)


def _rank(view: SeasonView, scores: Sequence[dict[str, EveningScore]]) -> tuple[SeasonLine, ...]:
    season = view.season
    divisions = {division: number for number, division in enumerate(season.plan.divisions)}
    lines = [
        _line(view, player.id, [evening.get(player.id) for evening in scores], scores)
        for player in season.players.values()
        if player.division in divisions or any(player.id in evening for evening in scores)
    ]
    lines.sort(key=lambda line: line.key, reverse=True)
    lines.sort(key=lambda line: divisions.get(line.division, len(divisions)))
    ranked: list[SeasonLine] = []
    for _, group in groupby(lines, key=lambda line: line.division):
        division = list(group)
        keys = [line.key for line in division]
        ranked += [replace(line, place=keys.index(line.key) + 1) for line in division]
    return tuple(ranked)


def _line(
    view: SeasonView, player: str, evenings: Sequence[EveningScore | None], scores: Sequence[dict[str, EveningScore]]
) -> SeasonLine:
    plan = view.season.plan
    worths = {number: score.worth(plan.counting) for number, score in enumerate(evenings) if score is not None}
    best = sorted(worths, key=lambda number: (-worths[number], number))[: plan.best or None]
    rounds = sum(score.rounds for score in evenings if score is not None)
    points = sum((score.points for score in evenings if score is not None), Fraction(0))
    came = sum(score is not None and score.came for score in evenings)
    return SeasonLine(
        place=0,
        player=player,
        name=view.names[player],
        division=view.season.players[player].division if plan.divisions else "",
        cells=tuple(
            None
            if score is None
            else EveningCell(
                worth=worths[number],
                counts=number in best,
                is_top=worths[number] == max(each.worth(plan.counting) for each in scores[number].values()),
                came=score.came,
                substituted=score.substituted,
            )
            for number, score in enumerate(evenings)
        ),
        total=sum((worths[number] for number in best), Fraction(0)) + plan.attendance * came,
        came=came,
        rounds=rounds,
        per_round=points / rounds if rounds else Fraction(0),
    )


def qualified(plan: SeasonPlan, lines: Sequence[SeasonLine]) -> tuple[SeasonLine, ...]:
    """Those who would play off now: the best of the first division who came often enough."""
    first = [line for line in lines if not plan.divisions or line.division == plan.divisions[0]]
    return tuple([line for line in first if line.came >= max(1, plan.needed)][: plan.playoffs])


def playoff_players(view: SeasonView) -> tuple[SeasonLine, ...]:
    """The players of the playoffs, best first; raises TieStands on a tie for the last place."""
    plan, lines = view.season.plan, season_standings(view)
    chosen = qualified(plan, lines)
    if len(chosen) < max(2, plan.playoffs):
        raise BadPlan("%(top)s entrants can't advance; there are %(count)s", top=plan.playoffs, count=len(chosen))
    last = chosen[-1]
    level = [
        line
        for line in lines
        if line.key == last.key and line.division == last.division and line.came >= max(1, plan.needed)
    ]
    if not set(map(id, level)) <= set(map(id, chosen)):
        names = join_names([line.name for line in level])
        raise TieStands("%(names)s are tied for the last place in the playoffs; play another evening", names=names)
    return chosen


def promotions(view: SeasonView) -> Iterator[DivisionChanged]:
    """Who moves up and down after the season: as many up as down."""
    plan, lines = view.season.plan, season_standings(view)
    by_division = [[line for line in lines if line.division == division] for division in plan.divisions]
    for number, (upper, lower) in enumerate(pairwise(by_division)):
        count = min(plan.promoted, len(upper) // 2, len(lower) // 2)
        for line in upper[len(upper) - count :]:
            yield DivisionChanged(player=line.player, division=plan.divisions[number + 1])
        for line in lower[:count]:
            yield DivisionChanged(player=line.player, division=plan.divisions[number])
