"""Circuit breaker for the store: a full disk, an unreachable database.

Callers report store errors; a probe write then shows whether the store is down. While probes fail, commands are refused
at once with the reason, reads continue, and the probe is repeated until it succeeds.
"""

import asyncio
import logging
from collections.abc import Callable
from contextlib import suppress
from time import monotonic
from typing import Final

from leftbower.errors import StoreBroken, StoreError, StoreFull, StoreLocked, StoreReadOnly, StoreUnreachable
from leftbower.server.observability.logs import log_error
from leftbower.server.observability.metrics import STORE_ERRORS
from leftbower.store import Store

_PROBE_INTERVAL_SECONDS: Final = 0.5
_PROBE_TIMEOUT_SECONDS: Final = 5.0
_OUTAGE_ERRORS: Final = (StoreFull, StoreUnreachable, StoreReadOnly, StoreLocked, StoreBroken)
_log = logging.getLogger("leftbower.store")


class Outage:
    """Does the store accept writes now?"""

    def __init__(
        self, store: Store, *, interval: float = _PROBE_INTERVAL_SECONDS, clock: Callable[[], float] = monotonic
    ) -> None:
        self._store, self._interval, self._clock = store, interval, clock
        self._probing: asyncio.Task[None] | None = None
        self._writable = asyncio.Event()
        self._writable.set()
        self._started = 0.0
        self.recovery_listeners: list[Callable[[], None]] = []
        """Called when the store accepts writes again."""
        self.error: StoreError | None = None
        """Why the store accepts no writes; None if there is no outage."""
        self.is_unreachable = False
        """Is even reading impossible?"""

    def check(self) -> None:
        """Raise the error of the current outage."""
        if self.error is not None:
            raise type(self.error)(self.error.message, path=self.error.path)

    def report(self, error: BaseException) -> bool:
        """Start probing after a store error; returns whether the outage is already known."""
        if not isinstance(error, _OUTAGE_ERRORS):
            return False
        STORE_ERRORS.labels(error.code).inc()
        if self._probing is None or self._probing.done():
            self._probing = asyncio.get_running_loop().create_task(
                self._probe_until_writable(), name="leftbower outage"
            )
        return self.error is not None

    async def wait(self) -> None:
        """Wait until the store accepts writes."""
        await self._writable.wait()

    async def close(self) -> None:
        """Stop probing."""
        if self._probing is not None:
            self._probing.cancel()
            with suppress(asyncio.CancelledError):
                await self._probing

    async def _probe_until_writable(self) -> None:
        while (error := await self._probe()) is not None:
            if self.error is None:
                self._started = self._clock()
                _log.error("the store accepts no writes, so commands are refused: %s", error.code)
            self._writable.clear()
            self.error, self.is_unreachable = error, isinstance(error, StoreUnreachable)
            await asyncio.sleep(self._interval)
        if self.error is not None:
            self.error, self.is_unreachable = None, False
            for notify in self.recovery_listeners:
                notify()
            self._writable.set()
            _log.warning("the store accepts writes again, after %.1f seconds", self._clock() - self._started)

    async def _probe(self) -> StoreError | None:
        try:
            async with asyncio.timeout(_PROBE_TIMEOUT_SECONDS):
                await self._store.probe()
        except StoreError as error:
            return error
        except TimeoutError:
            return StoreUnreachable("the store doesn't answer")
        except Exception as error:  # a bug in the probe must not stop commands
            log_error(_log, "the store could not be probed", error)
        return None
