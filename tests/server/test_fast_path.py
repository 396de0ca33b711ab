"""The fast path responds to actions and commands exactly like FastAPI's handler."""

import json
from typing import Any, Final

import httpx
import pytest
from fastapi import APIRouter, Depends, Request

from leftbower.server.api import tables
from leftbower.server.api.requests import ActionRequest
from leftbower.server.auth import Player, SignedIn, player_by_token
from leftbower.server.context import Context
from leftbower.server.http import fast_path
from leftbower.server.http.fast_path import FastRoute
from leftbower.store.memory import MemoryStore
from scripts import measure_http
from server_client import AppServer, Client, checked, seated, seeded, serving

NO_CUTS: dict[str, Any] = {"rules": "club", "changes": {"deal_cut": "none"}}

PLAIN_PATH: Final = "application/json; charset=utf-8"
"""A content type that FastAPI accepts as JSON, but the fast path does not."""


def record_fast_tokens(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Record the tokens of requests that the fast path serves."""
    tokens: list[str] = []

    async def recording(request: Request, token: str) -> SignedIn:
        tokens.append(token)
        return await player_by_token(request, token)

    monkeypatch.setattr(fast_path, "player_by_token", recording)
    return tokens


async def playing(server: AppServer) -> tuple[list[Client], str, dict[str, Any]]:
    people = await server.guests("Ann", "Bob", "Cat", "Dan")
    table = await seated(people[0], people[1:], **NO_CUTS)
    while (state := await people[0].see(table))["phase"] != "playing":
        pass
    return people, table, state


def odd(body: str, token: str) -> list[tuple[str, dict[str, str]]]:
    """Requests of all kinds, with a valid token and without."""
    plain = {"Content-Type": "application/json", "Authorization": f"Bearer {token}"}
    return [
        (body, plain | {"Authorization": "Bearer unknown"}),
        (body, plain | {"Authorization": "Bearer "}),
        (body, plain | {"Authorization": "Basic abc"}),
        (body, {"Content-Type": "application/json"}),
        (body, plain | {"Content-Type": "text/plain"}),
        ("{", plain),
        ("[" * 5000, plain),
        ("[1]", plain),
        ("", plain),
        ('{"version": 1}', plain),
        ('{"version": "1", "action_id": "a", "action": {}}', plain),
        ('{"version": 1, "action_id": "a", "action": {}}', plain),
        ('{"version": 1, "action_id": "a", "action": {"act": "pass", "seat": "N"}, "more": 1}', plain),
        ('{"version": 1, "action_id": "a", "action": {"act": "pass", "seat": "N"}}', plain),
    ]


ACTION = '{"version": 1, "action_id": "x", "action": {"act": "pass", "seat": "N"}}'
COMMAND = '{"command": "cut", "number": 3, "version": 1}'
ODD_COMMANDS = (
    '{"command": "cut", "number": "3"}',
    '{"command": "cut", "number": 3.0}',
    '{"command": "cut", "number": true}',
    '{"command": "cut", "number": 3, "more": 1}',
    '{"command": "nothing"}',
    '{"command": "sit", "seat": "N", "seat": "Q"}',
    '{"command": "sit", "seat": "\\ud800"}',
    '{"command": "say", "phrase": "NaN", "version": NaN}',
    '{"command": "agree"}',
    '{"command": "leave", "version": 1}',
)


@pytest.mark.parametrize(("where", "body", "more"), [("actions", ACTION, ()), ("commands", COMMAND, ODD_COMMANDS)])
async def test_odd_requests_get_the_same_answer_on_both_paths(
    where: str, body: str, more: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    async with serving(MemoryStore(), entropy=seeded(5)) as server:
        people, table, state = await playing(server)
        plain = {"Content-Type": "application/json", "Authorization": f"Bearer {people[0].token}"}
        requests = [*odd(body, people[0].token), *((text, plain) for text in more)]

        async def send_all(content_type: str) -> list[tuple[int, str, str | None]]:
            answers = []
            for content, headers in requests:
                server.http.cookies.clear()
                is_json = headers["Content-Type"] == "application/json"
                sent = headers | {"Content-Type": content_type} if is_json else headers
                response: httpx.Response = await server.http.post(
                    f"/api/tables/{table}/{where}", content=content, headers=sent
                )
                answers.append((response.status_code, response.text, response.headers.get("www-authenticate")))
            return answers

        fast_tokens = record_fast_tokens(monkeypatch)
        fast_answers = await send_all("application/json")
        assert fast_tokens.pop(0) == "unknown"
        assert set(fast_tokens) == {people[0].token}
        fast_tokens.clear()
        assert await send_all(PLAIN_PATH) == fast_answers
        assert not fast_tokens
        assert {status for status, *_ in fast_answers} == {401, 409, 422}
        assert (await people[0].see(table))["version"] == state["version"]


async def test_both_paths_act_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    """The second of two equal actions goes through FastAPI's handler, and gets the same response."""
    async with serving(MemoryStore(), entropy=seeded(6)) as server:
        people, table, state = await playing(server)
        who = people["NESW".index(state["hand"]["to_act"])]
        action = {"act": "pass", "seat": state["hand"]["to_act"]}
        fast_tokens = record_fast_tokens(monkeypatch)
        first = await who.act(table, action, state["version"], action_id="one")
        assert fast_tokens == [who.token]
        body = {"version": state["version"], "action_id": "one", "action": action}
        headers = {"Content-Type": PLAIN_PATH}
        assert await who.call("POST", f"/api/tables/{table}/actions", body, headers=headers) == first
        assert first["action_version"] == state["version"] + 1
        assert fast_tokens == [who.token]


@pytest.mark.parametrize("content_type", ["application/json", PLAIN_PATH])
async def test_an_unexpected_exception_is_the_same_error_on_both_paths(
    content_type: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with serving(MemoryStore(), entropy=seeded(7)) as server:
        people, table, _ = await playing(server)

        async def fail(*_: Any, **__: Any) -> None:
            raise ValueError("a mistake with 9c")

        monkeypatch.setattr(server.context.tables, "execute", fail)
        headers = {"Content-Type": content_type}
        error = await people[0].call(
            "POST", f"/api/tables/{table}/actions", json.loads(ACTION), headers=headers, status=500
        )
        assert checked(error, "error")["message"] == "the server failed; this is not your fault"


async def test_what_the_fast_path_and_pushes_save_can_be_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measure_http, "TABLES", 3)
    seconds = await measure_http.measure()
    assert list(seconds) == ["all", "no fast path", "no push"]
    assert all(values and min(values) > 0 for values in seconds.values())


def test_a_route_that_needs_more_takes_the_plain_path() -> None:
    """No dependency is ever skipped."""

    async def more() -> None: ...

    async def plain(table: str, body: ActionRequest, caller: Player, context: Context) -> None: ...

    router = APIRouter(route_class=FastRoute)
    router.post("/{table}/plain")(plain)
    router.post("/{table}/guarded", dependencies=[Depends(more)])(plain)
    handlers = [route.get_route_handler() for route in router.routes if isinstance(route, FastRoute)]
    assert ["fast" in handler.__name__ for handler in handlers] == [True, False]
    routes = [route for route in tables.router.routes if isinstance(route, FastRoute)]
    fast_paths = [route.path for route in routes if "fast" in route.get_route_handler().__name__]
    assert fast_paths == ["/api/tables/{table}/actions", "/api/tables/{table}/commands"]
