"""Events online: the house opens a table for every match that is drawn, seats whoever comes, and tells the scores.

Nobody owns an event either. Everything that is done follows from its ledger and from the logs of its tables, and is
appended behind the version it follows from, so whoever does it a second time, after a crash or in another process,
finds it done. The ledger is told of a table before the table is opened: from then on the round is not drawn again, and
a table that the ledger has and the house has not is opened by whoever looks next.
"""

import asyncio
import logging
from collections import OrderedDict
from contextlib import suppress
from typing import Final

from leftbower.errors import Conflict, EventError, LogEdited, RoundIsOn, StoreClosed, UnknownEvent, UnknownTable
from leftbower.server.events import LOG, PHASE, Events
from leftbower.server.house import House
from leftbower.server.logs import tell_of
from leftbower.server.online_match import OnlineMatch, log_of, match_at, player_roles
from leftbower.table import Table
from leftbower.tournament import Event, Kind, NoShow, Played, Role, Score, ScoreEntered, TableOpened

HOUSE: Final = Role(kind=Kind.HOUSE)
MINUTE: Final = 60.0
_EVERY: Final = 5.0
"""Seconds between two looks at whether somebody has been waited for long enough."""
_LATE: Final = 1.0
"""Seconds by which what was appended may be seen late, as its commit took long."""
_SHORTEST, _LONGEST = 0.2, 20.0
"""Seconds after which the house tries again where it failed, growing from the one to the other."""
_TOGETHER: Final = 8
"""So many tables are seen to at a time: a store commits what comes together as one."""
_KEPT: Final = 1000
"""So many tables are remembered whose score the ledger did not take."""
_log = logging.getLogger("leftbower.online")


