"""What is read from the store again and again is remembered for some seconds, and looked up anew many at a time.

Thousands of people who act every few seconds would otherwise each cost a read every few seconds.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

V = TypeVar("V")
_TOGETHER: Final = 256
"""So many are looked up at once."""


@dataclass(slots=True)
class _Kept(Generic[V]):
    value: V
    until: float
    changes: int
    used: bool = True


class Remembered(Generic[V]):
    """Values by their keys, each for so many seconds, and none longer than until the next of `changes`.

    `read` is asked for many keys at once, and answers for those that there are; what is not there is not remembered.
    """

    def __init__(
        self,
        read: Callable[[Sequence[str]], Awaitable[Mapping[str, V]]],
        *,
        clock: Callable[[], float],
        fresh: float,
        kept: int,
        changes: Callable[[], int],
    ) -> None:
        self._read, self._clock, self._fresh, self._most, self._changes = read, clock, fresh, kept, changes
        self._kept: OrderedDict[str, _Kept[V]] = OrderedDict()
        self._reading: dict[str, tuple[int, asyncio.Task[Mapping[str, V]]]] = {}

    def at_hand(self, key: str) -> V | None:
        """The value, if it need not be looked up."""
        one = self._kept.get(key)
        if one is None or one.changes != self._changes() or self._clock() >= one.until:
            return None
        one.used = True
        return one.value

    def stale(self, key: str, seconds: float) -> V | None:
        """The value as it was when last looked up, if that is at most so long overdue and nothing has changed."""
        one = self._kept.get(key)
        if one is None or one.changes != self._changes() or self._clock() >= one.until + seconds:
            return None
        return one.value

    async def get(self, key: str) -> V | None:
        """The value, or None if there is none; it was so at most some seconds ago."""
        value = self.at_hand(key)
        return value if value is not None else (await self._look_up(key)).get(key)

    async def _look_up(self, key: str) -> Mapping[str, V]:
        """Read it, and whatever else is due soon; who asks for the same meanwhile waits for the same answer."""
        changes = self._changes()
        since, task = self._reading.get(key, (-1, None))
        if task is None or since != changes:
            keys = [key, *self._due_soon(key)]
            task = asyncio.get_running_loop().create_task(self._learn(keys, changes), name="leftbower remembering")
            self._reading |= dict.fromkeys(keys, (changes, task))
            task.add_done_callback(lambda ended: self._forget(keys, ended))
        return await asyncio.shield(task)

    def _due_soon(self, besides: str) -> list[str]:
        """The keys that will be asked for soon, oldest first; those that nobody asked for are dropped instead."""
        now, changes = self._clock(), self._changes()
        soon: list[str] = []
        dropped: list[str] = []
        for key, one in self._kept.items():
            if one.changes == changes and one.until - now > self._fresh / 2:
                break
            if not one.used:
                dropped.append(key)
            elif key != besides and key not in self._reading:
                soon.append(key)
            if len(soon) + 1 >= _TOGETHER or len(dropped) >= _TOGETHER:
                break
        for key in dropped:
            del self._kept[key]
        return soon

    async def _learn(self, keys: Sequence[str], changes: int) -> Mapping[str, V]:
        found = await self._read(keys)
        until = self._clock() + self._fresh
        for number, key in enumerate(keys):
            self._kept.pop(key, None)
            if key in found:
                self._kept[key] = _Kept(found[key], until, changes, used=number == 0)
        while len(self._kept) > self._most:
            self._kept.popitem(last=False)
        return found

    def _forget(self, keys: Sequence[str], ended: asyncio.Task[Mapping[str, V]]) -> None:
        for key in keys:
            if key in self._reading and self._reading[key][1] is ended:
                del self._reading[key]
        if not ended.cancelled():
            ended.exception()  # whoever waited has heard of it, and perhaps nobody waited
