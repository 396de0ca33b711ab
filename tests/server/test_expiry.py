"""Unused data expires after its lifetime and not before; played matches and data in use stay."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from random import Random
from typing import Any

import pytest

from leftbower.errors import UnknownEvent, UnknownTable
from leftbower.rules import preset
from leftbower.server.context import build_context
from leftbower.server.expiry import Expired, Expiry, Lifetimes
from leftbower.server.live.tables import TableService
from leftbower.store import Store
from leftbower.store.memory import MemoryStore
from leftbower.table import Sat
from leftbower.tournament.model.facts import EntrantAdded
from leftbower.tournament.model.plan import default_plan
from leftbower.tournament.model.roles import Role, RoleKind
from server_client import FAST, AppServer, Client, checked, play_on, seated, seeded, serving
from virtual_time import in_virtual_time

DAY = 86_400.0
MINUTE = 60.0
CLUB = preset("club")
LIVES = Lifetimes()
ORGANIZER = Role(kind=RoleKind.ORGANIZER)


@dataclass
class Calendar:
    """The store's clock."""

    now: float = 10_000 * DAY

    def __call__(self) -> float:
        return self.now


@asynccontextmanager
async def aging(**settings: Any) -> AsyncIterator[tuple[Calendar, AppServer]]:
    """A server whose store has a clock set by the test; it saves no uses in the background."""
    calendar = Calendar()
    async with serving(MemoryStore(clock=calendar), clock=calendar, **settings) as server:
        server.context.people._saving = asyncio.create_task(asyncio.sleep(3600))
        yield calendar, server


async def expire(server: AppServer) -> Expired:
    """Run one round, and nothing else."""
    counted = await server.context.expiry.make_round(dry_run=True)
    expired = await server.context.expiry.make_round()
    assert expired == counted
    assert await server.context.expiry.make_round() == Expired()
    assert await server.context.store.verify() == []
    return expired


# People


async def test_an_idle_guest_is_erased_after_the_lifetime() -> None:
    """With their name, sessions and seat; the table continues without them."""
    async with aging(entropy=seeded(1)) as (calendar, server):
        ann, bob = await server.guests("Ann", "Bob")
        await bob.call("PUT", "/api/me/password", {"login": "bob", "password": "long enough"})
        table = await seated(ann, [bob], bots="SW", **FAST)
        await play_on([ann, bob], table)
        calendar.now += LIVES.guests * DAY - MINUTE
        assert (await expire(server)).guests == 0
        assert (await bob.see(table))["people"][ann.person] == "Ann"
        calendar.now += 2 * MINUTE
        assert (await expire(server)).guests == 1
        checked(await ann.call("GET", "/api/me", status=401), "not-signed-in")
        view = await bob.see(table)
        assert "Ann" not in view["people"].values()
        assert [seat for seat, sitter in view["seats"].items() if sitter and sitter.get("person") == ann.person] == []
        assert "Ann" not in await bob.call("GET", f"/api/tables/{table}/record")


async def test_an_active_guest_and_an_account_are_kept() -> None:
    """For 400 days: a guest who signs in now and then, and a person with a password who doesn't."""
    async with aging() as (calendar, server):
        ann, bob, cid = await server.guests("Ann", "Bob", "Cid")
        await bob.call("PUT", "/api/me/password", {"login": "bob", "password": "long enough"})
        erased = 0
        for _ in range(8):
            calendar.now += 50 * DAY
            await ann.call("GET", "/api/me")
            erased += (await expire(server)).guests
        assert erased == 1
        assert (await ann.call("GET", "/api/me"))["name"] == "Ann"
        checked(await bob.call("GET", "/api/me", status=401), "not-signed-in")
        body = {"login": "bob", "password": "long enough"}
        assert (await server.anonymous().call("POST", "/api/sessions", body, status=201))["person"] == bob.person
        checked(await cid.call("GET", "/api/me", status=401), "not-signed-in")


async def test_a_session_is_renewed_before_its_request() -> None:
    """A guest who comes back on the last day is not erased, although no use was saved in the background yet."""
    async with aging() as (calendar, server):
        ann = await server.guest("Ann")
        calendar.now += LIVES.guests * DAY - MINUTE
        await ann.call("GET", "/api/me")
        [session] = await server.context.store.sessions(ann.person)
        assert session.last_used == calendar.now
        calendar.now += 2 * MINUTE
        assert (await expire(server)).guests == 0


