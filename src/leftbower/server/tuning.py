"""What serving thousands of clients takes: seldom sweeping, short turns, many files, and more than one ear."""

import asyncio
import gc
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from time import process_time
from typing import Final

_LOOK: Final = 0.25
"""Seconds between two looks at whether there is time to sweep."""
_SELDOM: Final = 3600.0
"""Seconds after which everything is looked at though it was never quiet: a pause of a second an hour, and all the
while hardly anything is left in circles but by clients that were cut off."""
_QUIET: Final = 0.05
"""The share of a core below which nobody minds half a second."""
_MUCH: Final = 4
_SLIGHTLY: Final = 0.1
"""All objects are looked at when there are so many times more than after the last time, or when it is quiet slightly
more: half a second every few minutes would be the slowest hundredth of all that is asked.
Where little was found, next time twice as many: a hall that plays is quiet too, and a look is as long as ten taps."""
_LITTLE: Final = 0.1
"""The share of new objects that were left in circles, below which looking was not worth it."""
_TURN: Final = 0.0005
"""Seconds after which a thread that waits gets its turn. The store's writer takes several for each commit; by default
each may last ten times as long, and somebody waits for the commit."""

_EARS: Final = 16
"""The fast event loop accepts one connection of a socket in each turn, and busy turns take long: a storm of two
thousand clients would wait for half a minute. So it is given the same socket more than once."""


@contextmanager
def ears(listener: socket.socket) -> Iterator[list[socket.socket]]:
    """The socket so often as connections shall be accepted in one turn; the first is the one that was given."""
    others = [listener.dup() for _ in range(_EARS - 1)]
    try:
        yield [listener, *others]
    finally:
        for one in others:
            one.close()


@contextmanager
def tuned() -> Iterator[None]:
    """Serve many; everything is as it was afterwards, but for the number of files that may be open."""
    turn = sys.getswitchinterval()
    _allow_many_connections()
    sys.setswitchinterval(_TURN)
    sweeper = Sweeper(asyncio.get_running_loop())
    _sweepers.append(sweeper)
    try:
        yield
    finally:
        _sweepers.remove(sweeper)
        sweeper.close()
        sys.setswitchinterval(turn)


def exempt(objects: int) -> None:
    """Keep this number of new objects out of garbage collection: a large immutable value has no reference cycles.

    Else ten events of the largest size, which anybody may draw, would make every server look through all its objects,
    for a quarter of a second in which nobody is answered.
    """
    for sweeper in _sweepers:
        sweeper.exempt(objects)


_sweepers: Final[list["Sweeper"]] = []


class Sweeper:
    """Looks for what is left in circles when the house is quiet; Python would do it while people wait.

    Looking through a thousand tables and their feeds takes half a second, in which nobody is answered. And looking at
    what is new four times a second, as was tried, took a twentieth of all time, to find next to nothing.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._looked_at, self._spent = loop.time(), process_time()
        self._automatic = gc.isenabled()
        self._slightly, self._more = _SLIGHTLY, 0
        gc.disable()
        self.sweep_all()
        self._timer = loop.call_later(_LOOK, self._look)

    def close(self) -> None:
        """Leave it to Python again."""
        self._timer.cancel()
        gc.unfreeze()
        if self._automatic:
            gc.enable()

    def sweep_all(self) -> None:
        """Look at everything."""
        gc.unfreeze()
        worth_it = gc.collect() > self._more * _LITTLE
        gc.freeze()
        self._slightly = _SLIGHTLY if worth_it else min(2 * self._slightly, 1.0)
        self._objects, self._more = gc.get_freeze_count(), 0
        self._swept = self._loop.time()

    def exempt(self, objects: int) -> None:
        """Do not look at what is new until everything is; of all that is new this number does not count."""
        self._more += max(gc.get_count()[0] - objects, 0)
        gc.freeze()

    def _sweep(self) -> None:
        """Look at what is new. What is left of it is not looked at again until everything is."""
        self._more += gc.get_count()[0]
        gc.collect(0)
        gc.freeze()

    def _look(self) -> None:
        quiet = self._is_quiet()
        new = gc.get_count()[0]  # roughly; to count them all would take as long as looking at them
        much = self._more + new > self._objects * (self._slightly if quiet else _MUCH)
        if much or self._loop.time() - self._swept > _SELDOM:
            self.sweep_all()
        elif quiet:
            self._sweep()
        self._timer = self._loop.call_later(_LOOK, self._look)

    def _is_quiet(self) -> bool:
        """Has the process had little to do since this was last asked?"""
        now, spent = self._loop.time(), process_time()
        share = (spent - self._spent) / max(now - self._looked_at, _LOOK)
        self._looked_at, self._spent = now, spent
        return share < _QUIET


def _allow_many_connections() -> None:
    """As many open files as the system lets this process have; many a system begins with room for a thousand."""
    with suppress(ImportError, ValueError, OSError):
        import resource  # noqa: PLC0415  # not on every system

        _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
