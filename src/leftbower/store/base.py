"""The interface of all stores: append-only logs of facts, and the SQL tables next to them.

Commit, fsync, then return. A `(log, seq)` is written only once. A Conflict has the current number.
"""

import json
from abc import abstractmethod
from asyncio import Future, get_running_loop, to_thread
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from time import time
from types import TracebackType
from typing import Any, Final, Self, TypeAlias, TypedDict, Unpack

from leftbower.errors import Conflict, LogEdited, StoreBroken, StoreClosed, StoreReadOnly, Unstorable
from leftbower.i18n import gettext_noop
from leftbower.store.accounts import NO_LIMIT, from_ms, to_ms
from leftbower.store.chain import Head, Row, chained, fits, start
from leftbower.store.facts import (
    Fact,
    Plain,
    Upcasters,
    canonical,
    check_names,
    encode_fact,
    is_text,
    parse_stored,
    upcast,
)
from leftbower.store.retention import Retention, removing
from leftbower.store.verify import Flaw, FlawKind, flaw_of


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredFact:
    log: str
    seq: int
    """Its number in the log, counted from 1 without gaps."""
    fact: Plain
    """Upcast to its current version when read; the hash is that of the version that was written."""
    at: float
    """The database's time of the append, in seconds since 1970, to the millisecond; the same for a whole append."""
    hash: bytes
    """Seals this fact and all before it."""


@dataclass(frozen=True, slots=True)
class Hint:
    """A process appended to a log, which is now at `seq` or later. A hint may come late, twice or never.

    A `seq` of 0 means that the log was removed. An empty `log` means that hints may have been lost: check every log you
    follow.
    """

    log: str
    seq: int


HINTS_LOST: Final = Hint("", 0)

OnHint: TypeAlias = Callable[[Hint], None]
Project: TypeAlias = Callable[[str, Sequence[StoredFact]], tuple[Mapping[str, Any], Iterable[str]] | None]
"""A log's listing and the people whose lists have it, from all its facts; None for no listing."""
Moments: TypeAlias = Callable[[str], None]
"""Called with "before-commit" and "after-commit", so that tests can kill the process there."""


Check: TypeAlias = Callable[[Sequence[Plain]], None]
"""Raises a LeftbowerError to refuse an append, given these listings."""


@dataclass(frozen=True, slots=True)
class Guard:
    """A condition of an append, checked in its transaction: appends with a guard of the same person are serialized."""

    person: str
    check: Check
    """Called with the person's latest listings, at most `MAX_GUARDED`."""


class AppendOptions(TypedDict, total=False):
    now: float | None
    """Replaces the database's time."""
    listing: Mapping[str, Any] | None
    """The log's listing, written in the same commit."""
    people: Iterable[str] | None
    """The people whose lists have it from now on."""
    hash: bytes | None
    """The required hash of the log's last fact; LogEdited if it is different."""
    guard: Guard | None
    """Its error is raised by the append, and nothing is written."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """An append on its way to disk."""

    log: str
    expected: int
    bodies: tuple[str, ...]
    at: int | None
    """Milliseconds; None for the database's time."""
    listing: str | None
    people: tuple[str, ...] | None
    """The people whose lists have the log from now on; None if they don't change."""
    hash: bytes | None = None
    """The required hash of the log's last row; None if it is unknown."""
    guard: Guard | None = None

    def behind(self, head: Head, now: int) -> list[Row]:
        """The rows of this append after the log's head, or the Conflict."""
        if head.seq != self.expected:
            raise Conflict(self.log, expected=self.expected, current=head.seq)
        if self.hash is not None and self.hash != head.hash:
            raise _edited(self.log, head.seq, gettext_noop("it is not the fact that was expected there"))
        return chained(self.log, head, now if self.at is None else self.at, self.bodies)


class StoreOptions(TypedDict, total=False):
    """How a store is opened."""

    upcasters: Upcasters | None
    clock: Callable[[], float] | None
    """Replaces the database's time, for simulations."""
    moments: Moments
    read_only: bool
    """Create, lock and write nothing?"""


