"""Runner of online events: opens a table for every drawn match, seats the players, and records the scores.

No process owns an event. Every step follows from the ledger and the logs of the tables, and is appended at the version
it is based on, so a step that is repeated after a crash or by another process has no effect. A table is recorded in the
ledger before it is created: from then on the round can't be redrawn, and a missing table is created later.
"""

import asyncio
import logging
from contextlib import suppress
from math import inf
from typing import Final

from cachetools import LRUCache

from leftbower.errors import Conflict, EventError, LogEdited, RoundIsOn, UnknownTable
from leftbower.server.live.events import EVENT_PHASE, EventService
from leftbower.server.live.online_match import OnlineMatch, log_of, match_at, player_roles
from leftbower.server.live.scheduler import Scheduler
from leftbower.server.live.tables import TableService
from leftbower.server.observability.logs import log_error
from leftbower.store import Listing
from leftbower.table import Table
from leftbower.tournament.hall.facts import TableOpened
from leftbower.tournament.model.facts import ScoreEntered
from leftbower.tournament.model.roles import Role, RoleKind
from leftbower.tournament.model.state import Event
from leftbower.tournament.scoring.scores import NoShow, Played, Score

SERVER_ROLE: Final = Role(kind=RoleKind.SERVER)
MINUTE_SECONDS: Final = 60.0
_POLL_SECONDS: Final = 5.0
"""Interval of checks for absent players."""
_MAX_CONCURRENT_TABLES: Final = 8
"""Tables handled at the same time; the store commits concurrent appends together."""
_MAX_REFUSED_TABLES: Final = 1000
"""Tables to remember whose score the ledger refused."""
_log = logging.getLogger("leftbower.online")


