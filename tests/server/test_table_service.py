"""The house under stress: restarts, several houses on one store, lost hints, full caches, bots and stores that fail."""

import asyncio
import logging
from collections.abc import Sequence
from random import Random
from typing import Any

import pytest

from leftbower.engine import Action, Ready, View
from leftbower.errors import StoreUnreachable
from leftbower.players import RandomPlayer
from leftbower.rules import Seat, preset
from leftbower.server.live import bots, scheduler
from leftbower.server.live.tables import TableService
from leftbower.store import HINTS_LOST, Row, Store
from leftbower.store.memory import MemoryStore
from leftbower.table import Agreed, BotSeated, Left, Sat, Table, person_to_act
from server_client import CARD, NO_CUTS, AppServer, play_on, play_step, recount, seated, seeded, serving


async def facts_of(store: Store, table: str) -> list[dict[str, Any]]:
    return [stored.fact for stored in await store.read(table)]


async def until_phase(place: AppServer, table: str, phase: str) -> dict[str, Any]:
    async with asyncio.timeout(10):
        while (shown := await place.stranger().see(table))["phase"] != phase:
            await asyncio.sleep(0.005)
    return shown


async def until_quiet(place: AppServer) -> None:
    async with asyncio.timeout(10):
        while place.context.tables.busy:
            await asyncio.sleep(0.002)


async def test_a_hand_that_was_half_played_goes_on_after_a_restart(lasting: Any) -> None:
    """Whoever was to act when the house went down: what was done is there, and bots finish what they began."""
    async with lasting() as store:
        async with serving(store, entropy=seeded(51)) as place:
            ann, bob = await place.guests("Ann", "Bob")
            table = await seated(ann, [bob], bots="EW", **NO_CUTS)
            shown = await play_on(
                [ann, bob], table, until=lambda shown: bool(shown["hand"]) and shown["hand"]["phase"] == "playing"
            )
        before = await facts_of(store, table)
    async with lasting() as store, serving(store, entropy=seeded(52)) as place:
        ann.http = bob.http = place.http
        assert (await facts_of(store, table))[: len(before)] == before
        over = await play_on([ann, bob], table)
        assert recount(await facts_of(store, table)) == over["scores"]
        again = await ann.see(table)
        assert again["version"] > shown["version"]


async def test_bots_that_were_interrupted_go_on_until_a_person_is_asked() -> None:
    """And where nobody is left to be asked the table closes."""
    store = MemoryStore()
    async with serving(store, entropy=seeded(53), bot_delay=60.0) as place:
        ann = await place.guest("Ann")
        table = await seated(ann, bots="ESW", **NO_CUTS)
        await until_phase(place, table, "playing")
        assert place.context.tables.busy
    async with serving(store, entropy=seeded(54)) as place:
        async with asyncio.timeout(10):
            while person_to_act(await place.context.tables.table(table)) != ann.person:
                await asyncio.sleep(0.01)
        await place.context.tables.execute(table, ann.person, Left(person=ann.person))
        await until_phase(place, table, "closed")
        await until_quiet(place)


async def test_nothing_is_kept_for_tables_at_which_people_are_asked() -> None:
    """Tasks end, folded tables are let go of, and a table that was let go of is played on all the same."""
    async with serving(MemoryStore(), entropy=seeded(55), max_cached=1) as place:
        ann, bob = await place.guests("Ann", "Bob")
        tables = [await seated(ann, [bob], bots="EW", **NO_CUTS) for _ in range(3)]
        await until_quiet(place)
        house = place.context.tables
        assert (len(house._tables), len(house._scheduler._tasks), len(house._scheduler._timers)) == (1, 0, 0)
        chance, over = Random(4), 0
        for _ in range(400):
            over = 0
            for table in tables:
                for client in (ann, bob):
                    shown = await client.see(table)
                    over += shown["phase"] == "over"
                    await play_step(client, table, shown, chance)
            if over == 6:
                break
        assert over == 6
        for table in tables:
            assert recount(await facts_of(place.context.store, table)) == (await ann.see(table))["scores"]
        await until_quiet(place)
        assert len(house._tables) == 1


