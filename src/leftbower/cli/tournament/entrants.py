"""`leftbower tournament enter | mark | substitute`: entrants, presence and payments, substitutes."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Annotated, Final

import typer

from leftbower.cli.common.input import lines, read_text
from leftbower.cli.common.output import print_json, print_result
from leftbower.cli.tournament.event_file import Ledger, open_ledger
from leftbower.cli.tournament.options import By, EventFile, Json
from leftbower.errors import BadEntry, BadUsage
from leftbower.tournament.model.commands import add_bots, add_entrants, team_up
from leftbower.tournament.model.entrants import Entrant, EntrantPresence
from leftbower.tournament.model.facts import (
    EntrantFined,
    EventFact,
    PaymentKind,
    PaymentRecorded,
    PresenceMarked,
    Substituted,
)
from leftbower.tournament.model.state import Event
from leftbower.tournament.text.csv import ListedEntrant, parse_csv, parse_entrant, parse_pasted
from leftbower.tournament.text.parse import format_dollars, parse_cents, parse_choice, parse_rounds

_MAX_LIST_BYTES: Final = 1024 * 1024


def enter(
    file: EventFile,
    names: Annotated[
        list[str] | None, typer.Argument(help="Players, or teams as 'Ann & Bob'.", metavar="names")
    ] = None,
    source: Annotated[
        str, typer.Option("--from", help="A file with names, a .csv, or - for standard input.", show_default=False)
    ] = "",
    school: Annotated[str, typer.Option(help="The school or club of all of them.", show_default=False)] = "",
    single: Annotated[bool, typer.Option("--single", help="They need partners.")] = False,
    team: Annotated[bool, typer.Option("--team", help="Make teams of entered singles, two by two.")] = False,
    bots: Annotated[int, typer.Option(help="Number of house players to enter.")] = 0,
    by: By = "desk",
    json: Json = False,
) -> None:
    """Enter players or teams.

    A list has one name per line, with the school in brackets after it if there is one. A .csv has a header row: name,
    or player and partner; school is optional. If one name is refused, none are entered.
    """
    ledger = open_ledger(file)
    event = ledger.event
    if team:
        facts: list[EventFact] = list(team_up(event, names or []))
    else:
        facts = list(add_entrants(event, _listed(event, names or [], source, school), single=single))
        facts += add_bots(event, bots, len(facts))
    if not facts:
        raise BadEntry("the list has no names")
    known_ids = set(event.entrants)
    changed = ledger.write(*facts, by=by)
    added = [entrant for entrant_id, entrant in changed.entrants.items() if entrant_id not in known_ids]
    if json:
        print_json([_chosen_fields(entrant, "id", "name", "school", "owes") for entrant in added])
        return
    for entrant in added:
        print(f"{entrant.id:<5} {entrant.name}{f' ({entrant.school})' if entrant.school else ''}")
    print(f"{len(changed.entrants)} entered.")


def _listed(event: Event, names: Iterable[str], source: str, school: str) -> list[ListedEntrant]:
    singles = event.plan.stage.singles
    listed = [parse_entrant(name, singles=singles) for name in names]
    if source == "-":
        listed += parse_pasted("\n".join(line for _, line in lines()), singles=singles)
    elif source:
        text = read_text(source, _MAX_LIST_BYTES)
        listed += (parse_csv if source.lower().endswith(".csv") else parse_pasted)(text, singles=singles)
    return [replace(entry, school=school) if school and not entry.school else entry for entry in listed]


def mark(
    file: EventFile,
    what: Annotated[str, typer.Argument(help="present, late, absent, withdrawn, paid, fined, refund or gift.")],
    names: Annotated[list[str] | None, typer.Argument(help="Who; 'all' for all entrants.", metavar="names")] = None,
    amount: Annotated[str, typer.Option(help="In dollars; by default the full amount due.", show_default=False)] = "",
    why: Annotated[str, typer.Option(help="The reason.", show_default=False)] = "",
    by: By = "desk",
    json: Json = False,
) -> None:
    """Mark entrants present, late, absent, withdrawn or paid.

    Absent and withdrawn entrants are left out of later draws, and keep their results; 'present' brings them back.
    """
    ledger = open_ledger(file)
    facts = list(_marks(ledger, what, names or [], amount, why))
    changed = ledger.write(*facts, by=by)
    marked = [changed.entrants[entrant] for entrant in (getattr(fact, "entrant", "") for fact in facts) if entrant]
    if json:
        people = [_chosen_fields(entrant, "name", "presence", "owes", "paid") for entrant in marked]
        print_json({"pot": changed.pot, "entrants": people})
        return
    for person in marked:
        owes, paid = format_dollars(person.owes), format_dollars(person.paid)
        print(f"{person.name}: {person.presence}, owes {owes}, has paid {paid}")
    print(f"In the pot: {format_dollars(changed.pot)}")


def _marks(ledger: Ledger, what: str, names: list[str], amount: str, why: str) -> Iterator[EventFact]:
    event = ledger.event
    if what == "gift":
        yield PaymentRecorded(kind=PaymentKind.GIFT, cents=parse_cents(amount))
        return
    entrants = list(event.entrants.values()) if names == ["all"] else [event.find(name) for name in names]
    if not entrants:
        raise BadUsage("name an entrant", path=what)
    for entrant in entrants:
        if what == "paid":
            if entrant.owes or names != ["all"]:
                cents = parse_cents(amount) if amount else entrant.owes
                yield PaymentRecorded(kind=PaymentKind.FEE, cents=cents, entrant=entrant.id)
        elif what == "refund":
            cents = parse_cents(amount) if amount else entrant.paid
            yield PaymentRecorded(kind=PaymentKind.REFUND, cents=cents, entrant=entrant.id)
        elif what == "fined":
            yield EntrantFined(entrant=entrant.id, cents=parse_cents(amount), why=why)
        else:
            yield PresenceMarked(entrant=entrant.id, presence=parse_choice(EntrantPresence, what, "mark"), why=why)


def substitute(
    file: EventFile,
    player: Annotated[str, typer.Argument(help="The absent player.")],
    sitter: Annotated[str, typer.Argument(help="The substitute.")],
    rounds: Annotated[str, typer.Option(help="Which rounds, like 3 or 3-5.")],
    credit: Annotated[str, typer.Option(help="The entrant who gets the results instead.", show_default=False)] = "",
    by: By = "desk",
    json: Json = False,
) -> None:
    """Let a substitute play for a player.

    The results go to the absent entrant, or to the one named with --credit.
    """
    ledger = open_ledger(file)
    away = ledger.event.find(player)
    name = next((name_ for name_ in away.players if name_.casefold() == player.strip().casefold()), away.name)
    credited = ledger.event.find(credit).id if credit else ""
    span = parse_rounds(rounds)
    fact = Substituted(entrant=away.id, player=name, substitute=sitter.strip(), rounds=span, credit=credited)
    ledger.write(fact, by=by)
    gets = ledger.event.entrants[credited or away.id].name
    print_result(
        {"for": name, "by": fact.substitute, "rounds": list(span), "results_to": gets},
        f"{fact.substitute} sits in for {name} in rounds {span[0]} to {span[1]}; the results go to {gets}.",
        as_json=json,
    )


def _chosen_fields(entrant: Entrant, *names: str) -> dict[str, object]:
    values = ((name, getattr(entrant, name)) for name in names)
    return {name: value if isinstance(value, str | int) else str(value) for name, value in values}
