"""What the commands of `leftbower tournament` have in common."""

from typing import Annotated

import typer

EventFile = Annotated[str, typer.Argument(help="The file of the event.", show_default=False)]
By = Annotated[str, typer.Option("--by", help="Who writes it down.")]
Upto = Annotated[
    int, typer.Option("--upto", help="As it was after this many lines of the ledger.", show_default=False, min=0)
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON for programs.")]
