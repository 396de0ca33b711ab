"""Who drops out keeps the seat, who leaves does not; others never wait long, and nobody gains or loses by going."""

import asyncio

import pytest

from leftbower.rules import Seat
from leftbower.store.memory import MemoryStore
from leftbower.table import Agreed, LastCardModeChanged, Left, SeatedBot, SeatedPerson, Table, person_to_act
from virtual_time import VirtualTable, in_virtual_time

TWO = {"N": "ann", "S": "bob"}


def now() -> float:
    return asyncio.get_running_loop().time()


async def bots_acts_at(hall: VirtualTable, seat: str) -> int:
    """How often a bot has decided for a seat."""
    facts = await hall.facts()
    return sum(one["fact"] == "acted" and not one["action_id"] and one["action"]["seat"] == seat for one in facts)


def test_a_bot_covers_for_whoever_drops_out_until_they_are_back() -> None:
    """The seat stays theirs; others wait for the grace period and no longer."""

    async def evening() -> None:
        async with VirtualTable(TWO, reconnect_grace=20.0, blink=3.0) as hall:
            await hall.begin()
            await hall.until_asked("ann")
            gone, before = now(), await bots_acts_at(hall, "N")
            hall.tables.presence.feed_closed("t", "ann")
            await hall.until(lambda table: "ann" in table.away)
            assert now() - gone == pytest.approx(3.0, abs=0.1)
            covered = await hall.until(lambda table: "ann" in table.substituted)
            assert now() - gone == pytest.approx(23.0, abs=0.1)
            assert covered.seats[Seat.N] == SeatedPerson("ann")
            while await bots_acts_at(hall, "N") < before + 2:
                await hall.until_asked("bob")
                await hall.act()
            hall.tables.presence.feed_opened("t", "ann")
            await hall.tables.arrive("t", "ann")
            assert (dict(hall.table.away), dict(hall.table.substituted)) == ({}, {})
            back = await hall.until_asked("ann")
            await asyncio.sleep(300)
            assert hall.table.version == back.version  # nobody acts for somebody who is there

    in_virtual_time(evening)


def test_the_bot_that_covers_is_shown_one_seat_and_plays_at_the_tables_level(monkeypatch: pytest.MonkeyPatch) -> None:
    async def evening() -> None:
        async with VirtualTable(TWO, level="regular") as hall:
            shown = []
            act = hall.tables._scheduler._bots.act

            async def watched(level: str, seen: object, chance: object) -> object:
                shown.append((level, seen.seat))  # type: ignore[attr-defined]
                return await act(level, seen, chance)  # type: ignore[arg-type]

            monkeypatch.setattr(hall.tables._scheduler._bots, "act", watched)
            await hall.begin()
            await hall.until_asked("ann")
            hall.tables.presence.feed_closed("t", "ann")
            shown.clear()
            await hall.until_asked("bob")
            assert ("regular", Seat.N) in shown
            assert {level for level, _ in shown} == {"regular"}
            assert Seat.S not in {seat for _, seat in shown}

    in_virtual_time(evening)


def test_a_blink_is_nothing_and_so_is_a_second_feed() -> None:
    """A page is loaded anew, a phone changes its network: nobody else hears of it."""

    async def evening() -> None:
        async with VirtualTable(TWO, blink=3.0) as hall:
            await hall.begin()
            await hall.until_asked("bob")
            version, presence = hall.table.version, hall.tables.presence
            for _ in range(5):
                presence.feed_closed("t", "ann")
                await asyncio.sleep(2.5)
                presence.feed_opened("t", "ann")
            presence.feed_opened("t", "ann")
            presence.feed_closed("t", "ann")
            await asyncio.sleep(60)
            assert hall.table.version == version

    in_virtual_time(evening)


def test_whoever_asks_for_something_is_back() -> None:
    """An act of somebody who had dropped out counts as it would have, for the version they saw."""

    async def evening() -> None:
        async with VirtualTable(TWO, reconnect_grace=60.0) as hall:
            await hall.begin()
            seen = await hall.until_asked("ann")
            hall.tables.presence.feed_closed("t", "ann")
            await hall.until(lambda table: "ann" in table.away)
            after = await hall.tables.execute("t", "ann", hall.proper_fact("ann"), version=seen.version)
            assert (dict(after.away), after.version) == ({}, seen.version + 3)  # dropped, returned, acted
            await hall.tables.execute("t", "ann", LastCardModeChanged(person="ann", manual=True))

    in_virtual_time(evening)


def test_leaving_is_not_dropping_out() -> None:
    """Who leaves gives the seat to a bot for good, at once; who drops out never does."""

    async def evening() -> None:
        async with VirtualTable(TWO) as hall:
            await hall.begin()
            await hall.until_asked("ann")
            hall.tables.presence.feed_closed("t", "bob")
            await hall.until(lambda table: "bob" in table.away)
            assert hall.table.seats[Seat.S] == SeatedPerson("bob")
            left = await hall.tables.execute("t", "bob", Left(person="bob"))
            assert (left.seats[Seat.S], dict(left.away)) == (SeatedBot("random"), {})
            hall.tables.presence.feed_opened("t", "bob")
            await hall.tables.arrive("t", "bob")
            assert hall.table.seats[Seat.S] == SeatedBot("random")

    in_virtual_time(evening)


