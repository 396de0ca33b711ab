"""Heavy work of events: one job at a time for each, a bounded pool for all, and nothing for callers who left."""

import asyncio
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from secrets import token_bytes
from threading import Event as Signal
from threading import Lock
from typing import Any

import pytest

from leftbower.errors import Stale
from leftbower.rules import preset
from leftbower.server.event_workers import EventWorkers
from leftbower.server.events import Events
from leftbower.server.outages import Outage
from leftbower.store import open_store
from leftbower.tournament import Entered, Format, Kind, Role, Stage, planned
from leftbower.tournament.steps import drawing


class Running:
    """Counts the jobs that run at the same time."""

    def __init__(self) -> None:
        self._lock = Lock()
        self.now = self.most = self.done = 0

    def job(self, until: Signal) -> Callable[[], None]:
        def work() -> None:
            with self._lock:
                self.now += 1
                self.most = max(self.most, self.now)
            until.wait(60)
            with self._lock:
                self.now -= 1
                self.done += 1

        return work


async def test_an_event_with_many_jobs_leaves_workers_to_others() -> None:
    """Twenty jobs of one event wait behind its first, and another event's job is done meanwhile."""
    workers, running, until = EventWorkers(2), Running(), Signal()
    waiting = [asyncio.create_task(workers.run("busy", running.job(until))) for _ in range(20)]
    await asyncio.sleep(0)
    assert await workers.run("other", lambda: "drawn") == "drawn"
    assert running.done == 0
    until.set()
    await asyncio.gather(*waiting)
    assert (running.most, running.done) == (1, 20)
    workers.close()


async def test_all_events_together_have_a_bounded_number_of_workers() -> None:
    """Nine events with a job each never run more than three at once."""
    workers, running, until = EventWorkers(3), Running(), Signal()
    waiting = [asyncio.create_task(workers.run(name, running.job(until))) for name in range(9)]
    until.set()
    await asyncio.gather(*waiting)
    assert running.most <= 3
    assert running.done == 9
    workers.close()


async def test_a_job_is_skipped_when_its_caller_has_disconnected() -> None:
    """Asked when its turn comes: nothing is computed, and the next has its turn."""
    workers, computed = EventWorkers(1), list[str]()

    async def gone() -> bool:
        return True

    with pytest.raises(Stale):
        await workers.run("event", lambda: computed.append("for nobody"), disconnected=gone)
    await workers.run("event", lambda: computed.append("for a caller"))
    assert computed == ["for a caller"]
    workers.close()


async def test_a_job_that_waits_is_dropped_with_its_caller() -> None:
    """Canceling the caller's task takes its job out of the line."""
    workers, running, until = EventWorkers(1), Running(), Signal()
    first = asyncio.create_task(workers.run("event", running.job(until)))
    second = asyncio.create_task(workers.run("event", running.job(until)))
    await asyncio.sleep(0)
    second.cancel()
    until.set()
    await first
    with pytest.raises(asyncio.CancelledError):
        await second
    assert running.done == 1
    workers.close()


class Refusing(ThreadPoolExecutor):
    """A default pool that notes whether anything was given to it."""

    def __init__(self) -> None:
        super().__init__(1)
        self.used = 0

    def submit(self, *args: Any, **options: Any) -> Future[Any]:
        self.used += 1
        return super().submit(*args, **options)


async def test_draws_and_imports_use_no_thread_of_the_default_pool(tmp_path: Path) -> None:
    """A draw and an import are computed by the workers of events."""
    async with await open_store(str(tmp_path / "store.db")) as store:
        events = Events(store, outage=Outage(store), entropy=token_bytes)
        plan = planned("Evening", preset("club"), Stage(format=Format.ROUND_ROBIN))
        name, _ = await events.create(plan)
        desk = Role(kind=Kind.ORGANISER)
        entered = [Entered(entrant=f"e{number}", name=f"Team {number}") for number in range(1, 9)]
        await events.tell(name, desk, lambda now: entered)
        default = Refusing()
        asyncio.get_running_loop().set_default_executor(default)
        drawn = await events.tell(name, desk, lambda now: drawing(now, "seed"), slow=True)
        assert len(drawn.rounds) == 7
        await events.bring(await events.entries(name))
        assert default.used == 0
        await events.close()
