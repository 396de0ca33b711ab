"""Counters and expiry in SQL: the tables and statements that SQLite and PostgreSQL share, word for word."""

from collections.abc import Sequence
from typing import Final

from leftbower.store.accounts import NO_LIMIT, Listing, to_ms
from leftbower.store.chain import Head
from leftbower.store.retention import Rows
from leftbower.store.sql.credentials import SqlCredentials, Steps
from leftbower.store.sql.rows import LISTINGS, listing_of_row

TABLES: Final = """
create table usage (
    person {name} not null, kind {name} not null, day {int} not null, used {int} not null, primary key (person, kind)
){clustered};
create table turns (name {name} primary key, at {int} not null){plain};
create table removed_logs (log {name} primary key, seq {int} not null, hash {bytes} not null, at {int} not null){plain};
"""


class SqlRetention(SqlCredentials):
    """Counters and expiry in SQL."""

    async def removed_logs(self) -> dict[str, Head]:
        return {log: Head(*head) for log, *head in await self._query("select log, seq, hash from removed_logs")}

    async def idle_guests(self, before: float, *, after: str = "", limit: int) -> Sequence[str]:
        found = await self._query(_IDLE_GUESTS, to_ms(before), after, limit)
        return [person for (person,) in found]

    async def erase_idle_guest(self, id: str, before: float) -> bool:
        def steps() -> Steps[bool]:
            yield _LOCK_SESSIONS, (id,)
            erased = yield _ERASE_IDLE_GUEST, (to_ms(before), id)
            return bool(erased)

        try:
            return await self._transact(steps)
        finally:
            self._ended()

    async def idle_listings(self, before: float, *, after: Listing | None = None, limit: int) -> Sequence[Listing]:
        last = (to_ms(after.updated), after.log) if after else (0, "")
        return [listing_of_row(row) for row in await self._query(_IDLE_LISTINGS, to_ms(before), *last, limit)]

    async def count_expired(self, rows: Rows, before: float) -> int:
        table, older = _EXPIRED[rows]
        [[count]] = await self._query(f"select count(*) from {table} where {older}", to_ms(before))
        return int(count)

    async def expire(self, rows: Rows, before: float) -> int:
        table, older = _EXPIRED[rows]
        try:
            return len(await self._execute(f"delete from {table} where {older} returning 1", to_ms(before)))
        finally:
            self._ended()

    async def _use(self, person: str, kind: str, amount: int, limit: int | None, day: float) -> bool:
        values = person, kind, to_ms(day), amount, NO_LIMIT if limit is None else limit
        return bool(await self._execute(_USE, *values))

    async def _used(self, person: str, kind: str, day: float) -> int:
        found = await self._query(_USED, person, kind, to_ms(day))
        return next((used for (used,) in found), 0)

    async def _take_turn(self, name: str, every: float, now: float) -> bool:
        return bool(await self._execute(_TAKE_TURN, name, to_ms(now), to_ms(now) - round(every * 1000)))


def removing(log: str, expected: int, now: float) -> Steps[bool]:
    """Remove a log that ends at `expected`: the deleted head is locked, so no append comes between the statements."""
    heads = yield "delete from heads where log = $1 and seq = $2 returning hash", (log, expected)
    if not heads:
        return False
    [[head]] = heads
    for table in ("facts", "listings", "links", "sessions"):
        yield f"delete from {table} where log = $1", (log,)
    yield _NOTE_REMOVED, (log, expected, head, to_ms(now))
    return True


_IDLE: Final = """
created < $1 and not exists (select 1 from sessions where sessions.person = people.id and seen >= $1)
and not exists (select 1 from logins where logins.person = people.id)
and not exists (select 1 from passkeys where passkeys.person = people.id)"""
_IDLE_GUESTS: Final = f"select id from people where id > $2 and {_IDLE} order by id limit $3"
_LOCK_SESSIONS: Final = "update sessions set seen = seen where person = $1"
"""Locks the rows, so that the next statement sees a use that is being noted."""
_ERASE_IDLE_GUEST: Final = f"delete from people where id = $2 and {_IDLE} returning id"
_IDLE_LISTINGS: Final = f"""
{LISTINGS} where updated < $1 and updated >= $2 and (updated > $2 or log < $3) order by updated, log desc limit $4"""
_USE: Final = """
insert into usage (person, kind, day, used) values ($1, $2, $3, $4)
on conflict (person, kind) do update set
    used = case when usage.day = excluded.day then usage.used else 0 end + excluded.used, day = excluded.day
where usage.day <> excluded.day or usage.used + excluded.used <= $5 returning used"""
_USED: Final = "select used from usage where person = $1 and kind = $2 and day = $3"
_TAKE_TURN: Final = """
insert into turns (name, at) values ($1, $2)
on conflict (name) do update set at = excluded.at where turns.at <= $3 or turns.at > excluded.at returning name"""
_NOTE_REMOVED: Final = """
insert into removed_logs (log, seq, hash, at) values ($1, $2, $3, $4)
on conflict (log) do update set seq = excluded.seq, hash = excluded.hash, at = excluded.at"""
_EXPIRED: Final = {
    Rows.UNUSED_SESSIONS: ("sessions", "revoked is null and seen < $1"),
    Rows.ENDED_SESSIONS: ("sessions", "revoked < $1"),
    Rows.ENDED_LINKS: ("links", "revoked < $1"),
    Rows.WORDS: ("words", "created < $1"),
    Rows.CHALLENGES: ("challenges", "until < $1"),
    Rows.USAGE: ("usage", "day < $1"),
    Rows.REMOVED_LOGS: ("removed_logs", "at < $1"),
}
"""The table of each kind of rows, and which of them are older than a time."""
