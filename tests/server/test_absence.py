"""Disconnected players keep their seats, players who leave do not; a bot substitutes after a grace period."""

import asyncio
from dataclasses import replace

import pytest

from leftbower.rules import Seat, preset
from leftbower.rules.choices import Cut
from leftbower.server.live.presence import Timing
from leftbower.server.live.tables import TableService
from leftbower.store.memory import MemoryStore
from leftbower.table import (
    Agreed,
    BotSeated,
    LastCardModeChanged,
    Left,
    Sat,
    SeatedBot,
    SeatedPerson,
    Table,
    person_to_act,
)
from virtual_time import VirtualTable, in_virtual_time

TWO = {"N": "ann", "S": "bob"}


def now() -> float:
    return asyncio.get_running_loop().time()


async def count_bot_actions(virtual: VirtualTable, seat: str) -> int:
    """How often a bot has decided for a seat."""
    facts = await virtual.facts()
    return sum(fact["fact"] == "acted" and not fact["action_id"] and fact["action"]["seat"] == seat for fact in facts)


def test_a_bot_substitutes_for_a_disconnected_player() -> None:
    """The seat stays theirs; the others wait only for the grace period."""

    async def scenario() -> None:
        async with VirtualTable(TWO, reconnect_grace=20.0, disconnect_delay=3.0) as virtual:
            await virtual.begin()
            await virtual.until_turn_of("ann")
            left_at, before = now(), await count_bot_actions(virtual, "N")
            virtual.tables.presence.feed_closed("t", "ann")
            await virtual.until(lambda table: "ann" in table.away)
            assert now() - left_at == pytest.approx(3.0, abs=0.1)
            covered = await virtual.until(lambda table: "ann" in table.substituted)
            assert now() - left_at == pytest.approx(23.0, abs=0.1)
            assert covered.seats[Seat.N] == SeatedPerson("ann")
            while await count_bot_actions(virtual, "N") < before + 2:
                await virtual.until_turn_of("bob")
                await virtual.act()
            virtual.tables.presence.feed_opened("t", "ann")
            await virtual.tables.arrive("t", "ann")
            assert (dict(virtual.table.away), dict(virtual.table.substituted)) == ({}, {})
            back = await virtual.until_turn_of("ann")
            await asyncio.sleep(300)
            assert virtual.table.version == back.version  # no bot acts for a player who is present

    in_virtual_time(scenario)


def test_a_substitute_sees_one_seat_and_has_the_tables_level(monkeypatch: pytest.MonkeyPatch) -> None:
    async def scenario() -> None:
        async with VirtualTable(TWO, level="regular") as virtual:
            decisions = []
            act = virtual.tables._due_actions._bots.act

            async def recorded(level: str, view: object, rng: object) -> object:
                decisions.append((level, view.seat))  # type: ignore[attr-defined]
                return await act(level, view, rng)  # type: ignore[arg-type]

            monkeypatch.setattr(virtual.tables._due_actions._bots, "act", recorded)
            await virtual.begin()
            await virtual.until_turn_of("ann")
            virtual.tables.presence.feed_closed("t", "ann")
            decisions.clear()
            await virtual.until_turn_of("bob")
            assert ("regular", Seat.N) in decisions
            assert {level for level, _ in decisions} == {"regular"}
            assert Seat.S not in {seat for _, seat in decisions}

    in_virtual_time(scenario)


def test_a_short_disconnect_and_a_second_feed_record_nothing() -> None:
    """Reloading a page or switching networks records no fact."""

    async def scenario() -> None:
        async with VirtualTable(TWO, disconnect_delay=3.0) as virtual:
            await virtual.begin()
            await virtual.until_turn_of("bob")
            version, presence = virtual.table.version, virtual.tables.presence
            for _ in range(5):
                presence.feed_closed("t", "ann")
                await asyncio.sleep(2.5)
                presence.feed_opened("t", "ann")
            presence.feed_opened("t", "ann")
            presence.feed_closed("t", "ann")
            await asyncio.sleep(60)
            assert virtual.table.version == version

    in_virtual_time(scenario)


