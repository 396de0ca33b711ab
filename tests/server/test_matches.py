"""Whole matches over HTTP: people who follow views or feeds, bots with them, and records that verify."""

from random import Random
from typing import Any

import pytest

from leftbower.dealing.verify import verify
from leftbower.engine import MatchOver
from leftbower.notation.record import loads
from leftbower.store.memory import MemoryStore
from server_client import FAST, AppServer, Client, play_on, recount, seated, seeded, serving


async def facts_of(server: AppServer, table: str) -> list[dict[str, Any]]:
    return [stored.fact for stored in await server.context.store.read(table)]


async def check_record(server: AppServer, client: Client, table: str, scores: list[int]) -> str:
    """The record is right according to the engine, the verifier, and a recount of the log."""
    text: str = await client.call("GET", f"/api/tables/{table}/record")
    match = loads(text).fold()
    assert isinstance(match, MatchOver)
    assert list(match.last.scores) == scores
    report = verify(text)
    assert report.misfit is None
    assert report.hands
    assert all(hand.opened == hand.of for hand in report.hands)
    lines = await client.call("GET", f"/api/tables/{table}/hands")
    assert len(lines) == len(report.hands)
    return text


async def test_four_clients_play_a_match(lasting: Any) -> None:
    """Through views, on a durable store; afterwards record, verification, log and table agree."""
    async with lasting() as store, serving(store, entropy=seeded(1)) as server:
        people = await server.guests("Ann", "Bob", "Cat", "Dan")
        table = await seated(people[0], people[1:], **FAST)
        over = await play_on(people, table)
        assert max(over["scores"]) >= 5
        text = await check_record(server, people[0], table, over["scores"])
        assert [name for name in ("Ann", "Bob", "Cat", "Dan") if f'"{name}"' in text] == ["Ann", "Bob", "Cat", "Dan"]
        assert recount(await facts_of(server, table)) == over["scores"]
        assert not await store.verify()


@pytest.mark.parametrize(
    ("rules", "bots"),
    [
        ({"rules": "club", "changes": {"target": 5}}, "EW"),
        ({"rules": "club", "changes": {"target": 5, "supervision": "honor"}}, "ESW"),
        ({"rules": "prize-night", "changes": {"target": 5, "supervision": "honor"}}, "S"),
        ({"rules": "club3", "changes": {"target": 5}}, "S"),
        ({"rules": "club3", "changes": {"target": 5, "supervision": "honor"}}, "E"),
        ({"rules": "club2", "changes": {"target": 5}}, ""),
        ({"rules": "club2", "changes": {"target": 5, "supervision": "honor"}}, "S"),
        ({"rules": "school-cup", "changes": {"target": 5}}, "ESW"),
    ],
    ids=lambda value: value if isinstance(value, str) else "-".join(map(str, [value["rules"], *value["changes"]])),
)
async def test_people_and_bots_play_whatever_the_sheet(rules: dict[str, Any], bots: str) -> None:
    """Two, three and four seats, strict and honor, with bots and without."""
    async with serving(MemoryStore(), entropy=seeded(2)) as server:
        count = {"club3": 3, "club2": 2}.get(rules["rules"], 4) - len(bots)
        people = await server.guests(*("Ann", "Bob", "Cat", "Dan")[:count])
        table = await seated(people[0], people[1:], bots=bots, **rules)
        over = await play_on(people, table, rng=Random(3))
        await check_record(server, people[0], table, over["scores"])
