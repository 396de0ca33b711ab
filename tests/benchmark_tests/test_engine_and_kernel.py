"""`python -m benchmarks engine | kernel`: their output, and their error without OpenSpiel."""

import json
import os
import sys
from collections.abc import Callable
from functools import cache
from importlib.util import find_spec
from typing import Any

import pytest

from benchmarks import engine as engine_benchmark, kernel as kernel_benchmark

Command = Callable[..., Any]
Refusal = Callable[..., str]


@pytest.fixture
def openspiel(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests that play need OpenSpiel; without it they are skipped, but never in CI. The long game is shortened here."""
    if find_spec("pyspiel") is None:
        if os.environ.get("CI") == "true":
            pytest.fail("open_spiel must be installed in CI")
        pytest.skip("open_spiel is not installed")
    monkeypatch.setattr(engine_benchmark, "LONG_GAME_HANDS", 5)


@pytest.mark.usefixtures("openspiel")
def test_the_engines_are_measured_side_by_side(run_benchmarks: Command) -> None:
    words = ("engine", "--hands", "20", "--rounds", "5")
    result = json.loads(run_benchmarks(*words, "--json").stdout)
    assert (result["hands"], result["rounds"], result["growth"]["hands"]) == (20, 5, 5)
    for pace in (result["ours"], result["openspiel"], result["openspiel_with_deck"]):
        assert pace["hands_per_second"] > 100
        assert 12 < pace["acts_per_hand"] < 27
        assert pace["microseconds_per_act"] > 0
    assert 0 < result["ratio"] < 1
    text = run_benchmarks(*words).stdout
    assert "5 rounds of 20 hands; medians" in text
    assert " µs in hand 5: " in text


@pytest.mark.usefixtures("openspiel")
def test_the_kernel_is_compared_with_openspiel_and_the_reference(
    run_benchmarks: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The printed figures are those measured; no test checks the speed, which varies between machines."""
    monkeypatch.setattr(kernel_benchmark, "REFERENCE_DEALS", 1)
    monkeypatch.setattr(kernel_benchmark, "OPENSPIEL_HANDS", 5)
    monkeypatch.setattr(kernel_benchmark, "measure", cache(kernel_benchmark.measure))
    words = ("kernel", "--deals", "300", "--rounds", "1", "--seed", "2")
    result = json.loads(run_benchmarks(*words, "--json").stdout)
    assert (result["rounds"], result["deals"], result["compiled"]) == (1, 300, True)
    names = ("outcome", "tricks", "cards", "two_threads", "playouts", "openspiel", "reference")
    assert all(result[name] > 0 for name in (*names, "playouts_ratio", "reference_ratio"))
    text = run_benchmarks(*words).stdout
    assert text.startswith("Random full deals for four, 1 rounds of 300 deals; medians. The kernel is compiled.\n")
    if result["instructions"]:
        assert f"{result['instructions']['outcome']:,}\n" in text


def test_without_openspiel_one_sentence_names_the_extra(
    benchmarks_refused: Refusal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyspiel", None)
    sentence = benchmarks_refused("engine", code="missing-extra")
    assert "this needs the test extra: pip install 'leftbower[test]'" in sentence
