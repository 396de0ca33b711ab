"""Arguments and options shared by the commands of `leftbower tournament`."""

from typing import Annotated

import typer

EventFile = Annotated[str, typer.Argument(help="The event file.", show_default=False)]
By = Annotated[str, typer.Option("--by", help="Who enters this.")]
Upto = Annotated[int, typer.Option("--upto", help="Use only this many lines of the ledger.", show_default=False, min=0)]
Json = Annotated[bool, typer.Option("--json", help="Print JSON for programs.")]
