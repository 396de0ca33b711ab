"""One of several processes that serve: on a socket it was handed, until it is told to stop, or nobody is left to do so.

It is begun by `supervising`, reads its orders from standard input, and says on standard output that it serves, or why
it does not. Standard input is open for as long as whoever began it lives.
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
from leftbower.server.logs import tell_of
from leftbower.server.settings import Settings


@dataclass(frozen=True, slots=True, kw_only=True)
class Orders:
    """What a worker is begun with."""

    worker: int
    """Its number, for its logs."""
    listener: int
    """The number of the socket."""
    shares: int
    """The number of the file in which all of them say how many connections they have."""
    head_start: float
    """Seconds in which it may get to know the tables before it serves, while others do."""
    settings: dict[str, Any]
    prepare: str = ""
    """What adds to the application, as `module:function`; nothing by default."""

    def spelled(self) -> bytes:
        """As a line. It is not on the command line, where everybody could read the database's password."""
        return json.dumps(asdict(self)).encode() + b"\n"

    @classmethod
    def read(cls, line: bytes) -> Self:
        """The other way."""
        return cls(**json.loads(line))


@dataclass(frozen=True, slots=True, kw_only=True)
class Word:
    """What a worker says once: it serves, or an error keeps it from serving."""

    error: LeftbowerError | None = None

    def spelled(self) -> bytes:
        """As a line. It goes to the process that began this one, and nowhere else."""
        return pickle.dumps(self.error).hex().encode() + b"\n"

    @classmethod
    def read(cls, line: bytes) -> Self:
        """The other way."""
        return cls(error=pickle.loads(bytes.fromhex(line.decode())))


def main() -> None:
    """Serve as ordered."""
    from leftbower.server.listening import handed_on  # noqa: PLC0415
    from leftbower.server.serving import run  # noqa: PLC0415
    from leftbower.server.sharing import Shares  # noqa: PLC0415

    said = os.dup(1)
    os.dup2(2, 1)  # whatever else is printed is no word of ours
    line = sys.stdin.buffer.readline()
    if not line:
        return
    orders = Orders.read(line)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    Thread(target=_end_with_whoever_ordered, daemon=True).start()
    settings = Settings(**orders.settings)
    with handed_on(settings, orders.listener) as listener:
        try:
            run(
                settings,
                listener=listener,
                shares=Shares(orders.shares, settings.processes),
                worker=orders.worker,
                head_start=orders.head_start,
                prepare=named(orders.prepare),
                started=lambda port: os.write(said, Word().spelled()),
            )
        except LeftbowerError as error:
            os.write(said, Word(error=error).spelled())
            sys.exit(2)
        except Exception as error:
            tell_of(logging.getLogger("leftbower.worker"), "a worker failed", error)
            sys.exit(1)


def named(what: str) -> Callable[[Any], None]:
    """The function of a name like `module:function`; one that does nothing for no name."""
    if not what:
        return lambda app: None
    module, _, function = what.partition(":")
    found: Callable[[Any], None] = getattr(import_module(module), function)
    return found


def _end_with_whoever_ordered() -> None:
    """Nobody writes any more, so this waits until the other end is closed."""
    os.read(0, 1)
    os.kill(os.getpid(), signal.SIGTERM)


if __name__ == "__main__":
    main()
