"""The guarantees of every store about its logs: in memory, SQLite and PostgreSQL."""

import asyncio
from collections import Counter
from typing import Any

import pytest

from leftbower.errors import Conflict, StoreBroken, StoreClosed, StoreReadOnly, Unstorable
from leftbower.store import Head, Hint, Store, StoredFact


def fact(kind: str = "played", **more: Any) -> dict[str, Any]:
    """A small fact."""
    return {"fact": kind, "v": 1, **more}


async def test_what_was_appended_is_read_in_order(backend: Any) -> None:
    """Numbers count from 1; facts, times and hashes are read as they were returned, any number of times."""
    async with await backend.open() as store:
        first = await store.append("t/1", 0, [fact(card="Jd"), fact(card="9♠", deep={"b": [1, 2.5, None], "a": True})])
        second = await store.append("t/1", 2, [fact("scored")])
        assert [stored.seq for stored in (*first, *second)] == [1, 2, 3]
        assert [stored.fact for stored in first] == [
            fact(card="Jd"),
            fact(card="9♠", deep={"a": True, "b": [1, 2.5, None]}),
        ]
        assert await store.read("t/1") == await store.read("t/1") == [*first, *second]
        assert await store.read("t/1", 1) == [first[1], *second]
        assert await store.read("t/1", 1, limit=1) == [first[1]]
        assert await store.read("t/1", 3) == await store.read("t/2") == []
        assert await store.head("t/1") == Head(3, second[0].hash)
        assert (await store.head("t/2")).seq == 0
        assert await store.heads() == {"t/1": Head(3, second[0].hash)}
        assert await store.verify() == []


async def test_a_conflict_is_answered_with_the_current_number(backend: Any) -> None:
    """An append after any number but the last writes nothing and reports the current number."""
    async with await backend.open() as store:
        await store.append("t", 0, [fact(), fact()])
        for expected in (0, 1, 3, -1):
            with pytest.raises(Conflict) as refused:
                await store.append("t", expected, [fact("late")])
            assert (refused.value.log, refused.value.expected, refused.value.current) == ("t", expected, 2)
        assert len(await store.read("t")) == 2
        with pytest.raises(Conflict) as refused:
            await store.append("new", 1, [fact()])
        assert refused.value.current == 0


async def test_of_racing_appends_one_wins_each_number(backend: Any) -> None:
    """Twelve tasks race on one log: each gets in four times, no number is used twice, and there is no gap."""

    async def racer(store: Store, name: int) -> list[StoredFact]:
        won: list[StoredFact] = []
        at = 0
        while len(won) < 4:
            try:
                won += await store.append("t", at, [fact(by=name)])
                at = won[-1].seq
            except Conflict as conflict:
                at = conflict.current
        return won

    async with await backend.open() as store:
        won = [stored for wins in await asyncio.gather(*(racer(store, name) for name in range(12))) for stored in wins]
        assert sorted(won, key=lambda stored: stored.seq) == await store.read("t")
        assert [stored.seq for stored in await store.read("t")] == list(range(1, 49))
        assert set(Counter(stored.fact["by"] for stored in won).values()) == {4}
        assert await store.verify() == []


async def test_an_append_is_written_whole_or_not_at_all(backend: Any) -> None:
    """Appends of three facts race: they are never interleaved."""

    async def racer(store: Store, name: int) -> None:
        for at in range(0, 30, 3):
            try:
                await store.append("t", at, [fact(by=name)] * 3)
            except Conflict:
                continue

    async with await backend.open() as store:
        await asyncio.gather(*(racer(store, name) for name in range(5)))
        names = [stored.fact["by"] for stored in await store.read("t")]
        assert len(names) == 30
        assert all(len(set(names[at : at + 3])) == 1 for at in range(0, 30, 3))


async def test_many_logs_are_written_together_and_apart(backend: Any) -> None:
    """Appends to many logs at once, some in conflict: each has its own result."""
    async with await backend.open() as store:
        await store.append("t/7", 0, [fact("there before")])
        answers = await asyncio.gather(
            *(store.append(f"t/{name}", 0, [fact(name=name)]) for name in range(700)), return_exceptions=True
        )
        refused = [answer for answer in answers if isinstance(answer, BaseException)]
        assert [(type(error), getattr(error, "log", "")) for error in refused] == [(Conflict, "t/7")]
        heads = await store.heads()
        assert heads.keys() == {f"t/{name}" for name in range(700)}
        assert {head.seq for head in heads.values()} == {1}
        assert await store.verify() == []


