"""Every match of a table stays readable for its players, no matter what is played, changed or erased later."""

import threading
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pytest

from leftbower.dealing.verify import verify
from leftbower.engine import MatchOver
from leftbower.errors import NotYourMatch
from leftbower.notation.record import loads
from leftbower.server.live.past_matches import read_match
from leftbower.store import Row, StoredFact
from leftbower.store.memory import MemoryStore
from leftbower.table import Table, TableClosed
from naive_chain import without_name
from server_client import NO_CUTS, AppServer, Client, play_on, seated, seeded, serving

Plain = dict[str, Any]


async def read_latest(client: Client, table: str) -> tuple[str, list[str]]:
    """Record and hand lines of the last match."""
    record: str = await client.call("GET", f"/api/tables/{table}/record")
    hands: list[str] = await client.call("GET", f"/api/tables/{table}/hands")
    return record, hands


async def read(client: Client, table: str, number: int) -> tuple[str, list[str]]:
    """Record and hand lines of a match by its number."""
    record: str = await client.call("GET", f"/api/tables/{table}/matches/{number}/record")
    hands: list[str] = await client.call("GET", f"/api/tables/{table}/matches/{number}/hands")
    return record, hands


async def list_matches(client: Client, table: str) -> list[Plain]:
    """The matches that this client may read."""
    matches: list[Plain] = await client.call("GET", f"/api/tables/{table}/matches")
    return matches


async def request_rematch(people: Sequence[Client], table: str) -> None:
    """All people ask for a rematch."""
    for client in people:
        await client.command(table, "rematch")


async def refused(client: Client, table: str, number: object, *, status: int, code: str) -> None:
    """Neither record nor hands."""
    for route in ("record", "hands"):
        await client.refused("GET", f"/api/tables/{table}/matches/{number}/{route}", status=status, code=code)


async def two_matches(server: AppServer, *names: str) -> tuple[list[Client], str, tuple[str, list[str]]]:
    """A table after one match of these people and bots, with the next one started; and record and hands of the
    first."""
    people = await server.guests(*names)
    table = await seated(people[0], people[1:], bots="NESW"[len(names) :], **NO_CUTS)
    await play_on(people, table)
    first = await read_latest(people[0], table)
    await request_rematch(people, table)
    return people, table, first


async def test_a_match_stays_readable_after_play_again(lasting: Any) -> None:
    """On a durable store: the same text as at the time, and it still verifies; the next match has its own."""
    async with lasting() as store, serving(store, entropy=seeded(1)) as server:
        people, table, first = await two_matches(server, "Ann", "Bob")
        for client in people:
            assert await read(client, table, 1) == first
        assert verify(first[0]).misfit is None
        await people[0].refused("GET", f"/api/tables/{table}/record", status=404, code="unknown-table")
        await refused_while_no_game_is_over(people[0], table, 2)
        await play_on(people, table)
        second = await read_latest(people[0], table)
        assert second != first
        assert [await read(people[1], table, number) for number in (1, 2)] == [first, second]
    async with lasting() as store, serving(store) as server:
        assert [await read(Client(server.http, token=people[1].token), table, number) for number in (1, 2)] == [
            first,
            second,
        ]


async def refused_while_no_game_is_over(client: Client, table: str, number: int) -> None:
    """Like the record of the latest match; there are no hands yet."""
    path = f"/api/tables/{table}/matches/{number}"
    await client.refused("GET", f"{path}/record", status=404, code="unknown-table")
    assert await client.call("GET", f"{path}/hands") == []


async def test_the_list_has_the_results_of_matches_with_players_by_name(lasting: Any) -> None:
    async with lasting() as store, serving(store, entropy=seeded(2)) as server:
        ann, bob = people = await server.guests("Ann", "Bob")
        table = await seated(ann, [bob], bots="SW", **NO_CUTS)
        assert await list_matches(ann, table) == []
        overs = [await play_on(people, table)]
        await request_rematch(people, table)
        overs.append(await play_on(people, table))
        matches = await list_matches(ann, table)
        assert [match["number"] for match in matches] == [1, 2]
        for match, over in zip(matches, overs, strict=True):
            assert (match["version"], match["scores"], match["wins"]) == (over["version"], over["scores"], over["wins"])
            assert match["winner"] == (["N", "S"] if over["scores"][0] > over["scores"][1] else ["E", "W"])
            assert match["people"] == {ann.person: "Ann", bob.person: "Bob"}
            assert match["seats"] == {
                "N": {"person": ann.person},
                "E": {"person": bob.person},
                "S": {"bot": "novice"},
                "W": {"bot": "novice"},
            }
            [ended] = [row.at for row in await store.read(table) if row.seq == match["version"]]
            assert match["ended"] == ended
            assert (match["sheet"], match["link"]) == ("club", over["link"])
    async with lasting() as store, serving(store) as server:
        assert await list_matches(Client(server.http, token=ann.token), table) == matches


