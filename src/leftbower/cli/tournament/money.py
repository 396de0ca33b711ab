"""`leftbower tournament payout`: compute the prizes, and record once that they were paid."""

from typing import Annotated

import typer

from leftbower.cli.common.output import print_json
from leftbower.cli.tournament.event_file import open_ledger
from leftbower.cli.tournament.options import By, EventFile, Json
from leftbower.tournament.model.commands import pay_out
from leftbower.tournament.scoring.money import payouts
from leftbower.tournament.text.parse import format_dollars


def payout(
    file: EventFile,
    pay: Annotated[bool, typer.Option("--pay", help="Record that all prizes were paid.")] = False,
    by: By = "desk",
    json: Json = False,
) -> None:
    """Show the prizes, and record that they were paid.

    Tied entrants split their cash prizes. Gift cards can't be split, so draw the tie first.
    """
    ledger = open_ledger(file)
    prizes = payouts(ledger.event)
    if pay:
        ledger.write(*pay_out(ledger.event), by=by)
    event = ledger.event
    names = event.names
    if json:
        rows = [{"entrant": names[entrant], "cents": cents} for entrant, cents in prizes.by_entrant().items()]
        print_json({"pool": prizes.pool, "payouts": rows})
        return
    for prize in prizes.prizes:
        paid = "paid" if event.paid_out.get(prize.entrant) else "to pay"
        print(f"{format_dollars(prize.cents):>10}  {names[prize.entrant]}  ({prize.reason}; {paid})")
    print(f"{format_dollars(prizes.pool):>10}  total")
