"""Heavy work of events: bounded for each event and client, canceled when its caller leaves, and off the loop."""

import asyncio
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from secrets import token_bytes
from threading import Event as Signal, Lock, current_thread
from typing import Any, cast

import pytest

from event_client import TEAMS, EventSite, Visitor, open_event
from leftbower.errors import BadLedger, ClientDisconnected
from leftbower.rules import preset
from leftbower.server.live import events as events_module
from leftbower.server.live.event_workers import BURST_SECONDS, Checkpoint, EventWorkers, _Budget
from leftbower.server.live.events import MAX_ENTRIES, EventService
from leftbower.server.live.outage import Outage
from leftbower.store import open_store
from leftbower.store.memory import MemoryStore
from leftbower.tournament.formats.registry import Format
from leftbower.tournament.hall.facts import RoundClockSet
from leftbower.tournament.model.commands import iter_draw_facts
from leftbower.tournament.model.facts import EntrantAdded, EventFact, EventOpened, LedgerEntry
from leftbower.tournament.model.plan import Stage, default_plan
from leftbower.tournament.model.roles import Role, RoleKind
from leftbower.tournament.model.state import Event
from leftbower.web.app import install
from leftbower.web.event.forms import COMMANDS
from server_client import listening

DESK = Role(kind=RoleKind.ORGANIZER)


class Running:
    """Counts the jobs that run at the same time."""

    def __init__(self) -> None:
        self._lock = Lock()
        self.now = self.most = self.done = 0

    def job(self, until: Signal) -> Callable[[Checkpoint], None]:
        def work(_: Checkpoint) -> None:
            with self._lock:
                self.now += 1
                self.most = max(self.most, self.now)
            until.wait(60)
            with self._lock:
                self.now -= 1
                self.done += 1

        return work


async def test_an_event_with_many_jobs_leaves_workers_to_others() -> None:
    """Twenty jobs of one event wait behind its first, while another event's job is done."""
    workers, running, until = EventWorkers(2), Running(), Signal()
    waiting = [asyncio.create_task(workers.run("busy", running.job(until))) for _ in range(20)]
    await asyncio.sleep(0)
    assert await workers.run("other", lambda _: "drawn") == "drawn"
    assert running.done == 0
    until.set()
    await asyncio.gather(*waiting)
    assert (running.most, running.done) == (1, 20)
    workers.close()


async def test_all_events_together_have_a_bounded_number_of_workers() -> None:
    """Nine events with a job each never run more than three at once."""
    workers, running, until = EventWorkers(3), Running(), Signal()
    waiting = [asyncio.create_task(workers.run(name, running.job(until))) for name in range(9)]
    until.set()
    await asyncio.gather(*waiting)
    assert running.most <= 3
    assert running.done == 9
    workers.close()


async def test_a_job_is_skipped_when_its_caller_has_disconnected() -> None:
    """Checked when its turn comes: nothing is computed, and the next job gets its turn."""
    workers, computed = EventWorkers(1), list[str]()

    async def disconnected() -> bool:
        return True

    with pytest.raises(ClientDisconnected):
        await workers.run("event", lambda _: computed.append("not to be computed"), disconnected=disconnected)
    await workers.run("event", lambda _: computed.append("for a caller"))
    assert computed == ["for a caller"]
    workers.close()


async def test_a_job_that_waits_is_dropped_with_its_caller() -> None:
    """Canceling the caller's task removes its job from the queue."""
    workers, running, until = EventWorkers(1), Running(), Signal()
    first = asyncio.create_task(workers.run("event", running.job(until)))
    second = asyncio.create_task(workers.run("event", running.job(until)))
    await asyncio.sleep(0)
    second.cancel()
    until.set()
    await first
    with pytest.raises(asyncio.CancelledError):
        await second
    assert running.done == 1
    workers.close()


class Caller:
    """A caller who disconnects in the middle of a job, once some of it is done."""

    def __init__(self) -> None:
        self.steps, self.ended = 0, False
        self._begun = Signal()

    def work(self, checkpoint: Checkpoint) -> None:
        """Endless steps."""
        try:
            while True:
                checkpoint()
                self.step()
        finally:
            self.ended = True

    def step(self) -> None:
        self.steps += 1
        if self.steps == 10:
            self._begun.set()

    async def begun(self) -> None:
        while not self._begun.is_set():
            await asyncio.sleep(0.001)

    async def left(self) -> bool:
        """Polled by the pool."""
        return self._begun.is_set()


