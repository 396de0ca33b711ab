"""PostgreSQL beyond the guarantees of every store: many processes, any isolation level, lost connections."""

import asyncio
import sys
from collections import Counter
from typing import Any

import pytest

from leftbower.errors import (
    Conflict,
    MissingExtra,
    NotAStore,
    NotThere,
    StoreReadOnly,
    StoreUnreachable,
    UnsafeStore,
    WrongSchema,
)
from leftbower.store import HINTS_LOST, Hint, Session, Store, hash_token, open_store
from leftbower.store.db_errors import postgres_error
from leftbower.store.postgres.notifications import encode_hints, parse_hints
from leftbower.store.schema import SCHEMA

FACT = {"fact": "played", "v": 1}


def at_level(backend: Any, level: str) -> str:
    """The address with a default isolation level."""
    return f"{backend.url}&default_transaction_isolation={level.replace(' ', '%20')}"


async def race(store: Store, name: str, logs: int, wins: int) -> None:
    """Append to many logs at once, two facts at a time, until each has accepted `wins` of ours."""

    async def append_to(log: str) -> None:
        at = won = 0
        while won < wins:
            try:
                at = (await store.append(log, at, [{**FACT, "by": name}] * 2, listing={"by": name}))[-1].seq
                won += 1
            except Conflict as conflict:
                at = conflict.current

    await asyncio.gather(*(append_to(f"t/{log}") for log in range(logs)))


@pytest.mark.parametrize("level", ["read committed", "repeatable read", "serializable"])
async def test_processes_race_and_every_log_stays_one_chain(postgres: Any, level: str) -> None:
    """Three stores, each with its own connections, on the same logs: no duplicate number, no gap, no partial append."""
    stores = await asyncio.gather(*(open_store(at_level(postgres, level)) for _ in range(3)))
    try:
        await asyncio.gather(*(race(store, f"s{at}", 5, 4) for at, store in enumerate(stores)))
        for log in range(5):
            read = await stores[0].read(f"t/{log}")
            assert [stored.seq for stored in read] == list(range(1, 25))
            names = [stored.fact["by"] for stored in read]
            assert all(names[at] == names[at + 1] for at in range(0, 24, 2))
            assert Counter(names) == {"s0": 8, "s1": 8, "s2": 8}
            assert (await stores[1].listing(f"t/{log}")).seq == 24  # type: ignore[union-attr]
        assert await stores[2].verify() == []
    finally:
        await asyncio.gather(*(store.close() for store in stores))


async def test_the_tables_are_made_once_however_many_come_first(postgres: Any) -> None:
    """Several processes start on an empty database at the same time."""
    stores = await asyncio.gather(*(open_store(postgres.url) for _ in range(4)))
    await asyncio.gather(*(store.append("t", 0, [FACT]) for store in stores), return_exceptions=True)
    assert {(await store.head("t")).seq for store in stores} == {1}
    await asyncio.gather(*(store.close() for store in stores))
    assert [tuple(row) for row in await postgres.run("select * from leftbower.version")] == [(SCHEMA,)]


async def test_one_process_hears_of_anothers_appends(postgres: Any) -> None:
    """Many appends of one commit come as one notification, or as few as possible."""
    hints: list[Hint] = []
    async with await postgres.open() as ours, await postgres.open() as theirs:
        await ours.listen(hints.append)
        await asyncio.gather(*(theirs.append(f"t/{'x' * 90}{name}", 0, [FACT]) for name in range(200)))
        await until(lambda: len(hints) >= 200)
        assert Counter(hints) == Counter(Hint(f"t/{'x' * 90}{name}", 1) for name in range(200))


async def test_a_lost_connection_of_the_listener_is_made_again_and_said(postgres: Any) -> None:
    """Hints may have been missed, so the listener is told to check every log; later hints arrive."""
    hints: list[Hint] = []
    async with await postgres.open() as store:
        await store.listen(hints.append)
        await postgres.run(KILL, "leftbower")
        await until(lambda: HINTS_LOST in hints)
        await until_reconnected(store)
        await until(lambda: Hint("t", 1) in hints)


async def test_a_lost_database_is_said_and_found_again(postgres: Any) -> None:
    """Waiting callers get an error, never silence; afterwards the store continues by itself."""
    async with await postgres.open() as store:
        await store.append("u", 0, [FACT])
        await postgres.run(KILL, "leftbower")
        await until_reconnected(store)
        assert [stored.seq for stored in await store.read("t")] == [1]
        assert await store.verify() == []


KILL = "select pg_terminate_backend(pid) from pg_stat_activity where application_name = $1"


async def until(law: Any) -> None:
    """Wait until a condition holds, for a few seconds at most."""
    for _ in range(500):
        if law():
            return
        await asyncio.sleep(0.01)
    raise AssertionError("it never came true")


async def until_reconnected(store: Any) -> None:
    """Append to a log until the store can."""
    for _ in range(20):
        try:
            await store.append("t", 0, [FACT])
            return
        except StoreUnreachable:
            await asyncio.sleep(0.01)
    raise AssertionError("the store stays unreachable")


async def test_no_connection_is_left_open(postgres: Any) -> None:
    """Neither by a store that was used, nor by one that was refused."""
    async with await postgres.open() as store:
        await store.listen(lambda hint: None)
        await asyncio.gather(*(store.append(f"t/{name}", 0, [FACT]) for name in range(5)))
        await asyncio.gather(*(store.read(f"t/{name}") for name in range(20)))
    await postgres.run("update leftbower.version set version = 99")
    with pytest.raises(WrongSchema, match="schema 99, but this leftbower needs schema 6"):
        await postgres.open()
    await asyncio.sleep(0.05)
    assert await postgres.run("select query from pg_stat_activity where application_name = 'leftbower'") == []


