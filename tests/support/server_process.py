"""`leftbower serve` in its own process, as operators run it."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from threading import Condition, Thread


class ServerProcess:
    def __init__(self, *words: str, cwd: Path, **environment: str) -> None:
        clean = {name: value for name, value in os.environ.items() if not name.startswith("LEFTBOWER_")}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "leftbower", "serve", *words],
            cwd=cwd,
            env=clean | environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.logged: list[str] = []
        """The lines logged since the first call of `until`."""
        self._changed = Condition()
        self._reading: Thread | None = None

    def address(self) -> str:
        """The address that it prints."""
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert line.startswith("Listening on http://"), (line, self.process.communicate())
        return line.removeprefix("Listening on ").strip()

    def end(self, how: signal.Signals) -> tuple[int, str]:
        """Send a signal; returns the exit status and the log."""
        self.process.send_signal(how)
        if self._reading is None:
            _, logged = self.process.communicate(timeout=60)
            return self.process.returncode, logged
        status = self.process.wait(timeout=60)
        self._reading.join()
        return status, "".join(self.logged)

    def until(self, holds: Callable[[list[str]], bool]) -> list[str]:
        """Wait until the condition holds for the logged lines; return them."""
        if self._reading is None:
            self._reading = Thread(target=self._read, daemon=True)
            self._reading.start()
        with self._changed:
            assert self._changed.wait_for(lambda: holds(self.logged), timeout=60), self.logged
            return list(self.logged)

    def workers(self) -> dict[int, int]:
        """The process id of each worker in its log, by the worker's number."""
        found = re.findall(r"worker (\d+) is serving, process (\d+)", "".join(self.logged))
        return {int(worker): int(process) for worker, process in found}

    def _read(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            with self._changed:
                self.logged.append(line)
                self._changed.notify_all()