async def test_appends_that_wait_together_may_follow_each_other(backend: Any) -> None:
    """A second append may be sent before the first has returned."""
    async with await backend.open() as store:
        await asyncio.gather(*(store.append("t", at, [fact(at=at)]) for at in range(10)))
        assert [stored.fact["at"] for stored in await store.read("t")] == list(range(10))


async def test_time_is_the_stores_and_one_for_an_append(backend: Any) -> None:
    """Facts of one append share a time; it is the database's unless it is passed in, to the millisecond."""
    async with await backend.open() as store:
        before = await store.now()
        first = await store.append("t", 0, [fact(), fact()])
        after = await store.now()
        assert before <= first[0].at == first[1].at <= after
        [handed] = await store.append("t", 2, [fact()], now=1234567890.1234)
        assert handed.at == 1234567890.123
        assert (await store.read("t"))[-1] == handed
    async with await backend.open(clock=lambda: 1700000000.5) as store:
        assert await store.now() == 1700000000.5
        assert (await store.append("u", 0, [fact()]))[0].at == 1700000000.5


async def test_same_facts_at_same_times_have_same_hashes_everywhere(backend: Any) -> None:
    """The chain depends on what was written, not on where."""
    async with await backend.open() as store:
        await store.append("t/1", 0, [fact(card="Jd"), fact(card="9♠")], now=1)
        [last] = await store.append("t/1", 2, [fact(card="Ah")], now=2.5)
        # printf and sha256sum, following the description at the top of chain.py
        assert last.hash.hex() == "2bbf0035c8454d1d1d824e9f162cf71509073f091114900302c8e9ab96795636"


async def test_a_listing_is_written_with_its_append_or_not_at_all(backend: Any) -> None:
    """A refused append doesn't change the listing, and neither does an append without one."""
    async with await backend.open() as store:
        assert await store.listing("t") is None
        await store.append("t", 0, [fact()], now=10, listing={"seats": 1})
        with pytest.raises(Conflict):
            await store.append("t", 0, [fact()], listing={"seats": 9})
        await store.append("t", 1, [fact()], now=20)
        await store.append("u", 0, [fact(), fact()], now=30, listing={"seats": 4})
        listings = [(listing.log, listing.seq, listing.body, listing.updated) for listing in await store.listings()]
        assert listings == [("u", 2, {"seats": 4}, 30.0), ("t", 1, {"seats": 1}, 10.0)]
        assert await store.listings(limit=1) == [await store.listing("u")]
        assert [[listing.log for listing in await store.listings(since=at)] for at in (-1, 10, 10.001, 30, 31)] == [
            ["u", "t"],
            ["u", "t"],
            ["u"],
            ["u"],
            [],
        ]
        await store.append("t", 2, [fact()], now=40, listing={"seats": 2})
        assert [listing.log for listing in await store.listings()] == ["t", "u"]


async def test_listings_are_rebuilt_from_their_logs(backend: Any) -> None:
    """No matter what listings said before, they now match the logs; a log may have none."""
    async with await backend.open() as store:
        for log in ("a", "b", "c"):
            await store.append(log, 0, [fact(), fact()], now=5, listing={"wrong": True})
        listed = await store.rebuild_listings(
            lambda log, facts: None if log == "b" else ({"facts": len(facts)}, [f"p-{log}"])
        )
        assert listed == 2
        listings = [(listing.log, listing.seq, listing.body, listing.updated) for listing in await store.listings()]
        assert listings == [("a", 2, {"facts": 2}, 5.0), ("c", 2, {"facts": 2}, 5.0)]
        assert [listing.log for listing in await store.listings(person="p-c")] == ["c"]
        assert await store.listings(person="q") == []


