"""`leftbower tournament`: an evening at the desk, offline, on one file."""

from typing import Final

import typer

from leftbower.cli import (
    tournament_course,
    tournament_entering,
    tournament_money,
    tournament_new,
    tournament_pairing,
    tournament_printing,
    tournament_scoring,
    tournament_standing,
)

app = typer.Typer(help="Events: enter, draw, score, rank and pay, on one file.", no_args_is_help=True)

_NEW: Final = (
    "Examples:  leftbower tournament new cup.jsonl --rules school-cup;  leftbower tournament new night.jsonl "
    "--rules prize-night --format swiss --rounds 5 --fee 10"
)
_ENTER: Final = (
    "Examples:  leftbower tournament enter night.jsonl 'Ann & Bob' 'Cid & Dot';  leftbower tournament enter "
    "night.jsonl --from names.csv"
)
_SCORE: Final = (
    "Examples:  leftbower tournament score night.jsonl 1 3 10-6;  leftbower tournament score night.jsonl 1 3 --hands "
    "'N3 E5! S2 p N4 W3';  leftbower tournament score night.jsonl 1 3 --side EW --confirm"
)
app.command(epilog=_NEW)(tournament_new.new)
app.command(epilog=_ENTER)(tournament_entering.enter)
app.command(epilog="Example:  leftbower tournament mark night.jsonl here 'Ann & Bob'")(tournament_entering.mark)
app.command(epilog="Example:  leftbower tournament substitute night.jsonl Ann Zoe --rounds 3-5")(
    tournament_entering.substitute
)
app.command(epilog="Examples:  leftbower tournament pair night.jsonl;  leftbower tournament pair night.jsonl --redraw")(
    tournament_pairing.pair
)
app.command(epilog=_SCORE)(tournament_scoring.score)
app.command(epilog="Example:  leftbower tournament correct night.jsonl 1 3 10-8 --why 'a sheet misread'")(
    tournament_scoring.correct
)
app.command(epilog="Example:  leftbower tournament standings monday.jsonl tuesday.jsonl")(tournament_standing.standings)
app.command(epilog="Example:  leftbower tournament audit night.jsonl --start 19:00")(tournament_standing.audit)
app.command(epilog="Example:  leftbower tournament draw night.jsonl 'Ann & Bob' 'Cid & Dot'")(tournament_course.draw)
app.command(epilog="Example:  leftbower tournament final night.jsonl --top 4 --best-of 3")(tournament_course.final)
app.command(epilog="Examples:  leftbower tournament course night.jsonl close")(tournament_course.course)
app.command(
    epilog="Examples:  leftbower tournament payout night.jsonl;  leftbower tournament payout night.jsonl --pay"
)(tournament_money.payout)
app.command("print", epilog="Example:  leftbower tournament print night.jsonl cards --out cards.html")(
    tournament_printing.print_
)
app.command(epilog="Example:  leftbower tournament export night.jsonl standings > standings.csv")(
    tournament_printing.export
)
