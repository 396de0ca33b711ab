"""`python -m scripts.count_calls` follows a card click, a bot's act and a phone's score through the real server."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.mark.unmeasured
def test_the_files_and_functions_of_three_paths_are_counted() -> None:
    finished = subprocess.run(
        [sys.executable, "-m", "scripts.count_calls", "--json"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert finished.returncode == 0, finished.stderr
    counts = json.loads(finished.stdout)
    assert list(counts) == ["a card click", "a bot's act", "a phone's score"]
    assert all(0 < count["files"] < count["functions"] for count in counts.values())
