"""The guarantees of every store about counters, expiry and removed logs."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import count
from pathlib import Path
from random import Random
from typing import Any

import pytest

from leftbower.errors import Conflict, NotThere, QuotaExceeded, TooMany
from leftbower.store import FlawKind, Guard, Head, Hint, Rows, Store, backup, hash_token
from leftbower.store.dump import LogRemoved, dump

DAY = 86_400.0


def fact(kind: str = "sat", **more: Any) -> dict[str, Any]:
    return {"fact": kind, "v": 1, **more}


@asynccontextmanager
async def two_stores(backend: Any) -> AsyncIterator[tuple[Store, Store]]:
    """The store in two processes, if the backend supports it; otherwise the same store twice."""
    async with await backend.open() as store:
        if not store.shared:
            yield store, store
            return
        async with await backend.open() as other:
            yield store, other


# Logs that are removed


async def test_a_removed_log_leaves_nothing_but_its_head(backend: Any) -> None:
    """Its listing, its links and the sessions for it are removed too; other logs, links and sessions stay."""
    async with await backend.open() as store:
        await store.add_person("p", "Ada")
        for log in ("t", "u"):
            await store.append(log, 0, [fact(), fact()], listing={"phase": "gathering"}, people=["p"])
            await store.add_link(hash_token(f"code of {log}"), log, "sit")
            await store.add_session(hash_token(log), "p", log=log)
        head = await store.head("t")
        await store.remove_log("t", 2)
        assert await store.read("t") == []
        assert (await store.head("t")).seq == 0
        assert (await store.heads()).keys() == {"u"}
        assert [listing.log for listing in await store.listings()] == ["u"]
        assert [listing.log for listing in await store.listings(person="p")] == ["u"]
        assert [link.log for link in await store.links()] == ["u"]
        assert [session.log for session in await store.sessions("p")] == ["u"]
        assert await store.removed_logs() == {"t": head}


async def test_a_log_that_went_on_is_not_removed(backend: Any) -> None:
    """The conflict has the current number; also for a log that doesn't exist."""
    async with await backend.open() as store:
        await store.append("t", 0, [fact(), fact(), fact()], listing={})
        for expected in (0, 2, 4):
            with pytest.raises(Conflict) as refused:
                await store.remove_log("t", expected)
            assert refused.value.current == 3
        with pytest.raises(Conflict) as refused:
            await store.remove_log("u", 1)
        assert refused.value.current == 0
        assert len(await store.read("t")) == 3
        assert await store.listing("t") is not None
        assert await store.removed_logs() == {}
        assert await store.verify() == []


async def test_nothing_is_appended_behind_a_removed_log(backend: Any) -> None:
    """A caller who still knows the log learns that it is at 0, although its head was known a moment before."""
    async with await backend.open() as store:
        await store.append("t", 0, [fact()])
        await store.append("t", 1, [fact()])
        await store.remove_log("t", 2)
        with pytest.raises(Conflict) as refused:
            await store.append("t", 2, [fact("late")])
        assert refused.value.current == 0
        await store.append("t", 0, [fact("first")])
        assert [stored.fact["fact"] for stored in await store.read("t")] == ["first"]
        assert await store.verify() == []


async def test_no_acknowledged_fact_is_lost_when_its_log_is_removed(backend: Any) -> None:
    """In every interleaving either the removal or the append wins, never both; the loser gets an error."""
    rng = Random(23)
    outcomes = set()
    current: list[int] = []
    async with two_stores(backend) as (store, other):

        async def wait() -> None:
            for _ in range(rng.randrange(4)):
                await asyncio.sleep(0)

        async def append(log: str) -> bool:
            await wait()
            try:
                await store.append(log, 2, [fact("late")])
            except Conflict as refused:
                current.append(refused.current)
                return False
            return True

        async def remove(log: str) -> bool:
            await wait()
            try:
                await other.remove_log(log, 2)
            except Conflict as refused:
                current.append(refused.current)
                return False
            return True

        for number in range(60):
            log = f"t{number}"
            await store.append(log, 0, [fact(), fact()])
            first, second = (append, remove) if number % 2 else (remove, append)
            if number < 2:  # one after the other, so that each wins once on any machine
                results = {first: await first(log), second: await second(log)}
            else:
                results = dict(zip((first, second), await asyncio.gather(first(log), second(log)), strict=True))
            assert results[append] is not results[remove]
            outcomes.add(results[append])
            kinds = [stored.fact["fact"] for stored in await store.read(log)]
            assert kinds == (["sat", "sat", "late"] if results[append] else [])
            assert current.pop() == len(kinds)
        assert await store.verify() == []
    assert outcomes == {True, False}