def test_alone_with_bots_nobody_is_covered_and_the_match_waits() -> None:
    """Nobody waits for them, so the table does; after a long while it closes quietly, and opens when they are back."""

    async def evening() -> None:
        async with VirtualTable({"N": "ann"}, idle_timeout=600.0) as hall:
            await hall.begin()
            await hall.until_asked("ann")
            story, gone = hall.table.history, now()
            hall.tables.presence.feed_closed("t", "ann")
            await asyncio.sleep(400)
            assert (hall.phase, hall.table.history) == ("playing", story)
            await hall.until(lambda table: table.closed)
            assert now() - gone == pytest.approx(603.0, abs=0.1)
            assert (hall.phase, hall.table.history) == ("closed", story)
            await asyncio.sleep(3600)
            assert hall.tables.busy == 0
            hall.tables.presence.feed_opened("t", "ann")
            await hall.tables.arrive("t", "ann")
            assert (hall.phase, person_to_act(hall.table)) == ("playing", "ann")
            await hall.act()
            assert len(hall.table.history) > len(story)

    in_virtual_time(evening)


def test_when_all_have_gone_the_table_closes_and_keeps_its_record() -> None:
    async def evening() -> None:
        async with VirtualTable(TWO, idle_timeout=100.0) as hall:
            await hall.begin()
            await hall.until(lambda table: table.public_until > 0 or person_to_act(table) is not None)
            while not hall.table.public_until:
                await hall.until(lambda table: person_to_act(table) is not None or table.public_until > 0)
                if person_to_act(hall.table):
                    await hall.act()
            for person in TWO.values():
                hall.tables.presence.feed_closed("t", person)
            closed = await hall.until(lambda table: table.closed)
            assert closed.public_until > 0
            assert closed.people == {"ann", "bob"}
            assert await hall.store.verify() == []

    in_virtual_time(evening)


def test_who_never_listens_and_never_asks_is_missed_when_asked() -> None:
    """A program that sat down over the API and went away: others wait for it no longer than for anybody."""

    async def evening() -> None:
        async with VirtualTable(TWO, reconnect_grace=20.0) as hall:
            await hall.begin()
            hall.tables.presence._feeds.clear()
            hall.tables.presence.feed_opened("t", "bob")
            await hall.until_asked("ann")
            asked_at = now()
            await hall.until(lambda table: "ann" in table.substituted)
            assert 20.0 <= now() - asked_at <= 41.0
            for _ in range(10):  # it polls now, which is as good as listening
                await hall.tables.arrive("t", "ann")
                await asyncio.sleep(10)
            await hall.until_asked("ann")
            for _ in range(10):
                await hall.tables.arrive("t", "ann")
                await asyncio.sleep(10)
            assert dict(hall.table.substituted) == {}

    in_virtual_time(evening)


def test_what_one_house_misses_another_hears() -> None:
    """Ann listens at one house and Bob at the other; neither is thought gone for longer than it takes to say so."""

    async def evening() -> None:
        store = MemoryStore(clock=lambda: now() + 1e6)
        async with (
            VirtualTable(TWO, store=store, reconnect_grace=20.0) as one,
            VirtualTable(TWO, store=store, reconnect_grace=20.0) as other,
        ):
            await one.begin()
            one.tables.presence._feeds.clear()
            one.tables.presence.feed_opened("t", "ann")
            await other.tables.table("t")
            other.tables.presence.feed_opened("t", "bob")
            while (who := person_to_act(one.table)) != "ann":
                if who is None:
                    await one.until(lambda table: person_to_act(table) is not None)
                else:
                    await asyncio.sleep(1)
                    if person_to_act(other.table) == "bob":
                        await other.act()
            await asyncio.sleep(250)
            facts = [fact["fact"] for fact in await one.facts()]
            assert "bot-substituted" not in facts
            assert facts.count("disconnected") == facts.count("reconnected") <= 2
            assert dict(one.table.away) == {}

    in_virtual_time(evening)


def test_an_outage_of_the_house_costs_nobody_the_seat() -> None:
    """Feeds ended because the house went down; after it is up again people have the whole grace period to come back."""

    async def evening() -> None:
        store = MemoryStore(clock=lambda: now() + 1e6)
        async with VirtualTable(TWO, store=store, reconnect_grace=20.0) as hall:
            await hall.begin()
            await hall.until_asked("ann")
        await asyncio.sleep(5000)
        async with VirtualTable(TWO, store=store, reconnect_grace=20.0) as hall:
            await hall.tables.table("t")
            up = now()
            assert dict(hall.table.away) == {}
            hall.tables.presence.feed_opened("t", "bob")
            await hall.until(lambda table: "ann" in table.away)
            assert now() - up >= 19.9
            hall.tables.presence.feed_opened("t", "ann")
            await hall.tables.arrive("t", "ann")
            await hall.act()

    in_virtual_time(evening)


def test_people_who_gather_may_come_and_go() -> None:
    """Nobody is asked for anything; a table that all have gone from closes, and opens again."""

    async def evening() -> None:
        async with VirtualTable(TWO, idle_timeout=100.0) as hall:
            table = await _gathered(hall)
            hall.tables.presence.feed_closed("t", "ann")
            await hall.until(lambda table: "ann" in table.away)
            await asyncio.sleep(1000)
            assert (hall.phase, hall.table.seats) == ("gathering", table.seats)
            hall.tables.presence.feed_closed("t", "bob")
            await hall.until(lambda table: table.closed)
            await hall.tables.execute("t", "bob", Agreed(person="bob"))
            assert hall.phase == "gathering"

    in_virtual_time(evening)


async def _gathered(hall: VirtualTable) -> Table:
    hall.agreeing = False
    return await hall.begin()