class OnlineEventRunner:
    """Runs the online events of a store."""

    def __init__(
        self,
        tables: TableService,
        events: EventService,
        *,
        minute: float = MINUTE_SECONDS,
        poll_seconds: float = _POLL_SECONDS,
    ) -> None:
        """`minute` is the length in seconds of a minute of waiting for absent players."""
        self._tables, self._events, self._minute, self._poll_seconds = tables, events, minute, poll_seconds
        self._refused: LRUCache[str, int] = LRUCache(_MAX_REFUSED_TABLES)
        """Tables whose score the ledger refused, with the version of the event; the organizer decides those."""
        self._up_since = 0.0
        """Since when players can reach this process; waiting times don't count before."""
        self._scheduler = Scheduler(events, self, poll_interval=poll_seconds)
        events.online_listeners.append(self._scheduler.wake)
        tables.match_over_listeners.append(self._match_over)
        events.removal_listeners.append(self._scheduler.forget)
        events.outage.recovery_listeners.append(self._restart_waiting)

    async def open(self) -> None:
        """Resume every open online event and start polling."""
        self._restart_waiting()
        await self._scheduler.open()

    async def close(self) -> None:
        """Cancel all tasks; every recorded fact is in the store."""
        await self._scheduler.close()

    @staticmethod
    def player_roles(event: Event) -> list[Role]:
        """The roles of all players: one per chair of each entrant who is not a house player."""
        return player_roles(event)

    async def seat(self, name: str, entrant: str) -> str | None:
        """Open the current table of an entrant and seat them; None if they have no match to play."""
        event = await self._events.get(name)
        if not _is_played(event):
            return None
        event = await self._open_tables(name, event)
        number = event.current_round
        seating = event.round(number).seating_of(entrant)
        if seating is None or event.settled_score(number, seating.table) is not None:
            return None
        match = OnlineMatch(name=name, event=event, round=number, seating=seating)
        await self._run_match(match)
        return match.log

    async def check_round_over(self, table: Table) -> None:
        """Raise RoundIsOn for finished hands of an event while a table of the round is playing."""
        if not table.event:
            return
        name, (number, _) = match_at(table)
        if _round_is_on(await self._events.get(name), number) and _round_is_on(
            await self._events.refresh(name), number
        ):
            raise RoundIsOn("you can see all hands when the round is over", path=f"round {number}")

    # Listeners

    def _restart_waiting(self) -> None:
        self._up_since = self._events.clock()

    def _match_over(self, table: Table) -> None:
        self._scheduler.wake(match_at(table)[0])

    # Due work

    def is_live(self, listing: Listing) -> bool:
        """Is it an open online event?"""
        body = listing.body
        return body.get("phase") == EVENT_PHASE and bool(body.get("online")) and not body.get("closed")

    def due_in(self, name: str) -> float:
        """0 if a round is being played."""
        event = self._events.peek(name)
        return 0.0 if event is None or _is_played(event) else inf

    async def perform(self, name: str) -> float:
        """Run all open matches of the round, a few at a time; a failure in one does not stop the others.

        A table whose log was edited is left to the organizer. The next check is for timeouts of absent players.
        """
        event = await self._events.get(name)
        if not _is_played(event):
            return inf
        event = await self._open_tables(name, event)
        number = event.current_round
        matches = [
            OnlineMatch(name=name, event=event, round=number, seating=seating)
            for seating in event.round(number).tables
            if event.settled_score(number, seating.table) is None
        ]
        errors: list[BaseException] = []
        for start in range(0, len(matches), _MAX_CONCURRENT_TABLES):
            results = await asyncio.gather(
                *map(self._run_match, matches[start : start + _MAX_CONCURRENT_TABLES]), return_exceptions=True
            )
            errors += [result for result in results if result is not None and not isinstance(result, LogEdited)]
        if errors:
            raise errors[0]
        return self._poll_seconds

    async def _open_tables(self, name: str, event: Event) -> Event:
        """Record a table for every match of the round that has none."""

        def missing(event: Event) -> list[TableOpened]:
            if not _is_played(event):
                return []
            number = event.current_round
            return [
                TableOpened(round=number, table=seating.table, log=log_of(name, (number, seating.table)))
                for seating in event.round(number).tables
                if event.settled_score(number, seating.table) is None
                and event.hall.table_logs.get((number, seating.table)) != log_of(name, (number, seating.table))
            ]

        return await self._events.execute(name, SERVER_ROLE, missing) if missing(event) else event

    async def _run_match(self, match: OnlineMatch) -> None:
        """Perform due steps at a table until none is left."""
        if match.event.hall.table_logs.get(match.key) != match.log:
            return  # paused, closed or redrawn
        table = await self._table(match)

        def is_present(person: str) -> bool:
            return self._tables.presence.is_listening(match.log, person)

        while (step := match.step(table, is_present, late=self._is_late(match))) is not None:
            if isinstance(step, Played | NoShow):
                await self._record_score(match, step)
                return
            try:
                table = await self._tables.append(match.log, table, step)
            except Conflict:
                table = await self._tables.refresh(match.log)

    async def _table(self, match: OnlineMatch) -> Table:
        """The table of a match; created if neither this nor another process has done so."""
        try:
            return await self._tables.get(match.log)
        except UnknownTable:
            with suppress(Conflict):
                return await self._tables.append(match.log, None, match.opening())
            return await self._tables.refresh(match.log)

    def _is_late(self, match: OnlineMatch) -> bool:
        """Is the waiting time over, since the opening of the table, the last pause and the start of the server?"""
        hall = match.event.hall
        since = max(hall.opened_at[match.key], hall.resumed_at, self._up_since)
        return self._events.clock() >= since + match.event.plan.no_show_minutes * self._minute

    async def _record_score(self, match: OnlineMatch, score: Score) -> None:
        """Record a score in the ledger unless the table has one."""
        number, table = match.key
        if self._refused.get(match.log) == match.event.version:
            return

        def score_fact(event: Event) -> list[ScoreEntered]:
            stands = event.settled_score(number, table) is not None
            return [] if stands else [ScoreEntered(round=number, table=table, score=score)]

        try:
            await self._events.execute(match.name, SERVER_ROLE, score_fact)
        except EventError as error:  # the organizer decides a score that the ledger refuses
            log_error(_log, "the ledger refused the score of an online table; the desk must decide it", error)
            self._refused[match.log] = match.event.version


def _is_played(event: Event) -> bool:
    """Is a round of an online event being played?"""
    return event.plan.online and not event.paused and not event.closed and bool(event.open_tables())


def _round_is_on(event: Event, number: int) -> bool:
    return any(event.settled_score(number, seating.table) is None for seating in event.round(number).tables)
