"""Logs of today, kept so that later versions can be tested on them: they must be read, and mean the same, for ever.

`LEFTBOWER_WRITE_GOLDEN=1 pytest tests/table/test_golden.py` adds logs that are not there; those that are never change.
"""

import json
import os
from hashlib import sha256
from pathlib import Path

import pytest

from leftbower.engine import MatchOver
from leftbower.rules import preset
from leftbower.table import Table, replay, table_fact_from_json, table_fact_to_json, table_to_json
from table_fixture import ANN, BOB, seated

FOLDER = Path(__file__).parent / "golden"
KEPT = {"school-cup": 1, "club3": 2, "campus": 3}
WRITE = os.environ.get("LEFTBOWER_WRITE_GOLDEN") == "1"


SINCE: set[str] = set()
"""What tables show that they did not when these logs were written."""


def meaning(table: Table) -> str:
    """What everybody would see at the end, in short."""
    shown = [table_to_json(table, person) for person in (ANN, BOB, None)]
    seen = [{name: value for name, value in one.items() if name not in SINCE} for one in shown]
    return sha256(json.dumps(seen, sort_keys=True).encode()).hexdigest()


def write(path: Path, name: str, seed: int) -> None:
    evening = seated(preset(name), people=(ANN, BOB), seed=seed)
    evening.play_on()
    table = replay([(fact, float(at)) for at, fact in enumerate(evening.log, 1)])
    assert table is not None
    lines = [*map(table_fact_to_json, evening.log), {"meaning": meaning(table)}]
    path.write_text("".join(json.dumps(line, sort_keys=True) + "\n" for line in lines), encoding="utf-8")


@pytest.mark.parametrize(("name", "seed"), KEPT.items())
def test_a_log_of_old_means_what_it_meant(name: str, seed: int) -> None:
    path = FOLDER / f"{name}.jsonl"
    if WRITE and not path.exists():
        write(path, name, seed)
    *facts, end = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    table = replay([(table_fact_from_json(fact), float(at)) for at, fact in enumerate(facts, 1)])
    assert table is not None
    assert isinstance(table.match, MatchOver)
    assert table.version == len(facts)
    assert meaning(table) == end["meaning"]
