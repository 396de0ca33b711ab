"""An online event in virtual time: a server's services, and people who come to their tables and play."""

import asyncio
from collections.abc import Callable
from contextlib import AsyncExitStack, suppress
from dataclasses import replace
from random import Random
from typing import Any, Self

from leftbower.engine import view
from leftbower.errors import Stale
from leftbower.players.player import proper_actions
from leftbower.rules import HouseRules, preset
from leftbower.server.live.events import EventService
from leftbower.server.live.online_events import OnlineEventRunner
from leftbower.server.live.tables import TableService
from leftbower.store.memory import MemoryStore
from leftbower.table import Acted, DeckCut, Table, TableFact, person_to_act
from leftbower.tournament.formats.registry import Format
from leftbower.tournament.hall.facts import PlayerJoined
from leftbower.tournament.model.commands import draw_rounds
from leftbower.tournament.model.facts import EntrantAdded, EventFact
from leftbower.tournament.model.plan import EventPlan, Stage, default_plan
from leftbower.tournament.model.roles import Role, RoleKind
from leftbower.tournament.model.state import Event
from server_client import seeded, with_timing

SHORT = replace(preset("campus"), target=5, best_of=1)
"""A short game."""
ORGANIZER = Role(kind=RoleKind.ORGANIZER)
TEAMS = ("Ann & Bob", "Cid & Dot", "Eve & Fay", "Gus & Hal")


def plan(rules: HouseRules = SHORT, format: Format = Format.ROUND_ROBIN, **terms: Any) -> EventPlan:
    """An event online."""
    stage = Stage(format=format, best_of=terms.pop("best_of", 0))
    return default_plan("Friday", rules, stage, **{"online": True, "seeded": True} | terms)


class OnlineEventFixture:
    """A process that serves the events of a store."""

    def __init__(self, store: MemoryStore | None = None, *, name: str = "", **settings: Any) -> None:
        self.store = store or MemoryStore(clock=self.now)
        self.name = name
        self.settings: dict[str, Any] = {"poll_interval": 60.0, "entropy": seeded(3)} | settings
        self.attending: set[tuple[str, int]] = set()
        """Chairs whose people come to every table they are drawn to, and play there."""
        self.follows_rounds = True
        """Do they go to the next table by themselves?"""
        self.rng = Random(4)
        self._changed = asyncio.Event()
        self._tasks: set[asyncio.Task[None]] = set()
        self._stack = AsyncExitStack()

    @staticmethod
    def now() -> float:
        return 1e6 + asyncio.get_running_loop().time()

    async def __aenter__(self) -> Self:
        self.tables = TableService(self.store, on_change=self._table_changed, **with_timing(**self.settings))
        outage, entropy = self.tables.outage, self.settings["entropy"]
        self.events = EventService(
            self.store, outage=outage, on_change=self._event_changed, entropy=entropy, clock=self.now
        )
        self.online = OnlineEventRunner(self.tables, self.events)
        for service in (self.events, self.tables, self.online):
            await service.open()
            self._stack.push_async_callback(service.close)
        self._stack.push_async_callback(self._stop)
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._stack.aclose()

    async def _stop(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    @property
    def event(self) -> Event:
        """The event as this process has cached it."""
        event, _ = self.events._cached[self.name]
        return event

    def table(self, round: int, number: int) -> Table:
        """A table as this process has cached it."""
        return self.tables._cached[self.log(round, number)][0]

    def log(self, round: int, number: int) -> str:
        return self.event.hall.table_logs[round, number]

    async def begin(self, plan: EventPlan, entrants: tuple[str, ...] = TEAMS, *, bots: int = 0) -> None:
        """Start an event with these entrants and this number of house players, and draw it."""
        self.name, _ = await self.events.create(plan)
        for number, name in enumerate(entrants, 1):
            players = tuple(name.split(" & ")) if " & " in name else ()
            await self.record(EntrantAdded(entrant=f"e{number}", name=name, players=players))
        for number in range(1, bots + 1):
            at = len(entrants) + number
            await self.record(EntrantAdded(entrant=f"e{at}", name=f"House bot {number}", house_player=True))
        await self.draw()

    async def draw(self) -> None:
        await self.events.execute(self.name, ORGANIZER, lambda event: draw_rounds(event, "a seed"))

    async def record(self, *facts: EventFact) -> Event:
        """Append facts as the organizer."""
        return await self.events.execute(self.name, ORGANIZER, lambda event: facts)

    async def attend(self, *chairs: tuple[str, int]) -> None:
        """People join, come to their tables, stay and play, in this and every later round."""
        for entrant, chair in chairs:
            await self.join(entrant, chair)
            self.attending.add((entrant, chair))
            await self._open_table(entrant, chair)

    async def join(self, entrant: str, chair: int, person: str = "") -> str:
        """A player opens the page, but is not at a table yet."""
        joined = PlayerJoined(entrant=entrant, chair=chair, person=person or f"{entrant}.{chair}")
        role = Role(kind=RoleKind.PLAYER, number=chair, subject=entrant)
        await self.events.execute(self.name, role, lambda event: [joined])
        return joined.person

    async def _open_table(self, entrant: str, chair: int) -> None:
        log, person = await self.online.seat(self.name, entrant), self.event.hall.people[entrant, chair]
        attending = (entrant, chair) in self.attending
        if log is not None and attending and not self.tables.presence.is_listening(log, person):
            self.tables.presence.feed_opened(log, person)
            await self.tables.arrive(log, person)

    def leave(self, entrant: str, chair: int) -> None:
        """A player closes the browser."""
        self.attending.discard((entrant, chair))
        person = self.event.hall.people[entrant, chair]
        for log in self.event.hall.table_logs.values():
            if self.tables.presence.is_listening(log, person):
                self.tables.presence.feed_closed(log, person)

    async def until(self, condition: Callable[[], bool], *, within: float = 7200.0) -> None:
        """Let virtual time pass until the condition holds, at most `within` seconds."""
        async with asyncio.timeout(within):
            while not condition():
                self._changed.clear()
                await self._changed.wait()

    async def until_over(self) -> Event:
        """Wait until every drawn table has its score."""
        await self.until(lambda: not self.event.open_tables())
        return self.event

    def _event_changed(self, _: str, event: Event) -> None:
        self._changed.set()
        for entrant, chair in sorted(self.attending) if self.follows_rounds else ():
            self._start(self._open_table(entrant, chair))

    def _table_changed(self, log: str, table: Table) -> None:
        self._changed.set()
        who = person_to_act(table)
        if who in {self.event.hall.people.get(chair) for chair in self.attending} and who is not None:
            self._start(self._act(log, table, who))

    async def _act(self, log: str, table: Table, person: str) -> None:
        state = await self.tables.get(log)
        if state.version == table.version:
            with suppress(Stale):
                await self.tables.execute(log, person, self.proper_fact(state, person), version=state.version)

    def proper_fact(self, table: Table, person: str) -> TableFact:
        """A legal action or command of a person now."""
        seat = table.seat_of(person)
        assert seat is not None
        if table.hand is None:
            return DeckCut(seat=seat, lifted=7)
        return Acted(action=self.rng.choice(proper_actions(view(table.hand, seat))), action_id=f"a{table.version}")

    def _start(self, coroutine: Any) -> None:
        task = asyncio.get_running_loop().create_task(coroutine)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
