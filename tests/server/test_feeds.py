"""Feeds over a real port: every version in order, resumed, ended when slow, freed on disconnect and on shutdown."""

import asyncio
import gc
import json
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from random import Random
from time import monotonic
from typing import Any

import pytest
from uvicorn.protocols.http.httptools_impl import RequestResponseCycle

from leftbower.rules import preset
from leftbower.server.auth import Caller
from leftbower.server.feeds.hub import Feed, FeedHub
from leftbower.server.feeds.table_feed import follow_table
from leftbower.server.http.protocol import PushChannel
from leftbower.store.memory import MemoryStore
from leftbower.table import Created, Table, apply_fact
from server_client import FAST, AppServer, Client, events, listening, play_on, play_step, seated, seeded, serving

NO_CUTS: dict[str, Any] = {"rules": "club", "changes": {"target": 5, "deal_cut": "none"}}


@asynccontextmanager
async def following(client: Client, table: str, *, last_event_id: str | None = None) -> AsyncIterator[Any]:
    """The lines of a feed."""
    headers = {"Authorization": f"Bearer {client.token}"} if client.token else {}
    headers |= {"Last-Event-ID": last_event_id} if last_event_id is not None else {}
    async with client.http.stream("GET", f"/api/tables/{table}/feed", headers=headers) as response:
        assert response.status_code == 200
        assert response.headers["content-type"].startswith("text/event-stream")
        assert response.headers["cache-control"] == "no-store"
        yield response.aiter_lines()


async def until_feeds(server: AppServer, count: int) -> None:
    async with asyncio.timeout(60):
        while (await server.anonymous().call("GET", "/healthz"))["feeds"] != count:
            await asyncio.sleep(0.01)


async def follow_and_play(client: Client, table: str, rng: Random) -> list[dict[str, Any]]:
    """A player who reads only the feed."""
    views = []
    async with following(client, table) as lines:
        async for version, view in events(lines):
            assert version == view["version"]
            views.append(view)
            if view["phase"] == "over":
                break
            await play_step(client, table, view, rng)
    return views


async def test_four_people_play_a_match_by_following_feeds() -> None:
    """Each gets every version in order, as they may see it; a spectator too."""
    async with listening(entropy=seeded(31)) as (_, server):
        people = await server.guests("Ann", "Bob", "Cat", "Dan")
        eve = await server.guest("Eve")
        table = await people[0].open(**FAST)
        for client, seat in zip(people, "NESW", strict=True):
            await client.command(table, "sit", seat=seat)
        tasks = [
            asyncio.create_task(follow_and_play(client, table, Random(number)))
            for number, client in enumerate([*people, eve])
        ]
        await until_feeds(server, 5)
        for client in people:
            await client.command(table, "agree")
        async with asyncio.timeout(120):
            received = await asyncio.gather(*tasks)
        last = (await eve.see(table))["version"]
        for views in received:
            assert [view["version"] for view in views] == list(range(5, last + 1))
        assert [views[-1]["you"]["seat"] for views in received] == ["N", "E", "S", "W", None]
        assert all(not view["hand"]["cards"] for view in received[-1] if view["hand"])
        await until_feeds(server, 0)


async def test_a_feed_resumes_from_the_last_event_id() -> None:
    async with listening() as (_, server):
        ann = await server.guest("Ann")
        table = await ann.open(**FAST)
        async with following(ann, table) as lines:
            messages = aiter(events(lines))
            assert (await anext(messages))[0] == 1
            await ann.command(table, "sit", seat="N")
            assert (await anext(messages))[0] == 2
        for seat in "SE":
            await ann.command(table, "sit", seat=seat)
        for last_event_id, first in (("2", 4), ("3", 4), ("0", 4), ("99", 4), ("no", 4), ("", 4), ("-1", 4)):
            async with following(ann, table, last_event_id=last_event_id) as lines:
                version, view = await anext(aiter(events(lines)))
                assert (version, view["seats"]["E"]) == (first, {"person": ann.person}), last_event_id
        async with following(ann, table, last_event_id="4") as lines:
            assert await anext(lines) == ": still here"
            await ann.command(table, "sit", seat="W")
            assert (await anext(aiter(events(lines))))[0] == 5


