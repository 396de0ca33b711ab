"""People at tables: one seat each, revoked tokens, hosts, latecomers, agreement, undo, rematch, and visibility."""

import asyncio
from pathlib import Path
from random import Random
from typing import Any

from leftbower.engine import view
from leftbower.notation import view_to_json
from leftbower.rules import Seat
from leftbower.store import open_store
from leftbower.store.memory import MemoryStore
from naive_chain import without_name
from server_client import FAST, Client, checked, play_on, play_step, seated, seeded, serving

CUTS: dict[str, Any] = {"rules": "club", "changes": {"target": 5, "deal_cut": "right"}}
NO_CUTS: dict[str, Any] = {"rules": "club", "changes": {"target": 5, "deal_cut": "none"}}


async def test_a_person_has_one_seat_and_a_seat_one_person() -> None:
    """Also if all ask at the same time."""
    async with serving(MemoryStore()) as server:
        people = await server.guests("Ann", "Bob", "Cat", "Dan")
        table = await people[0].open(**FAST)
        path = f"/api/tables/{table}/commands"
        requests = [
            server.http.post(
                path, json={"command": "sit", "seat": seat}, headers={"Authorization": f"Bearer {person.token}"}
            )
            for person in people
            for seat in "NN"
        ]
        statuses = [answer.status_code for answer in await asyncio.gather(*requests)]
        assert sorted(statuses) == [200, 200, 409, 409, 409, 409, 409, 409]
        state = await people[0].see(table)
        assert [occupant for occupant in state["seats"].values() if occupant] == [state["seats"]["N"]]
        sitter = next(person for person in people if {"person": person.person} == state["seats"]["N"])
        await sitter.command(table, "sit", seat="S")
        state = await sitter.see(table)
        assert {seat for seat, occupant in state["seats"].items() if occupant} == {"S"}
        assert state["people"][sitter.person] == sitter.name


async def test_a_revoked_token_or_erased_person_is_refused_at_once() -> None:
    async with serving(MemoryStore()) as server:
        ann, bob = await server.guests("Ann", "Bob")
        table = await ann.open(**FAST)
        await bob.command(table, "sit", seat="E")
        await ann.command(table, "sit", seat="N")
        program = Client(server.http, token=(await bob.call("POST", "/api/tokens", status=201))["token"])
        assert (await program.call("GET", "/api/me"))["person"] == bob.person
        await program.call("DELETE", "/api/tokens/this", status=204)
        await program.refused("GET", "/api/me", status=401, code="not-signed-in")
        await program.refused("GET", f"/api/tables/{table}", status=401, code="not-signed-in")
        assert (await bob.call("PUT", "/api/me", {"name": "  Ro\u202ebert\n  E. "}))["name"] == "Robert E."
        assert (await ann.see(table))["people"][bob.person] == "Robert E."
        await bob.call("DELETE", "/api/me", status=204)
        await bob.refused("GET", "/api/me", status=401, code="not-signed-in")
        state = await ann.see(table)
        assert state["seats"]["E"] is None
        assert bob.person not in state["people"]
        assert await server.context.people.name(bob.person) == ""
        await ann.call("DELETE", "/api/me", status=204)
        state = await server.anonymous().see(table)
        assert (state["people"], state["host"]) == ({}, "")
        assert (await (await server.guests("Cat"))[0].command(table, "sit", seat="W"))["you"]["seat"] == "W"


async def test_who_finds_a_table_without_a_host_is_its_host() -> None:
    """A host leaves the role to others, seated or not; if no one is left, the next person to come gets it."""
    async with serving(MemoryStore()) as server:
        ann, bob, cat = await server.guests("Ann", "Bob", "Cat")
        table = await ann.open(**FAST)
        assert [listing["table"] for listing in await ann.call("GET", "/api/tables")] == [table]
        await bob.command(table, "sit", seat="E")
        assert (await ann.command(table, "leave"))["host"] == bob.person
        assert await ann.call("GET", "/api/tables") == []
        await ann.command(table, "leave", status=409)
        assert (await bob.command(table, "leave"))["host"] == ""
        assert (await cat.command(table, "sit", seat="N"))["host"] == cat.person
        await cat.command(table, "seat-bot", seat="W", level="novice")
        listed = await cat.call("GET", "/api/tables")
        assert [(listing["table"], listing["host"]) for listing in listed] == [(table, cat.person)]


