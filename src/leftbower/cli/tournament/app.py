"""`leftbower tournament`: an evening at the desk, offline, on one file."""

from typing import Any

import typer
from typer.core import TyperGroup


class _LazyGroup(TyperGroup):
    """Imports the commands when one is looked up, and the tournament package with them: others start faster."""

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


app = typer.Typer(cls=_LazyGroup, help="Events: enter, draw, score, rank and pay, on one file.", no_args_is_help=True)
