"""Workers share the connections of one socket: the one with the fewest accepts the next."""

import asyncio
import os
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from tempfile import TemporaryFile

from leftbower.server.process.balancer import BalancedAcceptor, ConnectionCounts


class Accepted(asyncio.Protocol):
    """Writes the number of the worker that accepted the connection."""

    def __init__(self, worker: int, open_here: list[int]) -> None:
        self._worker, self._open = worker, open_here

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._open[self._worker] += 1
        transport.write(str(self._worker).encode())


@asynccontextmanager
async def workers_with(*counts: int) -> AsyncIterator[tuple[int, ConnectionCounts, list[BalancedAcceptor], list[int]]]:
    """A port shared by workers that already have `counts` connections."""
    with socket.create_server(("127.0.0.1", 0), backlog=2048) as listener, TemporaryFile() as file:
        shared_counts = ConnectionCounts.create(file, len(counts))
        others = ConnectionCounts(file.fileno(), len(counts))
        held = [0, *counts]
        listeners = [socket.socket(fileno=os.dup(listener.fileno())) for _ in counts]
        acceptors = [
            BalancedAcceptor(
                own_listener,
                others,
                worker,
                connections=lambda worker=worker: held[worker],  # type: ignore[misc]
                protocol=lambda worker=worker: Accepted(worker, held),  # type: ignore[misc]
            )
            for worker, own_listener in enumerate(listeners, 1)
        ]
        try:
            yield listener.getsockname()[1], shared_counts, acceptors, held
        finally:
            for acceptor, own_listener in zip(acceptors, listeners, strict=True):
                acceptor.close()
                own_listener.close()


async def connect_clients(port: int, count: int) -> None:
    """Connect `count` clients at once."""

    async def connect() -> asyncio.StreamWriter:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        await reader.readexactly(1)
        return writer

    async with asyncio.timeout(20):
        for writer in await asyncio.gather(*(connect() for _ in range(count))):
            writer.close()


async def test_a_burst_is_shared_evenly() -> None:
    async with workers_with(0, 0, 0) as (port, _, _, held):
        await connect_clients(port, 300)
        assert sum(held) == 300
        assert max(held[1:]) - min(held[1:]) <= 20


async def test_a_restarted_worker_accepts_until_it_has_as_many() -> None:
    async with workers_with(200, 0) as (port, _, _, held):
        await connect_clients(port, 100)
        assert sum(held) == 300
        assert held[2] > 4 * (held[1] - 200)


async def test_a_missing_worker_is_not_waited_for() -> None:
    """Once cleared, a dead worker doesn't count; until then it costs the others a moment."""
    async with workers_with(200, 0) as (port, shared_counts, acceptors, held):
        acceptors[1].close()
        await connect_clients(port, 5)
        assert held[1:] == [205, 0]
        shared_counts.clear(2)
        assert shared_counts.lowest() == 205
        await connect_clients(port, 50)
        assert held[1:] == [255, 0]
