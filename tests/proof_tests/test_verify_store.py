"""`leftbower verify STORE`: every change of a log's rows by plain SQL is found and reported."""

import asyncio
import json
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from leftbower.store import open_store

Command = Callable[..., Any]
Refusal = Callable[..., str]

MEDDLING = {
    "changed": (
        ["update facts set body = replace(body, 'Qc', 'Jd') where log = 't1' and seq = 3"],
        "log t1, fact 3: it, its time or its hash was changed",
    ),
    "its time changed": (["update facts set at = at + 1 where log = 't1' and seq = 2"], "log t1, fact 2: it, its time"),
    "removed": (["delete from facts where log = 't1' and seq = 3"], "log t1, fact 3: it is missing; the next one is 4"),
    "removed at the end": (
        ["delete from facts where log = 't1' and seq = 5"],
        "log t1, fact 5: it is missing; the log ended at 5",
    ),
    "inserted": (
        [
            "update facts set seq = seq + 1000 where log = 't1' and seq >= 3",
            "update facts set seq = seq - 999 where log = 't1' and seq > 1000",
            "insert into facts select log, 3, at, body, hash from facts where log = 't1' and seq = 2",
        ],
        "log t1, fact 3: another fact is here; the right one is at 4",
    ),
    "inserted at the end": (
        ["insert into facts select log, 6, at, body, hash from facts where log = 't1' and seq = 5"],
        "log t1, fact 6: ",
    ),
    "reordered": (
        [
            "update facts set seq = 1000 where log = 't1' and seq = 3",
            "update facts set seq = 3 where log = 't1' and seq = 4",
            "update facts set seq = 4 where log = 't1' and seq = 1000",
        ],
        "log t1, fact 3: another fact is here; the right one is at 4",
    ),
    "a whole log removed": (["delete from facts where log = 't1'"], "log t1, fact 1: it is missing"),
}


async def fill(address: str) -> None:
    """Three logs of five facts."""
    async with await open_store(address) as store:
        for log in ("t0", "t1", "t2"):
            for at, card in enumerate(["9c", "Tc", "Qc", "Kc", "Ac"]):
                await store.append(log, at, [{"fact": "played", "v": 1, "card": card}])


async def meddle(address: str, statements: list[str]) -> None:
    """Run statements directly on the database."""
    if not address.startswith("postgresql"):
        connection = sqlite3.connect(address)
        for statement in statements:
            connection.execute(statement)
        connection.commit()
        connection.close()
        return
    import asyncpg  # type: ignore[import-untyped]  # noqa: PLC0415

    connection = await asyncpg.connect(address, server_settings={"search_path": "leftbower"})
    try:
        for statement in statements:
            await connection.execute(statement)
    finally:
        await connection.close()


@pytest.mark.parametrize("what", MEDDLING)
def test_a_row_that_was_meddled_with_is_named(leftbower: Command, tmp_path: Path, what: str) -> None:
    """Log, number and what happened; one sentence, status 1."""
    statements, sentence = MEDDLING[what]
    asyncio.run(fill(str(tmp_path / "store.db")))
    asyncio.run(meddle(str(tmp_path / "store.db"), statements))
    output = leftbower("verify", "store.db", cwd=tmp_path, status=1)
    [said] = output.stderr.splitlines()
    assert said.startswith(f"leftbower: {sentence}")
    assert said.endswith(" [broken-chain]")
    assert output.stdout == ""


def test_postgresql_is_verified_the_same_way(leftbower: Command, postgres: str) -> None:
    """Every kind of tampering, one after another, each on a sound store."""
    asyncio.run(fill(postgres))
    sound = leftbower("verify", postgres).stdout
    assert sound.startswith("3 logs, 15 facts: no changes found. Heads ")
    keep = ["create table kept as select * from facts"]
    again = ["delete from facts", "insert into facts select * from kept"]
    asyncio.run(meddle(postgres, keep))
    for statements, sentence in MEDDLING.values():
        asyncio.run(meddle(postgres, statements))
        assert f"leftbower: {sentence}" in leftbower("verify", postgres, status=1).stderr
        asyncio.run(meddle(postgres, again))
    assert leftbower("verify", postgres).stdout == sound


def test_programs_are_told_in_json(leftbower: Command, tmp_path: Path) -> None:
    """The totals, and the first flaw of each log."""
    asyncio.run(fill(str(tmp_path / "store.db")))
    found = json.loads(leftbower("verify", "sqlite:///store.db", "--json", cwd=tmp_path).stdout)
    assert found == {"logs": 3, "facts": 15, "flaws": []}
    asyncio.run(meddle(str(tmp_path / "store.db"), ["delete from facts where seq = 2 and log <> 't1'"]))
    found = json.loads(leftbower("verify", "store.db", "--json", cwd=tmp_path, status=1).stdout)
    assert [(flaw["log"], flaw["seq"], flaw["wrong"]) for flaw in found["flaws"]] == [
        ("t0", 2, "missing"),
        ("t2", 2, "missing"),
    ]


@pytest.mark.parametrize("backup", ["monday.db", "monday.jsonl"])
def test_a_rewritten_store_is_found_by_its_backup(leftbower: Command, tmp_path: Path, backup: str) -> None:
    """Its hashes are valid; only the heads of a backup reveal that it was rewritten."""
    asyncio.run(fill(str(tmp_path / "store.db")))
    leftbower("backup", "store.db", backup, cwd=tmp_path)
    leftbower("verify", "store.db", "--since", backup, cwd=tmp_path)
    asyncio.run(
        meddle(str(tmp_path / "store.db"), ["delete from facts where log = 't1'", "delete from heads where log = 't1'"])
    )
    leftbower("verify", "store.db", cwd=tmp_path)
    output = leftbower("verify", "store.db", "--since", backup, cwd=tmp_path, status=1)
    assert output.stderr.startswith("leftbower: log t1, fact 1: it is missing; in the backup the log ends at 5")


def test_what_is_no_store_is_refused(leftbower: Command, refused: Refusal, tmp_path: Path) -> None:
    """One sentence, status 2: a foreign SQLite file, an address without a server, an invalid backup."""
    connection = sqlite3.connect(tmp_path / "other.db")
    connection.execute("create table facts (log, seq)")
    connection.commit()
    connection.close()
    refused("verify", "other.db", code="not-a-store", cwd=tmp_path)
    refused("verify", "sqlite:///nothing.db", code="store-unreachable", cwd=tmp_path)
    refused("verify", "postgresql://127.0.0.1:1/x", code="store-unreachable")
    asyncio.run(fill(str(tmp_path / "store.db")))
    (tmp_path / "notes.txt").write_text("nothing\n")
    refused("verify", "store.db", "--since", "notes.txt", code="bad-dump", cwd=tmp_path)
    refused("verify", "store.db", "--since", "nothing.jsonl", code="unreadable-file", cwd=tmp_path)
    refused("verify", "notes.txt", "--since", "store.db", code="bad-usage", cwd=tmp_path)
    asyncio.run(meddle(str(tmp_path / "store.db"), ["delete from facts where seq = 1"]))
    (tmp_path / "broken.db").write_bytes((tmp_path / "store.db").read_bytes())
    refused("verify", "store.db", "--since", "broken.db", code="broken-chain", cwd=tmp_path)
