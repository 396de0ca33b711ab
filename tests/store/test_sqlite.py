"""SQLite beyond the guarantees of every store: durability, and a single server."""

import asyncio
import os
import re
import shutil
import signal
import sqlite3
import stat
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from leftbower.errors import (
    Conflict,
    LeftbowerError,
    NotAStore,
    StoreBroken,
    StoreFull,
    StoreLocked,
    StoreReadOnly,
    StoreUnreachable,
    UnsafeStore,
    WrongSchema,
)
from leftbower.store import open_store
from leftbower.store.sqlite.store import SqliteStore, prepare

FACT = {"fact": "played", "v": 1}


async def run_on_writer(store: Any, statement: str) -> Any:
    """The result of a statement on the writer's connection."""
    return await store._writer.submit(lambda connection: connection.execute(statement).fetchall())


async def test_the_disk_is_asked_for_everything_it_can_promise(file: Any) -> None:
    """WAL with full sync on the writer; readers can neither write nor checkpoint; the file is private."""
    async with await file.open() as store:
        assert await run_on_writer(store, "pragma journal_mode") == [("wal",)]
        assert await run_on_writer(store, "pragma synchronous") == [(2,)]
        assert await run_on_writer(store, "pragma fullfsync") == [(1,)]
        assert await run_on_writer(store, "pragma foreign_keys") == [(1,)]
        assert (await run_on_writer(store, "pragma wal_autocheckpoint"))[0][0] > 0
        assert await store._query("pragma query_only") == [(1,)]
        assert await store._query("pragma wal_autocheckpoint") == [(0,)]
        assert stat.S_IMODE(file.path.stat().st_mode) == 0o600
        for name in ("store.db-wal", "store.db-shm", "store.db.lock"):
            assert stat.S_IMODE(file.path.with_name(name).stat().st_mode) == 0o600


def test_a_file_that_cannot_be_made_safe_is_refused() -> None:
    """SQLite reports what it really does: a database in memory has no WAL."""
    connection = sqlite3.connect(":memory:", isolation_level=None)
    with pytest.raises(UnsafeStore, match="journal_mode"):
        prepare(connection, Path("store.db"))
    connection.close()


async def test_readers_cannot_write(file: Any) -> None:
    """No statement on a reader changes the file."""
    async with await file.open() as store:
        await store.append("t", 0, [FACT])
        for statement in ("delete from facts", "update heads set seq = 9", "create table x (y)"):
            with pytest.raises(StoreReadOnly):
                await store._query(statement)
        assert len(await store.read("t")) == 1


async def test_a_second_server_is_refused_in_one_sentence(file: Any) -> None:
    """From this process or another, by any name of the file; when the first has ended, the next can start."""
    async with await file.open() as store:
        for name in (str(file.path), f"{file.path.parent}/../{file.path.parent.name}/{file.path.name}"):
            with pytest.raises(StoreLocked) as refused:
                await open_store(name)
            assert str(refused.value) == f"process {os.getpid()} is using {file.path}"
        child = await asyncio.to_thread(run, APPEND, file.path)
        assert child.returncode == 3
        assert "StoreLocked" in child.stdout
        await store.append("t", 0, [FACT])
    async with await file.open() as store:
        assert len(await store.read("t")) == 1


async def test_a_reader_beside_the_server_sees_its_commits(file: Any) -> None:
    """That is how a running store is verified and backed up."""
    async with await file.open() as store, await file.open(read_only=True) as beside:
        await store.append("t", 0, [FACT])
        assert await beside.read("t") == await store.read("t")
        assert await beside.verify() == []
        with pytest.raises(StoreReadOnly):
            await beside.append("t", 1, [FACT])
        with pytest.raises(StoreReadOnly):
            await beside.add_person("p", "Ada")


def garbage(path: Path) -> None:
    """Bytes that are not a database."""
    path.write_bytes(b"this is not a database, however long one looks at it " * 100)


def foreign_file(path: Path) -> None:
    """A database with other tables."""
    connection = sqlite3.connect(path)
    connection.execute("create table facts (x)")
    connection.close()


def newer(path: Path) -> None:
    """A store with a schema version of the future."""
    asyncio.run(make(path))
    connection = sqlite3.connect(path)
    connection.execute("pragma user_version = 99")
    connection.close()


async def make(path: Path) -> None:
    """An empty store."""
    await (await open_store(str(path))).close()


@pytest.mark.parametrize("read_only", [False, True])
@pytest.mark.parametrize(
    ("spoil", "error", "words"),
    [
        (garbage, NotAStore, "this file is not a leftbower store"),
        (foreign_file, NotAStore, "this file is not a leftbower store"),
        (newer, WrongSchema, "has schema 99, but this leftbower needs schema 6"),
    ],
)
def test_a_file_that_is_no_store_of_ours_is_left_alone(
    file: Any, spoil: Callable[[Path], None], error: type[LeftbowerError], words: str, read_only: bool
) -> None:
    """It is refused in one sentence, unchanged, and the program it belongs to can still open it."""
    spoil(file.path)
    before = file.path.read_bytes()
    with pytest.raises(error, match=words):
        asyncio.run(file.open(read_only=read_only))
    assert file.path.read_bytes() == before


