"""The fast path answers actions and commands exactly as the plain path does."""

from typing import Any

import httpx
import pytest
from fastapi import APIRouter, Depends, Request, Response

from leftbower.server.api.requests import ActionRequest
from leftbower.server.api.tables import fast_router
from leftbower.server.auth import Player
from leftbower.server.context import Context
from leftbower.server.http import fast_path
from leftbower.store.memory import MemoryStore
from server_client import AppServer, Client, seated, seeded, serving

NO_CUTS: dict[str, Any] = {"rules": "club", "changes": {"deal_cut": "none"}}


async def playing(server: AppServer) -> tuple[list[Client], str, dict[str, Any]]:
    people = await server.guests("Ann", "Bob", "Cat", "Dan")
    table = await seated(people[0], people[1:], **NO_CUTS)
    while (state := await people[0].see(table))["phase"] != "playing":
        pass
    return people, table, state


def odd(body: str, token: str) -> list[tuple[str, dict[str, str]]]:
    """Requests of all kinds, with a good token and without."""
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

        async def send_all() -> list[tuple[int, str, str | None]]:
            answers = []
            for content, headers in requests:
                server.http.cookies.clear()
                response: httpx.Response = await server.http.post(
                    f"/api/tables/{table}/{where}", content=content, headers=headers
                )
                answers.append((response.status_code, response.text, response.headers.get("www-authenticate")))
            return answers

        read = 0

        async def counted(request: Request, *_: Any) -> Response | None:
            nonlocal read
            read += 1
            return None

        fast_answers = await send_all()
        monkeypatch.setattr(fast_path, "handle_fast", counted)
        assert await send_all() == fast_answers
        assert read == len(fast_answers) - 4  # without a token, without one in a word, by another scheme, no JSON
        assert {status for status, *_ in fast_answers} == {401, 409, 422}
        assert (await people[0].see(table))["version"] == state["version"]


async def test_both_paths_act_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    """The second of two equal actions takes the plain path, and is answered as the first."""
    async with serving(MemoryStore(), entropy=seeded(6)) as server:
        people, table, state = await playing(server)
        who = people["NESW".index(state["hand"]["to_act"])]
        action = {"act": "pass", "seat": state["hand"]["to_act"]}
        first = await who.act(table, action, state["version"], action_id="one")

        async def never(request: Request, *_: Any) -> Response | None:
            return None

        monkeypatch.setattr(fast_path, "handle_fast", never)
        assert await who.act(table, action, state["version"], action_id="one") == first
        assert first["action_version"] == state["version"] + 1


def test_a_route_that_needs_more_takes_the_plain_path() -> None:
    """No dependency is ever passed over."""

    async def more() -> None: ...

    async def plain(table: str, body: ActionRequest, caller: Player, context: Context) -> None: ...

    router = APIRouter()
    router.post("/{table}/plain")(plain)
    router.post("/{table}/guarded", dependencies=[Depends(more)])(plain)
    assert len(fast_path.FastPath.of(router)) == 1
    assert len(fast_path.FastPath.of(fast_router)) == 2
