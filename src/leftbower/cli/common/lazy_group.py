"""A command group whose commands are imported on first lookup, so that other commands start faster."""

from importlib import import_module
from typing import Any

import typer
from typer.core import TyperGroup


class LazyGroup(TyperGroup):
    """Imports `commands` beside the module of the group."""

    commands_module = ""

    def list_commands(self, ctx: Any) -> list[str]:
        self._load()
        return super().list_commands(ctx)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        self._load()
        return super().get_command(ctx, cmd_name)

    def _load(self) -> None:
        if not self.commands:
            app = import_module(self.commands_module).app
            self.commands.update(typer.main.get_group(app).commands)
