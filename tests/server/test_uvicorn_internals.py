"""The parts of uvicorn's internals that `server/http/protocol.py` and `server/process/run.py` use.

Each is compared with the installed uvicorn: a release that changes one of them fails here, by its name. Timeouts over a
real socket are tested in `test_protocol.py`, graceful shutdown in `test_graceful_shutdown.py`.
"""

import asyncio
import inspect
from typing import Any

import pytest
import uvicorn
from uvicorn.protocols.http.flow_control import FlowControl
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle
from uvicorn.server import ServerState

from leftbower.server.http.protocol import GracefulProtocol, PushChannel, TimeoutProtocol, channel_of
from leftbower.server.process.run import Server
from server_client import FAST, events, listening

OVERRIDDEN = {
    HttpToolsProtocol: {
        "__init__": ["config", "server_state", "app_state", "_loop"],
        "connection_made": ["transport"],
        "connection_lost": ["exc"],
        "data_received": ["data"],
        "on_message_begin": [],
        "on_headers_complete": [],
        "on_message_complete": [],
        "pause_writing": [],
        "resume_writing": [],
        "send_400_response": ["msg"],
        "shutdown": [],
    },
    uvicorn.Server: {
        "__init__": ["config"],
        "startup": ["sockets"],
        "on_tick": ["counter"],
        "capture_signals": [],
        "serve": ["sockets"],
    },
}
"""Methods that we override or call, with their parameters."""
REQUEST = b"POST /act HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n"


class Transport(asyncio.Transport):
    """Collects what is written."""

    def __init__(self) -> None:
        super().__init__()
        self.written = bytearray()

    def write(self, data: Any) -> None:
        self.written += data

    def is_closing(self) -> bool:
        return False

    def get_write_buffer_size(self) -> int:
        return 0

    def close(self) -> None: ...
    def pause_reading(self) -> None: ...
    def resume_reading(self) -> None: ...
    def set_write_buffer_limits(self, high: int | None = None, low: int | None = None) -> None: ...


@pytest.mark.parametrize(("cls", "name"), [(cls, name) for cls, methods in OVERRIDDEN.items() for name in methods])
def test_the_methods_that_we_override_have_the_parameters_that_we_pass(cls: type, name: str) -> None:
    parameters = list(inspect.signature(getattr(cls, name)).parameters)
    assert parameters == ["self", *OVERRIDDEN[cls][name]]


def test_we_override_no_other_method() -> None:
    for ours, theirs in (
        (TimeoutProtocol, HttpToolsProtocol),
        (GracefulProtocol, HttpToolsProtocol),
        (Server, uvicorn.Server),
    ):
        own = {name for name, value in vars(ours).items() if callable(value) and hasattr(theirs, name)}
        assert own <= OVERRIDDEN[theirs].keys() | {"__init__"}


async def test_a_connection_has_the_attributes_that_we_read() -> None:
    """A streamed response is chunked like a push; the second request waits in the pipeline."""
    cycles: list[RequestResponseCycle] = []
    is_open: list[bool] = []
    chunks: list[bytes] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        channel = channel_of(scope)
        assert channel is not None
        is_open.append(channel.is_open)
        await send({"type": "http.response.start", "status": 200, "headers": []})
        is_open.append(channel.is_open)
        transport.written.clear()
        await send({"type": "http.response.body", "body": b"data: 1\n\n", "more_body": True})
        chunks.append(bytes(transport.written))
        transport.written.clear()
        channel.push(b"data: 1\n\n")
        chunks.append(bytes(transport.written))
        protocol.pause_writing()
        is_open.append(channel.is_open)
        protocol.resume_writing()
        is_open.append(channel.is_open)
        await send({"type": "http.response.body", "body": b"", "more_body": False})
        is_open.append(channel.is_open)
        cycles.append(protocol.cycle)

    config = uvicorn.Config(app, http=TimeoutProtocol, ws="none", log_config=None, proxy_headers=False)
    protocol, transport = TimeoutProtocol(config, ServerState(), {}), Transport()
    assert {"loop", "pipeline", "cycle", "scope", "headers", "flow", "transport"} <= vars(protocol).keys()
    protocol.connection_made(transport)
    assert isinstance(protocol.flow, FlowControl)
    protocol.data_received(REQUEST)
    assert [name for name, _ in protocol.scope["headers"]] == [b"host", b"transfer-encoding"]
    protocol.data_received(REQUEST)
    assert len(protocol.pipeline) == 1
    await asyncio.gather(*protocol.tasks)
    await asyncio.gather(*protocol.tasks)
    assert is_open == [False, True, False, True, False] * 2
    assert len(set(chunks)) == 1
    assert [(cycle.response_complete, cycle.disconnected, cycle.chunked_encoding) for cycle in cycles] == [
        (True, False, True)
    ] * 2
    protocol.connection_lost(None)


def test_a_server_has_the_attributes_that_we_set() -> None:
    """`stop` adds `Connection: close` to two lists of headers and shuts down every connection."""
    config = uvicorn.Config(lambda: None, log_config=None)
    config.load()
    server = uvicorn.Server(config)
    assert (server.started, server.should_exit, server.force_exit) == (False, False, False)
    assert (server.server_state.connections, server.server_state.default_headers) == (set(), [])
    assert isinstance(config.encoded_headers, list)
    assert config.loaded


async def test_over_a_socket_a_new_version_is_pushed_without_the_task_of_the_feed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pushed: list[bytes] = []
    push = PushChannel.push

    def record(self: PushChannel, data: bytes) -> None:
        pushed.append(data)
        push(self, data)

    monkeypatch.setattr(PushChannel, "push", record)
    async with listening() as (_, server), asyncio.timeout(60):
        ann = await server.guest("Ann")
        table = await ann.open(**FAST)
        headers = {"Authorization": f"Bearer {ann.token}"}
        async with server.http.stream("GET", f"/api/tables/{table}/feed", headers=headers) as response:
            messages = aiter(events(response.aiter_lines()))
            assert (await anext(messages))[0] == 1
            for version in (2, 3):
                await ann.command(table, "sit", seat="NS"[version % 2])
                assert (await anext(messages))[0] == version
    assert [data.startswith(b"id: %d\n" % version) for data, version in zip(pushed, (2, 3), strict=True)] == [
        True,
        True,
    ]
