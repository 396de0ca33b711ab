"""Clocks: a time for each decision and a time bank, by a clock independent of the wall clock."""

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from leftbower.errors import LeftbowerError, StoreUnreachable
from leftbower.store.memory import MemoryStore
from leftbower.table import TIME_ALLOWANCES, Agreed, TimeControl, TimeControlChanged, person_to_act
from virtual_time import VirtualTable, in_virtual_time

TWO = {"N": "ann", "S": "bob"}
QUICK = TIME_ALLOWANCES[TimeControl.QUICK]


def now() -> float:
    return asyncio.get_running_loop().time()


@pytest.mark.parametrize("clock", [TimeControl.RELAXED, TimeControl.QUICK])
def test_when_time_runs_out_a_bot_makes_one_decision(clock: TimeControl) -> None:
    """After the time for a decision and the whole bank; the next decision is the player's again, with an empty bank."""

    async def scenario() -> None:
        async with VirtualTable(TWO, clock=clock) as virtual:
            await virtual.begin()
            allowed = TIME_ALLOWANCES[clock]
            await virtual.until_turn_of("ann")
            turn_began = now()
            late = await virtual.until(lambda table: table.time_bank_of("ann") == 0.0)
            assert now() - turn_began == pytest.approx(allowed.per_decision + allowed.bank, abs=0.2)
            assert (late.time_bank_of("bob"), dict(late.away)) == (allowed.bank, {})
            await virtual.until(lambda table: table.version > late.version)
            again = await virtual.until_turn_of("ann")
            assert dict(again.substituted) == {}
            turn_began = now()
            await virtual.until(lambda table: table.version > again.version)
            assert now() - turn_began == pytest.approx(allowed.per_decision, abs=0.2)
            facts = [fact["fact"] for fact in await virtual.facts()]
            assert facts.count("timed-out") == 2

    in_virtual_time(scenario)


def test_only_overtime_is_taken_from_the_bank() -> None:
    async def scenario() -> None:
        async with VirtualTable(TWO, clock=TimeControl.QUICK) as virtual:
            await virtual.begin()
            for after, bank in ((9.0, 40.0), (13.0, 37.0), (10.0, 37.0), (40.0, 7.0)):
                await virtual.until_turn_of("ann")
                table = await virtual.act(after=after)
                assert table.time_bank_of("ann") == pytest.approx(bank, abs=0.2)
            assert virtual.table.time_bank_of("bob") == QUICK.bank

    in_virtual_time(scenario)


@pytest.mark.parametrize("jump", [3600.0, -3600.0])
def test_a_change_of_the_wall_clock_costs_no_player_time(jump: float) -> None:
    """The wall clock jumps an hour while Ann thinks, while Bob is away, and during the pause after a hand."""

    async def scenario() -> None:
        async with VirtualTable(TWO, clock=TimeControl.QUICK, reconnect_grace=20.0, hand_pause=2.0) as virtual:
            virtual.wall += jump
            await virtual.begin()
            await virtual.until_turn_of("ann")
            virtual.wall += jump
            await asyncio.sleep(5)
            assert dict(virtual.table.substituted) == {}
            table = await virtual.act()
            assert table.time_bank_of("ann") == QUICK.bank
            await virtual.until_turn_of("ann")
            virtual.tables.presence.feed_closed("t", "bob")
            await virtual.until(lambda table: "bob" in table.away)
            virtual.wall += jump
            await virtual.act(after=3)
            await virtual.until_turn_of("bob")
            assert dict(virtual.table.substituted) == {}
            virtual.tables.presence.feed_opened("t", "bob")
            await virtual.tables.arrive("t", "bob")
            hands = len(virtual.table.sealed_decks)
            while len(virtual.table.sealed_decks) == hands:
                await virtual.until(lambda table: person_to_act(table) is not None or table.hand is None)
                if person_to_act(virtual.table):
                    await virtual.act()
                else:
                    virtual.wall += jump
                    scored = now()
                    await virtual.until(lambda table: len(table.sealed_decks) > hands or table.cutter is not None)
                    assert now() - scored <= 3.4
                    break
            assert not [fact for fact in await virtual.facts() if fact["fact"] in ("timed-out", "bot-substituted")]

    in_virtual_time(scenario)


