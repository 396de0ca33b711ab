"""An edited log is refused on every route, with the location of the edit, while everything else continues."""

import asyncio
import json
import logging
import sqlite3
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from leftbower.errors import LogEdited
from leftbower.rules import Seat, preset
from leftbower.server.live.presence import Timing
from leftbower.server.live.tables import TableService
from leftbower.server.observability.metrics import REGISTRY
from leftbower.store import Head, Row, open_store
from leftbower.store.chain import chained, seal, start
from leftbower.store.memory import MemoryStore
from leftbower.table import Agreed, BotSeated, Sat
from leftbower.tournament.formats.registry import Format
from leftbower.tournament.model.facts import ScoreEntered
from leftbower.tournament.model.plan import EventPlan, Stage
from leftbower.tournament.scoring.scores import NoShow
from leftbower.web.app import install
from online_event import OnlineEventFixture, plan
from server_client import NO_CUTS, Client, play_on, seated, seeded, serving
from stored_rows import edit_rows, replace_head, replace_rows
from virtual_time import in_virtual_time

Meddle = Callable[[list[Row]], None]


def changed(rows: list[Row]) -> None:
    rows[4] = rows[4]._replace(body=rows[4].body.replace('"v":1', '"v":1,"x":1'))


def retimed(rows: list[Row]) -> None:
    rows[4] = rows[4]._replace(at=rows[4].at - 1)


def removed(rows: list[Row]) -> None:
    del rows[4]


def exchanged(rows: list[Row]) -> None:
    rows[4], rows[5] = rows[5]._replace(seq=5), rows[4]._replace(seq=6)


def put_in(rows: list[Row]) -> None:
    rows[4:] = [rows[4], *(row._replace(seq=row.seq + 1) for row in rows[4:])]


def cut_short(rows: list[Row]) -> None:
    del rows[-2:]


def emptied(rows: list[Row]) -> None:
    rows.clear()


def added(rows: list[Row]) -> None:
    """A valid row after the head."""
    last = rows[-1]
    rows += chained("t", Head(last.seq, last.hash), last.at, ['{"fact":"table-closed","v":1}'])


def not_text(rows: list[Row]) -> None:
    rows[4] = rows[4]._replace(body="\udcff")


EDITS: dict[str, tuple[Meddle, int]] = {
    "changed": (changed, 5),
    "retimed": (retimed, 5),
    "removed": (removed, 5),
    "exchanged": (exchanged, 5),
    "put in": (put_in, 6),
    "cut short": (cut_short, -2),
    "emptied": (emptied, 1),
    "added": (added, 0),
    "not text": (not_text, 5),
}
"""The edits of a log's rows, and the fact that the error names; 0 and below count from its end."""


async def filled(store: MemoryStore) -> dict[str, list[int]]:
    """Two tables, `t` and `u`, in the middle of a hand; returns the heads of their logs."""
    service = TableService(store, entropy=seeded(3), timing=Timing(hand_pause=0.0))
    await service.open()
    for name in ("t", "u"):
        await service.create(name, "ann", preset("club"), "novice")
        for seat in (Seat.N, Seat.S, Seat.E) * 3:
            await service.execute(name, "ann", Sat(person="ann", seat=seat))
    await service.close()
    return {log: [head.seq] for log, head in (await store.heads()).items()}


def edits_counted() -> float:
    """Operations that failed because a log was edited, as metrics show them."""
    return REGISTRY.get_sample_value("leftbower_store_errors_total", {"code": "log-edited"}) or 0


