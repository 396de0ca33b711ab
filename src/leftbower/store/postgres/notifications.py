"""Hints between processes by PostgreSQL's NOTIFY: one for many appends; losing one is harmless."""

from asyncio import Event, Lock, Task, create_task, sleep
from collections.abc import Awaitable, Callable, Iterable, Iterator
from itertools import chain, repeat
from typing import Any, Final, TypeAlias

import asyncpg  # type: ignore[import-untyped]

from leftbower.store.base import HINTS_LOST, Hint

CHANNEL: Final = "leftbower"
MAX_NOTIFICATION_CHARS: Final = 7000
"""PostgreSQL rejects a notification of 8000 bytes or more."""

Connect: TypeAlias = Callable[[], Awaitable[Any]]
FAILURES: Final = (
    OSError,
    TimeoutError,
    asyncpg.PostgresError,
    asyncpg.InterfaceError,
    asyncpg.InternalClientError,  # a connection that breaks in the middle of a message
)


class Notifier:
    """Sends hints over its own connection, because PostgreSQL serializes commits that contain a NOTIFY."""

    def __init__(self, connect: Connect) -> None:
        self._connect = connect
        self._pending: dict[str, int] = {}
        self._wake = Event()
        self._closed = False
        self._task: Task[None] | None = None

    def notify(self, hints: Iterable[Hint]) -> None:
        """Send these soon, together with other pending ones."""
        self._pending |= {hint.log: hint.seq for hint in hints}
        if self._pending:
            self._task = self._task or create_task(self._run(), name="leftbower store notifier")
            self._wake.set()

    async def close(self) -> None:
        """Send pending hints, and disconnect."""
        self._closed = True
        self._wake.set()
        if self._task:
            await self._task

    async def _run(self) -> None:
        connection: Any = None
        while self._pending or not self._closed:
            await self._wake.wait()
            self._wake.clear()
            pending, self._pending = self._pending, {}
            if not pending:
                continue
            try:
                if connection is None or connection.is_closed():
                    connection = await self._connect()
                await connection.execute(_NOTIFY, CHANNEL, list(encode_hints(pending)))
            except FAILURES:
                pass  # hints may be lost
        if connection is not None:
            await connection.close()


class Listener:
    """Receives hints over its own connection; reconnects if it is lost."""

    def __init__(self, connect: Connect, notify: Callable[[Iterable[Hint]], None]) -> None:
        self._connect = connect
        self._notify = notify
        self._joining = Lock()
        self._connection: Any = None
        self._again: Task[None] | None = None
        self._closed = False

    async def start(self) -> None:
        """Connect and start receiving."""
        async with self._joining:
            if self._connection is None:
                self._connection = await self._join()

    async def close(self) -> None:
        self._closed = True
        if self._again:
            self._again.cancel()
        if self._connection:
            await self._connection.close()

    async def _join(self) -> Any:
        connection = await self._connect()
        await connection.add_listener(CHANNEL, self._receive)
        connection.add_termination_listener(self._lost)
        return connection

    def _receive(self, _connection: object, _process: int, _channel: str, text: str) -> None:
        self._notify(parse_hints(text))

    def _lost(self, _connection: object) -> None:
        if not self._closed:
            self._again = create_task(self._rejoin(), name="leftbower store listener")

    async def _rejoin(self) -> None:
        for seconds in chain((0.0, 0.1, 1.0), repeat(5.0)):
            await sleep(seconds)
            try:
                self._connection = await self._join()
            except FAILURES:
                continue
            self._notify([HINTS_LOST])
            return


def encode_hints(seqs: dict[str, int]) -> Iterator[str]:
    """`log seq` lines, in as few notifications as possible."""
    lines: list[str] = []
    length = 0
    for log, seq in seqs.items():
        line = f"{log} {seq}"
        if length + len(line) > MAX_NOTIFICATION_CHARS:
            yield "\n".join(lines)
            lines, length = [], 0
        lines.append(line)
        length += len(line) + 1
    if lines:
        yield "\n".join(lines)


def parse_hints(text: str) -> Iterator[Hint]:
    """The hints of a notification; other lines are ignored, because any client of the database can notify."""
    for line in text.splitlines():
        log, _, seq = line.partition(" ")
        if log and seq.isascii() and seq.isdigit():
            yield Hint(log, int(seq))


_NOTIFY: Final = "select pg_notify($1, line) from unnest($2::text[]) line"
