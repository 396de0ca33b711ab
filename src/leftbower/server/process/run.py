"""The run loop: serve until a signal comes, then end feeds and finish requests."""

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
from leftbower.server.api.operations import parse_networks, record_gauges
from leftbower.server.app import create_app
from leftbower.server.http.protocol import CONNECTION_CLOSE, GracefulProtocol
from leftbower.server.live.presence import Timing
from leftbower.server.observability.logs import configure_logs
from leftbower.server.process.balancer import BalancedAcceptor, ConnectionCounts
from leftbower.server.process.listener import BACKLOG, open_listener
from leftbower.server.process.runtime import duplicate_listener, tuned
from leftbower.server.process.warmup import warm_up
from leftbower.server.settings import Settings
from leftbower.store import open_store

_SHUTDOWN_SECONDS: Final = 3
"""Time for requests in flight after a stop."""
_TICKS_PER_GAUGES: Final = 50
"""A worker publishes its gauges to the others every five seconds."""
_SIGNALS: Final = (signal.SIGINT, signal.SIGTERM)


def run(settings: Settings, **options: Any) -> None:
    """Serve until a signal comes, on uvloop if it is installed."""
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
    counts: ConnectionCounts | None = None,
    worker: int = 0,
    head_start: float = 0.0,
    **overrides: Any,
) -> None:
    """Serve until a signal comes; `started` is called with the port, and `prepare` with the application.

    A worker gets the shared `listener`, the connection `counts` of all workers, its number and its `head_start`.
    """
    configure_logs(settings.log_level, worker=worker)
    async with await open_store(settings.database, moments=moments) as store:
        delays = ("bot_delay", "hand_pause", "reconnect_grace", "event_reconnect_grace", "idle_timeout")
        timing = Timing(head_start=head_start, **{name: getattr(settings, name) for name in delays})
        options = {name: getattr(settings, name) for name in ("origin", "metrics", "quotas", "lifetimes")}
        app = create_app(store, **options | {"timing": timing, "moments": moments} | overrides)
        app.state.host = settings.host
        app.state.own_tls = bool(settings.certificate)
        prepare(app)
        await warm_up(app)
        with nullcontext(listener) if listener else open_listener(settings) as accepting, tuned():
            config = uvicorn.Config(
                app,
                http=GracefulProtocol,
                ws="none",
                log_config=None,
                access_log=False,
                server_header=False,
                proxy_headers=bool(settings.trusted_proxies),
                forwarded_allow_ips=trusted_networks(settings.trusted_proxies) if settings.trusted_proxies else [],
                ssl_certfile=settings.certificate or None,
                ssl_keyfile=settings.key or None,
                backlog=BACKLOG,
                timeout_graceful_shutdown=_SHUTDOWN_SECONDS,
            )
            _load(config)
            context = app.state.context
            app.state.running = Server(
                config,
                context.end_feeds,
                publish_gauges=partial(record_gauges, context),
                counts=counts,
                worker=worker,
            )
            await _run(app.state.running, accepting, started)


def trusted_networks(proxies: str) -> list[str]:
    """The proxy's networks; IPv4 ones also as IPv4-mapped IPv6, for a dual-stack socket."""
    networks = parse_networks(proxies)
    mapped = [
        f"::ffff:{network.network_address}/{96 + network.prefixlen}" for network in networks if network.version == 4
    ]
    return [*map(str, networks), *mapped]


def _load(config: uvicorn.Config) -> None:
    """Load certificate and key, or raise BadSettings."""
    try:
        config.load()
    except OSError as error:  # also for errors inside the files
        reason = (error.strerror or str(error)).lower()
        raise BadSettings(
            "can't use the certificate or its key: %(reason)s", path="certificate", reason=reason
        ) from None


class Server(uvicorn.Server):
    """Ends open feeds as soon as it is stopped, and finishes requests in flight."""

    def __init__(
        self,
        config: uvicorn.Config,
        on_stop: Callable[[], None],
        *,
        publish_gauges: Callable[[], None] = lambda: None,
        counts: ConnectionCounts | None = None,
        worker: int = 0,
    ) -> None:
        """`on_stop` ends feeds; `counts` balances connections between workers.

        With several workers, `publish_gauges` is called from time to time.
        """
        super().__init__(config)
        self._publish_gauges = publish_gauges
        self._on_stop, self._counts, self._worker = on_stop, counts, worker
        self._acceptor: BalancedAcceptor | None = None

    @property
    def shares_listener(self) -> bool:
        """Do other workers accept from the same socket?"""
        return self._counts is not None

    def stop(self, *, force: bool = False) -> None:
        """Stop serving; a second stop with `force` does not wait for requests in flight."""
        self.force_exit = self.force_exit or (force and self.should_exit)
        if self.should_exit:
            return
        self.should_exit = True
        if self._acceptor:
            self._acceptor.close()
        # Responses in progress share the first list; uvicorn rebuilds it from the second.
        for headers in (self.server_state.default_headers, self.config.encoded_headers):
            headers.append(CONNECTION_CLOSE)
        for connection in tuple(self.server_state.connections):
            connection.shutdown()
        self._on_stop()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, or raise the reason; uvicorn would only log it and exit."""
        try:
            await super().startup([] if self._counts else sockets)
        except SystemExit:
            raise StoreUnreachable("can't read the store, so the server can't start") from None
        if self._counts and sockets and not self.should_exit:
            self._acceptor = BalancedAcceptor(
                sockets[0],
                self._counts,
                self._worker,
                connections=lambda: len(self.server_state.connections),
                protocol=partial(
                    GracefulProtocol, config=self.config, server_state=self.server_state, app_state=self.lifespan.state
                ),
                ssl=self.config.ssl,
            )

    async def on_tick(self, counter: int) -> bool:
        """Called by uvicorn ten times a second."""
        if self._acceptor and not self.should_exit:
            self._acceptor.publish_count()
            if counter % _TICKS_PER_GAUGES == 0:
                self._publish_gauges()
        return await super().on_tick(counter)

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Stop on a signal. uvicorn would raise it again at the end and exit with a failure."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        loop = asyncio.get_running_loop()

        def handle(number: int, frame: object) -> None:
            loop.call_soon_threadsafe(lambda: self.stop(force=number == signal.SIGINT))

        previous = {number: signal.signal(number, handle) for number in _SIGNALS}
        try:
            yield
        finally:
            for number, handler in previous.items():
                signal.signal(number, handler)


async def _run(server: Server, listener: socket.socket, started: Callable[[int], None]) -> None:
    port = listener.getsockname()[1]
    with nullcontext([listener]) if server.shares_listener else duplicate_listener(listener) as sockets:
        task = asyncio.create_task(server.serve(sockets))
        while not server.started and not task.done():
            await asyncio.sleep(0.01)
        if server.started and not server.should_exit:
            started(port)
        await task
