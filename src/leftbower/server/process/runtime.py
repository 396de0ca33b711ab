"""Process tuning: manual garbage collection, GIL switch interval, file limit, duplicated listeners."""

import asyncio
import gc
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from time import process_time
from typing import Final

_CHECK_SECONDS: Final = 0.25
"""Interval of checks whether the process is idle."""
_MAX_FULL_INTERVAL_SECONDS: Final = 3600.0
"""A full collection runs at least this often, even on a busy server: a pause of a second per hour. Nearly all reference
cycles come from disconnected clients."""
_IDLE_CPU_SHARE: Final = 0.05
"""Below this share of a core the process counts as idle, and a pause of half a second does no harm."""
_BUSY_GROWTH: Final = 4
_IDLE_GROWTH: Final = 0.1
"""Growth of the number of objects since the last full collection that triggers the next one, busy and idle. A pause of
half a second every few minutes would be the slowest hundredth of all requests. After a collection that found little,
the idle threshold doubles, because a hall at play counts as idle too."""
_WORTHWHILE_SHARE: Final = 0.1
"""A collection was worthwhile if it freed more than this share of the new objects."""
_SWITCH_SECONDS: Final = 0.0005
"""GIL switch interval, a tenth of the default: the store's writer thread needs several turns for each commit."""

_LISTENER_COPIES: Final = 16
"""uvloop accepts one connection per socket and turn of the loop; with a single socket, two thousand clients that
reconnect at once would wait half a minute."""


@contextmanager
def duplicate_listener(listener: socket.socket) -> Iterator[list[socket.socket]]:
    """The socket and its duplicates, to accept several connections per turn of the loop."""
    copies = [listener.dup() for _ in range(_LISTENER_COPIES - 1)]
    try:
        yield [listener, *copies]
    finally:
        for copy in copies:
            copy.close()


@contextmanager
def tuned() -> Iterator[None]:
    """Tune this process for many clients; everything except the file limit is restored at the end."""
    interval = sys.getswitchinterval()
    _raise_file_limit()
    sys.setswitchinterval(_SWITCH_SECONDS)
    collector = IdleGarbageCollector(asyncio.get_running_loop())
    _collectors.append(collector)
    try:
        yield
    finally:
        _collectors.remove(collector)
        collector.close()
        sys.setswitchinterval(interval)


def exempt(objects: int) -> None:
    """Exempt this number of new objects from garbage collection: a large immutable value has no reference cycles.

    Otherwise ten events of the largest size would trigger a full collection, a pause of a quarter of a second.
    """
    for collector in _collectors:
        collector.exempt(objects)


_collectors: Final[list["IdleGarbageCollector"]] = []


class IdleGarbageCollector:
    """Runs the cyclic garbage collector when idle instead of during requests.

    A full collection with a thousand tables and their feeds pauses the server for half a second. Collecting new objects
    four times per second, as was tried, took a twentieth of all time and found almost nothing.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._checked_at, self._cpu_seconds = loop.time(), process_time()
        self._automatic = gc.isenabled()
        self._idle_growth, self._new_objects = _IDLE_GROWTH, 0
        gc.disable()
        self.collect_all()
        self._timer = loop.call_later(_CHECK_SECONDS, self._check)

    def close(self) -> None:
        """Return to automatic collection."""
        self._timer.cancel()
        gc.unfreeze()
        if self._automatic:
            gc.enable()

    def collect_all(self) -> None:
        """Run a full collection."""
        gc.unfreeze()
        was_worthwhile = gc.collect() > self._new_objects * _WORTHWHILE_SHARE
        gc.freeze()
        self._idle_growth = _IDLE_GROWTH if was_worthwhile else min(2 * self._idle_growth, 1.0)
        self._objects, self._new_objects = gc.get_freeze_count(), 0
        self._collected_at = self._loop.time()

    def exempt(self, objects: int) -> None:
        """Freeze new objects until the next full collection; this number of them doesn't count towards it."""
        self._new_objects += max(gc.get_count()[0] - objects, 0)
        gc.freeze()

    def _collect_new(self) -> None:
        """Collect new objects, and freeze the survivors until the next full collection."""
        self._new_objects += gc.get_count()[0]
        gc.collect(0)
        gc.freeze()

    def _check(self) -> None:
        idle = self._is_idle()
        new = gc.get_count()[0]  # approximate, because an exact count takes as long as a collection
        has_grown = self._new_objects + new > self._objects * (self._idle_growth if idle else _BUSY_GROWTH)
        if has_grown or self._loop.time() - self._collected_at > _MAX_FULL_INTERVAL_SECONDS:
            self.collect_all()
        elif idle:
            self._collect_new()
        self._timer = self._loop.call_later(_CHECK_SECONDS, self._check)

    def _is_idle(self) -> bool:
        """Has the process used little CPU time since the last check?"""
        now, cpu_seconds = self._loop.time(), process_time()
        share = (cpu_seconds - self._cpu_seconds) / max(now - self._checked_at, _CHECK_SECONDS)
        self._checked_at, self._cpu_seconds = now, cpu_seconds
        return share < _IDLE_CPU_SHARE


def _raise_file_limit() -> None:
    """Raise the limit of open files to the hard limit; many systems start with a thousand."""
    with suppress(ImportError, ValueError, OSError):
        import resource  # noqa: PLC0415  # not on every system

        _, hard_limit = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard_limit, hard_limit))