async def test_a_seat_has_one_token_that_only_plays_there() -> None:
    """For a program. A new token, its owner or its holder can end it."""
    async with serving(MemoryStore()) as server:
        ann, bob = await server.guests("Ann", "Bob")
        table, other = await ann.open(**FAST), await ann.open(**FAST)
        path = f"/api/tables/{table}/token"
        await ann.refused("POST", path, status=409, code="not-seated")
        await ann.refused("POST", "/api/tables/nowhere/token", status=404, code="unknown-table")
        await ann.command(table, "sit", seat="N")
        await bob.command(table, "sit", seat="S")
        first = Client(server.http, token=(await ann.call("POST", path, status=201))["token"])
        hers = Client(server.http, token=(await bob.call("POST", path, status=201))["token"])
        assert (await first.call("GET", "/api/me"))["person"] == ann.person
        assert (await first.see(table))["you"]["seat"] == "N"
        assert (await first.command(table, "agree"))["agreed"] == [ann.person]
        for method, where, body in (
            ("PUT", "/api/me", {"name": "Eve"}),
            ("DELETE", "/api/me", None),
            ("POST", "/api/tokens", None),
            ("POST", path, None),
            ("DELETE", path, None),
            ("GET", "/api/tables", None),
            ("POST", "/api/tables", FAST),
            ("GET", f"/api/tables/{other}", None),
            ("GET", f"/api/tables/{other}/feed", None),
            ("POST", f"/api/tables/{other}/commands", {"command": "sit", "seat": "N"}),
            ("GET", "/api/links/no", None),
        ):
            await first.refused(method, where, body, status=403, code="seat-only")
        second = Client(server.http, token=(await ann.call("POST", path, status=201))["token"])
        await first.refused("GET", f"/api/tables/{table}", status=401, code="not-signed-in")
        assert (await second.see(table))["you"]["person"] == ann.person
        await ann.call("DELETE", path, status=204)
        await second.refused("GET", f"/api/tables/{table}", status=401, code="not-signed-in")
        await ann.call("DELETE", path, status=204)
        await hers.call("DELETE", "/api/tokens/this", status=204)
        await hers.refused("GET", "/api/me", status=401, code="not-signed-in")
        assert (await bob.see(table))["you"]["seat"] == "S"


async def test_the_host_keeps_the_table_in_order() -> None:
    async with serving(MemoryStore()) as server:
        ann, bob, eve = await server.guests("Ann", "Bob", "Eve")
        table = await ann.open(**NO_CUTS)
        await bob.command(table, "sit", seat="E")
        for command in (
            {"command": "seat-bot", "seat": "W"},
            {"command": "remove-bot", "seat": "W"},
            {"command": "swap", "seat": "N", "other": "E"},
            {"command": "remove", "person": ann.person},
            {"command": "hand-over", "person": bob.person},
            {"command": "change-rules", "rules": "campus"},
        ):
            refused = await bob.call("POST", f"/api/tables/{table}/commands", command, status=403)
            assert checked(refused, "not-the-host")["version"] == 2
        await bob.refused("POST", f"/api/tables/{table}/links", status=403, code="not-the-host")
        code = (await ann.call("POST", f"/api/tables/{table}/links", status=201))["code"]
        assert (await eve.call("GET", f"/api/links/{code}"))["table"] == table
        await eve.refused("DELETE", f"/api/links/{code}", status=403, code="not-the-host")
        await ann.call("DELETE", f"/api/links/{code}", status=204)
        await eve.refused("GET", f"/api/links/{code}", status=404, code="unknown-link")
        await ann.command(table, "seat-bot", seat="W", level="expert")
        await ann.command(table, "swap", seat="W", other="E")
        await ann.command(table, "remove-bot", seat="E")
        state = await ann.command(table, "hand-over", person=bob.person)
        assert (state["host"], state["seats"]["W"], state["seats"]["E"]) == (bob.person, {"person": bob.person}, None)
        assert [listing["table"] for listing in await bob.call("GET", "/api/tables")] == [table]
        assert await ann.call("GET", "/api/tables") == []
        await eve.command(table, "sit", seat="N")
        state = await bob.command(table, "remove", person=eve.person)
        assert state["seats"]["N"] is None
        refused = await bob.command(table, "remove", person=eve.person, status=409)
        checked(refused, "not-seated")


