"""The code is in plain words: rates of stilted words and empty names, measured by `scripts/plain_words.py`."""

import json
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[1] / "scripts" / "plain_words.py"

pytestmark = pytest.mark.unmeasured


def test_every_folder_is_under_the_limit() -> None:
    finished = subprocess.run([sys.executable, SCRIPT, "--json"], capture_output=True, text=True, check=False)
    rates = json.loads(finished.stdout)
    assert {"server", "web", "cli", "benchmarks", "proofs", "tests"} <= rates.keys()
    assert {name: rate for name, rate in rates.items() if rate["per_1000"] > 0.5 or rate["refused"]} == {}
    assert finished.returncode == 0


def test_stilted_words_and_empty_names_are_found(tmp_path: Path) -> None:
    """Both in identifiers and in prose, so that neither can be used to evade the limit."""
    script = runpy.run_path(str(SCRIPT))
    prose = list(script["prose"]('"""Told to whoever asks."""\nput_right = 1  # done anew\n'))
    found = [phrase.lower() for _, text in prose for phrase in script["_STILTED"].findall(text)]
    assert found == ["whoever", "put right", "anew"]
    names = [name for _, name in script["bound_names"]("def told(seen):\n    for one in seen:\n        _KEPT = one\n")]
    assert sorted(names) == ["_KEPT", "one", "seen", "told"]
