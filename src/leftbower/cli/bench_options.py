"""What the benches share: options, and a progress bar where somebody looks."""

from typing import TYPE_CHECKING, Annotated, Final

import typer

if TYPE_CHECKING:
    from rich.progress import Progress

Json = Annotated[bool, typer.Option("--json", help="Print JSON for programs.")]
Seed = Annotated[int, typer.Option(help="Where the random hands begin; the same seed plays the same hands.")]
INTERRUPTED: Final = 130
"""The status of what was ended early."""


def shown_progress() -> "Progress":
    """A progress bar where somebody looks."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn

    console = Console(stderr=True)
    columns = (BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    return Progress(*columns, console=console, transient=True, disable=not console.is_terminal)
