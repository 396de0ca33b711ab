"""PostgreSQL store, for more than one server process: inserts are grouped, and a unique key decides every race."""

from asyncio import Event, Future, create_task, get_running_loop, timeout
from collections.abc import AsyncIterator, Callable, Container, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from secrets import token_hex
from typing import Any, Final, Self, TypeAlias, Unpack

import asyncpg  # type: ignore[import-untyped]

from leftbower.errors import LeftbowerError, NotAStore, StoreBroken, UnsafeStore
from leftbower.store.accounts import Found, Steps, T, from_ms, to_ms
from leftbower.store.base import (
    LISTINGS_OF,
    MAX_GUARDED,
    PROBE_BYTES,
    REPLACE_LISTING,
    Entry,
    Guard,
    Hint,
    OnHint,
    Store,
    StoreOptions,
    settle,
)
from leftbower.store.chain import Head, Row, end, start
from leftbower.store.db_errors import BEHIND_HEAD, postgres_error, without_password
from leftbower.store.facts import parse_stored
from leftbower.store.postgres.notifications import FAILURES, Connect, Listener, Notifier
from leftbower.store.schema import SCHEMA, TABLES, check_schema

MAX_APPENDS_PER_COMMIT: Final = 500
"""Limits how long an append waits for the others in its commit."""
MAX_CONNECTIONS: Final = 5
"""Connections per process; hints use two more."""
CONNECT_TIMEOUT_SECONDS: Final = 10.0
STATEMENT_TIMEOUT_SECONDS: Final = 30.0
"""Timeout of one statement: a connection that is cut on the way gives neither a result nor an error."""

Outcome: TypeAlias = Sequence[Row] | Exception


@dataclass(frozen=True, slots=True)
class Waiting:
    """An append and the future that its caller awaits."""

    entry: Entry
    future: Future[Sequence[Row]]


