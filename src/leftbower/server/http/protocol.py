"""uvicorn protocols with read and write timeouts, a push channel for streams, and graceful shutdown.

uvicorn itself has only a timeout between requests. A push writes a message to a feed without waking its task, which
saves 7 to 11% of the CPU time of an action with four feeds (`python -m scripts.measure_http`).
`tests/server/test_uvicorn_internals.py` lists and checks the uvicorn internals used here.
"""

import asyncio
import socket
from collections import deque
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final, cast
from weakref import ref

from starlette.types import Scope
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from leftbower.errors import BadRequest, LeftbowerError, TooLarge
from leftbower.server.http.errors import error_response
from leftbower.server.http.middleware import with_security_headers

_MAX_HEADER_BYTES: Final = 32 << 10
"""Header bytes per request, plus at most one read."""
_WRITE_BUFFER_BYTES: Final = 16 << 10
"""Bytes that may wait for a client beyond the kernel's buffer; above this, write progress is checked."""
MAX_PIPELINED_REQUESTS: Final = 64
"""Requests that may wait on a connection behind the current one."""
CHANNEL: Final = "leftbower.channel"
"""The ASGI extension with the push channel of a request."""
_TCP_NOTSENT_LOWAT: Final = getattr(socket, "TCP_NOTSENT_LOWAT", None)
"""The socket option that limits unsent bytes in the kernel; None if the system lacks it."""
CONNECTION_CLOSE: Final = (b"connection", b"close")


@dataclass(slots=True, eq=False)
class PushChannel:
    """Writes chunks of a streamed response straight to the transport of its request."""

    protocol: "TimeoutProtocol"
    cycle: "ref[RequestResponseCycle]"
    """Weak, because the cycle holds the scope, which holds this object: a reference cycle per request."""

    def limit_buffering(self) -> None:
        """Buffer at most one message; the next one waits until the client has read it.

        The default buffers hold more than 100 kB: messages would be rendered for clients that don't read, and a client
        that resumes would get stale messages first.
        """
        transport = self.protocol.transport
        transport.set_write_buffer_limits(high=1)  # with 0, TLS would pause without any data
        sock = transport.get_extra_info("socket")
        if sock is not None and _TCP_NOTSENT_LOWAT is not None:
            with suppress(OSError):  # not a TCP socket, or closed
                sock.setsockopt(socket.IPPROTO_TCP, _TCP_NOTSENT_LOWAT, 1)

    @property
    def is_open(self) -> bool:
        """Is a response being streamed, and has the client read everything so far?"""
        cycle, protocol = self.cycle(), self.protocol
        if cycle is None or not cycle.chunked_encoding or cycle.response_complete or cycle.disconnected:
            return False
        return not protocol.flow.write_paused and not protocol.transport.is_closing()

    def push(self, data: bytes) -> None:
        """Write one chunk without waiting."""
        self.protocol.transport.write(b"%x\r\n%b\r\n" % (len(data), data))


def channel_of(scope: Scope) -> PushChannel | None:
    """The push channel of a request; None under another server or protocol."""
    channel: PushChannel | None = (scope.get("extensions") or {}).get(CHANNEL)
    return channel


