"""Mutated requests get no 5xx response; and planted faults in the application are found.

`python -m proofs requests` sends a million.
"""

import json
import logging
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from random import Random
from time import process_time
from typing import Any

import pytest

from leftbower.server.http.form_data import parse_urlencoded
from proofs.requests import mutated
from proofs.requests.corpus import BODIES, Corpus, routes_of
from proofs.requests.mutated import AREAS, RequestFailure, RequestsReport, area_of, send_to_worlds
from proofs.requests.world import open_world

Command = Callable[..., Any]
BODYLESS = {
    *(("POST", "/api/me/passkey-options"), ("POST", "/api/sessions/passkey-options"), ("POST", "/api/tokens")),
    *(("POST", "/api/tables/{table}/links"), ("POST", "/api/tables/{table}/token")),
}
"""Routes that change something but read no body."""


def test_three_thousand_mutated_requests_get_no_5xx() -> None:
    """In every area, and with success on nearly every route; a million reach all."""
    report = send_to_worlds(range(1), seed=1, requests=3000)
    assert report.examples == ()
    assert report.failures == 0
    assert report.requests == sum(report.statuses.values()) == 3000
    areas = report.by_area()
    assert all(areas[area] for area in AREAS)
    assert {status for classes in areas.values() for status in classes} == {"2xx", "3xx", "4xx"}
    assert len(report.unreached) < 12


def test_the_same_seed_sends_the_same_requests() -> None:
    """A failure can be reproduced by its seed."""
    first, second = (send_to_worlds(range(1), seed=2, requests=150) for _ in range(2))
    assert first.statuses == second.statuses
    assert first.statuses != send_to_worlds(range(1), seed=3, requests=150).statuses


# Planted faults


def planted(monkeypatch: pytest.MonkeyPatch, fault: Callable[[], None]) -> None:
    """Make forms fail that contain a certain byte."""

    def faulty(body: bytes) -> dict[str, str]:
        if b"%C2" in body:
            fault()
        return parse_urlencoded(body)

    for name, module in tuple(sys.modules.items()):
        if name.startswith("leftbower.web.") and hasattr(module, "parse_urlencoded"):
            monkeypatch.setattr(module, "parse_urlencoded", faulty)


def raises() -> None:
    raise ValueError("planted")


def logs() -> None:
    logging.getLogger("leftbower.api").error("planted")


def burns() -> None:
    until = process_time() + mutated.MAX_CPU_SECONDS + 0.1
    while process_time() < until:
        pass


@pytest.mark.parametrize(("fault", "kinds"), [(raises, {"status", "raised"}), (logs, {"logged"}), (burns, {"slow"})])
def test_a_fault_for_a_certain_byte_is_found(
    fault: Callable[[], None], kinds: set[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    planted(monkeypatch, fault)
    report = send_to_worlds(range(1), seed=1, requests=1500)
    assert 0 < report.failures < 50
    assert {failure.kind for failure in report.examples} <= kinds
    first = report.examples[0]
    assert set(first.request) == {"method", "path", "query", "headers", "body", "disconnect_after"}
    assert json.loads(json.dumps(first.request)) == first.request


# What is sent


async def test_a_world_has_every_caller_and_requests_for_every_route() -> None:
    """A valid request for each route, with a body if the route reads one."""
    async with open_world(5) as world:
        kinds = {"anonymous", "guest", "account", "seat", "organizer", "helper", "side", "player", "wall"}
        assert world.kinds() >= kinds | {"ended", "erased", "revoked", "unknown"}
        corpus, routes = Corpus(world, Random(1)), routes_of(world.app)
        written = {(route.method, route.path) for route in routes if route.method in ("POST", "PUT", "PATCH")}
        assert written - BODYLESS == set(BODIES), "a new route that reads a body needs a valid one in request_corpus.py"
        for route in routes:
            request = await corpus.valid_request(route)
            assert "{" not in request.path
            assert request.method == route.method


def test_areas_are_told_by_paths() -> None:
    paths = {
        "/api/me": "api",
        "/t/{table}/feed": "feeds",
        "/api/tables/{table}/feed": "feeds",
        "/events/import": "imports",
        "/e/{event}/desk/commands": "events",
        "/events": "events",
        "/play": "pages",
        "none": "elsewhere",
    }
    assert {path: area_of(path) for path in paths} == paths


# The command

DONE = RequestsReport(
    requests=5000,
    worlds=1,
    seconds=9.0,
    statuses=Counter({"GET / 2xx": 3000, "POST /play 3xx": 1000, "GET none 4xx": 1000}),
    routes=frozenset({"GET /", "POST /play", "GET /learn"}),
    slowest=0.123,
    slowest_route="GET /",
)
FOUND = RequestFailure(
    kind="status", says="GET / was answered 500", world=0, number=7, request={"method": "GET", "path": "/"}
)


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> Callable[[RequestsReport], None]:
    """Make the proof return this report without sending requests."""

    def plant(report: RequestsReport) -> None:
        monkeypatch.setattr(mutated, "send_to_worlds", lambda worlds, **options: report)

    return plant


def test_requests_that_went_well_are_counted_by_area(run_proofs: Command, sent: Any) -> None:
    sent(DONE)
    text = run_proofs("requests", "--count", "10000").stdout
    assert text.startswith("10,000 requests to 2 worlds, seed 1; 2 of 3 routes gave a 2xx or 3xx response.\n")
    assert "pages             6,000      2,000          0          0          0\n" in text
    assert "took 0.12 s of CPU time (GET /).\nNo 2xx or 3xx response: GET /learn.\nNo failures.\n" in text
    plain = json.loads(run_proofs("requests", "--count", "5000", "--json").stdout)
    assert (plain["requested"], plain["requests"], plain["failures"]) == (5000, 5000, 0)
    assert plain["statuses"]["GET / 2xx"] == 3000


def test_a_failure_is_shown_with_its_request(run_proofs: Command, sent: Any) -> None:
    sent(replace(DONE, failures=1, examples=(FOUND,)))
    text = run_proofs("requests", "--count", "5000", status=1).stdout
    assert (
        "1 failures.\n\nworld 0, request 7, status: GET / was answered 500\n  {'method': 'GET', 'path': '/'}\n" in text
    )


def test_an_interrupt_keeps_what_was_counted(run_proofs: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(worlds: range, **options: Any) -> RequestsReport:
        if worlds.start:
            raise KeyboardInterrupt
        return DONE

    monkeypatch.setattr(mutated, "send_to_worlds", interrupted)
    text = run_proofs("requests", "--count", "10000", status=130).stdout
    assert text.startswith("5,000 of 10,000 requests")
