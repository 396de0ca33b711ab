"""The Scheduler in virtual time: one task per log, backoff, timers, takeovers, polls."""

import asyncio
from collections.abc import Callable, Coroutine
from itertools import pairwise
from math import inf
from typing import Any

import pytest

from leftbower.errors import LogEdited, StoreClosed, UnknownTable
from leftbower.server.live.log_cache import LogCache
from leftbower.server.live.outage import Outage
from leftbower.server.live.scheduler import Scheduler
from leftbower.store import Listing
from leftbower.store.memory import MemoryStore
from sum_log import SUM_LOG, Sum
from virtual_time import in_virtual_time


class Recorder:
    """Due work that records when it is performed, and does what a test says."""

    def __init__(self, *steps: float | Exception, due: float = 0.0, seconds: float = 0.0) -> None:
        self.steps, self.due, self.seconds = list(steps), due, seconds
        self.times: list[float] = []
        self.running = 0
        store = MemoryStore(clock=lambda: asyncio.get_running_loop().time())
        self.logs: LogCache[Sum, int] = LogCache(store, SUM_LOG, outage=Outage(store))
        self.scheduler = Scheduler(self.logs, self, poll_interval=1.0, takeover_delay=0.5)

    def is_live(self, listing: Listing) -> bool:
        return bool(listing.body["total"])

    def due_in(self, name: str) -> float:
        return self.due

    async def perform(self, name: str) -> float:
        assert not self.running
        self.running += 1
        self.times.append(round(asyncio.get_running_loop().time() - 1000.0, 3))
        await asyncio.sleep(self.seconds)
        self.running -= 1
        step = self.steps.pop(0) if self.steps else inf
        if isinstance(step, Exception):
            raise step
        return step


def times_of(recorder: Callable[[], Recorder], use: Callable[[Scheduler], Coroutine[Any, Any, None]]) -> list[float]:
    """When the work was performed in the first hour."""

    async def scenario() -> list[float]:
        work = recorder()
        await use(work.scheduler)
        await asyncio.sleep(3600.0)
        assert not len(work.scheduler)
        await work.scheduler.close()
        return work.times

    return in_virtual_time(scenario)


async def wake(scheduler: Scheduler) -> None:
    scheduler.wake("a")


async def wake_while_it_runs(scheduler: Scheduler) -> None:
    for _ in range(3):
        scheduler.wake("a")
        await asyncio.sleep(0.3)


def test_work_that_is_woken_while_it_runs_is_performed_once_more() -> None:
    assert times_of(lambda: Recorder(seconds=1.0), wake_while_it_runs) == [0.0, 1.0]


def test_failures_are_retried_with_exponential_backoff() -> None:
    failures = [ValueError("a bug")] * 10
    times = times_of(lambda: Recorder(*failures), wake)
    assert [round(late - early, 3) for early, late in pairwise(times)] == [
        *(0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 12.8),
        *(20.0, 20.0, 20.0),
    ]


@pytest.mark.parametrize(
    "error", [LogEdited("edited", path="log a"), StoreClosed("closed"), UnknownTable("there is no such sum")]
)
def test_a_log_that_cannot_be_read_is_not_retried(error: Exception) -> None:
    assert times_of(lambda: Recorder(error), wake) == [0.0]


def test_the_next_look_is_after_the_returned_seconds() -> None:
    assert times_of(lambda: Recorder(0.0, 5.0, 7.5), wake) == [0.0, 0.0, 5.0, 12.5]


def test_nothing_starts_before_it_is_due() -> None:
    assert times_of(lambda: Recorder(due=inf), wake) == []

    async def wake_twice(scheduler: Scheduler) -> None:
        scheduler._work.due = 30.0  # type: ignore[attr-defined]
        scheduler.wake("a")
        await asyncio.sleep(10.0)
        scheduler.wake("a")  # a new version restarts the time
        await asyncio.sleep(20.0)
        scheduler._work.due = 0.0  # type: ignore[attr-defined]

    assert times_of(Recorder, wake_twice) == [40.0]


def test_another_process_has_the_takeover_delay() -> None:
    async def change_twice(scheduler: Scheduler) -> None:
        scheduler.wake_later("a")
        await asyncio.sleep(0.4)
        assert len(scheduler) == 1
        scheduler.wake_later("a")

    assert times_of(Recorder, change_twice) == [0.9]

    async def remove(scheduler: Scheduler) -> None:
        scheduler.wake_later("a")
        scheduler.forget("a")

    assert times_of(Recorder, remove) == []


def test_polls_refresh_and_wake_live_logs_of_their_kind() -> None:
    """Another process appended, and its notifications are lost."""

    async def scenario() -> None:
        work = Recorder()
        other: LogCache[Sum, int] = LogCache(work.logs.store, SUM_LOG, outage=work.logs.outage)
        await work.scheduler.open()
        await other.append("a", None, 1)
        await other.append("idle", None, 0)
        await work.logs.store.append("table", 0, [{"fact": "added", "v": 1}], listing={"total": 1})
        assert (await work.logs.get("a")).version == 1
        await other.append("a", await other.get("a"), 1)
        await asyncio.sleep(10.5)
        assert work.logs.cached_version("a") == 2
        assert work.times == [10.0]
        await work.scheduler.close()

    in_virtual_time(scenario)


def test_a_closed_scheduler_starts_nothing() -> None:
    async def close(scheduler: Scheduler) -> None:
        scheduler.wake_later("b")
        await scheduler.close()
        scheduler.wake("a")
        scheduler.wake_later("a")

    assert times_of(Recorder, close) == []


def test_an_error_in_the_look_for_due_work_is_retried_by_the_task() -> None:
    """It stops neither the poller nor the append that woke the log."""

    class Failing(Recorder):
        def due_in(self, name: str) -> float:
            raise ValueError("a bug")

    async def use(scheduler: Scheduler) -> None:
        scheduler.wake("a")

    assert times_of(lambda: Failing(ValueError("the same bug")), use) == [0.0, 0.2]
