"""Options, exit status and progress bar shared by the commands."""

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Final

import typer

if TYPE_CHECKING:
    from rich.progress import Progress

Json = Annotated[bool, typer.Option("--json", help="Print JSON for programs.")]
Processes = Annotated[int, typer.Option(min=1, help="Number of processes.")]
HandSeed = Annotated[int, typer.Option(help="Random seed; the same seed gives the same hands.")]
CrashSeed = Annotated[int, typer.Option(help="Random seed of the simulated people and the kills.")]
INTERRUPTED_STATUS: Final = 130
"""Exit status after Ctrl-C; the results so far have been printed."""


class Database(StrEnum):
    """The store of the servers under test."""

    SQLITE = "sqlite"
    POSTGRESQL = "postgresql"


def progress_bar() -> "Progress":
    """A progress bar on standard error; disabled unless that is a terminal."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn

    console = Console(stderr=True)
    columns = (BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    return Progress(*columns, console=console, transient=True, disable=not console.is_terminal)


def format_done(done: int, requested: int) -> str:
    """`5,000`, or `200 of 5,000` after an interrupt."""
    return f"{done:,}" if done == requested else f"{done:,} of {requested:,}"
