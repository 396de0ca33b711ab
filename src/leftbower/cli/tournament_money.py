"""`leftbower tournament payout`: who gets what, and paying it once."""

from typing import Annotated

import typer

from leftbower.cli.output import print_json
from leftbower.cli.tournament_options import By, EventFile, Json


def payout(
    file: EventFile,
    pay: Annotated[bool, typer.Option("--pay", help="Note that all of it was paid out.")] = False,
    by: By = "desk",
    json: Json = False,
) -> None:
    """Work out the prizes, and note once that they were paid.

    Cash between those who are level is pooled and split; a gift card is not, so that lots must be drawn first.
    """
    from leftbower.cli.ledgers import open_ledger
    from leftbower.tournament import dollars, paying_out, payouts

    ledger = open_ledger(file)
    found = payouts(ledger.event)
    if pay:
        ledger.write(*paying_out(ledger.event), by=by)
    event = ledger.event
    names = {entrant: one.name for entrant, one in event.entrants.items()}
    if json:
        rows = [{"entrant": names[entrant], "cents": cents} for entrant, cents in found.by_entrant().items()]
        print_json({"pool": found.pool, "payouts": rows})
        return
    for one in found.prizes:
        paid = "paid" if event.paid_out.get(one.entrant) else "to pay"
        print(f"{dollars(one.cents):>10}  {names[one.entrant]}  ({one.what}; {paid})")
    print(f"{dollars(found.pool):>10}  in all")
