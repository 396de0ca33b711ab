"""TableService under stress: restarts, several processes, lost notifications, full caches, failing bots and stores."""

import asyncio
import logging
from collections.abc import Callable, Sequence
from random import Random
from typing import Any

import pytest

from leftbower.engine import Action, Ready, View
from leftbower.errors import StoreUnreachable
from leftbower.players import RandomPlayer
from leftbower.rules import Seat, preset
from leftbower.server.live import bots, scheduler
from leftbower.server.live.presence import Timing
from leftbower.server.live.tables import TableService
from leftbower.store import HINTS_LOST, Row, Store
from leftbower.store.memory import MemoryStore
from leftbower.table import Agreed, BotSeated, Left, Sat, Table, person_to_act
from server_client import CARD, NO_CUTS, AppServer, play_on, play_step, recount, seated, seeded, serving


async def facts_of(store: Store, table: str) -> list[dict[str, Any]]:
    return [stored.fact for stored in await store.read(table)]


async def until_phase(server: AppServer, table: str, phase: str) -> dict[str, Any]:
    async with asyncio.timeout(120):
        while (view := await server.anonymous().see(table))["phase"] != phase:
            await asyncio.sleep(0.005)
    return view


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(120):
        while not condition():
            await asyncio.sleep(0.002)


async def until_quiet(server: AppServer) -> None:
    await until(lambda: not server.context.tables.busy)


async def test_a_hand_goes_on_after_a_restart(lasting: Any) -> None:
    """No matter whose turn it was at the shutdown: all facts are there, and bots continue."""
    async with lasting() as store:
        async with serving(store, entropy=seeded(51)) as server:
            ann, bob = await server.guests("Ann", "Bob")
            table = await seated(ann, [bob], bots="EW", **NO_CUTS)
            view = await play_on(
                [ann, bob], table, until=lambda view: bool(view["hand"]) and view["hand"]["phase"] == "playing"
            )
        before = await facts_of(store, table)
    async with lasting() as store, serving(store, entropy=seeded(52)) as server:
        ann.http = bob.http = server.http
        assert (await facts_of(store, table))[: len(before)] == before
        over = await play_on([ann, bob], table)
        assert recount(await facts_of(store, table)) == over["scores"]
        again = await ann.see(table)
        assert again["version"] > view["version"]


async def test_after_a_restart_bots_play_on_until_a_persons_turn() -> None:
    """A table without people closes."""
    store = MemoryStore()
    async with serving(store, entropy=seeded(53), bot_delay=60.0) as server:
        ann = await server.guest("Ann")
        table = await seated(ann, bots="ESW", **NO_CUTS)
        await until_phase(server, table, "playing")
        assert server.context.tables.busy
    async with serving(store, entropy=seeded(54)) as server:
        async with asyncio.timeout(120):
            while person_to_act(await server.context.tables.get(table)) != ann.person:
                await asyncio.sleep(0.01)
        await server.context.tables.execute(table, ann.person, Left(person=ann.person))
        await until_phase(server, table, "closed")
        await until_quiet(server)


async def test_tables_that_wait_for_people_need_no_task_or_timer() -> None:
    """Tasks end, cached tables are evicted, and an evicted table is still played on."""
    async with serving(MemoryStore(), entropy=seeded(55), max_cached_tables=1) as server:
        ann, bob = await server.guests("Ann", "Bob")
        tables = [await seated(ann, [bob], bots="EW", **NO_CUTS) for _ in range(3)]
        await until_quiet(server)
        service = server.context.tables
        assert (service.cached_count, len(service._scheduler)) == (1, 0)
        rng, over = Random(4), 0
        for _ in range(400):
            over = 0
            for table in tables:
                for client in (ann, bob):
                    view = await client.see(table)
                    over += view["phase"] == "over"
                    await play_step(client, table, view, rng)
            if over == 6:
                break
        assert over == 6
        for table in tables:
            assert recount(await facts_of(server.context.store, table)) == (await ann.see(table))["scores"]
        await until_quiet(server)
        assert service.cached_count == 1


