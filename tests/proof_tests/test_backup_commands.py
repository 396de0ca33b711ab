"""`leftbower backup` and `leftbower restore`: verified copies of a live store, restored anywhere."""

import asyncio
import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest

from leftbower.rules import preset
from leftbower.server.live.tables import TableService
from leftbower.store import Store, open_store
from proofs.crash.crash import ServerLauncher
from proofs.crash.killable_server import KillPlan
from proofs.crash.players import ClientHistory, ServerAddress, open_tables, playing

Command = Callable[..., Any]
Refusal = Callable[..., str]


async def fill(address: str, tables: int = 3) -> None:
    """A few open tables, one of them with a person who has a name."""
    async with await open_store(address) as store:
        await store.add_person("p", "Ada")
        for number in range(tables):
            await TableService(store).create(f"t{number}", "p", preset("club"), "novice")


async def test_a_backup_under_load_is_a_prefix_of_the_live_store(leftbower: Command, tmp_path: Path) -> None:
    """Both kinds of copy verify, can be opened, and have nothing that the store doesn't."""
    database, copy, dump = tmp_path / "live.db", tmp_path / "copy.db", tmp_path / "copy.jsonl"
    history, address = ClientHistory(), ServerAddress()
    with tempfile.TemporaryFile() as errors:
        async with ServerLauncher(errors) as keeper:
            address.open(await keeper.start(KillPlan(database=str(database))) or 0)
            async with playing(await open_tables(address, history, Random(1), 3)):
                while len(history.answered) < 10:
                    await asyncio.sleep(0.02)
                output = await asyncio.to_thread(leftbower, "backup", str(database), str(copy))
                await asyncio.to_thread(leftbower, "backup", str(database), str(dump))
                answered = len(history.answered)
                while len(history.answered) < answered + 5:
                    await asyncio.sleep(0.02)
    assert output.stdout.startswith(f"Copied {database} to {copy}: 3 logs, ")
    assert ", all of them in the store" in output.stdout
    await asyncio.to_thread(leftbower, "restore", str(dump), str(tmp_path / "restored.db"))
    async with await open_store(str(database), read_only=True) as live:
        for name in ("copy.db", "restored.db"):
            async with await open_store(str(tmp_path / name), read_only=True) as store:
                assert await store.verify() == []
                await check_prefix(store, live)


async def check_prefix(store: Store, live: Store) -> None:
    """Every log of a store is a prefix of the same log in the live store, which has grown."""
    heads, later = await store.heads(), await live.heads()
    assert heads.keys() == later.keys()
    assert sum(head.seq for head in heads.values()) < sum(head.seq for head in later.values())
    for log, head in heads.items():
        assert await store.rows(log, 0, 10_000) == await live.rows(log, 0, head.seq)


def test_a_store_goes_to_postgresql_and_back_with_the_same_heads(
    leftbower: Command, postgres: str, tmp_path: Path
) -> None:
    """From a SQLite copy, through PostgreSQL and a dump, to a new SQLite file, with lists and people."""
    asyncio.run(fill(str(tmp_path / "first.db")))
    words = [
        ("backup", "first.db", "copy.db"),
        ("restore", "copy.db", postgres),
        ("backup", postgres, "dump.jsonl"),
        ("restore", "dump.jsonl", "second.db"),
        ("backup", "second.db", "again.jsonl"),
    ]
    found = [json.loads(leftbower(*command, "--json", cwd=tmp_path).stdout) for command in words]
    assert len(found[0]["heads"]) == 3
    assert [report["heads"] for report in found] == [found[0]["heads"]] * 5
    assert [report["fingerprint"] for report in found] == [found[0]["fingerprint"]] * 5
    assert (found[1]["listed"], found[0]["grown"]) == (3, 0)
    assert (tmp_path / "dump.jsonl").read_text() == (tmp_path / "again.jsonl").read_text()
    assert leftbower("verify", postgres).stdout == leftbower("verify", "second.db", cwd=tmp_path).stdout

    async def read() -> None:
        async with await open_store(str(tmp_path / "second.db")) as store:
            assert [person.name for person in await store.people()] == ["Ada"]
            assert {listing.body["phase"] for listing in await store.listings()} == {"gathering"}

    asyncio.run(read())


def test_a_restore_says_that_both_heads_are_the_same(leftbower: Command, tmp_path: Path) -> None:
    """The backup and the restore print the same hash."""
    asyncio.run(fill(str(tmp_path / "store.db"), tables=1))
    backup = leftbower("backup", "store.db", "dump.jsonl", cwd=tmp_path).stdout.splitlines()
    restore = leftbower("restore", "dump.jsonl", "new.db", cwd=tmp_path).stdout.splitlines()
    assert backup[0] == "Copied store.db to dump.jsonl: 1 log, 1 fact."
    assert restore[0] == "Restored dump.jsonl to new.db: 1 log, 1 fact."
    assert backup[1].split()[1] == restore[1].split()[1]
    assert restore[1].endswith(", the same in both.")


REFUSED = {
    "a store that is not there": (("backup", "nothing.db", "copy.db"), "store-unreachable"),
    "a file that is no store": (("backup", "notes.txt", "copy.db"), "not-a-store"),
    "a target that is there": (("backup", "store.db", "notes.txt"), "not-empty"),
    "a target in no folder": (("backup", "store.db", "no/copy.db"), "store-unreachable"),
    "a dump that is not there": (("restore", "nothing.jsonl", "new.db"), "unreadable-file"),
    "a dump that is none": (("restore", "notes.txt", "new.db"), "bad-dump"),
    "a store that is not empty": (("restore", "dump.jsonl", "store.db"), "not-empty"),
    "an address that is none": (("restore", "dump.jsonl", "mysql://x/y"), "not-a-store"),
    "a dump that was cut short": (("restore", "short.jsonl", "new.db"), "bad-dump"),
    "a dump that was changed": (("restore", "changed.jsonl", "new.db"), "bad-dump"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_cannot_be_copied_is_refused_in_one_sentence(
    leftbower: Command, refused: Refusal, tmp_path: Path, what: str
) -> None:
    """And nothing is left behind."""
    asyncio.run(fill(str(tmp_path / "store.db")))
    leftbower("backup", "store.db", "dump.jsonl", cwd=tmp_path)
    dump = (tmp_path / "dump.jsonl").read_text()
    (tmp_path / "short.jsonl").write_text("".join(dump.splitlines(keepends=True)[:-1]))
    (tmp_path / "changed.jsonl").write_text(dump.replace('"bot_level":"novice"', '"bot_level":"expert"', 1))
    (tmp_path / "notes.txt").write_text("These are no JSON lines, and no database.\n" * 50)
    words, code = REFUSED[what]
    refused(*words, code=code, cwd=tmp_path)
    assert not (tmp_path / "copy.db").exists()
    assert not (tmp_path / "new.db").exists()
