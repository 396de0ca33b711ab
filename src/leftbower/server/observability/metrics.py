"""Metrics, by `prometheus-client`.

Label values come from fixed sets: routes, statuses, codes, levels; never a person, a table or a token. The workers of a
supervisor write to files in a shared folder, and each of them reports the sum of all.
"""

import os
import sys
from functools import lru_cache
from pathlib import Path
from shutil import rmtree
from tempfile import TemporaryDirectory
from time import process_time
from typing import Final, Literal

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, disable_created_metrics, values
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector, mark_process_dead

if sys.platform != "win32":
    import resource

MEDIA_TYPE: Final = CONTENT_TYPE_PLAIN_0_0_4
_FOLDER_VARIABLE: Final = "PROMETHEUS_MULTIPROC_DIR"
"""The library reads it on import."""
_SLOT_VARIABLE: Final = "LEFTBOWER_METRICS_SLOT"
_SHARED_MEMORY: Final = "/dev/shm"
_BUCKET_BOUNDS: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
_OPEN_FILES: Final = Path("/proc/self/fd")

REGISTRY: Final = CollectorRegistry()
disable_created_metrics()
_slot: Final = os.environ.get(_SLOT_VARIABLE, "")
"""The slot of a worker; empty in a single process, which ignores a folder in the environment of another program."""
values.ValueClass = values.MultiProcessValue(lambda: _slot) if _slot else values.MutexValue


def metrics_folder() -> TemporaryDirectory[str]:
    """A folder for the workers' files, in memory if the system has such a folder and `TMPDIR` sets no other.

    The files are memory-mapped: a worker that writes to a new page on a full disk is killed by SIGBUS.
    """
    in_memory = "TMPDIR" not in os.environ and os.access(_SHARED_MEMORY, os.W_OK | os.X_OK)
    return TemporaryDirectory(prefix="leftbower-metrics-", dir=_SHARED_MEMORY if in_memory else None)


def worker_environment(folder: str, slot: int) -> dict[str, str]:
    """Environment variables of a worker that counts in the files of a slot.

    No two running workers share a slot. A later worker continues the files of a dead one, so that their number is
    bounded no matter how often workers are replaced.
    """
    return {_FOLDER_VARIABLE: folder, _SLOT_VARIABLE: str(slot)}


def remove_metrics_folder() -> None:
    """Remove the folder of a supervisor that was killed."""
    if _slot:
        rmtree(os.environ[_FOLDER_VARIABLE], ignore_errors=True)


def drop_gauges(folder: str, slot: int) -> None:
    """Remove the gauges of a dead worker; its counters stay in the sum."""
    mark_process_dead(slot, folder)


def _counter(name: str, help_text: str, *labels: str) -> Counter:
    return Counter(name, help_text, labels, registry=REGISTRY)


def _gauge(name: str, help_text: str, mode: Literal["livesum", "livemin", "livemax"]) -> Gauge:
    return Gauge(name, help_text, registry=REGISTRY, multiprocess_mode=mode)


def _histogram(name: str, help_text: str, *labels: str) -> Histogram:
    return Histogram(name, help_text, labels, registry=REGISTRY, buckets=_BUCKET_BOUNDS)


_REQUESTS: Final = _counter("leftbower_requests_total", "Answered requests.", "method", "route", "status")
request_counter: Final = lru_cache(maxsize=1024)(_REQUESTS.labels)
"""The counter for these labels; looking one up by its labels costs several times as much as counting."""
_ACTIONS: Final = _counter("leftbower_actions_total", "Actions in hands, by people or by the server.", "by")
PERSON_ACTIONS: Final = _ACTIONS.labels("person")
SERVER_ACTIONS: Final = _ACTIONS.labels("server")
FEEDS_ENDED: Final = _counter(
    "leftbower_feeds_ended_total",
    "Feeds that ended: client disconnected, slow reader, evicted by a newer feed, closed by the server, or failed.",
    "reason",
)
APPEND_SECONDS: Final = _histogram("leftbower_append_seconds", "Duration of appends to the store.")
BOT_SECONDS: Final = _histogram(
    "leftbower_bot_decision_seconds", "Duration of bot decisions, including the wait for a thread.", "level"
)
STORE_ERRORS: Final = _counter("leftbower_store_errors_total", "Failed store operations.", "code")
LIMITS_HIT: Final = _counter("leftbower_limits_hit_total", "Requests and feeds refused by a limit.", "limit")
FEEDS: Final = _gauge("leftbower_feeds", "Open feeds.", "livesum")
TABLES_CACHED: Final = _gauge("leftbower_tables_cached", "Tables in the cache.", "livesum")
TABLES_BUSY: Final = _gauge("leftbower_tables_busy", "Tables with work in progress.", "livesum")
STORE_UP: Final = _gauge("leftbower_store_up", "1 if the store accepts writes, else 0.", "livemin")
STORE_UP.set(1)  # a starting worker reports no outage


class ProcessMetrics:
    """CPU time, memory and open files of this process, if the system reports them."""

    def __init__(self) -> None:
        self._cpu = _counter("process_cpu_seconds_total", "Processor time used.")
        self._counted_seconds = 0.0
        if sys.platform != "win32":
            self._max_rss = _gauge("leftbower_max_rss_bytes", "Largest resident memory so far.", "livesum")
            self._max_files = _gauge("process_max_fds", "Limit of open files.", "livemax")
        if _OPEN_FILES.is_dir():
            self._files = _gauge("process_open_fds", "Open files and connections.", "livemax")

    def record(self) -> None:
        seconds = process_time()
        self._cpu.inc(seconds - self._counted_seconds)
        self._counted_seconds = seconds
        if sys.platform != "win32":
            unit = 1 if sys.platform == "darwin" else 1024
            self._max_rss.set(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit)
            self._max_files.set(resource.getrlimit(resource.RLIMIT_NOFILE)[0])
        if _OPEN_FILES.is_dir():
            self._files.set(_count_open_files())


def _count_open_files() -> int:
    """Since version 6.2 Linux reports the count as the folder's size, in 3 µs; listing 4,000 files takes 6 ms."""
    return _OPEN_FILES.stat().st_size or sum(1 for _ in _OPEN_FILES.iterdir())


PROCESS: Final = ProcessMetrics()


def render_metrics() -> bytes:
    """All metrics in Prometheus text format, of this process or of all workers."""
    registry = REGISTRY
    if _slot:
        registry = CollectorRegistry()
        MultiProcessCollector(registry)
    return generate_latest(registry)
