"""An event loop whose clock stands still while anything is to be done, and jumps to the next timer when nothing is.

So a house can be watched for hours in a moment, and what it does depends on no machine. Threads are waited for.
"""

import asyncio
import selectors
from collections.abc import Callable, Coroutine
from contextlib import AsyncExitStack
from random import Random
from typing import Any, Self, TypeVar

from leftbower.engine import view
from leftbower.players.player import proper_actions
from leftbower.rules import HouseRules, Seat, preset
from leftbower.server.live.tables import TableService
from leftbower.store.memory import MemoryStore
from leftbower.table import (
    Acted,
    Agreed,
    BotSeated,
    Created,
    CutOffered,
    DeckCut,
    HandDealt,
    RematchRequested,
    Sat,
    Table,
    TableFact,
    TimeControl,
    person_to_act,
    phase,
)
from server_client import seeded

T = TypeVar("T")


class _Selector(selectors.DefaultSelector):
    """Waits for nothing but threads; otherwise the time to wait has passed at once."""

    loop: "VirtualLoop"

    def select(self, timeout: float | None = None) -> Any:
        if self.loop.threads:
            return super().select(0 if timeout == 0 else 0.02)  # 0 says that something can be done now
        found = super().select(0)
        if not found and timeout:
            self.loop.now += timeout
        return found


class VirtualLoop(asyncio.SelectorEventLoop):
    """Time is what its timers make of it."""

    def __init__(self) -> None:
        self.now, self.threads = 1000.0, 0
        selector = _Selector()
        selector.loop = self
        super().__init__(selector)

    def time(self) -> float:
        return self.now

    def run_in_executor(self, executor: Any, func: Any, *args: Any) -> Any:  # type: ignore[override]
        future = super().run_in_executor(executor, func, *args)
        self.threads += 1

        def ended(_: object) -> None:
            self.threads -= 1

        future.add_done_callback(ended)
        return future

    async def shutdown_default_executor(self, *_: object) -> None:
        """Join the threads without the timeout that Python 3.12 added: in virtual time it is over at once."""
        await super().shutdown_default_executor()


def in_virtual_time(what: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """Run something from beginning to end."""
    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        return runner.run(what())


class VirtualTable:
    """A house with one table, and people who ask, listen and go."""

    def __init__(
        self,
        people: dict[str, str],
        *,
        rules: HouseRules | None = None,
        clock: TimeControl = TimeControl.OFF,
        level: str = "random",
        store: MemoryStore | None = None,
        **settings: Any,
    ) -> None:
        self.people, self.level, self.clock = {Seat(seat): person for seat, person in people.items()}, level, clock
        self.rules = rules or preset("campus")
        self.wall = 1_000_000.0
        """What the machine's clock shows beyond the seconds that have passed; anybody may set it."""
        self.store = store or MemoryStore(clock=lambda: self.wall + asyncio.get_running_loop().time())
        self.settings: dict[str, Any] = {
            "hand_pause": 1.0,
            "bot_delay": 0.0,
            "poll_interval": 60.0,
            "entropy": seeded(7),
        } | settings
        self.heard: list[tuple[float, Table]] = []
        self.chance = Random(5)
        self.agreeing = True
        """Does everybody agree at once?"""
        self._news = asyncio.Event()
        self._stack = AsyncExitStack()

    async def __aenter__(self) -> Self:
        self.tables = TableService(self.store, on_change=self._hear, **self.settings)
        await self.tables.open()
        self._stack.push_async_callback(self.tables.close)
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._stack.aclose()

    def _hear(self, _: str, table: Table) -> None:
        self.heard.append((asyncio.get_running_loop().time(), table))
        self._news.set()

    @property
    def table(self) -> Table:
        """The table as it is known here."""
        return self.tables._tables["t"]

    @property
    def phase(self) -> str:
        return phase(self.table)

    async def begin(self) -> Table:
        """Everybody sits down, listens and agrees; bots have the other seats."""
        host = next(iter(self.people.values()))
        await self.tables.append(
            "t", None, Created(person=host, rules=self.rules, bot_level=self.level, clock=self.clock)
        )
        for seat in self.rules.seats:
            if seat not in self.people:
                await self.tables.execute("t", host, BotSeated(seat=seat, level=self.level))
        for seat, person in self.people.items():
            await self.tables.execute("t", person, Sat(person=person, seat=seat))
            self.tables.presence.feed_opened("t", person)
        for person in self.people.values() if self.agreeing else ():
            await self.tables.execute("t", person, Agreed(person=person))
        return self.table

    async def until(self, what: Callable[[Table], bool], *, within: float = 7200.0) -> Table:
        """Let time pass until something is so; the seconds it may take are virtual."""
        async with asyncio.timeout(within):
            while not what(self.table):
                self._news.clear()
                await self._news.wait()
        return self.table

    async def until_asked(self, person: str) -> Table:
        """Others who listen act until a person is asked."""

        def listens(table: Table) -> bool:
            who = person_to_act(table)
            return who is not None and (who == person or self.tables.presence.is_listening("t", who))

        while person_to_act(await self.until(listens)) != person:
            await self.act()
        return self.table

    async def act(self, *, after: float = 0.0) -> Table:
        """Whoever is asked does something proper after a while."""
        person = person_to_act(self.table)
        assert person is not None
        version = self.table.version
        await asyncio.sleep(after)
        if self.table.version != version:
            return self.table
        return await self.tables.execute("t", person, self.something(person))

    def something(self, person: str) -> TableFact:
        """What a person could properly do now."""
        hand, seat = self.table.hand, self.table.seat_of(person)
        assert seat is not None
        if hand is None and self.table.dealing_seat is seat:
            return CutOffered(seat=seat) if self.table.may_offer_cut else HandDealt(seat=seat)
        if hand is None:
            return DeckCut(seat=seat, lifted=7)
        return Acted(action=self.chance.choice(proper_actions(view(hand, seat))), action_id=f"a{self.table.version}")

    def agreed(self, person: str) -> TableFact:
        """What it takes to agree."""
        return Agreed(person=person)

    def again(self, person: str) -> TableFact:
        """What it takes to play another match."""
        return RematchRequested(person=person)

    async def facts(self) -> list[dict[str, Any]]:
        """The log."""
        return [dict(one.fact) for one in await self.store.read("t")]