async def test_a_change_of_rules_asks_all_players_again() -> None:
    """Nothing is dealt under rules that a player has not agreed to."""
    async with serving(MemoryStore()) as server:
        ann, bob = await server.guests("Ann", "Bob")
        table = await ann.open(**NO_CUTS)
        await ann.command(table, "sit", seat="N")
        await bob.command(table, "sit", seat="S")
        await ann.command(table, "agree")
        await bob.command(table, "agree")
        await ann.command(table, "seat-bot", seat="E", level="novice")
        state = await ann.command(table, "change-rules", rules="campus", changes={"target": 11})
        assert state["agreed"] == []
        state = await ann.command(table, "seat-bot", seat="W", level="novice")
        await ann.command(table, "agree")
        assert (await bob.see(table))["phase"] == "gathering"
        assert (await bob.see(table))["rules"]["target"] == 11
        assert (await bob.command(table, "agree"))["phase"] != "gathering"
        refused = await ann.command(table, "change-rules", rules="club", status=409)
        checked(refused, "match-is-on")


async def test_a_match_begins_when_the_last_seat_is_filled() -> None:
    async with serving(MemoryStore()) as server:
        ann = await server.guest("Ann")
        table = await ann.open(**NO_CUTS)
        for seat in "NESW":
            await ann.command(table, "seat-bot", seat=seat, level="novice")
        assert (await ann.see(table))["phase"] == "gathering"
        await ann.command(table, "remove-bot", seat="N")
        await ann.command(table, "remove-bot", seat="E")
        await ann.command(table, "sit", seat="N")
        await ann.command(table, "agree")
        assert (await ann.command(table, "sit", seat="N"))["agreed"] == [ann.person]
        assert (await ann.command(table, "seat-bot", seat="E", level="novice"))["phase"] != "gathering"


async def test_only_a_seat_sees_its_cards() -> None:
    """At every version of a match: players, a spectator, a latecomer, and an anonymous caller."""
    async with serving(MemoryStore(), entropy=seeded(8)) as server:
        ann, bob, cat, eve, late = await server.guests("Ann", "Bob", "Cat", "Eve", "Late")
        table = await seated(ann, [bob, cat], bots="E", **CUTS)
        rng, versions, latecomer = Random(2), set(), False
        while True:
            current = await server.context.tables.get(table)
            hand = current.hand or current.last_hand
            eyes = {ann.person: Seat.N, bob.person: Seat.S, cat.person: Seat.W, eve.person: None, "": None}
            if latecomer and current.seats.get(Seat.E) is not None and current.seat_of(late.person) is Seat.E:
                plays = current.hand is not None and not current.latecomers
                eyes[late.person] = Seat.E if plays or late.person in current.last_players else None
            for client in (ann, bob, cat, eve, late, server.anonymous()):
                state = await client.see(table)
                if state["version"] == current.version and hand is not None and client.person in eyes:
                    assert state["hand"] == view_to_json(view(hand, eyes[client.person]))
                    versions.add(current.version)
            if current.hand is not None and not latecomer:
                await late.command(table, "sit", seat="E")
                latecomer = True
            state = await ann.see(table)
            if state["phase"] == "over":
                break
            for client in (ann, bob, cat, late):
                state = await client.see(table)
                await play_step(client, table, state, rng)
        assert len(versions) > 30


async def test_a_latecomer_plays_from_the_next_hand_on() -> None:
    async with serving(MemoryStore(), entropy=seeded(9)) as server:
        ann, late, later = await server.guests("Ann", "Late", "Later")
        table = await seated(ann, bots="ESW", **NO_CUTS)
        await play_on([ann], table, until=lambda state: state["phase"] == "playing")
        state = await late.command(table, "sit", seat="S")
        assert (state["you"], state["latecomers"]) == (
            {"person": late.person, "seat": "S", "plays": False},
            {"S": late.person},
        )
        checked(await later.command(table, "sit", seat="S", status=409), "seat-taken")
        checked(await later.command(table, "sit", seat="N", status=409), "seat-taken")
        await play_on([ann], table, until=lambda state: not state["latecomers"])
        assert (await late.see(table))["you"]["plays"]
        over = await play_on([ann, late], table)
        text = await late.call("GET", f"/api/tables/{table}/record")
        assert over["phase"] == "over"
        assert '"Late"' in text


