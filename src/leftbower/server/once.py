"""What is the same for all who ask, made once for all of them, in a thread: nobody who does something else waits."""

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Any, Final, TypeVar

from leftbower.server.event_workers import EventWorkers

T = TypeVar("T")
_KEPT: Final = 64


class Once:
    """The latest of each kind of thing."""

    def __init__(self, kept: int = _KEPT, workers: EventWorkers | None = None) -> None:
        self._kept = kept
        self._workers = workers or EventWorkers()
        self._made: OrderedDict[Hashable, tuple[Hashable, asyncio.Task[Any]]] = OrderedDict()

    async def made(self, kind: Hashable, mark: Hashable, make: Callable[[], T]) -> T:
        """What `make` makes, unless the latest of its kind has the same mark; whoever asks meanwhile waits for it.

        The last part of a kind is the event it belongs to, which has one worker at a time.
        """
        known = self._made.get(kind)
        if known is None or known[0] != mark or known[1].cancelled():
            event = kind[-1] if isinstance(kind, tuple) else kind
            task = asyncio.get_running_loop().create_task(self._workers.run(event, lambda _: make(), page=True))
            known = self._made[kind] = mark, task
            while len(self._made) > self._kept:
                self._made.popitem(last=False)
        made: T = await asyncio.shield(known[1])
        return made
