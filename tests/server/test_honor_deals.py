"""Dealing at an honor table over HTTP: cuts offered and skipped, miscounts, calls by people and bots, proofs."""

import asyncio
import json
from random import Random
from typing import Any

from leftbower.dealing.verify import verify
from leftbower.notation import loads
from leftbower.store.memory import MemoryStore
from server_client import Client, checked, play_on, play_step, seated, seeded, serving

CLUB: dict[str, Any] = {"rules": "club", "changes": {"target": 5, "supervision": "honor"}}
ONE_SHORT = [2, 2, 2, 2, 3, 3, 3, 2]
Plain = dict[str, Any]


async def until_dealer(clients: list[Client], table: str, seats: str) -> tuple[Client, Plain]:
    """Play until one of these clients, in these seats, must deal; returns that client and its view."""
    view = await play_on(
        clients, table, until=lambda view: view["dealing_seat"] is not None and view["dealing_seat"] in seats
    )
    return clients[seats.index(view["dealing_seat"])], view


async def test_club_a_dealer_offers_the_cut_deals_and_turns_up_over_http() -> None:
    async with serving(MemoryStore(), entropy=seeded(91)) as server:
        people = await server.guests("Ann", "Bob", "Cat", "Dan")
        table = await seated(people[0], people[1:], **CLUB)
        dealer, view = await until_dealer(people, table, "NESW")
        seat = view["dealing_seat"]
        assert (view["phase"], view["may_offer_cut"], view["cutter"]) == ("dealing", True, None)
        others = [client for client in people if client is not dealer]
        for other in others:
            checked(await other.command(table, "deal", status=409), "not-your-turn")
            checked(await other.command(table, "offer-cut", status=409), "not-your-turn")
        view = await dealer.command(table, "offer-cut")
        assert view["cutter"] == "NESW"["NESW".index(seat) - 1]
        checked(await dealer.command(table, "deal", status=409), "nothing-dealt")
        await people["NESW".index(view["cutter"])].command(table, "cut", number=5)
        checked(await dealer.command(table, "offer-cut", status=422), "bad-cut")
        checked(await dealer.command(table, "deal", packets=[5], status=422), "bad-request")
        checked(await dealer.command(table, "deal", packets=[2, 3], status=422), "bad-deal")
        view = await dealer.command(table, "deal", packets=[3, 3, 3, 3, 2, 2, 2, 2])
        assert (view["phase"], view["hand"]["phase"]) == ("playing", "face-down")
        turn = {"act": "turn-up", "seat": seat}
        assert view["hand"]["legal"] == [turn]
        view = await dealer.act(table, turn, view["version"])
        assert view["hand"]["phase"] == "bidding"
        assert view["hand"]["up_card"] == view["opened"][0]["card"]
        await play_on(people, table)
        record = await dealer.call("GET", f"/api/tables/{table}/record")
    assert verify(record).misfit is None
    deals = [json.loads(line) for line in record.splitlines() if '"fact": "deal"' in line]
    assert (deals[0]["seal"]["cut"], deals[0]["seal"]["packets"]) == (5, [3, 3, 3, 3, 2, 2, 2, 2])
    assert all("packets" not in deal["seal"] for deal in deals[1:])
    assert len(loads(record).facts) > len(deals)


async def test_club_misdeals_are_called_by_bots_and_every_deck_is_opened() -> None:
    """Ann keeps skipping the cut and dealing a card short: bots notice, and the record proves all decks."""
    async with serving(MemoryStore(), entropy=seeded(92)) as server:
        ann = await server.guest("Ann")
        table = await seated(ann, bots="ESW", rules="club", changes={"target": 15, "supervision": "honor"})
        reasons: list[str] = []
        for packets in ([], ONE_SHORT):
            dealer, view = await until_dealer([ann], table, "N")
            await dealer.command(table, "deal", packets=packets)
            async with asyncio.timeout(120):
                while (view := await ann.see(table))["hand"]["ending"] is None:
                    await play_step(ann, table, view, Random(1))
                    await asyncio.sleep(0.005)
            reasons.append(view["hand"]["ending"]["reason"])
        assert set(reasons) <= {"misdeal", "deal-lost"}
        await play_on([ann], table)
        record = await ann.call("GET", f"/api/tables/{table}/record")
    report = verify(record)
    assert report.misfit is None
    deals = [json.loads(line) for line in record.splitlines() if '"fact": "deal"' in line]
    assert len(report.hands) == len(deals)
    assert {deck.opened for deck in report.decks} == {24}
    forgotten, short = [deal for deal in deals if not deal.get("cut_offered", True)][:2]
    assert forgotten["seal"]["cut"] is None
    assert short["seal"]["packets"] == ONE_SHORT


async def test_bots_deal_among_themselves_at_an_honor_table() -> None:
    async with serving(MemoryStore(), entropy=seeded(93)) as server:
        ann = await server.guest("Ann")
        table = await seated(ann, bots="ESW", **CLUB)
        await play_on([ann], table)
        facts = [dict(row.fact) for row in await server.context.store.read(table)]
    by_bots = [fact for fact in facts if fact["fact"] in ("cut-offered", "hand-dealt") and fact["seat"] != "N"]
    assert {fact["fact"] for fact in by_bots} == {"cut-offered", "hand-dealt"}
    assert not any(fact.get("packets") for fact in by_bots)
