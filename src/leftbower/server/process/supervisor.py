"""Supervisor of worker processes: starts them, restarts those that die, and replaces them one by one on SIGHUP.

The socket is opened once, here, and all workers accept from it, so that no waiting connection is lost with a worker.
Workers are not forked, so they share no thread, connection or lock with the supervisor.
"""

import asyncio
import logging
import os
import signal
import socket
import sys
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from tempfile import TemporaryFile
from typing import IO, Final, Self

from leftbower.errors import BadSettings, LeftbowerError, WorkerEnded
from leftbower.server.observability.logs import configure_logs, log_error
from leftbower.server.observability.metrics import drop_gauges, metrics_folder, worker_environment
from leftbower.server.process.balancer import ConnectionCounts
from leftbower.server.process.listener import open_listener
from leftbower.server.process.worker import StartupResult, WorkerConfig
from leftbower.server.settings import Settings

_HEAD_START_SECONDS: Final = 20.0
"""Time for a new worker to fold tables into its cache while the others serve."""
_START_TIMEOUT_SECONDS: Final = 120.0
"""A worker that does not serve by then is killed."""
_STOP_TIMEOUT_SECONDS: Final = 20.0
"""Workers that have not stopped by then are killed."""
_STABLE_SECONDS: Final = 1.0
"""A worker that served for less time than this is restarted with a backoff."""
_MIN_BACKOFF_SECONDS, _MAX_BACKOFF_SECONDS = 0.2, 20.0
"""Exponential backoff of restarts."""
_MAX_FAILED_STARTS: Final = 5
"""Failed starts in a row, with no other worker serving, after which the supervisor gives up."""
_log = logging.getLogger("leftbower.supervisor")


def supervise(settings: Settings, *, started: Callable[[int], None], prepare: str = "") -> None:
    """Run several workers until a signal comes; `started` is called with the port when all of them serve.

    `prepare` is the `module:function` that changes the application of each worker.
    """
    check_settings(settings)
    configure_logs(settings.log_level)
    with open_listener(settings) as listener, TemporaryFile() as counts, metrics_folder() as metrics:
        asyncio.run(Supervisor(settings, listener, counts, metrics, prepare).run(started))


def check_settings(settings: Settings) -> None:
    """Raise BadSettings if several processes can't serve with these settings."""
    if not settings.database.startswith(("postgresql://", "postgres://")):
        raise BadSettings("several processes need PostgreSQL; other stores allow one", path="processes")
    if os.name != "posix":
        raise BadSettings("several processes need a POSIX system", path="processes")


class Worker:
    """A worker process, starting or serving."""

    def __init__(self, number: int, process: asyncio.subprocess.Process, metrics_slot: int = 0) -> None:
        self.number, self._process, self.metrics_slot = number, process, metrics_slot
        self.started_at = self.serving_since = asyncio.get_running_loop().time()
        self.served = 0.0
        """Seconds it served; set when it exits."""

    @classmethod
    async def start(cls, config: WorkerConfig, metrics: str, metrics_slot: int) -> Self:
        """Start the process in its own session, as Ctrl-C is for the supervisor; its metrics go to the folder
        `metrics`."""
        pipe = asyncio.subprocess.PIPE
        command = (sys.executable, "-P", "-m", "leftbower.server.process.worker")
        process = await asyncio.create_subprocess_exec(
            *command,
            stdin=pipe,
            stdout=pipe,
            pass_fds=[config.listener, config.counts],
            env=os.environ | worker_environment(metrics, metrics_slot),
            start_new_session=True,
        )
        worker = cls(config.worker, process, metrics_slot)
        assert process.stdin is not None
        process.stdin.write(config.to_line())
        return worker

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def is_alive(self) -> bool:
        return self._process.returncode is None

    async def wait_until_serving(self) -> None:
        """Wait until it serves; raises the reason if it doesn't."""
        assert self._process.stdout is not None
        try:
            async with asyncio.timeout(_START_TIMEOUT_SECONDS):
                line = await self._process.stdout.readline()
        except TimeoutError:
            self.send_signal(signal.SIGKILL)
            raise WorkerEnded(
                "worker %(number)s didn't start within %(seconds)s seconds",
                number=self.number,
                seconds=f"{_START_TIMEOUT_SECONDS:.0f}",
            ) from None
        if not line:
            raise WorkerEnded(
                "worker %(number)s failed to start: it %(exit)s",
                number=self.number,
                exit=describe_exit(await self.wait()),
            )
        result = StartupResult.from_line(line)
        if result.error:
            raise result.error
        self.serving_since = asyncio.get_running_loop().time()

    async def wait(self) -> int:
        """Wait for it to exit; the status is negative for a signal."""
        status = await self._process.wait()
        self.served = self.served or asyncio.get_running_loop().time() - self.serving_since
        return status

    def send_signal(self, number: signal.Signals) -> None:
        """Send a signal if the process is running; SIGTERM stops it gracefully."""
        with suppress(ProcessLookupError):
            self._process.send_signal(number)


