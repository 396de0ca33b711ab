"""Logs: one line of JSON for each thing worth a line, and never a card, a token or a name in it.

The text of an error may hold any of these, so a line has its kind and the place in the program instead.
"""

import json
import logging
import sys
import time
from types import TracebackType


def configure_logs(level: str, *, worker: int = 0) -> None:
    """Have everything that is logged written to standard error, as lines of JSON; a `worker` says its number."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(Lines(worker))
    logging.basicConfig(level=level.upper(), handlers=[handler], force=True)


def tell_of(log: logging.Logger, what: str, error: BaseException) -> None:
    """Log that something failed: what, the kind of error, and where in the program."""
    log.error("%s: %s at %s", what, type(error).__name__, _where(error.__traceback__))


class Lines(logging.Formatter):
    """When, how bad, who says so, and the first line of what is said."""

    def __init__(self, worker: int = 0) -> None:
        super().__init__()
        self._worker = {"worker": worker} if worker else {}

    def format(self, record: logging.LogRecord) -> str:
        """The line."""
        line: dict[str, object] = {
            "at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(record.created)),
            "level": record.levelname.lower(),
            "logger": record.name,
            **self._worker,
            "message": record.getMessage().strip().partition("\n")[0],
        }
        if record.exc_info and record.exc_info[0]:
            kind, _, trace = record.exc_info
            line |= {"error": kind.__name__, "where": _where(trace)}
        return json.dumps(line)


def _where(trace: TracebackType | None) -> str:
    """The module and line that raised."""
    where = ""
    while trace is not None:
        where = f"{trace.tb_frame.f_globals.get('__name__')}:{trace.tb_lineno}"
        trace = trace.tb_next
    return where
