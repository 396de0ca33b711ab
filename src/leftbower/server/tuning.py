"""What the interpreter is told while it serves thousands of clients: when to sweep, take turns, and open files."""

import gc
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
