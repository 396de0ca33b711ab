"""No token can make a table grow forever; play continues no matter which quota is used up."""

import asyncio
from contextlib import AsyncExitStack
from random import Random
from typing import Any

import pytest

from leftbower.errors import LeftbowerError, QuotaExceeded
from leftbower.rules import preset
from leftbower.server.live.tables import TableService
from leftbower.server.quotas import FACTS, Quotas
from leftbower.store import open_store
from leftbower.store.memory import MemoryStore
from leftbower.table import (
    Agreed,
    Disconnected,
    Left,
    Muted,
    Reconnected,
    Sat,
    Table,
    Tempo,
    TempoChanged,
    UndoRequested,
)
from server_client import FAST, NO_CUTS, Client, checked, play_on, play_step, seated, seeded, serving
from virtual_time import VirtualTable, in_virtual_time

DAY = 86_400.0
HONOR: dict[str, Any] = {
    "rules": "club",
    "changes": {"deal_cut": "none", "supervision": "honor", "correction": "even-when-called"},
}
CLUB = preset("club")


async def refused(client: Client, table: str, command: str, **body: Any) -> str:
    """The message that refuses a command because of its quota."""
    message: str = checked(await client.command(table, command, status=409, **body), "quota-exceeded")["message"]
    return message


# Requests at a table


async def test_one_token_fills_a_lobby_up_to_its_quota() -> None:
    """At full speed, with the default quotas; others can still choose a seat there and play."""
    store, most = MemoryStore(), Quotas().requests_per_person
    async with serving(store, entropy=seeded(1)) as server:
        ann, bob = await server.guests("Ann", "Bob")
        table = await ann.open(**NO_CUTS)
        await ann.command(table, "sit", seat="N")
        for seat in "ES":
            await ann.command(table, "seat-bot", seat=seat, level="novice")
        for number in range(3, most):
            await ann.command(table, "set-tempo", tempo=("slow", "brisk")[number % 2])
        for _ in range(20):
            assert "new table" in await refused(ann, table, "set-tempo", tempo="steady")
        assert len(await store.read(table)) == 1 + most
        await bob.command(table, "sit", seat="W")
        for guest in (ann, bob):
            await guest.command(table, "agree")
        assert (await play_on([ann, bob], table))["phase"] == "over"
        await ann.command(table, "set-tempo", tempo="slow")


async def test_a_quota_holds_for_requests_at_once() -> None:
    """In two processes, too: the fold counts, and a fact is appended at the version that was checked."""
    store, quotas = MemoryStore(), Quotas(requests_per_person=30)
    services = [TableService(store, quotas=quotas) for _ in range(2)]
    await services[0].create("t", "p", CLUB, "novice")

    async def slow_down(number: int) -> bool:
        while True:
            try:
                await services[number % 2].execute("t", "p", TempoChanged(tempo=Tempo.SLOW))
            except QuotaExceeded:
                return False
            except LeftbowerError:
                continue  # others were faster
            return True

    assert sum(await asyncio.gather(*map(slow_down, range(60)))) == 30
    assert (await store.head("t")).seq == 31
    for service in services:
        await service.close()


async def test_spectators_use_up_no_quota_of_those_who_sit() -> None:
    async with serving(MemoryStore(), quotas=Quotas(requests_by_spectators=5, requests_per_table=20)) as server:
        ann, *others = await server.guests("Ann", "Bob", "Cid", "Dot")
        table = await ann.open(**FAST)
        for number in range(5):
            await others[number % 3].command(table, "mute", person=ann.person, muted=True)
        for other in others:
            await refused(other, table, "mute", person=ann.person, muted=False)
        for _ in range(20):
            await ann.command(table, "set-tempo", tempo="slow")
        await refused(ann, table, "set-tempo", tempo="brisk")