async def test_every_version_of_an_evicted_table_is_published() -> None:
    published: list[tuple[str, int]] = []
    store = MemoryStore()
    service = TableService(store, on_change=lambda name, table: published.append((name, table.version)), max_cached=1)
    await service.open()
    for name in ("a", "b"):
        await service.create(name, "ann", preset("club"), "novice")
    for _ in range(3):
        for name in ("a", "b"):
            await service.execute(name, "ann", Sat(person="ann", seat=Seat.N))
    await service.close()
    assert [version for name, version in dict.fromkeys(published) if name == "a"] == [1, 2, 3, 4]


class SilentStore(MemoryStore):
    """A store whose notifications are lost."""

    def _publish(self, hints: Any) -> None:
        pass


@pytest.mark.parametrize("kind", [MemoryStore, SilentStore])
async def test_several_processes_serve_one_table(kind: type[MemoryStore]) -> None:
    """Two services on one store, with notifications received or lost: each action is executed once, and both show the
    same."""
    store = kind()
    async with (
        serving(store, entropy=seeded(56), poll_interval=0.01, takeover_delay=0.02) as first,
        serving(store, entropy=seeded(57), poll_interval=0.01, takeover_delay=0.02) as second,
    ):
        ann, bob = await first.guest("Ann"), await second.guest("Bob")
        table = await ann.open(**NO_CUTS)
        await ann.command(table, "sit", seat="N")
        await bob.command(table, "sit", seat="S")
        for seat in "EW":
            await ann.command(table, "seat-bot", seat=seat, level="novice")
        await bob.command(table, "agree")
        await ann.command(table, "agree")
        over = await play_on([ann, bob], table, steps=20_000)
        facts = await facts_of(store, table)
        assert recount(facts) == over["scores"]
        assert sum(fact["fact"] == "draw-deck-sealed" for fact in facts) == 1
        async with asyncio.timeout(60):
            while (await ann.see(table))["version"] != (await bob.see(table))["version"]:
                await asyncio.sleep(0.01)


async def test_a_table_of_a_closed_process_is_taken_over() -> None:
    """The process that appended last is gone; the other, which was never notified, finds the table by polling."""
    store = SilentStore()
    async with serving(store, poll_interval=0.05) as other:
        async with serving(store, entropy=seeded(53), bot_delay=60.0) as first:
            ann = await first.guest("Ann")
            table = await seated(ann, bots="ESW", **NO_CUTS)
            await until_phase(first, table, "playing")
            assert person_to_act(await first.context.tables.get(table)) is None
        async with asyncio.timeout(120):
            while person_to_act(await other.context.tables.get(table)) != ann.person:
                await asyncio.sleep(0.01)


async def test_700_tables_of_a_closed_process_are_taken_over() -> None:
    """Without notifications, and while more tables change than one poll reads."""
    store = SilentStore()
    closed = TableService(store)
    await closed.close()
    names = [f"t{number}" for number in range(700)]
    for name in names:
        await closed.create(name, "ann", preset("club2"), "novice")
        await closed.execute(name, "ann", BotSeated(seat=Seat.N, level="novice"))
        await closed.execute(name, "ann", Sat(person="ann", seat=Seat.S))
    other = TableService(store, timing=Timing(poll_interval=0.01, takeover_delay=0.0, bot_delay=60.0))
    await other.open()
    versions = {name: (await closed.execute(name, "ann", Agreed(person="ann"))).version for name in names}
    async with asyncio.timeout(60):
        while versions := {
            name: version for name, version in versions.items() if (await closed.refresh(name)).version == version
        }:
            await asyncio.sleep(0.01)
    await other.close()