async def test_a_path_that_cannot_hold_a_file_is_refused(tmp_path: Path) -> None:
    """No folder, a folder, not readable, no address."""
    (tmp_path / "folder").mkdir()
    for name, read_only in [("nowhere/store.db", False), ("folder", False), ("nothing.db", True)]:
        with pytest.raises(StoreUnreachable):
            await open_store(str(tmp_path / name), read_only=read_only)
    for url in ("", "sqlite://", "sqlite:///", "mysql://me:secret@there/store"):
        with pytest.raises(NotAStore) as refused:
            await open_store(url)
        assert "secret" not in str(refused.value)
    with pytest.raises(StoreReadOnly):
        await open_store("memory:", read_only=True)


async def test_a_full_disk_refuses_what_does_not_fit_and_nothing_else(file: Any) -> None:
    """What was acknowledged stays, what was refused is not there, and when there is room again it continues."""
    async with await file.open() as store:
        await store.append("t", 0, [FACT])
        [[pages]] = await run_on_writer(store, "pragma page_count")
        await run_on_writer(store, f"pragma max_page_count = {pages}")
        with pytest.raises(StoreFull):
            await store.append("t", 1, [{**FACT, "long": "x" * 100_000}])
        answers = await asyncio.gather(
            store.append("t", 1, [FACT]), store.append("u", 0, [{**FACT, "x": "x" * 100_000}]), return_exceptions=True
        )
        assert [type(answer) for answer in answers] == [list, StoreFull]
        await run_on_writer(store, "pragma max_page_count = 1000000")
        await store.append("t", 2, [{**FACT, "long": "x" * 100_000}])
        assert (await store.heads()).keys() == {"t"}
        assert await store.verify() == []


async def test_no_room_for_shared_memory_is_no_room(file: Any) -> None:
    """SQLite calls it a disk error, but nothing was written, and when there is room again it continues."""
    full = [False]

    def moments(moment: str) -> None:
        if moment == "before-commit" and full[0]:
            error = sqlite3.OperationalError("disk I/O error")
            error.sqlite_errorcode = sqlite3.SQLITE_IOERR_SHMSIZE
            raise error

    async with await file.open(moments=moments) as store:
        await store.append("t", 0, [FACT])
        full[0] = True
        with pytest.raises(StoreFull):
            await store.append("t", 1, [FACT])
        full[0] = False
        await store.append("t", 1, [FACT])
        assert await store.verify() == []


async def test_a_file_that_becomes_read_only_says_so(file: Any) -> None:
    """SQLite refuses the writer; reading continues."""
    async with await file.open() as store:
        await run_on_writer(store, "pragma query_only = 1")
        with pytest.raises(StoreReadOnly):
            await store.append("t", 0, [FACT])
        assert await store.read("t") == []


async def test_a_disk_that_fails_is_not_trusted_again(file: Any) -> None:
    """After a failed commit it is unknown what is on disk, so nothing is written until the store is reopened."""
    fails = [False]

    def moments(moment: str) -> None:
        if moment == "before-commit" and fails[0]:
            error = sqlite3.OperationalError("disk I/O error")
            error.sqlite_errorcode = sqlite3.SQLITE_IOERR
            raise error

    async with await file.open(moments=moments) as store:
        await store.append("t", 0, [FACT])
        fails[0] = True
        with pytest.raises(StoreBroken):
            await store.append("t", 1, [FACT])
        fails[0] = False
        with pytest.raises(StoreBroken):
            await store.append("t", 1, [FACT])
        assert len(await store.read("t")) == 1
    async with await file.open() as store:
        await store.append("t", 1, [FACT])
        assert await store.verify() == []


