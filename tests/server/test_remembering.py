"""What is remembered is right: for some seconds at most, not beyond a change, and looked up many at a time."""

import asyncio
import inspect
from collections.abc import Mapping, Sequence

import pytest

from leftbower.errors import NotSignedIn
from leftbower.server.people import People
from leftbower.server.remembering import Remembered
from leftbower.store import Store, hash_token, open_store
from leftbower.store.memory import MemoryStore
from leftbower.store.registry import Registry


class Book:
    """Something to look things up in, and a clock."""

    def __init__(self) -> None:
        self.now, self.changes = 0.0, 0
        self.values: dict[str, str] = {}
        self.asked: list[list[str]] = []
        self.kept: Remembered[str] = Remembered(
            self.read, clock=lambda: self.now, fresh=10.0, kept=1000, changes=lambda: self.changes
        )

    async def read(self, keys: Sequence[str]) -> Mapping[str, str]:
        self.asked.append(list(keys))
        found = {key: self.values[key] for key in keys if key in self.values}
        await asyncio.sleep(0)
        return found


async def test_a_value_is_looked_up_once_until_it_is_old() -> None:
    book = Book()
    book.values["a"] = "one"
    assert [await book.kept.get("a") for _ in range(3)] == ["one"] * 3
    book.values["a"] = "two"
    book.now = 9.9
    assert await book.kept.get("a") == "one"
    book.now = 10.0
    assert await book.kept.get("a") == "two"
    assert book.asked == [["a"], ["a"]]


async def test_nothing_outlives_a_change() -> None:
    """Not even what was being read while it happened."""
    book = Book()
    book.values["a"] = "one"
    reading = asyncio.create_task(book.kept.get("a"))
    await asyncio.sleep(0)
    book.values["a"] = "two"
    book.changes += 1
    assert await book.kept.get("a") == "two"
    await reading
    assert await book.kept.get("a") == "two"


async def test_what_is_not_there_is_asked_for_again() -> None:
    book = Book()
    assert await book.kept.get("a") is None
    book.values["a"] = "one"
    assert await book.kept.get("a") == "one"


async def test_many_that_are_due_are_read_together_and_the_unused_are_dropped() -> None:
    book = Book()
    book.values = {f"k{number}": "v" for number in range(20)}
    for key in book.values:
        await book.kept.get(key)
    book.now, book.asked = 11.0, []
    await book.kept.get("k7")
    [together] = book.asked
    assert sorted(together) == sorted(book.values)
    book.now, book.asked = 22.0, []
    await book.kept.get("k7")
    assert book.asked == [["k7"]]
    assert len(book.kept._kept) == 1


async def test_who_asks_for_the_same_waits_for_the_same_answer() -> None:
    book = Book()
    book.values["a"] = "one"
    assert await asyncio.gather(*(book.kept.get("a") for _ in range(5))) == ["one"] * 5
    assert book.asked == [["a"]]


async def test_every_way_to_end_a_session_is_noticed_by_who_remembers_it() -> None:
    """Whatever a store has for ending sessions, or people, tells that it was done."""
    ways = [name for name in vars(Registry) if name.startswith(("revoke_session", "erase_"))]
    assert len(ways) >= 3
    for name in ways:
        store = MemoryStore()
        words = {"token": hash_token("x"), "but": hash_token("x")}
        needed = [
            one for one in inspect.signature(getattr(store, name)).parameters.values() if one.default is one.empty
        ]
        values = {one.name: words.get(one.name, "p") for one in needed}
        await getattr(store, name)(**values)
        assert store.endings == 1, name


@pytest.mark.parametrize("address", ["memory:", "{}/store.db"])
async def test_a_token_that_is_ended_is_ended_at_once(address: str, tmp_path: object) -> None:
    """By token, by seat, by a new token of the seat, and with the person."""
    store: Store
    async with await open_store(address.format(tmp_path)) as store:
        people = People(store)
        ann, token = await people.welcome("Ann")
        first = await people.token(ann, log="t1")
        for one in (token, first):
            assert (await people.session(one)).person == ann
        second = await people.token(ann, log="t1")
        assert not await _good(people, first)
        assert await _good(people, second)
        await store.revoke_session_at("t1", ann)
        assert not await _good(people, second)
        other = await people.token(ann)
        assert await _good(people, other)
        await people.revoke(other)
        assert not await _good(people, other)
        assert await _good(people, token)
        await people.erase(ann)
        assert not await _good(people, token)


async def test_some_of_many_people_are_found_in_one_statement(lasting: object) -> None:
    """However many are asked for, those that there are, once."""
    async with lasting() as store:  # type: ignore[operator]
        for number in range(5):
            await store.add_person(f"p{number}", f"Name {number}")
            await store.add_session(hash_token(f"t{number}"), f"p{number}")
        await store.revoke_session(hash_token("t3"))
        for many in (1, 2, 3, 5, 9):
            ids = [f"p{number}" for number in range(many)]
            found = await store.some_people(ids)
            assert sorted(one.id for one in found) == sorted(ids)[:5]
            tokens = [hash_token(f"t{number}") for number in range(many)]
            people = {one.person for one in await store.some_sessions(tokens)}
            assert people == set(ids[:5]) - {"p3"}


async def _good(people: People, token: str) -> bool:
    try:
        await people.session(token)
    except NotSignedIn:
        return False
    return True
