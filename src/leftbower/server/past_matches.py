"""Matches of a table read back from its log: parsed and folded in a worker thread, never in the event loop."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from leftbower.server.desk import Desk
from leftbower.store import Row, Store
from leftbower.table import Table, check_match, fold, from_plain

T = TypeVar("T")


async def read_match(
    desk: Desk, name: str, number: int, person: str | None, render: Callable[[Table, Mapping[str, str]], T]
) -> T:
    """Render one match of a table from the version at which it ended, and from its players' names, if `person` may
    read it.

    The latest match is that of the table itself. An earlier one costs as many facts as it has, however long the log is.
    """
    table = await desk.house.latest(name)
    await desk.online.check_opened(table)
    check_match(table, person, number)
    if number == table.match_number:
        return await asyncio.to_thread(render, table, await desk.people.names(table.played))
    start, match = table.matches.starts[number - 1], table.matches.finished[number - 1]
    rows = await desk.store.rows(name, start.version, match.version - start.version)
    names = await desk.people.names(match.people)
    return await asyncio.to_thread(lambda: render(_folded(desk.store, name, start, rows), names))


def _folded(store: Store, name: str, start: Table, rows: Sequence[Row]) -> Table:
    ended = fold(((from_plain(stored.fact), stored.at) for stored in store.parsed(name, rows)), start)
    assert ended is not None
    return ended