def test_a_request_counts_as_reconnecting() -> None:
    """An action of a disconnected player counts for the version they saw."""

    async def scenario() -> None:
        async with VirtualTable(TWO, reconnect_grace=60.0) as virtual:
            await virtual.begin()
            before = await virtual.until_turn_of("ann")
            virtual.tables.presence.feed_closed("t", "ann")
            await virtual.until(lambda table: "ann" in table.away)
            after = await virtual.tables.execute("t", "ann", virtual.proper_fact("ann"), version=before.version)
            assert (dict(after.away), after.version) == ({}, before.version + 3)  # dropped, returned, acted
            await virtual.tables.execute("t", "ann", LastCardModeChanged(person="ann", manual=True))

    in_virtual_time(scenario)


def test_leaving_is_not_disconnecting() -> None:
    """A player who leaves loses the seat to a bot at once; a disconnected one keeps it."""

    async def scenario() -> None:
        async with VirtualTable(TWO) as virtual:
            await virtual.begin()
            await virtual.until_turn_of("ann")
            virtual.tables.presence.feed_closed("t", "bob")
            await virtual.until(lambda table: "bob" in table.away)
            assert virtual.table.seats[Seat.S] == SeatedPerson("bob")
            left = await virtual.tables.execute("t", "bob", Left(person="bob"))
            assert (left.seats[Seat.S], dict(left.away)) == (SeatedBot("random"), {})
            virtual.tables.presence.feed_opened("t", "bob")
            await virtual.tables.arrive("t", "bob")
            assert virtual.table.seats[Seat.S] == SeatedBot("random")

    in_virtual_time(scenario)


def test_a_match_against_bots_waits_for_its_player() -> None:
    """No person waits for them, so the table does; after the idle timeout it closes, and it reopens when they are
    back."""

    async def scenario() -> None:
        async with VirtualTable({"N": "ann"}, idle_timeout=600.0) as virtual:
            await virtual.begin()
            await virtual.until_turn_of("ann")
            history, left_at = virtual.table.history, now()
            virtual.tables.presence.feed_closed("t", "ann")
            await asyncio.sleep(400)
            assert (virtual.phase, virtual.table.history) == ("playing", history)
            await virtual.until(lambda table: table.closed)
            assert now() - left_at == pytest.approx(603.0, abs=0.1)
            assert (virtual.phase, virtual.table.history) == ("closed", history)
            await asyncio.sleep(3600)
            assert virtual.tables.busy == 0
            virtual.tables.presence.feed_opened("t", "ann")
            await virtual.tables.arrive("t", "ann")
            assert (virtual.phase, person_to_act(virtual.table)) == ("playing", "ann")
            await virtual.act()
            assert len(virtual.table.history) > len(history)

    in_virtual_time(scenario)


def test_a_table_that_all_have_left_closes_and_keeps_its_record() -> None:
    async def scenario() -> None:
        async with VirtualTable(TWO, idle_timeout=100.0) as virtual:
            await virtual.begin()
            await virtual.until(lambda table: table.public_until > 0 or person_to_act(table) is not None)
            while not virtual.table.public_until:
                await virtual.until(lambda table: person_to_act(table) is not None or table.public_until > 0)
                if person_to_act(virtual.table):
                    await virtual.act()
            for person in TWO.values():
                virtual.tables.presence.feed_closed("t", person)
            closed = await virtual.until(lambda table: table.closed)
            assert closed.public_until > 0
            assert closed.people == {"ann", "bob"}
            assert await virtual.store.verify() == []

    in_virtual_time(scenario)


def test_a_silent_client_is_substituted_on_its_turn() -> None:
    """A program sat down over the API and went away: the others wait for it no longer than for a person."""

    async def scenario() -> None:
        async with VirtualTable(TWO, reconnect_grace=20.0) as virtual:
            await virtual.begin()
            virtual.tables.presence._feeds.clear()
            virtual.tables.presence.feed_opened("t", "bob")
            await virtual.until_turn_of("ann")
            turn_began = now()
            await virtual.until(lambda table: "ann" in table.substituted)
            assert 20.0 <= now() - turn_began <= 41.0
            for _ in range(10):  # it polls now, which counts like listening
                await virtual.tables.arrive("t", "ann")
                await asyncio.sleep(10)
            await virtual.until_turn_of("ann")
            for _ in range(10):
                await virtual.tables.arrive("t", "ann")
                await asyncio.sleep(10)
            assert dict(virtual.table.substituted) == {}

    in_virtual_time(scenario)


