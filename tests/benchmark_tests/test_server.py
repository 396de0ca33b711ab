"""`python -m benchmarks server` with a few tables for a moment: the output is what was measured, at any speed."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from dataclasses import replace
from typing import Any

import pytest

from benchmarks import attack, load, server as bench_server
from benchmarks.attack import AttackResult
from benchmarks.attacker import draws
from benchmarks.load import LoadResult, Percentiles
from benchmarks.resilience import ReconnectResult, RestartResult, StalledResult
from benchmarks.server import ServerReport
from leftbower.web.app import install
from server_client import listening

Command = Callable[..., Any]
Refusal = Callable[..., str]

QUICK = ("--tables", "3", "--seconds", "0.5", "--every", "0.1")
SOME = Percentiles(p50=1.5, p99=20.25, max=30.0)
LOAD = LoadResult(
    name="leftbower",
    processes=1,
    tables=1000,
    feeds=4000,
    seconds=30.0,
    acts=10_000,
    refused={},
    server_acts=2500,
    acts_per_second=333.3,
    answer=SOME,
    delivery=SOME,
    turns=(9.0, 100.0, 10.0),
    cpu_per_act=2.5,
    database_cpu_per_act=None,
    cpu_wait=0.05,
    stolen=0.02,
    kib_per_feed=38.5,
    client_lag=SOME,
    client_cpu=0.25,
    bytes=(80, 5800, 5900),
)
ECHO = replace(
    LOAD,
    name="bare echo",
    delivery=Percentiles(p50=1.0, p99=2.025, max=3.0),
    turns=(4.0, 2.0, 3.0),
    cpu_per_act=0.5,
    server_acts=0,
)


def test_real_people_act_at_a_real_server_and_beside_an_echo(
    run_benchmarks: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every action is answered and delivered to four feeds; the echo sends as many bytes as our first turn did."""
    monkeypatch.setattr(load, "_IDLE_CHECK_SECONDS", 0.1)
    longer = ("--seconds", "2")  # CPU time is measured in hundredths of a second
    result = json.loads(run_benchmarks("server", *QUICK, *longer, "--part", "load", "--json").stdout)
    assert (result["tables"], result["every"], result["database"], result["finished"]) == (3, 0.1, "sqlite", True)
    [ours], echo = result["loads"], result["echo"]
    for load_result in (ours, echo):
        assert (load_result["tables"], load_result["feeds"], load_result["refused"]) == (3, 12, {})
        assert load_result["acts"] > 0
        assert 0 < load_result["answer"]["p50"] <= load_result["answer"]["p99"] <= load_result["answer"]["max"]
        assert 0 < load_result["delivery"]["p50"] <= load_result["delivery"]["p99"] <= load_result["delivery"]["max"]
        assert load_result["cpu_per_act"] > 0
    assert echo["bytes"] == [pytest.approx(number, rel=0.2) for number in ours["bytes"]]
    assert ours["bytes"][2] > 2000
    assert set(result["ratios"]) == {"delivery_p99", "typical_p99", "cpu_per_act"}
    assert len(ours["turns"]) == len(echo["turns"]) == load._TURNS
    assert (result["stalled"], result["reconnect"], result["restart"]) == (None, None, None)


def test_stalled_reconnecting_and_killed_are_measured_in_turn(run_benchmarks: Command) -> None:
    parts = ("--part", "stalled", "--part", "reconnect", "--part", "restart")
    result = json.loads(run_benchmarks("server", *QUICK, *parts, "--json").stdout)
    assert (result["loads"], result["echo"]) == ([], None)
    assert (result["stalled"]["silent"], result["stalled"]["slow_headers"], result["stalled"]["refused"]) == (3, 1, {})
    p99 = {name: result["stalled"][name]["p99"] for name in ("before", "without", "during")}
    others = {name: p99[name] for name in ("before", "without") if p99[name]}  # a slow machine may not have had a turn
    assert others
    assert result["ratios"] == {f"stalled_to_{name}": round(p99["during"] / other, 2) for name, other in others.items()}
    assert (result["reconnect"]["feeds"], result["reconnect"]["reconnected"], result["reconnect"]["refused"]) == (
        6,
        6,
        {},
    )
    assert result["restart"]["tables"] == 3
    assert 0 < result["restart"]["listening"] <= result["restart"]["first_act"]


