"""Bounded single-consumer queue; smaller than `asyncio.Queue` because there are thousands."""

import asyncio
from collections.abc import Callable, Iterable
from typing import Any, Final, Generic, TypeVar

T = TypeVar("T")


class FeedQueue(Generic[T]):
    """At most `max_size` items in order; empty once it is closed."""

    __slots__ = ("_closed", "_items", "_max_size", "_waiter", "ticks")

    def __init__(self, max_size: int) -> None:
        self._max_size = max_size
        self._items: list[T] = []
        self._waiter: asyncio.Future[None] | None = None
        self._closed = False
        self.ticks = 0
        """Ticks of the keep-alive timer since the consumer last got an item."""

    def put(self, item: T, *, wake: bool = True) -> bool:
        """Add an item; False if the queue is full or closed. Without `wake` the caller must `flush` it."""
        if self._closed or len(self._items) >= self._max_size:
            return False
        self._items.append(item)
        if wake:
            self.wake()
        return True

    def flush(self, send: Callable[[T], bool]) -> None:
        """Send items directly while the consumer is waiting; wake it for the first one that cannot be sent."""
        while self._items and self._waiter is not None and not self._waiter.done():
            if not send(self._items[0]):
                self.wake()
                return
            self.ticks = 0
            del self._items[:1]

    def close(self) -> None:
        """Discard all items and wake the consumer."""
        self._closed = True
        self._items.clear()
        self.wake()

    async def get(self) -> T | None:
        """The next item, or None if the queue is closed; TimeoutError when it is time for a keep-alive."""
        self.ticks = 0
        if not self._items and not self._closed:
            self._waiter = asyncio.get_running_loop().create_future()
            try:
                await self._waiter
            finally:
                self._waiter = None
        if self._items:
            return self._items.pop(0)
        if self._closed:
            return None
        raise TimeoutError

    def skip(self, max_items: int = 1) -> None:
        """Discard all but the last item if there are more than `max_items`."""
        if len(self._items) > max_items:
            del self._items[:-1]

    def tick(self, max_ticks: int) -> None:
        """Count a tick of the keep-alive timer; wake the consumer after more than `max_ticks`."""
        self.ticks += 1
        if self.ticks > max_ticks:
            self.wake()

    def wake(self) -> None:
        """Wake the waiting consumer."""
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)


class KeepAliveTimer:
    """One shared timer for all queues, which is cheaper than one for each."""

    def __init__(self, queues: Callable[[], Iterable[FeedQueue[Any]]], keep_alive: float) -> None:
        """A consumer waits about `keep_alive` seconds at most."""
        self._queues, self._interval = queues, keep_alive / _MAX_TICKS
        self._timer: asyncio.TimerHandle | None = None

    def start(self) -> None:
        """Start unless it is running; it stops by itself when there are no queues."""
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(self._interval, self._tick)

    def _tick(self) -> None:
        self._timer = None
        for queue in (queues := [*self._queues()]):
            queue.tick(_MAX_TICKS)
        if queues:
            self.start()


_MAX_TICKS: Final = 10
"""Timer ticks in one keep-alive interval."""
