"""`leftbower bench`: what it prints, how it ends, and what it says without its extra."""

import json
import os
import re
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from leftbower.bench import behaviour, peeking
from leftbower.bench import engine as bench_engine
from leftbower.bench import kernel as bench_kernel
from leftbower.bench import oracle as bench_oracle
from leftbower.bench.oracle import Report, compare
from leftbower.engine import play as engine_play
from leftbower.kernel import reference as kernel_reference
from leftbower.rules import Seat

Command = Callable[..., Any]
Refusal = Callable[..., str]


@pytest.fixture
def openspiel(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests that play need OpenSpiel; without it they are skipped, but never in CI. The long game is short here."""
    if find_spec("pyspiel") is None:
        if os.environ.get("CI") == "true":
            pytest.fail("open_spiel must be installed in CI")
        pytest.skip("open_spiel is not installed")
    monkeypatch.setattr(bench_engine, "LONG", 5)


@pytest.mark.usefixtures("openspiel")
def test_the_oracle_says_how_much_it_compared_and_what_occurred(leftbower: Command) -> None:
    told = json.loads(leftbower("bench", "oracle", "--hands", "250", "--seed", "3", "--json").stdout)
    assert (told["hands"], told["asked"], told["seed"], told["disagreements"]) == (250, 250, 3, [])
    text = leftbower("bench", "oracle", "--hands", "250", "--seed", "3").stdout
    assert text.startswith(f"250 hands, {told['decisions']:,} decisions, seed 3: no disagreement.\n")
    for what, times in told["occurred"].items():
        assert f"  {what:<22} {times:>9,}\n" in text


@pytest.mark.usefixtures("openspiel")
def test_a_disagreement_is_shown_whole_and_ends_with_status_1(
    leftbower: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine_play, "winning_card", lambda trick, trump: trick[0])
    told = json.loads(leftbower("bench", "oracle", "--hands", "100", "--json", status=1).stdout)
    text = leftbower("bench", "oracle", "--hands", "100", status=1).stdout
    assert "10 disagreements." in text
    assert len(told["disagreements"]) == 10
    for one in told["disagreements"]:
        assert one["differs"] == "to act"
        assert one["hand_line"] in text
        assert " ".join(one["acts"]) in text


@pytest.mark.usefixtures("openspiel")
def test_an_interrupt_keeps_what_was_done(leftbower: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(hands: int, seed: int, *, first: int) -> Report:
        if first:
            raise KeyboardInterrupt
        return compare(hands, seed, first=first)

    monkeypatch.setattr(bench_oracle, "compare", interrupted)
    assert leftbower("bench", "oracle", status=130).stdout.startswith("200 of 200,000 hands, ")


@pytest.mark.usefixtures("openspiel")
def test_the_engines_are_measured_side_by_side(leftbower: Command) -> None:
    words = ("bench", "engine", "--hands", "20", "--rounds", "5")
    told = json.loads(leftbower(*words, "--json").stdout)
    assert (told["hands"], told["rounds"], told["growth"]["hands"]) == (20, 5, 5)
    for pace in (told["ours"], told["openspiel"], told["openspiel_with_deck"]):
        assert pace["hands_per_second"] > 100
        assert 12 < pace["acts_per_hand"] < 27
        assert pace["microseconds_per_act"] > 0
    assert 0 < told["ratio"] < 1
    text = leftbower(*words).stdout
    assert "5 rounds of 20 in turn" in text
    assert "in hand 5 " in text


@pytest.mark.parametrize("name", ["oracle", "engine"])
def test_without_openspiel_one_sentence_names_the_extra(
    name: str, refused: Refusal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyspiel", None)
    sentence = refused("bench", name, code="missing-extra")
    assert "this needs the bench extra: pip install 'leftbower[bench]'" in sentence


@pytest.mark.usefixtures("openspiel")
def test_the_kernel_is_measured_beside_openspiel_and_the_reference(
    leftbower: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is printed is what was measured; how fast it is no test asks, machines wobble."""
    monkeypatch.setattr(bench_kernel, "REFERENCE_DEALS", 1)
    monkeypatch.setattr(bench_kernel, "OPENSPIEL_HANDS", 5)
    monkeypatch.setattr(bench_kernel, "measure", cache(bench_kernel.measure))
    words = ("bench", "kernel", "--deals", "300", "--rounds", "1", "--seed", "2")
    told = json.loads(leftbower(*words, "--json").stdout)
    assert (told["rounds"], told["deals"], told["compiled"]) == (1, 300, True)
    names = ("outcome", "tricks", "cards", "two_threads", "playouts", "openspiel", "reference")
    assert all(told[name] > 0 for name in (*names, "playouts_ratio", "reference_ratio"))
    text = leftbower(*words).stdout
    assert text.startswith("Random full deals for four, 1 rounds of 300; medians. The kernel is compiled.\n")
    if told["instructions"]:
        assert f"{told['instructions']['outcome']:,}\n" in text


def test_the_exact_search_is_compared_with_the_plain_one(leftbower: Command) -> None:
    """The same positions however many processes share the work."""
    words = ("bench", "exact", "--positions", "120", "--seed", "3")
    told = json.loads(leftbower(*words, "--processes", "1", "--json").stdout)
    assert (told["positions"], told["asked"], told["seed"], told["differences"]) == (120, 120, 3, [])
    text = leftbower(*words).stdout
    assert text.startswith(f"120 positions, {told['cards']:,} cards, seed 3: no difference.\n")
    for what, times in told["occurred"].items():
        assert f"  {what:<22} {times:>9,}\n" in text


def test_a_difference_is_shown_whole_and_ends_with_status_1(
    leftbower: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In one process, so that what is planted is there."""
    monkeypatch.setattr("concurrent.futures.ProcessPoolExecutor", Here)
    monkeypatch.setattr(kernel_reference, "winning_card", lambda trick, trump: trick[0])
    text = leftbower("bench", "exact", "--positions", "300", status=1).stdout
    assert " of 300 positions" in text
    assert "10 differences." in text
    assert text.count("  reference  ") == 10


class Here(ThreadPoolExecutor):
    """A pool whose workers share this process."""

    def __init__(self, workers: int, *_: object, **__: object) -> None:
        super().__init__(1)


def test_no_bot_is_shown_to_peek(leftbower: Command) -> None:
    """Random positions, as JSON and in words; a bot that looks is named with both positions."""
    words = ("bench", "peeking", "--positions", "8", "--processes", "1", "--seed", "5")
    report = json.loads(leftbower(*words, "--json").stdout)
    assert (report["positions"], report["asked"], report["differences"]) == (8, 8, [])
    assert leftbower(*words).stdout.startswith("8 positions, seed 5: no difference.\n")


def test_a_bot_that_peeks_is_named(leftbower: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    one = peeking.Difference(
        number=3, bot="novice", seat=Seat.S, position="LINE", twin="TWIN", decided="p", decided_in_the_twin="o"
    )
    caught = peeking.Report(seed=1, positions=8, differences=(one,))
    monkeypatch.setattr("leftbower.cli.bench_kernel._proved", lambda *_: caught)
    text = leftbower("bench", "peeking", "--positions", "8", status=1).stdout
    assert text.endswith("\nposition 3, novice at S\n  p         LINE\n  o         TWIN\n")


def test_a_player_is_asked_what_players_complain_about(leftbower: Command) -> None:
    """The expert is right wherever it is confirmed, and a random player is not."""
    text = leftbower("bench", "behaviour", "--times", "1").stdout
    assert re.match(r"expert: \d\d of \d\d positions right; \d\d of them are confirmed\.\n", text)
    found = json.loads(leftbower("bench", "behaviour", "random", "--times", "1", "--json", status=1).stdout)
    assert {one["right"] for one in found["positions"]} == {True, False}
    assert "chosen" in leftbower("bench", "behaviour", "random", "--times", "1", status=1).stdout


def test_positions_are_confirmed_anew(leftbower: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Into a file that begins without numbers; those that have some are not asked again."""
    solved = next(entry for entry in behaviour.read() if entry.confirmed == "solver")
    monkeypatch.setattr(behaviour, "read", lambda path=None, read=behaviour.read: read(path) if path else (solved,))
    file = tmp_path / "again.toml"
    text = leftbower("bench", "behaviour", "--confirm", str(file)).stdout
    assert text.startswith(f"{solved.id} ")
    assert leftbower("bench", "behaviour", "--confirm", str(file)).stdout == ""
    assert json.loads(leftbower("bench", "behaviour", "--confirm", str(file), "--json").stdout) == {"positions": []}
