"""Least-connections accept balancing between workers that share one socket.

Without it, the first worker to wake takes most of a burst, and keeps its feeds. One socket per worker would spread
connections evenly at random, but a dying worker would lose its backlog, and a restarted one would not catch up.
"""

import asyncio
import socket
from collections.abc import Callable
from mmap import mmap
from ssl import SSLContext
from typing import IO, Final

_NO_WORKER: Final = 2**31 - 1
"""The count of a worker that is not running, so that the others don't yield to it."""
_COUNT_BYTES: Final = 4
_MAX_LEAD: Final = 8
"""Connections a worker may have more than another before it yields."""
_YIELD_SECONDS: Final = 0.002
"""How long a worker yields a connection to a worker with fewer."""
_RETRY_SECONDS: Final = 0.1
"""Wait after a failed accept, as when the file limit is reached."""


class ConnectionCounts:
    """Open connections of each worker, in shared memory."""

    def __init__(self, descriptor: int, workers: int) -> None:
        """`descriptor` is the file descriptor of the shared file."""
        self._memory = mmap(descriptor, workers * _COUNT_BYTES)
        self._counts = memoryview(self._memory).cast("i")

    @classmethod
    def create(cls, file: IO[bytes], workers: int) -> "ConnectionCounts":
        """Initialize an empty file."""
        file.truncate(workers * _COUNT_BYTES)
        counts = cls(file.fileno(), workers)
        for worker in range(1, workers + 1):
            counts.clear(worker)
        return counts

    def set(self, worker: int, connections: int) -> None:
        self._counts[worker - 1] = connections

    def clear(self, worker: int) -> None:
        """Mark a worker as not running."""
        self._counts[worker - 1] = _NO_WORKER

    def lowest(self) -> int:
        """The fewest connections of any running worker."""
        return min(self._counts)


class BalancedAcceptor:
    """Accepts connections from a shared socket, and yields to workers that have fewer."""

    def __init__(
        self,
        listener: socket.socket,
        counts: ConnectionCounts,
        worker: int,
        *,
        connections: Callable[[], int],
        protocol: Callable[[], asyncio.Protocol],
        ssl: SSLContext | None = None,
    ) -> None:
        """`connections` counts the open ones here; each new one gets a `protocol`, and `ssl` under HTTPS."""
        self._listener, self._counts, self._worker = listener, counts, worker
        self._connections, self._protocol, self._ssl = connections, protocol, ssl
        self._loop = asyncio.get_running_loop()
        self._accepting: set[asyncio.Task[object]] = set()
        self._retry: asyncio.TimerHandle | None = None
        listener.setblocking(False)
        self.publish_count()
        self._listen()

    def publish_count(self) -> None:
        self._counts.set(self._worker, self._connections() + len(self._accepting))

    def close(self) -> None:
        self._pause(None)

    def _listen(self) -> None:
        self._loop.add_reader(self._listener.fileno(), self._readable)

    def _pause(self, seconds: float | None) -> None:
        self._loop.remove_reader(self._listener.fileno())
        if self._retry:
            self._retry.cancel()
        self._retry = None if seconds is None else self._loop.call_later(seconds, self._accept)

    def _readable(self) -> None:
        self.publish_count()
        if self._connections() + len(self._accepting) > self._counts.lowest() + _MAX_LEAD:
            self._pause(_YIELD_SECONDS)
        else:
            self._accept()

    def _accept(self) -> None:
        """Accept one connection if it is still there; the next one in another turn of the loop."""
        try:
            connection, _ = self._listener.accept()
        except (BlockingIOError, InterruptedError, ConnectionAbortedError):
            pass  # another worker took it, or the client closed it
        except OSError:
            self._pause(_RETRY_SECONDS)
            return
        else:
            connection.setblocking(False)
            task: asyncio.Task[object] = self._loop.create_task(
                self._loop.connect_accepted_socket(self._protocol, connection, ssl=self._ssl)
            )
            self._accepting.add(task)
            task.add_done_callback(self._accepting.discard)
            self.publish_count()
        self._listen()
