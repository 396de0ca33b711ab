"""Bounded worker pool for heavy work of events: one job at a time for each event, a few for all of them together.

The loop's default pool stays free for everything else, and an event with many jobs waiting holds one worker at most.
A job whose caller has disconnected when its turn comes is skipped.
"""

import asyncio
from collections.abc import Awaitable, Callable, Hashable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from typing import Final, TypeVar
from weakref import WeakValueDictionary

from leftbower.errors import Stale

MAX_EVENT_WORKERS: Final = 4
"""Threads for the draws, standings and printouts of all events."""
T = TypeVar("T")
Disconnected = Callable[[], Awaitable[bool]]


class EventWorkers:
    """Runs jobs in threads, by event."""

    def __init__(self, workers: int = MAX_EVENT_WORKERS) -> None:
        self._pool = ThreadPoolExecutor(workers, thread_name_prefix="event-worker")
        self._slots = asyncio.Semaphore(workers)
        self._turns: WeakValueDictionary[Hashable, asyncio.Lock] = WeakValueDictionary()

    async def run(self, event: Hashable, job: Callable[[], T], *, disconnected: Disconnected | None = None) -> T:
        """The job's result, once the event's earlier jobs are done and a worker is free."""
        async with self._turns.setdefault(event, asyncio.Lock()), self._slots:
            if disconnected is not None and await disconnected():
                raise Stale("the caller disconnected before this was computed", current=0)
            return await asyncio.get_running_loop().run_in_executor(self._pool, copy_context().run, job)

    def close(self) -> None:
        """Drop the jobs that wait, and let running ones end."""
        self._pool.shutdown(wait=False, cancel_futures=True)
