"""Connections: slow, stalled, idle, pipelined and broken clients, over a real port."""

import asyncio
import socket
import ssl
from contextlib import asynccontextmanager, suppress
from http.cookies import SimpleCookie
from pathlib import Path
from time import monotonic
from typing import Any

import httpx
import pytest
import trustme
import uvloop
from fastapi import Response
from fastapi.responses import HTMLResponse

from leftbower.errors import BadSettings
from leftbower.server.http.middleware import LONGER_BODIES, MAX_BODY_BYTES, max_body_bytes
from leftbower.server.http.protocol import MAX_PIPELINED_REQUESTS, TimeoutProtocol
from leftbower.server.http.rate_limit import RateLimit, client_key
from leftbower.server.http.security_headers import DATA_POLICY, PAGE_POLICY
from leftbower.server.process.run import serve, trusted_networks
from leftbower.server.quotas import Quotas
from leftbower.server.settings import Settings
from leftbower.store.memory import MemoryStore
from server_client import FAST, NO_CUTS, AppServer, Client, checked, events, listening, serving


async def test_under_https_a_feed_brings_every_version(tmp_path: Path) -> None:
    """What a connection holds is counted by TLS in its own way."""
    async with https(tmp_path) as http, asyncio.timeout(10):
        ann = Client(http, token=(await http.post("/api/guests", json={"name": "Ann"})).json()["token"])
        table = await ann.open(**FAST)
        headers = {"Authorization": f"Bearer {ann.token}"}
        async with http.stream("GET", f"/api/tables/{table}/feed", headers=headers) as answer:
            story = aiter(events(answer.aiter_lines()))
            assert (await anext(story))[0] == 1
            for number in range(2, 8):
                await ann.ask(table, "sit", seat="NS"[number % 2])
                assert (await anext(story))[0] == number



async def raw(base: str, *sent: bytes, every: float = 0.0) -> bytes:
    """What comes back over a bare connection until the other side hangs up."""
    reader, writer = await asyncio.open_connection("127.0.0.1", int(base.rpartition(":")[2]))
    came = bytearray()

    async def listen() -> None:
        with suppress(ConnectionError):
            while some := await reader.read(1 << 16):
                came.extend(some)

    listens = asyncio.create_task(listen())
    for part in sent:
        if listens.done():
            break
        writer.write(part)
        await asyncio.wait([listens], timeout=every)
    await asyncio.wait_for(listens, 5)
    writer.close()
    return bytes(came)



async def test_who_dribbles_is_hung_up_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """Headers, bodies in one piece or in chunks, and empty lines before and between requests: none buys time."""
    monkeypatch.setattr(TimeoutProtocol, "timeout_seconds", 0.4)
    ask = b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"
    post = b"POST /api/guests HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
    async with listening() as (base, _):
        for first, more in (
            (b"", b""),
            (b"", b"\r\n"),
            (b"GET / HTTP/1.1\r\n", b"X: y\r\n"),
            (post + b"Content-Length: 5000\r\n\r\n", b" "),
            (post + b"Transfer-Encoding: chunked\r\n\r\n", b"1\r\n \r\n"),
            (ask, b"\r\n"),
            (ask, b"\n"),
        ):
            began = monotonic()
            answer = await raw(base, first, *[more] * 60, every=0.05)
            assert monotonic() - began < 2.5, (first, more)
            assert answer.startswith(b"HTTP/1.1 200") == (first == ask)