async def test_a_running_job_ends_when_its_caller_disconnects() -> None:
    """An endless job stops at a checkpoint, and the event's next job gets its turn."""
    workers, caller = EventWorkers(1), Caller()
    with pytest.raises(ClientDisconnected):
        await workers.run("event", caller.work, disconnected=caller.left)
    assert caller.ended
    assert await workers.run("event", lambda _: "next") == "next"
    workers.close()


async def test_a_running_job_ends_with_the_task_that_waits_for_it() -> None:
    """Its slot is free only when its thread has ended."""
    workers, caller = EventWorkers(1), Caller()
    task = asyncio.create_task(workers.run("event", caller.work))
    await caller.begun()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert caller.ended
    workers.close()


async def test_closing_the_pool_ends_what_runs() -> None:
    workers, caller = EventWorkers(1), Caller()
    task = asyncio.create_task(workers.run("event", caller.work))
    await caller.begun()
    workers.close()
    with pytest.raises(ClientDisconnected):
        await task


async def test_a_running_job_does_not_delay_another_event() -> None:
    """And a client with endless jobs in ten events doesn't take every worker."""
    workers, caller = EventWorkers(4, client_workers=2), Caller()
    tasks = [asyncio.create_task(workers.run(at, caller.work, client="busy")) for at in range(10)]
    await caller.begun()
    assert await workers.run("other", lambda _: "drawn", client="honest") == "drawn"
    assert not any(task.done() for task in tasks)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    workers.close()


def test_a_client_sleeps_for_what_it_has_overdrawn() -> None:
    """A fifth of a core: four seconds of sleep for each second of work; other clients have their own budget."""
    budget = _Budget(0.2)
    assert budget.charge("busy", BURST_SECONDS) <= 0.001
    assert 4.9 < budget.charge("busy", 1.0) <= 5.0
    assert budget.charge("other", 0.0) == 0


async def an_event(events: EventService, teams: int) -> str:
    """A round robin with entrants, not drawn."""
    plan = default_plan("Evening", preset("club"), Stage(format=Format.ROUND_ROBIN))
    name, _ = await events.create(plan)
    entered = [EntrantAdded(entrant=f"e{number}", name=f"Team {number}") for number in range(1, teams + 1)]
    await events.execute(name, DESK, lambda now: entered)
    return name


async def test_a_draw_stops_between_two_rounds_when_its_caller_leaves() -> None:
    """Nothing of it is written, later rounds are never computed, and the next draw is complete."""
    store, caller = MemoryStore(), Caller()
    events = EventService(store, outage=Outage(store), entropy=token_bytes)
    name = await an_event(events, 140)

    def rounds(now: Event) -> Iterator[EventFact]:
        for fact in iter_draw_facts(now, "seed"):
            caller.step()
            yield fact
            if caller.steps == 10:
                pause.wait(60)

    pause = Signal()

    async def left() -> bool:
        if await caller.left():
            asyncio.get_running_loop().call_later(0.01, pause.set)  # when the job has been canceled
            return True
        return False

    with pytest.raises(ClientDisconnected):
        await events.execute(name, DESK, rounds, slow=True, disconnected=left)
    assert caller.steps <= 11
    assert not (await events.refresh(name)).rounds
    drawn = await events.execute(name, DESK, lambda now: iter_draw_facts(now, "seed"), slow=True)
    assert len(drawn.rounds) == 139
    await events.close()


async def test_an_import_stops_between_two_lines_when_its_caller_leaves() -> None:
    """Later lines are never read, and there is no event."""
    store, caller = MemoryStore(), Caller()
    events = EventService(store, outage=Outage(store), entropy=token_bytes)

    def entries() -> Iterator[LedgerEntry]:
        yield LedgerEntry(fact=EventOpened(plan=default_plan("Evening", preset("club"))), by="desk", at=1.0)
        while True:
            caller.step()
            yield LedgerEntry(fact=RoundClockSet(seconds=60), by="desk", at=1.0)

    with pytest.raises(ClientDisconnected):
        await events.import_event(entries(), disconnected=caller.left)
    assert caller.steps < MAX_ENTRIES
    assert not await store.heads()
    await events.close()


