"""`leftbower season confirm | divide | forget`: who is who, divisions, and people who want to be left out."""

from typing import Annotated

import typer

from leftbower.cli.common.output import print_json, print_result
from leftbower.cli.season.evenings import SeasonPath
from leftbower.cli.season.log_file import SeasonFile, find_player, open_season
from leftbower.cli.tournament.options import Json
from leftbower.errors import BadUsage
from leftbower.tournament.season.commands import new_player
from leftbower.tournament.season.facts import (
    DivisionChanged,
    Identity,
    PlayerErased,
    PlayersConfirmed,
    RatingChosen,
)
from leftbower.tournament.season.view import SeasonView, name_key


def confirm(
    file: SeasonPath,
    name: Annotated[
        str, typer.Argument(help="A name as it stands in an evening; without one, list those to confirm.")
    ] = "",
    player: Annotated[str, typer.Argument(help="The player of the season who it is.")] = "",
    new: Annotated[bool, typer.Option("--new", help="A new player.")] = False,
    week: Annotated[int, typer.Option(help="Only in this evening; 0 for all.")] = 0,
    absent: Annotated[
        str, typer.Option(help="The player for whom this one was a substitute all evening.", show_default=False)
    ] = "",
    json: Json = False,
) -> None:
    """Confirm who is who: once for each spelling, and again if two people share a name."""
    season_file = open_season(file)
    view = season_file.view()
    if not name:
        _list(view, as_json=json)
        return
    if new == bool(player):
        raise BadUsage("name a player of the season, or use --new")
    identity = new_player(view.season) if new else find_player(view, player)
    replaced = find_player(view, absent) if absent else ""
    facts = list(_confirmations(view, name, identity, replaced, week))
    if not facts:
        raise BadUsage("no evening has a %(name)s", path="name", name=name)
    season_file.write(*facts)
    names = season_file.view().names
    print_result(
        {"name": name, "player": names[identity]}, f"{name} is {names[identity]}, {len(facts)} times.", as_json=json
    )


def _confirmations(view: SeasonView, name: str, player: str, absent: str, week: int) -> list[PlayersConfirmed]:
    facts = []
    for number, evening in enumerate(view.season.evenings, 1):
        open_chairs = view.chairs[evening.event] if week else view.unconfirmed(evening.event)
        chairs = [chair for chair, other in open_chairs.items() if name_key(other) == name_key(name)]
        if chairs and week in (0, number):
            identities = tuple(Identity(chair=chair, player=player, absent=absent) for chair in chairs)
            facts.append(PlayersConfirmed(event=evening.event, identities=identities))
    return facts


def _list(view: SeasonView, *, as_json: bool) -> None:
    """Names to confirm, with the player that each may be."""
    rows = [
        {"week": number, "name": name, "suggested": view.names.get(view.suggest(name), "")}
        for number, evening in enumerate(view.season.evenings, 1)
        for name in view.unconfirmed(evening.event).values()
    ]
    if as_json:
        print_json(rows)
        return
    for row in rows:
        print(f"week {row['week']}: {row['name']}" + (f"  (perhaps {row['suggested']})" if row["suggested"] else ""))
    if not rows:
        print("Everyone is confirmed.")


def divide(
    file: SeasonPath,
    division: Annotated[str, typer.Argument(help="The division.")],
    names: Annotated[list[str], typer.Argument(help="Its players.", metavar="names")],
    json: Json = False,
) -> None:
    """Put players into a division."""
    season_file = open_season(file)
    view = season_file.view()
    season_file.write(*(DivisionChanged(player=find_player(view, name), division=division) for name in names))
    print_result({"division": division, "players": names}, f"{division}: {', '.join(names)}.", as_json=json)


def forget(
    file: SeasonPath,
    name: Annotated[str, typer.Argument(help="The player.", show_default=False)],
    only_rating: Annotated[bool, typer.Option("--only-rating", help="Keep the name, but don't rate them.")] = False,
    json: Json = False,
) -> None:
    """Take a player's name and rating out of the season; the results stay, without a name."""
    season_file: SeasonFile = open_season(file)
    player = find_player(season_file.view(), name)
    season_file.write(RatingChosen(player=player, rated=False) if only_rating else PlayerErased(player=player))
    done = f"{name} is no longer rated." if only_rating else f"{name} is now {season_file.view().names[player]}."
    print_result({"name": name, "erased": not only_rating}, done, as_json=json)
