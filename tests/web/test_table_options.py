"""The options of a table: on its page, by the API, and what they change for each viewer."""

from html import unescape

import pytest

from leftbower.rules import preset
from leftbower.server.feeds.json_cache import TableJsonCache
from leftbower.store.memory import MemoryStore
from leftbower.table import WatchingChanged, hand_view_for, open_positions_for, table_to_json
from leftbower.web.app import install
from leftbower.web.render import render_table
from leftbower.web.table.text import bot_text
from server_client import Client, play_on, seated as seated_table, seeded, serving
from table_fixture import ANN, BOB, seated

NAMES = {ANN: "Ann", BOB: "Bob"}
OUTSIDERS = ("eve", None)


@pytest.mark.parametrize("seed", range(3))
def test_without_watching_nobody_else_sees_a_card(seed: int) -> None:
    """At every version of two hands; players see the same as before, and afterward everyone sees the result."""
    fixture, table_json = seated(preset("standard"), people=(ANN, BOB), seed=seed), TableJsonCache()
    fixture.command(ANN, WatchingChanged(allowed=False))
    for _ in range(80):
        fixture.step()
        table = fixture.table
        if table.shuffler is not None:
            continue  # the draw for the deal is not a hand
        for person in OUTSIDERS:
            plain = table_to_json(table, person)
            assert plain["hand"] is None
            assert plain["opened"] == []
            assert hand_view_for(table, person) is None
            assert open_positions_for(table, person) == []
            text = table_json.text("t", table, person, NAMES, {})
            assert b'"hand":null' in text
            assert b'"opened":[]' in text
            page = render_table("t", table, person, NAMES, address="")
            assert "data-k=" not in page
            assert "hand-end" not in page
        open_table = table.replaced(watching_allowed=True)
        for person in (ANN, BOB):
            assert table_to_json(table, person) | {"watching": True} == table_to_json(open_table, person)
    fixture.command(ANN, WatchingChanged(allowed=True))
    assert table_to_json(fixture.table, "eve")["hand"] is not None
    fixture.command(ANN, WatchingChanged(allowed=False))
    assert table_to_json(fixture.play_on(), "eve")["hand"] is not None


async def test_the_host_sets_each_bot_the_clock_and_who_may_watch() -> None:
    """By forms without a script; the page shows what is set, and to others only muting."""
    async with serving(MemoryStore(), entropy=seeded(1)) as server:
        install(server.app)
        ann, bob, eve = await server.guests("Ann", "Bob", "Eve")
        table = await ann.open()
        await ann.command(table, "sit", seat="N")
        await bob.command(table, "sit", seat="E")
        await ann.command(table, "seat-bot", seat="S")
        for form in (
            {"command": "seat-bot", "seat": "S", "level": "expert", "temper": "bold"},
            {"command": "set-clock", "clock": "quick"},
            {"command": "allow-watching", "allowed": "false"},
            {"command": "allow-chat", "allowed": "true"},
            {"command": "allow-hints", "allowed": "true"},
        ):
            assert await send(bob, f"/t/{table}/commands", form) == 403
            assert await send(ann, f"/t/{table}/commands", form) == 303
        view = await bob.see(table)
        assert view["seats"]["S"] == {"bot": "expert+bold"}
        assert (view["clock"]["kind"], view["watching"], view["hints"]) == ("quick", False, True)
        assert view["chat"]["free"]
        page = await about(ann, table)
        for text in ("Others may watch: no", "Typed chat: on", "Hints with friends: on", "How boldly does Sam call?"):
            assert text in page
        assert 'value="bold" selected' in page
        assert "Bob" in page
        assert "bold expert bot" in unescape(await get(bob, f"/t/{table}"))
        page = await about(bob, table)
        assert "Others may watch" not in page
        assert (
            await send(bob, f"/t/{table}/commands", {"command": "mute", "person": ann.person, "muted": "true"}) == 303
        )
        assert "You muted Ann." in await about(bob, table)
        assert "You muted" not in await about(ann, table)
        assert "You muted" not in await about(eve, table)


async def test_a_bold_bot_plays() -> None:
    async with serving(MemoryStore(), entropy=seeded(2)) as server:
        ann = await server.guest("Ann")
        table = await seated_table(ann, bots="S", rules="club2", changes={"target": 5, "deal_cut": "none"})
        await play_on([ann], table)
        await ann.command(table, "seat-bot", seat="S", level="novice", temper="cautious")
        await ann.command(table, "rematch")
        await play_on([ann], table)
        assert (await ann.see(table))["seats"]["S"] == {"bot": "novice+cautious"}
        await ann.command(table, "seat-bot", seat="S", temper="angry", status=422)


def test_a_bot_is_called_by_its_level_and_temper() -> None:
    assert [bot_text(spec) for spec in ("expert", "expert+bold", "novice+cautious", "random")] == [
        "expert bot",
        "bold expert bot",
        "cautious novice bot",
        "random",
    ]


async def send(client: Client, path: str, form: dict[str, str]) -> int:
    response = await client.http.post(path, data=form, headers={"Cookie": f"leftbower={client.token}"})
    return response.status_code


async def get(client: Client, path: str) -> str:
    response = await client.http.get(path, headers={"Cookie": f"leftbower={client.token}"})
    assert response.status_code == 200
    return response.text


async def about(client: Client, table: str) -> str:
    return unescape(await get(client, f"/t/{table}/about"))
