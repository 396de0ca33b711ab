"""Faults to plant in a server, each of which a proof must find. The server's process runs this file."""

import asyncio
import json
from collections.abc import Sequence
from typing import Any

from fastapi import FastAPI

from leftbower.errors import Conflict, StoreFull
from leftbower.store import Head, Row, Store
from leftbower.store.chain import chained


def hasty(app: FastAPI) -> None:
    """Answer actions first, and write them 20 ms later."""
    app.state.context.tables.store = _Hasty(app.state.context.store)


def hasty_desk(app: FastAPI) -> None:
    """The same at the desk of an event."""
    app.state.context.events.store = _HastyDesk(app.state.context.store)


class _Hasty:
    """A store that returns from `append_encoded` before it has written an action."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._heads: dict[str, Head] = {}
        self._writing: dict[str, asyncio.Task[None]] = {}

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    async def append_encoded(self, log: str, expected: int, bodies: Sequence[str], **lists: Any) -> Row:
        facts = [json.loads(body) for body in bodies]
        if any(fact["fact"] != "acted" for fact in facts):  # a table whose creation is lost would never be played
            if log in self._writing:
                await self._writing[log]
            stored = await self._store.append_encoded(log, expected, bodies, **lists)
            self._heads[log] = Head(stored.seq, stored.hash)
            return stored
        head = self._heads.get(log) or await self._store.head(log)
        if head.seq != expected:
            raise Conflict(log, expected=expected, current=head.seq)
        now = await self._store.now()
        [row] = chained(log, head, round(now * 1000), bodies)
        self._heads[log] = Head(row.seq, row.hash)
        before = self._writing.get(log)

        async def write() -> None:
            await asyncio.sleep(0.02)
            if before:
                await before
            await self._store.append(log, expected, facts, now=now, **lists)

        self._writing[log] = asyncio.create_task(write())
        return row


class _HastyDesk:
    """A store that returns from `append_encoded` before it has written; the next call waits for the write."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._lock = asyncio.Lock()
        self._writing = asyncio.create_task(asyncio.sleep(0))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    async def append_encoded(self, log: str, expected: int, bodies: Sequence[str], **lists: Any) -> Row:
        async with self._lock:
            await self._writing
            if (head := await self._store.head(log)).seq != expected:
                raise Conflict(log, expected=expected, current=head.seq)
            now = await self._store.now()

            async def write() -> None:
                await asyncio.sleep(0.02)
                await self._store.append(log, expected, map(json.loads, bodies), now=now, **lists)

            self._writing = asyncio.create_task(write())
        return chained(log, head, round(now * 1000), bodies)[-1]

    async def checked_rows(self, *which: Any, **limit: Any) -> Sequence[Row]:
        await self._writing
        return await self._store.checked_rows(*which, **limit)


def unsynced(app: FastAPI) -> None:
    """Commit without waiting for the disk: a killed process loses nothing by it, but a power cut does."""
    app.state.context.store._connection.execute("pragma synchronous = off")


def refusing(app: FastAPI) -> None:
    """Refuse every action, like a server with a full disk."""
    app.state.context.tables.store = _Refusing(app.state.context.store)


class _Refusing:
    """A store that can't write actions."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    async def append_encoded(self, log: str, expected: int, bodies: Sequence[str], **lists: Any) -> Row:
        if any(json.loads(body)["fact"] == "acted" for body in bodies):
            raise StoreFull("the disk is full")
        return await self._store.append_encoded(log, expected, bodies, **lists)


def broken(app: FastAPI) -> None:
    """Fail at start-up."""
    raise RuntimeError("a fault was planted")