class Store(Retention):
    """An open store: logs, their listings, people, and maintenance."""

    def __init__(self, location: str, **options: Unpack[StoreOptions]) -> None:
        self._location = location
        self._upcasters: Upcasters = options.get("upcasters") or {}
        self._clock = options.get("clock")
        self._moments = options.get("moments") or (lambda _: None)
        self._read_only = options.get("read_only", False)
        self._listeners: list[OnHint] = []
        self._closed = False

    async def now(self) -> float:
        """This machine's clock, unless the database has its own."""
        return from_ms(to_ms((self._clock or time)()))

    async def append(
        self, log: str, expected: int, facts: Iterable[Fact], **options: Unpack[AppendOptions]
    ) -> Sequence[StoredFact]:
        """Append facts after fact number `expected`, which must be the log's last one; otherwise raises Conflict.

        All of them are written or none, and they are on disk when this returns. An append that was canceled, or whose
        connection was lost, may have been written or not: read the log.
        """
        bodies = [encode_fact(fact) for fact in facts]
        rows = await self._append(_entry(log, expected, bodies, options))
        return [_stored(log, row, json.loads(body)) for row, body in zip(rows, bodies, strict=True)]

    async def append_encoded(
        self, log: str, expected: int, bodies: Sequence[str], **options: Unpack[AppendOptions]
    ) -> Row:
        """Like `append` for facts already encoded by `encode_fact`, perhaps in another thread, so that a large append
        costs the event loop next to nothing. Returns the last row."""
        return (await self._append(_entry(log, expected, bodies, options)))[-1]

    async def read(self, log: str, after: int = 0, *, limit: int | None = None) -> Sequence[StoredFact]:
        """The facts of a log after number `after`, in order and in their current version; none if there is no log."""
        return self.parsed(log, await self.rows(log, after, NO_LIMIT if limit is None else limit))

    async def checked_rows(self, log: str, behind: Head | None = None, *, limit: int | None = None) -> Sequence[Row]:
        """The rows of a log after a head that was checked before, or all rows, with their hash chain checked.

        LogEdited if a fact was changed or is missing. With a `limit`, exactly this many rows are read, and must exist.
        Long logs are checked in a thread.
        """
        for _ in range(_TRIES):
            rows = await (
                self._rows_from_start(log) if behind is None else self.rows(log, behind.seq, limit or NO_LIMIT)
            )
            if rows is not None and len(rows) >= (limit or 0):
                check = partial(_are_chained, log, behind or start(log), rows)
                if check() if len(rows) <= _SHORT_LOG_ROWS else await to_thread(check):
                    return rows
            if flaw := await flaw_of(log, self.rows, self._head, behind):
                raise _edited(log, flaw.seq, flaw.sentence)
        raise _edited(log, behind.seq + 1 if behind else 1, gettext_noop("it, or a later fact, was changed"))

    async def _rows_from_start(self, log: str) -> Sequence[Row] | None:
        """All rows of a log; None if they don't end at its head. The log may grow during the read."""
        before = await self._head(log) or start(log)
        rows = await self.rows(log, 0, NO_LIMIT)
        if len(rows) < before.seq or (before.seq and rows[before.seq - 1].hash != before.hash):
            return None
        now = before if len(rows) == before.seq else await self._head(log) or start(log)
        return rows if len(rows) <= now.seq else None

    def parsed(self, log: str, rows: Iterable[Row]) -> Sequence[StoredFact]:
        """Rows of a log as facts in their current version; can run in any thread."""
        return [_stored(log, row, self._fact_in(log, row)) for row in rows]

    def _fact_in(self, log: str, row: Row) -> Plain:
        plain = parse_row(log, row)
        if "fact" not in plain or "v" not in plain:
            raise StoreBroken("fact %(seq)s of log %(log)s is damaged; verify the store", seq=row.seq, log=log)
        return upcast(plain, self._upcasters)

    async def head(self, log: str) -> Head:
        """The head of a log; at 0 if it is empty."""
        return await self._head(log) or start(log)

    async def remove_log(self, log: str, expected: int, *, now: float | None = None) -> None:
        """Remove a whole log whose last fact is number `expected`, in one transaction; otherwise raises Conflict.

        This also removes its listing, its links and the sessions for it. Its head is stored as that of a removed log,
        so that `verify` knows that it was removed and not lost.
        """
        check_names([log])
        with self._ending_sessions():
            removed = await self._remove_log(log, expected, await self._moment(now))
        if not removed:
            raise Conflict(log, expected=expected, current=(await self.head(log)).seq)
        self._publish([Hint(log, 0)])

    async def verify(
        self,
        *,
        remembered: Mapping[str, Head] | None = None,
        progress: Callable[[int, int], None] | None = None,
    ) -> Sequence[Flaw]:
        """The first flaw of each damaged log: rows changed, removed, inserted or out of order.

        `remembered` are heads stored elsewhere, for example in a backup; they reveal a rewritten log. A log that was
        removed since, at the remembered head or later, is no flaw. `progress` is called with the number of logs done
        and of all logs.
        """
        memory = remembered or {}
        logs = sorted({*await self._logs(), *memory})
        flaws = []
        for done, log in enumerate(logs, 1):
            if flaw := await self._flaw(log, memory.get(log)):
                flaws.append(flaw)
            if progress:
                progress(done, len(logs))
        return flaws

    async def _flaw(self, log: str, remembered: Head | None) -> Flaw | None:
        if not is_text(log):
            readable = log.encode(errors="replace").decode()
            return Flaw(readable, 1, FlawKind.CHANGED, "the name of its log was changed and is not text")
        flaw = await flaw_of(log, self.rows, self._head, remembered)
        return None if flaw is None or await self._was_removed(log, remembered) else flaw

    async def _was_removed(self, log: str, remembered: Head | None) -> bool:
        """Was a log removed as a whole, at the remembered head or later, perhaps during verification?"""
        end = (await self.removed_logs()).get(log)
        if end is None or await self._head(log) is not None or await self.rows(log, 0, 1):
            return False
        return remembered is None or remembered.seq < end.seq or remembered == end

    async def rebuild_listings(self, project: Project) -> int:
        """Rebuild every listing from its log; returns their number. Logs may grow at the same time."""
        count = 0
        for log in await self._logs():
            facts = await self.read(log)
            found = project(log, facts)
            if found is None:
                await self._unlist(log, len(facts))
                continue
            count += 1
            listing, people = found
            await self._list(log, len(facts), canonical(listing), to_ms(facts[-1].at), _named(people))
        return count

    async def listen(self, on_hint: OnHint) -> Callable[[], None]:
        """Call `on_hint` in the event loop after appends of this and other processes; returns an unsubscriber."""
        self._listeners.append(on_hint)

        def stop() -> None:
            with suppress(ValueError):
                self._listeners.remove(on_hint)

        return stop

    async def rows(self, log: str, after: int, limit: int) -> Sequence[Row]:
        """Stored rows of a log after a number, in order, up to a limit."""
        return [Row(*row) for row in await self._query(ROWS, log, after, limit)]

    async def heads(self) -> dict[str, Head]:
        """The head of every log."""
        return {log: Head(*head) for log, *head in await self._query(HEADS)}

    async def removed_logs(self) -> dict[str, Head]:
        """The last head of every removed log."""
        return {log: Head(*head) for log, *head in await self._query("select log, seq, hash from removed_logs")}

    async def probe(self) -> None:
        """Write as much as a few appends need, and remove it again; raises StoreError if that fails."""
        self._check_open()

    @abstractmethod
    async def close(self) -> None:
        """Finish pending writes, and release file, threads and connections; idempotent."""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    def _publish(self, hints: Iterable[Hint]) -> None:
        """Call the listeners in the event loop; a failing one does not affect the others."""
        loop = get_running_loop()
        for hint in hints:
            for on_hint in self._listeners:
                loop.call_soon(on_hint, hint)

    def _check_open(self, *, to_write: bool = False) -> None:
        if self._closed:
            raise StoreClosed("the store is closed")
        if to_write and self._read_only:
            raise StoreReadOnly("%(location)s is open read-only", location=self._location)

    @abstractmethod
    async def _append(self, entry: Entry) -> Sequence[Row]: ...

    async def _remove_log(self, log: str, expected: int, now: float) -> bool:
        """Remove a log if it ends at `expected`; returns whether it was removed."""
        return await self._transact(lambda: removing(log, expected, now))

    async def _head(self, log: str) -> Head | None:
        return next((Head(*head) for head in await self._query(HEAD, log)), None)

    async def _logs(self) -> Sequence[str]:
        """All logs with a head or a row."""
        return sorted(log for (log,) in await self._query(LOGS))

    async def _list(self, log: str, seq: int, body: str, updated: int, people: Sequence[str]) -> None:
        """Replace a listing and its people, unless it was written for a later fact than `seq`."""
        await self._execute(f"{INSERT_LISTING} values ($1, $2, $3, $4) {REPLACE_LISTING}", log, seq, body, updated)
        await self._execute(UNCONCERN, log, seq)
        for person in people:
            await self._execute(CONCERN, log, seq, person)

    async def _unlist(self, log: str, seq: int) -> None:
        """Remove a listing, unless it was written for a later fact than `seq`."""
        await self._execute("delete from listings where log = $1 and seq <= $2", log, seq)


