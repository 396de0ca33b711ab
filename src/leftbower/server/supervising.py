"""Several processes at one port: begun, begun again when they die, and replaced one after another while they serve.

The socket is made once, here, and every process accepts from it. So a connection that waits is lost with nobody: who is
left takes it. Nothing is forked, and so no thread, connection or lock of one process is in another.
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
from leftbower.server.listening import listening
from leftbower.server.logs import configure_logs, tell_of
from leftbower.server.settings import Settings
from leftbower.server.sharing import Shares
from leftbower.server.working import Orders, Word

_HEAD_START: Final = 20.0
"""Seconds in which a worker may get to know the tables before it serves, where others serve meanwhile."""
_BEGINNING: Final = 120.0
"""Seconds in which a worker has to begin to serve."""
_ENDING: Final = 20.0
"""Seconds in which workers have to end; then they are killed."""
_SETTLED: Final = 1.0
"""A worker that has served for less than so many seconds died at once."""
_SHORTEST, _LONGEST = 0.2, 20.0
"""Seconds to wait before a worker that died at once is begun again, growing from the one to the other."""
_TRIES: Final = 5
"""So often in a row a worker is begun in vain, while nobody else serves, before all is given up."""
_log = logging.getLogger("leftbower.supervisor")


def supervise(settings: Settings, *, started: Callable[[int], None], prepare: str = "") -> None:
    """Have several processes serve until a signal comes; `started` is told the port when all of them do.

    What `prepare` names, as `module:function`, adds to the application of each.
    """
    check(settings)
    configure_logs(settings.log_level)
    with listening(settings) as listener, TemporaryFile() as shares:
        asyncio.run(Supervisor(settings, listener, shares, prepare).run(started))


def check(settings: Settings) -> None:
    """Can several processes serve this? BadSettings says why not, before anything is opened."""
    if not settings.database.startswith(("postgresql://", "postgres://")):
        raise BadSettings("more than one process needs PostgreSQL: any other store has one server", place="processes")
    if os.name != "posix":
        raise BadSettings("more than one process needs a system that can hand on sockets", place="processes")


class Worker:
    """One process that serves, or will soon."""

    def __init__(self, number: int, process: asyncio.subprocess.Process) -> None:
        self.number, self._process = number, process
        self.begun = self.serving_since = asyncio.get_running_loop().time()
        self.served = 0.0
        """Seconds, once it has ended."""

    @classmethod
    async def begin(cls, orders: Orders) -> Self:
        """A process of its own, also to the terminal: Ctrl-C is for whoever began it."""
        pipe = asyncio.subprocess.PIPE
        words = (sys.executable, "-P", "-m", "leftbower.server.working")
        process = await asyncio.create_subprocess_exec(
            *words, stdin=pipe, stdout=pipe, pass_fds=[orders.listener, orders.shares], start_new_session=True
        )
        worker = cls(orders.worker, process)
        assert process.stdin is not None
        process.stdin.write(orders.spelled())
        return worker

    @property
    def pid(self) -> int:
        """The number of the process."""
        return self._process.pid

    @property
    def is_alive(self) -> bool:
        """Has it not ended?"""
        return self._process.returncode is None

    async def serves(self) -> None:
        """Wait until it serves, or raise why it does not."""
        assert self._process.stdout is not None
        try:
            async with asyncio.timeout(_BEGINNING):
                line = await self._process.stdout.readline()
        except TimeoutError:
            self.tell(signal.SIGKILL)
            raise WorkerEnded(f"worker {self.number} did not serve within {_BEGINNING:.0f} seconds") from None
        if not line:
            raise WorkerEnded(f"worker {self.number} {said_of(await self.ended())} before it served")
        word = Word.read(line)
        if word.error:
            raise word.error
        self.serving_since = asyncio.get_running_loop().time()

    async def ended(self) -> int:
        """Wait until it has ended: its status, less than 0 for a signal."""
        status = await self._process.wait()
        self.served = self.served or asyncio.get_running_loop().time() - self.serving_since
        return status

    def tell(self, how: signal.Signals) -> None:
        """Send it a signal, if it is there: SIGTERM ends it in peace."""
        with suppress(ProcessLookupError):
            self._process.send_signal(how)


Begin = Callable[[int, float], Awaitable[Worker]]
"""A worker of this number, which serves, and was given a head start of so many seconds at most."""


class Place:
    """One of so many, where somebody serves; whoever that is changes."""

    def __init__(self, number: int, begin: Begin, is_anybody_there: Callable[[], bool]) -> None:
        self.number, self._begin, self._is_anybody_there = number, begin, is_anybody_there
        self._changing = asyncio.Lock()
        self.worker: Worker | None = None

    async def fill(self) -> None:
        """Have somebody serve here for the first time."""
        self.worker = await self._begin(self.number, 0.0)

    async def keep(self) -> None:
        """Whenever the worker dies, begin another; raise why that cannot be done when all is to be given up."""
        wait, tries = 0.0, 0
        while True:
            worker = self.worker
            assert worker is not None
            status = await worker.ended()
            if self.worker is not worker:
                continue  # it was replaced
            if not tries:
                _log.warning("worker %d, process %d, %s", self.number, worker.pid, said_of(status))
                wait = 0.0 if worker.served >= _SETTLED else _longer(wait)
            await asyncio.sleep(wait)
            async with self._changing:
                if self.worker is not worker:
                    continue
                try:
                    self.worker = await self._begin_anew()
                    tries = 0
                except LeftbowerError as error:
                    tries, wait = tries + 1, _longer(wait)
                    tell_of(_log, f"worker {self.number} does not begin, which will be tried again", error)
                    if tries >= _TRIES and not self._is_anybody_there():
                        raise

    async def replace(self, asked: float) -> None:
        """Have somebody serve here who was begun after this time; only then whoever does so now is told to stop."""
        async with self._changing:
            worker = self.worker
            assert worker is not None
            if worker.begun > asked:
                return
            self.worker = await self._begin_anew()
        await end([worker])

    async def _begin_anew(self) -> Worker:
        return await self._begin(self.number, _HEAD_START if self._is_anybody_there() else 0.0)


class Supervisor:
    """Begins workers, and sees to it that there are always so many."""

    def __init__(self, settings: Settings, listener: socket.socket, shares: IO[bytes], prepare: str = "") -> None:
        """All of them accept from the `listener`, and say in the file `shares` how many connections they have."""
        self._settings, self._listener, self._file, self._prepare = settings, listener, shares, prepare
        self._shares = Shares.make(shares, settings.processes)
        self._workers: set[Worker] = set()
        self._burials: set[asyncio.Task[None]] = set()
        self._places = [
            Place(number, self._begin, self._is_anybody_there) for number in range(1, settings.processes + 1)
        ]
        self._stopping, self._replacing = asyncio.Event(), asyncio.Event()

    async def run(self, started: Callable[[int], None]) -> None:
        """Until a signal comes, or workers cannot be had; then everybody is ended."""
        with self._signals():
            work = asyncio.create_task(self._work(started))
            told = asyncio.create_task(self._stopping.wait())
            await asyncio.wait({work, told}, return_when=asyncio.FIRST_COMPLETED)
            failed = work.done()
            for task in (work, told):
                task.cancel()
            [outcome, _] = await asyncio.gather(work, told, return_exceptions=True)
            await end(self._workers)
            await asyncio.gather(*self._burials)
            if failed and isinstance(outcome, BaseException):
                raise outcome

    async def _work(self, started: Callable[[int], None]) -> None:
        await asyncio.gather(*(place.fill() for place in self._places))
        started(self._listener.getsockname()[1])
        await asyncio.gather(*(place.keep() for place in self._places), self._replace_when_told())

    async def _replace_when_told(self) -> None:
        """One after another, so that there are never fewer than there should be, nor more than one too many."""
        while True:
            await self._replacing.wait()
            self._replacing.clear()
            asked = asyncio.get_running_loop().time()
            _log.info("every worker will be replaced")
            try:
                for place in self._places:
                    await place.replace(asked)
            except LeftbowerError as error:
                tell_of(_log, "no new worker begins, and so the old ones stay", error)
            else:
                _log.info("every worker was replaced")

    async def _begin(self, number: int, head_start: float) -> Worker:
        orders = Orders(
            worker=number,
            listener=self._listener.fileno(),
            shares=self._file.fileno(),
            head_start=head_start,
            settings=self._settings.model_dump(),
            prepare=self._prepare,
        )
        worker = await Worker.begin(orders)
        self._workers.add(worker)
        burial = asyncio.create_task(self._bury(worker))
        self._burials.add(burial)
        burial.add_done_callback(self._burials.discard)
        await worker.serves()
        _log.info("worker %d serves as process %d", number, worker.pid)
        return worker

    async def _bury(self, worker: Worker) -> None:
        await worker.ended()
        self._workers.discard(worker)
        if not any(other.number == worker.number for other in self._workers):
            self._shares.forget(worker.number)

    def _is_anybody_there(self) -> bool:
        return any(place.worker and place.worker.is_alive for place in self._places)

    @contextmanager
    def _signals(self) -> Iterator[None]:
        loop = asyncio.get_running_loop()
        heard = {signal.SIGTERM: self._stop, signal.SIGINT: self._hurry, signal.SIGHUP: self._replacing.set}
        for number, hear in heard.items():
            loop.add_signal_handler(number, hear)
        try:
            yield
        finally:
            for number in heard:
                loop.remove_signal_handler(number)

    def _stop(self) -> None:
        self._stopping.set()

    def _hurry(self) -> None:
        """Ctrl-C, which the second time waits for nobody."""
        if self._stopping.is_set():
            for worker in tuple(self._workers):
                worker.tell(signal.SIGINT)
        self._stop()


async def end(workers: "set[Worker] | list[Worker]") -> None:
    """Tell workers to stop, and wait for them; whoever takes too long is killed."""
    ending = list(workers)
    for worker in ending:
        worker.tell(signal.SIGTERM)
    try:
        async with asyncio.timeout(_ENDING):
            await asyncio.gather(*(worker.ended() for worker in ending))
    except TimeoutError:
        for worker in ending:
            if worker.is_alive:
                _log.warning("worker %d, process %d, does not end, and is killed", worker.number, worker.pid)
                worker.tell(signal.SIGKILL)
        await asyncio.gather(*(worker.ended() for worker in ending))


def said_of(status: int) -> str:
    """How a process ended, in words."""
    return f"ended with status {status}" if status >= 0 else f"was ended by {signal.Signals(-status).name}"


def _longer(wait: float) -> float:
    return min(max(2 * wait, _SHORTEST), _LONGEST)