def test_presence_is_shared_between_processes() -> None:
    """Ann is connected to one process and Bob to the other; neither counts as disconnected for long."""

    async def scenario() -> None:
        store = MemoryStore(clock=lambda: now() + 1e6)
        async with (
            VirtualTable(TWO, store=store, reconnect_grace=20.0) as first,
            VirtualTable(TWO, store=store, reconnect_grace=20.0) as other,
        ):
            await first.begin()
            first.tables.presence._feeds.clear()
            first.tables.presence.feed_opened("t", "ann")
            await other.tables.get("t")
            other.tables.presence.feed_opened("t", "bob")
            while (player := person_to_act(first.table)) != "ann":
                if player is None:
                    await first.until(lambda table: person_to_act(table) is not None)
                else:
                    await asyncio.sleep(1)
                    if person_to_act(other.table) == "bob":
                        await other.act()
            await asyncio.sleep(250)
            facts = [fact["fact"] for fact in await first.facts()]
            assert "bot-substituted" not in facts
            assert facts.count("disconnected") == facts.count("reconnected") <= 2
            assert dict(first.table.away) == {}

    in_virtual_time(scenario)


def test_a_restart_costs_no_player_the_seat() -> None:
    """After a restart people have the full grace period to reconnect."""

    async def scenario() -> None:
        store = MemoryStore(clock=lambda: now() + 1e6)
        async with VirtualTable(TWO, store=store, reconnect_grace=20.0) as virtual:
            await virtual.begin()
            await virtual.until_turn_of("ann")
        await asyncio.sleep(5000)
        async with VirtualTable(TWO, store=store, reconnect_grace=20.0) as virtual:
            await virtual.tables.get("t")
            up = now()
            assert dict(virtual.table.away) == {}
            virtual.tables.presence.feed_opened("t", "bob")
            await virtual.until(lambda table: "ann" in table.away)
            assert now() - up >= 19.9
            virtual.tables.presence.feed_opened("t", "ann")
            await virtual.tables.arrive("t", "ann")
            await virtual.act()

    in_virtual_time(scenario)


def test_people_who_gather_may_come_and_go() -> None:
    """No player has to act; a table that everyone has left closes, and reopens."""

    async def scenario() -> None:
        async with VirtualTable(TWO, idle_timeout=100.0) as virtual:
            table = await _gathered(virtual)
            virtual.tables.presence.feed_closed("t", "ann")
            await virtual.until(lambda table: "ann" in table.away)
            await asyncio.sleep(1000)
            assert (virtual.phase, virtual.table.seats) == ("gathering", table.seats)
            virtual.tables.presence.feed_closed("t", "bob")
            await virtual.until(lambda table: table.closed)
            await virtual.tables.execute("t", "bob", Agreed(person="bob"))
            assert virtual.phase == "gathering"

    in_virtual_time(scenario)


async def _gathered(virtual: VirtualTable) -> Table:
    virtual.agreeing = False
    return await virtual.begin()


async def test_a_return_before_a_restart_is_no_sign_of_life_after_it() -> None:
    """A replayed return does not excuse a player who is silent now."""
    store = MemoryStore()
    await store.add_person("p", "P")
    before = TableService(store, timing=Timing(reconnect_grace=3600))
    await before.open()
    rules = replace(preset("club"), deal_cut=Cut.NONE)  # so that the table first waits during a hand
    own, *others = rules.seats
    await before.create("t", "p", rules, "novice")
    await before.execute("t", "p", Sat(person="p", seat=own))
    await before.drop_out("t", "p")
    await before.arrive("t", "p")
    for seat in others:
        await before.execute("t", "p", BotSeated(seat=seat, level="novice"))
    await before.execute("t", "p", Agreed(person="p"))
    async with asyncio.timeout(60):
        while person_to_act(await before.get("t")) != "p" or (await before.get("t")).hand is None:
            await asyncio.sleep(0.01)
    await before.close()
    after = TableService(store, timing=Timing(reconnect_grace=0.05))
    await after.open()
    async with asyncio.timeout(60):
        while "p" not in (await after.get("t")).away:
            await asyncio.sleep(0.01)
    await after.close()
