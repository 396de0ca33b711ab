"""Feeds over a real port: every version in order, resumed, cut when slow, freed when left, ended with the server."""

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
from leftbower.store.memory import MemoryStore
from leftbower.table import Created, Table, apply_fact
from server_client import FAST, AppServer, Client, events, listening, play_on, play_step, seated, seeded, serving

NO_CUTS: dict[str, Any] = {"rules": "club", "changes": {"target": 5, "deal_cut": "none"}}


@asynccontextmanager
async def following(client: Client, table: str, *, seen: str | None = None) -> AsyncIterator[Any]:
    """The lines of a feed."""
    headers = {"Authorization": f"Bearer {client.token}"} if client.token else {}
    headers |= {"Last-Event-ID": seen} if seen is not None else {}
    async with client.http.stream("GET", f"/api/tables/{table}/feed", headers=headers) as answer:
        assert answer.status_code == 200
        assert answer.headers["content-type"].startswith("text/event-stream")
        assert answer.headers["cache-control"] == "no-store"
        yield answer.aiter_lines()


async def until_feeds(place: AppServer, many: int) -> None:
    async with asyncio.timeout(5):
        while (await place.stranger().call("GET", "/healthz"))["feeds"] != many:
            await asyncio.sleep(0.01)


async def follow_and_play(client: Client, table: str, rng: Random) -> list[dict[str, Any]]:
    """One player who looks at nothing but the feed."""
    seen = []
    async with following(client, table) as lines:
        async for version, shown in events(lines):
            assert version == shown["version"]
            seen.append(shown)
            if shown["phase"] == "over":
                break
            await play_step(client, table, shown, rng)
    return seen


async def test_four_people_play_a_match_by_following_feeds() -> None:
    """Each is told of every version, in order, as the table looks to them; whoever looks on is told the same."""
    async with listening(entropy=seeded(31)) as (_, place):
        people = await place.guests("Ann", "Bob", "Cat", "Dan")
        eve = await place.guest("Eve")
        table = await people[0].open(**FAST)
        for client, seat in zip(people, "NESW", strict=True):
            await client.ask(table, "sit", seat=seat)
        tasks = [
            asyncio.create_task(follow_and_play(client, table, Random(number)))
            for number, client in enumerate([*people, eve])
        ]
        await until_feeds(place, 5)
        for client in people:
            await client.ask(table, "agree")
        async with asyncio.timeout(20):
            stories = await asyncio.gather(*tasks)
        last = (await eve.see(table))["version"]
        for story in stories:
            assert [shown["version"] for shown in story] == list(range(5, last + 1))
        assert [shown["you"]["seat"] for shown in (story[-1] for story in stories)] == ["N", "E", "S", "W", None]
        assert all(not shown["hand"]["cards"] for shown in stories[-1] if shown["hand"])
        await until_feeds(place, 0)


async def test_a_feed_goes_on_from_the_version_that_was_seen_last() -> None:
    async with listening() as (_, place):
        ann = await place.guest("Ann")
        table = await ann.open(**FAST)
        async with following(ann, table) as lines:
            story = aiter(events(lines))
            assert (await anext(story))[0] == 1
            await ann.ask(table, "sit", seat="N")
            assert (await anext(story))[0] == 2
        for seat in "SE":
            await ann.ask(table, "sit", seat=seat)
        for seen, first in (("2", 4), ("3", 4), ("0", 4), ("99", 4), ("no", 4), ("", 4), ("-1", 4)):
            async with following(ann, table, seen=seen) as lines:
                version, shown = await anext(aiter(events(lines)))
                assert (version, shown["seats"]["E"]) == (first, {"person": ann.person}), seen
        async with following(ann, table, seen="4") as lines:
            assert await anext(lines) == ": still here"
            await ann.ask(table, "sit", seat="W")
            assert (await anext(aiter(events(lines))))[0] == 5


async def test_a_feed_that_is_quiet_says_that_it_is_still_there() -> None:
    async with listening(feed_keep_alive=0.05) as (_, place):
        ann = await place.guest("Ann")
        table = await ann.open(**FAST)
        async with following(ann, table) as lines:
            got = [await anext(lines) for _ in range(11)]
        assert got[:2] == ["id: 1", "event: table"]
        assert json.loads(got[2].removeprefix("data: "))["version"] == 1
        assert got[3:] == ["", "retry: 1000", "", ": still here", "", ": still here", "", ": still here"]


