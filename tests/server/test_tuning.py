"""When a server looks for what is left in circles: while nobody waits, and not for ever in vain."""

import asyncio
import gc
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from types import SimpleNamespace
from typing import Any

import pytest

from leftbower.server import event_workers, tuning
from leftbower.server.event_workers import Checkpoint, EventWorkers


class House:
    """How busy it is, what there is to find, and what was looked at."""

    def __init__(self, sweeper: tuning.Sweeper) -> None:
        self.sweeper = sweeper
        self.quiet, self.new, self.circles, self.now = True, 60, 0, 0.0
        self.looks: list[str] = []

    def look(self, times: int = 1) -> list[str]:
        """What is looked at when it is time so many times; then nothing has been looked at."""
        for _ in range(times):
            self.sweeper._timer.cancel()
            self.sweeper._look()
        looks, self.looks = self.looks, []
        return looks

    def collect(self, generation: int = 2) -> int:
        """Instead of Python's."""
        self.looks.append("all" if generation == 2 else "new")
        return self.circles


@asynccontextmanager
async def house(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[House]:
    """One with a thousand objects."""
    found: list[House] = []
    given: dict[str, Any] = dict.fromkeys(("freeze", "unfreeze", "enable", "disable"), lambda: None)
    given |= {"get_freeze_count": lambda: 1000, "isenabled": gc.isenabled}
    given |= {"get_count": lambda: (found[0].new, 0, 0), "collect": lambda *of: found[0].collect(*of) if found else 0}
    monkeypatch.setattr(tuning, "gc", SimpleNamespace(**given))
    sweeper = tuning.Sweeper(asyncio.get_running_loop())
    found.append(House(sweeper))
    monkeypatch.setattr(sweeper, "_is_quiet", lambda: found[0].quiet)
    began = sweeper._loop.time()
    monkeypatch.setattr(sweeper, "_loop", SimpleNamespace(time=lambda: began + found[0].now, call_later=_never))
    yield found[0]
    sweeper.close()


def _never(*_: object) -> Any:
    return SimpleNamespace(cancel=lambda: None)


async def test_looking_in_vain_makes_the_next_look_later(monkeypatch: pytest.MonkeyPatch) -> None:
    """A hall that plays is quiet, and makes no circles: nobody there waits for a look again and again."""
    async with house(monkeypatch) as one:
        one.sweeper._slightly = tuning._SLIGHTLY

        def until_all() -> int:
            times = 0
            while one.look() != ["all"]:
                times += 1
            return times

        assert [until_all() for _ in range(6)] == [1, 3, 6, 13, 16, 16]
        one.circles = 1000
        until_all()
        assert until_all() == 1


async def test_a_large_value_that_is_exempt_causes_no_look(monkeypatch: pytest.MonkeyPatch) -> None:
    """Though it is quiet, and there are many times as many objects; whatever else is new still counts."""
    async with house(monkeypatch) as one:
        one.sweeper._slightly = tuning._SLIGHTLY
        one.new = 50_090
        one.sweeper.exempt(50_000)
        one.new = 0
        assert one.look() == ["new"]
        one.new = 20
        assert one.look() == ["all"]


async def test_the_objects_of_a_large_draw_are_exempt(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of a small one are not worth it."""
    noted: list[int] = []
    monkeypatch.setattr(event_workers, "exempt", noted.append)
    workers, kept = EventWorkers(), list[list[list[int]]]()

    def make(count: int, _: Checkpoint) -> None:
        kept.append([[at] for at in range(count)])

    gc.disable()
    try:
        for count in (100, 10_000):
            await workers.run("event", partial(make, count))
    finally:
        gc.enable()
        workers.close()
    assert [count > 9000 for count in noted] == [True]


async def test_while_there_is_much_to_do_nothing_is_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    """But when everything has become five times as much, and after an hour."""
    async with house(monkeypatch) as one:
        one.quiet, one.new = False, 4000
        assert one.look(100) == []
        one.new = 4001
        assert one.look() == ["all"]
        one.new, one.now = 0, 3601.0
        assert one.look(3) == ["all"]
        one.quiet = True
        assert one.look(2) == ["new", "new"]