@pytest.mark.parametrize("edit_name", EDITS)
async def test_an_edited_table_is_refused_by_path(edit_name: str, caplog: pytest.LogCaptureFixture) -> None:
    edit, fact_number = EDITS[edit_name]
    store = MemoryStore()
    [end] = (await filled(store))["t"]
    await edit_rows(store, "t", edit)
    service, counted = TableService(store), edits_counted()
    with caplog.at_level(logging.ERROR):
        for read in (service.get, service.refresh, service.latest):
            with pytest.raises(LogEdited) as refused:
                await read("t")
            assert refused.value.path == f"log t, fact {fact_number if fact_number > 0 else end + 1 + fact_number}"
        with pytest.raises(LogEdited):
            await service.execute("t", "ann", Sat(person="ann", seat=Seat.W))
    assert edits_counted() == counted + 4
    assert caplog.text.count("a log was edited and won't be served until a restart: log t, fact ") == 1
    assert (await service.execute("u", "ann", Sat(person="ann", seat=Seat.W))).version == end + 1
    await service.close()


async def test_a_rewritten_log_that_cannot_be_folded_is_refused() -> None:
    """Every hash is valid, so only a head stored elsewhere or a fact that can't be folded reveals the edit."""
    store = MemoryStore()
    [end] = (await filled(store))["t"]
    bodies = [row.body for row in await store.rows("t", 0, end)]
    bodies[4] = '{"fact":"song","v":1}'
    rows = chained("t", start("t"), 0, bodies)
    replace_rows(store, "t", rows)
    replace_head(store, "t", Head(end, rows[-1].hash))
    service = TableService(store)
    for _ in range(2):
        with pytest.raises(LogEdited) as refused:
            await service.get("t")
        assert refused.value.path == "log t, fact 5"
    assert (await service.get("u")).version == end
    await service.close()


async def test_rows_of_another_process_must_continue_the_cached_log() -> None:
    store = MemoryStore()
    [end] = (await filled(store))["t"]
    service = TableService(store)
    table = await service.get("t")
    rows = await store.rows("t", 0, end)
    at, body = rows[-1].at, rows[1].body
    row = Row(end + 1, at, body, seal(bytes(32), "t", end + 1, at, body))
    replace_rows(store, "t", [*rows, row])
    replace_head(store, "t", Head(end + 1, row.hash))
    with pytest.raises(LogEdited, match="it, its time or its hash was changed"):
        await service.refresh("t")
    with pytest.raises(LogEdited):
        await service.append("t", table, Sat(person="ann", seat=Seat.W))
    assert service.peek("t") is None
    assert len(await store.rows("t", 0, end + 9)) == end + 1
    await service.close()


@pytest.mark.parametrize("kind", ["memory", "sqlite"])
async def test_nothing_is_appended_to_a_changed_head(kind: str, tmp_path: Path) -> None:
    """The table is cached, so nothing is read: the head to append to must have the cached hash."""
    store: Any = MemoryStore() if kind == "memory" else await open_store(str(tmp_path / "leftbower.db"))
    service = TableService(store)
    for name in ("t", "u"):
        await service.create(name, "ann", preset("club"), "novice")
    await store._execute("update heads set hash = $1 where log = 't'", bytes(32))
    if kind == "sqlite":
        store._writer._on_rollback()  # clears the cached heads
    for _ in range(2):
        with pytest.raises(LogEdited) as refused:
            await service.execute("t", "ann", Sat(person="ann", seat=Seat.W))
        assert refused.value.path == "log t, fact 1"
    assert len(await store.rows("t", 0, 9)) == 1
    assert (await service.execute("u", "ann", Sat(person="ann", seat=Seat.W))).version == 2
    await service.close()
    await store.close()


def damaged(path: Path, log: str, body: bytes) -> None:
    connection = sqlite3.connect(path)
    with connection:
        connection.execute("update facts set body = cast(? as text) where log = ? and seq = 5", (body, log))
    connection.close()