async def test_only_those_who_played_an_earlier_match_read_it() -> None:
    """The latest match is public; after that it is only for those who played it, wherever they are now."""
    async with serving(MemoryStore(), entropy=seeded(3)) as server:
        ann, bob, cat, eve = await server.guests("Ann", "Bob", "Cat", "Eve")
        table = await seated(ann, [bob], bots="SW", **NO_CUTS)
        await play_on([ann, bob], table)
        first = await read_latest(ann, table)
        others = (cat, eve, server.anonymous())
        for client in (ann, bob, *others):
            assert await read(client, table, 1) == first
            assert len(await list_matches(client, table)) == 1
        await bob.command(table, "leave")
        await cat.command(table, "sit", seat="E")
        await request_rematch([ann, cat], table)
        for client in (ann, bob):
            assert await read(client, table, 1) == first
            assert len(await list_matches(client, table)) == 1
        for client in others:
            await refused(client, table, 1, status=403, code="not-your-match")
            assert await list_matches(client, table) == []
        await play_on([ann, cat], table)
        assert [
            [match["number"] for match in await list_matches(client, table)] for client in (ann, bob, cat, eve)
        ] == [
            [1, 2],
            [1, 2],
            [2],
            [2],
        ]


async def test_people_who_left_or_came_during_a_match_have_played_it() -> None:
    async with serving(MemoryStore(), entropy=seeded(4)) as server:
        ann, bob, late = await server.guests("Ann", "Bob", "Late")
        table = await seated(ann, [bob], bots="SW", **NO_CUTS)
        await play_on([ann, bob], table, until=lambda view: view["phase"] == "playing")
        await bob.command(table, "leave")
        await late.command(table, "sit", seat="S")
        await play_on([ann], table, until=lambda view: not view["latecomers"])
        await play_on([ann, late], table)
        first = await read_latest(ann, table)
        await request_rematch([ann, late], table)
        for client in (ann, bob, late):
            assert await read(client, table, 1) == first


async def test_an_earlier_match_is_read_by_the_rules_it_was_played_by() -> None:
    """Four play, then three, then two: each record folds and verifies on its own."""
    async with serving(MemoryStore(), entropy=seeded(5)) as server:
        [ann] = await server.guests("Ann")
        table = await seated(ann, bots="ESW", **NO_CUTS)
        records = []
        for name in ("club", "club3", "club2"):
            if name != "club":
                await ann.command(table, "change-rules", rules=name, changes={"target": 5, "deal_cut": "none"})
                await ann.command(table, "rematch")
            await play_on([ann], table)
            records.append(await read_latest(ann, table))
        await ann.command(table, "rematch")
        assert [await read(ann, table, number) for number in (1, 2, 3)] == records
        for (record, _), seats in zip(records, (4, 3, 2), strict=True):
            match = loads(record).fold()
            assert isinstance(match, MatchOver)
            assert match.rules.players == seats
            assert verify(record).misfit is None


async def test_an_act_that_was_undone_is_in_no_record() -> None:
    async with serving(MemoryStore(), entropy=seeded(6)) as server:
        [ann] = await server.guests("Ann")
        table = await seated(ann, bots="ESW", **NO_CUTS)

        def has_acted(_: Plain) -> bool:
            cached = server.context.tables.peek(table)
            return cached is not None and bool(cached.undo_points)

        await play_on([ann], table, until=has_acted)
        history = (await server.context.tables.get(table)).history
        assert (await ann.command(table, "undo"))["undo"] is None
        assert len((await server.context.tables.get(table)).history) < len(history)
        await play_on([ann], table)
        first = await read_latest(ann, table)
        await ann.command(table, "rematch")
        assert await read(ann, table, 1) == first
        assert verify(first[0]).misfit is None


