"""Matches of a table read back from its log: parsed and folded in a worker thread, never in the event loop."""

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from leftbower.errors import LogEdited, UnknownTable
from leftbower.server.context import AppContext
from leftbower.server.live.records import record_of
from leftbower.server.observability.logs import log_error
from leftbower.server.people.name_commitments import committed_names
from leftbower.store import Head, Row, Store
from leftbower.table import Table, check_match_access, replay, table_fact_from_json

_log = logging.getLogger("leftbower.tables")
T = TypeVar("T")


async def read_match(
    context: AppContext, name: str, number: int, person: str | None, render: Callable[[Table, Mapping[str, str]], T]
) -> T:
    """Render one match of a table from the version at which it ended, and from its players' names, if `person` may
    read it.
    """
    latest = await _latest(context, name, number, person)
    current = number == latest.match_number
    names = await context.people.names(latest.last_players if current else latest.matches.finished[number - 1].people)
    ended = await _ended(context, name, latest, number)
    return await asyncio.to_thread(render, ended, names)


async def read_record(context: AppContext, name: str, number: int, person: str | None) -> str:
    """The record of one match of a table, if `person` may read it; UnknownTable while no game of it is over."""
    ended = await _ended(context, name, await _latest(context, name, number, person), number)
    return await write_record(context, ended)


async def write_record(context: AppContext, table: Table) -> str:
    """The record of the match that is played at a table, or was played last; UnknownTable while no game is over."""
    names = await committed_names(context.store, table.name_commitments.values(), context.outage)
    record = await asyncio.to_thread(record_of, table, names)
    if record is None:
        raise UnknownTable("this match has no finished game yet")
    return record


async def _latest(context: AppContext, name: str, number: int, person: str | None) -> Table:
    table = await context.tables.latest(name)
    await context.online.check_round_over(table)
    check_match_access(table, person, number)
    return table


async def _ended(context: AppContext, name: str, latest: Table, number: int) -> Table:
    """The table as a match ended. The latest match is that of the table itself. An earlier one costs as many facts as
    it has, however long the log is.
    """
    if number == latest.match_number:
        return latest
    start, match = latest.matches.starts[number - 1], latest.matches.finished[number - 1]
    with context.tables.refusing_edits(name):
        rows = await context.store.checked_rows(
            name, Head(start.version, start.hash), limit=match.version - start.version
        )
        try:
            ended = await asyncio.to_thread(_folded, context.store, name, start, rows)
        except Exception as error:  # it was folded once, so it was edited since, hashes and all
            log_error(_log, "an earlier match could not be folded", error)
        else:
            if ended.final_root == match.final_root:
                return ended
        raise LogEdited("this fact, or one before it, was changed", path=f"log {name}, fact {match.version}")


def _folded(store: Store, name: str, start: Table, rows: Sequence[Row]) -> Table:
    ended = replay(((table_fact_from_json(stored.fact), stored.at) for stored in store.parsed(name, rows)), start)
    assert ended is not None
    return ended
