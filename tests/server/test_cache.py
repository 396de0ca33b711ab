"""The TTL cache is fresh, invalidated by changes and batched; the single-flight cache computes each value once."""

import asyncio
import inspect
import threading
from collections.abc import Mapping, Sequence

import pytest

from leftbower.errors import NotSignedIn
from leftbower.server.cache import BatchedTtlCache, SingleFlight
from leftbower.server.people.service import PeopleService
from leftbower.store import Store, hash_token, open_store
from leftbower.store.accounts import AccountTables
from leftbower.store.memory import MemoryStore


class FakeStore:
    """Values by key, a clock, and a cache in front of them."""

    def __init__(self) -> None:
        self.now, self.generation = 0.0, 0
        self.values: dict[str, str] = {}
        self.queries: list[list[str]] = []
        self.cache: BatchedTtlCache[str] = BatchedTtlCache(
            self.load, clock=lambda: self.now, ttl=10.0, max_size=1000, generation=lambda: self.generation
        )

    async def load(self, keys: Sequence[str]) -> Mapping[str, str]:
        self.queries.append(list(keys))
        values = {key: self.values[key] for key in keys if key in self.values}
        await asyncio.sleep(0)
        return values


async def test_a_value_is_looked_up_once_until_it_is_old() -> None:
    store = FakeStore()
    store.values["a"] = "one"
    assert [await store.cache.get("a") for _ in range(3)] == ["one"] * 3
    store.values["a"] = "two"
    store.now = 9.9
    assert await store.cache.get("a") == "one"
    store.now = 10.0
    assert await store.cache.get("a") == "two"
    assert store.queries == [["a"], ["a"]]


async def test_nothing_outlives_a_change() -> None:
    """Not even a value that was being read when it happened."""
    store = FakeStore()
    store.values["a"] = "one"
    reading = asyncio.create_task(store.cache.get("a"))
    await asyncio.sleep(0)
    store.values["a"] = "two"
    store.generation += 1
    assert await store.cache.get("a") == "two"
    await reading
    assert await store.cache.get("a") == "two"


async def test_a_missing_key_is_not_cached() -> None:
    store = FakeStore()
    assert await store.cache.get("a") is None
    store.values["a"] = "one"
    assert await store.cache.get("a") == "one"


async def test_expiring_keys_are_read_together_and_unused_ones_dropped() -> None:
    store = FakeStore()
    store.values = {f"k{number}": "v" for number in range(20)}
    for key in store.values:
        await store.cache.get(key)
    store.now, store.queries = 11.0, []
    await store.cache.get("k7")
    [query] = store.queries
    assert sorted(query) == sorted(store.values)
    store.now, store.queries = 22.0, []
    await store.cache.get("k7")
    assert store.queries == [["k7"]]
    assert len(store.cache._entries) == 1


async def test_concurrent_misses_of_a_key_share_one_query() -> None:
    store = FakeStore()
    store.values["a"] = "one"
    assert await asyncio.gather(*(store.cache.get("a") for _ in range(5))) == ["one"] * 5
    assert store.queries == [["a"]]


async def test_every_way_to_end_a_session_invalidates_the_session_cache() -> None:
    """Every store method that ends sessions or erases people counts it in `session_generation`."""
    methods = [name for name in vars(AccountTables) if name.startswith(("revoke_session", "erase_"))]
    assert len(methods) >= 3
    for name in methods:
        store = MemoryStore()
        tokens = {"token": hash_token("x"), "but": hash_token("x")}
        parameters = inspect.signature(getattr(store, name)).parameters.values()
        required = [parameter.name for parameter in parameters if parameter.default is parameter.empty]
        values = {parameter: tokens.get(parameter, "p") for parameter in required}
        await getattr(store, name)(**values)
        assert store.session_generation == 1, name


@pytest.mark.parametrize("address", ["memory:", "{}/store.db"])
async def test_a_revoked_token_is_refused_at_once(address: str, tmp_path: object) -> None:
    """By token, by seat, by a new token of the seat, and with the person."""
    store: Store
    async with await open_store(address.format(tmp_path)) as store:
        people = PeopleService(store)
        ann, token = await people.create_guest("Ann")
        first = await people.create_token(ann, log="t1")
        for session_token in (token, first):
            assert (await people.session(hash_token(session_token))).person == ann
        second = await people.create_token(ann, log="t1")
        assert not await _is_valid(people, first)
        assert await _is_valid(people, second)
        await store.revoke_session_at("t1", ann)
        assert not await _is_valid(people, second)
        other = await people.create_token(ann)
        assert await _is_valid(people, other)
        await people.revoke(ann, other)
        assert not await _is_valid(people, other)
        assert await _is_valid(people, token)
        await people.erase(ann)
        assert not await _is_valid(people, token)


async def test_many_people_are_read_in_one_statement(lasting: object) -> None:
    """Each existing person is returned once, no matter how many ids are queried."""
    async with lasting() as store:  # type: ignore[operator]
        for number in range(5):
            await store.add_person(f"p{number}", f"Name {number}")
            await store.add_session(hash_token(f"t{number}"), f"p{number}")
        await store.revoke_session(hash_token("t3"))
        for count in (1, 2, 3, 5, 9):
            ids = [f"p{number}" for number in range(count)]
            rows = await store.people_by_id(ids)
            assert sorted(row.id for row in rows) == sorted(ids)[:5]
            tokens = [hash_token(f"t{number}") for number in range(count)]
            people = {session.person for session in await store.sessions_by_token(tokens)}
            assert people == set(ids[:5]) - {"p3"}


class Computation:
    """Counts its calls and records their threads."""

    def __init__(self) -> None:
        self.threads: list[int] = []
        self.release = threading.Event()

    def __call__(self) -> str:
        self.threads.append(threading.get_ident())
        assert self.release.wait(10)
        return f"value {len(self.threads)}"


async def test_concurrent_callers_share_one_computation_off_the_loop() -> None:
    cache, compute = SingleFlight(), Computation()
    callers = [asyncio.create_task(cache.get("page", 1, compute)) for _ in range(5)]
    while not compute.threads:
        await asyncio.sleep(0)
    compute.release.set()
    assert await asyncio.gather(*callers) == ["value 1"] * 5
    assert compute.threads != [threading.get_ident()]
    assert await cache.get("page", 1, compute) == "value 1"
    assert await cache.get("page", 2, compute) == "value 2"
    assert await cache.get("wall", 2, compute) == "value 3"


async def test_a_canceled_caller_does_not_cancel_the_computation() -> None:
    cache, compute = SingleFlight(), Computation()
    first, second = (asyncio.create_task(cache.get("page", 1, compute)) for _ in range(2))
    while not compute.threads:
        await asyncio.sleep(0)
    first.cancel()
    compute.release.set()
    assert await second == "value 1"
    assert first.cancelled()


async def test_the_single_flight_cache_is_bounded() -> None:
    cache, compute = SingleFlight(max_size=2), Computation()
    compute.release.set()
    for name in ("a", "b", "c", "a"):
        await cache.get(name, 1, compute)
    assert len(compute.threads) == 4


async def _is_valid(people: PeopleService, token: str) -> bool:
    try:
        await people.session(hash_token(token))
    except NotSignedIn:
        return False
    return True
