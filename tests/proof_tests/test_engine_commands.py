"""`python -m proofs oracle | exact | leak | behavior`: their output and exit status."""

import json
import os
import re
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from leftbower.engine import play as engine_play
from leftbower.rules import Seat
from proofs import behavior, information_leak, oracle, reference as kernel_reference
from proofs.oracle import OracleReport, compare

Command = Callable[..., Any]
Refusal = Callable[..., str]


@pytest.fixture
def openspiel() -> None:
    """Tests that play need OpenSpiel; without it they are skipped, but never in CI."""
    if find_spec("pyspiel") is None:
        if os.environ.get("CI") == "true":
            pytest.fail("open_spiel must be installed in CI")
        pytest.skip("open_spiel is not installed")


@pytest.mark.usefixtures("openspiel")
def test_the_oracle_says_how_much_it_compared_and_what_occurred(run_proofs: Command) -> None:
    report = json.loads(run_proofs("oracle", "--hands", "250", "--seed", "3", "--json").stdout)
    assert (report["hands"], report["requested"], report["seed"], report["disagreements"]) == (250, 250, 3, [])
    text = run_proofs("oracle", "--hands", "250", "--seed", "3").stdout
    assert text.startswith(f"250 hands, {report['decisions']:,} decisions, seed 3: no disagreement.\n")
    for occurrence, times in report["occurred"].items():
        assert f"  {occurrence:<22} {times:>9,}\n" in text


@pytest.mark.usefixtures("openspiel")
def test_a_disagreement_is_shown_whole_and_ends_with_status_1(
    run_proofs: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine_play, "winning_card", lambda trick, trump: trick[0])
    report = json.loads(run_proofs("oracle", "--hands", "100", "--json", status=1).stdout)
    text = run_proofs("oracle", "--hands", "100", status=1).stdout
    assert "10 disagreements." in text
    assert len(report["disagreements"]) == 10
    for case in report["disagreements"]:
        assert case["differs"] == "to act"
        assert case["hand_line"] in text
        assert " ".join(case["acts"]) in text


@pytest.mark.usefixtures("openspiel")
def test_an_interrupt_keeps_what_was_done(run_proofs: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(hands: int, seed: int, *, first: int) -> OracleReport:
        if first:
            raise KeyboardInterrupt
        return compare(hands, seed, first=first)

    monkeypatch.setattr(oracle, "compare", interrupted)
    assert run_proofs("oracle", status=130).stdout.startswith("200 of 200,000 hands, ")


def test_the_exact_search_is_compared_with_the_plain_one(run_proofs: Command) -> None:
    """The same positions, no matter how many processes share the work."""
    words = ("exact", "--positions", "120", "--seed", "3")
    report = json.loads(run_proofs(*words, "--processes", "1", "--json").stdout)
    assert (report["positions"], report["requested"], report["seed"], report["differences"]) == (120, 120, 3, [])
    text = run_proofs(*words).stdout
    assert text.startswith(f"120 positions, {report['cards']:,} cards, seed 3: no difference.\n")
    for occurrence, times in report["occurred"].items():
        assert f"  {occurrence:<22} {times:>9,}\n" in text


def test_a_difference_is_shown_whole_and_ends_with_status_1(
    run_proofs: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In one process, so that the planted fault is there."""
    monkeypatch.setattr("concurrent.futures.ProcessPoolExecutor", SameProcess)
    monkeypatch.setattr(kernel_reference, "winning_card", lambda trick, trump: trick[0])
    text = run_proofs("exact", "--positions", "300", status=1).stdout
    assert " of 300 positions" in text
    assert "10 differences." in text
    assert text.count("  reference  ") == 10


class SameProcess(ThreadPoolExecutor):
    """A pool whose workers share this process."""

    def __init__(self, workers: int, *_: object, **__: object) -> None:
        super().__init__(1)


def test_no_bot_is_shown_to_peek(run_proofs: Command) -> None:
    """Random positions, as JSON and as text; a bot that peeks is reported with both positions."""
    words = ("leak", "--positions", "8", "--processes", "1", "--seed", "5")
    report = json.loads(run_proofs(*words, "--json").stdout)
    assert (report["positions"], report["requested"], report["differences"]) == (8, 8, [])
    assert run_proofs(*words).stdout.startswith("8 positions, seed 5: no difference.\n")


def test_a_bot_that_peeks_is_named(run_proofs: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    difference = information_leak.LeakDifference(
        number=3, bot="novice", seat=Seat.S, position="LINE", twin="TWIN", decided="p", decided_in_the_twin="o"
    )
    report = information_leak.LeakReport(seed=1, positions=8, differences=(difference,))
    monkeypatch.setattr("proofs.commands.positions.compare_positions", lambda *_: report)
    text = run_proofs("leak", "--positions", "8", status=1).stdout
    assert text.endswith("\nposition 3, novice at S\n  p         LINE\n  o         TWIN\n")


def test_a_player_is_asked_what_players_complain_about(run_proofs: Command) -> None:
    """The expert is right in all confirmed positions, and a random player is not."""
    text = run_proofs("behavior", "--times", "1").stdout
    assert re.match(r"expert: \d\d of \d\d positions right; \d\d positions are confirmed\.\n", text)
    result = json.loads(run_proofs("behavior", "random", "--times", "1", "--json", status=1).stdout)
    assert {position["right"] for position in result["positions"]} == {True, False}
    assert "chosen" in run_proofs("behavior", "random", "--times", "1", status=1).stdout


def test_positions_are_confirmed_again(run_proofs: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Into a file that starts without numbers; entries that have numbers are not confirmed again."""
    solved = next(entry for entry in behavior.read() if entry.confirmed == "solver")
    monkeypatch.setattr(behavior, "read", lambda path=None, read=behavior.read: read(path) if path else (solved,))
    file = tmp_path / "again.toml"
    text = run_proofs("behavior", "--confirm", str(file)).stdout
    assert text.startswith(f"{solved.id} ")
    assert run_proofs("behavior", "--confirm", str(file)).stdout == ""
    assert json.loads(run_proofs("behavior", "--confirm", str(file), "--json").stdout) == {"positions": []}


def test_without_openspiel_one_sentence_names_the_extra(
    proofs_refused: Refusal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyspiel", None)
    sentence = proofs_refused("oracle", code="missing-extra")
    assert "this needs the test extra: pip install 'leftbower[test]'" in sentence
