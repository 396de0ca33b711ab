"""Job runner: splits a range of numbers over processes or a Dask cluster, and yields results as they finish.

A result depends only on its numbers, and results add up, so the total doesn't depend on the split.
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

MIN_CHUNKS: Final = 100
"""Minimum number of chunks, so that a progress bar moves and an interrupt loses little."""
MAX_CHUNK_SIZE: Final = 100
"""Numbers per chunk: about a second for the fastest players, a minute for the slowest."""
_MAX_PENDING_CHUNKS: Final = 256
"""Chunks submitted ahead; enough to keep a cluster of that many workers busy."""
_CONNECT_TIMEOUT_SECONDS: Final = 10
"""Timeout for connecting to a Dask scheduler."""


def chunks(numbers: int) -> tuple[range, ...]:
    """Split the numbers from 0 into chunks; the split depends only on their count."""
    size = min(MAX_CHUNK_SIZE, max(1, numbers // MIN_CHUNKS))
    return tuple(range(first, min(first + size, numbers)) for first in range(0, numbers, size))


def run_chunks(
    work: Callable[[range], T], over: Iterable[range], executor: Executor | None = None
) -> Iterator[tuple[range, T]]:
    """Yield each chunk with its result as it finishes; run in this process if there is no executor."""
    if executor is None:
        for piece in over:
            yield piece, work(piece)
        return
    left = iter(over)
    waiting: dict[Future[T], range] = {
        executor.submit(work, piece): piece for piece in islice(left, _MAX_PENDING_CHUNKS)
    }
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
def open_executor(processes: int = 1, dask: str | None = None) -> Iterator[Executor | None]:
    """An executor: none for one process, a process pool for several, or a Dask cluster by address."""
    if dask is not None:
        with _cluster(dask) as cluster:
            yield cluster
    elif processes == 1:
        yield None
    else:
        # Spawned and not forked, so that it works the same on every system and next to threads.
        context = multiprocessing.get_context("spawn")
        with ProcessPoolExecutor(processes, mp_context=context, initializer=_restore_sigint) as pool:
            try:
                yield pool
            finally:
                pool.shutdown(cancel_futures=True)


def _restore_sigint() -> None:
    """Let Ctrl-C kill a worker silently; its chunk is lost in any case."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@contextmanager
def _cluster(address: str) -> Iterator[Executor]:
    try:
        from distributed import Client  # noqa: PLC0415 - only with the extra
    except ImportError:
        raise MissingExtra("dask") from None
    try:
        client = Client(address, timeout=_CONNECT_TIMEOUT_SECONDS, set_as_default=False)  # type: ignore[no-untyped-call]
    except (OSError, ValueError):  # a time-out is an OSError
        raise BadUsage("no Dask scheduler answers at %(address)s", address=address[:80]) from None
    with client:
        # Pure calls with equal arguments would be merged into one.
        yield client.get_executor(pure=False)  # type: ignore[no-untyped-call]
