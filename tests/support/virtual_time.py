"""An event loop with a virtual clock: it stands still while there is work, and jumps to the next timer when idle.

Hours at a table pass in a moment, independent of the machine's speed. Threads are waited for.
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
    Sat,
    Table,
    TableFact,
    TimeControl,
    person_to_act,
)
from server_client import seeded, with_timing

T = TypeVar("T")


class _Selector(selectors.DefaultSelector):
    """Waits only for threads; any other timeout passes at once."""

    loop: "VirtualLoop"

    def select(self, timeout: float | None = None) -> Any:
        if self.loop.threads:
            return super().select(0 if timeout == 0 else 0.02)  # 0 means that callbacks are ready
        ready = super().select(0)
        if not ready and timeout:
            self.loop.now += timeout
        return ready


class VirtualLoop(asyncio.SelectorEventLoop):
    """Its time advances only by its timers."""

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
        """Join the threads without the timeout that Python 3.12 added, which is over at once in virtual time."""
        await super().shutdown_default_executor()


def in_virtual_time(test: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """Run a coroutine function to its end in a virtual loop."""
    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        return runner.run(test())


class VirtualTable:
    """A `TableService` with one table, and people who act, listen and leave."""

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
        """Offset of the wall clock from the loop's time; a test may change it."""
        self.store = store or MemoryStore(clock=lambda: self.wall + asyncio.get_running_loop().time())
        self.settings: dict[str, Any] = {
            "hand_pause": 1.0,
            "poll_interval": 60.0,
            "entropy": seeded(7),
        } | settings
        self.published: list[tuple[float, Table]] = []
        self.rng = Random(5)
        self.agreeing = True
        """Do all people agree in `begin`?"""
        self._changed = asyncio.Event()
        self._stack = AsyncExitStack()

    async def __aenter__(self) -> Self:
        self.tables = TableService(self.store, on_change=self._record, **with_timing(**self.settings))
        await self.tables.open()
        self._stack.push_async_callback(self.tables.close)
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._stack.aclose()

    def _record(self, _: str, table: Table) -> None:
        self.published.append((asyncio.get_running_loop().time(), table))
        self._changed.set()

    @property
    def table(self) -> Table:
        """The cached table."""
        return self.tables._cached["t"][0]

    @property
    def phase(self) -> str:
        return self.table.phase

    async def begin(self) -> Table:
        """All people sit down, listen and agree; bots get the other seats."""
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

    async def until(self, condition: Callable[[Table], bool], *, within: float = 7200.0) -> Table:
        """Let time pass until a condition holds, at most `within` virtual seconds."""
        async with asyncio.timeout(within):
            while not condition(self.table):
                self._changed.clear()
                await self._changed.wait()
        return self.table

    async def until_turn_of(self, person: str) -> Table:
        """Let other people who listen act until it is this person's turn."""

        def listens(table: Table) -> bool:
            player = person_to_act(table)
            return player is not None and (player == person or self.tables.presence.is_listening("t", player))

        while person_to_act(await self.until(listens)) != person:
            await self.act()
        return self.table

    async def act(self, *, after: float = 0.0) -> Table:
        """Let the player to act do something regular, after some seconds."""
        person = person_to_act(self.table)
        assert person is not None
        version = self.table.version
        await asyncio.sleep(after)
        if self.table.version != version:
            return self.table
        return await self.tables.execute("t", person, self.proper_fact(person))

    def proper_fact(self, person: str) -> TableFact:
        """A fact that a person may cause now."""
        hand, seat = self.table.hand, self.table.seat_of(person)
        assert seat is not None
        if hand is None and self.table.dealing_seat is seat:
            return CutOffered(seat=seat) if self.table.may_offer_cut else HandDealt(seat=seat)
        if hand is None:
            return DeckCut(seat=seat, lifted=7)
        return Acted(action=self.rng.choice(proper_actions(view(hand, seat))), action_id=f"a{self.table.version}")

    async def facts(self) -> list[dict[str, Any]]:
        """The log."""
        return [dict(row.fact) for row in await self.store.read("t")]
