"""`python -m benchmarks hall`: two tables for a moment; the output is what was measured, at any speed."""

import json
from collections.abc import Callable
from dataclasses import replace
from random import Random
from typing import Any

import pytest

from benchmarks import hall
from benchmarks.hall import HallPart, HallReport
from benchmarks.load import Percentiles
from proofs.crash.phones import PhonePage

Command = Callable[..., Any]

SOME = Percentiles(p50=1.5, p99=20.25, max=30.0)
IDLE = HallPart(
    phones=2,
    seconds=30.0,
    taps={"hand": 140, "load": 150, "report": 5, "confirm": 5},
    answer=SOME,
    undisturbed=SOME,
    delivery=SOME,
    cpu=0.04,
    cpu_wait=0.01,
    client_lag=SOME,
    client_cpu=0.02,
)
FULL = replace(IDLE, phones=64, taps={"hand": 500, "stale": 3}, answer=Percentiles(p50=3.0, p99=40.5, max=60.0))
REPORT = HallReport(tables=16, onlookers=100, every=20.0, idle=IDLE, full=FULL, pages=SOME, standings_sent=2400)


def test_phones_tap_alone_and_in_a_full_hall(run_benchmarks: Command) -> None:
    """Hands are reported and sent to the other phones; no request is refused, from one address."""
    quick = ("--tables", "2", "--onlookers", "3", "--alone", "8", "--seconds", "1.5", "--every", "0.3")
    report = json.loads(run_benchmarks("hall", *quick, "--json").stdout)
    assert (report["tables"], report["onlookers"], report["finished"], report["refused"]) == (2, 3, True, {})
    assert (report["idle"]["phones"], report["full"]["phones"]) == (2, 8)
    assert sum(report["idle"]["taps"].values()) == 8
    for part in (report["idle"], report["full"]):
        assert part["taps"].keys() <= {"hand", "report", "confirm", "load", "stale"}
        assert part["taps"]["hand"] > 0 < part["taps"]["load"]
        assert 0 < part["answer"]["p50"] <= part["answer"]["p99"] <= part["answer"]["max"]
        assert 0 <= part["undisturbed"]["p50"] <= part["answer"]["p50"]
        assert 0 < part["delivery"]["p50"] <= part["delivery"]["p99"] <= part["delivery"]["max"]
    assert report["ratio"] > 0


def test_what_a_page_offers_is_done_and_nothing_else() -> None:
    rng = Random(1)
    fields = b'<input name="round" value="3"><input name="version" value="17">'
    proposed = PhonePage.of(fields + b'<button name="command" value="confirm"><button name="command" value="dispute">')
    assert proposed.choose(rng) == {"round": "3", "version": "17", "command": "confirm"}
    over = PhonePage.of(fields + b'<button name="command" value="report"><button name="command" value="back">')
    assert over.choose(rng) == {"round": "3", "version": "17", "command": "report"}
    plays = PhonePage.of(fields + b'<button name="tap" value="N3"><button name="command" value="report">')
    assert plays.choose(rng) == {"round": "3", "version": "17", "tap": "N3"}
    assert PhonePage.of(fields + b'<button name="command" value="keep">').choose(rng) is None
    assert PhonePage.of(b"<main>").choose(rng) is None


@pytest.fixture
def found(monkeypatch: pytest.MonkeyPatch) -> Callable[[HallReport], None]:
    """Make the benchmark return this report without running."""

    def plant(report: HallReport) -> None:
        async def measure(**options: Any) -> HallReport:
            options["progress"]("taps", 1, 2)
            return report

        monkeypatch.setattr(hall, "measure", measure)

    return plant


def test_everything_that_was_measured_is_printed(run_benchmarks: Command, found: Any) -> None:
    found(REPORT)
    text = run_benchmarks("hall").stdout
    assert text.startswith("One table alone\n  2 phones, 300 taps in 30.0 s: 5 confirm, 140 hand, 150 load, 5 report\n")
    assert "16 tables, a wall and 100 onlookers, a tap every 20 s\n  64 phones, 503 taps" in text
    assert "  tap to response        p50     3.0 ms   p99    40.5 ms   max    60.0 ms\n" in text
    assert "  public page            p50     1.5 ms" in text
    assert "standings sent 2,400 times\n" in text
    assert text.endswith("in the full hall is 2.00 times that of one table alone.\nNo request was refused.\n")


def test_a_refusal_ends_it_with_status_1(run_benchmarks: Command, found: Any) -> None:
    found(replace(REPORT, refused={"page 429": 2, "feed ended": 1}))
    text = run_benchmarks("hall", status=1).stdout
    assert text.endswith("Refused: 1 × feed ended, 2 × page 429.\n")


def test_an_interrupt_keeps_what_was_measured(run_benchmarks: Command, found: Any) -> None:
    found(HallReport(tables=16, onlookers=100, every=20.0, idle=IDLE, finished=False))
    text = run_benchmarks("hall", status=130).stdout
    assert text.startswith("One table alone")
    assert "full hall" not in text
