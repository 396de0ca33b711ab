"""A killed server loses nothing it answered or sent; and if it did, the crash test would notice."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from leftbower.rules import preset
from leftbower.rules.seats import Seat
from leftbower.server.context import build_context
from leftbower.store import Store
from leftbower.store.memory import MemoryStore
from leftbower.table import Created, Sat, replay, table_fact_from_json, table_fact_to_json
from proofs.crash.crash import KILL_KINDS, StoreScan, duplicate_acts, forgotten_views, lost_acts, run_crash_test
from proofs.crash.players import ClientHistory, playing

FAULTS = Path(__file__).with_name("faults.py")


async def test_ten_kills_lose_nothing(database: str) -> None:
    """At every named moment and at random ones: what was answered or sent is in the log once, and play continues."""
    report = await run_crash_test(database, kills=10, tables=4)
    assert report.examples == ()
    assert (report.lost, report.doubled, report.forgotten, report.flaws, report.stuck) == (0, 0, 0, 0, 0)
    assert sum(report.kills.values()) == 10
    assert set(report.kills) == set(KILL_KINDS)
    assert report.answered > 10
    assert report.resent > 0
    assert report.views > report.facts > report.answered


async def test_a_server_that_answers_before_it_writes_is_caught(tmp_path: Path) -> None:
    """Twenty milliseconds too early are enough."""
    report = await run_crash_test(str(tmp_path / "store.db"), kills=6, tables=3, fault=f"{FAULTS}:hasty", timeout=2.0)
    assert not report.sound
    assert report.lost + report.forgotten > 0
    assert any("is not in the log" in example for example in report.examples)


async def test_a_server_that_does_not_start_proves_nothing(tmp_path: Path) -> None:
    """The test ends at once with an error."""
    with pytest.raises(RuntimeError, match="does not start, and ends with status 1"):
        await run_crash_test(str(tmp_path / "store.db"), kills=1, fault=f"{FAULTS}:broken")


async def test_a_server_that_answers_errors_ends_the_proof(tmp_path: Path) -> None:
    """Play stops, so the test ends after three kills that did not happen, and reports the responses."""
    database = str(tmp_path / "store.db")
    report = await run_crash_test(database, kills=200, tables=1, fault=f"{FAULTS}:refusing", timeout=0.5)
    assert not report.sound
    assert report.stuck >= 3
    assert sum(report.kills.values()) < 10


async def test_a_client_that_fails_ends_the_block_with_its_error() -> None:
    """A response that a client can't parse is an error of the proof; nothing waits for that client."""

    class Broken:
        async def stay(self) -> None:
            raise KeyError("action_version")

    with pytest.raises(KeyError):
        async with playing([Broken()]):
            await asyncio.sleep(60)


# The check itself, on small logs

ACTION = {"action": "pass", "seat": "N"}
ACT = ("t", "N:a-1")


def acted(**changes: Any) -> dict[str, Any]:
    """A fact: North passes."""
    return {"fact": "acted", "v": 1, "action_id": "a-1", "action": ACTION} | changes


async def scan(*facts: dict[str, Any]) -> StoreScan:
    """Scan a log with these facts."""
    log = StoreScan()
    async with MemoryStore() as store:
        await store.append("t", 0, facts)
        await log.read_new(store)
    return log


async def test_an_answered_act_that_is_missing_or_differs_is_lost() -> None:
    """It must be there, with the same content and the version that was answered."""
    history = ClientHistory(answered={ACT: (1, ACTION)})
    assert lost_acts(history, await scan(acted())) == []
    assert lost_acts(history, await scan(acted(action_id="a-2"))) == [ACT]
    assert lost_acts(history, await scan(acted(action={"action": "pass", "seat": "E"}))) == [ACT]
    assert lost_acts(history, await scan(acted(action_id="a-0"), acted())) == [ACT]


async def test_an_act_that_is_there_twice_is_doubled() -> None:
    """Actions of the server have no id and may be equal."""
    assert duplicate_acts(await scan(acted(), acted(action_id=""), acted(action_id=""))) == []
    assert duplicate_acts(await scan(acted(), acted())) == [(ACT, 2)]


async def test_a_log_that_does_not_continue_the_last_is_broken() -> None:
    """A shorter log, and a rewritten one, differ from the heads of the last scan."""
    log = await scan(acted(), acted(action_id="a-2"))
    for facts in ([acted()], [acted(action_id="a-3"), acted(action_id="a-2")]):
        later = StoreScan(heads=dict(log.heads))
        async with MemoryStore() as store:
            await store.append("t", 0, facts)
            await later.read_new(store)
        assert list(later.broken) == ["t"]


async def test_a_view_that_is_no_longer_so_is_forgotten() -> None:
    """Versions after the end of the log, and versions that look different now."""
    facts = [
        table_fact_to_json(Created(person="p", rules=preset("club"), bot_level="novice")),
        table_fact_to_json(Sat(person="p", seat=Seat.N)),
    ]
    async with MemoryStore() as store:
        await store.add_person("p", "Ada")
        stored = await store.append("t", 0, facts)
        table = replay((table_fact_from_json(row.fact), row.at) for row in stored)
        assert table is not None
        view = json.loads(await build_context(store).table_json.text("t", table, "p"))

        assert await sentences(store, view) == []
        assert await sentences(store, view | {"version": 3}) == ["version 3 of t was shown, but is not in the log"]
        assert await sentences(store, view | {"level": "expert"}) == ["version 2 of t differs from what was shown"]
        assert await sentences(store, view | {"version": 1}) == ["version 1 of t differs from what was shown"]


async def sentences(store: Store, view: dict[str, Any]) -> list[str]:
    """The errors if a client was sent this view."""
    history = ClientHistory()
    history.record_view("t", "p", view)
    return [sentence async for sentence in forgotten_views(store, history)]


def test_a_version_that_looks_different_later_is_noticed() -> None:
    """The history notices it without a log."""
    history = ClientHistory()
    history.record_view("t", "p", {"version": 1, "scores": [0, 0]})
    history.record_view("t", "q", {"version": 1, "scores": [0, 1]})
    assert history.wrong == []
    history.record_view("t", "p", {"version": 1, "scores": [0, 1]})
    assert history.wrong == ["version 1 of t was shown in two different ways"]