class PostgresStore(Store):
    """Everything is in the schema `leftbower`. Any number of processes may append, at any isolation level."""

    shared = True

    @classmethod
    async def open(cls, url: str, **options: Unpack[StoreOptions]) -> Self:
        """Connect, and create the tables if there are none."""
        location, read_only = without_password(url), options.get("read_only", False)
        settings = {"search_path": "leftbower", "application_name": "leftbower"}
        if read_only:
            settings["default_transaction_read_only"] = "on"
        connecting = {
            "server_settings": settings,
            "timeout": CONNECT_TIMEOUT_SECONDS,
            "command_timeout": STATEMENT_TIMEOUT_SECONDS,
        }
        async with _translated_errors(location):
            pool = await _connect(url, connecting)
            try:
                async with pool.acquire() as connection:
                    await prepare(connection, location, read_only=read_only)
            except BaseException:
                pool.terminate()
                raise
        return cls(pool, location, partial(asyncpg.connect, url, **connecting), **options)

    def __init__(self, pool: Any, location: str, connect: Connect, **options: Unpack[StoreOptions]) -> None:
        super().__init__(location, **options)
        self._pool = pool
        self._waiting: list[Waiting] = []
        self._wake = Event()
        self._writing = create_task(self._write(), name="leftbower store writer")
        self._notifier = Notifier(connect)
        self._listener = Listener(connect, super()._publish)

    async def now(self) -> float:
        if self._clock:
            return await super().now()
        [[ms]] = await self._query(f"select {_NOW}")
        return from_ms(ms)

    async def listen(self, on_hint: OnHint) -> Callable[[], None]:
        """Hints come over a separate connection; after a reconnect `on_hint` gets `HINTS_LOST`."""
        self._check_open()
        async with _translated_errors(self._location):
            await self._listener.start()
        return await super().listen(on_hint)

    async def close(self) -> None:
        if self._closed:
            return
        self._closed = True
        self._wake.set()
        await self._writing
        await self._notifier.close()
        await self._listener.close()
        try:
            async with timeout(CONNECT_TIMEOUT_SECONDS):
                await self._pool.close()
        except TimeoutError:
            self._pool.terminate()

    async def probe(self) -> None:
        """Insert rows and roll back: they are written anyway, so the disk must have room for them."""
        self._check_open(to_write=True)
        async with _translated_errors(self._location), self._pool.acquire() as connection:
            probing = connection.transaction()
            await probing.start()
            try:
                await connection.execute(_PROBE, f"leftbower/probe/{token_hex(8)}")
            finally:
                await probing.rollback()

    async def _query(self, statement: str, *values: object) -> Found:
        self._check_open()
        async with _translated_errors(self._location):
            rows: Found = await self._pool.fetch(statement, *values)
            return rows

    async def _execute(self, statement: str, *values: object) -> Found:
        self._check_open(to_write=True)
        while True:
            try:
                return await self._query(statement, *values)
            except (asyncpg.SerializationError, asyncpg.UniqueViolationError):  # another process was first; try again
                continue
            except asyncpg.ForeignKeyViolationError:  # the person was erased just now
                return []

    async def _transact(self, steps: Callable[[], Steps[T]], *, lock: str = "") -> T:
        """At `read committed` a statement sees everything committed before it, including what a lock waited for."""
        self._check_open(to_write=True)
        while True:
            try:
                async with (
                    _translated_errors(self._location),
                    self._pool.acquire() as connection,
                    connection.transaction(isolation="read_committed"),
                ):
                    if lock:
                        await connection.execute(_LOCK_NAME, lock)
                    return await _drive(connection, steps())
            except (asyncpg.DeadlockDetectedError, asyncpg.ForeignKeyViolationError):  # try again
                continue

    def _publish(self, hints: Iterable[Hint]) -> None:
        self._notifier.notify(hints)

    async def _append(self, entry: Entry) -> Sequence[Row]:
        self._check_open(to_write=True)
        waiting = Waiting(entry, get_running_loop().create_future())
        self._waiting.append(waiting)
        self._wake.set()
        return await waiting.future

    async def _write(self) -> None:
        """Commit all waiting appends together, then set their futures; until the store is closed."""
        while self._waiting or not self._closed:
            await self._wake.wait()
            self._wake.clear()
            while self._waiting:
                group, self._waiting = self._waiting[:MAX_APPENDS_PER_COMMIT], self._waiting[MAX_APPENDS_PER_COMMIT:]
                try:
                    async with _translated_errors(self._location):
                        outcomes = await self._commit([append.entry for append in group])
                except Exception as error:
                    outcomes = [error] * len(group)
                self._answer(group, outcomes)

    async def _commit(self, entries: Sequence[Entry]) -> list[Outcome]:
        """Write a group in one transaction; start over if another process was faster.

        A faster process has moved the log's head. If the head has not moved, the row after it is not from leftbower.
        """
        broken: set[str] = set()
        before: Mapping[str, int] = {}
        guarded = "read_committed" if any(entry.guard for entry in entries) else None
        while True:
            try:
                async with self._pool.acquire() as connection, connection.transaction(isolation=guarded):
                    outcomes = await self._try(connection, entries, broken)
                    self._moments("before-commit")
            except _LostRace as lost:
                broken |= {log for log, seq in lost.heads.items() if before.get(log) == seq}
                before = lost.heads
                continue
            except (asyncpg.SerializationError, asyncpg.DeadlockDetectedError):
                continue
            self._moments("after-commit")
            return outcomes

    async def _try(self, connection: Any, entries: Sequence[Entry], broken: Container[str]) -> list[Outcome]:
        """The outcome of each append; the rows of those accepted are written but not committed."""
        for person in sorted({entry.guard.person for entry in entries if entry.guard}):
            await connection.execute(_LOCK_NAME, f"appends of {person}")
        found = await connection.fetch(_HEADS_NOW, sorted({entry.log for entry in entries}))
        now = to_ms(self._clock()) if self._clock else found[0]["now"]
        heads = {row["log"]: Head(row["seq"], row["hash"]) if row["seq"] else start(row["log"]) for row in found}
        outcomes: list[Outcome] = []
        facts: list[tuple[Any, ...]] = []
        listings: dict[str, tuple[Any, ...]] = {}
        concerned: dict[str, tuple[str, ...]] = {}
        for entry in entries:
            log = entry.log
            if log in broken:
                outcomes.append(StoreBroken(BEHIND_HEAD, path=self._location, log=log))
                continue
            try:
                rows = entry.behind(heads[log], now)
                if entry.guard is not None:
                    await _check_guard(connection, entry.guard, listings, concerned)
            except LeftbowerError as refused:
                outcomes.append(refused)
                continue
            outcomes.append(rows)
            heads[log] = end(heads[log], rows)
            facts += [(log, *row) for row in rows]
            if entry.listing is not None:
                listings[log] = (log, rows[-1].seq, entry.listing, rows[-1].at)
            if entry.people is not None:
                concerned[log] = entry.people
        if facts:
            begins = {row["log"]: row["seq"] or 0 for row in found}
            await _insert(connection, sorted(facts), begins)
            await _move_heads(connection, {log: heads[log] for log in sorted({log for log, *_ in facts})}, begins)
        if listings:
            await connection.execute(_LIST_ALL, *_columns(listings.values()))
        if concerned:
            await connection.execute("delete from concerned where log = any($1)", sorted(concerned))
            pairs = [(person, log) for log, people in sorted(concerned.items()) for person in people]
            await connection.executemany("insert into concerned values ($1, $2)", pairs)
        return outcomes

    def _answer(self, group: Sequence[Waiting], outcomes: Sequence[Outcome]) -> None:
        hints = []
        for append, outcome in zip(group, outcomes, strict=True):
            settle(append.future, outcome)
            if not isinstance(outcome, Exception):
                hints.append(Hint(append.entry.log, outcome[-1].seq))
        self._publish(hints)


