"""The command group `leftbower season`, loaded on first use."""

import typer

from leftbower.cli.common.lazy_group import LazyGroup


class _Season(LazyGroup):
    commands_module = "leftbower.cli.season.commands"


app = typer.Typer(
    cls=_Season, help="Join evenings into a season: standings, divisions, playoffs, ratings.", no_args_is_help=True
)
