"""Expiry of unused data: idle guests, old sessions, empty tables, unopened events. Started matches are kept.

Each deletion checks its condition in its own transaction, so that any number of processes can run it. A concurrent
request either prevents the deletion or finds the data gone; nothing acknowledged is lost.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from typing import Annotated, ClassVar, Final

from pydantic import ConfigDict, Field

from leftbower.errors import Conflict, LeftbowerError, StoreClosed, StoreError
from leftbower.server.live import events, seasons
from leftbower.server.live.outage import Outage
from leftbower.server.live.tables import EVENT_LOG_PREFIX, NOT_TABLES, SEASON_LOG_PREFIX, may_expire
from leftbower.server.observability.logs import log_error
from leftbower.store import DAY, Listing, Rows, Store
from leftbower.table import replay, table_fact_from_json
from leftbower.tournament.model import reducer
from leftbower.tournament.model.codec import entry_from_json
from leftbower.tournament.season import codec, state

Days = Annotated[int, Field(ge=1, le=36_500)]
ROUND_INTERVAL_SECONDS: Final = 3600.0
"""Interval between two rounds of all processes together."""
_FIRST_ROUND_SECONDS: Final = 60.0
"""Delay of the first round after a server starts, so that requests come first."""
_PAGE_ROWS: Final = 500
"""Rows per read."""
_TURN_NAME: Final = "expiry"
_log = logging.getLogger("leftbower.expiry")


@dataclass(frozen=True, slots=True, kw_only=True)
class Lifetimes:
    """Days after which something expires. Every field can be set; docs/server/operate.md shows the docstrings."""

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid")

    guests: Days = 180
    """guests without a password or passkey, after the last use of their sessions; they are erased"""
    sessions: Days = 365
    """account sessions, after their last use"""
    ended_sessions: Days = 30
    """ended sessions, after they ended"""
    ended_links: Days = 30
    """ended links, after they ended"""
    words: Days = 90
    """typed chat messages, after they were sent"""
    tables: Days = 30
    """tables where no match ever started, after their last change"""
    events: Days = 90
    """events without entrants and draws, and seasons without players, after their last change"""
    removed_logs: Days = 730
    """heads of expired tables and events, which `verify --since` needs for older backups"""


@dataclass(slots=True, kw_only=True)
class Expired:
    """Number of expired items of each kind."""

    guests: int = 0
    sessions: int = 0
    links: int = 0
    words: int = 0
    challenges: int = 0
    tables: int = 0
    events: int = 0


class Expiry:
    """Removes expired data in rounds."""

    def __init__(
        self,
        store: Store,
        *,
        lifetimes: Lifetimes | None = None,
        leave: Callable[[str], Awaitable[None]],
        erased: Callable[[str], None] = lambda person: None,
        watched: Callable[[str], bool] = lambda log: False,
        outage: Outage | None = None,
        every: float = ROUND_INTERVAL_SECONDS,
        first: float = _FIRST_ROUND_SECONDS,
    ) -> None:
        """`leave` makes a person leave every table, `erased` is called after they are erased.

        Logs in `watched` don't expire. The `first` round starts after this many seconds, later ones `every` so often.
        """
        self._store, self._lifetimes = store, lifetimes or Lifetimes()
        self._leave, self._erased, self._watched = leave, erased, watched
        self._outage, self._every, self._first = outage or Outage(store), every, first
        self._tables, self._events = _Cursor(is_event=False), _Cursor(is_event=True)
        self._task: asyncio.Task[None] | None = None

    def open(self) -> None:
        self._task = asyncio.get_running_loop().create_task(self._make_rounds(), name="leftbower expiry")

    async def close(self) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def _make_rounds(self) -> None:
        await asyncio.sleep(self._first)
        while True:
            await self._outage.wait()
            try:
                if await self._store.take_turn(_TURN_NAME, 0.9 * self._every):
                    await self.make_round()
            except StoreClosed:
                return
            except Exception as error:
                if not self._outage.report(error):
                    log_error(_log, "expiry failed; retrying in the next round", error)
            await asyncio.sleep(self._every)

    async def make_round(self, *, dry_run: bool = False) -> Expired:
        """Remove all expired data; with `dry_run` only count it."""
        now = await self._store.now()
        expired = Expired()
        await self._expire_rows(now, expired, dry_run=dry_run)
        expired.tables = await self._expire_logs(self._tables, self._lifetimes.tables, now, dry_run=dry_run)
        expired.events = await self._expire_logs(self._events, self._lifetimes.events, now, dry_run=dry_run)
        before = _before(now, self._lifetimes.guests)
        async for person in self._idle_guests(before):  # after empty tables, so that they need not leave those
            expired.guests += dry_run or await self._erase(person, before)
        return expired

    async def _expire_rows(self, now: float, expired: Expired, *, dry_run: bool) -> None:
        lifetimes = self._lifetimes

        async def expire(rows: Rows, before: float) -> int:
            return await (self._store.count_expired if dry_run else self._store.expire)(rows, before)

        expired.sessions = await expire(Rows.UNUSED_SESSIONS, _before(now, lifetimes.sessions))
        expired.sessions += await expire(Rows.ENDED_SESSIONS, _before(now, lifetimes.ended_sessions))
        expired.links = await expire(Rows.ENDED_LINKS, _before(now, lifetimes.ended_links))
        expired.words = await expire(Rows.WORDS, _before(now, lifetimes.words))
        expired.challenges = await expire(Rows.CHALLENGES, now)
        await expire(Rows.USAGE, _before(now, 1))
        await expire(Rows.REMOVED_LOGS, _before(now, lifetimes.removed_logs))

    # Guests

    async def _idle_guests(self, before: float) -> AsyncIterator[str]:
        last = ""
        while page := await self._store.idle_guests(before, after=last, limit=_PAGE_ROWS):
            for person in page:
                yield person
            last = page[-1]

    async def _erase(self, person: str, before: float) -> bool:
        """Make an idle guest leave every table and erase them, unless they came back."""
        try:
            await self._leave(person)
        except StoreError:
            raise
        except LeftbowerError as error:
            log_error(_log, "an idle guest could not leave a table", error)
        erased = await self._store.erase_idle_guest(person, before)
        if erased:
            self._erased(person)
        return erased

    # Logs

    async def _expire_logs(self, cursor: "_Cursor", lifetime: int, now: float, *, dry_run: bool) -> int:
        """Remove idle, empty logs. Logs before the cursor were kept and have not changed since."""
        before = _before(now, lifetime)
        if dry_run:
            cursor = _Cursor(is_event=cursor.is_event)
        watched, cursor.watched = cursor.watched, []
        count = 0
        for listing in [await self._store.listing(log) for log in watched]:
            if listing is not None and listing.updated < before:
                count += await self._expire_log(cursor, listing, dry_run=dry_run)
        while page := await self._store.idle_listings(before, after=cursor.last, limit=_PAGE_ROWS):
            for listing in page:
                count += await self._expire_log(cursor, listing, dry_run=dry_run)
            cursor.last = page[-1]
        return count

    async def _expire_log(self, cursor: "_Cursor", listing: Listing, *, dry_run: bool) -> bool:
        log = listing.log
        if log.startswith(NOT_TABLES) is not cursor.is_event or listing.body.get("begun"):
            return False
        if self._watched(log):
            cursor.watched.append(log)
            return False
        version = await self._empty_version(log)
        if version is None or version != listing.seq:
            return False  # it was started, or it changed and so did its listing
        try:
            if not dry_run:
                await self._store.remove_log(log, version)
        except Conflict:
            return False
        return True

    async def _empty_version(self, log: str) -> int | None:
        """The version of a table without a match, or of an event or season without people; otherwise None."""
        stored = await self._store.read(log)
        try:
            if log.startswith(SEASON_LOG_PREFIX):
                season = state.replay(codec.entry_from_json(row.fact) for row in stored)
                return season.version if season is not None and seasons.may_expire(season) else None
            if log.startswith(EVENT_LOG_PREFIX):
                event = reducer.replay(entry_from_json(row.fact) for row in stored)
                return event.version if event is not None and events.may_expire(event) else None
            table = replay((table_fact_from_json(row.fact), row.at) for row in stored)
        except LeftbowerError as error:
            log_error(_log, "a log that may have expired could not be read", error)
            return None
        return table.version if table is not None and may_expire(table) else None


@dataclass(slots=True, kw_only=True)
class _Cursor:
    """How far the logs of one kind were checked."""

    is_event: bool
    last: Listing | None = None
    watched: list[str] = field(default_factory=list)
    """Logs before the cursor that were idle but watched."""


def _before(now: float, days: int) -> float:
    return max(now - days * DAY, 0.0)
