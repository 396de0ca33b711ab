"""A seat token acts at its own table and nowhere else: on pages as over the API, as a bearer token and as a cookie."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

import pytest

from asgi_request import AsgiResponse, send_request
from leftbower.server.http.middleware import SESSION_COOKIE_NAME
from leftbower.store.memory import MemoryStore
from leftbower.web.app import install
from server_client import NO_CUTS, AppServer, Client, seated, serving

START_CODE = "secret-start-word"
WAYS = ("bearer", "cookie")
"""Ways to send a token."""


@dataclass
class TwoTables:
    """Ann hosts and plays at two tables; a program has the token of her seat at the first."""

    server: AppServer
    ann: Client
    bob: Client
    table: str
    other: str
    seat_token: str

    async def send(self, auth: str, method: str, path: str, *, accept: str = "", **form: str) -> AsgiResponse:
        """Send a request with the seat token."""
        headers = {"Accept": accept, "Sec-Fetch-Site": "same-origin"}
        if auth == "bearer":
            headers["Authorization"] = f"Bearer {self.seat_token}"
        else:
            headers["Cookie"] = f"{SESSION_COOKIE_NAME}={self.seat_token}"
        return await send_request(self.server.app, method, path, headers=headers, body=urlencode(form).encode())

    async def refused(self, auth: str, method: str, path: str, **form: str) -> None:
        """The token is refused with a page that says why, and as JSON to a script."""
        page = await self.send(auth, method, path, **form)
        assert page.status == 403, (path, page.status, page.text[:300])
        assert "one seat at one table" in page.text
        assert "set-cookie" not in page.headers
        script = await self.send(auth, method, path, accept="application/json", **form)
        assert (script.status, script.error_code) == (403, "seat-only")


@asynccontextmanager
async def two_tables() -> AsyncIterator[TwoTables]:
    async with serving(MemoryStore()) as server:
        install(server.app, start_code=START_CODE)
        ann, *others = await server.guests("Annabel", "Bob", "Cat", "Dan")
        table, other = [await seated(ann, others, **NO_CUTS) for _ in range(2)]
        for name in (table, other):
            while (await ann.see(name))["phase"] != "playing":
                pass
        token = (await ann.call("POST", f"/api/tables/{table}/token", status=201))["token"]
        yield TwoTables(server, ann, others[0], table, other, token)


@pytest.mark.parametrize("auth", WAYS)
async def test_a_seat_token_sees_no_other_table(auth: str) -> None:
    async with two_tables() as world:
        for page in ("", "/about", "/deal", "/hint", "/tricks", "/hands", "/matches/1", "/feed", "/feed?version=1"):
            await world.refused(auth, "GET", f"/t/{world.other}{page}")


@pytest.mark.parametrize("auth", WAYS)
async def test_a_seat_token_leaves_no_other_table(auth: str) -> None:
    async with two_tables() as world:
        before = await world.ann.see(world.other)
        await world.refused(auth, "POST", f"/t/{world.other}/commands", command="leave")
        assert await world.ann.see(world.other) == before


@pytest.mark.parametrize("auth", WAYS)
async def test_a_seat_token_gives_no_hosting_away(auth: str) -> None:
    async with two_tables() as world:
        for table in (world.other, world.table):
            form = {"command": "hand-over", "person": world.bob.person}
            response = await world.send(auth, "POST", f"/t/{table}/commands", **form)
            assert response.status == 403
            assert (await world.ann.see(table))["host"] == world.ann.person


@pytest.mark.parametrize("auth", WAYS)
async def test_a_seat_token_acts_at_no_other_table(auth: str) -> None:
    async with two_tables() as world:
        before = await world.ann.see(world.other)
        await world.refused(auth, "POST", f"/t/{world.other}/actions", version=str(before["version"]), action="p")
        assert await world.ann.see(world.other) == before


@pytest.mark.parametrize("auth", WAYS)
async def test_a_seat_token_opens_no_table(auth: str) -> None:
    async with two_tables() as world:
        await world.refused(auth, "POST", "/tables", name="Eve", rules="club")
        await world.refused(auth, "POST", "/play", name="Eve", rules="club")
        await world.refused(auth, "GET", f"/start/{START_CODE}")
        assert len(await world.ann.call("GET", "/api/tables")) == 2


@pytest.mark.parametrize("auth", WAYS)
async def test_a_seat_token_is_anonymous_on_pages_for_everyone(auth: str) -> None:
    """Home, rules and the sign-in page work, and show neither the owner's name nor the owner's tables."""
    async with two_tables() as world:
        for path in ("/", "/rules", "/rules/campus", "/learn", "/preferences", "/account", "/events"):
            response = await world.send(auth, "GET", path)
            assert response.status == 200, path
            assert "Annabel" not in response.text, path
            assert world.other not in response.text, path
            assert response.text == (await send_request(world.server.app, "GET", path)).text, path


@pytest.mark.parametrize("auth", WAYS)
async def test_a_seat_token_changes_nothing_of_the_account(auth: str) -> None:
    async with two_tables() as world:
        for action in ("name", "password", "end", "end-others", "remove-passkey", "sign-out", "erase"):
            response = await world.send(auth, "POST", f"/account/{action}", name="Eve", sure="yes")
            assert response.status == 403, action
        assert (await world.ann.call("GET", "/api/me"))["name"] == "Annabel"


@pytest.mark.parametrize("auth", WAYS)
async def test_a_seat_token_plays_its_own_seat_on_the_page(auth: str) -> None:
    async with two_tables() as world:
        table = f"/t/{world.table}"
        page = await world.send(auth, "GET", table)
        assert page.status == 200
        assert 'class="hand' in page.text
        for more in ("/about", "/deal", "/tricks", "/hands"):
            assert (await world.send(auth, "GET", table + more)).status == 200, more
        assert (await world.send(auth, "POST", f"{table}/commands", command="say", phrase="hello")).status == 303
        message = (await world.ann.see(world.table))["chat"]["messages"][-1]
        assert message["person"] == world.ann.person


HOST_COMMANDS: tuple[dict[str, Any], ...] = (
    {"command": "seat-bot", "seat": "E"},
    {"command": "remove-bot", "seat": "E"},
    {"command": "swap", "seat": "N", "other": "E"},
    {"command": "remove", "person": "PERSON"},
    {"command": "hand-over", "person": "PERSON"},
    {"command": "change-rules", "rules": "campus"},
    {"command": "set-clock", "clock": "quick"},
    {"command": "allow-chat", "allowed": True},
    {"command": "set-tempo", "tempo": "brisk"},
    {"command": "allow-hints", "allowed": True},
)
SEAT_COMMANDS: tuple[dict[str, Any], ...] = ({"command": "sit", "seat": "S"}, {"command": "leave"})


async def test_a_seat_token_neither_hosts_nor_takes_or_gives_up_a_seat() -> None:
    """Though its owner is the host: the token is for a program that plays."""
    async with two_tables() as world:
        program = Client(world.server.http, token=world.seat_token)
        before = await world.ann.see(world.table)
        for template in (*HOST_COMMANDS, *SEAT_COMMANDS):
            command = {name: world.bob.person if value == "PERSON" else value for name, value in template.items()}
            await program.refused("POST", f"/api/tables/{world.table}/commands", command, status=403, code="seat-only")
            form = {name: str(value).lower() if value is True else value for name, value in command.items()}
            response = await world.send("cookie", "POST", f"/t/{world.table}/commands", **form)
            assert response.status == 403, command
        await program.refused("POST", f"/api/tables/{world.table}/links", status=403, code="seat-only")
        assert await world.ann.see(world.table) == before