async def test_a_quiet_feed_sends_keep_alives() -> None:
    async with listening(feed_keep_alive=0.05) as (_, server):
        ann = await server.guest("Ann")
        table = await ann.open(**FAST)
        async with following(ann, table) as lines:
            received = [await anext(lines) for _ in range(11)]
        assert received[:2] == ["id: 1", "event: table"]
        assert json.loads(received[2].removeprefix("data: "))["version"] == 1
        assert received[3:] == ["", "retry: 1000", "", ": still here", "", ": still here", "", ": still here"]


async def test_a_slow_reader_is_disconnected_and_catches_up() -> None:
    """A client that reads nothing is disconnected when its queue is full, and gets the current version later."""
    async with listening(feed_queue_size=4) as (base, server):
        ann = await server.guest("Ann")
        table = await ann.open(**FAST)
        port = int(base.rpartition(":")[2])
        stalled = socket.socket()
        stalled.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        stalled.connect(("127.0.0.1", port))
        stalled.sendall(f"GET /api/tables/{table}/feed HTTP/1.1\r\nHost: x\r\n\r\n".encode())
        await until_feeds(server, 1)
        commands = 0
        while len(server.context.feeds):
            await ann.command(table, "sit", seat="NS"[commands % 2])
            commands += 1
            assert commands < 1000
        assert commands > 4
        async with following(ann, table, last_event_id="1") as lines:
            version, view = await anext(aiter(events(lines)))
            assert (version, view["version"]) == (commands + 1, commands + 1)
        stalled.close()
        await until_feeds(server, 0)


async def test_nothing_is_rendered_for_a_stalled_client(monkeypatch: pytest.MonkeyPatch) -> None:
    """It has its first messages; when it reads again it gets the current version, and no old ones."""
    async with listening() as (base, server):
        ann = await server.guest("Ann")
        table = await ann.open(**FAST)
        render, rendered = server.context.table_json._render, list[int]()

        def counted(name: str, table: Table, person: str | None, names: Any, members: dict[str, object]) -> bytes:
            if person is None:
                rendered.append(table.version)
            return render(name, table, person, names, members)

        monkeypatch.setattr(server.context.table_json, "_render", counted)
        stalled = socket.socket()
        stalled.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        stalled.connect(("127.0.0.1", int(base.rpartition(":")[2])))
        stalled.sendall(f"GET /api/tables/{table}/feed HTTP/1.1\r\nHost: x\r\n\r\n".encode())
        await until_feeds(server, 1)
        for number in range(60):
            await ann.command(table, "sit", seat="NS"[number % 2])
        assert len(rendered) < 12
        stalled.setblocking(False)
        loop, received = asyncio.get_running_loop(), b""
        async with asyncio.timeout(60):
            while b"id: 61\n" not in received:
                received += await loop.sock_recv(stalled, 1 << 16)
        assert rendered[-1] == 61
        assert len(rendered) < 14
        stalled.close()
        await until_feeds(server, 0)


def version_of(message: bytes) -> int:
    return int(message.removeprefix(b"id: ").split(b"\n")[0])


@pytest.mark.parametrize(("waiting", "sent"), [(8, [*range(1, 10)]), (9, [1, 10])])
async def test_a_client_far_behind_gets_the_latest_version(waiting: int, sent: list[int]) -> None:
    table = apply_fact(None, Created(person="a", rules=preset("club"), bot_level="novice"), 0.0)
    feeds: FeedHub[Table] = FeedHub(keep_alive=9.0)

    async def load() -> Table:
        return table

    async def render(state: Table) -> bytes:
        return str(state.version).encode()

    messages = feeds.listen("t", None, load, render, since=1, last_seen=None)
    received = [await anext(messages)]
    for number in range(2, 2 + waiting):
        feeds.publish("t", replace(table, version=number))
    received += [await anext(messages) for _ in sent[1:]]
    assert list(map(version_of, received)) == sent
    await messages.aclose()
    assert len(feeds) == 0


async def test_feeds_over_a_real_connection_are_pushed(monkeypatch: pytest.MonkeyPatch) -> None:
    """After the first version, nothing wakes the task of a feed whose client reads."""
    async with listening() as (_, server):
        ann, bob = await server.guests("Ann", "Bob")
        table = await ann.open(**FAST)
        async with following(bob, table) as lines:
            messages = aiter(events(lines))
            await anext(messages)
            table_json, waited_for = server.context.table_json.text, list[str | None]()

            async def counted(name: str, table: Table, person: str | None) -> bytes:
                waited_for.append(person)
                return await table_json(name, table, person)

            monkeypatch.setattr(server.context.table_json, "text", counted)
            for number in range(2, 8):
                await ann.command(table, "sit", seat="NS"[number % 2])
                version, view = await anext(messages)
                assert (version, view["version"], view["you"]["person"]) == (number, number, bob.person)
        assert set(waited_for) == {ann.person}