async def test_a_reader_that_is_too_slow_is_cut_and_catches_up() -> None:
    """A client that takes nothing is cut when its room is full, and told the present version when it comes back."""
    async with listening(feed_queue_size=4) as (base, place):
        ann = await place.guest("Ann")
        table = await ann.open(**FAST)
        port = int(base.rpartition(":")[2])
        deaf = socket.socket()
        deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        deaf.connect(("127.0.0.1", port))
        deaf.sendall(f"GET /api/tables/{table}/feed HTTP/1.1\r\nHost: x\r\n\r\n".encode())
        await until_feeds(place, 1)
        asked = 0
        while len(place.context.feeds):
            await ann.ask(table, "sit", seat="NS"[asked % 2])
            asked += 1
            assert asked < 1000
        assert asked > 4
        async with following(ann, table, seen="1") as lines:
            version, shown = await anext(aiter(events(lines)))
            assert (version, shown["version"]) == (asked + 1, asked + 1)
        deaf.close()
        await until_feeds(place, 0)


async def test_nothing_is_made_for_a_client_that_stands_still(monkeypatch: pytest.MonkeyPatch) -> None:
    """It has what it was sent first; as soon as it reads again it is told how the table stands, and no old news."""
    async with listening() as (base, place):
        ann = await place.guest("Ann")
        table = await ann.open(**FAST)
        text, made = place.context._render_table, list[int]()

        def counted(name: str, table: Table, person: str | None, company: Any) -> str:
            if person is None:
                made.append(table.version)
            return text(name, table, person, company)

        monkeypatch.setattr(place.context, "_render_table", counted)
        still = socket.socket()
        still.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        still.connect(("127.0.0.1", int(base.rpartition(":")[2])))
        still.sendall(f"GET /api/tables/{table}/feed HTTP/1.1\r\nHost: x\r\n\r\n".encode())
        await until_feeds(place, 1)
        for number in range(60):
            await ann.ask(table, "sit", seat="NS"[number % 2])
        assert len(made) < 12
        still.setblocking(False)
        loop, came = asyncio.get_running_loop(), b""
        async with asyncio.timeout(5):
            while b"id: 61\n" not in came:
                came += await loop.sock_recv(still, 1 << 16)
        assert made[-1] == 61
        assert len(made) < 14
        still.close()
        await until_feeds(place, 0)


@pytest.mark.parametrize(("waiting", "sent"), [(8, [*range(1, 10)]), (9, [1, 10])])
async def test_who_is_far_behind_is_sent_the_latest(waiting: int, sent: list[int]) -> None:
    table = apply_fact(None, Created(person="a", rules=preset("club"), bot_level="novice"), 0.0)
    feeds: FeedHub[Table] = FeedHub(keep_alive=9.0)

    async def present() -> Table:
        return table

    async def render(one: Table) -> str:
        return str(one.version)

    story = feeds.listen("t", None, present, render, since=1, last_seen=None)
    got = [await anext(story)]
    for number in range(2, 2 + waiting):
        feeds.publish("t", replace(table, version=number))
    got += [await anext(story) for _ in sent[1:]]
    assert [int(one.removeprefix("id: ").split("\n")[0]) for one in got] == sent
    await story.aclose()
    assert len(feeds) == 0


