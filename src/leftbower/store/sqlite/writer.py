"""Writer thread of a SQLite store: all queued jobs become one commit, and their futures are set after it.

Threads share the GIL, so every statement delays the event loop; all appends of a commit are written by a few
statements.
"""

import sqlite3
from asyncio import AbstractEventLoop, Future, get_running_loop
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any, Final, TypeAlias

from leftbower.errors import LeftbowerError, StoreClosed
from leftbower.store.base import Entry, Moments, settle
from leftbower.store.chain import Row
from leftbower.store.db_errors import is_lasting, sqlite_error

Work: TypeAlias = Callable[[sqlite3.Connection], Any] | Entry
"""A job inside a transaction. It may run again if the transaction fails, so it must have no other effects."""
Outcome: TypeAlias = list[Row] | LeftbowerError
"""The rows of an append, or the reason for its refusal."""
Write: TypeAlias = Callable[[sqlite3.Connection, Sequence[Entry]], Sequence[Outcome]]
"""Writes appends inside a transaction; each has its own outcome."""

MAX_JOBS_PER_COMMIT: Final = 500
"""Limits how long a job waits for the others in its commit."""


@dataclass(slots=True)
class Job:
    """A job, the future that its caller awaits, and its outcome."""

    work: Work
    future: Future[Any]
    outcome: Any = None
    """Its result, or the error for its caller."""


class Writer:
    """Runs jobs, many per commit and appends last; each succeeds or fails on its own."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        location: str,
        moments: Moments,
        *,
        write: Write,
        on_rollback: Callable[[], None],
    ) -> None:
        """`on_rollback` is called after a rollback, when anything cached during the write may be wrong."""
        self._connection = connection
        self._write = write
        self._on_rollback = on_rollback
        self._location = location
        self._moments = moments
        self._loop: AbstractEventLoop = get_running_loop()
        self._queue: SimpleQueue[Job | None] = SimpleQueue()
        self._broken: Exception | None = None
        self._closed = False
        self._thread = Thread(target=self._run, name="leftbower store writer", daemon=True)
        self._thread.start()

    async def submit(self, work: Work) -> Any:
        """The result of the work, when it is on disk."""
        if self._closed:
            raise StoreClosed("the store is closed")
        job = Job(work, self._loop.create_future())
        self._queue.put(job)
        return await job.future

    async def close(self) -> None:
        """Finish pending jobs, checkpoint the WAL, and end the thread."""
        self._closed = True
        self._queue.put(None)
        await self._loop.run_in_executor(None, self._thread.join)

    def _run(self) -> None:
        going = True
        while going:
            jobs, going = self._next()
            if jobs:
                self._commit_all(jobs)
                with suppress(RuntimeError):  # the loop is closed, so no caller is waiting
                    self._loop.call_soon_threadsafe(_answer, jobs)
        with suppress(sqlite3.Error):  # the next server reads the WAL
            self._connection.execute("pragma wal_checkpoint(truncate)")
        self._connection.close()

    def _next(self) -> tuple[list[Job], bool]:
        """All pending jobs, at least one unless the writer is closing; and whether to continue."""
        jobs: list[Job] = []
        try:
            while len(jobs) < MAX_JOBS_PER_COMMIT:
                job = self._queue.get(block=not jobs)
                if job is None:
                    return jobs, False
                jobs.append(job)
        except Empty:
            pass
        return jobs, True

    def _commit_all(self, jobs: Sequence[Job]) -> None:
        """Commit the jobs together; if that fails, one by one, so that a failing job does not affect the others."""
        if self._commit(jobs) is not None:
            for job in jobs:
                job.outcome = self._commit([job]) or job.outcome

    def _commit(self, jobs: Sequence[Job]) -> BaseException | None:
        """Run all jobs in one transaction; returns the error if nothing was written."""
        if self._broken:
            return self._broken
        try:
            self._connection.execute("begin immediate")
            self._run_jobs(jobs)
            self._moments("before-commit")
            self._connection.execute("commit")
        except Exception as error:
            return self._roll_back(error)
        self._moments("after-commit")
        return None

    def _run_jobs(self, jobs: Sequence[Job]) -> None:
        """Give each job its outcome; a refused one has written nothing."""
        entries = []
        for job in jobs:
            if isinstance(job.work, Entry):
                entries.append(job.work)
                continue
            try:
                job.outcome = job.work(self._connection)
            except LeftbowerError as refused:
                job.outcome = refused
        outcomes = iter(self._write(self._connection, entries) if entries else ())
        for job in jobs:
            if isinstance(job.work, Entry):
                job.outcome = next(outcomes)

    def _roll_back(self, error: Exception) -> Exception:
        """Roll back. After a failed disk write the file's state is unknown, so nothing more is written."""
        self._on_rollback()
        try:
            if self._connection.in_transaction:
                self._connection.execute("rollback")
        except sqlite3.Error as worse:
            error = worse
        if not isinstance(error, sqlite3.Error):
            return error
        found = sqlite_error(error, self._location)
        if is_lasting(error):
            self._broken = found
        return found


def _answer(jobs: Sequence[Job]) -> None:
    for job in jobs:
        settle(job.future, job.outcome)
