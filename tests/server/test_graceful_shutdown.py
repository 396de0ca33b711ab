"""Graceful shutdown: in-flight requests are answered with `Connection: close`."""

import asyncio

import pytest
from fastapi import FastAPI

from leftbower.server.http.protocol import GracefulProtocol
from leftbower.server.process.run import serve
from leftbower.server.settings import Settings
from server_client import FAST, listening


async def answer(reader: asyncio.StreamReader) -> str:
    """Everything until the connection closes."""
    async with asyncio.timeout(10):
        return (await reader.read()).decode()


async def test_what_is_on_its_way_when_a_server_stops_is_answered() -> None:
    """On a new connection, on a used one, and on one with half a request."""
    async with listening() as (base, server):
        port = int(base.rpartition(":")[2])
        request = b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"
        new, used, half = [await asyncio.open_connection("127.0.0.1", port) for _ in range(3)]
        used[1].write(request)
        assert b"connection: close" not in await used[0].readuntil(b"}")
        half[1].write(request[:20])
        while len(server.app.state.running.server_state.connections) < 3:
            await asyncio.sleep(0.001)
        server.app.state.running.stop()
        for (reader, writer), words in ((new, request), (used, request), (half, request[20:])):
            writer.write(words)
            said = await answer(reader)
            assert said.startswith("HTTP/1.1 200 OK\r\n")
            assert "\r\nconnection: close\r\n" in said
            assert said.endswith("}")
            writer.close()


async def test_an_in_flight_request_is_answered_with_connection_close() -> None:
    async with listening() as (base, server):
        reader, writer = await asyncio.open_connection("127.0.0.1", int(base.rpartition(":")[2]))
        stopped = asyncio.Event()

        async def slowly(**which: object) -> list[object]:
            await stopped.wait()
            return []

        server.context.store.listings = slowly  # type: ignore[method-assign, assignment]
        writer.write(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
        while not server.app.state.running.server_state.tasks:
            await asyncio.sleep(0.001)
        server.app.state.running.stop()
        stopped.set()
        assert "\r\nconnection: close\r\n" in await answer(reader)
        writer.close()


async def test_a_client_that_asks_nothing_is_left_after_a_while() -> None:
    """And a feed ends properly: with its last chunk, not in the middle."""
    assert GracefulProtocol.linger_seconds > 0
    async with listening() as (base, server):
        port = int(base.rpartition(":")[2])
        idle, waiting = await asyncio.open_connection("127.0.0.1", port)
        ann = await server.guest("Ann")
        table = await ann.open(**FAST)
        feed, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(f"GET /api/tables/{table}/feed HTTP/1.1\r\nHost: x\r\n\r\n".encode())
        await feed.readuntil(b"retry: 1000\n\n\r\n")
        server.app.state.running.stop()
        assert await answer(feed) == "0\r\n\r\n"
        assert await answer(idle) == ""
        waiting.close()
        writer.close()


async def test_a_server_stopped_while_starting_never_reports_that_it_serves(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """It exits without errors: everything opened is closed in order, and no error is logged."""
    ports: list[int] = []

    def prepare(app: FastAPI) -> None:
        opening = app.state.context.tables.open

        async def stopped_meanwhile() -> None:
            app.state.running.stop()
            await opening()

        app.state.context.tables.open = stopped_meanwhile

    async with asyncio.timeout(60):
        await serve(Settings(port=0, database="memory:", log_level="warning"), started=ports.append, prepare=prepare)
    assert ports == []
    assert capsys.readouterr().err == ""