def test_an_attack_is_measured_beside_a_calm_twin(run_benchmarks: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    """One address sends invalid and valid imports, small ones here; people on both servers keep playing."""
    monkeypatch.setattr(load, "_IDLE_CHECK_SECONDS", 0.1)
    monkeypatch.setattr(bench_server, "ATTACK_KINDS", ("uploads",))
    monkeypatch.setattr(attack, "TURNS", 1)
    monkeypatch.setattr(attack, "SIZE_SHARE", 0.02)
    result = json.loads(run_benchmarks("server", *QUICK, "--part", "attack", "--json").stdout)
    [found] = result["attacks"]
    assert (found["kind"], found["tables"], found["refused"], len(found["turns"])) == ("uploads", 3, {}, 1)
    statuses = {int(name.rpartition(" ")[2]) for name in found["requests"] if name[-3:].isdecimal()}
    assert {303, 422} & statuses
    assert statuses <= {303, 413, 422, 429}


def test_an_attack_by_draws_is_answered_or_canceled() -> None:
    """An event is created and drawn over HTTP, and redrawn by callers, every second of whom disconnects."""

    async def answers() -> AsyncIterator[int]:
        async with listening() as (base, server):
            install(server.app)
            async for _, send in draws(int(base.rpartition(":")[2]), 0.1):
                for _ in range(2):
                    with suppress(TimeoutError):
                        yield (await send()).status

    async def listed() -> list[int]:
        return [status async for status in answers()]

    assert set(asyncio.run(listed())) == {200}


@pytest.fixture
def found(monkeypatch: pytest.MonkeyPatch) -> Callable[[ServerReport], None]:
    """Make the benchmark return this report without running."""

    def plant(report: ServerReport) -> None:
        async def measure(database: str, **options: Any) -> ServerReport:
            options["progress"]("feeds", 1, 2)
            return report

        monkeypatch.setattr(bench_server, "measure", measure)

    return plant


def test_everything_that_was_measured_is_printed(run_benchmarks: Command, found: Any) -> None:
    two = replace(LOAD, name="leftbower × 2", processes=2, refused={"stale": 2}, database_cpu_per_act=0.75)
    report = ServerReport(
        database="postgresql",
        loads=[LOAD, two],
        echo=ECHO,
        stalled=StalledResult(silent=1000, slow_headers=500, before=SOME, without=SOME, during=SOME, refused={}),
        reconnect=ReconnectResult(feeds=2000, reconnected=2000, seconds=1.5, acts=900, refused={}),
        restart=RestartResult(tables=1000, listening=1.25, first_act=1.5),
        attacks=[
            AttackResult(
                kind="draws",
                tables=200,
                without=SOME,
                during=replace(SOME, p99=30.0),
                turns=((30.0, 20.0), (31.0, 20.0), (20.0, 0.0)),
                requests={"draw: 200": 1234, "draw: TimeoutError": 5},
                refused={},
                cpu=(0.25, 0.07),
            )
        ],
    )
    found(report)
    text = run_benchmarks("server", "--database", "postgresql", "--processes", "2").stdout
    assert "leftbower: 1,000 tables, 4,000 feeds, 30.0 s\n  10,000 actions, 333.3 per second, none refused; " in text
    assert "\nleftbower × 2: 1,000 tables" in text
    assert "refused: 2 stale; 2,500 more by the server\n" in text
    assert "CPU: 2.50 ms per action, database 0.75 ms; clients 25 % of a core\n" in text
    assert "waiting for a core 5 % of the time" in text
    assert "2 % of the machine's time stolen by its host" in text
    assert "its p99 by turns     9.0, 100.0, 10.0 ms; median 10.0 ms\n" in text
    assert "Compared with the echo: p99 of delivery 10.00 ×, in the median turn 3.33 ×; CPU 5.00 ×.\n" in text
    assert "1,000 clients that never read and 500 slow headers\n" in text
    assert "  p99 1.00 × without, 1.00 × before; none refused.\n" in text
    assert "  2,000 reconnected, the last after 1.50 s; 900 actions in that time, none refused.\n" in text
    assert "  listening after 1.25 s, first response after 1.50 s.\n" in text
    assert "One address attacks with draws: 200 tables on each of two servers\n" in text
    assert "    p99 by turns         30.0 to 20.0, 31.0 to 20.0, 20.0 to 0.0 ms\n" in text
    assert "  p99 1.48 times as long, in the median turn 1.52 times; none refused; CPU 0.25 of a core" in text
    assert "  sent: 1,234 draw: 200, 5 draw: TimeoutError\n" in text
    assert report.ratios["draws"] == 1.48


def test_an_interrupt_keeps_what_was_measured(run_benchmarks: Command, found: Any) -> None:
    found(ServerReport(database="sqlite", loads=[LOAD], finished=False))
    text = run_benchmarks("server", status=130).stdout
    assert text.startswith("leftbower: 1,000 tables")
    assert "echo" not in text


def test_more_processes_need_postgresql(benchmarks_refused: Refusal) -> None:
    assert "needs --database postgresql" in benchmarks_refused("server", "--processes", "2", code="bad-usage")
