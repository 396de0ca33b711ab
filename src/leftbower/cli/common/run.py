"""Run a Typer application as a process: a LeftbowerError becomes one sentence and status 2."""

import os
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

import typer

from leftbower.cli.common.output import report
from leftbower.errors import LeftbowerError, Uncompiled


def run_app(app: typer.Typer, program: str) -> None:
    """Run the command in `sys.argv`; print a LeftbowerError as one sentence, with `--json` also as JSON."""
    try:
        with _short_warnings():
            app(prog_name=program)
    except LeftbowerError as error:
        report(error, as_json="--json" in sys.argv)
        sys.exit(2)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)


@contextmanager
def _short_warnings() -> Iterator[None]:
    """Print the warning that the kernel is not compiled as one line, without file and source line."""
    with warnings.catch_warnings():
        original = warnings.showwarning

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
                original(message, category, filename, lineno, file, line)

        warnings.showwarning = show
        yield