async def test_commits_are_durable_whatever_the_database_does_by_default(postgres: Any) -> None:
    """A session in which commits would return before they are on disk is corrected."""
    async with await open_store(f"{postgres.url}&synchronous_commit=off") as store:
        assert await store._query("show synchronous_commit") == [("on",)]
    async with await open_store(f"{postgres.url}&synchronous_commit=remote_apply") as store:
        assert await store._query("show synchronous_commit") == [("remote_apply",)]


async def test_a_database_that_would_lose_things_is_refused(postgres: Any) -> None:
    """With another encoding it couldn't store every name."""
    await postgres.run("drop database if exists latin")
    await postgres.run("create database latin encoding 'LATIN1' locale 'C' template template0")
    with pytest.raises(UnsafeStore, match="UTF8"):
        await open_store(postgres.url.replace("/postgres?", "/latin?"))
    await postgres.run("drop database latin")


async def test_an_unreachable_database_is_named_without_its_password(postgres: Any) -> None:
    """No server, no such database, no such address: one sentence each."""
    for url in (
        "postgresql://me:secret@127.0.0.1:1/store",
        postgres.url.replace("postgres:@/postgres?", "postgres:secret@/nothing?"),
        "postgresql://me:secret@[::1/store",
        "postgresql://me:secret@127.0.0.1:port/store",
    ):
        with pytest.raises((StoreUnreachable, NotAStore)) as refused:
            await open_store(url)
        assert "secret" not in str(refused.value)
        assert "\n" not in str(refused.value)


async def test_a_store_open_for_reading_writes_nothing(postgres: Any) -> None:
    """It creates no tables either."""
    with pytest.raises(NotAStore, match="is not a leftbower store"):
        await postgres.open(read_only=True)
    async with await postgres.open() as store, await postgres.open(read_only=True) as beside:
        await store.append("t", 0, [FACT])
        assert await beside.read("t") == await store.read("t")
        assert await beside.verify() == []
        with pytest.raises(StoreReadOnly):
            await beside.append("t", 1, [FACT])
        with pytest.raises(StoreReadOnly):
            await beside.add_person("p", "Ada")
        with pytest.raises(StoreReadOnly):
            await beside._query("delete from facts returning seq")


async def test_a_database_without_room_for_us_is_left_alone(postgres: Any) -> None:
    """A schema with our name and other tables."""
    await postgres.run("create schema leftbower")
    await postgres.run("create table leftbower.facts (x integer)")
    with pytest.raises(NotAStore):
        await postgres.open()


async def test_a_session_of_a_person_who_is_erased_meanwhile_is_none(postgres: Any) -> None:
    """Two processes create sessions and erase people at the same time; no session is left without its person."""
    async with await postgres.open() as ours, await postgres.open() as theirs:
        for turn in range(10):
            await ours.add_person(f"p{turn}", "Ada")
            answers: list[object] = await asyncio.gather(
                ours.add_session(hash_token(str(turn)), f"p{turn}"),
                theirs.erase_person(f"p{turn}"),
                return_exceptions=True,
            )
            assert answers[1] is True
            assert isinstance(answers[0], Session | NotThere)
            assert await ours.sessions(f"p{turn}") == []


async def test_moments_are_told(postgres: Any) -> None:
    """Before and after the commit, for every group."""
    moments: list[str] = []
    async with await postgres.open(moments=moments.append) as store:
        await asyncio.gather(*(store.append(f"t/{name}", 0, [FACT]) for name in range(100)))
    assert moments == ["before-commit", "after-commit"] * (len(moments) // 2)
    assert len(moments) <= 20


async def test_without_the_extra_one_sentence_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing of PostgreSQL is imported before it is needed."""
    for name in [
        name
        for name in sys.modules
        if name.startswith(("leftbower.store.postgres.store", "leftbower.store.postgres.notifications"))
    ]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "asyncpg", None)
    with pytest.raises(MissingExtra, match="postgresql"):
        await open_store("postgresql://localhost/store")


def test_hints_are_spelled_in_pieces_that_postgresql_takes() -> None:
    """No hint is lost between them, and other lines are skipped."""
    seqs = {f"{'x' * 90}{name}": name for name in range(300)}
    pieces = list(encode_hints(seqs))
    assert all(len(piece.encode()) < 8000 for piece in pieces)
    assert {hint.log: hint.seq for piece in pieces for hint in parse_hints(piece)} == seqs
    assert list(encode_hints({})) == []
    assert list(parse_hints("a 1\nno number\n\nb -1\n 5\nc 2")) == [Hint("a", 1), Hint("c", 2)]


@pytest.mark.parametrize(
    ("state", "code"),
    [("53100", "store-full"), ("25006", "store-read-only"), ("57P01", "store-unreachable"), ("XX001", "store-broken")],
)
def test_what_postgresql_complains_of_has_a_code_of_ours(state: str, code: str) -> None:
    """One sentence, no matter what it says; an error of one statement is not translated."""
    complaint = OSError("could not\n write")
    complaint.sqlstate = state  # type: ignore[attr-defined]
    found = postgres_error(complaint, "postgresql://there")
    assert found is not None
    assert found.code == code
    assert str(found).startswith("postgresql://there: ")
    assert str(found).endswith(": could not write")
    complaint.sqlstate = "23505"  # type: ignore[attr-defined]
    assert postgres_error(complaint, "there") is None
