"""A new kind of log in under 60 lines: a counter that restarts when it is full, served by two processes."""

import asyncio
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import pytest

from leftbower.codec import Codec
from leftbower.errors import BadRecord, Conflict, UnknownTable
from leftbower.server.live.log_cache import LogCache, LogType
from leftbower.server.live.outage import Outage
from leftbower.server.live.scheduler import Scheduler
from leftbower.store import Listing
from leftbower.store.memory import MemoryStore


class Counter(NamedTuple):
    version: int = 0
    value: int = 0


@dataclass(frozen=True)
class Added:
    amount: int


FACTS = Codec[Added](BadRecord, {"added": Added}, version=1)
COUNTER_LOG: LogType[Counter, Added] = LogType(
    unknown_message="there is no such counter",
    unknown=UnknownTable,
    apply=lambda old, fact, at: Counter((old or Counter()).version + 1, (old or Counter()).value + fact.amount),
    encode=FACTS.to_json,
    decode=FACTS.from_json,
    listing=lambda counter: {"full": counter.value >= 10},
)


class CounterService(LogCache[Counter, Added]):
    def __init__(self, store: MemoryStore) -> None:
        super().__init__(store, COUNTER_LOG, outage=Outage(store))
        self.scheduler = Scheduler(self, self)
        self.listeners.append(lambda name, counter: self.scheduler.wake(name))

    async def add(self, name: str, amount: int, *, least: int = 0) -> Counter:
        async def step(counter: Counter) -> Counter:
            return await self.append(name, counter, Added(amount)) if counter.value >= least else counter

        return await self.update(name, await self.get(name), step)

    def is_live(self, listing: Listing) -> bool:
        return bool(listing.body.get("full"))

    def due_in(self, name: str) -> float:
        return 0.0 if (self.peek(name) or Counter(value=10)).value >= 10 else float("inf")

    async def perform(self, name: str) -> float:
        await self.add(name, -10, least=10)
        return float("inf")


async def test_a_counter_is_a_third_aggregate() -> None:
    counters, others = map(CounterService, [MemoryStore()] * 2)
    await counters.open()
    await counters.append("a", None, Added(1))
    await others.append("a", await others.get("a"), Added(2))
    with pytest.raises(Conflict):
        await counters.append("a", Counter(1, 1), Added(5))
    async with asyncio.timeout(60):
        while counters.peek("a") != (2, 3):  # until the notification is read
            await asyncio.sleep(0)
        await asyncio.gather(*(service.add("a", 1) for service in (counters, others) * 4))
        while await counters.refresh("a") != (11, 1):  # until the scheduler has restarted it
            await asyncio.sleep(0)
    await counters.close()
    assert sum(bool(line.strip()) for line in Path(__file__).read_text().splitlines()) < 60
