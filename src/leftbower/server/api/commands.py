"""Table commands from the API and from pages: token scope, rate limits, and the fact that a command requests."""

from leftbower.rules.seats import Seat
from leftbower.server.api.names import check_name_at
from leftbower.server.api.requests import Chat, Say, Sit, TableCommand, fact_for_command
from leftbower.server.auth import SignedIn, check_command
from leftbower.server.context import AppContext
from leftbower.server.people.sanitize import clean_chat
from leftbower.server.quotas import check_request
from leftbower.table import ChatSent, TableFact, validate


async def fact_for(context: AppContext, name: str, caller: SignedIn, command: TableCommand) -> TableFact:
    """The fact that a command requests; SeatOnly if the token may not send it, TooOften for too much chat.

    A chat text is stored if the person may chat; the fact has only its id.
    """
    table, person = await context.tables.get(name), caller.person
    check_command(caller, command)
    if isinstance(command, Say | Chat):
        context.limits.chat.take(person)
    if isinstance(command, Sit):
        await check_name_at(context, table, person, Seat(command.seat))
    if not isinstance(command, Chat):
        return fact_for_command(command, table, person)
    fact, quotas = ChatSent(person=person, phrase="", text_id=context.entropy(8).hex()), context.tables.quotas
    validate(table, person, fact)
    check_request(quotas, table, person, fact)
    await context.store.add_words(fact.text_id, person, clean_chat(command.text), limit=quotas.words)
    return fact