async def test_appends_that_wait_share_a_commit(file: Any) -> None:
    """A hundred concurrent appends take a few commits, and each returns after its own."""
    moments: list[str] = []
    async with await file.open(moments=moments.append) as store:
        await asyncio.gather(*(store.append(f"t/{name}", 0, [FACT]) for name in range(100)))
    assert moments == ["before-commit", "after-commit"] * (len(moments) // 2)
    assert len(moments) <= 40


async def test_a_failed_job_does_not_affect_others(file: Any) -> None:
    """A job that fails unexpectedly is rolled back alone; those that share its commit are written."""
    async with await file.open() as store:
        assert isinstance(store, SqliteStore)
        answers = await asyncio.gather(
            store.append("t", 0, [FACT]),
            run_on_writer(store, "insert into nothing values (1)"),
            store.append("t", 0, [FACT]),
            store.append("u", 0, [FACT]),
            return_exceptions=True,
        )
        assert [type(answer) for answer in answers] == [list, sqlite3.OperationalError, Conflict, list]


async def test_nothing_is_left_beside_a_closed_file(file: Any) -> None:
    """The WAL is checkpointed; the lock file stays, because removing it could let two servers in."""
    async with await file.open() as store:
        await store.append("t", 0, [FACT])
    assert {path.name for path in file.path.parent.iterdir()} == {"store.db", "store.db.lock"}


async def test_an_erased_name_is_not_in_the_file(file: Any) -> None:
    """Not even in SQLite's free pages."""
    async with await file.open() as store:
        await store.add_person("p", "Ada Lovelace")
    assert b"Ada Lovelace" in file.path.read_bytes()
    async with await file.open() as store:
        await store.erase_person("p")
    assert b"Ada Lovelace" not in file.path.read_bytes()


THREE_ACTS = """
import asyncio, os, sys
from leftbower.store import open_store

async def main(path):
    async with await open_store(path) as store:
        for at in range(3):
            await store.append("t", at, [{"fact": "played", "v": 1}])
            os.write(1, b"answered\\n")

asyncio.run(main(sys.argv[1]))
"""


def test_data_are_synced_to_disk_before_an_append_returns(file: Any, tmp_path: Path) -> None:
    """According to the system: written to the WAL, synced, and only then returned, three times."""
    strace = shutil.which("strace")
    if strace is None:
        pytest.skip("strace is not installed")
    trace = tmp_path / "trace"
    words = [strace, "-f", "-o", str(trace), "-e", "trace=write,pwrite64,fsync,fdatasync"]
    child = subprocess.run([*words, sys.executable, "-c", THREE_ACTS, str(file.path)], capture_output=True, check=False)
    if child.returncode != 0 and b"ptrace" in child.stderr:
        pytest.skip("tracing is not allowed here")
    assert child.stdout.count(b"answered") == 3, child.stderr
    calls = re.findall(r"(answered|pwrite64|f(?:data)?sync)", trace.read_text())
    answers = [at for at, call in enumerate(calls) if call == "answered"]
    for at, before in zip(answers, [0, *answers], strict=False):
        assert calls[at - 1].endswith("sync"), calls[before:at]
        assert "pwrite64" in calls[before:at]


# A process that dies

APPEND = """
import asyncio, os, signal, sys
from leftbower.errors import LeftbowerError
from leftbower.store import open_store

async def main(path, moment, countdown):
    def moments(now):
        nonlocal countdown
        countdown -= now == moment
        if countdown == 0:
            os.kill(os.getpid(), signal.SIGKILL)
    async with await open_store(path, moments=moments) as store:
        async def table(log):
            seq = (await store.head(log)).seq
            while True:
                [stored] = await store.append(log, seq, [{"fact": "played", "v": 1, "seq": seq}], listing={"seq": seq})
                seq = stored.seq
                os.write(1, f"{log} {seq} {stored.hash.hex()}\\n".encode())
        await asyncio.gather(*(table(f"t/{n}") for n in range(8)))

try:
    asyncio.run(main(sys.argv[1], sys.argv[2], int(sys.argv[3])))
except LeftbowerError as error:
    print(type(error).__name__, error)
    sys.exit(3)
"""


def run(program: str, path: Path, moment: str = "never", countdown: int = 1) -> subprocess.CompletedProcess[str]:
    """Run a program on a store's file to its end, in a Python process."""
    words = [sys.executable, "-c", program, str(path), moment, str(countdown)]
    return subprocess.run(words, capture_output=True, encoding="utf-8", check=False, timeout=60)


async def check_acknowledged(file: Any, printed: str, *, at_least: int) -> None:
    """Everything that the process reported as written is there, with its hash, head and listing; the chain is valid."""
    acknowledged = [line.split() for line in printed.splitlines() if line.count(" ") == 2 and len(line) > 64]
    assert len(acknowledged) >= at_least
    async with await file.open() as store:
        facts = {(stored.log, stored.seq): stored for log in await store.heads() for stored in await store.read(log)}
        assert [(log, seq) for log, seq, seal in acknowledged if facts[log, int(seq)].hash.hex() != seal] == []
        for log, head in (await store.heads()).items():
            assert (await store.listing(log)).seq == head.seq
        assert await store.verify() == []


@pytest.mark.parametrize("moment", ["before-commit", "after-commit"])
async def test_nothing_acknowledged_is_lost_in_a_kill_at_a_commit(file: Any, moment: str) -> None:
    """Killed just before or just after a commit, twice on the same file."""
    printed = ""
    for _ in range(2):
        child = await asyncio.to_thread(run, APPEND, file.path, moment, 20)
        assert child.returncode == -signal.SIGKILL, child.stderr
        printed += child.stdout
    await check_acknowledged(file, printed, at_least=2 * 19)


async def test_nothing_acknowledged_is_lost_in_a_kill_anywhere(file: Any) -> None:
    """Killed from outside at any point; the lock ends with the process."""
    words = [sys.executable, "-c", APPEND, str(file.path), "never", "1"]
    child = subprocess.Popen(words, stdout=subprocess.PIPE)
    assert child.stdout is not None
    first = await asyncio.to_thread(child.stdout.readline)
    await asyncio.to_thread(time.sleep, 0.2)
    child.kill()
    rest, _ = await asyncio.to_thread(child.communicate)
    await check_acknowledged(file, (first + rest).decode(), at_least=8)
