"""The command group `leftbower tournament`, loaded on first use."""

import typer

from leftbower.cli.common.lazy_group import LazyGroup


class _Tournament(LazyGroup):
    commands_module = "leftbower.cli.tournament.commands"


app = typer.Typer(
    cls=_Tournament, help="Run a tournament in one file: enter, draw, score, rank and pay.", no_args_is_help=True
)