async def test_a_removed_log_is_no_flaw_beside_a_remembered_head(backend: Any) -> None:
    """Unless the remembered head is longer than, or different from, the one at which it was removed."""
    async with await backend.open() as store:
        await store.append("t", 0, [fact(), fact()])
        early = Head(1, (await store.read("t"))[0].hash)
        head = await store.head("t")
        await store.remove_log("t", 2)
        assert await store.verify() == []
        assert await store.verify(remembered={"t": head}) == await store.verify(remembered={"t": early}) == []
        for remembered in (Head(2, b"another"), Head(3, b"longer")):
            [flaw] = await store.verify(remembered={"t": remembered})
            assert (flaw.log, flaw.kind) == ("t", FlawKind.MISSING)
        [flaw] = await store.verify(remembered={"never": head})
        assert flaw.kind is FlawKind.MISSING


async def test_processes_hear_that_a_log_was_removed(backend: Any) -> None:
    """By a hint with the number 0."""
    hints: list[Hint] = []
    notified = asyncio.Event()

    def record_hint(hint: Hint) -> None:
        hints.append(hint)
        if hint.seq == 0:
            notified.set()

    async with await backend.open() as store:
        await store.append("t", 0, [fact()])
        await store.listen(record_hint)
        await store.remove_log("t", 1)
        async with asyncio.timeout(20):
            await notified.wait()
    assert Hint("t", 0) in hints


# Appends on a condition


async def test_a_guard_holds_for_appends_at_once(backend: Any) -> None:
    """Of forty that race, in two processes if possible, exactly as many are written as the guard allows."""

    def check(listings: Any) -> None:
        if len(listings) >= 5:
            raise TooMany("five at most")

    async def opened(store: Store, log: str) -> bool:
        try:
            await store.append(log, 0, [fact()], listing={"log": log}, people=["p"], guard=Guard("p", check))
        except TooMany:
            return False
        return True

    numbers = count()
    async with two_stores(backend) as (store, other):
        await store.append("hers", 0, [fact()], listing={}, people=["q"])
        for expected in (5, 0):
            racing = [opened(process, f"t{next(numbers)}") for _ in range(20) for process in (store, other)]
            assert sum(await asyncio.gather(*racing)) == expected
        assert len(await store.listings(person="p")) == 5
        assert await store.verify() == []


# Counters


async def test_a_counter_stops_at_its_limit_and_starts_again_next_day(backend: Any) -> None:
    async with await backend.open() as store:
        assert await store.use("p", "tables", 2, limit=5, now=10 * DAY + 1)
        assert await store.use("p", "tables", 3, limit=5, now=11 * DAY - 1)
        assert not await store.use("p", "tables", 1, limit=5, now=11 * DAY - 0.001)
        assert await store.used("p", "tables", now=11 * DAY - 1) == 5
        assert await store.use("q", "tables", 5, limit=5, now=10 * DAY)
        assert await store.use("p", "facts", 5, limit=5, now=10 * DAY)
        assert await store.use("p", "tables", 900, limit=None, now=11 * DAY - 1)
        assert await store.used("p", "tables", now=11 * DAY - 1) == 905
        assert await store.used("p", "tables", now=11 * DAY) == 0
        assert not await store.use("p", "tables", 6, limit=5, now=11 * DAY)
        assert await store.use("p", "tables", 5, limit=5, now=11 * DAY)
        assert not await store.use("p", "tables", 1, limit=5, now=11 * DAY)


async def test_a_counter_holds_for_callers_at_once(backend: Any) -> None:
    async with two_stores(backend) as (store, other):
        racing = [process.use("p", "tables", 1, limit=7, now=DAY) for _ in range(20) for process in (store, other)]
        assert sum(await asyncio.gather(*racing)) == 7


async def test_one_caller_has_the_turn(backend: Any) -> None:
    """The next caller has it when the time is over, or if a clock was set back."""
    async with two_stores(backend) as (store, other):
        turns = [process.take_turn("expiry", 3600, now=10_000) for _ in range(5) for process in (store, other)]
        assert sum(await asyncio.gather(*turns)) == 1
        assert not await other.take_turn("expiry", 3600, now=13_599)
        assert await other.take_turn("expiry", 3600, now=13_600)
        assert await store.take_turn("expiry", 3600, now=5_000)
        assert await store.take_turn("other", 3600, now=5_000)


