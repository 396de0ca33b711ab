"""Names at a table are looked up once for many, and a new name is told at once."""

import asyncio
from collections.abc import Sequence

import pytest

from leftbower.rules import preset
from leftbower.server import company
from leftbower.server.company import Companies
from leftbower.server.people import People
from leftbower.store import Person
from leftbower.store.memory import MemoryStore
from leftbower.table import Created, Said, Sat, Table, after


class Slow(MemoryStore):
    """A store that is asked about people, and takes its time when told to."""

    def __init__(self) -> None:
        super().__init__()
        self.asked, self.go_on = 0, asyncio.Event()
        self.go_on.set()

    async def some_people(self, ids: Sequence[str]) -> Sequence[Person]:
        self.asked += 1
        found = await super().some_people(ids)
        await self.go_on.wait()
        return found


def table_of(person: str) -> Table:
    rules = preset("club")
    opened = after(None, Created(person=person, rules=rules, level="novice"), 0.0)
    return after(opened, Sat(person=person, seat=rules.places[0]), 0.0)


async def test_a_version_with_the_same_people_needs_no_look() -> None:
    store = Slow()
    people = People(store)
    ann, _ = await people.welcome("Ann")
    companies, table = Companies(people, alone=True), table_of(ann)
    assert companies.at_hand("t", table) is None
    first = await companies.of("t", table)
    assert first.names == {ann: "Ann"}
    assert companies.at_hand("t", table.but(version=9)) is first
    assert companies.at_hand("t", after(table, Said(person=ann, phrase="hello"), 0.0)) is not first
    assert store.asked == 1
    await people.rename(ann, "Anna")
    assert companies.at_hand("t", table) is None
    assert (await companies.of("t", table)).names == {ann: "Anna"}


async def test_a_name_that_changes_while_it_is_looked_up_is_looked_up_again() -> None:
    store = Slow()
    people = People(store)
    ann, _ = await people.welcome("Ann")
    companies, table = Companies(people, alone=True), table_of(ann)
    store.go_on.clear()
    looking = asyncio.create_task(companies.of("t", table))
    while not store.asked:
        await asyncio.sleep(0)
    await people.rename(ann, "Anna")
    store.go_on.set()
    assert (await looking).names == {ann: "Ann"}
    assert companies.at_hand("t", table) is None
    assert (await companies.of("t", table)).names == {ann: "Anna"}


async def test_words_of_peoples_own_are_looked_up() -> None:
    store = Slow()
    people = People(store)
    ann, _ = await people.welcome("Ann")
    await store.add_words("w", ann, "well played")
    companies, table = Companies(people, alone=True), after(table_of(ann), Said(person=ann, phrase="", words="w"), 0.0)
    await companies.of("t", table_of(ann))
    assert companies.at_hand("t", table) is None
    assert (await companies.of("t", table)).words == {"w": "well played"}
    await people.erase(ann)
    assert companies.at_hand("t", table) is None
    assert (await companies.of("t", table)).words == {"w": ""}


async def test_companies_are_kept_for_some_tables_only_and_for_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0
    monkeypatch.setattr(company, "monotonic", lambda: now)
    people = People(Slow())
    ann, _ = await people.welcome("Ann")
    companies, table = Companies(people, alone=False), table_of(ann)
    for number in range(2100):
        await companies.of(f"t{number}", table)
    assert len(companies._kept) <= 2000
    first = companies.at_hand("t2099", table)
    now = 1.5
    again = companies.at_hand("t2099", table)
    assert again is not None
    assert again is not first
