"""One server per file: a lock file next to it, released when the process ends in any way."""

import os
import sys
from pathlib import Path
from time import monotonic, sleep
from typing import Final

from leftbower.errors import StoreLocked, StoreUnreachable

LOCK_TIMEOUT_SECONDS: Final = 2.0
"""How long to retry a lock held by a running process."""
ENDED_HOLDER_FACTOR: Final = 5
"""How many times longer to retry if the process that took it has ended."""
RETRY_SECONDS: Final = 0.05


class FileLock:
    """The right to write a store's file, held from construction until `release`.

    The lock is on `<file>.lock`, because SQLite locks the file itself. The lock file is never removed: removing it
    could let two servers in.
    """

    def __init__(self, path: Path, *, timeout: float = LOCK_TIMEOUT_SECONDS) -> None:
        beside = path.with_name(path.name + ".lock")
        try:
            self._file = os.open(beside, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o600)
        except OSError as error:
            raise StoreUnreachable("can't write %(lock)s: %(reason)s", lock=beside, reason=error.strerror) from error
        try:
            self._acquire(timeout)
        except OSError as error:
            holder = self._holder()
            os.close(self._file)
            if holder:
                raise StoreLocked("process %(process)s is using %(file)s", process=holder, file=path) from error
            raise StoreLocked("another server is using %(file)s", file=path) from error
        os.ftruncate(self._file, 0)
        os.write(self._file, f" {os.getpid()}\n".encode())

    def _acquire(self, timeout: float) -> None:
        """Take the lock, retrying until the timeout: a process that is being stopped holds it until it has ended.

        If the holder has ended, wait longer, because the last of its forked workers is about to release it.
        """
        started = monotonic()
        while True:
            try:
                return _lock(self._file)
            except OSError:
                limit = timeout if _is_alive(self._holder()) else timeout * ENDED_HOLDER_FACTOR
                if monotonic() - started >= limit:
                    raise
            sleep(RETRY_SECONDS)

    def _holder(self) -> int | None:
        """The last process that took the lock, according to the lock file."""
        text = os.pread(self._file, 20, 1).decode(errors="replace").strip() if os.name == "posix" else ""
        return int(text) if text.isdecimal() else None

    def release(self) -> None:
        """Release the lock, even if a forked worker still has the file open."""
        _unlock(self._file)
        os.close(self._file)


def _is_alive(process: int | None) -> bool:
    """Is this process running, as far as can be known?"""
    if process is None or os.name != "posix":
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


if sys.platform == "win32":
    import msvcrt

    def _lock(file: int) -> None:
        msvcrt.locking(file, msvcrt.LK_NBLCK, 1)

    def _unlock(file: int) -> None:
        os.lseek(file, 0, os.SEEK_SET)
        msvcrt.locking(file, msvcrt.LK_UNLCK, 1)
else:
    import fcntl

    def _lock(file: int) -> None:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def _unlock(file: int) -> None:
        fcntl.flock(file, fcntl.LOCK_UN)