async def test_a_person_mutes_few_and_spectators_not_the_whole_table() -> None:
    service = TableService(MemoryStore(), quotas=Quotas(mutes_per_person=3, mutes_per_table=4))

    async def mute(who: str, whom: str, *, muted: bool = True) -> None:
        await service.execute("t", who, Muted(person=who, whom=whom, muted=muted))

    await service.create("t", "host", CLUB, "novice")
    for number in range(4):
        person = f"p{number}"
        await service.execute("t", person, Sat(person=person, seat=CLUB.seats[number]))
    for number in range(3):
        await mute("host", f"p{number}")
    with pytest.raises(QuotaExceeded, match="unmute one"):
        await mute("host", "p3")
    await mute("a", "host")
    with pytest.raises(QuotaExceeded, match="take a seat"):
        await mute("b", "host")
    await mute("host", "p0", muted=False)
    await mute("b", "host")
    await mute("host", "p3")
    await service.close()


def test_coming_and_going_fills_no_log() -> None:
    """A person whose feed is opened and closed repeatedly, in a lobby and in a match."""

    async def flap(hall: VirtualTable, times: int) -> int:
        before = hall.table.version
        for _ in range(times):
            hall.tables.presence.feed_closed("t", "p")
            await asyncio.sleep(5)
            hall.tables.presence.feed_opened("t", "p")
            await hall.tables.arrive("t", "p")
        return hall.table.version - before

    async def lobby() -> None:
        async with VirtualTable({"N": "p", "E": "q"}, quotas=Quotas(presence_facts=10)) as hall:
            hall.agreeing = False
            await hall.begin()
            assert await flap(hall, 20) == 10
            await hall.tables.execute("t", "p", TempoChanged(tempo=Tempo.SLOW))
            for person in ("p", "q"):
                await hall.tables.execute("t", person, Agreed(person=person))
            assert hall.phase != "gathering"

    async def match() -> None:
        async with VirtualTable({"N": "p", "E": "q"}, quotas=Quotas(presence_facts=10)) as hall:
            await hall.begin()
            await hall.until_turn_of("q")
            assert await flap(hall, 20) == 11  # the last one says that p is gone, so that others need not wait
            assert "p" in hall.table.away
            await hall.until_turn_of("q")
            await hall.act()
            assert hall.table.counters.presence <= 1
            await hall.until_turn_of("p")
            await hall.act()
            assert "p" not in hall.table.away

    in_virtual_time(lobby)
    in_virtual_time(match)


# Matches


async def test_a_match_is_played_to_its_end_whatever_is_used_up() -> None:
    """Chat and settings stop; actions, cuts and leaving never do. The next match is refused for the day."""
    store, quotas = MemoryStore(), Quotas(requests_per_person=6, facts_per_day=20)
    async with serving(store, quotas=quotas, entropy=seeded(3)) as server:
        ann = await server.guest("Ann")
        table = await seated(ann, bots="ESW", **FAST)
        for _ in range(5):
            await ann.command(table, "say", phrase="hello")
        assert "until the match is over" in await refused(ann, table, "say", phrase="hello")
        assert (await play_on([ann], table))["phase"] == "over"
        while await store.used(ann.person, FACTS) <= quotas.facts_per_day:
            await asyncio.sleep(0.01)
        assert "tomorrow" in await refused(ann, table, "rematch")
        await ann.command(table, "leave")


async def test_a_hand_cannot_be_prolonged_by_corrections() -> None:
    """Correcting a right card changes nothing and could be repeated; the hand is still played out."""
    async with serving(MemoryStore(), quotas=Quotas(remarks_per_hand=4), entropy=seeded(4)) as server:
        people = dict(zip("NESW", await server.guests(*"NESW"), strict=True))
        table = await seated(people["N"], [people[seat] for seat in "ESW"], **HONOR)

        def said(state: dict[str, Any], word: str) -> list[dict[str, Any]]:
            return [action for action in (state["hand"] or {"legal": ()})["legal"] if action["act"] == word]

        state = await play_on([*people.values()], table, until=lambda state: bool(said(state, "correct")))
        client = people[state["you"]["seat"]]
        for _ in range(4):
            await client.act(table, said(state, "correct")[0], state["version"])
            state = await client.see(table)
        answer = await client.act(table, said(state, "correct")[0], state["version"], status=409)
        checked(answer, "quota-exceeded")
        while state["phase"] == "playing":
            for person in people.values():
                state = await person.see(table)
                if ready := said(state, "ready"):
                    await person.act(table, ready[0], state["version"])
                else:
                    await play_step(person, table, state, Random(1))


