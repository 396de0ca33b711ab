"""Bounded worker pool for the heavy work of events: draws, imports, printouts and pages.

Each event has one command and one page at a time, each client two jobs, all together four: no client blocks the others,
and the event loop's default pool is not used. A job calls its checkpoint between small steps. There it is canceled if
its caller has disconnected, and there it sleeps, so that a client gets a fifth of a core in the long run: a computing
thread takes turns with the event loop at the GIL, and people at tables would wait for it.
"""

import asyncio
import gc
from collections.abc import Awaitable, Callable, Hashable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from threading import Event as Signal, Lock
from time import monotonic, thread_time
from typing import Final, TypeVar
from weakref import WeakSet, WeakValueDictionary

from cachetools import LRUCache

from leftbower.errors import ClientDisconnected
from leftbower.server.process.runtime import exempt

MAX_EVENT_WORKERS: Final = 4
"""Jobs of all events that run at the same time."""
MAX_CLIENT_WORKERS: Final = 2
"""Jobs of one client, or one address, that run at the same time."""
CLIENT_SHARE: Final = 0.2
"""CPU time of one client's jobs, as a share of one core, after its burst."""
BURST_SECONDS: Final = 1.0
"""CPU time that a client may use at once; a usual page or draw takes a hundredth of it."""
SLICE_SECONDS: Final = 0.001
"""CPU time after which a job sleeps for at least as long, so that the event loop never waits for many jobs."""
EXEMPT_OBJECTS: Final = 2_000
"""A job with more new objects than this, an event of a thousand matches, has them exempted from garbage collection."""
_POLL_SECONDS: Final = 0.1
"""Interval of checks whether the caller of a running job is still connected."""
_MAX_CLIENTS: Final = 10_000
T = TypeVar("T")
Disconnected = Callable[[], Awaitable[bool]]
Checkpoint = Callable[[], None]
"""Called by a job between small steps; raises ClientDisconnected if the job is canceled."""
Job = Callable[[Checkpoint], T]


class EventWorkers:
    """Runs jobs in threads, by event and by client."""

    def __init__(
        self,
        workers: int = MAX_EVENT_WORKERS,
        *,
        client_workers: int = MAX_CLIENT_WORKERS,
        client_share: float = CLIENT_SHARE,
    ) -> None:
        self._pool = ThreadPoolExecutor(workers, thread_name_prefix="event-worker")
        self._slots = asyncio.Semaphore(workers)
        self._turns: WeakValueDictionary[Hashable, asyncio.Lock] = WeakValueDictionary()
        self._client_workers = client_workers
        self._client_slots: WeakValueDictionary[str, asyncio.Semaphore] = WeakValueDictionary()
        self._budget = _Budget(client_share)
        self._running: WeakSet[_Running] = WeakSet()

    async def run(
        self,
        event: Hashable,
        job: Job[T],
        *,
        client: str = "",
        page: bool = False,
        disconnected: Disconnected | None = None,
    ) -> T:
        """Run a job when the event's earlier jobs are done and a worker is free; returns its result, or
        ClientDisconnected.

        Its time is charged to the `client`, or without one to the event. A `page` has its own queue and budget, so that
        a draw never waits for onlookers.
        """
        async with self._turn((event, page)), self._client_slot(client), self._slots:
            if disconnected is not None and await disconnected():
                raise ClientDisconnected("the client disconnected before the work was done")
            running = _Running(self._budget, f"{'page' if page else 'command'} {client or event}")
            self._running.add(running)
            return await self._compute(running, job, disconnected)

    async def _compute(self, running: "_Running", job: Job[T], disconnected: Disconnected | None) -> T:
        """Wait until the thread has ended, even if the caller disconnects; it keeps its slot until then."""
        loop = asyncio.get_running_loop()
        future = loop.run_in_executor(self._pool, copy_context().run, running.compute, job)
        try:
            while not future.done():
                await asyncio.wait([future], timeout=_POLL_SECONDS if disconnected else None)
                if disconnected is not None and not future.done() and await disconnected():
                    running.cancel()
        except asyncio.CancelledError:
            running.cancel()
            await asyncio.wait([future])
            future.exception()
            raise
        if running.objects > EXEMPT_OBJECTS:
            exempt(running.objects)
        return future.result()

    def charge(self, client: str, seconds: float) -> None:
        """Charge a client for the cost of its job to others besides CPU time; its next job waits for it."""
        self._budget.charge(f"command {client}", seconds)

    def close(self) -> None:
        """Drop waiting jobs, and cancel running ones."""
        for running in tuple(self._running):
            running.cancel()
        self._pool.shutdown(wait=False, cancel_futures=True)

    def _turn(self, event: Hashable) -> asyncio.Lock:
        return self._turns.setdefault(event, asyncio.Lock())

    def _client_slot(self, client: str) -> asyncio.Semaphore:
        if not client:
            return asyncio.Semaphore()
        return self._client_slots.setdefault(client, asyncio.Semaphore(self._client_workers))


class _Running:
    """A running job; called as its checkpoint."""

    def __init__(self, budget: "_Budget", client: str) -> None:
        self._budget, self._client = budget, client
        self._canceled = Signal()
        self._since = 0.0
        self.objects = 0
        """Growth of the garbage collector's object count during the job."""

    def compute(self, job: Job[T]) -> T:
        """Run the job in this thread."""
        self._sleep(self._budget.charge(self._client, 0.0))
        before = gc.get_count()[0]
        try:
            return job(self)
        finally:
            self.objects = gc.get_count()[0] - before
            self._budget.charge(self._client, thread_time() - self._since)

    def __call__(self) -> None:
        if self._canceled.is_set():
            raise ClientDisconnected("the client disconnected before the work was done")
        spent = thread_time() - self._since
        if spent >= SLICE_SECONDS:
            self._sleep(max(spent, self._budget.charge(self._client, spent)))

    def _sleep(self, seconds: float) -> None:
        if self._canceled.wait(seconds) if seconds > 0 else self._canceled.is_set():
            raise ClientDisconnected("the client disconnected before the work was done")
        self._since = thread_time()

    def cancel(self) -> None:
        self._canceled.set()


class _Budget:
    """CPU time of each client: a token bucket of seconds that may be overdrawn."""

    def __init__(self, share: float) -> None:
        self._share = share
        self._lock = Lock()
        self._left: LRUCache[str, tuple[float, float]] = LRUCache(_MAX_CLIENTS)

    def charge(self, client: str, seconds: float) -> float:
        """Take some seconds; returns how long to sleep until the bucket is no longer overdrawn."""
        with self._lock:
            now = monotonic()
            left, at = self._left.get(client, (BURST_SECONDS, now))
            left = min(BURST_SECONDS, left + (now - at) * self._share) - seconds
            self._left[client] = left, now
        return max(-left, 0.0) / self._share
