"""The commands: one small file each. What a command needs it imports when it runs, so that help comes at once."""

import os
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, TextIO

import typer

from leftbower.cli import (
    arena,
    backup,
    bench,
    expire,
    fit,
    hint,
    perft,
    play,
    prove,
    referee,
    replay,
    rules,
    serve,
    simulate,
    solve,
    tournament,
    verify,
)
from leftbower.cli.output import report
from leftbower.errors import LeftbowerError, Uncompiled

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
app.add_typer(fit.app, name="fit")
app.add_typer(bench.app, name="bench")
app.add_typer(prove.app, name="prove")


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
        with _short_warnings():
            app(prog_name="leftbower")
    except LeftbowerError as error:
        report(error, as_json="--json" in sys.argv)
        sys.exit(2)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)


@contextmanager
def _short_warnings() -> Iterator[None]:
    """Say in one line, as everything else is said, that the kernel is not compiled; it is no fault of the input."""
    with warnings.catch_warnings():
        shown = warnings.showwarning

        def show(
            message: Warning | str,
            category: type[Warning],
            filename: str,
            lineno: int,
            file: TextIO | None = None,
            line: str | None = None,
        ) -> None:
            if issubclass(category, Uncompiled):
                print(f"leftbower: {message}", file=sys.stderr)
            else:
                shown(message, category, filename, lineno, file, line)

        warnings.showwarning = show
        yield
