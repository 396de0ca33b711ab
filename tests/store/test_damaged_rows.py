"""A damaged row is reported by its log and number, and its content is never printed, chained or logged."""

import asyncio
import sqlite3
import subprocess
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from leftbower.errors import LeftbowerError, StoreBroken
from leftbower.store import FlawKind, backup, open_store
from leftbower.store.chain import seal, start
from leftbower.store.db_errors import sqlite_error

SECRET = "5ec2e7" * 8
FACTS = [{"fact": "dealt", "v": 1, "entropy": SECRET}, {"fact": "played", "v": 1, "name": "Zoë"}]
BODY = b'{"entropy":"' + SECRET.encode() + b'","fact":"dealt","name":"\xff","v":1}'


async def filled(path: Path) -> None:
    async with await open_store(str(path)) as store:
        await store.append("t/1", 0, FACTS, listing={"title": SECRET}, people=["p"])
        await store.append("t/2", 0, FACTS)
        await store.add_person("p", "Ann")


def damaged(path: Path, statement: str, *values: object) -> None:
    connection = sqlite3.connect(path)
    with connection:
        connection.execute(statement, values)
    connection.close()


def damage_a_row(path: Path, body: bytes = BODY) -> None:
    damaged(path, "update facts set body = cast(? as text) where log = 't/1' and seq = 1", body)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "leftbower.db"
    asyncio.run(filled(path))
    return path


def run(*words: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "leftbower", *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("json", [[], ["--json"]])
def test_verify_names_a_row_that_is_not_utf_8_without_its_text(file: Path, json: list[str]) -> None:
    damage_a_row(file)
    done = run("verify", file, *json)
    assert done.returncode == 1, done.stderr
    assert "log t/1, fact 1: " in done.stderr
    assert done.stderr.count("\n") == 1
    assert SECRET not in done.stdout + done.stderr


def test_verify_names_a_log_whose_name_is_not_utf_8(file: Path) -> None:
    for name in ("facts", "heads"):
        damaged(file, f"update {name} set log = cast(? as text) where log = 't/2'", b"t/\xff")
    for json in ([], ["--json"]):
        done = run("verify", file, *json)
        assert done.returncode == 1, done.stderr
        assert "not text" in done.stderr
        assert "Traceback" not in done.stderr


@pytest.mark.parametrize("target", ["copy.db", "copy.jsonl"])
def test_a_backup_of_a_damaged_store_is_refused_in_one_sentence(file: Path, target: str) -> None:
    damage_a_row(file)
    done = run("backup", file, file.parent / target)
    assert done.returncode == 2, done.stderr
    assert "t/1" in done.stderr
    assert done.stderr.count("\n") == 1
    assert SECRET not in done.stdout + done.stderr
    assert not (file.parent / target).exists()


def rehashed(path: Path) -> None:
    """The first row of t/1 damaged, with a valid hash: only reading can notice it."""
    connection = sqlite3.connect(path)
    [[at, before]] = connection.execute("select at, hash from facts where log = 't/1' and seq = 1").fetchall()
    connection.close()
    new = seal(start("t/1").hash, "t/1", 1, at, BODY.decode(errors="surrogateescape"))
    assert new != before
    damage_a_row(path)
    damaged(path, "update facts set hash = ? where log = 't/1' and seq = 1", new)


READS: dict[str, Callable[[Any], Any]] = {
    "read": lambda store: store.read("t/1"),
    "rebuild": lambda store: store.rebuild_listings(lambda log, facts: None),
}


def assert_silent(error: LeftbowerError) -> None:
    assert SECRET not in "".join(traceback.format_exception(error))


@pytest.mark.parametrize("body", [BODY, b'{"entropy":"' + SECRET.encode(), b'["' + SECRET.encode() + b'"]', b"{}"])
@pytest.mark.parametrize("read", READS)
async def test_reading_a_damaged_row_names_log_and_number(file: Path, body: bytes, read: str) -> None:
    damage_a_row(file, body)
    async with await open_store(str(file)) as store:
        with pytest.raises(StoreBroken, match=r"fact 1 of log t/1 is damaged") as refused:
            await READS[read](store)
        assert_silent(refused.value)
        assert len(await store.read("t/2")) == 2
        assert [(flaw.log, flaw.seq, flaw.kind) for flaw in await store.verify()] == [("t/1", 1, FlawKind.CHANGED)]


async def test_a_damaged_row_whose_hash_was_made_to_fit_is_not_dumped(file: Path) -> None:
    rehashed(file)
    with pytest.raises(StoreBroken, match=r"t/1") as refused:
        await backup(str(file), file.parent / "copy.jsonl")
    assert_silent(refused.value)


@pytest.mark.parametrize(
    ("statement", "read"),
    [
        ("update listings set body = cast(? as text)", "listings"),
        ("update people set name = cast(? as text)", "people"),
    ],
)
async def test_a_damaged_row_beside_the_logs_is_an_error_without_text(file: Path, statement: str, read: str) -> None:
    damaged(file, statement, BODY)
    async with await open_store(str(file)) as store:
        with pytest.raises(StoreBroken, match="damaged") as refused:
            await getattr(store, read)()
        assert_silent(refused.value)


def test_a_row_the_writer_cannot_decode_is_an_error_without_text() -> None:
    connection = sqlite3.connect(":memory:")
    with pytest.raises(sqlite3.OperationalError) as quoted:
        connection.execute("select cast(? as text)", [BODY]).fetchall()
    assert SECRET in str(quoted.value)
    found = sqlite_error(quoted.value, "leftbower.db")
    assert isinstance(found, StoreBroken)
    assert_silent(found)
    connection.close()