async def test_with_a_head_start_live_tables_are_cached_at_startup() -> None:
    """Latest first, within the head start; tables without a match can wait."""
    store = MemoryStore()
    closed = TableService(store)
    await closed.close()
    for name in ("gathering", "played"):
        await closed.create(name, "ann", preset("club2"), "novice")
    await closed.execute("played", "ann", BotSeated(seat=Seat.N, level="novice"))
    await closed.execute("played", "ann", Sat(person="ann", seat=Seat.S))
    await closed.execute("played", "ann", Agreed(person="ann"))
    for head_start, cached in ((0.0, None), (60.0, closed.cached_version("played"))):
        service = TableService(store, timing=Timing(head_start=head_start))
        await service.open()
        assert (service.cached_version("played"), service.cached_version("gathering")) == (cached, None)
        await service.close()


async def test_no_client_gets_an_older_version_at_another_process() -> None:
    """A client moves to a process that was not notified: its feed continues, and its view is current."""
    store = SilentStore()
    async with serving(store, poll_interval=60.0) as first, serving(store, poll_interval=60.0) as second:
        ann = await first.guest("Ann")
        table = await ann.open(**NO_CUTS)
        await second.context.tables.get(table)
        version = (await ann.command(table, "sit", seat="N"))["version"]
        assert (await second.context.tables.get(table)).version < version
        assert (await second.context.tables.get(table, min_version=version)).version == version
        await ann.command(table, "sit", seat="S")
        ann.http = second.http
        assert (await ann.see(table))["version"] == version + 1


async def test_a_watched_table_is_published_although_it_was_evicted() -> None:
    """Another process changes the table; it was evicted from the cache here, but a client listens."""
    published: list[tuple[str, int]] = []
    store = MemoryStore()
    service = TableService(
        store,
        on_change=lambda name, table: published.append((name, table.version)),
        watched=lambda: ["t"],
        max_cached=1,
    )
    await service.open()
    other = TableService(store)
    for name in ("t", "u", "v"):
        await other.create(name, "ann", preset("club"), "novice")
        await service.get(name)
    assert [service.cached_version(name) for name in ("t", "u", "v")] == [None, None, 1]
    for name in ("u", "t"):
        await other.execute(name, "ann", Sat(person="ann", seat=Seat.N))
    await until(lambda: ("t", 2) in published)
    assert ("u", 2) not in published
    await service.close()
    await other.close()


async def test_an_action_repeated_at_another_process_is_known() -> None:
    """The client repeats it at a process that was not notified yet."""
    store = SilentStore()
    async with (
        serving(store, entropy=seeded(58), poll_interval=60.0) as first,
        serving(store, entropy=seeded(59), poll_interval=60.0) as second,
    ):
        people = await first.guests("Ann", "Bob", "Cat", "Dan")
        table = await seated(people[0], people[1:], **NO_CUTS)
        await until_phase(first, table, "playing")
        for client in people:
            client.http = second.http
            await client.see(table)
            client.http = first.http
        view = await people[0].see(table)
        client = people["NESW".index(view["hand"]["to_act"])]
        action = {"act": "pass", "seat": view["hand"]["to_act"]}
        after = await client.act(table, action, view["version"], action_id="mine")
        client.http = second.http
        again = await client.act(table, action, view["version"], action_id="mine")
        assert again == after
        follower = people["NESW".index(after["hand"]["to_act"])]
        follower.http = first.http
        done = await follower.act(
            table, {"act": "pass", "seat": after["hand"]["to_act"]}, after["version"], action_id="next"
        )
        client.http = second.http
        refused = await client.act(table, action, done["version"], action_id="late", status=409)
        assert refused["error"] == {**refused["error"], "code": "not-your-turn", "version": done["version"]}


