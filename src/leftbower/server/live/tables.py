"""Live tables: an LRU cache of folded logs with optimistic appends.

A command is validated against the cached table and appended at its version; listeners are notified once the fact is
durable. On a conflict the log is read again and the command retried, so any number of processes can serve one store.
"""

import asyncio
import logging
import re
import secrets
from collections.abc import Callable, Collection, Coroutine, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any, Final

from cachetools import LRUCache

from leftbower.errors import (
    Conflict,
    NoHints,
    NothingDealt,
    QuotaExceeded,
    RuleViolation,
    Stale,
    StoreError,
    StoreUnreachable,
    TableError,
    UnknownTable,
    WasRemoved,
)
from leftbower.players.coach.advice import Advice
from leftbower.rules.house import HouseRules
from leftbower.server.live.checked_logs import CheckedLogs
from leftbower.server.live.outage import Outage
from leftbower.server.live.presence import Presence, VersionTimes
from leftbower.server.live.scheduler import TableScheduler, Timing
from leftbower.server.observability.logs import log_error
from leftbower.server.observability.metrics import ACTION_COUNT, APPEND_SECONDS
from leftbower.server.quotas import Quotas, Usage, check_request, is_presence_full
from leftbower.store import Guard, Head, Hint, Store, StoredFact
from leftbower.table import (
    EVENT_RECONNECT_GRACE_SECONDS,
    HAND_PAUSE_SECONDS,
    IDLE_TIMEOUT_SECONDS,
    RECONNECT_GRACE_SECONDS,
    TRICK_DISPLAY_SECONDS,
    Acted,
    Agreed,
    Created,
    CutOffered,
    DeckCut,
    Disconnected,
    HandDealt,
    Reconnected,
    Sat,
    SeatedPerson,
    Table,
    TableFact,
    TimeControl,
    TimeoutDue,
    Timeouts,
    apply_fact,
    hand_view_for,
    idempotency_key,
    next_due,
    phase,
    table_fact_from_json,
    table_fact_to_json,
    validate,
    validate_before_apply,
    with_store_stamp,
)

Listener = Callable[[str, Table], None]
"""Called with every new version of a table, in order, once it is durable."""

_MAX_TRIES: Final = 20
"""Attempts of a command that names no version, when other writers win the race."""
MAX_CACHED_TABLES: Final = 2000
REMOVED_FOR_SECONDS: Final = 300.0
"""How long a player removed by the host cannot sit down at that table again."""
EVENT_LOG_PREFIX: Final = "event-"
"""Logs with this prefix belong to events, not to tables."""
_VALID_NAME: Final = re.compile(r"[A-Za-z0-9._-]{1,64}")
_log = logging.getLogger("leftbower.tables")


