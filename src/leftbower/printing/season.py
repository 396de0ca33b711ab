"""The standings of a season on paper."""

from leftbower.i18n import gettext as _, ngettext
from leftbower.printing.blocks import Block, BulletList, Grid, Printout
from leftbower.tournament.season.changes import late_corrections
from leftbower.tournament.season.describe import describe_correction, describe_plan
from leftbower.tournament.season.exports import decimal
from leftbower.tournament.season.standings import EveningCell, SeasonLine, season_standings
from leftbower.tournament.season.view import SeasonView


def season_printout(view: SeasonView) -> Printout:
    """Standings by division, how they count, and late corrections; evenings that don't count are in brackets."""
    lines, plan = season_standings(view), view.season.plan
    divisions = list(dict.fromkeys(line.division for line in lines))
    blocks: list[Block] = [
        _grid(view, division, [line for line in lines if line.division == division]) for division in divisions
    ]
    blocks.append(BulletList(heading=_("How it counts"), items=tuple(describe_plan(view))))
    if changes := late_corrections(view):
        blocks.append(BulletList(heading=_("Late corrections"), items=tuple(map(describe_correction, changes))))
    subtitle = ngettext(
        "Standings after %(num)d evening", "Standings after %(num)d evenings", len(view.season.evenings)
    )
    return Printout(title=plan.title, subtitle=subtitle, blocks=tuple(blocks))


def _grid(view: SeasonView, division: str, lines: list[SeasonLine]) -> Grid:
    weeks = len(view.season.evenings)
    head = ("", _("Name"), *(_("W%(week)d", week=week) for week in range(1, weeks + 1)))
    rows = tuple(
        (
            str(line.place),
            line.name,
            *map(_cell, line.cells),
            str(line.came),
            f"{float(line.per_round):.2f}",
            decimal(line.total),
        )
        for line in lines
    )
    return Grid(
        heading=division,
        head=(*head, _("Came"), _("A round"), _("Total")),
        rows=rows,
        keep_together=False,
        number_columns=(0, *range(2, weeks + 5)),
        widths=(0, 1, *[0] * (weeks + 3)),
    )


def _cell(cell: EveningCell | None) -> str:
    if cell is None:
        return "–"
    return decimal(cell.worth) if cell.counts else f"({decimal(cell.worth)})"