async def test_notifications_during_a_read_are_not_lost() -> None:
    store = MemoryStore()
    service, other = TableService(store), TableService(SilentStore())
    other.store = store
    await service.open()
    await service.create("t", "ann", preset("club"), "novice")
    for seat in (Seat.N, Seat.S, Seat.E) * 5:
        await other.execute("t", "ann", Sat(person="ann", seat=seat))
    await until(lambda: service.cached_version("t") == other.cached_version("t") == 16)
    await other.execute("t", "ann", Sat(person="ann", seat=Seat.N))
    service._notified(HINTS_LOST)
    await until(lambda: service.cached_version("t") == 17)
    await service.close()
    assert service.busy == 0


# Failures


class BrokenPlayer(RandomPlayer):
    """A bot that fails, or chooses an illegal action."""

    talks = True

    def act(self, view: View, rng: Random) -> Action:
        if rng.random() < 0.5:
            raise ValueError(f"thinking of {view.cards} hurts")
        assert view.seat is not None
        return Ready(view.seat.partner)

    def remark(self, view: View, rng: Random) -> Action | None:
        raise ValueError(f"{view.cards}")


@pytest.mark.parametrize("supervision", ["strict", "honor"])
async def test_a_failing_bot_does_not_stop_the_match(
    supervision: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(bots, "bot_named", lambda level: BrokenPlayer())
    async with serving(MemoryStore(), entropy=seeded(60)) as server:
        ann = await server.guest("Ann")
        changes = {**NO_CUTS["changes"], "supervision": supervision}
        table = await seated(ann, bots="ESW", rules="club", changes=changes)
        with caplog.at_level(logging.ERROR):
            await play_on([ann], table)
    assert "a bot of level novice failed: ValueError" in caplog.text
    assert not CARD.search(caplog.text.encode())


class FlakyStore(MemoryStore):
    """A store that is sometimes unreachable."""

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
            raise StoreUnreachable("the disk of Ann's machine is not there", path="/secret/path")


async def test_after_a_store_outage_matches_go_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """During it the response says to retry, but not where the store is; then the match continues by itself."""
    monkeypatch.setattr(scheduler, "_MIN_BACKOFF_SECONDS", 0.01)
    store = FlakyStore()
    async with serving(store, entropy=seeded(61), poll_interval=0.01) as server:
        ann, bob = await server.guests("Ann", "Bob")
        table = await seated(ann, [bob], bots="EW", **NO_CUTS)
        store.down = True
        response = await server.http.post("/api/tables", json={}, headers={"Authorization": f"Bearer {ann.token}"})
        assert (response.status_code, response.headers["retry-after"]) == (503, "1")
        assert response.json()["error"] == {
            "code": "store-unreachable",
            "message": "can't reach the database; check whether this was done, then try again",
            "path": "",
        }
        assert (await server.http.get("/healthz")).status_code == 503
        async with asyncio.timeout(60):
            while store.failures <= 4:
                await asyncio.sleep(0.01)
        store.down = False
        await play_on([ann, bob], table)


async def test_an_unexpected_exception_gets_an_error_response(monkeypatch: pytest.MonkeyPatch) -> None:
    async with serving(MemoryStore()) as server:
        ann = await server.guest("Ann")

        async def fail(person: str) -> list[Any]:
            raise ValueError("a secret about Ann")

        monkeypatch.setattr(server.context.person_tables, "list", fail)
        response = await server.http.get("/api/tables", headers={"Authorization": f"Bearer {ann.token}"})
        assert response.status_code == 500
        assert response.json()["error"]["code"] == "error"
        assert "secret" not in response.text


async def test_a_closed_service_starts_no_task() -> None:
    service = TableService(MemoryStore(), timing=Timing(hand_pause=0.0))
    await service.open()
    await service.create("t", "ann", preset("club2"), "novice")
    await service.execute("t", "ann", Sat(person="ann", seat=Seat.N))
    await service.execute("t", "ann", BotSeated(seat=Seat.S, level="novice"))
    await service.close()
    table: Table = await service.execute("t", "ann", Agreed(person="ann"))
    assert table.match is not None
    await asyncio.sleep(0.01)
    assert service.cached_version("t") == table.version
    assert service.busy == 0
