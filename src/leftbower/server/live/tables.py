"""Live tables: commands, presence and due actions on the cache of their logs."""

import asyncio
import logging
import re
import secrets
from collections.abc import Callable, Collection, Coroutine, Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from hashlib import sha256
from typing import Any, Final

from leftbower import errors
from leftbower.i18n import gettext_noop
from leftbower.players.coach.advice import Advice
from leftbower.rules.house import HouseRules
from leftbower.server.live.due_actions import DueActions
from leftbower.server.live.log_cache import VALID_NAME, LogCache, LogType
from leftbower.server.live.outage import Outage
from leftbower.server.live.presence import Presence, Timing, VersionTimes
from leftbower.server.live.scheduler import Scheduler
from leftbower.server.observability.logs import log_error
from leftbower.server.observability.metrics import PERSON_ACTIONS
from leftbower.server.quotas import Quotas, Usage, check_request, is_presence_full
from leftbower.store import Guard, Store
from leftbower.table import (
    FinishedMatch,
    Seats,
    Table,
    TimeControl,
    TimeoutDue,
    apply_fact,
    facts,
    hand_view_for,
    idempotency_key,
    next_due,
    occupant_to_json,
    validate,
    validate_before_apply,
    with_store_stamp,
)

MAX_CACHED_TABLES: Final = 2000
_JOIN_ALPHABET: Final = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ"
"""Without 0 and O, 1 and I, which are read for each other."""
_JOIN_CODE_LENGTH: Final = 6
EVENT_LOG_PREFIX: Final = "event-"
"""Logs with this prefix belong to events, not to tables."""
SEASON_LOG_PREFIX: Final = "season-"
NOT_TABLES: Final = (EVENT_LOG_PREFIX, SEASON_LOG_PREFIX)
_log = logging.getLogger("leftbower.tables")


