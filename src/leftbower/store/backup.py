"""Backup and restore, with every copy verified."""

import os
import sqlite3
from asyncio import get_running_loop
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

from leftbower.errors import NotEmpty, NotText, StoreBroken, StoreUnreachable, UnreadableFile
from leftbower.store.base import Store
from leftbower.store.chain import Head
from leftbower.store.db_errors import sqlite_error
from leftbower.store.dump import LogRemoved, check, dump, load
from leftbower.store.factory import file_of, open_store
from leftbower.store.sqlite.store import sync_folder

DUMP_SUFFIX: Final = ".jsonl"


async def backup(source: str, target: Path) -> dict[str, Head]:
    """Copy the store at `source` to a new file, even while its server runs; returns the head of every log in the copy.

    A `.jsonl` target is a portable dump that can be restored to any store. Any other name is a SQLite file copied from
    a SQLite file, with sessions and listings, that a server can open. The whole copy is verified.
    """
    if target.exists():
        raise NotEmpty("%(target)s already exists", target=target)
    portable = target.suffix == DUMP_SUFFIX
    part = target.with_name(target.name + ".part")
    try:
        if portable:
            async with await open_store(source, read_only=True) as store:
                await _write(store, part)
            heads = dict(check(_lines(part)).heads)
        else:
            await get_running_loop().run_in_executor(None, _copy, file_of(source).resolve(), part)
            heads = await _checked(part)
        part.replace(target)
        sync_folder(target.parent)
    finally:
        part.unlink(missing_ok=True)
    return heads


async def restore(source: Path, target: str) -> dict[str, Head]:
    """Fill the empty store at `target` from a dump; returns the head of every log, which is the same in both.

    The whole dump is checked before anything is written. The caller rebuilds the listings from the logs.
    """
    check(_lines(source))
    async with await open_store(target) as store:
        return await load(_lines(source), store)


async def _write(store: Store, path: Path) -> None:
    """Write a dump; start over if a log expires during it."""
    try:
        with open(path, "x", encoding="utf-8", newline="\n", opener=_private) as file:
            while True:
                with suppress(LogRemoved):
                    async for line in dump(store):
                        file.write(line + "\n")
                    break
                file.seek(0)
                file.truncate()
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        raise StoreUnreachable("can't write %(file)s: %(reason)s", file=path, reason=error.strerror) from error


def _copy(source: Path, target: Path) -> None:
    """Copy in one step: readers see one moment of the store, and its server is not disturbed."""
    try:
        os.close(_private(str(target), os.O_CREAT | os.O_EXCL | os.O_WRONLY))
        reader = sqlite3.connect(f"{source.as_uri()}?mode=ro", uri=True)
        writer = sqlite3.connect(target, isolation_level=None)
        try:
            reader.backup(writer)
            writer.execute("pragma journal_mode = delete")  # a single file, without a WAL next to it
        finally:
            writer.close()
            reader.close()
        with target.open("rb") as file:
            os.fsync(file.fileno())
    except sqlite3.Error as error:
        raise sqlite_error(error, str(source)) from error
    except OSError as error:
        raise StoreUnreachable("can't write %(target)s: %(reason)s", target=target, reason=error.strerror) from error


async def _checked(copy: Path) -> dict[str, Head]:
    async with await open_store(str(copy), read_only=True) as store:
        for flaw in await store.verify():
            raise StoreBroken("the store has a flaw, so the copy was deleted: %(flaw)s", flaw=flaw)
        return await store.heads()


def _lines(path: Path) -> Iterator[str]:
    try:
        with path.open(encoding="utf-8", newline="\n") as file:
            yield from file
    except UnicodeDecodeError as error:
        raise NotText("the dump is not UTF-8 text", path=str(path)) from error
    except OSError as error:
        raise UnreadableFile("can't read %(file)s: %(reason)s", file=path, reason=error.strerror) from error


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)