async def test_a_feed_misses_nothing_when_its_table_was_let_go_of() -> None:
    told: list[tuple[str, int]] = []
    store = MemoryStore()
    house = TableService(store, on_change=lambda name, table: told.append((name, table.version)), max_cached=1)
    await house.open()
    for name in ("a", "b"):
        await house.create(name, "ann", preset("club"), "novice")
    for _ in range(3):
        for name in ("a", "b"):
            await house.execute(name, "ann", Sat(person="ann", seat=Seat.N))
    await house.close()
    assert [version for name, version in dict.fromkeys(told) if name == "a"] == [1, 2, 3, 4]


class Deaf(MemoryStore):
    """A store whose hints are lost."""

    def _tell(self, hints: Any) -> None:
        pass


@pytest.mark.parametrize("kind", [MemoryStore, Deaf])
async def test_several_houses_serve_one_table(kind: type[MemoryStore]) -> None:
    """Two houses on one store, hints heard or lost: each act is done once, whoever is asked, and both tell the same."""
    store = kind()
    async with (
        serving(store, entropy=seeded(56), poll_interval=0.01, takeover_delay=0.02) as one,
        serving(store, entropy=seeded(57), poll_interval=0.01, takeover_delay=0.02) as other,
    ):
        ann, bob = await one.guest("Ann"), await other.guest("Bob")
        table = await ann.open(**NO_CUTS)
        await ann.ask(table, "sit", seat="N")
        await bob.ask(table, "sit", seat="S")
        for seat in "EW":
            await ann.ask(table, "seat-bot", seat=seat, level="novice")
        await bob.ask(table, "agree")
        await ann.ask(table, "agree")
        over = await play_on([ann, bob], table, steps=20_000)
        facts = await facts_of(store, table)
        assert recount(facts) == over["scores"]
        assert sum(fact["fact"] == "draw-deck-sealed" for fact in facts) == 1
        async with asyncio.timeout(5):
            while (await ann.see(table))["version"] != (await bob.see(table))["version"]:
                await asyncio.sleep(0.01)


async def test_a_house_goes_on_with_what_another_one_began_and_left() -> None:
    """The one that appended last went down; the other one, which never heard of the table, finds it on its round."""
    store = Deaf()
    async with serving(store, poll_interval=0.05) as other:
        async with serving(store, entropy=seeded(53), bot_delay=60.0) as one:
            ann = await one.guest("Ann")
            table = await seated(ann, bots="ESW", **NO_CUTS)
            await until_phase(one, table, "playing")
            assert person_to_act(await one.context.tables.table(table)) is None
        async with asyncio.timeout(10):
            while person_to_act(await other.context.tables.table(table)) != ann.person:
                await asyncio.sleep(0.01)


async def test_a_house_finds_every_table_that_another_one_left_however_many() -> None:
    """Nobody hears of them, and more of them are moved all the time than anybody would look at."""
    store = Deaf()
    gone = TableService(store)
    await gone.close()
    names = [f"t{number}" for number in range(700)]
    for name in names:
        await gone.create(name, "ann", preset("club2"), "novice")
        await gone.execute(name, "ann", BotSeated(seat=Seat.N, level="novice"))
        await gone.execute(name, "ann", Sat(person="ann", seat=Seat.S))
    other = TableService(store, poll_interval=0.01, takeover_delay=0.0, bot_delay=60.0)
    await other.open()
    left = {name: (await gone.execute(name, "ann", Agreed(person="ann"))).version for name in names}
    async with asyncio.timeout(60):
        while left := {name: at for name, at in left.items() if (await gone.refresh(name)).version == at}:
            await asyncio.sleep(0.01)
    await other.close()