class TableService:
    """The tables of a store."""

    def __init__(
        self,
        store: Store,
        *,
        on_change: Listener = lambda log, table: None,
        watched: Callable[[], Collection[str]] = tuple,
        entropy: Callable[[int], bytes] = secrets.token_bytes,
        moments: Callable[[str], None] = lambda moment: None,
        max_cached: int = MAX_CACHED_TABLES,
        bot_delay: float = 0.0,
        hand_pause: float = HAND_PAUSE_SECONDS,
        trick_display: float = TRICK_DISPLAY_SECONDS,
        reconnect_grace: float = RECONNECT_GRACE_SECONDS,
        event_reconnect_grace: float = EVENT_RECONNECT_GRACE_SECONDS,
        idle_timeout: float = IDLE_TIMEOUT_SECONDS,
        removed_for: float = REMOVED_FOR_SECONDS,
        disconnect_delay: float = 3.0,
        takeover_delay: float = 0.5,
        poll_interval: float = 0.5,
        head_start: float = 0.0,
        outage: Outage | None = None,
        quotas: Quotas | None = None,
    ) -> None:
        """`on_change` is the first listener; `watched` names the tables to refresh on notifications even if not cached.

        Times are in seconds. A closed feed counts as a disconnect after `disconnect_delay`. `removed_for` is how long a
        removed player stays out, `trick_display` how long pages show a complete trick. The others are those of `Timing`
        and `Timeouts`. `entropy` is the system's randomness, except in tests.
        """
        self.store, self._moments = store, moments
        self.listeners: list[Listener] = [on_change]
        """Called with every new version of a table, in order, once it is durable."""
        self.removal_listeners: list[Callable[[str], None]] = []
        """Called with the name of a table whose log was removed."""
        self.quotas = quotas or Quotas()
        self.usage = Usage(store, self.quotas)
        self._watched, self._trick_display, self._removed_for = watched, trick_display, removed_for
        self.outage = outage or Outage(store)
        self.logs = CheckedLogs(lambda: self.store, on_refused=self._drop)
        """The store's logs; edited ones are refused."""
        self.version_times = VersionTimes()
        self.outage.on_recovered = self.version_times.reset
        self.presence = Presence(
            self._disconnected,
            reconnect_grace=reconnect_grace,
            idle_timeout=idle_timeout,
            disconnect_delay=disconnect_delay,
        )
        timeouts = Timeouts(
            hand_pause=hand_pause,
            reconnect_grace=reconnect_grace,
            event_reconnect_grace=event_reconnect_grace,
            idle_timeout=idle_timeout,
        )
        timing = Timing(
            bot_delay=bot_delay,
            timeouts=timeouts,
            takeover_delay=takeover_delay,
            poll_interval=poll_interval,
            head_start=head_start,
        )
        self._scheduler = TableScheduler(self, entropy=entropy, timing=timing, quotas=self.quotas)
        self._background: set[asyncio.Task[None]] = set()
        self._tables: LRUCache[str, Table] = LRUCache(max_cached)
        self._stale: set[str] = set()
        """Tables with a notification that has not been read yet."""
        self._catching_up: dict[str, asyncio.Task[None]] = {}
        self._stop_listening: Callable[[], None] = lambda: None

    @property
    def bot_delay(self) -> float:
        """Average seconds of a bot's action."""
        return self._scheduler.timing.bot_delay

    @property
    def busy(self) -> int:
        """Number of tasks that are at work on tables."""
        return len(self._scheduler) + len(self._catching_up) + len(self._background)

    @property
    def cached_count(self) -> int:
        return len(self._tables)

    async def open(self) -> None:
        """Listen to the store and resume every match in progress."""
        self._stop_listening = await self.store.listen(self._notified)
        await self._scheduler.open()

    async def close(self) -> None:
        """Cancel all tasks; every acknowledged fact is in the store."""
        self._stop_listening()
        self.presence.close()
        tasks = [*self._catching_up.values(), *self._background]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self.usage.close()
        await self._scheduler.close()

    def peek(self, name: str) -> Table | None:
        """The cached table."""
        return self._tables.get(name)

    def cached_version(self, name: str) -> int | None:
        table = self._tables.get(name)
        return None if table is None else table.version

    async def create(
        self,
        name: str,
        person: str,
        rules: HouseRules,
        level: str,
        *,
        title: str = "",
        clock: TimeControl = TimeControl.OFF,
        guard: Guard | None = None,
    ) -> Table:
        """Create a table, if the `guard` allows it."""
        created = Created(person=person, rules=rules, bot_level=level, title=title, clock=clock)
        return await self.append(name, None, created, guard=guard)

    async def get(self, name: str, *, min_version: int = 0) -> Table:
        """The cached table if it is at `min_version` or later, else as it is in the store; or UnknownTable."""
        table = self._tables.get(name)
        if table is None or table.version < min_version:
            return await self.refresh(name)
        return table

    async def execute(self, name: str, person: str, command: TableFact, *, version: int | None = None) -> Table:
        """Validate and append a person's command; return the table after it, durable.

        A command with a `version` is meant for exactly that one: Stale says that the table has changed. An action
        whose id was appended before is not repeated; the current table is returned.
        """
        counted = False
        table = await self.get(name)
        self.presence.mark_active(name, person)
        if version is not None and version > table.version:
            table = await self.refresh(name)  # another process is ahead of our notifications
        for _ in range(_MAX_TRIES):
            if is_duplicate(table, person, command):
                return table
            if version is not None and not table.game_version <= version <= table.version:
                raise Stale(f"the table is at version {table.version}, not at {version}", current=table.version)
            try:
                if person in table.away and not is_presence_full(self.quotas, table):
                    table = await self.append(name, table, Reconnected(person=person))
                validate_before_apply(table, person, command)
                self._check_removed(name, table, command)
                check_request(self.quotas, table, person, command)
                if not counted:
                    await self.usage.count(person, command)
                    counted = True
                if person in table.away and not table.gathering:
                    validate(table, person, command)  # beyond the quota, only a valid command marks a return
                    table = await self.append(name, table, Reconnected(person=person))
                return await self.append(name, table, self._with_time_spent(name, table, command))
            except (Conflict, TableError, RuleViolation, QuotaExceeded) as refusal:
                refused_at, table = table.version, await self.refresh(name)
                if table.version == refused_at:
                    raise refusal from None
        raise Stale("too many ask for the same at once", current=table.version)

    async def advise(self, name: str, person: str) -> Advice:
        """The coach's advice to a person about the current hand, if the table allows hints."""
        table = await self.get(name)
        view = hand_view_for(table, person) if table.hand is not None else None
        if not table.may_use_hints(person):
            raise NoHints("at this table nobody asks the coach in the middle of a hand")
        if view is None or view.seat is None:
            raise NothingDealt("no hand is being played", state=None)
        return await self._scheduler.advise(table, view)

    async def append(self, name: str, table: Table | None, fact: TableFact, *, guard: Guard | None = None) -> Table:
        """Append a fact at this version of a table; durable when this returns, and only then published."""
        # Fold before writing: a fact that cannot be folded is refused. The stored fact gets the store's time.
        planned = apply_fact(table, fact, table.at if table else 0.0)
        expected = table.version if table else 0
        people = None if table is not None and _same_people(table, planned) else listed_people(planned)
        listing, last_hash = listing_of(planned), table.hash or None if table else None
        self.outage.check()
        with APPEND_SECONDS.time():
            stored = await self.logs.append(
                name, expected, [table_fact_to_json(fact)], listing=listing, people=people, guard=guard, hash=last_hash
            )
        if isinstance(fact, Acted):
            ACTION_COUNT.labels("person" if fact.action_id else "server").inc()
        self._moments("before-answer")
        updated = self._apply(name, table, stored, planned)
        self._scheduler.wake(name)
        return updated

    async def arrive(self, name: str, person: str) -> None:
        """A person opened the table's page: record a return, and in an event the agreement to play."""
        table = await self.get(name)
        self.presence.mark_active(name, person)
        with suppress(StoreError):  # reading works even if nothing can be written
            if person in table.away:
                await self._record_presence(name, Reconnected(person=person))
            if _agrees_on_arrival(table, person):
                await self._agree(name, person)

    async def drop_out(self, name: str, person: str) -> None:
        """Record that a seated person has left for good."""
        await self._record_presence(name, Disconnected(person=person))

    async def latest(self, name: str) -> Table:
        """The table as it is in the store, or the cached one while the store cannot be reached."""
        if not self.outage.is_unreachable:
            try:
                return await self.refresh(name)
            except StoreUnreachable as error:
                self.outage.report(error)
        return await self.get(name)

    async def refresh(self, name: str) -> Table:
        """Read the rest of the log from the store and fold it; or UnknownTable."""
        cached = self._tables.get(name)
        if cached is None and (not is_valid_name(name) or name.startswith(EVENT_LOG_PREFIX)):
            raise UnknownTable("there is no such table")
        stored = await self.logs.read(name, Head(cached.version, cached.hash) if cached else None)
        if cached is None and not stored:
            raise UnknownTable("there is no such table")
        if cached is not None and not stored and await self._was_removed(name, cached):
            self._forget(name)
            raise UnknownTable("there is no such table")
        version = self.cached_version(name)
        table = self._apply(name, cached, stored)
        if cached is not None and table.version != version:
            self._scheduler.wake_later(name)
        return table

    def _drop(self, name: str) -> None:
        """Evict a table whose log was edited."""
        self._tables.pop(name, None)

    async def _was_removed(self, name: str, table: Table) -> bool:
        """Was the log of this table removed? Only tables without a match can be."""
        return may_expire(table) and (await self.store.head(name)).seq < table.version

    def _forget(self, name: str) -> None:
        """Drop all state of a table whose log was removed."""
        if self._tables.pop(name, None) is not None:
            self._scheduler.forget(name)
            self.version_times.forget(name)
        for notify in self.removal_listeners:
            notify(name)

    def _apply(
        self, name: str, base: Table | None, stored: Sequence[StoredFact], planned: Table | None = None
    ) -> Table:
        """Fold stored facts onto `base`, publish every version, and cache the last.

        A later version may have been cached in the meantime: its facts are not folded again. `planned` is the table
        after a single fact, folded before it was written.
        """
        cached = self._tables.get(name)
        table = cached if base is None or (cached is not None and cached.version > base.version) else base
        is_news = table is not None
        for row in stored:
            if row.seq == (table.version if table else 0) + 1:
                previous = table
                if planned is None or previous is not base:
                    planned = self.logs.fold(name, row.seq, partial(_apply_stored, previous, row))
                table, planned = with_store_stamp(planned, row.at, row.hash), None
                self.version_times.record(name, table, is_news=is_news)
                for notify in self.listeners:
                    notify(name, table)
                if previous is not None and (person := self.presence.update(name, previous, table)):
                    self._run_in_background(self._record_presence(name, Reconnected(person=person)))
        assert table is not None
        self._tables[name] = table
        return table

    def time_left(self, name: str, table: Table) -> float | None:
        """Seconds until the player to act runs out of time, by this process's clock; None without a clock."""
        timeout = next_due(table)
        if not isinstance(timeout, TimeoutDue):
            return None
        return round(max(timeout.delay - self.version_times.age(name, timeout.since_version), 0.0), 1)

    def trick_time_left(self, name: str, table: Table) -> float:
        """Seconds for which pages still show the last complete trick; 0 once it is gathered."""
        return max(self._trick_display - self.version_times.trick_age(name, table), 0.0)

    def _check_removed(self, name: str, table: Table, command: TableFact) -> None:
        """Raise WasRemoved if a player sits down too soon after the host removed them."""
        since = table.removed.get(command.person) if isinstance(command, Sat) else None
        if since is not None and self.version_times.age(name, since) < self._removed_for:
            raise WasRemoved("the host removed you from this table a moment ago; wait some minutes")

    def _with_time_spent(self, name: str, table: Table, fact: TableFact) -> TableFact:
        """Add the seconds a player's action took, if the table has a clock."""
        if table.clock is TimeControl.OFF or not isinstance(fact, Acted | CutOffered | DeckCut | HandDealt):
            return fact
        return replace(fact, thinking_seconds=round(self.version_times.age(name, table.game_version), 3))

    def _disconnected(self, name: str, person: str) -> None:
        self._run_in_background(self._record_presence(name, Disconnected(person=person)))

    async def _record_presence(self, name: str, fact: Disconnected | Reconnected) -> None:
        """Append a disconnect or return, unless the table has it already."""
        for _ in range(_MAX_TRIES):
            table = await self.get(name)
            is_away = fact.person in table.away
            if fact.person not in table.people or is_away == isinstance(fact, Disconnected):
                return
            if is_presence_full(self.quotas, table) and (table.gathering or isinstance(fact, Reconnected)):
                return
            with suppress(Conflict):
                await self.append(name, table, fact)
                return
            await self.refresh(name)

    async def _agree(self, name: str, person: str) -> None:
        """Append a person's agreement at a table of an event."""
        for _ in range(_MAX_TRIES):
            table = await self.get(name)
            if not _agrees_on_arrival(table, person):
                return
            with suppress(Conflict):
                await self.append(name, table, Agreed(person=person))
                return
            await self.refresh(name)

    def _run_in_background(self, coroutine: Coroutine[None, None, None]) -> None:
        """Run in the background; log failures."""

        def done(task: asyncio.Task[None]) -> None:
            self._background.discard(task)
            if not task.cancelled() and (error := task.exception()):
                log_error(_log, "a disconnect or return could not be recorded", error)

        task = asyncio.get_running_loop().create_task(coroutine)
        self._background.add(task)
        task.add_done_callback(done)

    def _notified(self, hint: Hint) -> None:
        """Another process appended to a log; a notification without a log name says that some were lost."""
        watched = self._watched()
        if hint.log and not hint.seq:
            self._forget(hint.log)
            return
        for name in [hint.log] if hint.log else {*self._tables, *watched}:
            version = self.cached_version(name)
            if version is None and name in watched:
                version = 0
            if version is not None and (not hint.log or hint.seq > version):
                self._stale.add(name)
                if name not in self._catching_up:
                    self._catching_up[name] = asyncio.get_running_loop().create_task(self._catch_up(name))

    async def _catch_up(self, name: str) -> None:
        """Refresh until no notification is left; after a failure the scheduler's next poll reads the table."""
        try:
            while name in self._stale:
                self._stale.discard(name)
                await self.refresh(name)
        except UnknownTable:
            pass  # it was removed
        except Exception as error:
            log_error(_log, "a table could not be read", error)
        finally:
            del self._catching_up[name]