async def test_a_quiet_feed_holds_no_text() -> None:
    """Between two messages it is a connection and some small objects; a text is larger than all of them together."""
    async with serving(MemoryStore()) as server:
        ann = await server.guest("Ann")
        table = await ann.open(**FAST)
        feed: Any = await follow_table(server.context, table, Caller(person=ann.person, token=ann.token))
        assert len(await anext(feed)) > 1000
        waiting = asyncio.ensure_future(anext(feed))
        await asyncio.sleep(0.01)
        frames = [feed.ag_frame.f_locals, feed.ag_frame.f_locals["messages"].ag_frame.f_locals]
        assert [
            name for frame in frames for name, value in frame.items() if isinstance(value, str) and len(value) > 200
        ] == []
        waiting.cancel()
        with suppress(asyncio.CancelledError):
            await waiting
        await feed.aclose()


async def test_requests_leave_no_reference_cycles() -> None:
    """Garbage collection runs only when idle: hundreds of requests per second must leave no reference cycles."""
    async with listening() as (_, server):
        ann = await server.guest("Ann")
        table = await ann.open(**FAST)
        await ann.command(table, "sit", seat="N")
        gc.collect()
        gc.disable()
        try:
            before = count_request_cycles()
            for number in range(40):
                await ann.command(table, "sit", seat="NS"[number % 2])
            after = count_request_cycles()
        finally:
            gc.enable()
        assert after - before < 5


def count_request_cycles() -> int:
    return sum(isinstance(candidate, RequestResponseCycle) for candidate in gc.get_objects())


class Pipe(PushChannel):
    """A client's connection, which accepts messages while it is open."""

    is_open = True

    def __init__(self) -> None:
        self.sent: list[bytes] = []

    def push(self, data: bytes) -> None:
        assert self.is_open
        self.sent.append(data)


async def test_pushed_or_not_every_version_comes_once_and_in_order() -> None:
    """Pushed while everything is cached and the client reads; otherwise by the feed's task; never twice."""
    table = apply_fact(None, Created(person="a", rules=preset("club"), bot_level="novice"), 0.0)
    feeds: FeedHub[Table] = FeedHub(keep_alive=9.0)
    pipe, published, missing, rendered = Pipe(), list[int](), set[int](), list[int]()

    async def load() -> Table:
        return table

    async def render(state: Table) -> bytes:
        rendered.append(state.version)
        return str(state.version).encode()

    def render_now(state: Table) -> bytes | None:
        if state.version == 7:
            raise RuntimeError("the feed's task renders this version again")
        return None if state.version in missing else str(state.version).encode()

    async def follow() -> None:
        async for message in feeds.listen(
            "t", None, load, render, since=1, last_seen=None, render_now=render_now, writer=pipe
        ):
            pipe.sent.append(message)

    async def publish(*versions: int) -> None:
        for number in versions:
            feeds.publish("t", replace(table, version=number))
        before = len(pipe.sent)
        assert before == len(published)  # after the response to the request, not before it
        published.extend(versions)
        async with asyncio.timeout(60):
            while len(pipe.sent) < len(published):
                await asyncio.sleep(0)

    task = asyncio.create_task(follow())
    published.append(1)
    while not pipe.sent:
        await asyncio.sleep(0)
    await asyncio.sleep(0)
    await publish(2)
    await publish(3, 4)
    assert rendered == [1]
    missing.add(5)
    await publish(5, 6)
    await publish(7)
    pipe.is_open = False
    await publish(8)
    pipe.is_open = True
    await asyncio.sleep(0)
    await publish(9)
    assert list(map(version_of, pipe.sent)) == published == [*range(1, 10)]
    assert rendered == [1, 5, 6, 7, 8]
    feeds.close()
    await task
    assert len(feeds) == 0


def test_a_feed_queues_each_version_once_up_to_its_size() -> None:
    async def scenario() -> None:
        feeds: FeedHub[Table] = FeedHub(queue_size=2, keep_alive=9.0)
        table = apply_fact(None, Created(person="a", rules=preset("club"), bot_level="novice"), 0.0)
        versions = [replace(table, version=number) for number in range(1, 6)]
        feed: Feed[Table] = Feed(None, since=1)
        assert all(feed.put(version, 2) for version in (*versions[:2], versions[1], versions[2]))
        assert not feed.put(versions[3], 2)
        assert await feed.next() is None
        feeds.close()
        assert [message async for message in feeds.listen("t", None, _never, _never, since=1, last_seen=None)] == []

    asyncio.run(scenario())