async def test_feeds_over_a_real_connection_are_told_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Once the first version is there, nothing wakes the task of a feed whose client reads."""
    async with listening() as (_, place):
        ann, bob = await place.guests("Ann", "Bob")
        table = await ann.open(**FAST)
        async with following(bob, table) as lines:
            story = aiter(events(lines))
            await anext(story)
            shown, waited_for = place.context.table_json, list[str | None]()

            async def counted(name: str, table: Table, person: str | None) -> str:
                waited_for.append(person)
                return await shown(name, table, person)

            monkeypatch.setattr(place.context, "table_json", counted)
            for number in range(2, 8):
                await ann.ask(table, "sit", seat="NS"[number % 2])
                version, told = await anext(story)
                assert (version, told["version"], told["you"]["person"]) == (number, number, bob.person)
        assert set(waited_for) == {ann.person}


async def test_a_quiet_feed_holds_no_text() -> None:
    """Between two events it is a connection and some small objects; a text is longer than all of them together."""
    async with serving(MemoryStore()) as place:
        ann = await place.guest("Ann")
        table = await ann.open(**FAST)
        here = await place.context.tables.table(table)
        feed: Any = place.context.follow_table(table, here, Caller(person=ann.person, token=ann.token), None)
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


async def test_requests_leave_nothing_behind_that_has_to_be_looked_for() -> None:
    """Circles are looked for seldom, so that nobody waits for it: hundreds of requests a second must not leave any."""
    async with listening() as (_, place):
        ann = await place.guest("Ann")
        table = await ann.open(**FAST)
        await ann.ask(table, "sit", seat="N")
        gc.collect()
        gc.disable()
        try:
            before = sum(isinstance(one, RequestResponseCycle) for one in gc.get_objects())
            for number in range(40):
                await ann.ask(table, "sit", seat="NS"[number % 2])
            after_them = sum(isinstance(one, RequestResponseCycle) for one in gc.get_objects())
        finally:
            gc.enable()
        assert after_them - before < 5


class Pipe:
    """A client's connection, which takes what it is sent while it is open."""

    def __init__(self) -> None:
        self.is_open, self.sent = True, list[str]()

    def push(self, data: bytes) -> None:
        assert self.is_open
        self.sent.append(data.decode())


async def test_who_waits_is_told_at_once_and_whatever_happens_every_version_in_order() -> None:
    """By the outlet while all is at hand and the client takes it; else by the feed's own task, and never twice."""
    table = apply_fact(None, Created(person="a", rules=preset("club"), bot_level="novice"), 0.0)
    feeds: FeedHub[Table] = FeedHub(keep_alive=9.0)
    pipe, told, missing, rendered = Pipe(), list[int](), set[int](), list[int]()

    async def present() -> Table:
        return table

    async def render(one: Table) -> str:
        rendered.append(one.version)
        return str(one.version)

    def at_once(one: Table) -> str | None:
        if one.version == 7:
            raise RuntimeError("whoever renders it meets this too, and knows what to do")
        return None if one.version in missing else str(one.version)

    async def follow() -> None:
        async for one in feeds.listen(
            "t", None, present, render, since=1, last_seen=None, render_now=at_once, writer=pipe
        ):
            pipe.sent.append(one)

    async def tell(*versions: int) -> None:
        for number in versions:
            feeds.publish("t", replace(table, version=number))
        before = len(pipe.sent)
        assert before == len(told)  # behind the answer to whoever has acted, and not before it
        told.extend(versions)
        async with asyncio.timeout(5):
            while len(pipe.sent) < len(told):
                await asyncio.sleep(0)

    task = asyncio.create_task(follow())
    told.append(1)
    while not pipe.sent:
        await asyncio.sleep(0)
    await asyncio.sleep(0)
    await tell(2)
    await tell(3, 4)
    assert rendered == [1]
    missing.add(5)
    await tell(5, 6)
    await tell(7)
    pipe.is_open = False
    await tell(8)
    pipe.is_open = True
    await asyncio.sleep(0)
    await tell(9)
    assert [int(one.removeprefix("id: ").split("\n")[0]) for one in pipe.sent] == told == [*range(1, 10)]
    assert rendered == [1, 5, 6, 7, 8]
    feeds.close()
    await task
    assert len(feeds) == 0


def test_a_feed_tells_of_each_version_once_and_has_room_for_so_many() -> None:
    async def scenario() -> None:
        feeds: FeedHub[Table] = FeedHub(queue_size=2, keep_alive=9.0)
        table = apply_fact(None, Created(person="a", rules=preset("club"), bot_level="novice"), 0.0)
        versions = [replace(table, version=number) for number in range(1, 6)]
        feed: Feed[Table] = Feed(None, queue_size=2, since=1)
        assert all(feed.put(one) for one in (*versions[:2], versions[1], versions[2]))
        assert not feed.put(versions[3])
        assert await feed.next() is None
        feeds.close()
        assert [one async for one in feeds.listen("t", None, _never, _never, since=1, last_seen=None)] == []

    asyncio.run(scenario())


