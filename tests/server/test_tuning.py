"""When a server looks for what is left in circles: while nobody waits, and not for ever in vain."""

import asyncio
import gc
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from types import SimpleNamespace
from typing import Any

import pytest

from leftbower.server import tuning


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
