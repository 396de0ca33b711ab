"""What serving thousands of clients takes: seldom sweeping, short turns, many files, and more than one ear."""

import gc
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Final

_SWEEPS: Final = (50_000, 20, 50)
"""Python looks for what is left in circles after so many new objects, and seldom among the old ones: looking through a
thousand tables and their feeds takes half a second, in which nobody is answered."""
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
    sweeps, turn = gc.get_threshold(), sys.getswitchinterval()
    _allow_many_connections()
    gc.collect()
    gc.freeze()
    gc.set_threshold(*_SWEEPS)
    sys.setswitchinterval(_TURN)
    try:
        yield
    finally:
        sys.setswitchinterval(turn)
        gc.set_threshold(*sweeps)
        gc.unfreeze()


def _allow_many_connections() -> None:
    """As many open files as the system lets this process have; many a system begins with room for a thousand."""
    with suppress(ImportError, ValueError, OSError):
        import resource  # noqa: PLC0415  # not on every system

        _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