StartWorker = Callable[[int, float], Awaitable[Worker]]
"""Starts the worker with a number, with a head start in seconds, and waits until it serves."""


class WorkerSlot:
    """Keeps the worker of one number running."""

    def __init__(self, number: int, start: StartWorker, any_alive: Callable[[], bool]) -> None:
        self.number, self._start_worker, self._any_alive = number, start, any_alive
        self._changing = asyncio.Lock()
        self.worker: Worker | None = None

    async def start(self) -> None:
        self.worker = await self._start_worker(self.number, 0.0)

    async def keep_running(self) -> None:
        """Restart the worker when it dies; raise the error to give up."""
        backoff, failures = 0.0, 0
        while True:
            worker = self.worker
            assert worker is not None
            status = await worker.wait()
            if self.worker is not worker:
                continue  # it was replaced
            if not failures:
                _log.warning("worker %d, process %d, %s", self.number, worker.pid, describe_exit(status))
                backoff = 0.0 if worker.served >= _STABLE_SECONDS else _next_backoff(backoff)
            await asyncio.sleep(backoff)
            async with self._changing:
                if self.worker is not worker:
                    continue
                try:
                    self.worker = await self._restart()
                    failures = 0
                except LeftbowerError as error:
                    failures, backoff = failures + 1, _next_backoff(backoff)
                    log_error(_log, f"worker {self.number} failed to start; retrying", error)
                    if failures >= _MAX_FAILED_STARTS and not self._any_alive():
                        raise

    async def replace(self, requested_at: float) -> None:
        """Start a new worker unless the current one was started after `requested_at`; then stop the old one."""
        async with self._changing:
            worker = self.worker
            assert worker is not None
            if worker.started_at > requested_at:
                return
            self.worker = await self._restart()
        await stop_workers([worker])

    async def _restart(self) -> Worker:
        return await self._start_worker(self.number, _HEAD_START_SECONDS if self._any_alive() else 0.0)


