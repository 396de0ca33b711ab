"""What the commands of `leftbower tournament` have in common."""

from typing import Annotated

import typer

EventFile = Annotated[str, typer.Argument(help="The file of the event.", show_default=False)]
By = Annotated[str, typer.Option("--by", help="Who writes it down.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON for programs.")]
