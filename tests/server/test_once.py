"""What is the same for all is made once, and nobody who leaves takes it from the others."""

import asyncio
import threading

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