async def test_a_house_with_a_head_start_knows_the_tables_that_are_played_before_it_serves() -> None:
    """The latest first, and no longer than it may; tables that are only gathering can wait."""
    store = MemoryStore()
    gone = TableService(store)
    await gone.close()
    for name in ("gathering", "played"):
        await gone.create(name, "ann", preset("club2"), "novice")
    await gone.execute("played", "ann", BotSeated(seat=Seat.N, level="novice"))
    await gone.execute("played", "ann", Sat(person="ann", seat=Seat.S))
    await gone.execute("played", "ann", Agreed(person="ann"))
    for head_start, known in ((0.0, None), (60.0, gone.cached_version("played"))):
        house = TableService(store, head_start=head_start)
        await house.open()
        assert (house.cached_version("played"), house.cached_version("gathering")) == (known, None)
        await house.close()


async def test_nobody_is_shown_less_than_they_have_seen_elsewhere() -> None:
    """A client goes from one house to another that has heard nothing: its feed goes on, and a look is up to date."""
    store = Deaf()
    async with serving(store, poll_interval=60.0) as one, serving(store, poll_interval=60.0) as other:
        ann = await one.guest("Ann")
        table = await ann.open(**NO_CUTS)
        await other.context.tables.table(table)
        seen = (await ann.ask(table, "sit", seat="N"))["version"]
        assert (await other.context.tables.table(table)).version < seen
        assert (await other.context.tables.table(table, min_version=seen)).version == seen
        await ann.ask(table, "sit", seat="S")
        ann.http = other.http
        assert (await ann.see(table))["version"] == seen + 1


async def test_a_feed_hears_of_its_table_though_that_was_let_go_of() -> None:
    """Another house moves the table; this one has too many others in mind, but somebody here listens."""
    told: list[tuple[str, int]] = []
    store = MemoryStore()
    house = TableService(
        store, on_change=lambda name, table: told.append((name, table.version)), watched=lambda: ["t"], max_cached=1
    )
    await house.open()
    other = TableService(store)
    for name in ("t", "u", "v"):
        await other.create(name, "ann", preset("club"), "novice")
        await house.table(name)
    assert [house.cached_version(name) for name in ("t", "u", "v")] == [None, None, 1]
    for name in ("u", "t"):
        await other.execute(name, "ann", Sat(person="ann", seat=Seat.N))
    await asyncio.sleep(0.01)
    assert ("t", 2) in told
    assert ("u", 2) not in told
    await house.close()
    await other.close()


async def test_an_act_that_reached_another_house_first_is_known_there_and_here() -> None:
    """The client repeats it at a house that has not heard of it yet."""
    store = Deaf()
    async with (
        serving(store, entropy=seeded(58), poll_interval=60.0) as one,
        serving(store, entropy=seeded(59), poll_interval=60.0) as other,
    ):
        people = await one.guests("Ann", "Bob", "Cat", "Dan")
        table = await seated(people[0], people[1:], **NO_CUTS)
        await until_phase(one, table, "playing")
        for client in people:
            client.http = other.http
            await client.see(table)
            client.http = one.http
        shown = await people[0].see(table)
        client = people["NESW".index(shown["hand"]["to_act"])]
        action = {"act": "pass", "seat": shown["hand"]["to_act"]}
        first = await client.act(table, action, shown["version"], act="mine")
        client.http = other.http
        again = await client.act(table, action, shown["version"], act="mine")
        assert again == first
        follower = people["NESW".index(first["hand"]["to_act"])]
        follower.http = one.http
        done = await follower.act(table, {"act": "pass", "seat": first["hand"]["to_act"]}, first["version"], act="next")
        client.http = other.http
        refused = await client.act(table, action, done["version"], act="late", status=409)
        assert refused["error"] == {**refused["error"], "code": "not-your-turn", "version": done["version"]}


async def test_hints_that_come_while_one_reads_are_not_lost() -> None:
    store = MemoryStore()
    house, other = TableService(store), TableService(Deaf())
    other.store = store
    await house.open()
    await house.create("t", "ann", preset("club"), "novice")
    for seat in (Seat.N, Seat.S, Seat.E) * 5:
        await other.execute("t", "ann", Sat(person="ann", seat=seat))
    await asyncio.sleep(0.01)
    assert house.cached_version("t") == other.cached_version("t") == 16
    await other.execute("t", "ann", Sat(person="ann", seat=Seat.N))
    house._notified(HINTS_LOST)
    await asyncio.sleep(0.01)
    assert house.cached_version("t") == 17
    await house.close()
    assert house.busy == 0


