"""Connections: slow, stalled, idle, pipelined and broken clients, over a real port."""

import asyncio
import socket
from contextlib import suppress
from itertools import chain, repeat
from pathlib import Path
from time import monotonic
from typing import Any

import pytest
import uvloop

from leftbower.server.http.middleware import DATA_POLICY
from leftbower.server.http.protocol import MAX_PIPELINED_REQUESTS, TimeoutProtocol
from server_client import FAST, Client, events, listening, listening_with_tls


async def test_under_https_a_feed_brings_every_version(tmp_path: Path) -> None:
    """TLS has its own buffers, and its pushes are flow-controlled too."""
    async with listening_with_tls(tmp_path) as http, asyncio.timeout(60):
        ann = Client(http, token=(await http.post("/api/guests", json={"name": "Ann"})).json()["token"])
        table = await ann.open(**FAST)
        headers = {"Authorization": f"Bearer {ann.token}"}
        async with http.stream("GET", f"/api/tables/{table}/feed", headers=headers) as response:
            messages = aiter(events(response.aiter_lines()))
            assert (await anext(messages))[0] == 1
            for number in range(2, 8):
                await ann.command(table, "sit", seat="NS"[number % 2])
                assert (await anext(messages))[0] == number


async def send_raw(base: str, *parts: bytes, then: bytes | None = None, interval: float = 0.0) -> bytes:
    """Send parts over a TCP connection, then repeat `then` forever; returns what came until the server closed it."""
    reader, writer = await asyncio.open_connection("127.0.0.1", int(base.rpartition(":")[2]))
    received = bytearray()

    async def receive() -> None:
        with suppress(ConnectionError):
            while chunk := await reader.read(1 << 16):
                received.extend(chunk)

    receiving = asyncio.create_task(receive())
    async with asyncio.timeout(60):
        for part in chain(parts, repeat(then) if then is not None else ()):
            if receiving.done():
                break
            writer.write(part)
            await asyncio.wait([receiving], timeout=interval)
        await receiving
    writer.close()
    return bytes(received)


async def test_slow_requests_are_disconnected(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing extends the timeout: headers, bodies, chunks, or empty lines before and between requests."""
    monkeypatch.setattr(TimeoutProtocol, "timeout_seconds", 0.4)
    get = b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"
    post = b"POST /api/guests HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
    async with listening() as (base, _):
        for first, repeated in (
            (b"", b""),
            (b"", b"\r\n"),
            (b"GET / HTTP/1.1\r\n", b"X: y\r\n"),
            (post + b"Content-Length: 5000\r\n\r\n", b" "),
            (post + b"Transfer-Encoding: chunked\r\n\r\n", b"1\r\n \r\n"),
            (get, b"\r\n"),
            (get, b"\n"),
        ):
            response = await send_raw(base, first, then=repeated, interval=0.05)
            assert response.startswith(b"HTTP/1.1 200") == (first == get), (first, repeated)


@pytest.mark.parametrize("reads", [True, False])
async def test_a_slow_reader_is_served_and_a_stalled_one_is_not(reads: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(TimeoutProtocol, "timeout_seconds", 0.3)
    monkeypatch.setattr("leftbower.server.process.listener._SEND_BUFFER_BYTES", 4096)
    loop = asyncio.get_running_loop()
    async with listening() as (base, server):
        length = len((await server.http.get("/api/openapi.json")).content)
        with socket.socket() as slow:
            slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            slow.setblocking(False)
            await loop.sock_connect(slow, ("127.0.0.1", int(base.rpartition(":")[2])))
            await loop.sock_sendall(slow, b"GET /api/openapi.json HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
            await asyncio.sleep(0.0 if reads else 1.0)
            started, received = monotonic(), b""
            with suppress(ConnectionError):
                while chunk := await loop.sock_recv(slow, length // 20):
                    received += chunk
                    await asyncio.sleep(0.05 if reads else 0.0)
        assert (len(received) > length) == reads
        assert monotonic() - started > 2 * TimeoutProtocol.timeout_seconds or not reads


@pytest.mark.parametrize("reads", [True, False])
def test_slow_readers_and_tls_feeds_under_uvloop(reads: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """uvloop has its own write buffers; the other tests run in asyncio's loop."""
    uvloop.run(test_under_https_a_feed_brings_every_version(tmp_path))
    uvloop.run(test_a_slow_reader_is_served_and_a_stalled_one_is_not(reads, monkeypatch))


async def test_idle_connections_are_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Between two requests uvicorn waits five seconds."""
    async with listening() as (base, _):
        started = monotonic()
        reader, writer = await asyncio.open_connection("127.0.0.1", int(base.rpartition(":")[2]))
        writer.write(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
        assert (await asyncio.wait_for(reader.read(), 60)).startswith(b"HTTP/1.1 200")
        assert 4 < monotonic() - started < TimeoutProtocol.timeout_seconds
        writer.close()


async def test_endless_headers_and_other_protocols_are_refused() -> None:
    async with listening() as (base, _):
        response = await send_raw(base, b"GET / HTTP/1.1\r\n", *[b"X: " + b"y" * 8000 + b"\r\n"] * 10, interval=0.01)
        assert response.startswith(b"HTTP/1.1 431 ")
        assert b'"code":"too-large"' in response
        response = await send_raw(base, b"\x16\x03\x01 hello\r\n\r\n")
        head, body = response.split(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 400 ")
        assert b"content-security-policy: " + DATA_POLICY.encode() in head
        assert body == b'{"error":{"code":"bad-request","message":"this is not HTTP","path":""}}'
        assert (await send_raw(base, b"GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n")).startswith(b"HTTP/1.1 200")


async def test_trailers_are_dropped() -> None:
    """They don't become headers, which a proxy would have stripped, and use no memory."""
    post = b"POST /api/guests HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nConnection: close\r\n"
    chunks = b'Transfer-Encoding: chunked\r\n\r\nc\r\n{"name":"A"}\r\n0\r\n'
    trailers = b"Host: evil.test\r\nX-Forwarded-For: 10.1.2.3\r\n" + b"X: y\r\n" * 5000
    async with listening() as (base, server):
        headers: list[Any] = []

        serve = server.app.middleware_stack

        def record_headers(scope: Any, receive: Any, send: Any) -> Any:
            headers.extend(scope["headers"])
            return serve(scope, receive, send)

        server.app.middleware_stack = record_headers
        response = await send_raw(base, post + chunks + trailers + b"\r\n")
        assert response.startswith(b"HTTP/1.1 201 ")
        assert [name for name, _ in headers] == [b"host", b"content-type", b"connection", b"transfer-encoding"]


async def test_a_connection_queues_a_bounded_number_of_requests() -> None:
    """Pipelined requests are answered in turn; a client that sends too many is disconnected."""
    get = b"GET /healthz HTTP/1.1\r\nHost: x\r\n"
    last = get + b"Connection: close\r\n\r\n"
    async with listening() as (base, _):
        responses = await send_raw(base, (get + b"\r\n") * MAX_PIPELINED_REQUESTS + last)
        assert responses.count(b"HTTP/1.1 200 ") == MAX_PIPELINED_REQUESTS + 1
        responses = await send_raw(base, (get + b"\r\n") * 2000 + last)
        assert responses.count(b"HTTP/1.1 ") <= MAX_PIPELINED_REQUESTS
        assert (await send_raw(base, last)).startswith(b"HTTP/1.1 200 ")