async def prepare(connection: Any, location: str, *, read_only: bool) -> None:
    """Check that the database is durable and has a store of ours; create one if it is empty."""
    if await connection.fetchval("show fsync") != "on":
        raise UnsafeStore("the database can lose commits: turn fsync on", path=location)
    if await connection.fetchval("show server_encoding") != "UTF8":
        raise UnsafeStore("the database must use the encoding UTF8", path=location)
    async with connection.transaction(isolation="read_committed", readonly=read_only):
        if not await connection.fetchval(_IS_THERE):
            if read_only:
                raise NotAStore("this database is not a leftbower store", path=location)
            await connection.execute(f"select pg_advisory_xact_lock({_SCHEMA_LOCK_ID})")
            if not await connection.fetchval(_IS_THERE):  # unless another process has just created it
                await connection.execute(_MAKE)
        check_schema(await connection.fetchval("select version from leftbower.version"), location)


async def _insert(connection: Any, facts: list[tuple[Any, ...]], begins: Mapping[str, int]) -> None:
    """Insert rows in the order of their keys, so that two processes never wait for each other."""
    written = {tuple(key) for key in await connection.fetch(_INSERT, *_columns(facts))}
    if len(written) < len(facts):
        raise _LostRace({log: begins[log] for log, seq, *_ in facts if (log, seq) not in written})


async def _move_heads(connection: Any, heads: Mapping[str, Head], begins: Mapping[str, int]) -> None:
    """Move the heads from where they were read; a head that is no longer there was moved, or its log was removed."""
    moved: set[str] = set()
    for statement, is_new in ((_BEGIN_HEADS, True), (_MOVE_HEADS, False)):
        rows = [(log, head.seq, head.hash, begins[log]) for log, head in heads.items() if (not begins[log]) is is_new]
        if rows:
            moved |= {log for (log,) in await connection.fetch(statement, *_columns(rows))}
    if len(moved) < len(heads):
        raise _LostRace({log: begins[log] for log in heads if log not in moved})


async def _check_guard(
    connection: Any, guard: Guard, listings: Mapping[str, tuple[Any, ...]], concerned: Mapping[str, tuple[str, ...]]
) -> None:
    """Call the guard with the person's listings, including those of the same group that are not written yet."""
    bodies = dict(await connection.fetch(LISTINGS_OF, guard.person, MAX_GUARDED))
    bodies |= {log: listings[log][2] for log, people in concerned.items() if guard.person in people}
    guard.check([parse_stored(body, f"the listing of log {log}") for log, body in bodies.items()])


