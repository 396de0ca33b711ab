"""Metrics in the Prometheus text format.

Label values come from closed sets: routes, statuses, codes, levels; never a person, a table or a token.
"""

import sys
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from itertools import accumulate
from pathlib import Path
from time import perf_counter, process_time
from typing import Final

if sys.platform != "win32":
    import resource

MEDIA_TYPE: Final = "text/plain; version=0.0.4; charset=utf-8"
_BUCKET_BOUNDS: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)


class CounterMetric:
    """A counter for each combination of label values."""

    def __init__(self, name: str, help_text: str, *labels: str) -> None:
        self._name, self._help, self._labels = name, help_text, labels
        self._counts: Counter[tuple[str, ...]] = Counter()
        if not labels:
            self._counts[()] = 0

    def inc(self, *label_values: str) -> None:
        self._counts[label_values] += 1

    def value(self, *label_values: str) -> int:
        return self._counts[label_values]

    def lines(self) -> Iterator[str]:
        """The metric in the text format."""
        yield from _header(self._name, self._help, "counter")
        for label_values, count in sorted(self._counts.items()):
            yield _sample(self._name, dict(zip(self._labels, label_values, strict=True)), count)


class HistogramMetric:
    """A histogram of durations in seconds, for each combination of label values."""

    def __init__(self, name: str, help_text: str, *labels: str) -> None:
        self._name, self._help, self._labels = name, help_text, labels
        self._buckets: dict[tuple[str, ...], list[int]] = {}
        self._sums: dict[tuple[str, ...], float] = {}
        if not labels:
            self._observe(0.0, (), 0)

    @contextmanager
    def time(self, *label_values: str) -> Iterator[None]:
        """Observe how long the block takes, also if it raises."""
        started = perf_counter()
        try:
            yield
        finally:
            self._observe(perf_counter() - started, label_values)

    def value(self, *label_values: str) -> int:
        """The number of observations."""
        return sum(self._buckets.get(label_values, ()))

    def lines(self) -> Iterator[str]:
        """The metric in the text format."""
        yield from _header(self._name, self._help, "histogram")
        for label_values, buckets in sorted(self._buckets.items()):
            labels = dict(zip(self._labels, label_values, strict=True))
            for bound, count in zip((*_BUCKET_BOUNDS, "+Inf"), accumulate(buckets), strict=True):
                yield _sample(f"{self._name}_bucket", {**labels, "le": str(bound)}, count)
            yield _sample(f"{self._name}_sum", labels, round(self._sums[label_values], 6))
            yield _sample(f"{self._name}_count", labels, sum(buckets))

    def _observe(self, seconds: float, label_values: tuple[str, ...], count: int = 1) -> None:
        buckets = self._buckets.setdefault(label_values, [0] * (len(_BUCKET_BOUNDS) + 1))
        buckets[bisect_left(_BUCKET_BOUNDS, seconds)] += count
        self._sums[label_values] = self._sums.get(label_values, 0.0) + seconds


REQUESTS: Final = CounterMetric("leftbower_requests_total", "Answered requests.", "method", "route", "status")
ACTION_COUNT: Final = CounterMetric("leftbower_actions_total", "Actions in hands, by people or by the server.", "by")
FEEDS_ENDED: Final = CounterMetric(
    "leftbower_feeds_ended_total",
    "Feeds that ended: client disconnected, slow reader, evicted by a newer feed, closed by the server, or failed.",
    "reason",
)
APPEND_SECONDS: Final = HistogramMetric("leftbower_append_seconds", "Duration of appends to the store.")
BOT_SECONDS: Final = HistogramMetric(
    "leftbower_bot_decision_seconds", "Duration of bots' decisions, waiting for a thread included.", "level"
)
STORE_ERRORS: Final = CounterMetric("leftbower_store_errors_total", "Operations that the store failed.", "code")
LIMITS_HIT: Final = CounterMetric("leftbower_limits_hit_total", "Requests and feeds refused by a limit.", "limit")
_METRICS: Final = (REQUESTS, ACTION_COUNT, FEEDS_ENDED, APPEND_SECONDS, BOT_SECONDS, STORE_ERRORS, LIMITS_HIT)


def render_metrics(gauges: Mapping[str, tuple[str, float]]) -> str:
    """The page of all metrics; `gauges` has a help text and the current value by name."""
    lines = [line for metric in _METRICS for line in metric.lines()]
    for name, (help_text, value) in {**gauges, **_process_gauges()}.items():
        kind = "counter" if name.endswith("_total") else "gauge"
        lines += [*_header(name, help_text, kind), _sample(name, {}, value)]
    return "\n".join(lines) + "\n"


def _header(name: str, help_text: str, kind: str) -> tuple[str, str]:
    return f"# HELP {name} {help_text}", f"# TYPE {name} {kind}"


def _sample(name: str, labels: Mapping[str, str], value: float) -> str:
    pairs = ",".join(f'{label}="{label_value}"' for label, label_value in labels.items())
    return f"{name}{{{pairs}}} {value}" if pairs else f"{name} {value}"


def _process_gauges() -> dict[str, tuple[str, float]]:
    """Processor time, memory and open files, as far as the system reports them."""
    gauges: dict[str, tuple[str, float]] = {
        "process_cpu_seconds_total": ("Processor time used.", round(process_time(), 3))
    }
    files = Path("/proc/self/fd")
    if sys.platform != "win32":
        max_rss = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
        gauges["leftbower_max_rss_bytes"] = ("Largest resident memory so far.", max_rss)
        gauges["process_max_fds"] = ("Limit of open files.", resource.getrlimit(resource.RLIMIT_NOFILE)[0])
    if files.is_dir():
        gauges["process_open_fds"] = ("Open files and connections.", sum(1 for _ in files.iterdir()))
    return gauges
