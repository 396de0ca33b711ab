"""Matches of a table read back from its log: parsed and folded in a worker thread, never in the event loop."""

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from leftbower.errors import LogEdited, UnknownTable
from leftbower.server.desk import Desk
from leftbower.server.logs import tell_of
from leftbower.server.name_commitments import committed_names
from leftbower.server.records import record_of
from leftbower.store import Head, Row, Store
from leftbower.table import Table, check_match, fold, from_plain

_log = logging.getLogger("leftbower.house")
T = TypeVar("T")


async def read_match(
    desk: Desk, name: str, number: int, person: str | None, render: Callable[[Table, Mapping[str, str]], T]
) -> T:
    """Render one match of a table from the version at which it ended, and from its players' names, if `person` may
    read it.
    """
    latest = await _latest(desk, name, number, person)
    current = number == latest.match_number
    names = await desk.people.names(latest.played if current else latest.matches.finished[number - 1].people)
    ended = await _ended(desk, name, latest, number)
    return await asyncio.to_thread(render, ended, names)


async def read_record(desk: Desk, name: str, number: int, person: str | None) -> str:
    """The record of one match of a table, if `person` may read it; UnknownTable while no game of it is over."""
    ended = await _ended(desk, name, await _latest(desk, name, number, person), number)
    return await write_record(desk, ended)


async def write_record(desk: Desk, table: Table) -> str:
    """The record of the match that is played at a table, or was played last; UnknownTable while no game is over."""
    names = await committed_names(desk.store, table.names.values(), desk.outage)
    record = await asyncio.to_thread(record_of, table, names)
    if record is None:
        raise UnknownTable("no game of this match is over yet")
    return record


async def _latest(desk: Desk, name: str, number: int, person: str | None) -> Table:
    table = await desk.house.latest(name)
    await desk.online.check_opened(table)
    check_match(table, person, number)
    return table


async def _ended(desk: Desk, name: str, latest: Table, number: int) -> Table:
    """The table as a match ended. The latest match is that of the table itself. An earlier one costs as many facts as
    it has, however long the log is.
    """
    if number == latest.match_number:
        return latest
    start, match = latest.matches.starts[number - 1], latest.matches.finished[number - 1]
    logs = desk.house.logs
    rows = await logs.rows(name, Head(start.version, start.hash), limit=match.version - start.version)
    try:
        ended = await asyncio.to_thread(_folded, desk.store, name, start, rows)
    except Exception as error:  # it was folded once, so it was edited since, hashes and all
        tell_of(_log, "an earlier match could not be folded", error)
    else:
        if ended.final_root == match.final_root:
            return ended
    edited = LogEdited("it or one before it is not as it was written", place=f"log {name}, fact {match.version}")
    logs.refuse(name, edited)
    raise edited


def _folded(store: Store, name: str, start: Table, rows: Sequence[Row]) -> Table:
    ended = fold(((from_plain(stored.fact), stored.at) for stored in store.parsed(name, rows)), start)
    assert ended is not None
    return ended