async def test_a_listing_stands_in_the_lists_of_whom_it_concerns(backend: Any) -> None:
    """As in the last append that set it; an append that is refused or doesn't set it changes nothing."""
    async with await backend.open() as store:
        await store.append("t", 0, [fact()], now=10, listing={"at": 1}, people=["p", "q", "p"])
        await store.append("u", 0, [fact()], now=20, listing={"at": 1}, people=["p"])
        await store.append("t", 1, [fact()], now=30, listing={"at": 2})
        with pytest.raises(Conflict):
            await store.append("t", 0, [fact()], listing={"at": 9}, people=["r"])
        for people in (["p p"], [""]):
            with pytest.raises(Unstorable):
                await store.append("t", 2, [fact()], listing={"at": 9}, people=people)
        with pytest.raises(Unstorable):
            await store.append("t", 2, [fact()], people=["r"])
        assert [(listing.log, listing.body) for listing in await store.listings(person="p")] == [
            ("t", {"at": 2}),
            ("u", {"at": 1}),
        ]
        assert [listing.log for listing in await store.listings(person="p", limit=1)] == ["t"]
        assert [listing.log for listing in await store.listings(person="p", since=25)] == ["t"]
        await store.append("t", 2, [fact()], now=40, listing={"at": 3}, people=["q"])
        assert [listing.log for listing in await store.listings(person="p")] == ["u"]
        assert [listing.log for listing in await store.listings(person="q")] == ["t"]
        assert await store.listings(person="r") == []


async def test_a_rebuilt_listing_never_replaces_a_later_one(backend: Any) -> None:
    """An append between reading the log and writing its listing: the append's listing stays."""
    async with await backend.open() as store:
        await store.append("a", 0, [fact()], listing={"now": 1})
        await store.append("a", 1, [fact()], listing={"now": 2})
        await store._list("a", 1, '{"now":1}', 0, ["p"])
        await store._unlist("a", 1)
        assert (await store.listing("a")).body == {"now": 2}
        assert await store.listings(person="p") == []


async def test_old_facts_are_upcast_when_read_and_nowhere_else(durable: Any) -> None:
    """Kinds and versions are converted step by step to the current one; rows, hashes and chain stay as written."""
    async with await durable.open() as store:
        written = await store.append("t", 0, [fact("sat", who="p1"), {"fact": "sat", "v": 2, "person": "p1"}, fact()])
        rows = await store.rows("t", 0, 10)
    upcasters = {
        ("sat", 1): lambda old: {"fact": "sat", "v": 2, "person": old["who"]},
        ("sat", 2): lambda old: {"fact": "sat down", "v": 1, "person": old["person"]},
    }
    async with await durable.open(upcasters=upcasters) as store:
        now = {"fact": "sat down", "v": 1, "person": "p1"}
        read = await store.read("t")
        assert [stored.fact for stored in read] == [now, now, fact()]
        assert [stored.hash for stored in read] == [stored.hash for stored in written]
        assert await store.rows("t", 0, 10) == rows
        assert await store.verify() == []


async def test_hints_tell_of_appends(backend: Any) -> None:
    """Every append gets a hint eventually; a listener that unsubscribed gets no more."""
    hints: list[Hint] = []
    async with await backend.open() as store:
        stop = await store.listen(hints.append)
        await asyncio.gather(*(store.append(f"t/{name}", 0, [fact(), fact()]) for name in range(400)))
        for _ in range(200):
            if len(hints) >= 400:
                break
            await asyncio.sleep(0.01)
        assert set(hints) == {Hint(f"t/{name}", 2) for name in range(400)}
        stop()
        stop()
        hints.clear()
        await store.append("t/1", 2, [fact()])
        await asyncio.sleep(0.05)
        assert hints == []


async def test_a_forged_row_stops_its_own_log_and_no_other(durable: Any) -> None:
    """A row that was never appended comes after a log's head: appends there are refused, elsewhere they continue."""
    async with await durable.open() as store:
        await store.append("t", 0, [fact()])
        await durable.tamper(store, "t", lambda rows: [*rows, rows[0]._replace(seq=3)])
        answers = await asyncio.gather(
            store.append("t", 1, [fact(), fact()]), store.append("u", 0, [fact()]), return_exceptions=True
        )
        assert [type(answer) for answer in answers] == [StoreBroken, list]
        assert (await store.head("t")).seq == 1
        await store.append("u", 1, [fact()])
        assert [flaw.seq for flaw in await store.verify()] == [2]


