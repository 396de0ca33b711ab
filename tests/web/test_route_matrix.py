"""Every route against every kind of caller; the expected responses are in `route_matrix.tsv`.

A cell is a status, `feed`, or the code of the error. Where a token sent as a cookie gets another answer than the same
token sent as a bearer token, the cell has both: `not-signed-in/200`. Under `params` stand the parameters of the path,
and of the query; under `body` a form, or JSON in braces. `$name` is what `World.value` makes of it. A route may have
several rows, with other parameters or bodies.
"""

import csv
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import pytest
from fastapi import APIRouter, FastAPI
from fastapi.routing import iter_route_contexts
from fastapi.staticfiles import StaticFiles

from asgi_request import AsgiResponse, send_request
from leftbower.server.app import create_app
from leftbower.store.memory import MemoryStore
from leftbower.web.app import install
from matrix_world import CALLERS, WAYS, World, matrix_server

FILE = Path(__file__).with_name("route_matrix.tsv")
COLUMNS = ("method", "path", "params", "body", *CALLERS)
SAFE = ("GET", "HEAD")
AREAS = ("/api/tables", "/api", "/t/", "/e/", "/")
"""Rows are checked in groups by how their paths begin, the first that fits."""
STATUSES = {
    "not-signed-in": 401,
    "seat-only": 403,
    "not-the-host": 403,
    "not-your-match": 403,
    "not-your-role": 403,
    "link-revoked": 403,
    "not-found": 404,
    "unknown-table": 404,
    "no-hints": 409,
    "not-seated": 409,
    "stale": 409,
}
"""The codes that stand in the matrix, and the statuses that come with them."""


@dataclass(frozen=True)
class Row:
    """One line of the matrix."""

    method: str
    path: str
    params: dict[str, str]
    body: str
    cells: dict[str, str]
    request: str
    """The columns before the cells, as they stand in the file."""

    @property
    def is_safe(self) -> bool:
        return self.method in SAFE

    @property
    def area(self) -> str:
        return next(area for area in AREAS if self.path.startswith(area))

    @property
    def event(self) -> str:
        """The event whose links the roles have."""
        if self.path.startswith("/seasons/"):
            return "season"
        return self.params.get("event", "$event").removeprefix("$")


def rows() -> list[Row]:
    """The matrix as it stands in the file."""
    lines = FILE.read_text(encoding="utf-8").splitlines()
    read = csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)
    assert tuple(read.fieldnames or ()) == COLUMNS, f"the columns of {FILE.name} have to be {COLUMNS}"
    return [
        Row(
            method=line["method"],
            path=line["path"],
            params=_params(line["path"], line["params"]),
            body=line["body"],
            cells={caller: line[caller] or "nothing yet" for caller in CALLERS},
            request="\t".join(line[name] for name in COLUMNS[:4]),
        )
        for line in read
    ]


def _params(path: str, query: str) -> dict[str, str]:
    usual = {name: f"${name}" for name in ("table", "event", "season") if f"{{{name}}}" in path}
    return usual | dict(parse_qsl(query))


def application_with_pages() -> FastAPI:
    app = create_app(MemoryStore())
    install(app)
    return app


def routes(app: FastAPI) -> set[tuple[str, str]]:
    """Method and path of every route of an application, as the application itself lists them."""
    listed = set()
    for route in iter_route_contexts(app.routes):
        assert route.path is not None, f"{route} is no plain route: let `routes` list what it serves"
        assert route.methods is not None, f"{route.path} is no plain route: let `routes` list what it serves"
        listed |= {(method, route.path) for method in route.methods}
    return listed


@dataclass(frozen=True)
class Request:
    """One request of one caller, ready to be sent."""

    app: Any
    method: str
    url: str
    headers: dict[str, str]
    body: bytes

    async def send(self, accept: str = "*/*") -> AsgiResponse:
        return await send_request(
            self.app, self.method, self.url, headers={**self.headers, "accept": accept}, body=self.body
        )


async def request_of(world: World, row: Row, caller: str, auth: str) -> Request:
    """The request of a row, with everything in the world that it needs."""
    headers = {"sec-fetch-site": "same-origin", **await world.headers(caller, auth, row.event)}
    body = b""
    if not row.is_safe:
        body, headers["content-type"] = await world.body(row.body, caller)
    url = await world.url(row.path, row.params, caller)
    assert "{" not in url, f"{row.method} {row.path} needs {url} filled in: add it to the column params"
    return Request(world.app, row.method, url, headers, body)