async def test_a_guest_who_returns_during_expiry_stays_or_is_erased() -> None:
    """In many interleavings: a request was only answered if the person still exists."""
    rng = Random(7)
    async with aging() as (calendar, server):
        for _ in range(30):
            ann = await server.guest("Ann")
            calendar.now += (LIVES.guests + 1) * DAY

            async def come_back(ann: Client = ann) -> int:
                headers = {"Authorization": f"Bearer {ann.token}"}
                return (await ann.http.get("/api/me", headers=headers)).status_code

            async def make_round() -> None:
                await asyncio.sleep(0.001 * rng.randrange(6))
                await server.context.expiry.make_round()

            status, _ = await asyncio.gather(come_back(), make_round())
            there = await server.context.store.person(ann.person)
            assert (status == 200) is (there is not None)
            await server.context.store.erase_person(ann.person)


async def test_chat_and_ended_sessions_are_deleted() -> None:
    async with aging() as (calendar, server):
        ann = await server.guest("Ann")
        table = await ann.open(**FAST)
        await ann.command(table, "sit", seat="N")
        await ann.command(table, "allow-chat", allowed=True)
        await ann.command(table, "chat", text="hello")
        token = (await ann.call("POST", "/api/tokens", status=201))["token"]
        await Client(server.http, token=token).call("DELETE", "/api/tokens/this", status=204)
        calendar.now += 31 * DAY
        await ann.command(table, "say", phrase="hello")
        assert (await expire(server)).sessions == 1
        calendar.now += 60 * DAY
        await ann.command(table, "say", phrase="hello")
        assert (await expire(server)).words == 1
        assert len(await server.context.store.sessions(ann.person)) == 1


# Tables and events


async def test_an_empty_table_expires_and_a_played_one_never() -> None:
    """The person at the empty table is kept; its routes then return unknown-table."""
    async with aging(entropy=seeded(2)) as (calendar, server):
        ann = await server.guest("Ann")
        empty, played = await ann.open(**FAST), await seated(ann, bots="ESW", **FAST)
        await play_on([ann], played)
        record = await ann.call("GET", f"/api/tables/{played}/record")
        await ann.command(empty, "sit", seat="N")
        await ann.call("POST", f"/api/tables/{empty}/links", status=201)
        calendar.now += LIVES.tables * DAY - MINUTE
        await ann.call("GET", "/api/me")
        assert (await expire(server)).tables == 0
        calendar.now += 2 * MINUTE
        assert (await expire(server)).tables == 1
        await ann.refused("GET", f"/api/tables/{empty}", status=404, code="unknown-table")
        await ann.refused(
            "POST", f"/api/tables/{empty}/commands", {"command": "leave"}, status=404, code="unknown-table"
        )
        assert [listing["table"] for listing in await ann.call("GET", "/api/tables")] == [played]
        assert await server.context.store.links(empty) == []
        for _ in range(8):
            calendar.now += 50 * DAY
            await ann.call("GET", "/api/me")
            assert (await expire(server)).tables == 0
        assert await ann.call("GET", f"/api/tables/{played}/record") == record
        await ann.command(played, "rematch")


async def test_a_table_whose_page_is_open_does_not_expire() -> None:
    """When it does expire, its feed ends."""
    async with aging() as (calendar, server):
        ann = await server.guest("Ann")
        table = await ann.open(**FAST)
        service, feeds = server.context.tables, server.context.feeds
        version = (await service.get(table)).version

        async def render(_: object) -> bytes:
            return b"{}"

        events = feeds.listen(table, None, lambda: service.get(table), render, since=version, last_seen=None)
        await anext(events)
        calendar.now += (LIVES.tables + 1) * DAY
        assert (await expire(server)).tables == 0
        server.context.expiry._watched = lambda log: False  # as in another process
        assert (await server.context.expiry.make_round()).tables == 1
        assert [event async for event in events] == []
        assert service.peek(table) is None


async def test_an_unopened_event_expires_and_one_with_entrants_does_not() -> None:
    async with aging() as (calendar, server):
        events = server.context.events
        plan = default_plan("Friday", CLUB, online=True)
        empty, code = await events.create(plan)
        entered, _ = await events.create(plan)
        entry = EntrantAdded(entrant="a", name="Ann & Bob", players=("Ann", "Bob"))
        await events.execute(entered, ORGANIZER, lambda event: [entry])
        calendar.now += LIVES.events * DAY - MINUTE
        assert (await expire(server)).events == 0
        scheduler = server.context.online._scheduler
        for name in (empty, entered):
            scheduler._start_in(3600.0, name)
        calendar.now += 2 * MINUTE
        assert (await expire(server)).events == 1
        await asyncio.sleep(0)  # until the notification arrives
        with pytest.raises(UnknownEvent):
            await events.get(empty)
        assert await events.role(empty, code) is None
        assert scheduler._timers.keys() == {entered}
        for _ in range(8):
            calendar.now += 50 * DAY
            assert (await expire(server)).events == 0
        assert len((await events.get(entered)).entrants) == 1


