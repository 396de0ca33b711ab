"""Appends per second that a store puts on disk: by many tables at once, and one at a time."""

from asyncio import gather, run
from dataclasses import dataclass
from statistics import median
from time import perf_counter
from typing import Any, Final

from leftbower.store import Store, open_store


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreSpeed:
    """The result of a benchmark; numbers are medians of all rounds, measured in turn."""

    rounds: int
    tables: int
    """Logs that append at the same time, each waiting for its result before it continues."""
    appends: int
    """Appends per round of all tables together."""
    grouped: float
    """Appends per second of all tables together, with grouped commits."""
    alone: float
    """Appends per second of a single table, with one commit each."""
    ratio: float
    commits: float
    """Commits per append of all tables together."""


FACT: Final = {"fact": "played", "v": 1, "seat": "N", "card": "Jd", "action_id": "0123456789abcdef", "by": "person-1"}


def measure(url: str, *, tables: int = 500, appends: int = 10_000, rounds: int = 5) -> StoreSpeed:
    """Append to the store at an address, which should be on a real disk and is filled by this."""
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
    """Appends per second of `tables` tables that append `appends` times each."""

    async def play(log: str) -> None:
        seq = (await store.head(log)).seq
        for _ in range(appends):
            seq = (await store.append(log, seq, [FACT]))[-1].seq

    begun = perf_counter()
    await gather(*(play(f"{name}/{table}") for table in range(tables)))
    return tables * appends / (perf_counter() - begun)
