"""When the store takes nothing: a full disk, a database that is gone.

Whoever meets trouble says so, and then something is written that changes nothing. Where even that fails, acts are
refused at once with the reason, whatever can be read is still read, and we try again until it works.
"""

import asyncio
import logging
from collections.abc import Callable
from contextlib import suppress
from time import monotonic
from typing import Final

from leftbower.errors import StoreBroken, StoreError, StoreFull, StoreLocked, StoreReadOnly, StoreUnreachable
from leftbower.server.logs import tell_of
from leftbower.server.metrics import STORE_ERRORS
from leftbower.store import Store

_EVERY: Final = 0.5
"""Seconds between two tries."""
_PATIENCE: Final = 5.0
"""Seconds for one of them."""
_TROUBLES: Final = (StoreFull, StoreUnreachable, StoreReadOnly, StoreLocked, StoreBroken)
_log = logging.getLogger("leftbower.store")


class Outage:
    """Whether the store takes facts now."""

    def __init__(self, store: Store, *, every: float = _EVERY, clock: Callable[[], float] = monotonic) -> None:
        self._store, self._every, self._clock = store, every, clock
        self._trying: asyncio.Task[None] | None = None
        self._over = asyncio.Event()
        self._over.set()
        self._began = 0.0
        self.recovered: Callable[[], None] = lambda: None
        """Called when it takes them again."""
        self.trouble: StoreError | None = None
        """What is wrong, while nothing can be written."""

    @property
    def gone(self) -> bool:
        """Can the store not even be read?"""
        return isinstance(self.trouble, StoreUnreachable)

    def check(self) -> None:
        """Raise what is wrong, if the store takes nothing now."""
        if self.trouble is not None:
            raise type(self.trouble)(self.trouble.message, place=self.trouble.place)

    def noticed(self, error: BaseException) -> bool:
        """Somebody met an error: if it is trouble with the store, look how bad it is. Is that known already?"""
        if not isinstance(error, _TROUBLES):
            return False
        STORE_ERRORS.add(error.code)
        if self._trying is None or self._trying.done():
            self._trying = asyncio.get_running_loop().create_task(self._try(), name="leftbower outage")
        return self.trouble is not None

    async def wait(self) -> None:
        """Until the store takes facts again; at once if it does."""
        await self._over.wait()

    async def close(self) -> None:
        """Try no more."""
        if self._trying is not None:
            self._trying.cancel()
            with suppress(asyncio.CancelledError):
                await self._trying

    async def _try(self) -> None:
        while (found := await self._found()) is not None:
            if self.trouble is None:
                self._began = self._clock()
                _log.error("the store takes nothing, and acts are refused: %s", found.code)
            self._over.clear()
            self.trouble = found
            await asyncio.sleep(self._every)
        if self.trouble is not None:
            self.trouble = None
            self.recovered()
            self._over.set()
            _log.warning("the store takes facts again, after %.1f seconds", self._clock() - self._began)

    async def _found(self) -> StoreError | None:
        try:
            async with asyncio.timeout(_PATIENCE):
                await self._store.probe()
        except StoreError as error:
            return error
        except TimeoutError:
            return StoreUnreachable("the store does not answer")
        except Exception as error:  # a mistake of ours, and no reason to refuse anybody anything
            tell_of(_log, "the store was not tried", error)
        return None
