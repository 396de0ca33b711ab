"""`leftbower bench`: what it prints, how it ends, and what it says without its extra."""

import json
import os
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from typing import Any

import pytest

from leftbower.bench import engine as bench_engine
from leftbower.bench import kernel as bench_kernel
from leftbower.bench import oracle as bench_oracle
from leftbower.bench.oracle import Report, compare
from leftbower.engine import play as engine_play
from leftbower.kernel import reference as kernel_reference

Command = Callable[..., Any]
Refusal = Callable[..., str]


pytestmark = pytest.mark.unmeasured


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
