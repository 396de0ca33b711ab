"""LogCache under interleavings: versions are published once, in order, and after they are durable."""

import asyncio
from collections.abc import Sequence
from functools import partial
from random import Random
from typing import Any

import pytest

from leftbower.errors import Conflict, Stale
from leftbower.server.live.log_cache import LogCache
from leftbower.server.live.outage import Outage
from leftbower.store import HINTS_LOST, Hint, Row
from leftbower.store.memory import MemoryStore
from sum_log import SUM_LOG, Sum


class SlowStore(MemoryStore):
    """A store whose reads and results take a random number of steps of the event loop."""

    def __init__(self, seed: int) -> None:
        super().__init__()
        self.rng = Random(seed)
        self.durable: set[tuple[str, int]] = set()

    async def pause(self) -> None:
        for _ in range(self.rng.randrange(6)):
            await asyncio.sleep(0)

    async def rows(self, log: str, after: int, limit: int) -> Sequence[Row]:
        await self.pause()
        rows = await super().rows(log, after, limit)
        await self.pause()
        return rows

    async def _append(self, entry: Any) -> Any:
        await self.pause()
        rows = await super()._append(entry)
        self.durable.add((entry.log, rows[-1].seq))
        await self.pause()
        return rows


def cache_of(store: MemoryStore, **options: Any) -> LogCache[Sum, int]:
    return LogCache(store, SUM_LOG, outage=Outage(store), **options)


async def increment(logs: LogCache[Sum, int], name: str) -> Sum:
    return await logs.update(name, await logs.get(name), lambda state: logs.append(name, state, 1))


@pytest.mark.parametrize("seed", range(40))
async def test_each_process_publishes_every_version_once_and_in_order(seed: int) -> None:
    store = SlowStore(seed)
    processes = [cache_of(store, max_cached=1 + seed % 2) for _ in range(3)]
    published: list[list[tuple[str, int]]] = [[] for _ in processes]

    def publish(versions: list[tuple[str, int]], name: str, state: Sum) -> None:
        assert (f"sum-{name}", state.version) in store.durable
        assert state.total == state.version
        versions.append((name, state.version))

    for logs, versions in zip(processes, published, strict=True):
        logs.listeners.append(partial(publish, versions))
        await logs.open()
    for name in ("a", "b"):
        await processes[0].append(name, None, 1)
    await asyncio.gather(*(increment(logs, name) for logs in processes for name in ("a", "b") for _ in range(5)))
    for name in ("a", "b"):
        for logs in processes:
            assert await logs.refresh(name) == (16, 16)
        for versions in published:
            numbers = [version for published_name, version in versions if published_name == name]
            assert set(range(1, 17)) >= set(numbers) >= {16}
            if seed % 2:  # nothing was evicted
                assert numbers == list(range(1, 17))
    for logs in processes:
        await logs.close()


async def test_a_step_is_refused_after_too_many_conflicts() -> None:
    """Another writer is always faster; the error has the version of the log."""
    store = MemoryStore()
    logs, other = cache_of(store), cache_of(store)
    await logs.append("a", None, 1)
    steps = 0

    async def lose(state: Sum) -> Sum:
        nonlocal steps
        steps += 1
        await increment(other, "a")
        return await logs.append("a", state, 1)

    with pytest.raises(Stale) as refused:
        await logs.update("a", await logs.get("a"), lose)
    assert (steps, refused.value.current) == (20, 21)


async def test_a_conflict_at_the_current_version_is_not_retried() -> None:
    logs = cache_of(MemoryStore())
    state = await logs.append("a", None, 1)

    async def refuse(state: Sum) -> Sum:
        raise Conflict("sum-a", expected=1, current=1)

    with pytest.raises(Conflict):
        await logs.update("a", state, refuse)


async def test_notifications_of_other_kinds_of_logs_are_ignored() -> None:
    removed: list[str] = []
    logs = cache_of(store := MemoryStore(), watched=lambda: ["a"])
    logs.removal_listeners.append(removed.append)
    await logs.append("a", None, 1)
    await logs.refresh("a")
    for log in ("a", "event-a", "sum"):
        for seq in (0, 9):
            logs._notified(Hint(log, seq))
    assert (removed, logs._catching_up) == ([], {})
    await store.remove_log("sum-a", 1)
    logs._notified(HINTS_LOST)
    await asyncio.gather(*logs._catching_up.values())
    assert (removed, logs.peek("a"), logs._catching_up) == (["a"], None, {})


@pytest.mark.parametrize("evicted", [False, True])
async def test_an_append_is_reported_though_a_reader_publishes_its_version(evicted: bool) -> None:
    """The process that appended continues at once, not after the takeover delay."""
    appended: list[str] = []

    class Reporting(LogCache[Sum, int]):
        def _appended(self, name: str) -> None:
            appended.append(name)

    store = SlowStore(1)
    logs = Reporting(store, SUM_LOG, outage=Outage(store))
    state = await logs.append("a", None, 1)
    published: list[int] = []
    logs.listeners.append(lambda name, state: published.append(state.version))
    committed, answer = asyncio.Event(), asyncio.Event()

    async def slow_answer() -> None:
        if ("sum-a", 2) in store.durable:
            committed.set()
            await answer.wait()

    store.pause = slow_answer  # type: ignore[method-assign]
    task = asyncio.create_task(logs.append("a", state, 1))
    await committed.wait()
    if evicted:
        logs._cached.pop("a")
    store.pause = lambda: asyncio.sleep(0)  # type: ignore[method-assign]
    assert await logs.refresh("a") == (2, 2)
    assert appended == ["a"]
    answer.set()
    await task
    assert appended == ["a", "a"]
    assert published == ([1, 2] if evicted else [2])
