"""When the garbage collector runs: while the server is idle, and less often if it finds nothing."""

import asyncio
import gc
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from types import SimpleNamespace
from typing import Any

import pytest

from leftbower.server.live import event_workers
from leftbower.server.live.event_workers import Checkpoint, EventWorkers
from leftbower.server.process import runtime


class FakeServer:
    """A server's load and garbage, and the collections that were run."""

    def __init__(self, collector: runtime.IdleGarbageCollector) -> None:
        self.collector = collector
        self.idle, self.new, self.cycles, self.now = True, 60, 0, 0.0
        self.collections: list[str] = []

    def check(self, times: int = 1) -> list[str]:
        """The collections of the next `times` checks."""
        for _ in range(times):
            self.collector._timer.cancel()
            self.collector._check()
        collections, self.collections = self.collections, []
        return collections

    def collect(self, generation: int = 2) -> int:
        """Replaces `gc.collect`."""
        self.collections.append("all" if generation == 2 else "new")
        return self.cycles


@asynccontextmanager
async def fake_server(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[FakeServer]:
    """A server with a thousand objects."""
    servers: list[FakeServer] = []
    fake_gc: dict[str, Any] = dict.fromkeys(("freeze", "unfreeze", "enable", "disable"), lambda: None)
    fake_gc |= {"get_freeze_count": lambda: 1000, "isenabled": gc.isenabled}
    fake_gc |= {
        "get_count": lambda: (servers[0].new, 0, 0),
        "collect": lambda *of: servers[0].collect(*of) if servers else 0,
    }
    monkeypatch.setattr(runtime, "gc", SimpleNamespace(**fake_gc))
    collector = runtime.IdleGarbageCollector(asyncio.get_running_loop())
    servers.append(FakeServer(collector))
    monkeypatch.setattr(collector, "_is_idle", lambda: servers[0].idle)
    began = collector._loop.time()
    monkeypatch.setattr(collector, "_loop", SimpleNamespace(time=lambda: began + servers[0].now, call_later=_never))
    yield servers[0]
    collector.close()


def _never(*_: object) -> Any:
    return SimpleNamespace(cancel=lambda: None)


async def test_a_collection_in_vain_delays_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    """A hall at play counts as idle but makes no reference cycles, so it is not paused repeatedly."""
    async with fake_server(monkeypatch) as server:
        server.collector._idle_growth = runtime._IDLE_GROWTH

        def until_all() -> int:
            times = 0
            while server.check() != ["all"]:
                times += 1
            return times

        assert [until_all() for _ in range(6)] == [1, 3, 6, 13, 16, 16]
        server.cycles = 1000
        until_all()
        assert until_all() == 1


async def test_an_exempt_value_triggers_no_collection(monkeypatch: pytest.MonkeyPatch) -> None:
    """Although the server is idle and has many times as many objects; all other new objects count."""
    async with fake_server(monkeypatch) as server:
        server.collector._idle_growth = runtime._IDLE_GROWTH
        server.new = 50_090
        server.collector.exempt(50_000)
        server.new = 0
        assert server.check() == ["new"]
        server.new = 20
        assert server.check() == ["all"]


async def test_the_objects_of_a_large_draw_are_exempt(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of a small one are not worth it."""
    exempted: list[int] = []
    monkeypatch.setattr(event_workers, "exempt", exempted.append)
    workers, results = EventWorkers(), list[list[list[int]]]()

    def make(count: int, _: Checkpoint) -> None:
        results.append([[index] for index in range(count)])

    gc.disable()
    try:
        for count in (100, 10_000):
            await workers.run("event", partial(make, count))
    finally:
        gc.enable()
        workers.close()
    assert [count > 9000 for count in exempted] == [True]


async def test_a_busy_server_is_not_collected(monkeypatch: pytest.MonkeyPatch) -> None:
    """Unless it has five times as many objects, or an hour has passed."""
    async with fake_server(monkeypatch) as server:
        server.idle, server.new = False, 4000
        assert server.check(100) == []
        server.new = 4001
        assert server.check() == ["all"]
        server.new, server.now = 0, 3601.0
        assert server.check(3) == ["all"]
        server.idle = True
        assert server.check(2) == ["new", "new"]
