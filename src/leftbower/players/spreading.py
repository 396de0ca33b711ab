"""Spreading work over processes or machines: pieces of numbers out, their results back as they are finished.

A result depends on its numbers alone, and results add up, so it is the same however the work is split.
"""

import multiprocessing
import signal
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ProcessPoolExecutor, wait
from contextlib import contextmanager
from itertools import islice
from typing import Final, TypeVar

from leftbower.errors import BadUsage, MissingExtra

T = TypeVar("T")

PIECES: Final = 100
"""Work is cut into at least so many pieces, so that a bar moves and an interrupt loses little."""
LARGEST: Final = 100
"""No piece has more numbers: a second or so of the quickest players, a minute of the slowest."""
_AHEAD: Final = 256
"""How many pieces wait with the workers; a cluster of so many is kept busy."""
_PATIENCE: Final = 10
"""Seconds in which a scheduler must answer."""


def pieces(numbers: int) -> tuple[range, ...]:
    """The numbers from 0 on, cut into pieces; how, depends on nothing but how many they are."""
    size = min(LARGEST, max(1, numbers // PIECES))
    return tuple(range(first, min(first + size, numbers)) for first in range(0, numbers, size))


def spread(
    work: Callable[[range], T], over: Iterable[range], executor: Executor | None = None
) -> Iterator[tuple[range, T]]:
    """Each piece with its result, as they are finished; here and one by one where no executor is given."""
    if executor is None:
        for piece in over:
            yield piece, work(piece)
        return
    left = iter(over)
    waiting: dict[Future[T], range] = {executor.submit(work, piece): piece for piece in islice(left, _AHEAD)}
    try:
        while waiting:
            done, _ = wait(waiting, return_when=FIRST_COMPLETED)
            for future in done:
                yield waiting.pop(future), future.result()
            waiting |= {executor.submit(work, piece): piece for piece in islice(left, len(done))}
    finally:
        for future in waiting:
            future.cancel()


@contextmanager
def workers(processes: int = 1, dask: str | None = None) -> Iterator[Executor | None]:
    """The executor to work with: none for one process, a pool for several, or a Dask cluster by its address."""
    if dask is not None:
        with _cluster(dask) as cluster:
            yield cluster
    elif processes == 1:
        yield None
    else:
        # Started afresh and not forked, so that it works alike on every system and beside threads.
        context = multiprocessing.get_context("spawn")
        with ProcessPoolExecutor(processes, mp_context=context, initializer=_end_at_once) as pool:
            try:
                yield pool
            finally:
                pool.shutdown(cancel_futures=True)


def _end_at_once() -> None:
    """Ctrl-C reaches the workers too; what they were at is lost in any case, so they need not say a word about it."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@contextmanager
def _cluster(address: str) -> Iterator[Executor]:
    try:
        from distributed import Client  # noqa: PLC0415 - only with the extra
    except ImportError:
        raise MissingExtra("dask") from None
    try:
        client = Client(address, timeout=_PATIENCE, set_as_default=False)  # type: ignore[no-untyped-call]
    except (OSError, ValueError):  # a time-out is an OSError
        raise BadUsage(f"no Dask scheduler answers at {address[:80]}") from None
    with client:
        # Pure calls with equal arguments would be merged into one.
        yield client.get_executor(pure=False)  # type: ignore[no-untyped-call]