@pytest.mark.parametrize("body", [b'{"fact":"table-closed","v":1}', b'{"fact":"\xff","v":1}', b"\xff"])
async def test_after_a_restart_only_the_edited_table_is_refused(tmp_path: Path, body: bytes) -> None:
    path = tmp_path / "leftbower.db"
    async with await open_store(str(path)) as store, serving(store, entropy=seeded(5)) as server:
        people = await server.guests("Ann", "Bob")
        broken, whole = [await seated(people[0], people[1:], bots="EW", **NO_CUTS) for _ in range(2)]
    damaged(path, broken, body)
    async with await open_store(str(path)) as store, serving(store, entropy=seeded(6), head_start=9.0) as server:
        install(server.app)
        ann, bob = people = [Client(server.http, person.name, person.person, person.token) for person in people]
        ways = [("GET", ""), ("GET", "/record"), ("GET", "/hands"), ("GET", "/matches"), ("GET", "/matches/1/record")]
        act = {"version": 9, "action_id": "x", "action": {"act": "pass", "seat": "N"}}
        posts = ("/commands", {"command": "say", "phrase": "hello"}), ("/actions", act)
        for method, way, sent in [(*way, None) for way in ways] + [("POST", *post) for post in posts]:
            error = await ann.refused(method, f"/api/tables/{broken}{way}", sent, status=503, code="log-edited")
            assert "the log was changed outside the server" in error["message"]
            assert broken not in json.dumps(error)
        page = await server.http.get(f"/t/{broken}", headers={"accept": "text/html"})
        assert (page.status_code, page.headers["retry-after"]) == (503, "3600")
        assert "Tell the operator." in page.text
        assert broken in {listing["table"] for listing in await ann.call("GET", "/api/tables")}
        await play_on(people, whole)
        await ann.call("GET", f"/api/tables/{whole}/record")
        assert server.context.outage.error is None
        await bob.call("DELETE", "/api/me", status=204)
        assert await store.person(bob.person) is None
    assert await (await open_store(str(path), read_only=True)).verify()


async def test_an_earlier_match_that_was_edited_is_refused_with_its_table() -> None:
    """The table is cached, so the edit is found when its rows are read again."""
    store = MemoryStore()
    async with serving(store, entropy=seeded(7)) as server:
        [ann] = await server.guests("Ann")
        tables = [await seated(ann, bots="ESW", **NO_CUTS) for _ in range(3)]
        for table in tables:
            await play_on([ann], table)
            await ann.command(table, "rematch")
        first, second, third = tables
        index = (await server.context.tables.get(first)).matches
        at = index.starts[0].version + 4
        rows = list(await store.rows(first, 0, 1 << 20))
        rows[at] = rows[at]._replace(body=rows[at].body.replace("{", '{"x":1,', 1))
        replace_rows(store, first, rows)
        rewritten = (await server.context.tables.get(second)).matches
        begin, end = rewritten.starts[0].version, rewritten.finished[0].version
        rows = list(await store.rows(second, 0, 1 << 20))
        bodies = [row.body for row in rows[begin:end]]
        entropy = next(number for number, body in enumerate(bodies) if '"deck-sealed"' in body)
        fact = json.loads(bodies[entropy])
        bodies[entropy] = json.dumps(fact | {"entropy": "00" * 32}, sort_keys=True, separators=(",", ":"))
        rows[begin:end] = chained(second, Head(begin, rows[begin - 1].hash), rows[begin - 1].at, bodies)
        replace_rows(store, second, rows)
        for table, fact_number in ((first, at + 1), (second, end)):
            for _ in range(2):
                path = f"/api/tables/{table}/matches/1/record"
                await ann.refused("GET", path, status=503, code="log-edited")
                with pytest.raises(LogEdited) as refused:
                    await server.context.tables.get(table)
                assert refused.value.path == f"log {table}, fact {fact_number}"
        await ann.call("GET", f"/api/tables/{third}/matches/1/record")


class CountingStore(MemoryStore):
    """Counts how often each log is read."""

    def __init__(self) -> None:
        super().__init__()
        self.reads: Counter[str] = Counter()

    async def rows(self, log: str, after: int, limit: int) -> Sequence[Row]:
        self.reads[log] += 1
        return await super().rows(log, after, limit)


