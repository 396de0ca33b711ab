"""The `leftbower` command line, one file per command. Commands import their code when they run, to keep --help fast."""

from typing import Annotated

import typer

from leftbower.cli import arena, backup, expire, hint, perft, referee, replay, rules, serve, simulate, solve, verify
from leftbower.cli.common.run import run_app
from leftbower.cli.play import command as play
from leftbower.cli.season import app as season
from leftbower.cli.tournament import app as tournament

app = typer.Typer(
    name="leftbower",
    help="Euchre as your table plays it.",
    epilog="Start here:  leftbower play",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    add_completion=False,
)
app.add_typer(rules.app, name="rules")
app.add_typer(tournament.app, name="tournament")
app.add_typer(season.app, name="season")
app.command(epilog=referee.EXAMPLES)(referee.referee)
app.command(epilog=play.EXAMPLES)(play.play)
app.command(epilog=serve.EXAMPLES)(serve.serve)
app.command(epilog=backup.BACKUP_EXAMPLES)(backup.backup)
app.command(epilog=backup.RESTORE_EXAMPLES)(backup.restore)
app.command(epilog=expire.EXAMPLES)(expire.expire)
app.command(epilog=replay.EXAMPLES)(replay.replay)
app.command(epilog=verify.EXAMPLES)(verify.verify)
app.command(epilog=solve.EXAMPLES)(solve.solve)
app.command(epilog=hint.EXAMPLES)(hint.hint)
app.command(epilog=perft.EXAMPLES)(perft.perft)
app.command(epilog=arena.EXAMPLES)(arena.arena)
app.command(epilog=simulate.EXAMPLES)(simulate.simulate)


def _version(requested: bool) -> None:
    if requested:
        from importlib.metadata import version as installed

        print(f"leftbower {installed('leftbower')}")
        raise typer.Exit


@app.callback()
def _leftbower(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    pass


def main() -> None:
    """Run the command line of this process."""
    run_app(app, "leftbower")
