"""`leftbower season standings | ratings | print`: who leads, who is strong, and both on paper."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from leftbower.cli.common.output import print_json
from leftbower.cli.season.evenings import SeasonPath
from leftbower.cli.season.log_file import open_season
from leftbower.cli.tournament.options import Json
from leftbower.errors import BadUsage, UnreadableFile
from leftbower.printing import PaperSize, season_printout, to_html, to_pdf
from leftbower.tournament.season.changes import late_corrections
from leftbower.tournament.season.describe import describe_correction, describe_plan
from leftbower.tournament.season.exports import (
    decimal,
    rating_to_json,
    season_csv,
    season_to_json,
    shown_ratings,
)
from leftbower.tournament.season.standings import EveningCell, season_standings
from leftbower.tournament.text.parse import parse_choice


def standings(
    file: SeasonPath,
    csv: Annotated[bool, typer.Option("--csv", help="CSV for a spreadsheet.")] = False,
    json: Json = False,
) -> None:
    """Rank the players; evenings that don't count are in brackets, those with a substitute have an s."""
    view = open_season(file).view()
    if json:
        print_json(season_to_json(view))
        return
    if csv:
        print(season_csv(view), end="")
        return
    lines = season_standings(view)
    width = max([len(line.name) for line in lines] + [4])
    weeks = "".join(f"{f'W{number}':>8}" for number in range(1, len(view.season.evenings) + 1))
    print(f"{'':>3}  {'name':<{width}}{weeks}  {'came':>4} {'a round':>7} {'total':>7}")
    division = ""
    for line in lines:
        if line.division != division:
            division = line.division
            print(division)
        cells = "".join(f"{_cell(cell):>8}" for cell in line.cells)
        numbers = f"{line.came:>4} {decimal(line.per_round):>7} {decimal(line.total):>7}"
        print(f"{line.place:>3}  {line.name:<{width}}{cells}  {numbers}")
    for sentence in (*describe_plan(view), *map(describe_correction, late_corrections(view))):
        print(f"  {sentence}")
    missing = sum(len(view.unconfirmed(evening.event)) for evening in view.season.evenings)
    if missing:
        print(f"  Names that aren't confirmed, and don't count yet: {missing}.")


def _cell(cell: EveningCell | None) -> str:
    if cell is None:
        return "away"
    text = f"{decimal(cell.worth)}{'s' if cell.substituted else ''}"
    return text if cell.counts else f"({text})"


def ratings(
    file: SeasonPath,
    pairs: Annotated[bool, typer.Option("--pairs", help="Rate pairs instead of people.")] = False,
    json: Json = False,
) -> None:
    """Rate the players by their matches, each with its error; the surest come first.

    The season has to rate its players. Players who opted out count as strangers. Needs the ratings extra.
    """
    view = open_season(file).view()
    if not view.season.plan.ratings:
        raise BadUsage("this season has no ratings; create it with --ratings")
    people, teams = shown_ratings(view)
    lines = teams if pairs else people
    if json:
        print_json([rating_to_json(view, line) for line in lines])
        return
    for line in lines:
        names = " & ".join(view.names[player] for player in line.players)
        print(f"{line.rating:>5} ± {line.error:<4} {line.matches:>4} matches  {names}")


def print_(
    file: SeasonPath,
    out: Annotated[
        str, typer.Option(help="A .html or .pdf file; by default HTML on standard output.", show_default=False)
    ] = "",
    paper: Annotated[str, typer.Option(help="a4 or letter.")] = "letter",
) -> None:
    """Print the standings. A .pdf needs the pdf extra."""
    printout, size = season_printout(open_season(file).view()), parse_choice(PaperSize, paper, "paper")
    if not out:
        sys.stdout.write(to_html(printout, size))
        return
    written = to_pdf(printout, size) if out.lower().endswith(".pdf") else to_html(printout, size).encode()
    try:
        Path(out).write_bytes(written)
    except OSError as why:
        raise UnreadableFile("can't write this file: %(reason)s", path=out, reason=why.strerror) from None
    print(f"Wrote {out}.")