async def test_a_seat_confirmed_during_expiry_is_never_lost() -> None:
    """In many interleavings, in the same process and in another: a confirmed seat is in the log."""
    rng = Random(11)
    outcomes = set()
    for number in range(60):
        calendar = Calendar()
        store = MemoryStore(clock=calendar)
        service, other = TableService(store), TableService(store)
        expiry = Expiry(store, leave=nothing)
        for process in (service, other):
            await process.open()
        await service.create("t", "p", CLUB, "novice")
        if number % 2:
            await other.get("t")
        calendar.now += (LIVES.tables + 1) * DAY

        async def sit(service: TableService = other if number % 2 else service) -> bool:
            for _ in range(rng.randrange(8)):
                await asyncio.sleep(0)
            try:
                await service.execute("t", "p", Sat(person="p", seat=CLUB.seats[0]))
            except UnknownTable:
                return False
            return True

        async def make_round(expiry: Expiry = expiry) -> int:
            for _ in range(rng.randrange(8)):
                await asyncio.sleep(0)
            return (await expiry.make_round()).tables

        seated_now, removed = await asyncio.gather(sit(), make_round())
        assert seated_now is (removed == 0)
        facts = [row.fact["fact"] for row in await store.read("t")]
        assert facts == (["created", "sat"] if seated_now else [])
        for process in (service, other):
            if seated_now:
                assert (await process.refresh("t")).seat_of("p") is CLUB.seats[0]
            else:
                with pytest.raises(UnknownTable):
                    await process.refresh("t")
            await process.close()
        outcomes.add(seated_now)
    assert outcomes == {True, False}


async def nothing(person: str) -> None:
    """A `leave` for guests without tables."""


async def test_processes_drop_what_another_has_removed(lasting: Any) -> None:
    """By a notification, or if it is lost, by the next request."""
    async with AsyncExitStack() as stack:
        stores: list[Store] = [await stack.enter_async_context(lasting())]
        if stores[0].shared:
            stores.append(await stack.enter_async_context(lasting()))
        services = [TableService(store) for store in stores]
        for service in services:
            await service.open()
            stack.push_async_callback(service.close)
        for table in ("t", "u"):
            await services[0].create(table, "p", CLUB, "novice")
            await services[-1].get(table)
        await stores[0].remove_log("t", 1)
        async with asyncio.timeout(120):
            while any(service.peek("t") is not None for service in services):
                await asyncio.sleep(0.01)
        for service in services:
            service._stop_listening()
        await stores[0].remove_log("u", 1)
        for service in services:
            with pytest.raises(UnknownTable):
                await service.execute("u", "p", Sat(person="p", seat=CLUB.seats[0]))
            assert service.peek("u") is None


# Rounds


def test_a_server_makes_rounds_by_itself() -> None:
    """One of two processes does it: an hour after its lifetime the table is removed."""

    async def run() -> None:
        start = asyncio.get_running_loop().time()
        store = MemoryStore(clock=lambda: 10_000 * DAY + asyncio.get_running_loop().time() - start)
        contexts = [build_context(store, lifetimes=Lifetimes(tables=1)) for _ in range(2)]
        for context in contexts:
            await context.open()
        await contexts[0].tables.create("t", "p", CLUB, "novice")
        await asyncio.sleep(DAY - 100)
        assert await store.listing("t") is not None
        await asyncio.sleep(3800)
        assert await store.listing("t") is None
        assert all(context.tables.peek("t") is None for context in contexts)
        for context in contexts:
            await context.close()

    in_virtual_time(run)


async def test_lifetimes_are_settings() -> None:
    async with aging(lifetimes=Lifetimes(tables=2)) as (calendar, server):
        ann = await server.guest("Ann")
        await ann.open(**FAST)
        calendar.now += 2 * DAY + MINUTE
        assert (await expire(server)).tables == 1


async def test_a_round_resumes_where_the_last_one_stopped() -> None:
    """Logs that were checked and kept are not read again until they change."""
    async with aging(entropy=seeded(8)) as (calendar, server):
        store = server.context.store
        ann = await server.guest("Ann")
        table = await ann.open(**FAST)
        calendar.now += LIVES.tables * DAY + MINUTE
        await ann.command(table, "sit", seat="N")
        assert (await expire(server)).tables == 0
        read: list[str] = []
        before = store.read

        async def reading(log: str, *rest: Any, **more: Any) -> Any:
            read.append(log)
            return await before(log, *rest, **more)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(store, "read", reading)
            assert (await server.context.expiry.make_round()).tables == 0
            assert read == []
            calendar.now += LIVES.tables * DAY + MINUTE
            assert (await server.context.expiry.make_round()).tables == 1
        assert read == [table]
