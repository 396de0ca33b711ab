"""Names at a table are read once for all viewers, and a rename shows at once."""

import asyncio
from collections.abc import Sequence

import pytest

from leftbower.rules import preset
from leftbower.server.feeds import display_names
from leftbower.server.feeds.display_names import TableNamesCache
from leftbower.server.people.service import PeopleService
from leftbower.store import Person
from leftbower.store.memory import MemoryStore
from leftbower.table import ChatSent, Created, Sat, Table, apply_fact


class SlowStore(MemoryStore):
    """A store that counts queries for people, and can be paused."""

    def __init__(self) -> None:
        super().__init__()
        self.queries, self.go_on = 0, asyncio.Event()
        self.go_on.set()

    async def people_by_id(self, ids: Sequence[str]) -> Sequence[Person]:
        self.queries += 1
        people = await super().people_by_id(ids)
        await self.go_on.wait()
        return people


def table_of(person: str) -> Table:
    rules = preset("club")
    opened = apply_fact(None, Created(person=person, rules=rules, bot_level="novice"), 0.0)
    return apply_fact(opened, Sat(person=person, seat=rules.seats[0]), 0.0)


async def test_a_version_with_the_same_people_needs_no_query() -> None:
    store = SlowStore()
    people = PeopleService(store)
    ann, _ = await people.create_guest("Ann")
    cache, table = TableNamesCache(people, exclusive=True), table_of(ann)
    assert cache.peek("t", table) is None
    first = await cache.get("t", table)
    assert first.names == {ann: "Ann"}
    assert cache.peek("t", table.replaced(version=9)) is first
    assert cache.peek("t", apply_fact(table, ChatSent(person=ann, phrase="hello"), 0.0)) is not first
    assert store.queries == 1
    await people.rename(ann, "Anna")
    assert cache.peek("t", table) is None
    assert (await cache.get("t", table)).names == {ann: "Anna"}


async def test_a_name_changed_during_a_query_is_read_again() -> None:
    store = SlowStore()
    people = PeopleService(store)
    ann, _ = await people.create_guest("Ann")
    cache, table = TableNamesCache(people, exclusive=True), table_of(ann)
    store.go_on.clear()
    looking = asyncio.create_task(cache.get("t", table))
    while not store.queries:
        await asyncio.sleep(0)
    await people.rename(ann, "Anna")
    store.go_on.set()
    assert (await looking).names == {ann: "Ann"}
    assert cache.peek("t", table) is None
    assert (await cache.get("t", table)).names == {ann: "Anna"}


async def test_chat_texts_are_read() -> None:
    store = SlowStore()
    people = PeopleService(store)
    ann, _ = await people.create_guest("Ann")
    await store.add_words("w", ann, "well played")
    cache, table = (
        TableNamesCache(people, exclusive=True),
        apply_fact(table_of(ann), ChatSent(person=ann, phrase="", text_id="w"), 0.0),
    )
    await cache.get("t", table_of(ann))
    assert cache.peek("t", table) is None
    assert (await cache.get("t", table)).words == {"w": "well played"}
    await people.erase(ann)
    assert cache.peek("t", table) is None
    assert (await cache.get("t", table)).words == {"w": ""}


async def test_names_are_cached_for_some_tables_and_some_time(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0
    monkeypatch.setattr(display_names, "monotonic", lambda: now)
    people = PeopleService(SlowStore())
    ann, _ = await people.create_guest("Ann")
    cache, table = TableNamesCache(people, exclusive=False), table_of(ann)
    for number in range(2100):
        await cache.get(f"t{number}", table)
    assert len(cache._cached) <= 2000
    first = cache.peek("t2099", table)
    now = 1.5
    again = cache.peek("t2099", table)
    assert again is not None
    assert again is not first
