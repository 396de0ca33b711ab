"""View models of a season's pages: standings, the race of the best, who is who."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate
from typing import Any, Final

from leftbower.i18n import gettext as _, ngettext
from leftbower.tournament.scoring.standings import standings
from leftbower.tournament.season.changes import late_corrections
from leftbower.tournament.season.describe import describe_correction, describe_plan
from leftbower.tournament.season.exports import decimal, shown_ratings
from leftbower.tournament.season.ratings import RatingLine
from leftbower.tournament.season.standings import EveningCell, SeasonLine, qualified, season_standings
from leftbower.tournament.season.view import SeasonView

_RACERS: Final = 4
RACE_WIDTH: Final = 260
RACE_HEIGHT: Final = 170
_RACE_LEFT, _RACE_RIGHT, _RACE_TOP, _RACE_BOTTOM = 20, 190, 14, 140


@dataclass(frozen=True, slots=True, kw_only=True)
class CellViewModel:
    text: str
    """Points with at most two decimals; empty if the player was away."""
    exact: str
    """The exact fraction, if the text is rounded."""
    classes: str
    label: str
    """What the colors and lines say, for screen readers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LineViewModel:
    line: SeasonLine
    cells: tuple[CellViewModel, ...]
    total: str
    exact_total: str
    per_round: str
    is_qualified: bool
    is_last_qualified: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class RaceViewModel:
    """The race of the best as lines of an SVG."""

    paths: tuple[str, ...]
    labels: tuple[tuple[str, float], ...]
    """First names, and where their lines end."""
    weeks: tuple[tuple[int, float], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ChairViewModel:
    """A name of an evening, and who it is."""

    chair: str
    name: str
    player: str
    absent: str
    is_confirmed: bool
    suggested: str


def season_context(view: SeasonView) -> dict[str, Any]:
    """All that the page shows, computed in a worker."""
    season, lines = view.season, season_standings(view)
    leaders = qualified(season.plan, lines)
    people, pairs = shown_ratings(view)
    corrections = late_corrections(view)
    missing = {each.event: view.unconfirmed(each.event) for each in (*season.evenings, *season.tables)}
    return {
        "season": season,
        "about": _about(view),
        "divisions": _divisions(view, lines, leaders),
        "evenings": [
            (number, evening.event, view.events[evening.event].plan.title if evening.event in view.events else "")
            for number, evening in enumerate(season.evenings, 1)
        ],
        "tables": [(name, table.title, len(table.matches)) for name, table in view.live.items()],
        "rules": list(describe_plan(view)),
        "news": [describe_correction(change) for change in corrections if change.is_news],
        "older": [describe_correction(change) for change in corrections if not change.is_news],
        "race": _race(lines[:_RACERS]),
        "people": [_rating_row(view, line) for line in people],
        "pairs": [_rating_row(view, line) for line in pairs],
        "playoffs": _playoffs(view),
        "missing": sum(len(names) for names in missing.values()),
        "first_missing": next((event for event, names in missing.items() if names), ""),
    }


def _about(view: SeasonView) -> str:
    """`Week 7 of 10 · best 5 evenings count · 24 players`."""
    plan, weeks = view.season.plan, len(view.season.evenings)
    parts = [_("Week %(week)d of %(planned)d", week=weeks, planned=plan.evenings) if plan.evenings > weeks else ""]
    if not parts[0]:
        parts = [ngettext("%(num)d evening", "%(num)d evenings", weeks)]
    if plan.best:
        parts.append(ngettext("the best evening counts", "the best %(num)d evenings count", plan.best))
    count = len(view.season.players)
    teams, players = (
        ngettext("%(num)d team", "%(num)d teams", count),
        ngettext("%(num)d player", "%(num)d players", count),
    )
    return " · ".join([*parts, teams if plan.teams else players])


def _divisions(
    view: SeasonView, lines: Sequence[SeasonLine], leaders: Sequence[SeasonLine]
) -> list[tuple[str, list[LineViewModel]]]:
    names = list(dict.fromkeys(line.division for line in lines))
    last = leaders[-1] if len(leaders) > 1 else None
    return [
        (
            name,
            [
                LineViewModel(
                    line=line,
                    cells=tuple(_cell(view, cell) for cell in line.cells),
                    total=decimal(line.total),
                    exact_total=_exact(line.total),
                    per_round=f"{float(line.per_round):.2f}",
                    is_qualified=line in leaders,
                    is_last_qualified=line is last,
                )
                for line in lines
                if line.division == name
            ],
        )
        for name in names
    ]


def _cell(view: SeasonView, cell: EveningCell | None) -> CellViewModel:
    if cell is None:
        return CellViewModel(text="", exact="", classes="away", label="")
    labels = {
        "top": _("best of the evening") if cell.is_top else "",
        "drop": "" if cell.counts else _("doesn't count"),
        "sub": _("with a substitute") if cell.substituted else "",
    }
    return CellViewModel(
        text=decimal(cell.worth),
        exact=_exact(cell.worth),
        classes=" ".join(name for name, label in labels.items() if label),
        label=", ".join(filter(None, labels.values())),
    )


def _exact(value: Fraction) -> str:
    return "" if Fraction(decimal(value)) == value else str(value)


def _race(lines: Sequence[SeasonLine]) -> RaceViewModel | None:
    """Running totals of the best above or below their average, week by week."""
    weeks = len(lines[0].cells) if lines else 0
    if weeks < 2 or len(lines) < 2:
        return None
    worths = [
        [cell.worth if cell is not None and cell.counts else Fraction(0) for cell in line.cells] for line in lines
    ]
    totals = [list(accumulate(each)) for each in worths]
    middles = [sum(column, Fraction(0)) / len(lines) for column in zip(*totals, strict=True)]
    gaps = [[float(total - middle) for total, middle in zip(each, middles, strict=True)] for each in totals]
    widest = max(abs(gap) for each in gaps for gap in each) or 1.0
    step, center = (_RACE_RIGHT - _RACE_LEFT) / (weeks - 1), (_RACE_TOP + _RACE_BOTTOM) / 2
    columns = [_RACE_LEFT + week * step for week in range(weeks)]
    rows = [[center - gap / widest * (center - _RACE_TOP) for gap in each] for each in gaps]
    paths = [
        "".join(f"{'L' if week else 'M'}{columns[week]:.1f} {y:.1f}" for week, y in enumerate(each)) for each in rows
    ]
    return RaceViewModel(
        paths=tuple(paths),
        labels=tuple(
            zip([line.name.partition(" ")[0] for line in lines], _spread([each[-1] for each in rows]), strict=True)
        ),
        weeks=tuple((week + 1, columns[week]) for week in range(weeks) if weeks <= 8 or week % 2 == 0),
    )


def _spread(ends: Sequence[float], least: float = 15.0) -> list[float]:
    """Positions of labels, moved down until none covers another."""
    placed: dict[int, float] = {}
    low = _RACE_TOP - least
    for index in sorted(range(len(ends)), key=lambda index: ends[index]):
        low = placed[index] = max(ends[index], low + least)
    over = max(0.0, low - (_RACE_BOTTOM + 8))
    return [placed[index] - over + 4 for index in range(len(ends))]


def _rating_row(view: SeasonView, line: RatingLine) -> tuple[str, int, int, int]:
    names = " & ".join(view.names[player] for player in line.players)
    return names, line.rating, line.error, line.matches


def _playoffs(view: SeasonView) -> list[tuple[int, str, int]] | None:
    """Places, names and points of the playoffs; None before they start."""
    event = view.events.get(view.season.playoffs)
    if event is None:
        return None
    return [
        (line.place, view.public_name(event.entrants[line.entrant].name), line.tally.points)
        for line in standings(event)
    ]


def chair_view_models(view: SeasonView, event: str) -> list[ChairViewModel]:
    """The names of an evening: those to confirm first."""
    evening, found = view.season.evening(event), view.identities.get(event, {})
    confirmed = evening.identities if evening is not None else {}
    rows = [
        ChairViewModel(
            chair=chair,
            name=name,
            player=found[chair].player if chair in found else "",
            absent=found[chair].absent if chair in found else "",
            is_confirmed=chair in confirmed,
            suggested="" if chair in found else view.suggest(name),
        )
        for chair, name in view.chairs.get(event, {}).items()
    ]
    return sorted(rows, key=lambda row: (bool(row.player), row.name.casefold()))
