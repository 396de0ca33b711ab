"""Scheduler of due actions at tables: deals, bots' actions, timeouts.

No process owns a table. The one that appended last continues at once; the others wait a little and drop their work if
they lose the race for the version. A poll of all tables picks up those whose process died.
"""

import asyncio
import logging
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from importlib.metadata import version as package_version
from random import Random
from typing import Final, Protocol

from cachetools import LRUCache

from leftbower.dealing import ENTROPY_BYTES
from leftbower.engine.legal_view import view
from leftbower.engine.view import View
from leftbower.errors import Conflict, LogEdited, StoreClosed, UnknownTable
from leftbower.players.coach.advice import Advice
from leftbower.players.decision_rng import Purpose, cut_rng, decision_rng
from leftbower.rules.seats import Seat
from leftbower.server.live.bots import BotPool
from leftbower.server.live.outage import Outage
from leftbower.server.live.presence import Presence, VersionTimes
from leftbower.server.observability.logs import log_error
from leftbower.server.people.name_commitments import commit_names
from leftbower.server.quotas import Quotas, is_match_full, is_presence_full
from leftbower.store import Store
from leftbower.table import (
    CANCELLABLE,
    Acted,
    BotActDue,
    BotSubstituted,
    CloseDue,
    CutDue,
    CutOffered,
    DealDue,
    DeckCut,
    DeckDue,
    DeckSealed,
    Disconnected,
    DrawDeckSealed,
    DrawDue,
    DueAction,
    HandDealt,
    LastCardDue,
    MatchOpened,
    MatchOpeningDue,
    PartnerDue,
    SubstituteDue,
    Table,
    TableClosed,
    TableFact,
    TimedOut,
    TimeoutDue,
    Timeouts,
    next_due,
)

_MAX_IDLE_TABLES: Final = 10_000
"""Tables remembered with the version at which nothing was due."""
_COMMIT_LAG_SECONDS: Final = 1.0
"""A slow commit may become visible this long after its timestamp."""
_MIN_WAIT_SECONDS: Final = 0.001
"""Shorter waits are not worth a timer."""
_UNSHARED_POLL_FACTOR: Final = 10
"""Polls are this much rarer if no other process can append to the store."""
_LIVE_PHASES: Final = frozenset({"drawing", "dealing", "cutting", "playing"})
_STARTUP_DELAY_SECONDS: Final = 0.3
"""Time for the server to start listening before live tables are resumed."""
_RESUME_PAUSE_SECONDS: Final = 0.001
"""Between two resumed tables, so that requests are answered in between."""
_MIN_BACKOFF_SECONDS, _MAX_BACKOFF_SECONDS = 0.2, 20.0
"""Exponential backoff after a failure."""
_log = logging.getLogger("leftbower.tables")


@dataclass(frozen=True, slots=True, kw_only=True)
class Timing:
    """The scheduler's delays, in seconds."""

    bot_delay: float = 0.0
    """Average delay of bots' and automatic actions while people are at the table."""
    timeouts: Timeouts = field(default_factory=Timeouts)
    takeover_delay: float = 0.5
    """How long the process that appended last has to continue before another takes over."""
    poll_interval: float = 0.5
    """Between two polls of all tables."""
    head_start: float = 0.0
    """At most this long tables are only folded into the cache, while other processes serve."""


class TableAccess(Protocol):
    """What the scheduler needs of the `TableService`."""

    store: Store
    version_times: VersionTimes
    presence: Presence
    outage: Outage

    edited: dict[str, LogEdited]

    def cached_version(self, name: str) -> int | None:
        """The version of the cached table."""

    def peek(self, name: str) -> Table | None:
        """The cached table."""

    async def get(self, name: str) -> Table:
        """The cached table, or else as it is in the store."""

    async def refresh(self, name: str) -> Table:
        """The table as it is in the store."""

    async def append(self, name: str, table: Table | None, fact: TableFact) -> Table:
        """Append a fact at this version of a table, or raise Conflict."""


