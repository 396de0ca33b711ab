"""Earlier matches of a table, read back from its log; parsed and folded in a worker thread, never in the event loop."""

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
    """Render a match of a table from the version at which it ended and its players' names, if `person` may read it."""
    latest = await _latest(context, name, number, person)
    current = number == latest.match_number
    names = await context.people.names(latest.last_players if current else latest.matches.finished[number - 1].people)
    ended = await _ended(context, name, latest, number)
    return await asyncio.to_thread(render, ended, names)


async def read_record(context: AppContext, name: str, number: int, person: str | None) -> str:
    """The record of a match of a table, if `person` may read it; UnknownTable until one of its games is over."""
    ended = await _ended(context, name, await _latest(context, name, number, person), number)
    return await write_record(context, ended)


async def write_record(context: AppContext, table: Table) -> str:
    """The record of a table's current or last match; UnknownTable until one of its games is over."""
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
    """The table at the end of a match. The latest match is read from the current table; an earlier one costs only its
    own facts, no matter how long the log is."""
    if number == latest.match_number:
        return latest
    start, match = latest.matches.starts[number - 1], latest.matches.finished[number - 1]
    with context.tables.refusing_edits(name):
        rows = await context.store.checked_rows(
            name, Head(start.version, start.hash), limit=match.version - start.version
        )
        try:
            ended = await asyncio.to_thread(_folded, context.store, name, start, rows)
        except Exception as error:  # it was folded before, so it was edited since, along with its hashes
            log_error(_log, "an earlier match could not be folded", error)
        else:
            if ended.final_root == match.final_root:
                return ended
        raise LogEdited("this fact, or one before it, was changed", path=f"log {name}, fact {match.version}")


def _folded(store: Store, name: str, start: Table, rows: Sequence[Row]) -> Table:
    ended = replay(((table_fact_from_json(stored.fact), stored.at) for stored in store.parsed(name, rows)), start)
    assert ended is not None
    return ended