class Online:
    """Sees to the events online of a store: at most one task for each."""

    def __init__(self, house: House, events: Events, *, minute: float = MINUTE, every: float = _EVERY) -> None:
        """A `minute` has so many seconds, where the patience of events is counted; they are looked at so `every`."""
        self._house, self._events, self._minute, self._every = house, events, minute, every
        self._live: set[str] = set()
        """Events that are neither closed nor played elsewhere than online."""
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._again: set[str] = set()
        """Events in which something has happened since their task looked."""
        self._refused: OrderedDict[str, int] = OrderedDict()
        """Tables whose score the ledger did not take, with the version of the event: the desk decides there."""
        self._up = 0.0
        """Since when people could come, as far as this process knows: the house itself may have been away."""
        self._looked_until = 0.0
        self._rounds: asyncio.Task[None] | None = None
        self._closed = False
        events.told.append(self._hear)
        house.told.append(self._hear_table)
        events.removed.append(self._live.discard)

    async def open(self) -> None:
        """Go on with every event online that is not closed."""
        self._up = self._events.clock()
        await self._find()
        self._rounds = asyncio.create_task(self._make_rounds(), name="leftbower events online")

    async def close(self) -> None:
        """Drop everything; what was told is in the store."""
        self._closed = True
        tasks = [*self._tasks.values(), *([self._rounds] if self._rounds else [])]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    @staticmethod
    def player_roles(event: Event) -> list[Role]:
        """Everybody who can come to play online: each chair of each entrant that is no bot of the house."""
        return player_roles(event)

    async def seat(self, name: str, entrant: str) -> str | None:
        """Where an entrant plays now, whoever has joined for it seated there; None where nothing is to be played."""
        event = await self._events.event(name)
        if not _is_played(event):
            return None
        event = await self._open_tables(name, event)
        number = event.now
        seating = event.round(number).table_of(entrant)
        if seating is None or event.settled(number, seating.table) is not None:
            return None
        match = OnlineMatch(name=name, event=event, round=number, seating=seating)
        await self._attend(match)
        return match.log

    async def check_opened(self, table: Table) -> None:
        """Refuse what shows every card of the games that are over: in an event, until the round is over everywhere."""
        if not table.event:
            return
        name, (number, _) = match_at(table)
        if _round_is_on(await self._events.event(name), number) and _round_is_on(
            await self._events.refresh(name), number
        ):
            raise RoundIsOn("all hands are shown when every table of the round has its score", place=f"round {number}")

    def see_to(self, name: str) -> None:
        """Do what is owed in an event; whoever does it already looks again before leaving."""
        running = self._tasks.get(name)
        if running is not None and not running.done():
            self._again.add(name)
        elif not self._closed:
            task = asyncio.get_running_loop().create_task(self._see_to(name), name=f"leftbower event {name}")
            self._tasks[name] = task
            task.add_done_callback(lambda ended: self._forget(name, ended))

    def _forget(self, name: str, ended: asyncio.Task[None]) -> None:
        if self._tasks.get(name) is ended:
            del self._tasks[name]

    # Hearing of what happens

    def _hear(self, name: str, event: Event) -> None:
        """An event has another version."""
        if event.plan.online and not event.closed:
            self._live.add(name)
            self.see_to(name)
        else:
            self._live.discard(name)

    def _hear_table(self, log: str, table: Table) -> None:
        """A table has another version; most are not our concern."""
        if table.event and table.gathering and table.match is not None:
            self.see_to(match_at(table)[0])

    async def _make_rounds(self) -> None:
        """Look at every event once in a while: people may have been waited for long enough."""
        outage = self._events.outage
        while True:
            await asyncio.sleep(self._every)
            if outage.trouble is not None:
                await outage.wait()
                self._up = self._events.clock()
            try:
                if self._events.store.shared:
                    await self._find()
            except StoreClosed:
                return
            except Exception as error:
                if not outage.noticed(error):
                    tell_of(_log, "events were not looked for, which will be tried again", error)
            for name in tuple(self._live):
                self.see_to(name)

    async def _find(self) -> None:
        """Events online that are new here, or that another process has told something."""
        store = self._events.store
        now = await store.now()
        for one in await store.listings(since=self._looked_until - _LATE if self._looked_until else None):
            if one.body.get("phase") == PHASE and one.body.get("online") and not one.body.get("closed"):
                self._live.add(one.log.removeprefix(LOG))
                self.see_to(one.log.removeprefix(LOG))
        self._looked_until = now

    # Doing what is owed

    async def _see_to(self, name: str) -> None:
        """Everything that is owed now. What fails is logged and tried again, ever more slowly."""
        wait = _SHORTEST
        while True:
            await self._events.outage.wait()
            self._again.discard(name)
            try:
                await self._look(name)
            except LogEdited:
                self._live.discard(name)
                return
            except (StoreClosed, UnknownEvent):
                return
            except Exception as error:
                if not self._events.outage.noticed(error):
                    tell_of(_log, "the house failed at an event, and will try again", error)
                await asyncio.sleep(wait)
                wait = min(2 * wait, _LONGEST)
                continue
            if name not in self._again:
                return

    async def _look(self, name: str) -> None:
        """Every table of the round, some at a time; trouble at one keeps nobody else waiting.

        A table whose log was edited is left to the desk.
        """
        event = await self._events.event(name)
        if not _is_played(event):
            return
        event = await self._open_tables(name, event)
        number = event.now
        matches = [
            OnlineMatch(name=name, event=event, round=number, seating=seating)
            for seating in event.round(number).tables
            if event.settled(number, seating.table) is None
        ]
        trouble: list[BaseException] = []
        for at in range(0, len(matches), _TOGETHER):
            done = await asyncio.gather(*map(self._attend, matches[at : at + _TOGETHER]), return_exceptions=True)
            trouble += [one for one in done if one is not None and not isinstance(one, LogEdited)]
        if trouble:
            raise trouble[0]

    async def _open_tables(self, name: str, event: Event) -> Event:
        """Tell the ledger of a table for every match of the round that has none of this house."""

        def missing(event: Event) -> list[TableOpened]:
            if not _is_played(event):
                return []
            number = event.now
            return [
                TableOpened(round=number, table=one.table, log=log_of(name, (number, one.table)))
                for one in event.round(number).tables
                if event.settled(number, one.table) is None
                and event.hall.tables.get((number, one.table)) != log_of(name, (number, one.table))
            ]

        return await self._events.tell(name, HOUSE, missing) if missing(event) else event

    async def _attend(self, match: OnlineMatch) -> None:
        """One thing after another at a table until nothing is owed there."""
        if match.event.hall.tables.get(match.place) != match.log:
            return  # paused, closed or drawn again meanwhile
        table = await self._table(match)

        def here(person: str) -> bool:
            return self._house.presence.listens(match.log, person)

        while (step := match.step(table, here, late=self._is_late(match))) is not None:
            if isinstance(step, Played | NoShow):
                await self._tell(match, step)
                return
            try:
                table = await self._house.append(match.log, table, step)
            except Conflict:
                table = await self._house.refresh(match.log)

    async def _table(self, match: OnlineMatch) -> Table:
        """The table of a match, opened if it is not; who is too late for that finds it open."""
        try:
            return await self._house.table(match.log)
        except UnknownTable:
            with suppress(Conflict):
                return await self._house.append(match.log, None, match.opening())
            return await self._house.refresh(match.log)

    def _is_late(self, match: OnlineMatch) -> bool:
        """Has everybody had the time to come, counted from when the table was open, the event on, and the house up?"""
        hall = match.event.hall
        since = max(hall.opened[match.place], hall.resumed, self._up)
        return self._events.clock() >= since + match.event.plan.patience * self._minute

    async def _tell(self, match: OnlineMatch, score: Score) -> None:
        """Tell the ledger a score, once: one that stands, whoever told it, is left alone."""
        number, table = match.place
        if self._refused.get(match.log) == match.event.version:
            return

        def entered(event: Event) -> list[ScoreEntered]:
            stands = event.settled(number, table) is not None
            return [] if stands else [ScoreEntered(round=number, table=table, score=score)]

        try:
            await self._events.tell(match.name, HOUSE, entered)
        except EventError as error:  # what the ledger does not take is for the desk to settle
            tell_of(_log, "the score of a table online is left to the desk", error)
            self._refused[match.log] = match.event.version
            while len(self._refused) > _KEPT:
                self._refused.popitem(last=False)


def _is_played(event: Event) -> bool:
    """Is a round of an event online being played?"""
    return event.plan.online and not event.paused and not event.closed and bool(event.open_tables())


def _round_is_on(event: Event, number: int) -> bool:
    return any(event.settled(number, one.table) is None for one in event.round(number).tables)