class TimeoutProtocol(HttpToolsProtocol):
    """Closes a connection whose client sends a request too slowly or stops reading the response.

    Between two requests uvicorn's `timeout_keep_alive` applies.
    """

    timeout_seconds = 20.0
    """Seconds until the first byte of a request, from its first byte to its last, and without write progress."""
    _read_timer: asyncio.TimerHandle | None = None
    _write_timer: asyncio.TimerHandle | None = None
    _header_bytes: int | None = None
    """Header bytes read so far; None while not reading headers."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        transport.set_write_buffer_limits(high=_WRITE_BUFFER_BYTES)
        self._read_timer = self.loop.call_later(self.timeout_seconds, transport.abort)

    def connection_lost(self, exc: Exception | None) -> None:
        """Cancel the timers and drop pipelined requests, which reference this connection."""
        self._cancel_read_timer()
        self._cancel_write_timer()
        super().connection_lost(exc)
        self.pipeline.clear()

    def data_received(self, data: bytes) -> None:
        """Restart the read timer between requests too: empty lines start none, but would keep a connection open."""
        if self._header_bytes is not None:
            self._header_bytes += len(data)
            if self._header_bytes > _MAX_HEADER_BYTES:
                self._send_error(TooLarge("the headers are larger than %(limit)s bytes", limit=_MAX_HEADER_BYTES))
                return
        super().data_received(data)
        is_between_requests = self._read_timer is None and self.cycle.response_complete
        if is_between_requests and not self.transport.is_closing():
            self._read_timer = self.loop.call_later(self.timeout_seconds, self.transport.abort)

    def on_message_begin(self) -> None:
        """Start the read timer at the first byte of a request."""
        super().on_message_begin()
        self._cancel_read_timer()
        self._read_timer = self.loop.call_later(self.timeout_seconds, self.transport.abort)
        self._header_bytes = 0

    def on_headers_complete(self) -> None:
        """Attach the push channel, drop trailers, and refuse a request beyond the pipeline limit."""
        self._header_bytes = None
        if len(self.pipeline) >= MAX_PIPELINED_REQUESTS:
            raise TooLarge(
                "too many requests are waiting on this connection"
            )  # stops the parser, see send_400_response
        super().on_headers_complete()
        self.headers = cast(Any, deque(maxlen=0))  # uvicorn would append trailers to the headers without a limit
        cast(Scope, self.scope)["extensions"] = {CHANNEL: PushChannel(self, ref(self.cycle))}

    def on_message_complete(self) -> None:
        self._cancel_read_timer()
        super().on_message_complete()

    def pause_writing(self) -> None:
        """Start checking write progress, because the write buffer is full."""
        super().pause_writing()
        self._cancel_write_timer()
        self._check_write_progress()

    def resume_writing(self) -> None:
        self._cancel_write_timer()
        super().resume_writing()

    def send_400_response(self, msg: str) -> None:
        """Answer malformed HTTP with our error JSON; close without a response if earlier requests are unanswered."""
        if self.pipeline:
            self.transport.close()
        else:
            self._send_error(BadRequest("this is not HTTP"))

    def _send_error(self, error: LeftbowerError) -> None:
        response = error_response(error)
        status = 400 if isinstance(error, BadRequest) else 431
        headers = [*with_security_headers(response.raw_headers), CONNECTION_CLOSE]
        lines = [f"HTTP/1.1 {status} ".encode(), *(name + b": " + value for name, value in headers), b"", b""]
        self.transport.write(b"\r\n".join(lines) + bytes(response.body))
        self.transport.close()

    def _check_write_progress(self, unsent: int | None = None) -> None:
        """Abort if the client read nothing since the last check, when `unsent` bytes were buffered."""
        buffered = self.transport.get_write_buffer_size()
        if unsent is not None and buffered >= unsent:
            self.transport.abort()
        else:
            self._write_timer = self.loop.call_later(self.timeout_seconds, self._check_write_progress, buffered)

    def _cancel_read_timer(self) -> None:
        if self._read_timer:
            self._read_timer.cancel()
            self._read_timer = None

    def _cancel_write_timer(self) -> None:
        if self._write_timer:
            self._write_timer.cancel()
            self._write_timer = None


class GracefulProtocol(TimeoutProtocol):
    """Graceful shutdown: finish the current response, or wait briefly for a request already sent, then close."""

    linger_seconds = 0.5
    """How long an idle connection stays open for a request sent before the shutdown."""

    def shutdown(self) -> None:
        """Close after the current response, or after `linger_seconds`, so that no request on its way is lost."""
        if self._is_responding():
            super().shutdown()
        else:
            self.loop.call_later(self.linger_seconds, self._close_if_idle)

    def _close_if_idle(self) -> None:
        if not self._is_responding():
            self.transport.close()

    def _is_responding(self) -> bool:
        cycle: Any = self.cycle  # None before the first request
        return cycle is not None and not cycle.response_complete
