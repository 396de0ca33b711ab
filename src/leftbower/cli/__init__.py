"""The commands: one small file each. What a command needs it imports when it runs, so that help comes at once."""

import os
import sys
from typing import Annotated

import typer

from leftbower.cli import bench, perft, play, referee, replay, rules
from leftbower.cli.output import report
from leftbower.errors import LeftbowerError

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
app.command(epilog=referee.EXAMPLES)(referee.referee)
app.command(epilog=play.EXAMPLES)(play.play)
app.command(epilog=replay.EXAMPLES)(replay.replay)
app.command(epilog=perft.EXAMPLES)(perft.perft)
app.add_typer(bench.app, name="bench")


def _version(asked: bool) -> None:
    if asked:
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
    """Run a command; whatever is wrong with its input is one sentence and status 2."""
    try:
        app(prog_name="leftbower")
    except LeftbowerError as error:
        report(error, as_json="--json" in sys.argv)
        sys.exit(2)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