async def test_an_import_has_a_last_line() -> None:
    """An endless ledger is refused after its last allowed line."""
    store, lines = MemoryStore(), 0
    events = EventService(store, outage=Outage(store), entropy=token_bytes, workers=EventWorkers(client_share=1e6))

    def entries() -> Iterator[LedgerEntry]:
        nonlocal lines
        yield LedgerEntry(fact=EventOpened(plan=default_plan("Evening", preset("club"))), by="desk", at=1.0)
        while True:
            lines += 1
            yield LedgerEntry(fact=RoundClockSet(seconds=60), by="desk", at=1.0)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(events_module, "MAX_ENTRIES", 100)
        with pytest.raises(BadLedger, match="lines"):
            await events.import_event(entries())
    assert lines == 100
    await events.close()


async def test_a_draw_over_http_ends_when_the_connection_does(monkeypatch: pytest.MonkeyPatch) -> None:
    """A real server and an endless draw: closing the connection ends it, and the desk responds again."""
    caller = Caller()

    def endless(event: Event, form: dict[str, str], seed: str) -> Iterator[EventFact]:
        try:
            while True:
                caller.step()
                yield RoundClockSet(seconds=60)
        finally:
            caller.ended = True

    monkeypatch.setitem(cast("dict[str, Any]", COMMANDS), "redraw", endless)
    async with listening() as (base, server):
        install(server.app)
        site = EventSite(server, Visitor(server.http), "")
        await open_event(site, teams=TEAMS[:4])
        version = (await server.context.events.get(site.event)).version
        cookies = "; ".join(f"{cookie.name}={cookie.value}" for cookie in server.http.cookies.jar)
        _, writer = await asyncio.open_connection("127.0.0.1", int(base.rpartition(":")[2]))
        head = (
            f"POST /e/{site.event}/desk/commands HTTP/1.1\r\nHost: x\r\nCookie: {cookies}\r\nContent-Length: 32\r\n\r\n"
        )
        writer.write(head.encode() + b"command=redraw&version=999999999")
        await caller.begun()
        writer.close()
        while not caller.ended:
            await asyncio.sleep(0.01)
        monkeypatch.undo()
        await site.organizer.do("redraw", why="again")
        event = await server.context.events.get(site.event)
        assert (event.version, len(event.rounds)) == (version + 3, 1)


async def test_a_long_ledger_is_folded_off_the_loop() -> None:
    """A short one is folded at once; both give the same event."""
    store = MemoryStore()
    events = EventService(store, outage=Outage(store), entropy=token_bytes)
    short, long = await an_event(events, 4), await an_event(events, 60)
    other = EventService(store, outage=Outage(store), entropy=token_bytes)
    threads: list[str] = []
    parsed = store.parsed

    def recording(log: str, rows: Any) -> Any:
        threads.append(current_thread().name)
        return parsed(log, rows)

    store.parsed = recording  # type: ignore[method-assign]
    for name, at in ((short, "MainThread"), (long, "event-worker_0")):
        threads.clear()
        assert await other.get(name) == await events.get(name)
        assert set(threads) == {at}
    await events.close()
    await other.close()


class Refusing(ThreadPoolExecutor):
    """A default pool that records whether it was used."""

    def __init__(self) -> None:
        super().__init__(1)
        self.used = 0

    def submit(self, *args: Any, **options: Any) -> Future[Any]:
        self.used += 1
        return super().submit(*args, **options)


async def test_draws_and_imports_use_no_thread_of_the_default_pool(tmp_path: Path) -> None:
    """A draw and an import are computed by the workers of events."""
    async with await open_store(str(tmp_path / "store.db")) as store:
        events = EventService(store, outage=Outage(store), entropy=token_bytes)
        plan = default_plan("Evening", preset("club"), Stage(format=Format.ROUND_ROBIN))
        name, _ = await events.create(plan)
        desk = Role(kind=RoleKind.ORGANIZER)
        entered = [EntrantAdded(entrant=f"e{number}", name=f"Team {number}") for number in range(1, 9)]
        await events.execute(name, desk, lambda now: entered)
        default = Refusing()
        asyncio.get_running_loop().set_default_executor(default)
        drawn = await events.execute(name, desk, lambda now: iter_draw_facts(now, "seed"), slow=True)
        assert len(drawn.rounds) == 7
        await events.import_event(await events.entries(name))
        assert default.used == 0
        await events.close()
