"""Options and progress bar of the load tests."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from collections.abc import Callable

LoadSeed = Annotated[int, typer.Option(help="Random seed of the simulated people.")]


@contextmanager
def step_progress() -> "Iterator[Callable[[str, int, int], None]]":
    """Yield `update(step, done, total)`. Only that redraws the bar, so that no timer disturbs a measurement."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    quiet = not console.is_terminal
    with Progress(*columns, console=console, transient=True, disable=quiet, auto_refresh=False) as progress:
        task = progress.add_task("", total=None)

        def update(step: str, done: int, total: int) -> None:
            progress.update(task, description=step, completed=done, total=total, refresh=True)

        yield update
