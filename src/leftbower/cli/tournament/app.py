"""The command group `leftbower tournament`, loaded on first use."""

from typing import Any

import typer
from typer.core import TyperGroup


class _LazyGroup(TyperGroup):
    """Imports the commands and the tournament package on first lookup, so that other commands start faster."""

    def list_commands(self, ctx: Any) -> list[str]:
        self._load()
        return super().list_commands(ctx)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        self._load()
        return super().get_command(ctx, cmd_name)

    def _load(self) -> None:
        if not self.commands:
            from leftbower.cli.tournament.commands import app as commands

            self.commands.update(typer.main.get_group(commands).commands)


app = typer.Typer(
    cls=_LazyGroup, help="Run a tournament in one file: enter, draw, score, rank and pay.", no_args_is_help=True
)
