"""What is the same for all who ask, made once for all of them, in a thread: nobody who does something else waits."""

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Any, Final, TypeVar

T = TypeVar("T")
_KEPT: Final = 64


class Once:
    """The latest of each kind of thing."""

    def __init__(self, kept: int = _KEPT) -> None:
        self._kept = kept
        self._made: OrderedDict[Hashable, tuple[Hashable, asyncio.Task[Any]]] = OrderedDict()

    async def made(self, kind: Hashable, mark: Hashable, make: Callable[[], T]) -> T:
        """What `make` makes, unless the latest of its kind has the same mark; whoever asks meanwhile waits for it."""
        known = self._made.get(kind)
        if known is None or known[0] != mark or known[1].cancelled():
            task = asyncio.get_running_loop().create_task(asyncio.to_thread(make))
            known = self._made[kind] = mark, task
            while len(self._made) > self._kept:
                self._made.popitem(last=False)
        made: T = await asyncio.shield(known[1])
        return made
