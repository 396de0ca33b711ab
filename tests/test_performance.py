"""Cost of the search in instructions, which doesn't depend on the load of the machine."""

import os
import re
from pathlib import Path
from shutil import which

import pytest

from benchmarks.kernel import count_instructions
from leftbower.kernel import is_compiled

PAGE = Path(__file__).parents[1] / "docs" / "how-it-works" / "performance.md"


def recorded(row: str) -> int:
    """The instructions per deal that docs/how-it-works/performance.md has in a row."""
    [number] = re.findall(rf"^\| {row} \|.*\| ([\d,]+) \|$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    return int(number.replace(",", ""))


def test_the_search_needs_at_most_a_fifth_more_instructions() -> None:
    """Slower code fails the test; for faster code the new figures must be recorded."""
    missing = "the compiled kernel" if not is_compiled() else None if which("valgrind") else "valgrind"
    if missing:
        if os.environ.get("CI") == "true":
            pytest.fail(f"{missing} must be there in CI")
        pytest.skip(f"{missing} is missing, so instructions cannot be counted")
    counted = count_instructions()
    was = recorded("euchre, made or march of a random full deal"), recorded("exact tricks of a random full deal")
    for now, before in zip((counted.outcome, counted.tricks), was, strict=True):
        assert 0.5 < now / before < 1.2, f"{now:,} instructions a deal; docs/how-it-works/performance.md has {before:,}"