class TableService(LogCache[Table, facts.TableFact]):
    """The tables of a store."""

    def __init__(
        self,
        store: Store,
        *,
        on_change: Callable[[str, Table], None] = lambda log, table: None,
        watched: Callable[[], Collection[str]] = tuple,
        entropy: Callable[[int], bytes] = secrets.token_bytes,
        moments: Callable[[str], None] = lambda moment: None,
        max_cached: int = MAX_CACHED_TABLES,
        timing: Timing | None = None,
        outage: Outage | None = None,
        quotas: Quotas | None = None,
    ) -> None:
        """`on_change` is the first listener; `watched` names the tables to refresh on notifications even if not cached.

        `entropy` is the system's randomness, except in tests.
        """
        super().__init__(
            store,
            TABLE_LOG,
            outage=outage or Outage(store),
            max_cached=max_cached,
            watched=watched,
            moments=moments,
        )
        self.listeners.append(on_change)
        self.match_over_listeners: list[Callable[[Table], None]] = []
        """Called with every version of an event's table after its match is over."""
        self.quotas = quotas or Quotas()
        self.usage = Usage(store, self.quotas)
        self.timing = timing = timing or Timing()
        self.version_times = VersionTimes()
        self.outage.recovery_listeners.append(self.version_times.reset)
        self.presence = Presence(self._disconnected, timing)
        self._due_actions = DueActions(
            self,
            presence=self.presence,
            version_times=self.version_times,
            entropy=entropy,
            timing=timing,
            quotas=self.quotas,
        )
        self._scheduler = Scheduler(
            self, self._due_actions, poll_interval=timing.poll_interval, takeover_delay=timing.takeover_delay
        )
        self._background: set[asyncio.Task[None]] = set()
        self.removal_listeners += [self._scheduler.forget, self.version_times.forget]

    @property
    def busy(self) -> int:
        """Number of tasks at work on tables."""
        return len(self._scheduler) + len(self._catching_up) + len(self._background)

    async def open(self) -> None:
        """Listen to the store, and resume all matches."""
        await super().open()
        await self._scheduler.open(head_start=self.timing.head_start)

    async def close(self) -> None:
        """Cancel all tasks; every acknowledged fact is in the store."""
        self.presence.close()
        await super().close()
        for task in self._background:
            task.cancel()
        await asyncio.gather(*self._background, return_exceptions=True)
        await self.usage.close()
        await self._scheduler.close()
        await self._due_actions.close()

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
        created = facts.Created(person=person, rules=rules, bot_level=level, title=title, clock=clock)
        return await self.append(name, None, created, guard=guard)

    async def execute(self, name: str, person: str, command: facts.TableFact, *, version: int | None = None) -> Table:
        """Validate and append a person's command; returns the table after it, durable.

        A command with a `version` is for exactly that version; it is Stale if the table has changed. An action whose id
        was already appended is not repeated; the current table is returned.
        """
        counted, action_key = False, None
        if isinstance(command, facts.Acted) and command.action_id:
            action_key = idempotency_key(person, command.action_id)
        table = await self.get(name, min_version=version or 0)
        self.presence.mark_active(name, person)

        async def step(table: Table) -> Table:
            nonlocal counted
            if action_key in table.idempotency_keys:
                return table
            if version is not None and not table.game_version <= version <= table.version:
                raise errors.Stale(
                    "the table is at version %(version)s, not %(asked)s",
                    current=table.version,
                    version=table.version,
                    asked=version,
                )
            if person in table.away and not is_presence_full(self.quotas, table):
                table = await self.append(name, table, facts.Reconnected(person=person))
            validate_before_apply(table, person, command)
            removed_at = table.removed.get(command.person) if isinstance(command, facts.Sat) else None
            if removed_at is not None and self.version_times.age(name, removed_at) < self.timing.removed_for:
                raise errors.WasRemoved("the host removed you from this table; wait a few minutes")
            check_request(self.quotas, table, person, command)
            if not counted:
                await self.usage.count(person, command)
                counted = True
            if person in table.away and not table.gathering:
                validate(table, person, command)  # beyond the quota, only a valid command counts as a return
                table = await self.append(name, table, facts.Reconnected(person=person))
            fact = command
            if table.clock is not TimeControl.OFF and isinstance(
                command, facts.Acted | facts.CutOffered | facts.DeckCut | facts.HandDealt
            ):
                seconds = round(self.version_times.age(name, table.game_version), 3)
                fact = replace(command, thinking_seconds=seconds)
            table = await self.append(name, table, fact)
            if isinstance(command, facts.Acted):
                PERSON_ACTIONS.inc()
            return table

        return await self.update(name, table, step)

    async def fill_and_agree(self, name: str, person: str) -> Table:
        """Seat a bot in every free seat, for the host, and agree to the rules."""
        table = await self.get(name)
        for seat in table.rules.seats:
            if seat not in table.seats:
                table = await self.execute(name, person, facts.BotSeated(seat=seat, level=table.bot_level))
        return await self.execute(name, person, facts.Agreed(person=person))

    async def advise(self, name: str, person: str) -> Advice:
        """The coach's advice to a person about the current hand, if the table allows hints."""
        table = await self.get(name)
        view = hand_view_for(table, person) if table.hand is not None else None
        if not table.may_use_hints(person):
            raise errors.NoHints("hints are off at this table")
        if view is None or view.seat is None:
            raise errors.NothingDealt("no hand is in play", state=None)
        return await self._due_actions.advise(table, view)

    async def arrive(self, name: str, person: str) -> None:
        """A person opened the table's page: record a return, and in an event their agreement to play."""
        table = await self.get(name)
        self.presence.mark_active(name, person)
        with suppress(errors.StoreError):  # reading must work even if writing doesn't
            if person in table.away:
                await self._record_presence(name, facts.Reconnected(person=person))
            if _agrees_on_arrival(table, person):
                await self._agree(name, person)

    async def drop_out(self, name: str, person: str) -> None:
        """Record that a seated person has left for good."""
        await self._record_presence(name, facts.Disconnected(person=person))

    async def latest(self, name: str) -> Table:
        """The table from the store, or the cached one while the store is unreachable."""
        if not self.outage.is_unreachable:
            try:
                return await self.refresh(name)
            except errors.StoreUnreachable as error:
                self.outage.report(error)
        return await self.get(name)

    def _published(self, name: str, before: Table | None, after: Table, *, appended: bool, is_news: bool) -> None:
        self.version_times.record(name, after, is_news=is_news)
        if before is not None and (person := self.presence.update(name, before, after, is_news=is_news)):
            self._run_in_background(self._record_presence(name, facts.Reconnected(person=person)))
        if is_news and not appended:
            self._scheduler.wake_later(name)
        if after.event and after.gathering and after.match is not None:
            for notify in self.match_over_listeners:
                notify(after)

    def _appended(self, name: str) -> None:
        self._scheduler.wake(name)

    def time_left(self, name: str, table: Table) -> float | None:
        """Seconds until the player to act runs out of time, by this process's clock; None without a clock."""
        timeout = None if table.clock is TimeControl.OFF else next_due(table)
        if not isinstance(timeout, TimeoutDue):
            return None
        return round(max(timeout.delay - self.version_times.age(name, timeout.since_version), 0.0), 1)

    def trick_time_left(self, name: str, table: Table) -> float:
        """Seconds for which pages still show the last complete trick; 0 once it is gathered."""
        return max(self.timing.trick_display - self.version_times.trick_age(name, table), 0.0)

    def _disconnected(self, name: str, person: str) -> None:
        self._run_in_background(self._record_presence(name, facts.Disconnected(person=person)))

    async def _record_presence(self, name: str, fact: facts.Disconnected | facts.Reconnected) -> None:
        """Append a disconnect or return, unless the table already has it."""

        async def step(table: Table) -> Table:
            is_away = fact.person in table.away
            is_full = is_presence_full(self.quotas, table) and (table.gathering or isinstance(fact, facts.Reconnected))
            if is_full or fact.person not in table.people or is_away == isinstance(fact, facts.Disconnected):
                return table
            return await self.append(name, table, fact)

        await self.update(name, await self.get(name), step)

    async def _agree(self, name: str, person: str) -> None:
        """Append a person's agreement at a table of an event."""

        async def step(table: Table) -> Table:
            if not _agrees_on_arrival(table, person):
                return table
            return await self.append(name, table, facts.Agreed(person=person))

        await self.update(name, await self.get(name), step)

    def _run_in_background(self, coroutine: Coroutine[None, None, None]) -> None:
        """Run in the background; log failures."""

        def done(task: asyncio.Task[None]) -> None:
            self._background.discard(task)
            if not task.cancelled() and (error := task.exception()):
                log_error(_log, "a disconnect or return could not be recorded", error)

        task = asyncio.get_running_loop().create_task(coroutine)
        self._background.add(task)
        task.add_done_callback(done)


