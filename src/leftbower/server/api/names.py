"""Names at a table: one that is missing, or that looks like another's there, is refused with a suggestion."""

from fastapi import Request

from leftbower.errors import NameNeeded, NameTaken
from leftbower.rules.seats import Seat
from leftbower.server.auth import Caller, SignedIn
from leftbower.server.context import AppContext
from leftbower.server.people.sanitize import clean_name, is_placeholder
from leftbower.table import SeatedPerson, Seats, Table, free_name, occupant_from_json, seat_names

_IDLE_PHASES = ("over", "closed")


async def check_name_at(context: AppContext, table: Table, person: str, seat: Seat) -> None:
    """Raise NameNeeded or NameTaken unless the person can take the seat under their name."""
    others = {other: occupant for other, occupant in table.seats.items() if other is not seat}
    waiting = {other: SeatedPerson(late) for other, late in table.latecomers.items()}
    name = await context.people.name(person)
    if is_placeholder(name) and (table.people | set(table.latecomers.values())) - {person}:
        raise NameNeeded("tell the others your name first", path="name")
    await _check_free(context, others | waiting, person, name)


async def rename(context: AppContext, person: str, name: str) -> str:
    """Rename a person; NameTaken if the name looks like another's at a table where they play."""
    for listing in await context.person_tables.list(person):
        seats: Seats = {Seat(seat): occupant_from_json(sitter) for seat, sitter in listing["seats"].items()}
        if listing["phase"] not in _IDLE_PHASES and SeatedPerson(person) in seats.values():
            await _check_free(context, seats, person, clean_name(name))
    return await context.people.rename(person, name)


async def signed_in_as(context: AppContext, request: Request, caller: Caller, name: str) -> SignedIn:
    """The caller under the name they typed; NameNeeded if they have none and typed none."""
    current = await context.people.name(caller.person) if caller.person else ""
    if not name.strip() and is_placeholder(current):
        raise NameNeeded("tell the others your name first", path="name")
    if caller.person is None:
        return await context.auth.create_guest(request, name)
    if name.strip() and clean_name(name) != current and caller.table is None:
        await rename(context, caller.person, name)
    return caller.signed_in()


async def _check_free(context: AppContext, seats: Seats, person: str, name: str) -> None:
    others = {seat: occupant for seat, occupant in seats.items() if occupant != SeatedPerson(person)}
    people = [occupant.id for occupant in others.values() if isinstance(occupant, SeatedPerson)]
    taken = seat_names(others, await context.people.names(people)).values()
    if (free := free_name(name, taken)) != name:
        raise NameTaken("%(name)s is here already; how about %(free)s?", path="name", name=name, free=free)
