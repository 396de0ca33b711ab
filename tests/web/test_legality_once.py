"""One click computes legality once: all pages and programs at the table read it from the views of that version."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from random import Random

import httpx
import pytest

from leftbower.engine import State, hand as hand_module, legal_view
from leftbower.notation import to_token, view_from_json
from leftbower.players.player import proper_actions
from leftbower.web.app import install
from server_client import listening, play_on, seated

SAME_ORIGIN = {"Sec-Fetch-Site": "same-origin"}


@asynccontextmanager
async def feed(base: str, path: str, token: str) -> AsyncIterator[asyncio.Queue[int]]:
    """The versions that a feed sends."""
    versions: asyncio.Queue[int] = asyncio.Queue()

    async def read() -> None:
        headers = {**SAME_ORIGIN, "Cookie": f"leftbower={token}"}
        async with (
            httpx.AsyncClient(base_url=base, timeout=None, verify=False) as http,  # one connection each
            http.stream("GET", path, headers=headers) as response,
        ):
            async for line in response.aiter_lines():
                if line.startswith("id: "):
                    versions.put_nowait(int(line.removeprefix("id: ")))

    task = asyncio.create_task(read())
    try:
        yield versions
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def until(versions: "asyncio.Queue[int]", version: int) -> None:
    async with asyncio.timeout(10):
        while await versions.get() < version:
            pass


async def test_a_click_with_five_feeds_computes_legality_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The engine refuses a wrong card when it applies it; that is not counted, and lists nothing."""
    computed: list[State] = []

    def counted(state: State) -> object:
        computed.append(state)
        return hand_module.acts(state) + hand_module.talk(state)

    async with listening() as (base, server), AsyncExitStack() as stack:
        install(server.app)
        clients = await server.guests("Ann", "Bob", "Cat", "Dan")
        table = await seated(clients[0], clients[1:])
        view = await play_on(clients, table, until=lambda now: bool(now["hand"]) and bool(now["hand"]["trick"]))
        paths = [(f"/t/{table}/feed", client.token) for client in clients]
        paths.append((f"/api/tables/{table}/feed", clients[0].token))
        feeds = [await stack.enter_async_context(feed(base, *path)) for path in paths]
        for versions in feeds:
            await until(versions, view["version"])
        views = [(client, await client.see(table)) for client in clients]
        [(client, own)] = [(client, own) for client, own in views if own["hand"]["to_act"] == own["you"]["seat"]]
        action = Random(1).choice(proper_actions(view_from_json(own["hand"])))
        monkeypatch.setattr(legal_view, "legal_actions", counted)
        monkeypatch.setattr(hand_module, "legal_actions", counted)
        response = await server.http.post(
            f"/t/{table}/actions",
            data={"version": str(own["version"]), "action": to_token(action)},
            headers={**SAME_ORIGIN, "Accept": "application/json", "Cookie": f"leftbower={client.token}"},
        )
        assert response.status_code == 200, response.text
        for versions in feeds:
            await until(versions, own["version"] + 1)
        assert (await clients[0].see(table))["version"] == own["version"] + 1
        assert len(computed) == 1
