"""Appends to a SQLite file, many by few statements, behind ends of logs that need not be looked up.

Only its writer writes to a file, so it knows where the logs end that it wrote to lately.
"""

import sqlite3
from collections import OrderedDict
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, Final, TypeVar

from leftbower.errors import LeftbowerError, StoreBroken
from leftbower.store.accounts import to_ms
from leftbower.store.base import MAX_GUARDED, Entry, Guard
from leftbower.store.chain import Head, Row, end, start
from leftbower.store.db_errors import BEHIND_HEAD
from leftbower.store.facts import parse_stored
from leftbower.store.sql.credentials import Steps
from leftbower.store.sql.store import CONCERN, HEAD, LIST_ANEW, LISTED, LISTINGS_OF, ROWS, UNCONCERN

T = TypeVar("T")

_KEPT: Final = 10_000
"""So many logs whose ends are known without looking."""
_AT_ONCE: Final = 400
"""The most rows of one statement."""


class Ends:
    """Where logs end."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._known: OrderedDict[str, Head] = OrderedDict()

    def forget(self) -> None:
        """A transaction was taken back: look again."""
        self._known.clear()

    def forget_log(self, log: str) -> None:
        """A log is being removed: look again."""
        self._known.pop(log, None)

    def append(self, connection: sqlite3.Connection, entries: Sequence[Entry]) -> list[list[Row] | LeftbowerError]:
        """Write all of them inside a transaction; each is written whole, or refused.

        Where somebody else has written behind an end that was known, SQLite refuses it all. Then the transaction is
        taken back, and who tries again looks, and finds the log that is broken.
        """
        now = to_ms(self._clock())
        outcomes: list[list[Row] | LeftbowerError] = []
        waiting: list[tuple[Entry, list[Row]]] = []
        for entry in entries:
            if entry.guard is not None:  # which looks at what the ones before it have written
                _write(connection, waiting)
                waiting = []
            outcome = self._behind(connection, entry, now)
            outcomes.append(outcome)
            if isinstance(outcome, list):
                waiting.append((entry, outcome))
        _write(connection, waiting)
        return outcomes

    def _behind(self, connection: sqlite3.Connection, entry: Entry, now: int) -> list[Row] | LeftbowerError:
        """The rows that an append makes, behind those of whoever came before it."""
        try:
            head = self._known.get(entry.log) or _end_of(connection, entry.log)
            rows = entry.behind(head, now)
            if entry.guard is not None:
                _check_guard(connection, entry.guard)
        except LeftbowerError as refused:
            return refused
        self._known[entry.log] = end(head, rows)
        self._known.move_to_end(entry.log)
        while len(self._known) > _KEPT:
            self._known.popitem(last=False)
        return rows


def _end_of(connection: sqlite3.Connection, log: str) -> Head:
    """Where a log ends in the file; StoreBroken where there is something behind that."""
    found = run(connection, HEAD, (log,))
    head = Head(*found[0]) if found else start(log)
    if run(connection, ROWS, (log, head.seq, 1)):
        raise StoreBroken(BEHIND_HEAD.format(log))
    return head


def _check_guard(connection: sqlite3.Connection, guard: Guard) -> None:
    bodies = run(connection, LISTINGS_OF, (guard.person, MAX_GUARDED))
    guard.check([parse_stored(body, f"the listing of log {log}") for log, body in bodies])


def drive(connection: sqlite3.Connection, steps: Steps[T]) -> T:
    """Run the statements of a transaction, one after the other."""
    try:
        statement, values = next(steps)
        while True:
            statement, values = steps.send(run(connection, statement, values))
    except StopIteration as done:
        result: T = done.value
        return result


def run(connection: sqlite3.Connection, statement: str, values: Sequence[object]) -> list[tuple[Any, ...]]:
    """Run a statement whose places are $1, $2, …, as PostgreSQL writes them; to SQLite these are names."""
    return connection.execute(statement, {str(at): value for at, value in enumerate(values, 1)}).fetchall()


def _write(connection: sqlite3.Connection, appends: Sequence[tuple[Entry, list[Row]]]) -> None:
    _insert(connection, [(entry.log, *row, entry.listing) for entry, rows in appends for row in rows])
    for entry, rows in appends:
        if entry.people is not None:
            run(connection, UNCONCERN, (entry.log, rows[-1].seq))
            for person in entry.people:
                run(connection, CONCERN, (entry.log, rows[-1].seq, person))


def _insert(connection: sqlite3.Connection, rows: Sequence[Sequence[object]]) -> None:
    """All rows by one statement, or by few."""
    for first in range(0, len(rows), _AT_ONCE):
        some = rows[first : first + _AT_ONCE]
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
    {LISTED} select new.log, new.seq, new.listing, new.at where new.listing is not null {LIST_ANEW};
end;
"""
"""By which a fact comes with its end of the log and what lists say, in one statement: each costs the event loop a turn.
Only the writer's connection has it, so it is no part of the file."""
