"""Running a server until it is told to stop: open feeds are ended, what was answered is on disk."""

import asyncio
import signal
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from functools import partial
from typing import Any, Final

import uvicorn
from fastapi import FastAPI

from leftbower.errors import BadSettings, StoreUnreachable
from leftbower.server.api import application
from leftbower.server.listening import WAITING, listening
from leftbower.server.logs import configure_logs
from leftbower.server.operating import networks
from leftbower.server.parting import CLOSE, Parting
from leftbower.server.settings import Settings
from leftbower.server.sharing import Acceptor, Shares
from leftbower.server.tuning import ears, tuned
from leftbower.server.warming import warm_up
from leftbower.store import open_store

_GRACE: Final = 3
"""Seconds in which requests may be finished after a stop."""
_SIGNALS: Final = (signal.SIGINT, signal.SIGTERM)


def run(settings: Settings, **options: Any) -> None:
    """Serve until a signal comes, in an event loop of its own: the fast one where there is one."""
    with asyncio.Runner(loop_factory=_fast_loop()) as runner:
        runner.run(serve(settings, **options))


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
    listener: socket.socket | None = None,
    shares: Shares | None = None,
    worker: int = 0,
    **server: Any,
) -> None:
    """Serve until a signal comes; `started` is told the port. Proofs may `prepare` the application to look on.

    One process of several is handed the `listener`, the `shares` of all in it, and its own number.
    """
    configure_logs(settings.log_level, worker=worker)
    async with await open_store(settings.database, moments=moments) as store:
        names = ("pace", "pause", "grace", "event_grace", "deserted", "origin", "metrics", "quotas", "lifetimes")
        given: dict[str, Any] = {name: getattr(settings, name) for name in names}
        app = application(store, **given | {"moments": moments} | server)
        app.state.host = settings.host
        app.state.own_tls = bool(settings.certificate)
        prepare(app)
        await warm_up(app)
        with nullcontext(listener) if listener else listening(settings) as accepting, tuned():
            config = uvicorn.Config(
                app,
                http=Parting,
                ws="none",
                log_config=None,
                access_log=False,
                server_header=False,
                proxy_headers=bool(settings.proxy),
                forwarded_allow_ips=trusted(settings.proxy) if settings.proxy else [],
                ssl_certfile=settings.certificate or None,
                ssl_keyfile=settings.key or None,
                backlog=WAITING,
                timeout_graceful_shutdown=_GRACE,
            )
            _load(config)
            app.state.running = Server(config, app.state.server.end_feeds, shares=shares, worker=worker)
            await _run(app.state.running, accepting, started)


def trusted(proxy: str) -> list[str]:
    """The proxy's networks, those of the old kind also as they look to whoever listens on both kinds."""
    named = networks(proxy)
    both = [f"::ffff:{one.network_address}/{96 + one.prefixlen}" for one in named if one.version == 4]
    return [*map(str, named), *both]


def _load(config: uvicorn.Config) -> None:
    """Read what uvicorn reads from files, or say which it cannot."""
    try:
        config.load()
    except OSError as error:  # also what is wrong inside them
        says = (error.strerror or str(error)).lower()
        raise BadSettings(f"certificate or key cannot be used: {says}", place="certificate") from None


class Server(uvicorn.Server):
    """Ends open feeds as soon as it is told to stop, so that nobody waits for them, and ends in peace."""

    def __init__(
        self, config: uvicorn.Config, stopping: Callable[[], None], *, shares: Shares | None = None, worker: int = 0
    ) -> None:
        """`stopping` ends feeds. One `worker` of several takes its share of connections."""
        super().__init__(config)
        self._stopping, self._shares, self._worker = stopping, shares, worker
        self._acceptor: Acceptor | None = None

    @property
    def is_one_of_several(self) -> bool:
        """Do others wait at the same socket?"""
        return self._shares is not None

    def stop(self, *, at_once: bool = False) -> None:
        """Stop serving; `at_once` where that was said before, and whoever still waits is no longer waited for."""
        self.force_exit = self.force_exit or (at_once and self.should_exit)
        if self.should_exit:
            return
        self.should_exit = True
        if self._acceptor:
            self._acceptor.close()
        # Answers in the making share one of these lists; the other one is where it is made anew.
        for headers in (self.server_state.default_headers, self.config.encoded_headers):
            headers.append(CLOSE)
        for connection in tuple(self.server_state.connections):
            connection.shutdown()
        self._stopping()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to serve, or say why not; uvicorn would only log it and end the process."""
        try:
            await super().startup([] if self._shares else sockets)
        except SystemExit:
            raise StoreUnreachable("the store cannot be read, and so nothing can be served") from None
        if self._shares and sockets and not self.should_exit:
            self._acceptor = Acceptor(
                sockets[0],
                self._shares,
                self._worker,
                connections=lambda: len(self.server_state.connections),
                protocol=partial(
                    Parting, config=self.config, server_state=self.server_state, app_state=self.lifespan.state
                ),
                ssl=self.config.ssl,
            )

    async def on_tick(self, counter: int) -> bool:
        """Ten times a second."""
        if self._acceptor and not self.should_exit:
            self._acceptor.tell()
        return await super().on_tick(counter)

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """A signal stops the server, and is then done with: uvicorn would send it once more, and end in failure."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        loop = asyncio.get_running_loop()

        def heard(number: int, frame: object) -> None:
            loop.call_soon_threadsafe(lambda: self.stop(at_once=number == signal.SIGINT))

        before = {number: signal.signal(number, heard) for number in _SIGNALS}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)


async def _run(server: Server, listener: socket.socket, started: Callable[[int], None]) -> None:
    port = listener.getsockname()[1]
    with nullcontext([listener]) if server.is_one_of_several else ears(listener) as sockets:
        task = asyncio.create_task(server.serve(sockets))
        while not server.started and not task.done():
            await asyncio.sleep(0.01)
        if server.started and not server.should_exit:
            started(port)
        await task