async def _never(*_: Any) -> Any:
    raise AssertionError("nobody asks for this")


async def test_many_listen_and_whoever_goes_is_forgotten() -> None:
    async with listening() as (base, place):
        ann = await place.guest("Ann")
        table = await ann.open(**FAST)
        port = int(base.rpartition(":")[2])

        async def listen() -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(f"GET /api/tables/{table}/feed HTTP/1.1\r\nHost: x\r\n\r\n".encode())
            await reader.readuntil(b'"version":1,')
            return reader, writer

        ends = await asyncio.gather(*(listen() for _ in range(120)))
        await until_feeds(place, 120)
        await ann.ask(table, "sit", seat="N")
        for reader, _ in ends:
            await asyncio.wait_for(reader.readuntil(b"id: 2\n"), 5)
        for _, writer in ends[:100]:
            writer.close()
        await until_feeds(place, 20)
        for _, writer in ends[100:]:
            writer.transport.abort()
        await until_feeds(place, 0)


async def test_a_server_that_stops_ends_its_feeds_at_once() -> None:
    async with listening() as (_, place):
        ann, bob = await place.guests("Ann", "Bob")
        table = await seated(ann, bots="ESW", **NO_CUTS)
        await play_on([ann], table, until=lambda shown: shown["phase"] == "playing")
        async with following(bob, table) as lines:
            await anext(aiter(events(lines)))
            began = monotonic()
            place.app.state.running.stop()
            async for _ in lines:
                pass
        assert monotonic() - began < 2.0
    assert monotonic() - began < 3.0
    assert len(place.context.feeds) == 0
    assert place.context.tables.busy == 0


@pytest.mark.parametrize("how", ["token", "person"])
async def test_a_feed_ends_with_its_token(how: str) -> None:
    """Nobody goes on looking at cards through a token that was ended."""
    async with listening() as (_, place):
        ann, bob = await place.guests("Ann", "Bob")
        table = await ann.open(**FAST)
        async with following(ann, table) as lines, following(bob, table) as others:
            await anext(aiter(events(lines)))
            await anext(aiter(events(others)))
            await ann.call("DELETE", "/api/tokens/this" if how == "token" else "/api/me", status=204)
            async with asyncio.timeout(5):
                assert [line async for line in lines if line and not line.startswith((":", "retry: "))] == []
            await until_feeds(place, 1)
            await bob.ask(table, "sit", seat="N")
            assert (await anext(aiter(events(others))))[0] == 2


async def test_a_token_that_was_ended_elsewhere_is_noticed_before_long(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another process cannot cut the feed; this one looks at the token again after a while."""
    now = 0.0
    monkeypatch.setattr(MemoryStore, "shared", True)
    async with listening(clock=lambda: now) as (_, place):
        ann, bob = await place.guests("Ann", "Bob")
        table = await ann.open(**FAST)
        async with following(ann, table) as lines:
            story = aiter(events(lines))
            await anext(story)
            store = place.context.store
            assert isinstance(store, MemoryStore)
            for session in await store.sessions(ann.person):
                del store._sessions[session.token]
            await bob.ask(table, "sit", seat="N")
            assert (await anext(story))[0] == 2
            now = 6.0
            await bob.ask(table, "sit", seat="S")
            with pytest.raises(StopAsyncIteration):
                await anext(story)


async def test_a_client_that_never_finishes_its_request_is_hung_up_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("leftbower.server.http.protocol.TimeoutProtocol.timeout_seconds", 0.1)
    async with listening() as (base, place):
        ann = await place.guest("Ann")
        port = int(base.rpartition(":")[2])
        for begun in (b"", b"GET /api/me HT", b"POST /api/guests HTTP/1.1\r\nContent-Length: 5\r\n\r\n12"):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(begun)
            with suppress(ConnectionResetError):
                assert await asyncio.wait_for(reader.read(), 3) == b""
            writer.close()
        table = await ann.open(**FAST)
        async with following(ann, table) as lines:
            story = aiter(events(lines))
            await anext(story)
            await asyncio.sleep(0.3)
            await ann.ask(table, "sit", seat="N")
            assert (await anext(story))[0] == 2
