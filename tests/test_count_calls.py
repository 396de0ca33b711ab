"""`python -m scripts.count_calls` follows a card click, a bot's action and a phone's score through the real server."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
LIMITS = {"a card click": (40, 150), "a bot's act": (30, 90), "a phone's score": (28, 110)}
"""The maximum number of files and functions on each path."""


@pytest.mark.unmeasured
def test_three_paths_stay_within_their_files_and_functions() -> None:
    finished = subprocess.run(
        [sys.executable, "-m", "scripts.count_calls", "--json"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert finished.returncode == 0, finished.stderr
    counts = json.loads(finished.stdout)
    assert list(counts) == list(LIMITS)
    for path, (files, functions) in LIMITS.items():
        assert 0 < counts[path]["files"] <= files, path
        assert counts[path]["files"] < counts[path]["functions"] <= functions, path
