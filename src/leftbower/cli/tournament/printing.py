"""`leftbower tournament print | export`: printouts for the hall, and CSV or JSON for programs."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from leftbower.cli.common.output import print_json
from leftbower.cli.tournament.event_file import open_ledger
from leftbower.cli.tournament.options import EventFile, Upto
from leftbower.errors import BadUsage, UnreadableFile
from leftbower.printing import PRINTOUTS, PaperSize, to_html, to_pdf
from leftbower.tournament.model.codec import entry_to_json
from leftbower.tournament.text.exports import EXPORTS, export_csv, export_json
from leftbower.tournament.text.parse import parse_choice


def print_(
    file: EventFile,
    what: Annotated[
        str,
        typer.Argument(
            help="cards, tents, sheets, chart, rules, standings, payouts, audit or bracket.", show_default=False
        ),
    ],
    out: Annotated[
        str, typer.Option(help="A .html or .pdf file; by default HTML on standard output.", show_default=False)
    ] = "",
    paper: Annotated[str, typer.Option(help="a4 or letter.")] = "letter",
    upto: Upto = 0,
) -> None:
    """Make player cards, table tents, score sheets, charts and lists.

    Print HTML pages from any browser. A .pdf needs the pdf extra.
    """
    if what not in PRINTOUTS:
        raise BadUsage("print one of %(names)s", path="print", names=", ".join(PRINTOUTS))
    printout = PRINTOUTS[what](open_ledger(file, upto).event)
    size = parse_choice(PaperSize, paper, "paper")
    if not out:
        sys.stdout.write(to_html(printout, size))
        return
    written = to_pdf(printout, size) if out.lower().endswith(".pdf") else to_html(printout, size).encode()
    try:
        Path(out).write_bytes(written)
    except OSError as why:
        raise UnreadableFile("can't write this file: %(reason)s", path=out, reason=why.strerror) from None
    print(f"Wrote {out}.")


def export(
    file: EventFile,
    what: Annotated[str, typer.Argument(help="entrants, pairings, results, standings, payouts or ledger.")],
    upto: Upto = 0,
    json: Annotated[bool, typer.Option("--json", help="JSON instead of CSV.")] = False,
) -> None:
    """Export part of an event as CSV or JSON.

    Names that a spreadsheet would read as formulas are escaped in CSV. The ledger is JSON, one fact per line.
    """
    ledger = open_ledger(file, upto)
    if what == "ledger":
        for entry in ledger.entries:
            print_json(entry_to_json(entry))
        return
    if what not in EXPORTS:
        raise BadUsage("export one of %(names)s", path="export", names=", ".join((*EXPORTS, "ledger")))
    if json:
        print_json(export_json(ledger.event, what))
    else:
        print(export_csv(ledger.event, what), end="")
