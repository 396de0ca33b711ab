"""Entry point of a worker process.

The supervisor starts it. It reads its `WorkerConfig` from standard input, inherits the socket, and writes a
`StartupResult` to standard output. Standard input stays open while the supervisor lives; when it closes, the worker
stops.
"""

import json
import logging
import os
import pickle
import signal
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass
from importlib import import_module
from threading import Thread
from typing import Any, Self

from leftbower.errors import LeftbowerError
from leftbower.server.observability.logs import log_error
from leftbower.server.observability.metrics import remove_metrics_folder
from leftbower.server.settings import Settings


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerConfig:
    """What the supervisor sends to a new worker."""

    worker: int
    """Its number, for logs."""
    listener: int
    """File descriptor of the socket."""
    counts: int
    """File descriptor of the shared connection counts."""
    head_start: float
    """Seconds to fold tables into the cache before serving, while other workers serve."""
    settings: dict[str, Any]
    prepare: str = ""
    """A function that changes the application, as `module:function`."""

    def to_line(self) -> bytes:
        """One line of JSON, sent on standard input: on the command line all users could read the database password."""
        return json.dumps(asdict(self)).encode() + b"\n"

    @classmethod
    def from_line(cls, line: bytes) -> Self:
        return cls(**json.loads(line))


@dataclass(frozen=True, slots=True, kw_only=True)
class StartupResult:
    """Sent once by a worker: it serves, or the error that prevents it."""

    error: LeftbowerError | None = None

    def to_line(self) -> bytes:
        return pickle.dumps(self.error).hex().encode() + b"\n"

    @classmethod
    def from_line(cls, line: bytes) -> Self:
        return cls(error=pickle.loads(bytes.fromhex(line.decode())))


def main() -> None:
    """Serve with the config on standard input."""
    from leftbower.server.process.balancer import ConnectionCounts  # noqa: PLC0415
    from leftbower.server.process.listener import inherit_listener  # noqa: PLC0415
    from leftbower.server.process.run import run  # noqa: PLC0415

    result_pipe = os.dup(1)
    os.dup2(2, 1)  # other output goes to standard error
    line = sys.stdin.buffer.readline()
    if not line:
        return
    config = WorkerConfig.from_line(line)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    Thread(target=_stop_with_supervisor, daemon=True).start()
    settings = Settings(**config.settings)
    with inherit_listener(settings, config.listener) as listener:
        try:
            run(
                settings,
                listener=listener,
                counts=ConnectionCounts(config.counts, settings.processes),
                worker=config.worker,
                head_start=config.head_start,
                prepare=import_function(config.prepare),
                started=lambda port: os.write(result_pipe, StartupResult().to_line()),
            )
        except LeftbowerError as error:
            os.write(result_pipe, StartupResult(error=error).to_line())
            sys.exit(2)
        except Exception as error:
            log_error(logging.getLogger("leftbower.worker"), "a worker failed", error)
            sys.exit(1)


def import_function(path: str) -> Callable[[Any], None]:
    """The function at `module:function`; for an empty path, one that does nothing."""
    if not path:
        return lambda app: None
    module, _, name = path.partition(":")
    function: Callable[[Any], None] = getattr(import_module(module), name)
    return function


def _stop_with_supervisor() -> None:
    """Stop when the supervisor's end of standard input closes: it was killed and has not removed its files."""
    os.read(0, 1)
    remove_metrics_folder()
    os.kill(os.getpid(), signal.SIGTERM)


if __name__ == "__main__":
    main()
