"""What is the same for all is made once, and nobody who leaves takes it from the others."""

import asyncio
import gc
import threading
from types import SimpleNamespace
from typing import Any

import pytest

from leftbower.server import tuning
from leftbower.server.once import Once


class Maker:
    """Counts how often something is made, and in which thread."""

    def __init__(self) -> None:
        self.threads: list[int] = []
        self.go_on = threading.Event()

    def __call__(self) -> str:
        self.threads.append(threading.get_ident())
        assert self.go_on.wait(10)
        return f"made {len(self.threads)}"


async def test_all_who_ask_at_once_get_the_same_and_the_loop_goes_on() -> None:
    once, maker = Once(), Maker()
    asked = [asyncio.create_task(once.made("page", 1, maker)) for _ in range(5)]
    while not maker.threads:
        await asyncio.sleep(0)
    maker.go_on.set()
    assert await asyncio.gather(*asked) == ["made 1"] * 5
    assert maker.threads != [threading.get_ident()]
    assert await once.made("page", 1, maker) == "made 1"
    assert await once.made("page", 2, maker) == "made 2"
    assert await once.made("wall", 2, maker) == "made 3"


async def test_whoever_leaves_does_not_take_it_from_the_others() -> None:
    once, maker = Once(), Maker()
    first, second = (asyncio.create_task(once.made("page", 1, maker)) for _ in range(2))
    while not maker.threads:
        await asyncio.sleep(0)
    first.cancel()
    maker.go_on.set()
    assert await second == "made 1"
    assert first.cancelled()


async def test_only_so_much_is_kept() -> None:
    once, maker = Once(kept=2), Maker()
    maker.go_on.set()
    for name in ("a", "b", "c", "a"):
        await once.made(name, 1, maker)
    assert len(maker.threads) == 4


async def test_looking_for_circles_in_vain_makes_the_next_look_later(monkeypatch: pytest.MonkeyPatch) -> None:
    """A hall that plays is quiet, and makes no circles: nobody there waits for a look again and again."""
    looks: list[str] = []
    circles = 0

    def collect(generation: int = 2) -> int:
        looks.append("all" if generation == 2 else "new")
        return circles

    objects = {"get_freeze_count": lambda: 1000, "get_count": lambda: (60, 0, 0), "collect": collect}
    quiet: dict[str, Any] = dict.fromkeys(("freeze", "unfreeze", "enable", "disable"), lambda: None)
    monkeypatch.setattr(tuning, "gc", SimpleNamespace(isenabled=gc.isenabled, **quiet, **objects))
    monkeypatch.setattr(tuning.Sweeper, "_is_quiet", lambda self: True)
    sweeper = tuning.Sweeper(asyncio.get_running_loop())

    def until_all() -> int:
        looks.clear()
        while "all" not in looks:
            sweeper._timer.cancel()
            sweeper._sweep()
        return looks.count("new")

    sweeper._slightly = tuning._SLIGHTLY
    assert [until_all() for _ in range(6)] == [2, 4, 7, 14, 17, 17]
    circles = 1000
    until_all()
    assert until_all() == 2
    sweeper.close()