def test_a_restart_costs_no_player_time() -> None:
    """The server was down for an hour while Ann was thinking; afterwards she has as much time as before, or more."""

    async def scenario() -> None:
        store = MemoryStore(clock=lambda: now() + 1e6)
        async with VirtualTable(TWO, clock=TimeControl.QUICK, store=store) as virtual:
            await virtual.begin()
            await virtual.until_turn_of("ann")
            await asyncio.sleep(8)
        await asyncio.sleep(3600)
        async with VirtualTable(TWO, clock=TimeControl.QUICK, store=store) as virtual:
            await virtual.tables.get("t")
            for person in TWO.values():
                virtual.tables.presence.feed_opened("t", person)
            table = await virtual.act(after=9)
            assert table.time_bank_of("ann") == QUICK.bank

    in_virtual_time(scenario)


def test_a_store_outage_costs_no_player_time() -> None:
    """Ann couldn't have acted during it."""

    async def scenario() -> None:
        store = Stubborn(clock=lambda: now() + 1e6)
        async with VirtualTable(TWO, clock=TimeControl.QUICK, store=store) as virtual:
            await virtual.begin()
            await virtual.until_turn_of("ann")
            await asyncio.sleep(8)
            store.down = True
            with pytest.raises(StoreUnreachable):
                await virtual.act()
            await asyncio.sleep(3600)
            store.down = False
            await virtual.tables.outage.wait()
            table = await virtual.act(after=9)
            assert table.time_bank_of("ann") == QUICK.bank
            assert "timed-out" not in [fact["fact"] for fact in await virtual.facts()]

    in_virtual_time(scenario)


class Stubborn(MemoryStore):
    """A store that can be made unreachable."""

    down = False

    async def _append(self, entry: Any) -> Any:
        self._refuse()
        return await super()._append(entry)

    async def probe(self) -> None:
        self._refuse()

    def _refuse(self) -> None:
        if self.down:
            raise StoreUnreachable("the store is not there")


def test_without_a_clock_people_have_all_the_time_they_want() -> None:
    async def scenario() -> None:
        async with VirtualTable(TWO) as virtual:
            await virtual.begin()
            version = (await virtual.until_turn_of("ann")).version
            await asyncio.sleep(86400)
            assert virtual.table.version == version

    in_virtual_time(scenario)


def test_a_new_match_has_full_banks_and_a_new_clock_is_agreed_to() -> None:
    async def scenario() -> None:
        virtual = VirtualTable(TWO, clock=TimeControl.QUICK)
        virtual.agreeing = False
        async with virtual:
            await virtual.begin()
            virtual.agreeing = True
            await virtual.tables.execute("t", "ann", Agreed(person="ann"))
            with pytest.raises(LeftbowerError, match="host"):
                await virtual.tables.execute("t", "bob", TimeControlChanged(clock=TimeControl.OFF))
            table = await virtual.tables.execute("t", "ann", TimeControlChanged(clock=TimeControl.RELAXED))
            assert (table.agreed, table.clock) == (frozenset(), TimeControl.RELAXED)
            for person in TWO.values():
                await virtual.tables.execute("t", person, Agreed(person=person))
            assert virtual.table.time_bank_of("ann") == TIME_ALLOWANCES[TimeControl.RELAXED].bank
            with pytest.raises(LeftbowerError, match="wait"):
                await virtual.tables.execute("t", "ann", TimeControlChanged(clock=TimeControl.OFF))
            spent = replace(virtual.table, time_banks={"ann": 1.0})
            assert spent.time_bank_of("ann") == 1.0

    in_virtual_time(scenario)
