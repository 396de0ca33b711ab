"""One server per file: a lock beside it that ends with the process, however the process ends."""

import os
import sys
from pathlib import Path

from leftbower.errors import StoreLocked, StoreUnreachable


class FileLock:
    """The right to write one store's file, held from the moment this is made until `release`.

    The lock is on `<file>.lock`, not on the file, which SQLite locks in ways of its own. The lock file stays: whoever
    removed it could let two servers in.
    """

    def __init__(self, path: Path) -> None:
        beside = path.with_name(path.name + ".lock")
        try:
            self._file = os.open(beside, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o600)
        except OSError as error:
            raise StoreUnreachable(f"{beside} cannot be written: {error.strerror}") from error
        try:
            _lock(self._file)
        except OSError as error:
            holder = os.pread(self._file, 20, 1).decode(errors="replace").strip() if os.name == "posix" else ""
            os.close(self._file)
            who = f"process {holder}" if holder.isdigit() else "another server"
            raise StoreLocked(f"{path} is in use by {who}; one store file has one server") from error
        os.ftruncate(self._file, 0)
        os.write(self._file, f" {os.getpid()}\n".encode())

    def release(self) -> None:
        """Let the next server in, even if a forked worker still has the file open."""
        _unlock(self._file)
        os.close(self._file)


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