async def test_undos_end_with_the_quota_and_the_hand_goes_on() -> None:
    async with serving(MemoryStore(), quotas=Quotas(undos_per_hand=2), entropy=seeded(5)) as server:
        ann = await server.guest("Ann")
        table = await seated(ann, bots="ESW", **NO_CUTS)

        async def act() -> None:
            """An action of Ann's that can be undone."""
            acted = False
            while not acted:
                state = await ann.see(table)
                acted = state["phase"] == "playing" and await play_step(ann, table, state, Random(1))

        await act()
        for _ in range(2):
            await ann.command(table, "undo")
            await act()
        assert "play it out" in await refused(ann, table, "undo")
        assert (await play_on([ann], table))["phase"] == "over"


async def test_a_table_that_is_full_begins_no_other_match() -> None:
    async with serving(MemoryStore(), quotas=Quotas(facts_per_table=50), entropy=seeded(6)) as server:
        ann = await server.guest("Ann")
        table = await seated(ann, bots="ESW", **FAST)
        assert (await play_on([ann], table))["phase"] == "over"
        assert "open a new table" in await refused(ann, table, "rematch")
        await refused(ann, table, "agree")
        await ann.command(table, "say", phrase="good-game")
        await seated(ann, bots="ESW", **FAST)


def test_a_match_without_end_is_not_dealt_on() -> None:
    """The hand is played out, and then the table closes."""

    async def run() -> None:
        async with VirtualTable({"N": "p"}, quotas=Quotas(facts_per_match=40)) as hall:
            await hall.begin()

            async def play() -> None:
                while True:
                    await hall.until_turn_of("p")
                    await hall.act()

            playing = asyncio.create_task(play())
            table = await hall.until(lambda table: table.closed)
            playing.cancel()
            assert table.hand is None
            assert 40 <= table.version - table.matches.starts[-1].version < 90
            await asyncio.sleep(3600)
            assert hall.table.version == table.version

    in_virtual_time(run)


# People


async def test_the_tables_a_person_opens_a_day_are_limited() -> None:
    """Finished or left tables don't make room, the next day does."""
    now = [1000 * DAY]
    async with serving(MemoryStore(clock=lambda: now[0]), quotas=Quotas(tables_per_day=3)) as server:
        ann, bob = await server.guests("Ann", "Bob")
        for _ in range(2):
            for _ in range(3):
                await ann.command(await ann.open(**FAST), "leave")
            problem = await ann.refused("POST", "/api/tables", FAST, status=409, code="quota-exceeded")
            assert "tomorrow" in problem["message"]
            now[0] += DAY
        await bob.open(**FAST)


async def test_a_refused_table_does_not_count_for_the_day() -> None:
    async with serving(MemoryStore(), quotas=Quotas(tables_per_day=3, tables_open=2)) as server:
        ann = await server.guest("Ann")
        tables = [await ann.open(**FAST) for _ in range(2)]
        for _ in range(5):
            await ann.refused("POST", "/api/tables", FAST, status=409, code="too-many")
        await ann.command(tables[0], "leave")
        await ann.open(**FAST)