def _apply_stored(table: Table | None, stored: StoredFact) -> Table:
    return apply_fact(table, table_fact_from_json(stored.fact), stored.at)


def is_valid_name(name: str) -> bool:
    """Can this name a table or a link? Other texts are not looked up: not every database accepts them."""
    return _VALID_NAME.fullmatch(name) is not None


def may_expire(table: Table) -> bool:
    """Can the log of this table be removed? Only without a match and outside of events."""
    return table.match_number == 0 and not table.event


def is_duplicate(table: Table, person: str, command: TableFact) -> bool:
    """Is it an action whose id this person used before?"""
    if not isinstance(command, Acted) or not command.action_id:
        return False
    return idempotency_key(person, command.action_id) in table.idempotency_keys


def _agrees_on_arrival(table: Table, person: str) -> bool:
    """In an event, opening the page of the table is the agreement to play."""
    awaited = table.people - table.agreed
    return bool(table.event) and table.match is None and not table.closed and person in awaited


def listing_of(table: Table) -> Mapping[str, Any]:
    """The summary of a table for lists, written in the same commit."""
    seats = {
        str(seat): {"person": sitter.id} if isinstance(sitter, SeatedPerson) else {"bot": sitter.level}
        for seat, sitter in table.seats.items()
    }
    return {
        "phase": phase(table),
        "title": table.title,
        "host": table.host,
        "sheet": str(table.rules.sheet),
        "seats": seats,
        "begun": not may_expire(table),
    }


def _same_people(old: Table, new: Table) -> bool:
    unchanged = old.seats is new.seats and old.latecomers is new.latecomers and old.host == new.host
    return unchanged or listed_people(old) == listed_people(new)


def listed_people(table: Table) -> set[str]:
    """The people in whose lists a table appears: those seated, those waiting for the next hand, and the host."""
    return {*table.people, *table.latecomers.values(), table.host} - {""}