async def test_a_latecomer_to_a_match_has_the_seat_for_the_next_one() -> None:
    async with serving(MemoryStore(), entropy=seeded(7)) as server:
        ann, late = await server.guests("Ann", "Late")
        table = await seated(ann, bots="ESW", **NO_CUTS)

        def nearly_over(state: dict[str, Any]) -> bool:
            hand = state["hand"]
            return bool(hand and state["phase"] == "playing" and max(state["scores"]) >= 3 and len(hand["tricks"]) == 3)

        last = await play_on([ann], table, until=lambda state: nearly_over(state) or state["phase"] == "over")
        while last["phase"] != "over":
            await late.command(table, "sit", seat="S") if not last["latecomers"] else None
            last = await play_on([ann], table, until=lambda state: state["phase"] == "over" or not state["latecomers"])
            if last["phase"] != "over":
                await late.command(table, "leave")
                last = await play_on([ann], table, until=lambda state: nearly_over(state) or state["phase"] == "over")
        assert last["latecomers"] == {}
        record = await ann.call("GET", f"/api/tables/{table}/record")
        assert '"Late"' not in record
        if last["seats"]["S"] == {"person": late.person}:
            await ann.command(table, "rematch")
            assert (await late.command(table, "rematch"))["phase"] != "over"


async def test_a_match_record_survives_leaving_and_changes() -> None:
    async with serving(MemoryStore(), entropy=seeded(10)) as server:
        ann, bob = await server.guests("Ann", "Bob")
        table = await seated(ann, [bob], bots="EW", **NO_CUTS)
        await play_on([ann, bob], table)
        record = await ann.call("GET", f"/api/tables/{table}/record")
        hands = await ann.call("GET", f"/api/tables/{table}/hands")
        await bob.command(table, "leave")
        await ann.command(table, "change-rules", rules="club3")
        await ann.command(table, "sit", seat="E", status=409)
        await ann.command(table, "remove-bot", seat="E")
        state = await ann.command(table, "sit", seat="E")
        assert state["hand"]["seat"] == "N"
        assert await ann.call("GET", f"/api/tables/{table}/record") == record
        assert await ann.call("GET", f"/api/tables/{table}/hands") == hands
        await bob.call("DELETE", "/api/me", status=204)
        assert await ann.call("GET", f"/api/tables/{table}/record") == without_name(record, "Bob")


async def test_a_rematch_begins_when_all_want_it() -> None:
    async with serving(MemoryStore(), entropy=seeded(11)) as server:
        ann, bob = await server.guests("Ann", "Bob")
        table = await seated(ann, [bob], bots="EW", **NO_CUTS)
        await play_on([ann, bob], table)
        state = await ann.command(table, "agree")
        assert state["phase"] == "over"
        state = await ann.command(table, "rematch")
        assert (state["phase"], state["rematch"]) == ("over", [ann.person])
        assert (await bob.command(table, "rematch"))["phase"] != "over"
        await server.anonymous().refused("GET", f"/api/tables/{table}/record", status=404, code="unknown-table")
        over = await play_on([ann, bob], table)
        assert max(over["scores"]) >= 5


async def acted(people: list[Client], table: str) -> tuple[Client, Client, dict[str, Any]]:
    """The client that acted in this hand, the other one, and the table before that."""
    rng = Random(5)
    for _ in range(200):
        for client in people:
            state = await client.see(table)
            if await play_step(client, table, state, rng) and state["phase"] == "playing":
                after = await client.see(table)
                if after["phase"] == "playing":
                    return client, next(person for person in people if person is not client), state
    raise AssertionError("no client acted")


async def test_an_act_against_bots_is_undone_when_all_people_agree() -> None:
    async with serving(MemoryStore(), entropy=seeded(12)) as server:
        ann, bob = await server.guests("Ann", "Bob")
        table = await seated(ann, [bob], bots="EW", **NO_CUTS)
        await play_on([ann, bob], table, until=lambda state: state["phase"] == "playing")
        checked(await ann.command(table, "undo", status=409), "nothing-to-undo")
        who, other, before = await acted([ann, bob], table)
        while server.context.tables.busy:
            await asyncio.sleep(0.001)
        checked(await who.command(table, "answer-undo", agreed=True, status=409), "nothing-to-undo")
        state = await who.command(table, "undo")
        assert state["undo"] == {"person": who.person, "agreed": []}
        state = await other.command(table, "answer-undo", agreed=False)
        assert state["undo"] is None
        said = len(state["hand"]["actions"])
        state = await who.command(table, "undo")
        state = await other.command(table, "answer-undo", agreed=True, version=state["version"])
        assert len(state["hand"]["actions"]) < said
        assert state["undo"] is None
        assert len(state["hand"]["actions"]) == len(before["hand"]["actions"])
        assert (await play_on([ann, bob], table))["phase"] == "over"


async def test_undo_is_not_done_twice_for_one_version() -> None:
    """A double click undoes one action."""
    async with serving(MemoryStore(), entropy=seeded(12)) as server:
        ann = await server.guest("Ann")
        table = await seated(ann, bots="ESW", **NO_CUTS)
        await play_on([ann], table, until=lambda state: bool(state["hand"] and len(state["hand"]["actions"]) > 8))
        while server.context.tables.busy:
            await asyncio.sleep(0.001)
        version = (await ann.see(table))["version"]
        await ann.command(table, "undo", version=version)
        checked(await ann.command(table, "undo", version=version, status=409), "stale")


