"""`verify` finds and reports any change of a log's rows in the database."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from leftbower.errors import Conflict, LogEdited
from leftbower.store import FlawKind, Head, Store, StoredFact
from leftbower.store.chain import Row, seal

Change = Callable[[list[Row]], Sequence[Row]]


async def checked_facts(store: Store, log: str, behind: Head | None = None) -> Sequence[StoredFact]:
    """The facts of a log after a head, or all, with their hash chain checked."""
    return store.parsed(log, await store.checked_rows(log, behind))


def renumbered(rows: Sequence[Row]) -> list[Row]:
    """These rows, renumbered."""
    return [row._replace(seq=seq) for seq, row in enumerate(rows, 1)]


def with_row(rows: list[Row], seq: int, **changes: Any) -> list[Row]:
    """The rows with one of them changed."""
    return [row._replace(**changes) if row.seq == seq else row for row in rows]


def resealed(rows: list[Row]) -> list[Row]:
    """The rows with new valid hashes from the third on, as a skilled attacker would write them."""
    done = rows[:2]
    for row in rows[2:]:
        done.append(row._replace(hash=seal(done[-1].hash, "t/1", row.seq, row.at, row.body)))
    return done


TAMPERING: dict[str, tuple[Change, int, FlawKind, str]] = {
    "a fact was changed": (
        lambda rows: with_row(rows, 3, body='{"card":"Jd","fact":"played","v":1}'),
        3,
        FlawKind.CHANGED,
        "changed",
    ),
    "a time was changed": (lambda rows: with_row(rows, 3, at=rows[2].at + 1), 3, FlawKind.CHANGED, "changed"),
    "a hash was changed": (lambda rows: with_row(rows, 3, hash=bytes(32)), 3, FlawKind.CHANGED, "changed"),
    "the same fact in another spelling": (
        lambda rows: with_row(rows, 3, body=rows[2].body.replace(",", ", ")),
        3,
        FlawKind.CHANGED,
        "changed",
    ),
    "a row was removed": (lambda rows: [*rows[:2], *rows[3:]], 3, FlawKind.MISSING, "the next one is 4"),
    "a row was removed and the rest renumbered": (
        lambda rows: renumbered([*rows[:2], *rows[3:]]),
        3,
        FlawKind.CHANGED,
        "an earlier fact was removed",
    ),
    "the first row was removed": (lambda rows: rows[1:], 1, FlawKind.MISSING, "the next one is 2"),
    "the last row was removed": (lambda rows: rows[:-1], 5, FlawKind.MISSING, "the log ended at 5"),
    "everything was removed": (lambda rows: [], 1, FlawKind.MISSING, "the log ended at 5"),
    "a row was put in": (
        lambda rows: renumbered([*rows[:2], Row(0, 1, '{"fact":"forged","v":1}', bytes(32)), *rows[2:]]),
        3,
        FlawKind.MISPLACED,
        "the right one is at 4",
    ),
    "two rows were exchanged": (
        lambda rows: renumbered([*rows[:2], rows[3], rows[2], rows[4]]),
        3,
        FlawKind.MISPLACED,
        "the right one is at 4",
    ),
    "a row was put behind the end": (
        lambda rows: [*rows, Row(6, 9, "{}", seal(rows[-1].hash, "t/1", 6, 9, "{}"))],
        6,
        FlawKind.UNEXPECTED,
        "after the end of the log, 5",
    ),
    "a fact was changed and everything sealed again": (
        lambda rows: resealed(with_row(rows, 3, body='{"fact":"forged","v":1}')),
        5,
        FlawKind.UNKNOWN,
        "does not match the log's head",
    ),
}


@pytest.mark.parametrize("tampering", TAMPERING)
async def test_meddling_is_found_and_named(backend: Any, tampering: str) -> None:
    """The log, the first wrong number, and what happened there; other logs are sound."""
    change, seq, wrong, words = TAMPERING[tampering]
    async with await backend.open() as store:
        facts = [{"fact": "played", "v": 1, "card": card} for card in ("9c", "Tc", "Qc", "Kc", "Ac")]
        await asyncio.gather(*(store.append(log, 0, facts) for log in ("t/0", "t/1", "t/2")))
        assert await store.verify() == []
        await backend.tamper(store, "t/1", change)
        progress: list[tuple[int, int]] = []
        [flaw] = await store.verify(progress=lambda done, of: progress.append((done, of)))
        assert (flaw.log, flaw.seq, flaw.kind) == ("t/1", seq, wrong)
        assert words in str(flaw)
        assert str(flaw).startswith(f"log t/1, fact {seq}: ")
        assert progress == [(1, 3), (2, 3), (3, 3)]


@pytest.mark.parametrize("tampering", TAMPERING)
async def test_a_checked_read_refuses_what_verify_names(backend: Any, tampering: str) -> None:
    """The whole log, and the rows after a head that was checked before; other logs are read."""
    change, seq, _, words = TAMPERING[tampering]
    async with await backend.open() as store:
        facts = [{"fact": "played", "v": 1, "card": card} for card in ("9c", "Tc", "Qc", "Kc", "Ac")]
        whole = [await store.append(log, 0, facts) for log in ("t/1", "t/2")]
        head = Head(2, whole[0][1].hash)
        assert await checked_facts(store, "t/1") == whole[0]
        assert await checked_facts(store, "t/1", head) == whole[0][2:]
        await backend.tamper(store, "t/1", change)
        with pytest.raises(LogEdited) as refused:
            await checked_facts(store, "t/1")
        assert refused.value.path == f"log t/1, fact {seq}"
        assert words in refused.value.message
        if 3 <= seq < 5:
            with pytest.raises(LogEdited):
                await store.checked_rows("t/1", head)
        if 3 <= seq < 6 and not tampering.endswith("sealed again"):
            with pytest.raises(LogEdited):
                await store.checked_rows("t/1", head, limit=3)
        assert await checked_facts(store, "t/2") == whole[1]
        assert await checked_facts(store, "t/3") == []


async def test_an_append_goes_behind_the_hash_that_is_known_or_nowhere(backend: Any) -> None:
    async with await backend.open() as store:
        [first] = await store.append("t", 0, [{"fact": "dealt", "v": 1}])
        both: Any = await asyncio.gather(
            store.append("t", 1, [{"fact": "played", "v": 1}], hash=bytes(32)),
            store.append("u", 0, [{"fact": "dealt", "v": 1}]),
            return_exceptions=True,
        )
        assert isinstance(both[0], LogEdited)
        assert both[0].path == "log t, fact 1"
        assert len(both[1]) == 1
        with pytest.raises(Conflict):
            await store.append("t", 0, [{"fact": "played", "v": 1}], hash=bytes(32))
        [second] = await store.append("t", 1, [{"fact": "played", "v": 1}], hash=first.hash)
        assert await store.read("t") == [first, second]


async def test_an_append_between_head_and_rows_is_no_flaw(backend: Any) -> None:
    async with await backend.open() as store:
        await store.append("t", 0, [{"fact": "dealt", "v": 1}])
        rows = store.rows

        async def rows_after_an_append(log: str, after: int, limit: int) -> Sequence[Row]:
            await store.append("t", (await store.head("t")).seq, [{"fact": "played", "v": 1}])
            found: Sequence[Row] = await rows(log, after, limit)
            return found

        store.rows = rows_after_an_append
        assert len(await checked_facts(store, "t")) == 2


async def test_a_rewritten_history_is_found_by_a_remembered_head(backend: Any) -> None:
    """Rows and head match each other, but not the head stored elsewhere: another log, a shorter one, or none."""
    async with await backend.open() as store:
        for log in ("a", "b"):
            await store.append(log, 0, [{"fact": "dealt", "v": 1}, {"fact": "played", "v": 1}])
        heads = await store.heads()
        assert await store.verify(remembered=heads) == []
        await store.append("a", 2, [{"fact": "scored", "v": 1}])
        assert await store.verify(remembered=heads) == []
        other = {"a": Head(2, bytes(32)), "b": Head(4, bytes(32)), "gone": Head(1, bytes(32))}
        flaws = await store.verify(remembered=other)
        assert [(flaw.log, flaw.seq, flaw.kind) for flaw in flaws] == [
            ("a", 2, FlawKind.UNKNOWN),
            ("b", 3, FlawKind.MISSING),
            ("gone", 1, FlawKind.MISSING),
        ]


async def test_a_log_may_grow_while_it_is_verified(backend: Any) -> None:
    """A log longer than one read, and appended to between reads, has no flaw."""
    async with await backend.open() as store:
        await store.append("t", 0, [{"fact": "played", "v": 1, "n": n} for n in range(1500)])
        rows = store.rows

        async def grow() -> None:
            await store.append("t", (await store.head("t")).seq, [{"fact": "played", "v": 1}])

        async def rows_between_appends(log: str, after: int, limit: int) -> Sequence[Row]:
            await grow()
            found: Sequence[Row] = await rows(log, after, limit)
            await grow()
            return found

        store.rows = rows_between_appends
        assert await store.verify() == []
        assert (await store.head("t")).seq == 1504
