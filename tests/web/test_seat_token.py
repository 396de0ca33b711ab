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

    async def send(self, way: str, method: str, path: str, *, accept: str = "", **form: str) -> AsgiResponse:
        """Send a request with the seat token."""
        headers = {"Accept": accept, "Sec-Fetch-Site": "same-origin"}
        if way == "bearer":
            headers["Authorization"] = f"Bearer {self.seat_token}"
        else:
            headers["Cookie"] = f"{SESSION_COOKIE_NAME}={self.seat_token}"
        return await send_request(self.server.app, method, path, headers=headers, body=urlencode(form).encode())

    async def refused(self, way: str, method: str, path: str, **form: str) -> None:
        """The token is refused with a page that says why, and as JSON to a script."""
        page = await self.send(way, method, path, **form)
        assert page.status == 403, (path, page.status, page.text[:300])
        assert "one seat at one table" in page.text
        assert "set-cookie" not in page.headers
        script = await self.send(way, method, path, accept="application/json", **form)
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


@pytest.mark.parametrize("way", WAYS)
async def test_a_seat_token_sees_no_other_table(way: str) -> None:
    async with two_tables() as evening:
        for page in ("", "/about", "/deal", "/hint", "/tricks", "/hands", "/matches/1", "/feed", "/feed?version=1"):
            await evening.refused(way, "GET", f"/t/{evening.other}{page}")


@pytest.mark.parametrize("way", WAYS)
async def test_a_seat_token_leaves_no_other_table(way: str) -> None:
    async with two_tables() as evening:
        before = await evening.ann.see(evening.other)
        await evening.refused(way, "POST", f"/t/{evening.other}/commands", command="leave")
        assert await evening.ann.see(evening.other) == before


@pytest.mark.parametrize("way", WAYS)
async def test_a_seat_token_gives_no_hosting_away(way: str) -> None:
    async with two_tables() as evening:
        for table in (evening.other, evening.table):
            asked = {"command": "hand-over", "person": evening.bob.person}
            answer = await evening.send(way, "POST", f"/t/{table}/commands", **asked)
            assert answer.status == 403
            assert (await evening.ann.see(table))["host"] == evening.ann.person


@pytest.mark.parametrize("way", WAYS)
async def test_a_seat_token_acts_at_no_other_table(way: str) -> None:
    async with two_tables() as evening:
        before = await evening.ann.see(evening.other)
        await evening.refused(way, "POST", f"/t/{evening.other}/actions", v=str(before["version"]), a="p")
        assert await evening.ann.see(evening.other) == before


@pytest.mark.parametrize("way", WAYS)
async def test_a_seat_token_opens_no_table(way: str) -> None:
    async with two_tables() as evening:
        await evening.refused(way, "POST", "/tables", name="Eve", rules="club")
        await evening.refused(way, "POST", "/play", name="Eve", rules="club")
        await evening.refused(way, "GET", f"/start/{START_CODE}")
        assert len(await evening.ann.call("GET", "/api/tables")) == 2


@pytest.mark.parametrize("way", WAYS)
async def test_a_seat_token_is_anonymous_on_pages_for_everyone(way: str) -> None:
    """Home, rules and the sign-in page work, and show neither the owner's name nor the owner's tables."""
    async with two_tables() as evening:
        for path in ("/", "/rules", "/rules/campus", "/learn", "/preferences", "/account", "/events"):
            answer = await evening.send(way, "GET", path)
            assert answer.status == 200, path
            assert "Annabel" not in answer.text, path
            assert evening.other not in answer.text, path
            assert answer.text == (await send_request(evening.server.app, "GET", path)).text, path


@pytest.mark.parametrize("way", WAYS)
async def test_a_seat_token_changes_nothing_of_the_account(way: str) -> None:
    async with two_tables() as evening:
        for action in ("name", "password", "end", "end-others", "remove-passkey", "sign-out", "erase"):
            answer = await evening.send(way, "POST", f"/account/{action}", name="Eve", sure="yes")
            assert answer.status == 403, action
        assert (await evening.ann.call("GET", "/api/me"))["name"] == "Annabel"


@pytest.mark.parametrize("way", WAYS)
async def test_a_seat_token_plays_its_own_seat_on_the_page(way: str) -> None:
    async with two_tables() as evening:
        table = f"/t/{evening.table}"
        page = await evening.send(way, "GET", table)
        assert page.status == 200
        assert 'class="hand' in page.text
        for more in ("/about", "/deal", "/tricks", "/hands"):
            assert (await evening.send(way, "GET", table + more)).status == 200, more
        assert (await evening.send(way, "POST", f"{table}/commands", command="say", phrase="hello")).status == 303
        said = (await evening.ann.see(evening.table))["chat"]["messages"][-1]
        assert said["person"] == evening.ann.person


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
    async with two_tables() as evening:
        program = Client(evening.server.http, token=evening.seat_token)
        before = await evening.ann.see(evening.table)
        for template in (*HOST_COMMANDS, *SEAT_COMMANDS):
            ask = {name: evening.bob.person if value == "PERSON" else value for name, value in template.items()}
            await program.refused("POST", f"/api/tables/{evening.table}/commands", ask, status=403, code="seat-only")
            form = {name: str(value).lower() if value is True else value for name, value in ask.items()}
            answer = await evening.send("cookie", "POST", f"/t/{evening.table}/commands", **form)
            assert answer.status == 403, ask
        await program.refused("POST", f"/api/tables/{evening.table}/links", status=403, code="seat-only")
        assert await evening.ann.see(evening.table) == before