class Supervisor:
    """Starts the workers and keeps them running."""

    def __init__(
        self, settings: Settings, listener: socket.socket, counts: IO[bytes], metrics: str, prepare: str = ""
    ) -> None:
        """All workers accept from the `listener`, and publish their connection counts in the file `counts`.

        Their metrics are in the folder `metrics`.
        """
        self._metrics, self._metrics_slots = metrics, set[int]()
        self._settings, self._listener, self._counts_file, self._prepare = settings, listener, counts, prepare
        self._counts = ConnectionCounts.create(counts, settings.processes)
        self._workers: set[Worker] = set()
        self._reapers: set[asyncio.Task[None]] = set()
        self._slots = [
            WorkerSlot(number, self._start_worker, self._any_alive) for number in range(1, settings.processes + 1)
        ]
        self._stopping, self._replacing = asyncio.Event(), asyncio.Event()

    async def run(self, started: Callable[[int], None]) -> None:
        """Run until a signal comes or no worker can be started; then stop all workers."""
        with self._signals():
            work = asyncio.create_task(self._supervise(started))
            stop_requested = asyncio.create_task(self._stopping.wait())
            await asyncio.wait({work, stop_requested}, return_when=asyncio.FIRST_COMPLETED)
            failed = work.done()
            for task in (work, stop_requested):
                task.cancel()
            [outcome, _] = await asyncio.gather(work, stop_requested, return_exceptions=True)
            await stop_workers(self._workers)
            await asyncio.gather(*self._reapers)
            if failed and isinstance(outcome, BaseException):
                raise outcome

    async def _supervise(self, started: Callable[[int], None]) -> None:
        await asyncio.gather(*(slot.start() for slot in self._slots))
        started(self._listener.getsockname()[1])
        await asyncio.gather(*(slot.keep_running() for slot in self._slots), self._replace_on_request())

    async def _replace_on_request(self) -> None:
        """Replace workers one by one, so that there is at most one too many and never one too few."""
        while True:
            await self._replacing.wait()
            self._replacing.clear()
            requested_at = asyncio.get_running_loop().time()
            _log.info("replacing all workers")
            try:
                for slot in self._slots:
                    await slot.replace(requested_at)
            except LeftbowerError as error:
                log_error(_log, "no new worker starts; keeping the old ones", error)
            else:
                _log.info("all workers replaced")

    async def _start_worker(self, number: int, head_start: float) -> Worker:
        config = WorkerConfig(
            worker=number,
            listener=self._listener.fileno(),
            counts=self._counts_file.fileno(),
            head_start=head_start,
            settings=self._settings.model_dump(),
            prepare=self._prepare,
        )
        slot = min({*range(len(self._metrics_slots) + 1)} - self._metrics_slots)
        self._metrics_slots.add(slot)
        try:
            worker = await Worker.start(config, self._metrics, slot)
        except BaseException:
            self._metrics_slots.discard(slot)
            raise
        self._workers.add(worker)
        reaper = asyncio.create_task(self._reap(worker))
        self._reapers.add(reaper)
        reaper.add_done_callback(self._reapers.discard)
        await worker.wait_until_serving()
        _log.info("worker %d is serving, process %d", number, worker.pid)
        return worker

    async def _reap(self, worker: Worker) -> None:
        await worker.wait()
        self._workers.discard(worker)
        drop_gauges(self._metrics, worker.metrics_slot)
        self._metrics_slots.discard(worker.metrics_slot)
        if not any(other.number == worker.number for other in self._workers):
            self._counts.clear(worker.number)

    def _any_alive(self) -> bool:
        return any(slot.worker and slot.worker.is_alive for slot in self._slots)

    @contextmanager
    def _signals(self) -> Iterator[None]:
        loop = asyncio.get_running_loop()
        handlers = {
            signal.SIGTERM: self._stopping.set,
            signal.SIGINT: self._interrupt,
            signal.SIGHUP: self._replacing.set,
        }
        for number, handle in handlers.items():
            loop.add_signal_handler(number, handle)
        try:
            yield
        finally:
            for number in handlers:
                loop.remove_signal_handler(number)

    def _interrupt(self) -> None:
        """Handle Ctrl-C; the second one makes the workers stop at once."""
        if self._stopping.is_set():
            for worker in tuple(self._workers):
                worker.send_signal(signal.SIGINT)
        self._stopping.set()


async def stop_workers(workers: "set[Worker] | list[Worker]") -> None:
    """Stop workers and wait for them; kill those that take too long."""
    stopping = list(workers)
    for worker in stopping:
        worker.send_signal(signal.SIGTERM)
    try:
        async with asyncio.timeout(_STOP_TIMEOUT_SECONDS):
            await asyncio.gather(*(worker.wait() for worker in stopping))
    except TimeoutError:
        for worker in stopping:
            if worker.is_alive:
                _log.warning("worker %d, process %d, does not stop; killing it", worker.number, worker.pid)
                worker.send_signal(signal.SIGKILL)
        await asyncio.gather(*(worker.wait() for worker in stopping))


def describe_exit(status: int) -> str:
    """How a process ended, for logs."""
    return f"exited with status {status}" if status >= 0 else f"was killed by {signal.Signals(-status).name}"


def _next_backoff(backoff: float) -> float:
    return min(max(2 * backoff, _MIN_BACKOFF_SECONDS), _MAX_BACKOFF_SECONDS)