async def _never(*_: Any) -> Any:
    raise AssertionError("not to be called")


async def test_feeds_of_disconnected_clients_are_dropped() -> None:
    async with listening() as (base, server):
        ann = await server.guest("Ann")
        table = await ann.open(**FAST)
        port = int(base.rpartition(":")[2])

        async def listen() -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(f"GET /api/tables/{table}/feed HTTP/1.1\r\nHost: x\r\n\r\n".encode())
            await reader.readuntil(b'"version":1,')
            return reader, writer

        ends = await asyncio.gather(*(listen() for _ in range(120)))
        await until_feeds(server, 120)
        await ann.command(table, "sit", seat="N")
        for reader, _ in ends:
            await asyncio.wait_for(reader.readuntil(b"id: 2\n"), 60)
        for _, writer in ends[:100]:
            writer.close()
        await until_feeds(server, 20)
        for _, writer in ends[100:]:
            writer.transport.abort()
        await until_feeds(server, 0)


async def test_a_shutdown_ends_all_feeds_at_once() -> None:
    async with listening() as (_, server):
        ann, bob = await server.guests("Ann", "Bob")
        table = await seated(ann, bots="ESW", **NO_CUTS)
        await play_on([ann], table, until=lambda view: view["phase"] == "playing")
        async with following(bob, table) as lines:
            await anext(aiter(events(lines)))
            started = monotonic()
            server.app.state.running.stop()
            async for _ in lines:
                pass
        assert monotonic() - started < 2.0
    assert monotonic() - started < 3.0
    assert len(server.context.feeds) == 0
    assert server.context.tables.busy == 0


@pytest.mark.parametrize("how", ["token", "person"])
async def test_a_feed_ends_with_its_token(how: str) -> None:
    """A revoked token gets no more cards."""
    async with listening() as (_, server):
        ann, bob = await server.guests("Ann", "Bob")
        table = await ann.open(**FAST)
        async with following(ann, table) as lines, following(bob, table) as others:
            await anext(aiter(events(lines)))
            await anext(aiter(events(others)))
            await ann.call("DELETE", "/api/tokens/this" if how == "token" else "/api/me", status=204)
            async with asyncio.timeout(60):
                assert [line async for line in lines if line and not line.startswith((":", "retry: "))] == []
            await until_feeds(server, 1)
            await bob.command(table, "sit", seat="N")
            assert (await anext(aiter(events(others))))[0] == 2


async def test_a_token_revoked_by_another_process_ends_its_feed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another process can't end the feed; this one checks the token again after some seconds."""
    now = 0.0
    monkeypatch.setattr(MemoryStore, "shared", True)
    async with listening(clock=lambda: now) as (_, server):
        ann, bob = await server.guests("Ann", "Bob")
        table = await ann.open(**FAST)
        async with following(ann, table) as lines:
            messages = aiter(events(lines))
            await anext(messages)
            store = server.context.store
            assert isinstance(store, MemoryStore)
            for session in await store.sessions(ann.person):
                await store._execute("delete from sessions where token = $1", session.token)
            await bob.command(table, "sit", seat="N")
            assert (await anext(messages))[0] == 2
            now = 6.0
            await bob.command(table, "sit", seat="S")
            with pytest.raises(StopAsyncIteration):
                await anext(messages)


async def test_an_unfinished_request_times_out_and_a_feed_does_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("leftbower.server.http.protocol.TimeoutProtocol.timeout_seconds", 0.1)
    async with listening() as (base, server):
        ann = await server.guest("Ann")
        port = int(base.rpartition(":")[2])
        for partial in (b"", b"GET /api/me HT", b"POST /api/guests HTTP/1.1\r\nContent-Length: 5\r\n\r\n12"):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(partial)
            with suppress(ConnectionResetError):
                assert await asyncio.wait_for(reader.read(), 60) == b""
            writer.close()
        table = await ann.open(**FAST)
        async with following(ann, table) as lines:
            messages = aiter(events(lines))
            await anext(messages)
            await asyncio.sleep(0.3)
            await ann.command(table, "sit", seat="N")
            assert (await anext(messages))[0] == 2
