"""Running a server until it is told to stop: open feeds are ended, what was answered is on disk."""

import asyncio
import os
import signal
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final

import uvicorn
from fastapi import FastAPI

from leftbower.errors import BadSettings, StoreUnreachable
from leftbower.server.api import application
from leftbower.server.logs import configure_logs
from leftbower.server.patience import Patient
from leftbower.server.settings import Settings
from leftbower.server.tuning import ears, tuned
from leftbower.store import open_store

_GRACE: Final = 3
"""Seconds in which requests may be finished after a stop."""
_UNREAD: Final = 1 << 16
"""Bytes that the system keeps for a client that does not read; by itself it would keep megabytes for each feed."""
_WAITING: Final = 4096
"""Connections that wait to be accepted."""
_SIGNALS: Final = (signal.SIGINT, signal.SIGTERM)


def run(settings: Settings, *, started: Callable[[int], None]) -> None:
    """Serve until a signal comes, in an event loop of its own: the fast one where there is one."""
    with asyncio.Runner(loop_factory=_fast_loop()) as runner:
        runner.run(serve(settings, started=started))


def _fast_loop() -> Callable[[], asyncio.AbstractEventLoop] | None:
    try:
        import uvloop  # noqa: PLC0415
    except ModuleNotFoundError:
        return None
    return uvloop.new_event_loop


async def serve(
    settings: Settings,
    *,
    started: Callable[[int], None] = lambda port: None,
    moments: Callable[[str], None] = lambda moment: None,
    prepare: Callable[[FastAPI], None] = lambda app: None,
    **server: Any,
) -> None:
    """Serve until a signal comes; `started` is told the port. Proofs may `prepare` the application to look on."""
    configure_logs(settings.log_level)
    async with await open_store(settings.database, moments=moments) as store:
        app = application(store, **{"pace": settings.pace, "pause": settings.pause, "moments": moments} | server)
        prepare(app)
        with _listening(settings) as listener, tuned():
            config = uvicorn.Config(
                app,
                http=Patient,
                ws="none",
                log_config=None,
                access_log=False,
                server_header=False,
                backlog=_WAITING,
                timeout_graceful_shutdown=_GRACE,
            )
            app.state.running = Server(config, app.state.server.feeds.close)
            await _run(app.state.running, listener, started)


class Server(uvicorn.Server):
    """Ends open feeds as soon as it is told to stop, so that nobody waits for them, and ends in peace."""

    def __init__(self, config: uvicorn.Config, stopping: Callable[[], None]) -> None:
        super().__init__(config)
        self._stopping = stopping

    def stop(self) -> None:
        """Stop serving; called again, whoever still waits is no longer waited for."""
        self._stopping()
        self.force_exit, self.should_exit = self.should_exit, True

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to serve, or say why not; uvicorn would only log it and end the process."""
        try:
            await super().startup(sockets)
        except SystemExit:
            raise StoreUnreachable("the store cannot be read, and so nothing can be served") from None

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """A signal stops the server, and is then done with: uvicorn would send it once more, and end in failure."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        loop = asyncio.get_running_loop()

        def heard(number: int, frame: object) -> None:
            loop.call_soon_threadsafe(self.stop)

        before = {number: signal.signal(number, heard) for number in _SIGNALS}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)


async def _run(server: Server, listener: socket.socket, started: Callable[[int], None]) -> None:
    with ears(listener) as sockets:
        task = asyncio.create_task(server.serve(sockets))
        while not server.started and not task.done():
            await asyncio.sleep(0.01)
        if server.started:
            started(listener.getsockname()[1])
        await task


@contextmanager
def _listening(settings: Settings) -> Iterator[socket.socket]:
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    # Told that it is TCP, asyncio sends at once what is small; it does not guess.
    with socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _UNREAD)
        if os.name == "posix":
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((settings.host, settings.port))
            listener.listen(_WAITING)
        except OSError as error:
            why = (error.strerror or str(error)).lower()
            says = f"port {settings.port} of {settings.host} is not to be had: {why}"
            raise BadSettings(says, place="port") from None
        yield listener
