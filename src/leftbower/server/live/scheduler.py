"""Scheduler of due work on logs: at most one task per log, timers, exponential backoff, polls of the store.

No process owns a log. The one that appended last continues at once; the others wait a little and drop their work if
they lose the race for the version. Polls pick up logs whose process died or whose notification was lost.
"""

import asyncio
import logging
from collections.abc import Sequence
from contextlib import suppress
from math import inf
from typing import Any, Final, Protocol

from leftbower.errors import LogEdited, StoreClosed
from leftbower.server.live.log_cache import LogCache
from leftbower.server.observability.logs import log_error
from leftbower.store import Listing

_COMMIT_LAG_SECONDS: Final = 1.0
"""A slow commit may become visible this long after its timestamp."""
_UNSHARED_POLL_FACTOR: Final = 10
"""Polls are this much rarer if no other process can append to the store."""
_STARTUP_DELAY_SECONDS: Final = 0.3
"""Time for the server to start listening before live logs are resumed."""
_RESUME_PAUSE_SECONDS: Final = 0.001
"""Pause between resumed logs, so that requests are handled in between."""
_MIN_BACKOFF_SECONDS, _MAX_BACKOFF_SECONDS = 0.2, 20.0
"""Exponential backoff after a failure."""
_log = logging.getLogger("leftbower.scheduler")


class DueWork(Protocol):
    """The work on one kind of log."""

    def is_live(self, listing: Listing) -> bool:
        """May something be due at this log?"""

    def due_in(self, name: str) -> float:
        """Seconds until something is due, infinite for never; also 0 for a log that is not cached."""

    async def perform(self, name: str) -> float:
        """Perform the due work; returns the seconds until the next check, infinite if the next append wakes the log."""


class Scheduler:
    """Performs the due work of each log."""

    def __init__(
        self, logs: LogCache[Any, Any], work: DueWork, *, poll_interval: float = 0.5, takeover_delay: float = 0.0
    ) -> None:
        """`takeover_delay` is how long other processes leave a log to the process that appended last."""
        self._logs, self._work, self._poll_interval, self._takeover_delay = logs, work, poll_interval, takeover_delay
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._woken: set[str] = set()
        """Logs woken while their task was running."""
        self._takeovers: dict[str, asyncio.TimerHandle] = {}
        self._timers: dict[str, asyncio.TimerHandle] = {}
        """Logs with work due later, unless a new version comes first."""
        self._polled_until = 0.0
        self._poller: asyncio.Task[None] | None = None
        self._closed = False

    def __len__(self) -> int:
        """Number of logs with a task or a takeover timer."""
        return len(self._tasks) + len(self._takeovers)

    async def open(self, *, head_start: float = 0.0) -> None:
        """Resume all live logs and start polling. For at most `head_start` seconds, logs are only folded."""
        prefix = self._logs.log_type.prefix
        listings = await self._logs.store.listings()
        live = [listing.log.removeprefix(prefix) for listing in listings if self._work.is_live(listing)]
        loop = asyncio.get_running_loop()
        end = loop.time() + head_start
        for name in live:
            if loop.time() >= end:
                break
            with suppress(LogEdited):
                await self._logs.get(name)
        self._poller = asyncio.create_task(self._resume(live), name="leftbower poller")

    async def close(self) -> None:
        """Cancel all timers and tasks."""
        self._closed = True
        for name in (*self._takeovers, *self._timers):
            self.forget(name)
        tasks = [*self._tasks.values(), *([self._poller] if self._poller else [])]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def wake(self, name: str) -> None:
        """Start the task of a log if something is due; a running task checks again before it ends."""
        self.forget(name)
        if name in self._tasks:
            self._woken.add(name)
        elif not self._closed:
            try:
                seconds = self._work.due_in(name)
            except Exception as error:
                log_error(_log, "the due work of a log could not be determined", error)
                seconds = 0.0  # the task will fail too, and retry with backoff
            self._start_in(seconds, name)

    def wake_later(self, name: str) -> None:
        """Wake a log unless another process changes it within the takeover delay."""
        self.forget(name)
        if not self._closed:
            loop = asyncio.get_running_loop()
            self._takeovers[name] = loop.call_later(self._takeover_delay, self.wake, name)

    def forget(self, name: str) -> None:
        """Cancel the timers of a log."""
        for timers in (self._takeovers, self._timers):
            if timer := timers.pop(name, None):
                timer.cancel()

    def _start_in(self, seconds: float, name: str) -> None:
        loop = asyncio.get_running_loop()
        if seconds <= 0:
            self._tasks[name] = loop.create_task(self._run(name), name=f"leftbower work on {name}")
        elif seconds < inf:
            self.forget(name)
            self._timers[name] = loop.call_later(seconds, self.wake, name)

    async def _run(self, name: str) -> None:
        """Perform due work until none is left; retry with exponential backoff."""
        backoff, wait = _MIN_BACKOFF_SECONDS, 0.0
        try:
            while wait <= 0 or name in self._woken:
                if self._logs.outage.error is not None:
                    await self._logs.outage.wait()
                self._woken.discard(name)
                try:
                    wait = await self._work.perform(name)
                    backoff = _MIN_BACKOFF_SECONDS
                except (LogEdited, StoreClosed, self._logs.log_type.unknown):
                    return
                except Exception as error:
                    if not self._logs.outage.report(error):
                        log_error(_log, "due work failed; retrying", error)
                    await asyncio.sleep(backoff)
                    backoff, wait = min(2 * backoff, _MAX_BACKOFF_SECONDS), 0.0
        finally:
            del self._tasks[name]
            self._woken.discard(name)
        if not self._closed:
            self._start_in(wait, name)

    async def _resume(self, names: Sequence[str]) -> None:
        """Wake live logs one after another, latest first, then poll.

        The server starts listening before, and a request waits for at most one log, not for all of them.
        """
        await asyncio.sleep(_STARTUP_DELAY_SECONDS if names else 0.0)
        for name in names:
            await asyncio.sleep(_RESUME_PAUSE_SECONDS)
            try:
                await self._logs.get(name)
            except StoreClosed:
                return
            except Exception as error:
                log_error(_log, "a log could not be read; retrying", error)
            self.wake(name)
        while True:
            await asyncio.sleep(self._poll_interval * (1 if self._logs.store.shared else _UNSHARED_POLL_FACTOR))
            await self._logs.outage.wait()
            try:
                await self._poll()
            except StoreClosed:
                return
            except Exception as error:
                if not self._logs.outage.report(error):
                    log_error(_log, "a poll failed", error)

    async def _poll(self) -> None:
        """Refresh logs whose notification was lost, and wake live ones unchanged for the takeover delay."""
        logs, prefix = self._logs, self._logs.log_type.prefix
        until = await logs.store.now() - self._takeover_delay
        since = min(self._polled_until, until) - _COMMIT_LAG_SECONDS  # the store's clock may be set back
        for listing in await logs.store.listings(since=since):
            name = listing.log.removeprefix(prefix)
            if listing.updated > until or not listing.log.startswith(prefix) or name in logs.edited:
                continue
            if (logs.cached_version(name) or listing.seq) < listing.seq:
                with suppress(LogEdited, logs.log_type.unknown):
                    await logs.refresh(name)
            if self._work.is_live(listing):
                self.wake(name)
        self._polled_until = until