@pytest.mark.parametrize("reads", [True, False])
async def test_a_long_answer_may_be_taken_slowly_but_not_left(reads: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(TimeoutProtocol, "timeout_seconds", 0.3)
    monkeypatch.setattr("leftbower.server.process.listener._SEND_BUFFER_BYTES", 4096)
    loop = asyncio.get_running_loop()
    async with listening() as (base, place):
        whole = len((await place.http.get("/api/openapi.json")).content)
        with socket.socket() as slow:
            slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            slow.setblocking(False)
            await loop.sock_connect(slow, ("127.0.0.1", int(base.rpartition(":")[2])))
            await loop.sock_sendall(slow, b"GET /api/openapi.json HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
            await asyncio.sleep(0.0 if reads else 1.0)
            began, came = monotonic(), b""
            with suppress(ConnectionError):
                while some := await loop.sock_recv(slow, whole // 20):
                    came += some
                    await asyncio.sleep(0.05 if reads else 0.0)
        assert (len(came) > whole) == reads
        assert monotonic() - began > 2 * TimeoutProtocol.timeout_seconds or not reads



@pytest.mark.parametrize("reads", [True, False])
def test_so_it_is_in_the_loop_that_serves(reads: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Which counts by itself what a connection holds; the other tests have Python's own loop."""
    uvloop.run(test_under_https_a_feed_brings_every_version(tmp_path))
    uvloop.run(test_a_long_answer_may_be_taken_slowly_but_not_left(reads, monkeypatch))



async def test_a_connection_that_asks_nothing_more_is_let_go_of(monkeypatch: pytest.MonkeyPatch) -> None:
    """Between two requests uvicorn waits five seconds."""
    async with listening() as (base, _):
        began = monotonic()
        reader, writer = await asyncio.open_connection("127.0.0.1", int(base.rpartition(":")[2]))
        writer.write(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
        assert (await asyncio.wait_for(reader.read(), 9)).startswith(b"HTTP/1.1 200")
        assert 4 < monotonic() - began < 8
        writer.close()



async def test_headers_that_never_end_are_not_read_and_what_is_no_http_is_told_so() -> None:
    async with listening() as (base, _):
        answer = await raw(base, b"GET / HTTP/1.1\r\n", *[b"X: " + b"y" * 8000 + b"\r\n"] * 10, every=0.01)
        assert answer.startswith(b"HTTP/1.1 431 ")
        assert b'"code":"too-large"' in answer
        answer = await raw(base, b"\x16\x03\x01 hello\r\n\r\n")
        head, body = answer.split(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 400 ")
        assert b"content-security-policy: " + DATA_POLICY.encode() in head
        assert body == b'{"error":{"code":"bad-request","message":"this is not HTTP","place":""}}'
        assert (await raw(base, b"GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n")).startswith(b"HTTP/1.1 200")



async def test_trailers_are_dropped() -> None:
    """They neither become headers, which a proxy would have stripped, nor fill memory."""
    post = b"POST /api/guests HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nConnection: close\r\n"
    chunks = b'Transfer-Encoding: chunked\r\n\r\nc\r\n{"name":"A"}\r\n0\r\n'
    trailers = b"Host: evil.test\r\nX-Forwarded-For: 10.1.2.3\r\n" + b"X: y\r\n" * 5000
    async with listening() as (base, place):
        seen: list[Any] = []

        def look(scope: Any, send: Any) -> Any:
            seen.extend(scope["headers"])
            return send

        place.app.wrap_send = look
        answer = await raw(base, post + chunks + trailers + b"\r\n")
        assert answer.startswith(b"HTTP/1.1 201 ")
        assert [name for name, _ in seen] == [b"host", b"content-type", b"connection", b"transfer-encoding"]



async def test_a_connection_queues_a_bounded_number_of_requests() -> None:
    """Pipelined requests are answered in turn; a client that sends more than can wait is disconnected."""
    ask = b"GET /healthz HTTP/1.1\r\nHost: x\r\n"
    last = ask + b"Connection: close\r\n\r\n"
    async with listening() as (base, _):
        answers = await raw(base, (ask + b"\r\n") * MAX_PIPELINED_REQUESTS + last)
        assert answers.count(b"HTTP/1.1 200 ") == MAX_PIPELINED_REQUESTS + 1
        answers = await raw(base, (ask + b"\r\n") * 2000 + last)
        assert answers.count(b"HTTP/1.1 ") <= MAX_PIPELINED_REQUESTS
        assert (await raw(base, last)).startswith(b"HTTP/1.1 200 ")