async def test_a_probe_leaves_nothing_behind(backend: Any) -> None:
    """It is written and removed again, leaving no log, row or listing; a read-only store refuses it."""
    async with await backend.open() as store:
        await store.append("t", 0, [fact()])
        for _ in range(3):
            await store.probe()
        assert await store._logs() == ["t"]
        assert await store.verify() == []
        await store.append("t", 1, [fact()])
        if backend.url != "memory:":
            async with await backend.open(read_only=True) as reader:
                with pytest.raises(StoreReadOnly):
                    await reader.probe()
    with pytest.raises(StoreClosed):
        await store.probe()


async def test_a_store_outlives_its_process(durable: Any) -> None:
    """Closed and opened again, it has the same data."""
    async with await durable.open() as store:
        await store.append("t", 0, [fact(), fact()], listing={"open": True})
        await store.add_person("p", "Ada")
        read, heads = await store.read("t"), await store.heads()
    async with await durable.open() as store:
        assert (await store.read("t"), await store.heads()) == (read, heads)
        assert (await store.person("p")).name == "Ada"
        assert (await store.listing("t")).body == {"open": True}
        await store.append("t", 2, [fact()])
        assert await store.verify() == []


async def test_a_closed_store_says_so(backend: Any) -> None:
    """Waiting appends are finished first; closing is idempotent."""
    store = await backend.open()
    waiting = [asyncio.ensure_future(store.append(f"t/{name}", 0, [fact()])) for name in range(50)]
    await asyncio.sleep(0)
    await store.close()
    await store.close()
    assert [len(rows) for rows in await asyncio.gather(*waiting)] == [1] * 50
    with pytest.raises(StoreClosed):
        await store.append("t", 0, [fact()])
    with pytest.raises(StoreClosed):
        await store.read("t/1")


async def test_a_cancelled_append_does_not_affect_others(backend: Any) -> None:
    """A canceled append may be written or not; the log is sound and other appends get their results."""
    async with await backend.open() as store:
        cancelled = asyncio.ensure_future(store.append("t", 0, [fact("gone")]))
        stays = asyncio.ensure_future(store.append("u", 0, [fact()]))
        await asyncio.sleep(0)
        cancelled.cancel()
        assert (await stays)[0].seq == 1
        assert len(await store.read("t")) in {0, 1}
        assert await store.verify() == []


WRONG: list[dict[str, Any]] = [
    {"v": 1},
    {"fact": "", "v": 1},
    {"fact": 5, "v": 1},
    {"fact": "a"},
    {"fact": "a", "v": 0},
    {"fact": "a", "v": True},
    {"fact": "a", "v": "1"},
    fact(x=float("nan")),
    fact(x=float("inf")),
    fact(x=b"bytes"),
    fact(x={1: 2, "1": 3}),
    fact(x="\ud800"),
    fact(x=10**5000),
    fact(x="x" * (1 << 20)),
    fact(x=[{"set": {1}}]),
]


async def test_what_is_no_fact_is_refused_at_the_door(backend: Any) -> None:
    """Nothing of an append with one wrong fact is written, and an append needs a fact."""
    async with await backend.open() as store:
        for wrong in WRONG:
            with pytest.raises(Unstorable):
                await store.append("t", 0, [fact(), wrong])
        with pytest.raises(Unstorable):
            await store.append("t", 0, [])
        with pytest.raises(Unstorable):
            await store.append("t", 0, [fact()], listing={"x": {1}})
        assert await store.heads() == {}


async def test_what_is_no_name_or_time_is_refused_at_the_door(backend: Any) -> None:
    """Log names are opaque ids that every database, URL and file system can hold; times are of these centuries."""
    async with await backend.open() as store:
        for name in ("", " ", "a b", "x" * 101, "a\0b", "ü", "a\n"):
            with pytest.raises(Unstorable):
                await store.append(name, 0, [fact()])
        for now in (-1, 1e11, float("nan"), float("inf")):
            with pytest.raises(Unstorable):
                await store.append("t", 0, [fact()], now=now)
        assert await store.heads() == {}
