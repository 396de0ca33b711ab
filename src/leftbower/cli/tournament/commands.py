"""The commands of `leftbower tournament`, in the order in which an event uses them."""

from typing import Final

import typer

from leftbower.cli.tournament import entrants, money, new, pairing, printing, scoring, stages, standings

app = typer.Typer(rich_markup_mode=None)

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
app.command(help=new.HELP, epilog=_NEW)(new.new)
app.command(epilog=_ENTER)(entrants.enter)
app.command(epilog="Example:  leftbower tournament mark night.jsonl present 'Ann & Bob'")(entrants.mark)
app.command(epilog="Example:  leftbower tournament substitute night.jsonl Ann Zoe --rounds 3-5")(entrants.substitute)
app.command(epilog="Examples:  leftbower tournament pair night.jsonl;  leftbower tournament pair night.jsonl --redraw")(
    pairing.pair
)
app.command(epilog=_SCORE)(scoring.score)
app.command(epilog="Example:  leftbower tournament correct night.jsonl 1 3 10-8 --why 'a sheet misread'")(
    scoring.correct
)
app.command(epilog="Example:  leftbower tournament standings monday.jsonl tuesday.jsonl")(standings.standings)
app.command(epilog="Example:  leftbower tournament audit night.jsonl --start 19:00")(standings.audit)
app.command(epilog="Example:  leftbower tournament draw-tie night.jsonl 'Ann & Bob' 'Cid & Dot'")(stages.draw_tie)
app.command(epilog="Example:  leftbower tournament final night.jsonl --top 4 --best-of 3")(stages.final)
app.command(epilog="Examples:  leftbower tournament status night.jsonl close")(stages.status)
app.command(
    epilog="Examples:  leftbower tournament payout night.jsonl;  leftbower tournament payout night.jsonl --pay"
)(money.payout)
app.command("print", epilog="Example:  leftbower tournament print night.jsonl cards --out cards.html")(printing.print_)
app.command(epilog="Example:  leftbower tournament export night.jsonl standings > standings.csv")(printing.export)
