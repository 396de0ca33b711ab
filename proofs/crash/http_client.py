"""Raw HTTP/1.1 client: sequential requests on one connection, and feeds; it never retries."""

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any, Final, Self

CONNECTION_ERRORS: Final = (OSError, EOFError, TimeoutError)
"""What a lost connection raises."""
RESPONSE_TIMEOUT_SECONDS: Final = 20.0
"""Seconds to wait for a response."""
_MAX_LINE_BYTES: Final = 1 << 22


@dataclass(frozen=True, slots=True)
class Response:
    """Status, body and headers; header names are in lower case."""

    status: int
    body: bytes
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def json(self) -> Any:
        """The body parsed; None if it is empty."""
        return json.loads(self.body) if self.body else None


class Connection:
    """One connection to a server of this machine."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer
        self._ended = False

    @classmethod
    async def open(cls, port: int) -> Self:
        return cls(*await asyncio.open_connection("127.0.0.1", port, limit=_MAX_LINE_BYTES))

    async def close(self) -> None:
        self._writer.close()
        with suppress(*CONNECTION_ERRORS):
            await self._writer.wait_closed()

    def abort(self) -> None:
        """Close at once; unsent data is dropped."""
        self._writer.transport.abort()

    def is_closing(self) -> bool:
        """Did a response say `Connection: close`?"""
        return self._ended

    async def request(self, method: str, path: str, *more: str, token: str = "", body: object = None) -> Response:
        """Send a request with `more` headers; a lost connection raises one of `CONNECTION_ERRORS`.

        A body of bytes is sent unchanged, as a form unless `more` has another type; any other body is sent as JSON.
        """
        async with asyncio.timeout(RESPONSE_TIMEOUT_SECONDS):
            self._send(method, path, token, body, *more)
            status, headers = await self._head()
            length = int(headers.get("content-length", "0"))
            response = Response(status, await self._reader.readexactly(length), headers)
            self._ended = headers.get("connection") == "close"
            return response

    async def events(
        self, path: str, *more: str, token: str = "", last_id: int | None = None
    ) -> AsyncIterator[tuple[int, bytes]]:
        """The messages of a feed with their ids, after the one with `last_id`."""
        self._send("GET", path, token, None, *more, *([f"Last-Event-ID: {last_id}"] if last_id is not None else []))
        status, _ = await self._head()
        if status != 200:
            raise ConnectionError(f"a feed got {status}")
        waiting = b""
        while chunk := await self._chunk():
            *events, waiting = (waiting + chunk).split(b"\n\n")
            for event in events:
                if event.startswith(b"id: "):
                    number, _, data = event.split(b"\n", 2)
                    yield int(number[4:]), data.removeprefix(b"data: ")

    def _send(self, method: str, path: str, token: str, body: object, *more: str) -> None:
        form = isinstance(body, bytes)
        content = body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()
        head = [f"{method} {path} HTTP/1.1", "Host: localhost", f"Content-Length: {len(content)}", *more]
        head += [f"Authorization: Bearer {token}"] if token else []
        if content and not any(line.startswith("Content-Type:") for line in more):
            head.append(f"Content-Type: application/{'x-www-form-urlencoded' if form else 'json'}")
        self._writer.write("\r\n".join([*head, "", ""]).encode() + content)

    async def _head(self) -> tuple[int, dict[str, str]]:
        first, *lines = (await self._reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        return int(first.split()[1]), headers

    async def _chunk(self) -> bytes:
        size = int(await self._reader.readuntil(b"\r\n"), 16)
        return (await self._reader.readexactly(size + 2))[:-2]


@asynccontextmanager
async def connect(port: int) -> AsyncIterator[Connection]:
    """Open a connection, and close it afterwards."""
    connection = await Connection.open(port)
    try:
        yield connection
    finally:
        await connection.close()