async def _drive(connection: Any, steps: Steps[T]) -> T:
    """Run the statements of a transaction one after another."""
    try:
        statement, values = next(steps)
        while True:
            statement, values = steps.send(await connection.fetch(statement, *values))
    except StopIteration as done:
        result: T = done.value
        return result


class _LostRace(Exception):
    """Another process wrote our next number in these logs; the values are the heads we had read."""

    def __init__(self, heads: Mapping[str, int]) -> None:
        super().__init__()
        self.heads = heads


async def _connect(url: str, options: dict[str, Any]) -> Any:
    try:
        return await asyncpg.create_pool(
            url, min_size=1, max_size=MAX_CONNECTIONS, init=_make_durable, reset=_keep_session_state, **options
        )
    except ValueError as error:  # an address that asyncpg can't parse; its error may quote the password
        raise NotAStore("%(address)s is not a database address", address=without_password(url)) from error


@asynccontextmanager
async def _translated_errors(location: str) -> AsyncIterator[None]:
    """Translate errors of the database and the connection into StoreError."""
    try:
        yield
    except FAILURES as error:
        found = postgres_error(error, location)
        if found is None:
            raise
        raise found from error


async def _make_durable(connection: Any) -> None:
    """Make a commit return only when it is on disk, whatever the database's default."""
    await connection.execute(_MAKE_DURABLE)


async def _keep_session_state(_connection: Any) -> None:
    """Return connections to the pool as they are, because nothing here changes them."""


def _columns(rows: Any) -> list[list[Any]]:
    return [list(column) for column in zip(*rows, strict=True)]


_SCHEMA_LOCK_ID: Final = 0x4C426F77
_PROBE: Final = f"""
insert into facts (log, seq, at, body, hash)
select $1, n, 0, repeat('x', 1024), '' from generate_series(1, {PROBE_BYTES // 1024}) n"""
_SQL_TYPES: Final = {"name": 'text collate "C"', "int": "bigint", "bytes": "bytea", "clustered": "", "plain": ""}
_IS_THERE: Final = "select exists (select from pg_tables where schemaname = 'leftbower' and tablename = 'version')"
_MAKE: Final = f"""
create schema if not exists leftbower;
{TABLES.format_map(_SQL_TYPES)}
create table version (version integer not null);
insert into version values ({SCHEMA});"""
_MAKE_DURABLE: Final = """
select set_config('synchronous_commit', 'on', false) where current_setting('synchronous_commit') = 'off'"""
_NOW: Final = "(extract(epoch from clock_timestamp()) * 1000)::bigint"
_HEADS_NOW: Final = f"""
select wanted.log, heads.seq, heads.hash, {_NOW} as now
from unnest($1::text[]) as wanted (log) left join heads on heads.log = wanted.log"""
_INSERT: Final = """
insert into facts (log, seq, at, body, hash)
select * from unnest($1::text[], $2::bigint[], $3::bigint[], $4::text[], $5::bytea[])
on conflict do nothing returning log, seq"""
_BEGIN_HEADS: Final = """
insert into heads (log, seq, hash)
select log, seq, hash from unnest($1::text[], $2::bigint[], $3::bytea[], $4::bigint[]) as new (log, seq, hash, was)
on conflict do nothing returning log"""
_MOVE_HEADS: Final = """
update heads set seq = new.seq, hash = new.hash
from unnest($1::text[], $2::bigint[], $3::bytea[], $4::bigint[]) as new (log, seq, hash, was)
where heads.log = new.log and heads.seq = new.was returning heads.log"""
_LOCK_NAME: Final = "select pg_advisory_xact_lock(hashtextextended($1, 0))"
_LIST_ALL: Final = f"""
insert into listings (log, seq, body, updated)
select * from unnest($1::text[], $2::bigint[], $3::text[], $4::bigint[]) as new (log, seq, body, updated) order by log
{REPLACE_LISTING}"""
