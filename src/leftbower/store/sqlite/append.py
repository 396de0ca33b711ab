"""Batched appends to a SQLite file, with an LRU cache of log heads.

Only the writer thread writes to a file, so it needs no query for the heads of logs it wrote to recently.
"""

import sqlite3
from collections import OrderedDict
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, Final

from leftbower.errors import LeftbowerError, StoreBroken
from leftbower.store.accounts import Steps, T, to_ms
from leftbower.store.base import (
    CONCERN,
    HEAD,
    INSERT_LISTING,
    LISTINGS_OF,
    MAX_GUARDED,
    REPLACE_LISTING,
    ROWS,
    UNCONCERN,
    Entry,
    Guard,
)
from leftbower.store.chain import Head, Row, end, start
from leftbower.store.db_errors import BEHIND_HEAD
from leftbower.store.facts import parse_stored

_MAX_CACHED_HEADS: Final = 10_000
"""Logs whose heads are cached."""
_MAX_ROWS_PER_INSERT: Final = 400


class LogHeads:
    """LRU cache of log heads, and the appends that extend them.

    Not `cachetools`, because the store works without the server's packages.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._known: OrderedDict[str, Head] = OrderedDict()

    def forget(self) -> None:
        """Clear the cache after a rollback."""
        self._known.clear()

    def forget_log(self, log: str) -> None:
        """Drop a log that is being removed."""
        self._known.pop(log, None)

    def append(self, connection: sqlite3.Connection, entries: Sequence[Entry]) -> list[list[Row] | LeftbowerError]:
        """Write all entries inside a transaction; each is written whole or refused.

        If another program has written after a cached head, the unique key rejects the whole transaction. It is rolled
        back, the cache is cleared, and the retry finds the broken log.
        """
        now = to_ms(self._clock())
        outcomes: list[list[Row] | LeftbowerError] = []
        waiting: list[tuple[Entry, list[Row]]] = []
        for entry in entries:
            if entry.guard is not None:  # its check reads what earlier entries have written
                _write(connection, waiting)
                waiting = []
            outcome = self._behind(connection, entry, now)
            outcomes.append(outcome)
            if isinstance(outcome, list):
                waiting.append((entry, outcome))
        _write(connection, waiting)
        return outcomes

    def _behind(self, connection: sqlite3.Connection, entry: Entry, now: int) -> list[Row] | LeftbowerError:
        """The rows of an append, after those of earlier entries."""
        try:
            head = self._known.get(entry.log) or _stored_head(connection, entry.log)
            rows = entry.behind(head, now)
            if entry.guard is not None:
                _check_guard(connection, entry.guard)
        except LeftbowerError as refused:
            return refused
        self._known[entry.log] = end(head, rows)
        self._known.move_to_end(entry.log)
        while len(self._known) > _MAX_CACHED_HEADS:
            self._known.popitem(last=False)
        return rows


def _stored_head(connection: sqlite3.Connection, log: str) -> Head:
    """The head of a log in the file; StoreBroken if there is a row after it."""
    found = run(connection, HEAD, (log,))
    head = Head(*found[0]) if found else start(log)
    if run(connection, ROWS, (log, head.seq, 1)):
        raise StoreBroken(BEHIND_HEAD, log=log)
    return head


def _check_guard(connection: sqlite3.Connection, guard: Guard) -> None:
    bodies = run(connection, LISTINGS_OF, (guard.person, MAX_GUARDED))
    guard.check([parse_stored(body, f"the listing of log {log}") for log, body in bodies])


def drive(connection: sqlite3.Connection, steps: Steps[T]) -> T:
    """Run the statements of a transaction one after another."""
    try:
        statement, values = next(steps)
        while True:
            statement, values = steps.send(run(connection, statement, values))
    except StopIteration as done:
        result: T = done.value
        return result


def run(connection: sqlite3.Connection, statement: str, values: Sequence[object]) -> list[tuple[Any, ...]]:
    """Run a statement with PostgreSQL's placeholders $1, $2, …, which SQLite treats as names."""
    return connection.execute(statement, {str(at): value for at, value in enumerate(values, 1)}).fetchall()


def _write(connection: sqlite3.Connection, appends: Sequence[tuple[Entry, list[Row]]]) -> None:
    _insert(connection, [(entry.log, *row, entry.listing) for entry, rows in appends for row in rows])
    for entry, rows in appends:
        if entry.people is not None:
            run(connection, UNCONCERN, (entry.log, rows[-1].seq))
            for person in entry.people:
                run(connection, CONCERN, (entry.log, rows[-1].seq, person))


def _insert(connection: sqlite3.Connection, rows: Sequence[Sequence[object]]) -> None:
    """Insert all rows with one statement, or a few."""
    for first in range(0, len(rows), _MAX_ROWS_PER_INSERT):
        some = rows[first : first + _MAX_ROWS_PER_INSERT]
        connection.execute(_put(len(some)), [value for row in some for value in row])


@cache
def _put(rows: int) -> str:
    return f"insert into appended values {', '.join(['(?, ?, ?, ?, ?, ?)'] * rows)}"


TRIGGER: Final = f"""
pragma temp_store = memory;
create temp view appended as select log, seq, at, body, hash, null as listing from facts;
create temp trigger append instead of insert on appended begin
    insert into facts values (new.log, new.seq, new.at, new.body, new.hash);
    insert into heads values (new.log, new.seq, new.hash)
        on conflict do update set seq = excluded.seq, hash = excluded.hash;
    {INSERT_LISTING} select new.log, new.seq, new.listing, new.at where new.listing is not null {REPLACE_LISTING};
end;
"""
"""Inserts a fact, its log's head and the listing with one statement, because every statement takes the GIL from the
event loop. The trigger is temporary: only the writer's connection has it, and it is not in the file."""