def may_expire(table: Table) -> bool:
    """Can the log of this table be removed? Only if it has no match and belongs to no event."""
    return table.match_number == 0 and not table.event


def _agrees_on_arrival(table: Table, person: str) -> bool:
    """In an event, opening the table's page counts as agreeing to play."""
    awaited = table.people - table.agreed
    return bool(table.event) and table.match is None and not table.closed and person in awaited


def listing_of(table: Table) -> Mapping[str, Any]:
    """The summary of a table for lists, written in the same commit."""
    return {
        "phase": table.phase,
        "title": table.title,
        "host": table.host,
        "sheet": str(table.rules.sheet),
        "seats": _seats_to_json(table.seats),
        "begun": not may_expire(table),
        "last": _result_to_json(table.matches.finished[-1]) if table.matches.finished else None,
    }


def _seats_to_json(seats: Seats) -> Mapping[str, Any]:
    return {str(seat): occupant_to_json(sitter) for seat, sitter in seats.items()}


def _result_to_json(match: FinishedMatch) -> Mapping[str, Any]:
    """The result of a match: games won, or the score of its only game, by side."""
    return {
        "seats": _seats_to_json(match.seats),
        "sides": [[str(seat) for seat in side] for side in match.rules.sides],
        "scores": list(match.wins if match.rules.best_of > 1 else match.scores),
        "winners": [str(seat) for seat in match.winner or ()],
    }


def listed_people(table: Table) -> set[str]:
    """The people whose lists have a table: those seated, those waiting for the next hand, and the host."""
    return {*table.people, *table.latecomers.values(), table.host} - {""}


def list_keys(log: str, table: Table) -> set[str]:
    """Whose lists have a table: people, and its join code, which finds it in the same index."""
    return listed_people(table) | {f"code:{join_code(log)}"}


def join_code(log: str) -> str:
    """A short code to say aloud, made from the secret name of a table; six of 32 letters and digits."""
    number = int.from_bytes(sha256(log.encode()).digest()[:4], "big")
    return "".join(_JOIN_ALPHABET[number >> 5 * place & 31] for place in range(_JOIN_CODE_LENGTH))


def _changed_people(log: str, before: Table | None, after: Table) -> Iterable[str] | None:
    """The keys of a table's lists; None if they are the same as before."""
    if before is None:
        return list_keys(log, after)
    unchanged = before.seats is after.seats and before.latecomers is after.latecomers and before.host == after.host
    return None if unchanged or listed_people(before) == listed_people(after) else list_keys(log, after)


TABLE_LOG: Final[LogType[Table, facts.TableFact]] = LogType(
    unknown=errors.UnknownTable,
    unknown_message=gettext_noop("there is no such table"),
    valid_name=re.compile(rf"(?!{'|'.join(NOT_TABLES)}){VALID_NAME.pattern}"),
    apply=apply_fact,
    stamp=with_store_stamp,
    encode=facts.table_fact_to_json,
    decode=facts.table_fact_from_json,
    listing=listing_of,
    people=_changed_people,
    may_expire=may_expire,
    retried=(errors.Conflict, errors.TableError, errors.RuleViolation, errors.QuotaExceeded),
)
