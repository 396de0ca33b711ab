"""How many appends a second a store puts on disk: many tables at once, beside one append at a time."""

from asyncio import gather, run
from dataclasses import dataclass
from statistics import median
from time import perf_counter
from typing import Any, Final

from leftbower.store import Store, open_store


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreSpeed:
    """What a measurement found; numbers are medians of all rounds, taken in turn."""

    rounds: int
    tables: int
    """Logs that append at the same time, each waiting for its answer before it goes on."""
    appends: int
    """Appends of a round by the tables together."""
    grouped: float
    """Appends a second by the tables together: their commits are grouped."""
    alone: float
    """Appends a second of one table alone: each has a commit of its own."""
    ratio: float
    commits: float
    """Commits for one append of the tables together."""


FACT: Final = {"fact": "played", "v": 1, "seat": "N", "card": "Jd", "action_id": "0123456789abcdef", "by": "person-1"}


def measure(url: str, *, tables: int = 500, appends: int = 10_000, rounds: int = 5) -> StoreSpeed:
    """Append to the store at an address, which should be on a real disk, and may be filled afterwards."""
    return run(_measure(url, tables, appends, rounds))


async def _measure(url: str, tables: int, appends: int, rounds: int) -> StoreSpeed:
    commits = 0

    def moments(moment: str) -> None:
        nonlocal commits
        commits += moment == "after-commit"

    results: list[dict[str, float]] = []
    async with await open_store(url, moments=moments) as store:
        for at in range(rounds):
            before = commits
            grouped = await _pace(store, f"round-{at}", tables, appends // tables)
            used = commits - before
            alone = await _pace(store, f"round-{at}-alone", 1, max(appends // tables, 50))
            results.append(
                {
                    "grouped": grouped,
                    "alone": alone,
                    "ratio": grouped / alone,
                    "commits": used / (appends // tables * tables),
                }
            )
    columns: dict[str, Any] = {name: median(result[name] for result in results) for name in results[0]}
    return StoreSpeed(rounds=rounds, tables=tables, appends=appends // tables * tables, **columns)


async def _pace(store: Store, name: str, tables: int, appends: int) -> float:
    """Appends a second of `tables` tables that append `appends` times each."""

    async def play(log: str) -> None:
        seq = (await store.head(log)).seq
        for _ in range(appends):
            seq = (await store.append(log, seq, [FACT]))[-1].seq

    begun = perf_counter()
    await gather(*(play(f"{name}/{table}") for table in range(tables)))
    return tables * appends / (perf_counter() - begun)
