"""The feed of a table for a caller."""

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing

from leftbower.server.auth import Caller
from leftbower.server.context import AppContext
from leftbower.server.feeds.hub import parse_version
from leftbower.server.http.protocol import PushChannel
from leftbower.store import hash_token
from leftbower.table import Table


async def follow_table(
    context: AppContext,
    name: str,
    caller: Caller,
    last_version: str = "",
    render_table: Callable[[Table], Awaitable[bytes]] | None = None,
    writer: PushChannel | None = None,
) -> AsyncGenerator[bytes, None]:
    """The feed of a table for a caller while their token is valid: JSON, or lines of text from `render_table`.

    It continues after the client's `last_version`. The `writer` sends versions directly if nothing must be read first.
    """
    last_seen = parse_version(last_version)
    table = await context.tables.get(name, min_version=last_seen or 0)
    person, auth = caller.person, context.auth
    key = hash_token(caller.token) if caller.token else None

    async def render(current: Table) -> bytes:
        await auth.check(key)
        return await (render_table(current) if render_table else context.table_json.text(name, current, person))

    def render_now(current: Table) -> bytes | None:
        return context.table_json.peek(name, current, person) if auth.is_known_good(key) else None

    messages = context.feeds.listen(
        name,
        person,
        lambda: context.tables.get(name),
        render,
        since=table.version,
        last_seen=last_seen,
        reader=person or caller.address,
        max_feeds=context.limits.feeds_per_address if person is None else context.limits.feeds_per_person,
        render_now=None if render_table else render_now,
        writer=writer,
    )
    return messages if person is None else _mark_present(context, name, person, messages)


async def _mark_present(
    context: AppContext, name: str, person: str, messages: AsyncGenerator[bytes, None]
) -> AsyncGenerator[bytes, None]:
    """Pass messages through, and mark the person as present while the feed is open."""
    presence = context.tables.presence
    presence.feed_opened(name, person)
    try:
        await context.tables.arrive(name, person)
        async with aclosing(messages):
            async for message in messages:
                yield message
                del message  # an idle feed must hold no text
    finally:
        presence.feed_closed(name, person)