class TableScheduler:
    """Runs at most one task per table, and none where a person is to act."""

    def __init__(self, tables: TableAccess, *, entropy: Callable[[int], bytes], timing: Timing, quotas: Quotas) -> None:
        self._tables, self._entropy, self.timing, self._quotas = tables, entropy, timing, quotas
        self._bots = BotPool()
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._timers: dict[str, asyncio.TimerHandle] = {}
        """Tables that another process has time to continue."""
        self._timeouts: dict[str, asyncio.TimerHandle] = {}
        """Tables at which something happens unless a person acts first."""
        self._idle_versions: LRUCache[str, int] = LRUCache(_MAX_IDLE_TABLES)
        self._polled_until = 0.0
        self._poller: asyncio.Task[None] | None = None
        self._closed = False

    def __len__(self) -> int:
        """Number of tables with a task or a takeover timer."""
        return len(self._tasks) + len(self._timers)

    async def open(self) -> None:
        """Resume every match in progress and start polling."""
        listings = await self._tables.store.listings()
        live = [listing.log for listing in listings if listing.body.get("phase") in _LIVE_PHASES]
        await self._warm_cache(live)
        self._poller = asyncio.create_task(self._resume(live), name="leftbower table poller")

    async def _warm_cache(self, live: Sequence[str]) -> None:
        """Fold live tables, the latest first, until the head start is over."""
        loop = asyncio.get_running_loop()
        end = loop.time() + self.timing.head_start
        for name in live:
            if loop.time() >= end:
                return
            with suppress(LogEdited):
                await self._tables.get(name)

    async def close(self) -> None:
        """Cancel all timers and tasks; every acknowledged fact is in the store."""
        self._closed = True
        for timer in (*self._timers.values(), *self._timeouts.values()):
            timer.cancel()
        self._timers.clear()
        self._timeouts.clear()
        tasks = [*self._tasks.values(), *([self._poller] if self._poller else [])]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self._bots.close()

    async def advise(self, table: Table, view: View) -> Advice:
        """The coach's advice for a seat; the same for the same version."""
        return await self._bots.advise(view, _rng(table, view, Purpose.ADVICE))

    def wake(self, name: str) -> None:
        """Start the table's task unless it is running (it looks again before it ends) or nothing is due."""
        self._cancel_timers(name)
        running = self._tasks.get(name)
        if (running is None or running.done()) and not self._closed and not self._is_idle(name):
            task = asyncio.get_running_loop().create_task(self._run(name), name=f"leftbower table {name}")
            self._tasks[name] = task
            task.add_done_callback(lambda ended: self._forget_task(name, ended))

    def wake_later(self, name: str) -> None:
        """Wake the table unless another process changes it within the takeover delay."""
        self._cancel_timers(name)
        if not self._closed:
            self._timers[name] = asyncio.get_running_loop().call_later(self.timing.takeover_delay, self.wake, name)

    def forget(self, name: str) -> None:
        """Drop a table whose log was removed; its task ends when it reads the table again."""
        self._cancel_timers(name)
        self._idle_versions.pop(name, None)

    def _forget_task(self, name: str, ended: asyncio.Task[None]) -> None:
        """A new task may have started before the callback of the old one."""
        if self._tasks.get(name) is ended:
            del self._tasks[name]

    def _cancel_timers(self, name: str) -> None:
        for timers in (self._timers, self._timeouts):
            if timer := timers.pop(name, None):
                timer.cancel()

    def _is_idle(self, name: str) -> bool:
        """Is a person to act at this cached table? After most actions this saves the task."""
        table = self._tables.peek(name)
        if table is None or self._bots.may_remark(table):
            return False
        action = next_due(table, self.timing.timeouts)
        if action is not None and not isinstance(action, CANCELLABLE):
            return False
        if self._due_by_timeout(name, table, action) is not None:
            return False
        self._idle_versions[name] = table.version
        return True

    async def _run(self, name: str) -> None:
        """Perform due actions until none is left; retry with exponential backoff."""
        done_version, wait = 0, _MIN_BACKOFF_SECONDS
        while True:
            await self._tables.outage.wait()
            try:
                table = await self._tables.get(name)
                if table.version == done_version:
                    self._idle_versions[name] = done_version
                    return
                fact = await self._due_fact(name, table)
                if fact is not None:
                    await self._tables.append(name, table, fact)
                done_version, wait = table.version, _MIN_BACKOFF_SECONDS
            except Conflict:
                await self._refresh(name)
            except (LogEdited, StoreClosed, UnknownTable):
                return
            except Exception as error:
                if not self._tables.outage.report(error):
                    log_error(_log, "a due action failed, and will be tried again", error)
                await asyncio.sleep(wait)
                wait = min(2 * wait, _MAX_BACKOFF_SECONDS)

    async def _refresh(self, name: str) -> None:
        try:
            await self._tables.refresh(name)
        except UnknownTable:
            return  # its log was removed
        except Exception as error:
            log_error(_log, "a table could not be read, which will be tried again", error)
            await asyncio.sleep(_MIN_BACKOFF_SECONDS)

    async def _resume(self, names: Sequence[str]) -> None:
        """Wake live tables one after another, the latest first, then poll.

        The server starts listening first, and a request waits for one table at most, not for all of them.
        """
        await asyncio.sleep(_STARTUP_DELAY_SECONDS if names else 0.0)
        for name in names:
            await asyncio.sleep(_RESUME_PAUSE_SECONDS)
            try:
                await self._tables.get(name)
            except StoreClosed:
                return
            except Exception as error:
                log_error(_log, "a table could not be read, which will be tried again", error)
            self.wake(name)
        await self._poll_forever()

    async def _poll_forever(self) -> None:
        while True:
            await asyncio.sleep(self.timing.poll_interval * (1 if self._tables.store.shared else _UNSHARED_POLL_FACTOR))
            await self._tables.outage.wait()
            try:
                await self._poll()
            except StoreClosed:
                return
            except Exception as error:
                if not self._tables.outage.report(error):
                    log_error(_log, "a poll was not finished", error)

    async def _poll(self) -> None:
        """Refresh tables whose notification was lost, and wake live ones at which something is overdue.

        A table is looked at once it has not changed for the takeover delay.
        """
        store = self._tables.store
        until = await store.now() - self.timing.takeover_delay
        since = min(self._polled_until, until) - _COMMIT_LAG_SECONDS  # the store's clock can be set back
        for listing in await store.listings(since=since):
            if listing.updated >= until or listing.log in self._tables.edited:
                continue
            if (self._tables.cached_version(listing.log) or listing.seq) < listing.seq:
                with suppress(LogEdited):
                    await self._tables.refresh(listing.log)
            if listing.body.get("phase") in _LIVE_PHASES and self._idle_versions.get(listing.log) != listing.seq:
                self.wake(listing.log)
        self._polled_until = until

    async def _due_fact(self, name: str, table: Table) -> TableFact | None:
        """Wait for the fact that is due at this version; None if there is none, or the table has changed."""
        remark = await self._bots.remark(table, lambda view: _rng(table, view, Purpose.REMARK))
        if remark is not None:
            return Acted(action=remark)
        action = next_due(table, self.timing.timeouts)
        if action is None or isinstance(action, CANCELLABLE):
            return self._due_by_timeout(name, table, action)
        if isinstance(action, DeckDue) and is_match_full(self._quotas, table):
            return TableClosed()
        delay = action.delay
        if isinstance(action, BotActDue | CutDue | DealDue | LastCardDue) and bool(table.people):
            delay += self.timing.bot_delay * table.tempo.delay_factor * hesitation(name, table)
        fact = await self._fact_for(name, table, action)  # computed before the delay, which includes thinking time
        await asyncio.sleep(max(delay - self._tables.version_times.age(name, action.since_version), 0.0))
        return fact if (await self._tables.get(name)).version == table.version else None

    def _due_by_timeout(self, name: str, table: Table, action: DueAction | None) -> TableFact | None:
        """The fact of the first timeout that has passed; else set a timer for the next one."""
        version_times = self._tables.version_times
        timeouts: list[tuple[float, TableFact]] = []
        if action is not None:
            timeouts.append((action.delay - version_times.age(name, action.since_version), _cancellable_fact(action)))
        if not table.closed and not (table.gathering and is_presence_full(self._quotas, table)):
            silent = self._tables.presence.silent_person(name, table, version_times.age(name, table.game_version))
            if silent is not None:
                timeouts.append((silent[1], Disconnected(person=silent[0])))
        wait, fact = min(timeouts, key=lambda timeout: timeout[0], default=(0.0, None))
        if wait < _MIN_WAIT_SECONDS:
            return fact
        self._cancel_timers(name)
        if not self._closed:
            self._timeouts[name] = asyncio.get_running_loop().call_later(wait, self.wake, name)
        return None

    async def _fact_for(self, name: str, table: Table, action: DueAction) -> TableFact:
        match action:
            case MatchOpeningDue():
                names = await commit_names(self._tables.store, table.people, self._entropy)
                return MatchOpened(table=name, name_commitments=names, bot_version=package_version("leftbower"))
            case DrawDue():
                return DrawDeckSealed(entropy=self._entropy(ENTROPY_BYTES).hex())
            case DeckDue():
                late = set(table.latecomers.values()) - table.name_commitments.keys()
                names = await commit_names(self._tables.store, late, self._entropy) if late else {}
                return DeckSealed(entropy=self._entropy(ENTROPY_BYTES).hex(), name_commitments=names)
            case CutDue():
                return DeckCut(seat=action.seat, lifted=0 if action.declined else _bot_cut(table, action.seat))
            case DealDue():
                return CutOffered(seat=action.seat) if table.may_offer_cut else HandDealt(seat=action.seat)
            case LastCardDue() | PartnerDue():
                return Acted(action=action.action)
            case BotActDue():
                assert table.hand is not None
                own_view = view(table.hand, action.seat)
                return Acted(action=await self._bots.act(action.level, own_view, _rng(table, own_view, Purpose.ACT)))
        return _cancellable_fact(action)


def _cancellable_fact(action: DueAction) -> TableFact:
    match action:
        case SubstituteDue():
            return BotSubstituted(person=action.person)
        case TimeoutDue():
            return TimedOut(person=action.person)
        case CloseDue():
            return TableClosed()
    raise AssertionError(f"{type(action).__name__} is not cancellable")


def hesitation(name: str, table: Table) -> float:
    """Random factor of the bot delay, from 0.5 to 1.5.

    It does not depend on the cards: a bot with five to choose from, a bot with one and a person's last card that plays
    itself take equally long, so that the time reveals nothing.
    """
    return 0.5 + Random(f"{name}:{table.version}:hesitation").random()


def _bot_cut(table: Table, seat: Seat) -> int:
    """The number of cards a bot lifts, derived from the sealed deck's secret; 0 for none."""
    assert table.sealed_deck is not None
    return cut_rng(table.sealed_deck.bot_secret, seat).randrange(len(table.rules.deck))


def _rng(table: Table, view: View, purpose: Purpose) -> Random:
    """A generator seeded by the deal's secret and its public history; never by table or version."""
    assert table.sealed_deck is not None
    return decision_rng(table.sealed_deck.bot_secret, view, cut=table.cut or 0, purpose=purpose)
