"""`leftbower season new | add | evening | playoffs | next`: the season, its evenings and its playoffs."""

from dataclasses import replace
from fractions import Fraction
from typing import Annotated

import typer

from leftbower.cli.common.output import print_result
from leftbower.cli.season.log_file import new_season, open_season
from leftbower.cli.tournament.event_file import new_ledger, open_ledger
from leftbower.cli.tournament.options import Json
from leftbower.errors import BadUsage, show
from leftbower.tournament.model.facts import EventOpened
from leftbower.tournament.season.commands import (
    add_evening,
    entrant_facts,
    evening_facts,
    evening_plan,
    next_season,
    playoff_plan,
)
from leftbower.tournament.season.facts import PlayoffsStarted, SeasonOpened
from leftbower.tournament.season.plan import Counting, SeasonPlan
from leftbower.tournament.season.standings import playoff_players
from leftbower.tournament.text.parse import parse_choice

SeasonPath = Annotated[str, typer.Argument(help="The season's file.", show_default=False)]
NewEvent = Annotated[str, typer.Argument(help="The file of the new event.", show_default=False)]


def new(
    file: SeasonPath,
    title: Annotated[str, typer.Option(help="The name of the season.")] = "Season",
    weeks: Annotated[int, typer.Option(help="Planned number of evenings; 0 if open.")] = 0,
    best: Annotated[int, typer.Option(help="How many of a player's best evenings count; 0 for all.")] = 0,
    counting: Annotated[str, typer.Option(help="points, points-per-round or matches.")] = "points",
    attendance: Annotated[int, typer.Option(help="Points for each evening a player comes.")] = 0,
    absent_share: Annotated[
        str, typer.Option(help="Share of a substitute's points for the absent player, like 1/2.")
    ] = "1/2",
    substitute_share: Annotated[str, typer.Option(help="Share for the substitute.")] = "0",
    teams: Annotated[bool, typer.Option("--teams", help="Rank teams, not their players.")] = False,
    divisions: Annotated[str, typer.Option(help="Divisions, best first, like Gold,Silver.", show_default=False)] = "",
    promoted: Annotated[int, typer.Option(help="How many move up and down after the season.")] = 0,
    playoffs: Annotated[int, typer.Option(help="How many of the best play off; 0 for no playoffs.")] = 0,
    needed: Annotated[int, typer.Option(help="Evenings a player needs for the playoffs.")] = 0,
    ratings: Annotated[bool, typer.Option("--ratings", help="Rate players and pairs.")] = False,
    json: Json = False,
) -> None:
    """Create a season in a new file."""
    plan = SeasonPlan(
        title=title,
        evenings=weeks,
        best=best,
        counting=parse_choice(Counting, counting, "counting"),
        attendance=attendance,
        absent_share=_parse_share(absent_share),
        substitute_share=_parse_share(substitute_share),
        teams=teams,
        divisions=tuple(name.strip() for name in divisions.split(",") if name.strip()),
        promoted=promoted,
        playoffs=playoffs,
        needed=needed,
        ratings=ratings,
    )
    new_season(file, SeasonOpened(plan=plan))
    print_result({"title": title, "file": file}, f"{title}, in {file}. Add evenings next.", as_json=json)


def add(
    file: SeasonPath,
    events: Annotated[list[str], typer.Argument(help="Event files, oldest first.", metavar="events")],
    json: Json = False,
) -> None:
    """Add evenings that `leftbower tournament` wrote.

    Everyone in the first evening joins the season. Later, a name that is known is the same player; confirm the
    others.
    """
    season_file = open_season(file)
    for path in events:
        open_ledger(path)
        event = season_file.relative(path)
        season_file.write(*add_evening(season_file.view(event), event))
    view = season_file.view()
    missing = sorted({name for event in map(season_file.relative, events) for name in view.unconfirmed(event).values()})
    lines = [f"{len(season_file.season.evenings)} evenings, {len(season_file.season.players)} players."]
    if missing:
        lines.append(f"Confirm who this is, or their results don't count: {', '.join(missing)}.")
    plain = {"evenings": len(season_file.season.evenings), "unconfirmed": missing}
    print_result(plain, *lines, as_json=json)


def evening(file: SeasonPath, event: NewEvent, json: Json = False) -> None:
    """Create the next evening: the plan of the last one, with everyone of the season in order of the standings."""
    season_file = open_season(file)
    view = season_file.view()
    plan = evening_plan(view)
    new_ledger(event, EventOpened(plan=plan), by="desk").write(*evening_facts(view), by="desk")
    season_file.write(*add_evening(season_file.view(season_file.relative(event)), season_file.relative(event)))
    print_result({"event": event, "title": plan.title}, f"{plan.title}, in {event}. Draw it next.", as_json=json)


def playoffs(file: SeasonPath, event: NewEvent, json: Json = False) -> None:
    """Create the playoffs from the standings, best first, and enter the players."""
    season_file = open_season(file)
    view = season_file.view()
    chosen = playoff_players(view)
    plan = playoff_plan(view)
    new_ledger(event, EventOpened(plan=plan), by="desk").write(*entrant_facts(view, chosen), by="desk")
    season_file.write(PlayoffsStarted(event=season_file.relative(event)))
    names = [line.name for line in chosen]
    lines = (f"{plan.title} ({plan.stage.format}), in {event}: {', '.join(names)}.",)
    print_result({"event": event, "format": str(plan.stage.format), "players": names}, *lines, as_json=json)


def next_(
    file: SeasonPath,
    new_file: Annotated[str, typer.Argument(help="The file of the new season.", show_default=False)],
    title: Annotated[str, typer.Option(help="Its name; by default the same.", show_default=False)] = "",
    json: Json = False,
) -> None:
    """Create the next season with the same people and plan, after moving them up and down.

    It has to be in the folder of the last one, whose evenings have the names.
    """
    view = open_season(file).view()
    plan = replace(view.season.plan, title=title or view.season.plan.title)
    created = new_season(new_file, *next_season(view, plan))
    print_result(
        {"file": new_file, "players": len(created.season.players)},
        f"{plan.title}, in {new_file}, with {len(created.season.players)} players.",
        as_json=json,
    )


def _parse_share(text: str) -> Fraction:
    try:
        return Fraction(text[:10])
    except (ValueError, ZeroDivisionError):
        raise BadUsage("%(share)s is not a share; write 1/2", path="share", share=show(text)) from None
