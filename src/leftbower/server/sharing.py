"""Who takes the next connection where several processes wait at one socket: whoever has fewest open.

Left to themselves, whoever wakes first takes most of a burst, and a feed stays where it was taken. A socket for each
process would spread them evenly by chance, but with a process all connections would be lost that wait at its socket,
and one that is begun anew would not get more than others.
"""

import asyncio
import socket
from collections.abc import Callable
from mmap import mmap
from ssl import SSLContext
from typing import IO, Final

_NOBODY: Final = 2**31 - 1
"""The count of a worker that is not there: nobody need wait for it."""
_BYTES: Final = 4
_LEAD: Final = 8
"""So many connections more than another are not worth waiting for."""
_COURTESY: Final = 0.002
"""Seconds that a process leaves to one with fewer connections before it takes one itself."""
_FULL: Final = 0.1
"""Seconds after which a process that may open no more connections tries again."""


class Shares:
    """How many connections each worker has open, in memory that all of them see."""

    def __init__(self, number: int, workers: int) -> None:
        """In the file of this number, which has room for so many."""
        self._memory = mmap(number, workers * _BYTES)
        self._counts = memoryview(self._memory).cast("i")

    @classmethod
    def make(cls, file: IO[bytes], workers: int) -> "Shares":
        """In an empty file, with nobody there."""
        file.truncate(workers * _BYTES)
        shares = cls(file.fileno(), workers)
        for worker in range(1, workers + 1):
            shares.forget(worker)
        return shares

    def tell(self, worker: int, connections: int) -> None:
        """So many are open there."""
        self._counts[worker - 1] = connections

    def forget(self, worker: int) -> None:
        """Nobody is there."""
        self._counts[worker - 1] = _NOBODY

    def fewest(self) -> int:
        """Of all who are there."""
        return min(self._counts)


class Acceptor:
    """Takes connections from a socket that others take from, too, and leaves them to whoever has fewer."""

    def __init__(
        self,
        listener: socket.socket,
        shares: Shares,
        worker: int,
        *,
        connections: Callable[[], int],
        protocol: Callable[[], asyncio.Protocol],
        ssl: SSLContext | None = None,
    ) -> None:
        """`connections` are those that are open here; each that is taken gets a `protocol`, and `ssl` under HTTPS."""
        self._listener, self._shares, self._worker = listener, shares, worker
        self._connections, self._protocol, self._ssl = connections, protocol, ssl
        self._loop = asyncio.get_running_loop()
        self._beginning: set[asyncio.Task[object]] = set()
        self._later: asyncio.TimerHandle | None = None
        listener.setblocking(False)
        self.tell()
        self._listen()

    def tell(self) -> None:
        """Let others know how many are open here."""
        self._shares.tell(self._worker, self._connections() + len(self._beginning))

    def close(self) -> None:
        """Take no more."""
        self._wait(None)

    def _listen(self) -> None:
        self._loop.add_reader(self._listener.fileno(), self._offered)

    def _wait(self, seconds: float | None) -> None:
        self._loop.remove_reader(self._listener.fileno())
        if self._later:
            self._later.cancel()
        self._later = None if seconds is None else self._loop.call_later(seconds, self._take)

    def _offered(self) -> None:
        self.tell()
        if self._connections() + len(self._beginning) > self._shares.fewest() + _LEAD:
            self._wait(_COURTESY)
        else:
            self._take()

    def _take(self) -> None:
        """One connection, if it is still there; the next one when this has been looked after."""
        try:
            connection, _ = self._listener.accept()
        except (BlockingIOError, InterruptedError, ConnectionAbortedError):
            pass  # somebody else has taken it, or it has gone
        except OSError:
            self._wait(_FULL)
            return
        else:
            connection.setblocking(False)
            task: asyncio.Task[object] = self._loop.create_task(
                self._loop.connect_accepted_socket(self._protocol, connection, ssl=self._ssl)
            )
            self._beginning.add(task)
            task.add_done_callback(self._beginning.discard)
            self.tell()
        self._listen()