async def test_the_sessions_of_a_person_are_limited(backend: Any) -> None:
    """One more deletes ended ones first, then the least recently used; also if many come at once."""
    async with await backend.open() as store:
        for person in ("p", "q"):
            await store.add_person(person, person)
        hers = hash_token("hers")
        await store.add_session(hers, "q", limit=1, now=1)
        tokens = [hash_token(f"{number}") for number in range(4)]
        for number, token in enumerate(tokens):
            await store.add_session(token, "p", limit=4, now=10 + number)
        await store.touch_sessions([tokens[0]], now=20)
        await store.revoke_session(tokens[3], now=21)
        generation = store.session_generation
        await store.add_session(hash_token("5"), "p", limit=4, now=22)
        assert {session.token for session in await store.sessions("p")} == {*tokens[:3], hash_token("5")}
        assert store.session_generation > generation
        await store.add_session(hash_token("6"), "p", log="t", limit=4, now=23)
        tokens_left = {tokens[0], tokens[2], hash_token("5"), hash_token("6")}
        assert {session.token for session in await store.sessions("p")} == tokens_left
        await asyncio.gather(*(store.add_session(hash_token(f"at once {n}"), "p", limit=4) for n in range(12)))
        assert len(await store.sessions("p")) == 4
        assert [session.token for session in await store.sessions("q")] == [hers]


async def test_the_words_of_a_person_are_limited(backend: Any) -> None:
    """One more deletes the oldest."""
    async with await backend.open() as store:
        for person in ("p", "q"):
            await store.add_person(person, person)
        await store.add_words("hers", "q", "hello", limit=1, now=1)
        for number in range(5):
            await store.add_words(f"w{number}", "p", f"word {number}", limit=3, now=10 + number)
        words = [await store.words(f"w{number}") for number in range(5)]
        assert words == [None, None, "word 2", "word 3", "word 4"]
        assert await store.words("hers") == "hello"


async def test_the_passkeys_of_a_person_are_limited(backend: Any) -> None:
    """One more is refused; also if several come at once."""
    async with await backend.open() as store:
        for person in ("p", "q"):
            await store.add_person(person, person)
        await store.add_passkey(b"hers", "q", b"key", limit=1)
        adding = [store.add_passkey(b"%d" % number, "p", b"key", limit=3) for number in range(8)]
        added = await asyncio.gather(*adding, return_exceptions=True)
        assert sum(isinstance(outcome, QuotaExceeded) for outcome in added) == 5
        theirs = await store.passkeys("p")
        assert len(theirs) == 3
        await store.remove_passkey(theirs[0].id, "p")
        await store.add_passkey(b"last", "p", b"key", limit=3)
        with pytest.raises(NotThere):
            await store.add_passkey(b"no", "nobody", b"key", limit=3)


async def test_a_person_has_few_challenges(backend: Any) -> None:
    """The oldest of a person is no longer valid; those without a person are not affected."""
    async with await backend.open() as store:
        await store.add_person("p", "p")
        for number in range(12):
            await store.add_challenge(f"c{number}", person="p", lasting=300, now=number)
            await store.add_challenge(f"n{number}", lasting=300, now=number)
        met = [number for number in range(12) if await store.take_challenge(f"c{number}", now=12)]
        assert met == list(range(2, 12))
        assert all([await store.take_challenge(f"n{number}", now=12) for number in range(12)])


# Expiry


