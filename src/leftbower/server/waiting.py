"""What waits for one reader: a bounded line, far smaller than a queue of asyncio's, for there are thousands."""

import asyncio
from typing import Generic, TypeVar

T = TypeVar("T")


class Line(Generic[T]):
    """At most `room` things in order, for one who takes them; once it is closed there is nothing more in it."""

    __slots__ = ("_closed", "_room", "_things", "_waiter")

    def __init__(self, room: int) -> None:
        self._room = room
        self._things: list[T] = []
        self._waiter: asyncio.Future[None] | None = None
        self._closed = False

    def put(self, thing: T) -> bool:
        """Add something; False when there is no room, or nobody takes anything any more."""
        if self._closed or len(self._things) >= self._room:
            return False
        self._things.append(thing)
        self._wake()
        return True

    def close(self) -> None:
        """Throw away whatever waits; whoever takes next is told."""
        self._closed = True
        self._things.clear()
        self._wake()

    async def take(self, patience: float) -> T | None:
        """The next thing, or None when the line is closed; TimeoutError when there was nothing for so long."""
        if not self._things and not self._closed:
            await self._something(patience)
        if self._things:
            return self._things.pop(0)
        if self._closed:
            return None
        raise TimeoutError

    async def _something(self, patience: float) -> None:
        loop = asyncio.get_running_loop()
        self._waiter = loop.create_future()
        timer = loop.call_later(patience, self._wake)
        try:
            await self._waiter
        finally:
            timer.cancel()
            self._waiter = None

    def _wake(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)