async def test_tables_open_are_counted_across_processes(postgres: Any) -> None:
    """Forty concurrent requests to two servers on one database: twenty tables, and not one more."""
    async with AsyncExitStack() as stack:
        servers = []
        for _ in range(2):
            store = await stack.enter_async_context(await open_store(postgres.url))
            servers.append(await stack.enter_async_context(serving(store)))
        ann = await servers[0].guest("Ann")
        clients = [Client(server.http, "Ann", ann.person, ann.token) for server in servers]

        async def opened(number: int) -> int:
            client = clients[number % 2]
            headers = {"Authorization": f"Bearer {client.token}"}
            return (await client.http.post("/api/tables", json=FAST, headers=headers)).status_code

        statuses = await asyncio.gather(*map(opened, range(40)))
        assert sorted(statuses) == [201] * 20 + [409] * 20
        assert len(await servers[0].context.store.listings(person=ann.person)) == 20


async def test_facts_of_a_day_are_counted_across_processes(postgres: Any) -> None:
    """Each process reserves them in the store in blocks, so together they never exceed the quota."""
    quotas = Quotas(facts_per_day=40)
    async with await open_store(postgres.url) as first, await open_store(postgres.url) as second:
        services = [TableService(store, quotas=quotas) for store in (first, second)]

        async def written(service: TableService, table: str) -> int:
            """How many facts a person can write until the day's quota is used up."""
            await service.create(table, "p", CLUB, "novice")
            for count in range(100):
                try:
                    await service.execute(table, "p", TempoChanged(tempo=Tempo.SLOW))
                except QuotaExceeded:
                    return count
            return 100

        facts = await asyncio.gather(*(written(service, f"t{number}") for number, service in enumerate(services)))
        assert 38 <= sum(facts) <= 40
        for service in services:
            await service.close()


async def test_sessions_words_and_guests_are_bounded() -> None:
    quotas = Quotas(sessions=5, words=3, guests_per_address=2)
    store = MemoryStore()
    async with serving(store, quotas=quotas) as server:
        ann, _ = await server.guests("Ann", "Bob")
        await server.anonymous().refused("POST", "/api/guests", {"name": "Eve"}, status=429, code="too-often")
        table = await ann.open(**FAST)
        await ann.command(table, "sit", seat="N")
        await ann.command(table, "allow-chat", allowed=True)
        for number in range(8):
            await ann.call("POST", f"/api/tables/{table}/token", status=201)
            await ann.command(table, "chat", text=f"line {number}")
        said = await ann.see(table)
        assert len(await store.sessions(ann.person)) == 5
        assert [message["text"] for message in said["chat"]["messages"]][-3:] == ["line 5", "line 6", "line 7"]
        assert [await store.words(message.text_id) for _, message in server.context.tables._cached[table][0].chat][
            :5
        ] == [None] * 5


async def test_words_that_are_not_said_are_not_stored() -> None:
    store = MemoryStore()
    async with serving(store, quotas=Quotas(requests_per_person=3)) as server:
        ann = await server.guest("Ann")
        table = await ann.open(**FAST)
        await ann.command(table, "sit", seat="N")
        await ann.command(table, "allow-chat", allowed=True)
        await ann.command(table, "chat", text="hello")
        for _ in range(5):
            await refused(ann, table, "chat", text="hello")
        assert await store._query("select count(*) from words") == [(1,)]


def test_every_kind_of_fact_is_counted_or_bounded_by_the_rules() -> None:
    """The counters of a table follow from its log alone."""

    async def run() -> None:
        async with VirtualTable({"N": "p", "S": "q"}) as hall:
            table = await hall.begin()
            assert table.counters.requests == 1  # the agreement that started the match
            await hall.until_turn_of("p")
            await hall.act()
            for fact in (Disconnected(person="q"), Reconnected(person="q"), UndoRequested(person="p")):
                table = await hall.tables.append("t", hall.table, fact)
            assert (table.counters.presence, table.counters.undos) == (2, 1)
            assert dict(table.counters.by_person) == {"q": 1, "p": 1}
            await hall.tables.execute("t", "p", Left(person="p"))
            folded: Table = await TableService(hall.store).get("t")
            assert folded.counters == hall.table.counters

    in_virtual_time(run)
