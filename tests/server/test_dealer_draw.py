"""The draw for the dealer over HTTP: prize night offers the cut to the shuffler's left, and the record proves the
draw."""

import json
from typing import Any

from leftbower.dealing import bot_secret
from leftbower.dealing.verify import verify
from leftbower.players.decision_rng import cut_rng
from leftbower.rules import Seat
from leftbower.store.memory import MemoryStore
from server_client import AppServer, checked, play_on, seated, seeded, serving

PRIZE_NIGHT: dict[str, Any] = {"rules": "prize-night", "changes": {"target": 5}}


async def facts_of(server: AppServer, table: str) -> list[dict[str, Any]]:
    return [dict(row.fact) for row in await server.context.store.read(table)]


async def test_prize_night_asks_for_the_cut_before_the_draw() -> None:
    """Ann hosts in seat N; Bob, on her left, sees the sealed deck and cuts; the record has the seal and the cut."""
    async with serving(MemoryStore(), entropy=seeded(71)) as server:
        ann, bob = await server.guests("Ann", "Bob")
        table = await seated(ann, [bob], bots="SW", **PRIZE_NIGHT)
        cutting = await play_on([ann, bob], table, until=lambda view: view["cutter"] is not None)
        assert (cutting["phase"], cutting["shuffler"], cutting["cutter"], cutting["dealer"]) == (
            "cutting",
            "N",
            "E",
            None,
        )
        root = cutting["sealed"]["root"]
        checked(await ann.command(table, "cut", number=3, status=409), "not-your-turn")
        checked(await bob.command(table, "cut", number=24, status=422), "bad-request")
        await bob.command(table, "cut", number=9, version=cutting["version"])
        await play_on([ann, bob], table)
        record = await ann.call("GET", f"/api/tables/{table}/record")
    lines = [json.loads(line) for line in record.splitlines()]
    [drawn] = [line for line in lines if line.get("fact") == "draw"]
    assert (drawn["shuffler"], drawn["seal"]["root"], drawn["seal"]["cut"]) == ("N", root, 9)
    report = verify(record)
    assert report.misfit is None
    assert [(draw.number, draw.root, draw.cut) for draw in report.draws] == [(1, root, 9)]
    assert all(hand.cut is None for hand in report.hands)


async def test_a_bot_cuts_before_the_draw_by_the_secret_of_its_deck() -> None:
    async with serving(MemoryStore(), entropy=seeded(72)) as server:
        ann = await server.guest("Ann")
        table = await seated(ann, bots="ESW", **PRIZE_NIGHT)
        await play_on([ann], table, until=lambda view: view["phase"] == "playing")
        facts = await facts_of(server, table)
        at = next(number for number, fact in enumerate(facts) if fact["fact"] == "draw-deck-sealed")
        secret = bot_secret(bytes.fromhex(facts[at]["entropy"]))
        assert (facts[at + 1]["fact"], facts[at + 1]["seat"]) == ("deck-cut", "E")
        assert facts[at + 1]["lifted"] == cut_rng(secret, Seat.E).randrange(24)
