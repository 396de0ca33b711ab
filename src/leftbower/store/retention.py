"""Counters for quotas, and expiry of unused rows.

Both are in the store, so that they apply to all processes together.
"""

from collections.abc import Sequence
from enum import Enum
from typing import Final

from leftbower.store.accounts import LISTINGS, NO_LIMIT, Listing, Steps, to_ms
from leftbower.store.facts import check_names
from leftbower.store.rule_sets import RuleSets

DAY: Final = 86_400
"""Seconds."""


class Rows(Enum):
    """Rows that can expire: their SQL table, and the condition for being older than a time."""

    UNUSED_SESSIONS = "sessions", "revoked is null and seen < $1"
    ENDED_SESSIONS = "sessions", "revoked < $1"
    ENDED_LINKS = "links", "revoked < $1"
    WORDS = "words", "created < $1"
    CHALLENGES = "challenges", "until < $1"
    USAGE = "usage", "day < $1"
    """Daily counters."""
    REMOVED_LOGS = "removed_logs", "at < $1"
    """Heads of logs that were removed."""


class Retention(RuleSets):
    """Daily counters, turns between processes, and expiry."""

    async def use(self, person: str, kind: str, amount: int, *, limit: int | None, now: float | None = None) -> bool:
        """Add to a person's counter of this kind for today, unless that exceeds `limit`; returns whether it was added.

        The day is in UTC by the store's time. A single statement, so that concurrent callers can't exceed the limit.
        """
        check_names([person, kind])
        if limit is not None and amount > limit:
            return False
        day = await self._day(now)
        return bool(await self._execute(_USE, person, kind, day, amount, NO_LIMIT if limit is None else limit))

    async def used(self, person: str, kind: str, *, now: float | None = None) -> int:
        """A person's counter of this kind today."""
        found = await self._query(_USED, person, kind, await self._day(now))
        return next((used for (used,) in found), 0)

    async def _day(self, now: float | None) -> int:
        """The start of the day of a time."""
        return to_ms(await self._moment(now) // DAY * DAY)

    async def take_turn(self, name: str, every: float, *, now: float | None = None) -> bool:
        """Is it this caller's turn to do a job that all processes together do once in `every` seconds?"""
        check_names([name])
        moment = to_ms(await self._moment(now))
        return bool(await self._execute(_TAKE_TURN, name, moment, moment - round(every * 1000)))

    async def idle_guests(self, before: float, *, after: str = "", limit: int) -> Sequence[str]:
        """People without login and passkey, created before and unused since a time; by id, after `after`."""
        return [person for (person,) in await self._query(_IDLE_GUESTS, to_ms(before), after, limit)]

    async def erase_idle_guest(self, id: str, before: float) -> bool:
        """Erase a person like `erase_person` if they are still an idle guest; returns whether it was done."""

        def steps() -> Steps[bool]:
            yield _LOCK_SESSIONS, (id,)
            return bool((yield _ERASE_IDLE_GUEST, (to_ms(before), id)))

        with self._ending_sessions():
            return await self._transact(steps)

    async def idle_listings(self, before: float, *, after: Listing | None = None, limit: int) -> Sequence[Listing]:
        """The listings of logs unchanged since a time, oldest first; continues after `after`."""
        last = (to_ms(after.updated), after.log) if after else (0, "")
        return await self._listings(_IDLE_LISTINGS, to_ms(before), *last, limit)

    async def count_expired(self, rows: Rows, before: float) -> int:
        """The number of these rows older than a time."""
        table, older = rows.value
        [[count]] = await self._query(f"select count(*) from {table} where {older}", to_ms(before))
        return int(count)

    async def expire(self, rows: Rows, before: float) -> int:
        """Delete those of these rows older than a time; returns their number."""
        table, older = rows.value
        with self._ending_sessions():
            return len(await self._execute(f"delete from {table} where {older} returning 1", to_ms(before)))


def removing(log: str, expected: int, now: float) -> Steps[bool]:
    """Remove a log that ends at `expected`; its deleted head is locked, so no append comes between the statements."""
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
"""Locks the rows, so that the next statement sees a use that is being saved."""
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
