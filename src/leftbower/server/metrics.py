"""What a server counts, for operators: every number in one place, in the text format that Prometheus reads.

Labels are words of closed sets: routes, statuses, codes, levels. No person, table or token is ever one of them.
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
_TIMES: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)


class Count:
    """A number that only grows, for each set of words."""

    def __init__(self, name: str, says: str, *labels: str) -> None:
        self._name, self._says, self._labels = name, says, labels
        self._counted: Counter[tuple[str, ...]] = Counter()
        if not labels:
            self._counted[()] = 0

    def add(self, *words: str) -> None:
        """One more."""
        self._counted[words] += 1

    def of(self, *words: str) -> int:
        """How many so far."""
        return self._counted[words]

    def lines(self) -> Iterator[str]:
        """As Prometheus reads it."""
        yield from _head(self._name, self._says, "counter")
        for words, number in sorted(self._counted.items()):
            yield _sample(self._name, dict(zip(self._labels, words, strict=True)), number)


class Times:
    """How long something takes, in seconds, sorted into a few bins, for each set of words."""

    def __init__(self, name: str, says: str, *labels: str) -> None:
        self._name, self._says, self._labels = name, says, labels
        self._bins: dict[tuple[str, ...], list[int]] = {}
        self._sums: dict[tuple[str, ...], float] = {}
        if not labels:
            self._note(0.0, (), 0)

    @contextmanager
    def taken(self, *words: str) -> Iterator[None]:
        """Measure what is done here, however it ends."""
        began = perf_counter()
        try:
            yield
        finally:
            self._note(perf_counter() - began, words)

    def of(self, *words: str) -> int:
        """How often so far."""
        return sum(self._bins.get(words, ()))

    def lines(self) -> Iterator[str]:
        """As Prometheus reads it."""
        yield from _head(self._name, self._says, "histogram")
        for words, bins in sorted(self._bins.items()):
            labels = dict(zip(self._labels, words, strict=True))
            for most, number in zip((*_TIMES, "+Inf"), accumulate(bins), strict=True):
                yield _sample(f"{self._name}_bucket", {**labels, "le": str(most)}, number)
            yield _sample(f"{self._name}_sum", labels, round(self._sums[words], 6))
            yield _sample(f"{self._name}_count", labels, sum(bins))

    def _note(self, seconds: float, words: tuple[str, ...], times: int = 1) -> None:
        bins = self._bins.setdefault(words, [0] * (len(_TIMES) + 1))
        bins[bisect_left(_TIMES, seconds)] += times
        self._sums[words] = self._sums.get(words, 0.0) + seconds


REQUESTS: Final = Count("leftbower_requests_total", "Requests that were answered.", "method", "route", "status")
ACTS: Final = Count("leftbower_acts_total", "Acts in hands that became facts, by people or by the house.", "by")
FEEDS_ENDED: Final = Count(
    "leftbower_feeds_ended_total",
    "Feeds that ended: slow readers, crowded out by newer ones, cut by us, failed, or the client left.",
    "why",
)
APPENDS: Final = Times("leftbower_append_seconds", "From asking the store for an append to its being durable.")
THINKING: Final = Times("leftbower_thinking_seconds", "How long bots think, waiting for their turn included.", "level")
STORE_ERRORS: Final = Count("leftbower_store_errors_total", "Requests and house work that the store failed at.", "code")
LIMITS: Final = Count("leftbower_limits_hit_total", "Requests and feeds refused or ended by a limit.", "limit")
_ALL: Final = (REQUESTS, ACTS, FEEDS_ENDED, APPENDS, THINKING, STORE_ERRORS, LIMITS)


def page(gauges: Mapping[str, tuple[str, float]]) -> str:
    """Everything that is counted, with what is so at this moment: a sentence and a number by name."""
    lines = [line for metric in _ALL for line in metric.lines()]
    for name, (says, number) in {**gauges, **_process()}.items():
        lines += [*_head(name, says, "counter" if name.endswith("_total") else "gauge"), _sample(name, {}, number)]
    return "\n".join(lines) + "\n"


def _head(name: str, says: str, kind: str) -> tuple[str, str]:
    return f"# HELP {name} {says}", f"# TYPE {name} {kind}"


def _sample(name: str, labels: Mapping[str, str], number: float) -> str:
    words = ",".join(f'{label}="{word}"' for label, word in labels.items())
    return f"{name}{{{words}}} {number}" if words else f"{name} {number}"


def _process() -> dict[str, tuple[str, float]]:
    """What every process should tell of itself, as far as the system says."""
    told: dict[str, tuple[str, float]] = {
        "process_cpu_seconds_total": ("Processor time used.", round(process_time(), 3))
    }
    files = Path("/proc/self/fd")
    if sys.platform != "win32":
        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
        told["leftbower_memory_most_bytes"] = ("The most memory that was ever resident.", most)
        told["process_max_fds"] = ("As many files may be open.", resource.getrlimit(resource.RLIMIT_NOFILE)[0])
    if files.is_dir():
        told["process_open_fds"] = ("Open files and connections.", sum(1 for _ in files.iterdir()))
    return told