_SHORT_LOG_ROWS: Final = 500
"""Up to this many rows, hashes are checked in the event loop, in about a millisecond; a thread checks longer logs."""
_TRIES: Final = 3
"""Attempts to read a log that doesn't match its head but has no flaw, because it changed during the read."""
MAX_GUARDED: Final = 1000
"""Listings of a person passed to a guard."""
PROBE_BYTES: Final = 1 << 16
"""Bytes that a probe writes."""

ROWS: Final = "select seq, at, body, hash from facts where log = $1 and seq > $2 order by seq limit $3"
HEAD: Final = "select seq, hash from heads where log = $1"
HEADS: Final = "select log, seq, hash from heads"
LOGS: Final = "select log from heads union select log from facts"
INSERT_LISTING: Final = "insert into listings (log, seq, body, updated)"
REPLACE_LISTING: Final = """
on conflict (log) do update set seq = excluded.seq, body = excluded.body, updated = excluded.updated
where listings.seq <= excluded.seq"""
UNCONCERN: Final = """
delete from concerned where log = $1 and exists (select 1 from listings where log = $1 and seq <= $2)"""
CONCERN: Final = """
insert into concerned (person, log) select $3, log from listings where log = $1 and seq <= $2 on conflict do nothing"""

LISTINGS_OF: Final = """
select log, body from listings where log in (select log from concerned where person = $1)
order by updated desc, log limit $2"""


