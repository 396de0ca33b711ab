"""The store benchmark measures grouped and single appends."""

from typing import Any

from benchmarks.store import measure


def test_commits_are_grouped_and_the_measurement_says_so(file: Any) -> None:
    """Fifty tables at once need far fewer commits than appends."""
    found = measure(file.url, tables=50, appends=200, rounds=1)
    assert found.appends == 200
    assert found.commits < 0.5
    assert found.grouped > 0
    assert found.ratio == found.grouped / found.alone
