"""JSON logs, one line per record, without cards, tokens or names.

The text of an exception may contain any of these, so a line has its class and the line of code instead.
"""

import json
import logging
import sys
import time
from types import TracebackType


def configure_logs(level: str, *, worker: int = 0) -> None:
    """Write all logs to standard error as JSON lines, with the number of the `worker`."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonFormatter(worker))
    logging.basicConfig(level=level.upper(), handlers=[handler], force=True)


def log_error(log: logging.Logger, message: str, error: BaseException) -> None:
    """Log a failure with the exception's class and source line, without its text."""
    log.error("%s: %s at %s", message, type(error).__name__, _source(error.__traceback__))


class JsonFormatter(logging.Formatter):
    """Time, level, logger and the first line of the message, as JSON."""

    def __init__(self, worker: int = 0) -> None:
        super().__init__()
        self._worker = {"worker": worker} if worker else {}

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, object] = {
            "time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(record.created)),
            "level": record.levelname.lower(),
            "logger": record.name,
            **self._worker,
            "message": record.getMessage().strip().partition("\n")[0],
        }
        if record.exc_info and record.exc_info[0]:
            kind, _, trace = record.exc_info
            line |= {"error": kind.__name__, "source": _source(trace)}
        return json.dumps(line)


def _source(trace: TracebackType | None) -> str:
    """The module and line that raised."""
    source = ""
    while trace is not None:
        source = f"{trace.tb_frame.f_globals.get('__name__')}:{trace.tb_lineno}"
        trace = trace.tb_next
    return source
