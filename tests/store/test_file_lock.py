"""The lock of a store's file: retried while a process that is ending still holds it."""

import subprocess
import sys
from pathlib import Path
from threading import Timer

import pytest

from leftbower.errors import StoreLocked
from leftbower.store.sqlite.file_lock import FileLock

HOLD = """
import os, sys, time
from pathlib import Path
from leftbower.store.sqlite.file_lock import FileLock
lock = FileLock(Path(sys.argv[1]))
if os.fork():
    os._exit(0)  # the holder has ended, and its worker still has the file open
print("held", flush=True)
sys.stdin.readline()
"""


def test_a_lock_that_is_released_meanwhile_is_taken(tmp_path: Path) -> None:
    path = tmp_path / "leftbower.db"
    dying = FileLock(path)
    ending = Timer(0.2, dying.release)
    ending.start()
    FileLock(path, timeout=60).release()
    ending.join()


def test_a_lock_held_by_workers_of_an_ended_process_is_awaited(tmp_path: Path) -> None:
    path = tmp_path / "leftbower.db"
    command = [sys.executable, "-c", HOLD, str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        assert child.stdout.readline() == "held\n"
        assert child.wait() == 0
        ending = Timer(0.3, child.stdin.close)
        ending.start()
        FileLock(path, timeout=12).release()
        ending.join()


def test_a_lock_that_stays_held_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "leftbower.db"
    lock = FileLock(path)
    with pytest.raises(StoreLocked):
        FileLock(path, timeout=0.1)
    lock.release()