async def send_row(world: World, row: Row, caller: str, auth: str) -> tuple[bool, str]:
    """Was something done, and how does the matrix spell the answer?

    A page that refuses is asked again for the code, as a script asks. What is refused appends nothing to any log.
    """
    request = await request_of(world, row, caller, auth)
    before = await world.heads()
    response = await request.send()
    assert response.status < 500, (row.method, row.path, caller, auth, response.status)
    if response.status < 400:
        return True, "feed" if response.is_feed else str(response.status)
    code = response.error_code or (await request.send("application/json")).error_code
    assert STATUSES.get(code, response.status) == response.status, (row.path, caller, auth, code, response.status)
    assert await world.heads() == before, (row.path, caller, auth, "was refused and has changed something")
    return False, code or str(response.status)


async def observed(app: Any, shared: World, row: Row) -> dict[str, str]:
    """The cells of a row as the application answers; what one caller changes is not seen by the next."""
    world = shared if row.is_safe else World(app)
    cells = {}
    for caller in CALLERS:
        entries = []
        for auth in WAYS if caller != "anonymous" else WAYS[:1]:
            is_done, entry = await send_row(world, row, caller, auth)
            entries.append(entry)
            if is_done and not row.is_safe:
                world = World(app)
        cells[caller] = "/".join(dict.fromkeys(entries))
    return cells


def differences(row: Row, cells: dict[str, str]) -> Iterator[str]:
    """Who gets something else than the matrix says, and the line that would say so."""
    differing = [caller for caller in CALLERS if cells[caller] != row.cells[caller]]
    if differing:
        yield f"{row.method} {row.path}"
        yield from (f"  {caller}: expected {row.cells[caller]}, got {cells[caller]}" for caller in differing)
        yield "  if that is right, the line is:"
        yield "\t".join([row.request, *(cells[caller] for caller in CALLERS)])


def lines_for(missing: set[tuple[str, str]]) -> list[str]:
    """The lines to be added for routes without a row, with empty cells."""
    return ["\t".join([*route, *[""] * (len(COLUMNS) - 2)]) for route in sorted(missing)]


def test_every_route_has_a_row_in_the_matrix() -> None:
    """Counted from the application: a new route without a row fails, and so does a row without a route."""
    served, listed = routes(application_with_pages()), {(row.method, row.path) for row in rows()}
    missing = lines_for(served - listed)
    assert not missing, (
        f"add these lines to {FILE.name} with the params and body that they need; the test below then prints the "
        "answer to each caller: judge them before you fill them in\n" + "\n".join(missing)
    )
    assert not listed - served, f"no route has these rows of {FILE.name}: {sorted(listed - served)}"
    sys.stdout.write(f"{len(listed)} of {len(served)} routes, {len(rows())} rows, {len(CALLERS)} callers\n")


def test_a_new_route_is_noticed_wherever_it_is_added() -> None:
    app, router = application_with_pages(), APIRouter(prefix="/club")
    before = routes(app)

    @router.post("/{season}")
    async def in_a_router(season: str) -> None: ...

    @app.get("/page")
    async def of_the_application() -> None: ...

    app.include_router(router)
    assert routes(app) - before == {("GET", "/page"), ("POST", "/club/{season}")}
    app.mount("/files", StaticFiles())
    with pytest.raises(AssertionError, match="/files is no plain route"):
        routes(app)


@pytest.mark.parametrize("area", AREAS)
async def test_every_caller_is_answered_as_the_matrix_says(area: str) -> None:
    async with matrix_server() as app:
        shared = World(app, is_played=True)
        observed_rows = [(row, await observed(app, shared, row)) for row in rows() if row.area == area]
    assert observed_rows
    differing = [line for row, cells in observed_rows for line in differences(row, cells)]
    assert not differing, f"{FILE.name} says otherwise:\n" + "\n".join(differing)


async def test_a_seat_token_elsewhere_is_refused_or_anonymous() -> None:
    """Byte for byte: whatever it may open away from its table holds nothing of its owner."""
    about_itself = {"/api/me", "/metrics"}
    async with matrix_server() as app:
        world = World(app)
        for row in rows():
            if row.is_safe and row.path not in about_itself:
                anonymous = await (await request_of(world, row, "anonymous", "bearer")).send()
                for auth in WAYS:
                    response = await (await request_of(world, row, "other-seat", auth)).send()
                    same = (response.status, response.body) == (anonymous.status, anonymous.body)
                    assert response.status == 403 or response.is_feed or same, (row.path, auth)
