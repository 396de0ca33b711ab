"""What is read from the store again and again is remembered for some seconds, and looked up anew many at a time.

Thousands of people who act every few seconds would otherwise each cost a read every few seconds.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Generic, TypeVar

V = TypeVar("V")
_TOGETHER: Final = 256
"""So many are looked up at once."""


@dataclass(slots=True)
class _Kept(Generic[V]):
    value: V
    until: float
    changes: int
    used: bool = True


@dataclass(slots=True, eq=False)
class _Batch(Generic[V]):
    """Keys that are looked up together."""

    changes: int
    keys: list[str] = field(default_factory=list)
    task: "asyncio.Task[dict[str, V]] | None" = None


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
        self._reading: dict[str, _Batch[V]] = {}
        self._gathering: _Batch[V] | None = None

    async def get(self, key: str) -> V | None:
        """The value, or None if there is none; it was so at most some seconds ago."""
        value = self.at_hand(key)
        return value if value is not None else (await self._look_up([key])).get(key)

    async def get_all(self, keys: Iterable[str]) -> dict[str, V]:
        """The values of those keys that have one."""
        found: dict[str, V] = {}
        missing = []
        for key in keys:
            value = self.at_hand(key)
            if value is None:
                missing.append(key)
            else:
                found[key] = value
        return found | await self._look_up(missing) if missing else found

    def at_hand(self, key: str) -> V | None:
        """The value, if it need not be looked up."""
        one = self._kept.get(key)
        if one is None or one.changes != self._changes() or self._clock() >= one.until:
            return None
        one.used = True
        return one.value

    def replace(self, key: str, value: V) -> None:
        """Remember another value in place of one that is remembered, for as long as that."""
        if key in self._kept:
            self._kept[key].value = value

    def stale(self, key: str, seconds: float) -> V | None:
        """The value as it was when last looked up, if that is at most so long overdue and nothing has changed."""
        one = self._kept.get(key)
        if one is None or one.changes != self._changes() or self._clock() >= one.until + seconds:
            return None
        return one.value

    async def _look_up(self, keys: Sequence[str]) -> dict[str, V]:
        """Read them together with whatever others ask for in this moment, and what is due soon."""
        batches = {self._batch_of(key): None for key in keys}
        found: dict[str, V] = {}
        for batch in batches:
            assert batch.task is not None
            found |= await asyncio.shield(batch.task)
        return {key: found[key] for key in keys if key in found}

    def _batch_of(self, key: str) -> _Batch[V]:
        """Who asks for what is being read waits for the same answer, unless there was a change since."""
        changes = self._changes()
        batch = self._reading.get(key)
        if batch is not None and batch.changes == changes:
            return batch
        batch = self._gathering
        if batch is None or batch.changes != changes:
            batch = self._gathering = _Batch(changes)
            batch.task = asyncio.get_running_loop().create_task(self._learn(batch), name="leftbower remembering")
            batch.task.add_done_callback(_heard)
        batch.keys.append(key)
        self._reading[key] = batch
        return batch

    async def _learn(self, batch: _Batch[V]) -> dict[str, V]:
        try:
            await asyncio.sleep(0)  # until everybody who asks in this moment has asked
            if self._gathering is batch:
                self._gathering = None
            asked = set(batch.keys)
            batch.keys += self._due_soon()
            found: dict[str, V] = {}
            for first in range(0, len(batch.keys), _TOGETHER):
                found |= await self._read(batch.keys[first : first + _TOGETHER])
            until = self._clock() + self._fresh
            for key in batch.keys:
                self._kept.pop(key, None)
                if key in found:
                    self._kept[key] = _Kept(found[key], until, batch.changes, used=key in asked)
            while len(self._kept) > self._most:
                self._kept.popitem(last=False)
            return found
        finally:
            for key in batch.keys:
                if self._reading.get(key) is batch:
                    del self._reading[key]

    def _due_soon(self) -> list[str]:
        """The keys that will be asked for soon, oldest first; those that nobody asked for are dropped instead."""
        now, changes = self._clock(), self._changes()
        soon: list[str] = []
        dropped: list[str] = []
        for key, one in self._kept.items():
            if one.changes == changes and one.until - now > self._fresh / 2:
                break
            if key in self._reading:
                continue
            (soon if one.used else dropped).append(key)
            if len(soon) >= _TOGETHER or len(dropped) >= _TOGETHER:
                break
        for key in dropped:
            del self._kept[key]
        return soon


def _heard(ended: "asyncio.Task[dict[str, Any]]") -> None:
    """Whoever waited has heard of an error; perhaps nobody waited."""
    if not ended.cancelled():
        ended.exception()
