"""How long a server waits for a client, and for how much: for a request to arrive whole, for an answer to be taken."""

import asyncio
import socket
from contextlib import suppress
from typing import Final, cast
from weakref import ref

from starlette.types import Scope
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from leftbower.errors import BadRequest, LeftbowerError, TooLarge
from leftbower.server.answers import refusal
from leftbower.server.headers import guarded

_LONGEST_HEAD: Final = 32 << 10
"""The most bytes of the headers of one request, give or take what arrives at once."""
_UNTAKEN: Final = 16 << 10
"""Bytes beyond what the system holds that may wait for a client; with more we look whether it takes some."""
MAX_PIPELINED_REQUESTS: Final = 64
"""Requests that may wait on one connection behind the one that is being answered."""
_EXTENSION: Final = "leftbower"
_WIRE: Final = "wire"
_UNSENT: Final = getattr(socket, "TCP_NOTSENT_LOWAT", None)
"""By which a system can be told how much it may keep that cannot be sent yet."""


class Wire:
    """The connection of one request, for an answer that is streamed."""

    __slots__ = ("cycle", "protocol")

    def __init__(self, protocol: "Patient", cycle: "ref[RequestResponseCycle]") -> None:
        """It lies in the scope that the `cycle` holds: a circle would be left behind by every request."""
        self.protocol, self.cycle = protocol, cycle

    def hold_little(self) -> None:
        """Have it hold one thing that its client does not take, and wait before the next.

        By itself a connection holds more than a hundred thousand bytes: all of that would be made for clients that
        stand still, and whoever reads on after a while would be told old news first.
        """
        transport = self.protocol.transport
        transport.set_write_buffer_limits(high=1)  # TLS would pause for nothing with 0
        line = transport.get_extra_info("socket")
        if line is not None and _UNSENT is not None:
            with suppress(OSError):  # not a socket of TCP, or gone
                line.setsockopt(socket.IPPROTO_TCP, _UNSENT, 1)

    @property
    def is_open(self) -> bool:
        """Is an answer being streamed to a client that has taken what it was sent?"""
        cycle, protocol = self.cycle(), self.protocol
        if cycle is None or not cycle.chunked_encoding or cycle.response_complete or cycle.disconnected:
            return False
        return not protocol.flow.write_paused and not protocol.transport.is_closing()

    def push(self, data: bytes) -> None:
        """Send one more chunk of it, without waiting."""
        self.protocol.transport.write(b"%x\r\n%b\r\n" % (len(data), data))


def wire_of(scope: Scope) -> Wire | None:
    """The connection by which a request came, where it is one of ours."""
    wire: Wire | None = (scope.get("extensions") or {}).get(_EXTENSION, {}).get(_WIRE)
    return wire


def lay_wire(scope: Scope, wire: Wire) -> None:
    """Have the answer to a request be streamed by this one."""
    scope["extensions"] = {_EXTENSION: {_WIRE: wire}}


class Patient(HttpToolsProtocol):
    """A connection that is ended when its client takes too long over a request, or reads nothing of what is sent.

    Between two requests it is kept open for the seconds of uvicorn's `timeout_keep_alive`.
    """

    patience = 20.0
    """Seconds from the first byte of a request to its last; for the first byte; and for taking some of an answer."""
    _receiving: asyncio.TimerHandle | None = None
    _sending: asyncio.TimerHandle | None = None
    _head: int | None = None
    """How much of the headers has arrived, while they do."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Somebody is there, and has something to ask."""
        super().connection_made(transport)
        transport.set_write_buffer_limits(high=_UNTAKEN)
        self._receiving = self._in_a_while()

    def connection_lost(self, exc: Exception | None) -> None:
        """Cancel the timers, and drop requests that wait: each refers to this connection."""
        self._received()
        self._sent()
        super().connection_lost(exc)
        self.pipeline.clear()

    def data_received(self, data: bytes) -> None:
        """Some bytes. Empty lines between two requests begin none, and must not keep the connection open for ever."""
        if self._head is not None:
            self._head += len(data)
            if self._head > _LONGEST_HEAD:
                self._refuse(TooLarge(f"more than {_LONGEST_HEAD} bytes of headers are not read"))
                return
        super().data_received(data)
        between = self._receiving is None and self.cycle.response_complete
        if between and not self.transport.is_closing():
            self._receiving = self._in_a_while()

    def on_message_begin(self) -> None:
        """The first byte of a request."""
        super().on_message_begin()
        self._received()
        self._receiving = self._in_a_while()
        self._head = 0

    def on_header(self, name: bytes, value: bytes) -> None:
        """Add a header, but drop trailers: uvicorn would append them to the headers of the request, without a limit."""
        if self._head is not None:
            super().on_header(name, value)

    def on_headers_complete(self) -> None:
        """The empty line behind its headers."""
        self._head = None
        if len(self.pipeline) >= MAX_PIPELINED_REQUESTS:
            raise TooLarge("too many requests wait on this connection")  # ends the parsing, see send_400_response
        super().on_headers_complete()
        lay_wire(cast(Scope, self.scope), Wire(self, ref(self.cycle)))

    def on_message_complete(self) -> None:
        """The last byte of it."""
        self._received()
        super().on_message_complete()

    def pause_writing(self) -> None:
        """More is to be sent than the client takes."""
        super().pause_writing()
        self._sent()
        self._see_whether_it_takes_some()

    def resume_writing(self) -> None:
        """It has taken some."""
        self._sent()
        super().resume_writing()

    def send_400_response(self, msg: str) -> None:
        """Answer what is no HTTP in the one shape; close without an answer while requests before it have none."""
        if self.pipeline:
            self.transport.close()
        else:
            self._refuse(BadRequest("this is not HTTP"))

    def _refuse(self, error: LeftbowerError) -> None:
        answer = refusal(error)
        status = 400 if isinstance(error, BadRequest) else 431
        headers = [*guarded(answer.raw_headers), (b"connection", b"close")]
        lines = [f"HTTP/1.1 {status} ".encode(), *(name + b": " + value for name, value in headers), b"", b""]
        self.transport.write(b"\r\n".join(lines) + bytes(answer.body))
        self.transport.close()

    def _in_a_while(self) -> asyncio.TimerHandle:
        return self.loop.call_later(self.patience, self.transport.abort)

    def _see_whether_it_takes_some(self, left: int | None = None) -> None:
        """`left` was to be sent when this was last asked. Who takes a long answer slowly is not hung up on."""
        now = self.transport.get_write_buffer_size()
        if left is not None and now >= left:
            self.transport.abort()
        else:
            self._sending = self.loop.call_later(self.patience, self._see_whether_it_takes_some, now)

    def _received(self) -> None:
        if self._receiving:
            self._receiving.cancel()
            self._receiving = None

    def _sent(self) -> None:
        if self._sending:
            self._sending.cancel()
            self._sending = None