async def test_people_on_the_other_side_never_lose_what_they_won() -> None:
    async with serving(MemoryStore(), entropy=seeded(13)) as server:
        ann, bob = await server.guests("Ann", "Bob")
        table = await seated(ann, [bob], bots="SW", **NO_CUTS)
        who, _, _ = await acted([ann, bob], table)
        checked(await who.command(table, "undo", status=409), "nothing-to-undo")


async def test_the_last_card_is_laid_for_who_does_not_keep_it() -> None:
    async with serving(MemoryStore(), entropy=seeded(14)) as server:
        ann, bob = await server.guests("Ann", "Bob")
        table = await seated(ann, [bob], bots="EW", rules="club", changes={"target": 11, "deal_cut": "none"})
        state = await bob.command(table, "last-card", manual=True)
        assert state["auto_last_card"] is False
        assert (await ann.see(table))["auto_last_card"] is True
        await play_on([ann, bob], table)
        facts = [stored.fact for stored in await server.context.store.read(table)]
        by_hand: dict[str, set[int]] = {"N": set(), "S": set()}
        left: dict[str, int] = {}
        for fact in facts:
            if fact["fact"] == "deck-sealed":
                left = {"N": 5, "S": 5}
            elif fact["fact"] == "acted" and fact["action"]["act"] == "play" and fact["action"]["seat"] in left:
                if fact["action_id"]:
                    by_hand[fact["action"]["seat"]].add(left[fact["action"]["seat"]])
                left[fact["action"]["seat"]] -= 1
        assert by_hand == {"N": {5, 4, 3, 2}, "S": {5, 4, 3, 2, 1}}


async def test_a_bot_plays_on_for_a_player_who_leaves_or_is_erased() -> None:
    async with serving(MemoryStore(), entropy=seeded(15)) as server:
        ann, bob = await server.guests("Ann", "Bob")
        table = await seated(ann, [bob], bots="EW", **NO_CUTS)
        await play_on([ann, bob], table, until=lambda state: state["phase"] == "playing")
        await bob.call("DELETE", "/api/me", status=204)
        state = await ann.see(table)
        assert state["seats"]["S"] == {"bot": "regular"}
        late = await server.guest("Late")
        await late.command(table, "sit", seat="E")
        assert [listing["table"] for listing in await late.call("GET", "/api/tables")] == [table]
        await late.call("DELETE", "/api/me", status=204)
        assert (await ann.see(table))["latecomers"] == {}
        await ann.command(table, "leave")
        async with asyncio.timeout(10):
            while (await server.anonymous().see(table))["phase"] != "closed":
                await asyncio.sleep(0.01)


async def test_who_was_removed_does_not_sit_down_again_at_once() -> None:
    """Other people can, and so can the same person at another table, or here after some time."""
    async with serving(MemoryStore()) as server:
        ann, bob, eve = await server.guests("Ann", "Bob", "Eve")
        table, other = await ann.open(**NO_CUTS), await ann.open(**NO_CUTS)
        await eve.command(table, "sit", seat="N")
        await ann.command(table, "remove", person=eve.person)
        for seat in "NE":
            checked(await eve.command(table, "sit", seat=seat, status=409), "was-removed")
        await bob.command(table, "sit", seat="N")
        await eve.command(other, "sit", seat="N")
    async with serving(MemoryStore(), removed_for=0.0) as server:
        ann, eve = await server.guests("Ann", "Eve")
        table = await ann.open(**NO_CUTS)
        await eve.command(table, "sit", seat="N")
        await ann.command(table, "remove", person=eve.person)
        assert (await eve.command(table, "sit", seat="N"))["seats"]["N"] == {"person": eve.person}


async def test_the_limit_of_tables_holds_under_forty_requests_at_once(tmp_path: Path) -> None:
    async with await open_store(str(tmp_path / "store.db")) as store, serving(store) as server:
        ann = await server.guest("Ann")
        headers = {"Authorization": f"Bearer {ann.token}"}
        requests = [server.http.post("/api/tables", json=FAST, headers=headers) for _ in range(40)]
        answers = await asyncio.gather(*requests)
        assert sorted(answer.status_code for answer in answers) == [201] * 20 + [409] * 20
        assert len(await ann.call("GET", "/api/tables")) == 20