def test_the_scheduler_does_not_retry_an_edited_table() -> None:
    """It is live, and it is a bot's turn: without the edit the server would keep playing."""

    async def scenario() -> None:
        store = CountingStore()
        service = TableService(store, entropy=seeded(8), timing=Timing(hand_pause=0.0))
        await service.open()
        for name in ("t", "u"):
            await service.create(name, "ann", preset("round-robin"), "novice")
            await service.execute(name, "ann", Sat(person="ann", seat=Seat.N))
            for seat in (Seat.E, Seat.S, Seat.W):
                await service.execute(name, "ann", BotSeated(seat=seat, level="novice"))
        for name in ("t", "u"):
            await service.append(name, await service.get(name), Agreed(person="ann"))
        await service.close()
        await edit_rows(store, "t", changed)
        before, ends = dict(store.reads), await store.heads()
        service = TableService(store, entropy=seeded(9), timing=Timing(hand_pause=0.0, poll_interval=0.5))
        await service.open()
        await asyncio.sleep(60.0)
        assert service.busy == 0
        assert "t" in service.edited
        assert store.reads["t"] - before.get("t", 0) <= 4
        assert (await store.heads())["u"].seq > ends["u"].seq
        assert (await store.heads())["t"] == ends["t"]
        await service.close()

    in_virtual_time(scenario)


async def test_an_event_whose_log_was_edited_is_refused_and_others_go_on() -> None:
    store = MemoryStore()
    async with serving(store, entropy=seeded(10)) as server:
        events = server.context.events
        friday = EventPlan(title="Friday", rules=preset("club"), stage=Stage(format=Format.ROUND_ROBIN))
        (broken, _), (whole, _) = await events.create(friday), await events.create(friday)
    log = f"event-{broken}"
    store._closed = False
    [row, *others] = await store.rows(log, 0, 1 << 20)
    replace_rows(store, log, [row._replace(body=row.body.replace("Friday", "Monday")), *others])
    async with serving(store, entropy=seeded(11)) as server:
        install(server.app)
        for read in (server.context.events.get, server.context.events.entries, server.context.events.refresh):
            with pytest.raises(LogEdited) as refused:
                await read(broken)
            assert refused.value.path == f"log {log}, fact 1"
        assert (await server.http.get(f"/e/{broken}")).status_code == 503
        assert (await server.context.events.get(whole)).plan == friday
        assert len(await server.context.events.entries(whole)) == 1


def test_an_online_event_goes_on_beside_an_edited_table(caplog: pytest.LogCaptureFixture) -> None:
    """The other table of the round plays and is scored; the desk enters the score of the edited one."""

    async def scenario() -> None:
        async with OnlineEventFixture() as friday:
            await friday.begin(plan())
            await friday.until(lambda: len(friday.event.hall.table_logs) == 2)
            await asyncio.sleep(1.0)
            store, name, broken = friday.store, friday.name, friday.log(1, 1)
        store._closed = False
        await edit_rows(store, broken, changed_first)
        async with OnlineEventFixture(store, name=name) as friday:
            drawn = (await friday.events.get(name)).round(1)
            there = [entrant for entrant in ("e1", "e2", "e3", "e4") if drawn.seating_of(entrant) is drawn.tables[1]]
            await friday.attend(*[(entrant, chair) for entrant in there for chair in (0, 1)])
            await friday.until(lambda: friday.event.settled_score(1, 2) is not None)
            await asyncio.sleep(300.0)
            assert broken in friday.tables.edited
            assert friday.event.settled_score(1, 1) is None
            assert "will try again" not in caplog.text
            await friday.record(ScoreEntered(round=1, table=1, score=NoShow(absent=("NS",))))
            assert (1, 1) not in friday.event.open_tables()

    with caplog.at_level(logging.ERROR):
        in_virtual_time(scenario)
    assert caplog.text.count("a log was edited and won't be served until a restart") == 1


def changed_first(rows: list[Row]) -> None:
    rows[0] = rows[0]._replace(at=rows[0].at + 1)
