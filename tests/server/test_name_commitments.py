"""Names in a record are those at the start of the match, bound by commitments; erasing a person removes name and
salt."""

import json
from typing import Any

from leftbower.dealing.verify import Report, verify
from leftbower.server.people.name_commitments import commit_names, committed_names
from leftbower.store.memory import MemoryStore
from naive_chain import decks_of, parsed, sha, without_name
from server_client import NO_CUTS, AppServer, Client, play_on, seated, seeded, serving

Plain = dict[str, Any]


async def record(client: Client, table: str) -> str:
    text: str = await client.call("GET", f"/api/tables/{table}/record")
    return text


def fits(text: str) -> Report:
    report = verify(text)
    assert report.misfit is None
    return report


async def log_of(server: AppServer, table: str) -> str:
    return "\n".join(row.body for row in await server.context.store.rows(table, 0, 10**6))


async def test_a_new_name_changes_no_record_of_before(lasting: Any) -> None:
    async with lasting() as store, serving(store, entropy=seeded(1)) as server:
        ann, bob = await server.guests("Ann", "Bob")
        table = await seated(ann, [bob], bots="EW", **NO_CUTS)
        await play_on([ann, bob], table)
        before = await record(ann, table)
        await ann.call("PUT", "/api/me", {"name": "Annie"})
        assert await record(bob, table) == before
        assert fits(before).erased == ()
        for client in (ann, bob):
            await client.command(table, "rematch")
        await play_on([ann, bob], table)
        assert parsed(await record(bob, table))[0]["players"]["N"]["name"] == "Annie"
        fits(await record(bob, table))
        assert await bob.call("GET", f"/api/tables/{table}/matches/1/record") == before


async def test_who_is_erased_takes_name_and_salt_along(lasting: Any) -> None:
    """Only a hash remains, against which names can't be tried."""
    async with lasting() as store, serving(store, entropy=seeded(2)) as server:
        ann, bob = await server.guests("Ann", "Bob")
        table = await seated(ann, [bob], bots="EW", **NO_CUTS)
        await play_on([ann, bob], table)
        before = await record(ann, table)
        players = parsed(before)[0]["players"]
        seat = next(seat for seat, player in players.items() if player["name"] == "Bob")
        bound = players[seat]
        assert bound["commitment"] == sha(f"leftbower name 1:{bound['salt']}:Bob")
        assert bound["commitment"] in await log_of(server, table)
        assert bound["salt"] not in await log_of(server, table)
        await bob.call("DELETE", "/api/me", status=204)
        after = await record(ann, table)
        assert after == without_name(before, "Bob")
        assert bound["salt"] not in after
        assert fits(after).erased == (seat,)
        assert fits(after).final_root == fits(before).final_root
        assert await server.context.store.bound_names([bound["commitment"]]) == []


async def test_no_log_has_a_name_and_no_view_a_salt() -> None:
    async with serving(MemoryStore(), entropy=seeded(3)) as server:
        [ann] = await server.guests("Annabel")
        ann.name = "a"  # which it uses for the ids of its actions
        table = await seated(ann, bots="ESW", **NO_CUTS)
        answers = json.dumps(await ann.see(table))
        await play_on([ann], table)
        answers += json.dumps(await ann.see(table)) + json.dumps(await ann.call("GET", f"/api/tables/{table}/matches"))
        [player] = [
            player for player in parsed(await record(ann, table))[0]["players"].values() if player["kind"] == "human"
        ]
        assert player["name"] == "Annabel"
        assert "Annabel" not in await log_of(server, table)
        assert player["salt"] not in answers + await log_of(server, table)
        assert player["commitment"] in answers


async def test_a_latecomer_is_bound_with_the_first_deck() -> None:
    """The deck's root binds the players of its hand; a player who left is a bot from the next deck on."""
    async with serving(MemoryStore(), entropy=seeded(4)) as server:
        ann, bob, cat = await server.guests("Ann", "Bob", "Cat")
        table = await seated(ann, [bob], bots="SW", rules="club", changes={"target": 10, "deal_cut": "none"})
        await play_on([ann, bob], table, until=lambda state: state["phase"] == "playing")
        await cat.command(table, "sit", seat="S")
        await bob.command(table, "leave")
        await play_on([ann, cat], table)
        lines = parsed(await record(ann, table))
        fits(await record(ann, table))
        assert {seat: player["name"] for seat, player in lines[0]["players"].items()} == {
            "N": "Ann",
            "E": "Bob",
            "S": "novice",
            "W": "novice",
        }
        changed = [deck[0]["seal"]["players"] for deck in decks_of(lines) if "players" in deck[0]["seal"]]
        assert [{seat: player["name"] for seat, player in players.items()} for players in changed] == [
            {"E": "regular", "S": "Cat"}
        ]
        assert changed[0]["S"]["commitment"] == sha(f"leftbower name 1:{changed[0]['S']['salt']}:Cat")


async def test_roots_are_shown_from_the_first_deck_to_the_end() -> None:
    """The match root before any deck, the final root when the match is over; the record has the same."""
    store = MemoryStore()
    async with serving(store, entropy=seeded(5), hand_pause=1e6) as server:
        [ann] = await server.guests("Ann")
        messages: list[Plain] = []
        server.context.tables.listeners.append(
            lambda name, table: messages.append(
                {"sealed": table.sealed_deck, "match": table.match, "opening": table.opening}
            )
        )
        table = await seated(ann, bots="ESW", **NO_CUTS)
        state = await play_on([ann], table, until=lambda state: state["sealed"] is not None)
        first = next(message for message in messages if message["opening"] is not None)
        assert first["sealed"] is None
        assert state["match"]["root"] == first["opening"].root == state["sealed"]["link"]
        assert (state["match"]["number"], state["match"]["final_root"]) == (1, None)
        assert (state["sealed"]["kind"], state["sealed"]["number"]) == ("draw", 1)
    store._closed = False
    async with serving(store, entropy=seeded(6)) as server:
        ann = Client(server.http, "Ann", ann.person, ann.token)
        state = await play_on([ann], table)
        report = fits(await record(ann, table))
        assert state["match"]["root"] == report.root == first["opening"].root
        assert state["match"]["final_root"] == report.final_root
        [listed] = await ann.call("GET", f"/api/tables/{table}/matches")
        assert (listed["root"], listed["final_root"]) == (report.root, report.final_root)
        await ann.command(table, "rematch")
        again = await play_on([ann], table, until=lambda state: state["sealed"] is not None)
        assert again["match"]["number"] == 2
        assert again["match"]["final_root"] is None
        assert again["match"]["root"] != report.root


async def test_a_person_who_is_not_there_any_more_is_bound_to_no_name() -> None:
    async with serving(MemoryStore(), entropy=seeded(7)) as server:
        [ann] = await server.guests("Ann")
        store, outage = server.context.store, server.context.outage
        bound = await commit_names(store, [ann.person, "gone"], seeded(8))
        assert set(bound) == {ann.person, "gone"}
        names = await committed_names(store, bound.values(), outage)
        assert set(names) == {bound[ann.person]}
        assert len(set(bound.values()) | set((await commit_names(store, [ann.person], seeded(9))).values())) == 3
