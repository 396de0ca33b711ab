"""Mutated requests: applications get requests of every kind, and none may get a 5xx response.

Requests go to worlds, each with a new application; a world depends only on the seed and its number, so worlds can be
spread over processes.
"""

import asyncio
import logging
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from random import Random
from time import monotonic
from traceback import format_exception
from typing import Any, Final

from proofs.requests.asgi_exchange import Request, exchange
from proofs.requests.corpus import Corpus, routes_of
from proofs.requests.world import World, open_world

WORLD_REQUESTS: Final = 5000
"""Requests to one world; after that it is full of tables and events."""
MAX_CPU_SECONDS: Final = 1.0
MAX_EXAMPLES: Final = 20
"""Failures described in a report; all are counted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestFailure:
    """A failed request, with everything needed to resend it."""

    kind: str
    """`status`, `raised`, `slow` or `logged`."""
    says: str
    world: int
    number: int
    """The number of the request to that world, from 0."""
    request: dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestsReport:
    """The result of requests to some worlds; reports can be added."""

    requests: int = 0
    worlds: int = 0
    seconds: float = 0.0
    statuses: Counter[str] = field(default_factory=Counter)
    """Responses by route and class of status: `POST /play 3xx`."""
    routes: frozenset[str] = frozenset()
    """All routes, like `POST /play`."""
    slowest: float = 0.0
    """CPU seconds of the slowest response."""
    slowest_route: str = ""
    failures: int = 0
    examples: tuple[RequestFailure, ...] = ()

    def __add__(self, other: "RequestsReport") -> "RequestsReport":
        slower = max(self, other, key=lambda part: part.slowest)
        return RequestsReport(
            requests=self.requests + other.requests,
            worlds=self.worlds + other.worlds,
            seconds=self.seconds + other.seconds,
            statuses=self.statuses + other.statuses,
            routes=self.routes | other.routes,
            slowest=slower.slowest,
            slowest_route=slower.slowest_route,
            failures=self.failures + other.failures,
            examples=(*self.examples, *other.examples)[:MAX_EXAMPLES],
        )

    @property
    def reached(self) -> frozenset[str]:
        """The routes that gave a 2xx or 3xx response."""
        return frozenset(key.rpartition(" ")[0] for key in self.statuses if key.endswith((" 2xx", " 3xx")))

    @property
    def unreached(self) -> tuple[str, ...]:
        """The routes that have not."""
        return tuple(sorted(self.routes - self.reached))

    def by_area(self) -> dict[str, dict[str, int]]:
        """Responses by area of the application and class of status."""
        found: dict[str, Counter[str]] = {area: Counter() for area in AREAS}
        for key, number in self.statuses.items():
            route, _, status = key.rpartition(" ")
            found[area_of(route.partition(" ")[2])][status] += number
        return {area: dict(sorted(classes.items())) for area, classes in found.items()}

    def as_json(self) -> dict[str, Any]:
        return {
            **{name: getattr(self, name) for name in ("requests", "worlds", "slowest", "slowest_route", "failures")},
            "seconds": round(self.seconds, 1),
            "areas": self.by_area(),
            "statuses": dict(sorted(self.statuses.items())),
            "routes": len(self.routes),
            "unreached": list(self.unreached),
            "examples": [asdict(example) for example in self.examples],
        }


AREAS: Final = ("api", "feeds", "imports", "events", "pages", "elsewhere")


def area_of(path: str) -> str:
    """The part of the application that a route belongs to, by its path."""
    if path == "none":
        return "elsewhere"
    if path.endswith("/feed"):
        return "feeds"
    if path.endswith("/import"):
        return "imports"
    if path.startswith(("/api/", "/healthz", "/metrics")):
        return "api"
    return "events" if path.startswith(("/e/", "/events")) else "pages"


def worlds_for(requests: int) -> Iterator[range]:
    """Numbers of worlds, one by one, enough for all requests."""
    return (range(number, number + 1) for number in range(-(-requests // WORLD_REQUESTS)))


def send_to_worlds(worlds: range, *, seed: int, requests: int) -> RequestsReport:
    """Send requests to these worlds, each its share."""
    report = RequestsReport()
    for number in worlds:
        share = min(WORLD_REQUESTS, requests - number * WORLD_REQUESTS)
        report += asyncio.run(_send_to_world(number, seed, share))
    return report


async def _send_to_world(number: int, seed: int, requests: int) -> RequestsReport:
    began = monotonic()
    async with open_world(seed * 1_000_003 + number) as world:
        rng = Random(f"{seed}:{number}:requests")
        sender = _Sender(world, number)
        corpus = Corpus(world, rng)
        with _log_records() as logged:
            for index in range(requests):
                await sender.send(await corpus.next_request(), index, logged)
                await world.wait_for_bots()
    return replace(sender.report(), worlds=1, routes=sender.routes, seconds=monotonic() - began)


class _Sender:
    """Sends requests to one world, and counts responses."""

    def __init__(self, world: World, number: int) -> None:
        self._world, self._number = world, number
        self.routes = frozenset(f"{route.method} {route.path}" for route in routes_of(world.app))
        self._statuses: Counter[str] = Counter()
        self._slowest, self._slowest_route = 0.0, ""
        self._requests, self._failures = 0, 0
        self._examples: list[RequestFailure] = []

    def report(self) -> RequestsReport:
        return RequestsReport(
            requests=self._requests,
            statuses=self._statuses,
            slowest=round(self._slowest, 4),
            slowest_route=self._slowest_route,
            failures=self._failures,
            examples=tuple(self._examples),
        )

    async def send(self, request: Request, index: int, logged: list[str]) -> None:
        self._requests += 1
        logged.clear()
        try:
            answer = await exchange(self._world.app, request)
        except Exception as error:
            self._fail("raised", "".join(format_exception(error))[-2000:], request, index)
            return
        route = f"{request.method} {answer.route}"
        if answer.route == "none" and f"{request.method} {request.path}" in self.routes:
            route = f"{request.method} {request.path}"  # a route of Starlette's own, which leaves no route in the scope
        self._statuses[f"{route} {answer.status // 100}xx"] += 1
        if answer.cpu_seconds > self._slowest:
            self._slowest, self._slowest_route = answer.cpu_seconds, route
        if answer.status >= 500:
            self._fail("status", f"{route} was answered {answer.status}\n{''.join(logged)[-2000:]}", request, index)
        elif logged:
            self._fail("logged", "".join(logged)[-2000:], request, index)
        elif answer.cpu_seconds > MAX_CPU_SECONDS:
            self._fail("slow", f"{route} took {answer.cpu_seconds:.2f} s of CPU time", request, index)
        elif answer.status == 0 and request.disconnect_after is None:
            self._fail("status", f"{route} was not answered", request, index)

    def _fail(self, kind: str, says: str, request: Request, index: int) -> None:
        self._failures += 1
        if len(self._examples) < MAX_EXAMPLES:
            failure = RequestFailure(kind=kind, says=says, world=self._number, number=index, request=request.as_json())
            self._examples.append(failure)


@contextmanager
def _log_records() -> Iterator[list[str]]:
    """Collect errors and tracebacks from the log."""
    found: list[str] = []

    class Recorder(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            if record.levelno >= logging.ERROR or record.exc_info:
                trace = "".join(format_exception(record.exc_info[1])) if record.exc_info else ""
                found.append(f"{record.name}: {record.getMessage()}\n{trace}")

    handler, root = Recorder(), logging.getLogger()
    root.addHandler(handler)
    try:
        yield found
    finally:
        root.removeHandler(handler)