def _entry(log: str, expected: int, bodies: Sequence[str], options: AppendOptions) -> Entry:
    check_names([log])
    now, listing, people = options.get("now"), options.get("listing"), options.get("people")
    if not bodies:
        raise Unstorable("there is nothing to append")
    if people is not None and listing is None:
        raise Unstorable("only a log with a listing can be in people's lists")
    return Entry(
        log=log,
        expected=expected,
        bodies=tuple(bodies),
        at=None if now is None else to_ms(now),
        listing=None if listing is None else canonical(listing),
        people=None if people is None else _named(people),
        guard=options.get("guard"),
        hash=options.get("hash"),
    )


def _named(people: Iterable[str]) -> tuple[str, ...]:
    names = tuple(sorted(set(people)))
    check_names(names)
    return names


def parse_row(log: str, row: Row) -> Plain:
    """The fact of a row as it was written; StoreBroken with its log and number if it can't be parsed."""
    return parse_stored(row.body, f"fact {row.seq} of log {log}")


def _edited(log: str, seq: int, sentence: str) -> LogEdited:
    return LogEdited(sentence, path=f"log {log}, fact {seq}")


def _are_chained(log: str, head: Head, rows: Iterable[Row]) -> bool:
    """Does each of these rows chain to the one before it?"""
    for row in rows:
        if row.seq != head.seq + 1 or not fits(log, head, row):
            return False
        head = Head(row.seq, row.hash)
    return True


def settle(future: Future[Any], outcome: object) -> None:
    """Resolve the future of a write with its result, or the error to raise; a canceled caller gets neither."""
    if future.done():
        return
    if isinstance(outcome, BaseException):
        future.set_exception(outcome)
    else:
        future.set_result(outcome)


def _stored(log: str, row: Row, fact: Plain) -> StoredFact:
    return StoredFact(log=log, seq=row.seq, fact=fact, at=from_ms(row.at), hash=row.hash)