# What fails


class Broken(RandomPlayer):
    """A bot that fails, or answers with what is not legal."""

    talks = True

    def act(self, view: View, rng: Random) -> Action:
        if rng.random() < 0.5:
            raise ValueError(f"thinking of {view.cards} hurts")
        assert view.seat is not None
        return Ready(view.seat.partner)

    def remark(self, view: View, rng: Random) -> Action | None:
        raise ValueError(f"{view.cards}")


@pytest.mark.parametrize("supervision", ["strict", "honor"])
async def test_a_bot_that_fails_holds_nobody_up(
    supervision: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(bots, "bot_named", lambda level: Broken())
    async with serving(MemoryStore(), entropy=seeded(60)) as place:
        ann = await place.guest("Ann")
        changes = {**NO_CUTS["changes"], "supervision": supervision}
        table = await seated(ann, bots="ESW", rules="club", changes=changes)
        with caplog.at_level(logging.ERROR):
            await play_on([ann], table)
    assert "a bot of level novice failed: ValueError" in caplog.text
    assert not CARD.search(caplog.text.encode())


class Flaky(MemoryStore):
    """A store that cannot be reached every now and then."""

    down = False
    failures = 0

    async def _append(self, entry: Any) -> Any:
        self._check()
        return await super()._append(entry)

    async def rows(self, log: str, after: int, limit: int) -> Sequence[Row]:
        self._check()
        return await super().rows(log, after, limit)

    async def listings(self, **which: Any) -> Any:
        self._check()
        return await super().listings(**which)

    def _check(self) -> None:
        if self.down:
            self.failures += 1
            raise StoreUnreachable("the disk of Ann's machine is not there", place="/secret/path")


async def test_a_store_that_comes_back_finds_the_house_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    """Meanwhile people are told to ask again, and not where the store is; then the match goes on by itself."""
    monkeypatch.setattr(scheduler, "_MIN_BACKOFF_SECONDS", 0.01)
    store = Flaky()
    async with serving(store, entropy=seeded(61), poll_interval=0.01) as place:
        ann, bob = await place.guests("Ann", "Bob")
        table = await seated(ann, [bob], bots="EW", **NO_CUTS)
        store.down = True
        answer = await place.http.post("/api/tables", json={}, headers={"Authorization": f"Bearer {ann.token}"})
        assert (answer.status_code, answer.headers["retry-after"]) == (503, "1")
        assert answer.json()["error"] == {
            "code": "store-unreachable",
            "message": "the database cannot be reached: what is asked may or may not have been done; ask again",
            "place": "",
        }
        assert (await place.http.get("/healthz")).status_code == 503
        await asyncio.sleep(0.1)
        assert store.failures > 4
        store.down = False
        await play_on([ann, bob], table)


async def test_what_fails_unexpectedly_is_answered_in_the_one_shape(monkeypatch: pytest.MonkeyPatch) -> None:
    async with serving(MemoryStore()) as place:
        ann = await place.guest("Ann")

        async def fails(person: str) -> list[Any]:
            raise ValueError("a secret about Ann")

        monkeypatch.setattr(place.context, "list_tables", fails)
        answer = await place.http.get("/api/tables", headers={"Authorization": f"Bearer {ann.token}"})
        assert answer.status_code == 500
        assert answer.json()["error"]["code"] == "error"
        assert "secret" not in answer.text


async def test_a_house_that_is_closed_begins_nothing() -> None:
    house = TableService(MemoryStore(), hand_pause=0.0)
    await house.open()
    await house.create("t", "ann", preset("club2"), "novice")
    await house.execute("t", "ann", Sat(person="ann", seat=Seat.N))
    await house.execute("t", "ann", BotSeated(seat=Seat.S, level="novice"))
    await house.close()
    table: Table = await house.execute("t", "ann", Agreed(person="ann"))
    assert table.match is not None
    await asyncio.sleep(0.01)
    assert house.cached_version("t") == table.version
    assert house.busy == 0