async def test_an_erased_player_leaves_a_record_without_a_name() -> None:
    async with serving(MemoryStore(), entropy=seeded(7)) as server:
        (ann, bob), table, first = await two_matches(server, "Ann", "Bob")
        await bob.call("DELETE", "/api/me", status=204)
        assert await read(ann, table, 1) == (without_name(first[0], "Bob"), first[1])
        [match] = await list_matches(ann, table)
        assert match["people"] == {ann.person: "Ann", bob.person: ""}
        await refused(bob, table, 1, status=401, code="not-signed-in")


async def test_the_current_match_reads_as_the_record_of_the_table() -> None:
    """Its finished games, for everyone; nothing of the current game."""
    async with serving(MemoryStore(), entropy=seeded(8)) as server:
        [ann] = await server.guests("Ann")
        table = await seated(ann, bots="ESW", rules="campus", changes={"target": 5})
        await refused_while_no_game_is_over(ann, table, 1)
        await play_on([ann], table, until=lambda view: sum(view["wins"]) == 1 and view["phase"] == "playing")
        for client in (ann, server.anonymous()):
            assert await read(client, table, 1) == await read_latest(client, table)
        assert await list_matches(ann, table) == []


async def test_an_earlier_match_survives_the_closing_of_its_table() -> None:
    async with serving(MemoryStore(), entropy=seeded(9)) as server:
        (ann, bob), table, first = await two_matches(server, "Ann", "Bob")
        service = server.context.tables
        for client in (ann, bob):
            await client.command(table, "leave")
        latest = await service.latest(table)
        if not latest.closed:
            await service.append(table, latest, TableClosed())
        assert (await ann.see(table))["phase"] == "closed"
        for client in (ann, bob):
            assert await read(client, table, 1) == first
        await refused_while_no_game_is_over(ann, table, 2)


async def test_a_match_that_was_not_played_is_unknown() -> None:
    async with serving(MemoryStore(), entropy=seeded(10)) as server:
        [ann], table, _ = await two_matches(server, "Ann")
        for number in (0, -1, 3, 10**30):
            await refused(ann, table, number, status=404, code="unknown-match")
        await refused(ann, table, "first", status=422, code="bad-request")
        await refused(ann, "nothing", 1, status=404, code="unknown-table")
        await ann.refused("GET", "/api/tables/nothing/matches", status=404, code="unknown-table")


async def test_the_token_of_a_seat_reads_the_matches_of_its_table_only() -> None:
    async with serving(MemoryStore(), entropy=seeded(11)) as server:
        [ann], table, first = await two_matches(server, "Ann")
        token = (await ann.call("POST", f"/api/tables/{table}/token", status=201))["token"]
        seat = Client(server.http, token=token)
        assert await read(seat, table, 1) == first
        other = await ann.open(**NO_CUTS)
        await seat.refused("GET", f"/api/tables/{other}/matches", status=403, code="seat-only")


class RecordingStore(MemoryStore):
    """Records which thread parses rows, and their number."""

    def __init__(self) -> None:
        super().__init__()
        self.parsing: list[tuple[int, int]] = []

    def parsed(self, log: str, rows: Iterable[Row]) -> Sequence[StoredFact]:
        stored = super().parsed(log, rows)
        self.parsing.append((threading.get_ident(), len(stored)))
        return stored


def thread_and_version(past: Table, names: Mapping[str, str]) -> tuple[int, int]:
    """The thread that renders a match, and the match's version."""
    return threading.get_ident(), past.version


async def test_an_earlier_match_is_folded_in_a_thread_from_its_facts() -> None:
    """No matter how long the log is before and after it."""
    store = RecordingStore()
    async with serving(store, entropy=seeded(12)) as server:
        people, table, _ = await two_matches(server, "Ann")
        await play_on(people, table)
        await request_rematch(people, table)
        current = await server.context.tables.latest(table)
        for number in (1, 2):
            store.parsing.clear()
            thread, version = await read_match(server.context, table, number, people[0].person, thread_and_version)
            ended, start = current.matches.finished[number - 1], current.matches.starts[number - 1]
            assert thread != threading.get_ident()
            assert version == ended.version
            assert store.parsing[-1][0] != threading.get_ident()
            assert store.parsing[-1][1] == ended.version - start.version
        with pytest.raises(NotYourMatch):
            await read_match(server.context, table, 1, "eve", thread_and_version)
