"""`leftbower tournament enter | mark | substitute`: who takes part, who is here, who sits in for whom."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Annotated, Final

import typer

from leftbower.cli.output import print_json
from leftbower.cli.tournament_options import By, EventFile, Json
from leftbower.errors import BadEntry, BadUsage

if TYPE_CHECKING:
    from leftbower.cli.ledgers import Ledger
    from leftbower.tournament import Event, EventFact, Listed

_LONGEST_LIST: Final = 1024 * 1024


def enter(
    file: EventFile,
    names: Annotated[
        list[str] | None, typer.Argument(help="Players, or teams as 'Ann & Bob'.", metavar="names")
    ] = None,
    source: Annotated[
        str, typer.Option("--from", help="A list of names, a .csv, or - for pasted names.", show_default=False)
    ] = "",
    school: Annotated[str, typer.Option(help="The school or club of all of them.", show_default=False)] = "",
    single: Annotated[bool, typer.Option("--single", help="They are singles who want a partner.")] = False,
    team: Annotated[bool, typer.Option("--team", help="Make teams of singles, two by two.")] = False,
    bots: Annotated[int, typer.Option(help="Enter so many bots of the house.")] = 0,
    by: By = "desk",
    json: Json = False,
) -> None:
    """Enter players or teams.

    A list has one name a line; a school may stand behind it in brackets. A .csv has headings: name, or player and
    partner, and school. All are entered, or none.
    """
    from leftbower.cli.ledgers import open_ledger
    from leftbower.tournament import entering, seating_bots, teaming

    ledger = open_ledger(file)
    event = ledger.event
    if team:
        facts: list[EventFact] = list(teaming(event, names or []))
    else:
        facts = list(entering(event, _listed(event, names or [], source, school), single=single))
        facts += seating_bots(event, bots, len(facts))
    if not facts:
        raise BadEntry("there is nobody to enter")
    before = set(event.entrants)
    now = ledger.write(*facts, by=by)
    added = [one for who, one in now.entrants.items() if who not in before]
    if json:
        print_json([{"id": one.id, "name": one.name, "school": one.school, "owes": one.owes} for one in added])
        return
    for one in added:
        print(f"{one.id:<5} {one.name}{f' ({one.school})' if one.school else ''}")
    print(f"{len(now.entrants)} are entered.")


def _listed(event: "Event", names: Iterable[str], source: str, school: str) -> "list[Listed]":
    from dataclasses import replace

    from leftbower.cli.input import lines, read_text
    from leftbower.tournament import from_csv, named, pasted

    singles = event.plan.stage.singles
    found = [named(name, singles=singles) for name in names]
    if source == "-":
        found += pasted("\n".join(line for _, line in lines()), singles=singles)
    elif source:
        text = read_text(source, _LONGEST_LIST)
        found += (from_csv if source.lower().endswith(".csv") else pasted)(text, singles=singles)
    return [replace(one, school=school) if school and not one.school else one for one in found]


def mark(
    file: EventFile,
    what: Annotated[str, typer.Argument(help="here, late, absent, withdrawn, paid, fined, refund or gift.")],
    names: Annotated[list[str] | None, typer.Argument(help="Whom; everybody with 'all'.", metavar="names")] = None,
    amount: Annotated[str, typer.Option(help="Dollars; what is owed if left out.", show_default=False)] = "",
    why: Annotated[str, typer.Option(help="The reason.", show_default=False)] = "",
    by: By = "desk",
    json: Json = False,
) -> None:
    """Note who is here, late, absent or gone, and who has paid.

    Whoever is absent or has withdrawn is not drawn any more, and keeps every result; 'here' brings them back.
    """
    from leftbower.cli.ledgers import open_ledger

    ledger = open_ledger(file)
    facts = list(_marks(ledger, what, names or [], amount, why))
    now = ledger.write(*facts, by=by)
    told = [now.entrants[entrant] for entrant in (getattr(fact, "entrant", "") for fact in facts) if entrant]
    if json:
        keys = ("name", "presence", "owes", "paid")
        print_json({"pot": now.pot, "entrants": [{key: _plain(getattr(one, key)) for key in keys} for one in told]})
        return
    for one in told:
        print(f"{one.name}: {one.presence}, owes {_dollars(one.owes)}, has paid {_dollars(one.paid)}")
    print(f"In the pot: {_dollars(now.pot)}")


def _marks(ledger: "Ledger", what: str, names: list[str], amount: str, why: str) -> "Iterator[EventFact]":
    from leftbower.tournament import Fined, Marked, Money, PaidIn, Presence, cents, chosen

    event = ledger.event
    if what == "gift":
        yield PaidIn(what=Money.GIFT, cents=cents(amount))
        return
    whom = list(event.entrants.values()) if names == ["all"] else [event.find(name) for name in names]
    if not whom:
        raise BadUsage("say whom", place=what)
    for one in whom:
        if what == "paid":
            if one.owes or names != ["all"]:
                yield PaidIn(what=Money.FEE, cents=cents(amount) if amount else one.owes, entrant=one.id)
        elif what == "refund":
            yield PaidIn(what=Money.REFUND, cents=cents(amount) if amount else one.paid, entrant=one.id)
        elif what == "fined":
            yield Fined(entrant=one.id, cents=cents(amount), why=why)
        else:
            yield Marked(entrant=one.id, presence=chosen(Presence, what, "mark"), why=why)


def substitute(
    file: EventFile,
    player: Annotated[str, typer.Argument(help="Who is away.")],
    sitter: Annotated[str, typer.Argument(help="Who sits in.")],
    rounds: Annotated[str, typer.Option(help="Which rounds, as 3 or 3-5.")],
    credit: Annotated[str, typer.Option(help="An entrant who gets the results instead.", show_default=False)] = "",
    by: By = "desk",
    json: Json = False,
) -> None:
    """Let somebody sit in for a player.

    The results go to whoever is away, or to the entrant named with --credit.
    """
    from leftbower.cli.ledgers import open_ledger
    from leftbower.tournament import Substituted, spelling

    ledger = open_ledger(file)
    away = ledger.event.find(player)
    name = next((one for one in away.players if one.casefold() == player.strip().casefold()), away.name)
    credited = ledger.event.find(credit).id if credit else ""
    span = spelling.rounds(rounds)
    fact = Substituted(entrant=away.id, player=name, by=sitter.strip(), rounds=span, credit=credited)
    ledger.write(fact, by=by)
    gets = ledger.event.entrants[credited or away.id].name
    if json:
        print_json({"for": name, "by": fact.by, "rounds": list(span), "results_to": gets})
    else:
        print(f"{fact.by} sits in for {name} in rounds {span[0]} to {span[1]}; the results go to {gets}.")


def _plain(value: object) -> object:
    return value if isinstance(value, str | int) else str(value)


def _dollars(amount: int) -> str:
    from leftbower.tournament import dollars

    return dollars(amount)
