"""Processes that wait at one socket share its connections: whoever has fewest takes the next."""

import asyncio
import os
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from tempfile import TemporaryFile

from leftbower.server.sharing import Acceptor, Shares


class Taken(asyncio.Protocol):
    """A connection that says who has taken it."""

    def __init__(self, worker: int, open_here: list[int]) -> None:
        self._worker, self._open = worker, open_here

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._open[self._worker] += 1
        transport.write(str(self._worker).encode())


@asynccontextmanager
async def waiting(*counts: int) -> AsyncIterator[tuple[int, Shares, list[Acceptor], list[int]]]:
    """A port at which workers wait who have so many connections already, and all that goes with it."""
    with socket.create_server(("127.0.0.1", 0), backlog=2048) as listener, TemporaryFile() as file:
        shares = Shares.make(file, len(counts))
        others = Shares(file.fileno(), len(counts))
        held = [0, *counts]
        doors = [socket.socket(fileno=os.dup(listener.fileno())) for _ in counts]
        acceptors = [
            Acceptor(
                door,
                others,
                worker,
                connections=lambda worker=worker: held[worker],  # type: ignore[misc]
                protocol=lambda worker=worker: Taken(worker, held),  # type: ignore[misc]
            )
            for worker, door in enumerate(doors, 1)
        ]
        try:
            yield listener.getsockname()[1], shares, acceptors, held
        finally:
            for acceptor, door in zip(acceptors, doors, strict=True):
                acceptor.close()
                door.close()


async def come(port: int, many: int) -> None:
    """So many clients at once, each of whom is taken by somebody."""

    async def one() -> asyncio.StreamWriter:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        await reader.readexactly(1)
        return writer

    async with asyncio.timeout(20):
        for writer in await asyncio.gather(*(one() for _ in range(many))):
            writer.close()


async def test_a_burst_is_shared_evenly() -> None:
    async with waiting(0, 0, 0) as (port, _, _, held):
        await come(port, 300)
        assert sum(held) == 300
        assert max(held[1:]) - min(held[1:]) <= 20


async def test_whoever_was_begun_anew_takes_what_comes_until_it_has_as_many() -> None:
    async with waiting(200, 0) as (port, _, _, held):
        await come(port, 100)
        assert sum(held) == 300
        assert held[2] > 4 * (held[1] - 200)


async def test_nobody_waits_for_one_who_is_not_there() -> None:
    """Forgotten, it counts no more; not yet forgotten, it only costs those who have more a moment."""
    async with waiting(200, 0) as (port, shares, acceptors, held):
        acceptors[1].close()
        await come(port, 5)
        assert held[1:] == [205, 0]
        shares.forget(2)
        assert shares.fewest() == 205
        await come(port, 50)
        assert held[1:] == [255, 0]
