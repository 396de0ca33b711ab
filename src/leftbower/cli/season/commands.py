"""The commands of `leftbower season`, in the order in which an organizer uses them."""

from typing import Final

import typer

from leftbower.cli.season import evenings, players, standings

app = typer.Typer(rich_markup_mode=None)

_NEW: Final = (
    "Examples:  leftbower season new fall.jsonl --title 'Tuesday season' --best 5 --playoffs 4;  leftbower season new "
    "fall.jsonl --divisions 'Gold,Silver' --promoted 2"
)
_CONFIRM: Final = (
    "Examples:  leftbower season confirm fall.jsonl;  leftbower season confirm fall.jsonl 'Annie A.' 'Ann Ashby';  "
    "leftbower season confirm fall.jsonl Zoe --new"
)
app.command(epilog=_NEW)(evenings.new)
app.command(epilog="Example:  leftbower season add fall.jsonl week1.jsonl week2.jsonl")(evenings.add)
app.command(epilog=_CONFIRM)(players.confirm)
app.command(epilog="Example:  leftbower season divide fall.jsonl Gold 'Ann Ashby' 'Zach Zane'")(players.divide)
app.command(epilog="Example:  leftbower season forget fall.jsonl 'Ann Ashby' --only-rating")(players.forget)
app.command(epilog="Examples:  leftbower season standings fall.jsonl;  leftbower season standings fall.jsonl --csv")(
    standings.standings
)
app.command(epilog="Example:  leftbower season ratings fall.jsonl --pairs")(standings.ratings)
app.command("print", epilog="Example:  leftbower season print fall.jsonl --out fall.html")(standings.print_)
app.command(epilog="Example:  leftbower season evening fall.jsonl week8.jsonl")(evenings.evening)
app.command(epilog="Example:  leftbower season playoffs fall.jsonl final.jsonl")(evenings.playoffs)
app.command("next", epilog="Example:  leftbower season next fall.jsonl spring.jsonl --title 'Spring'")(evenings.next_)