async def test_a_guest_is_idle_when_every_session_is(backend: Any) -> None:
    """A person with a login or a passkey is not a guest; a person created since then is not idle."""
    async with await backend.open() as store:
        for person in ("account", "active", "device", "guest", "keyless", "new"):
            await store.add_person(person, person, now=1000 if person == "new" else 100)
        for person in ("account", "active", "device", "guest"):
            await store.add_session(hash_token(f"{person} 1"), person, now=100)
            await store.add_session(hash_token(f"{person} 2"), person, now=100)
        await store.touch_sessions([hash_token("active 2")], now=1000)
        await store.set_login("account", "ada", "hash")
        await store.add_passkey(b"key", "device", b"key")
        assert await store.idle_guests(1000, limit=10) == ["guest", "keyless"]
        assert await store.idle_guests(1000, limit=1) == ["guest"]
        assert await store.idle_guests(1000, after="guest", limit=10) == ["keyless"]
        assert await store.idle_guests(100, limit=10) == []
        for person in ("account", "active", "device", "new", "nobody"):
            assert not await store.erase_idle_guest(person, 1000)
        assert await store.erase_idle_guest("guest", 1000)
        assert await store.person("guest") is None
        assert await store.session(hash_token("guest 1")) is None
        await store.touch_sessions([hash_token("active 2")], now=2000)
        assert await store.idle_guests(1500, limit=10) == ["keyless", "new"]


async def test_who_comes_back_at_that_moment_is_not_erased(backend: Any) -> None:
    """A saved use is never followed by erasure; after erasure no use is saved."""
    rng = Random(5)
    async with two_stores(backend) as (store, other):
        for number in range(40):
            person, token = f"p{number}", hash_token(f"{number}")
            await store.add_person(person, person, now=100)
            await store.add_session(token, person, now=100)

            async def note(token: Any = token) -> None:
                for _ in range(rng.randrange(3)):
                    await asyncio.sleep(0)
                await store.touch_sessions([token], now=1000)

            _, erased = await asyncio.gather(note(), other.erase_idle_guest(person, 1000))
            session = await store.session(token)
            assert (session is None) is erased
            assert session is None or session.last_used == 1000


async def test_rows_are_expired_by_their_own_time(backend: Any) -> None:
    async with await backend.open() as store:
        await store.add_person("p", "p")
        for number in (1, 2, 3):
            at = number * DAY
            await store.add_session(hash_token(f"unused {number}"), "p", now=at)
            await store.add_session(hash_token(f"ended {number}"), "p", now=100 * DAY)
            await store.revoke_session(hash_token(f"ended {number}"), now=at)
            code = hash_token(f"code {number}")
            await store.add_link(code, "t", "sit", now=0)
            await store.revoke_link(code, now=at)
            await store.add_words(f"w{number}", "p", "hello", now=at)
            await store.use(f"p{number}", "tables", 1, limit=5, now=at)
            await store.append(f"t{number}", 0, [fact()])
            await store.remove_log(f"t{number}", 1, now=at)
        await store.add_link(hash_token("good"), "t", "sit", now=0)
        await store.add_challenge("c", lasting=1, now=DAY)
        for rows in Rows:
            expired = 1 if rows is Rows.CHALLENGES else 2
            assert await store.count_expired(rows, 3 * DAY) == expired, rows
            assert await store.expire(rows, 3 * DAY) == expired, rows
            assert await store.expire(rows, 3 * DAY) == await store.count_expired(rows, 3 * DAY) == 0, rows
        assert {session.token for session in await store.sessions("p")} == {
            hash_token("unused 3"),
            hash_token("ended 3"),
        }
        assert len(await store.links("t")) == 2
        assert [await store.words(f"w{number}") for number in (1, 2, 3)] == [None, None, "hello"]
        assert await store.used("p3", "tables", now=3 * DAY) == 1
        assert (await store.removed_logs()).keys() == {"t3"}


async def test_listings_are_paged_from_the_oldest_on(backend: Any) -> None:
    """Also if many have the same time."""
    async with await backend.open() as store:
        for number in range(7):
            await store.append(f"t{number}", 0, [fact()], listing={}, now=10 + number // 3)
        paged, last = [], None
        while page := await store.idle_listings(12, after=last, limit=2):
            paged += [listing.log for listing in page]
            last = page[-1]
        assert paged == ["t2", "t1", "t0", "t5", "t4", "t3"]
        assert await store.idle_listings(10, limit=10) == []


async def test_a_backup_is_made_while_logs_expire(durable: Any, tmp_path: Path) -> None:
    """A log removed after the first line was written is not in the dump, and the dump is complete."""
    async with await durable.open() as store:
        for log in ("a", "b", "c"):
            await store.append(log, 0, [fact()], listing={})
        lines = dump(store)
        await anext(lines)
        await store.remove_log("b", 1)
        with pytest.raises(LogRemoved):
            async for _ in lines:
                pass
        heads = await backup(durable.url, tmp_path / "copy.jsonl")
    assert heads.keys() == {"a", "c"}
