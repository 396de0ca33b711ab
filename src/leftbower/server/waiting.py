"""What waits for one reader: a bounded line, far smaller than a queue of asyncio's, for there are thousands."""

import asyncio
from collections.abc import Callable, Iterable
from typing import Any, Final, Generic, TypeVar

T = TypeVar("T")


class Line(Generic[T]):
    """At most `room` things in order, for one who takes them; once it is closed there is nothing more in it."""

    __slots__ = ("_closed", "_room", "_things", "_waiter", "waited")

    def __init__(self, room: int) -> None:
        self._room = room
        self._things: list[T] = []
        self._waiter: asyncio.Future[None] | None = None
        self._closed = False
        self.waited = 0

    def put(self, thing: T, *, quietly: bool = False) -> bool:
        """Add something; False when there is no room, or nobody takes anything any more.

        `quietly` lets whoever takes sleep: somebody else will hand it out, or wake them.
        """
        if self._closed or len(self._things) >= self._room:
            return False
        self._things.append(thing)
        if not quietly:
            self.wake()
        return True

    def hand_out(self, give: Callable[[T], bool]) -> None:
        """Give what was put quietly, in order, while whoever takes waits for it; what is not taken so wakes them."""
        while self._things and self._waiter is not None and not self._waiter.done():
            if not give(self._things[0]):
                self.wake()
                return
            self.waited = 0
            del self._things[:1]

    def close(self) -> None:
        """Throw away whatever waits; whoever takes next is told."""
        self._closed = True
        self._things.clear()
        self.wake()

    async def take(self) -> T | None:
        """The next thing, or None when the line is closed; TimeoutError when there was nothing for too long."""
        self.waited = 0
        if not self._things and not self._closed:
            self._waiter = asyncio.get_running_loop().create_future()
            try:
                await self._waiter
            finally:
                self._waiter = None
        if self._things:
            return self._things.pop(0)
        if self._closed:
            return None
        raise TimeoutError

    def skip(self, most: int = 1) -> None:
        """When more than so many wait, throw away all but the last."""
        if len(self._things) > most:
            del self._things[:-1]

    def tick(self, patience: int) -> None:
        """Some time has gone by; whoever takes has waited too long after so many of these."""
        self.waited += 1
        if self.waited > patience:
            self.wake()

    def wake(self) -> None:
        """Have whoever takes look again."""
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)


class Ticking:
    """One timer for all lines: each having its own would cost more than what it waits for."""

    def __init__(self, lines: Callable[[], Iterable[Line[Any]]], quiet: float) -> None:
        """Whoever takes from one of the `lines` waits `quiet` seconds at most, or a little longer."""
        self._lines, self._every = lines, quiet / _TICKS
        self._timer: asyncio.TimerHandle | None = None

    def begin(self) -> None:
        """There is a line; when there is none any more, the ticking ends by itself."""
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(self._every, self._tick)

    def _tick(self) -> None:
        self._timer = None
        for line in (lines := [*self._lines()]):
            line.tick(_TICKS)
        if lines:
            self.begin()


_TICKS: Final = 10
"""So many make the time after which somebody has waited too long."""
