"""Golden logs: every later version must read them with the same meaning.

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
GOLDEN_SEEDS = {"school-cup": 1, "club3": 2, "campus": 3}
WRITE_GOLDEN = os.environ.get("LEFTBOWER_WRITE_GOLDEN") == "1"


NEW_FIELDS: set[str] = set()
"""Fields of the projection that are newer than these logs."""


def meaning(table: Table) -> str:
    """Hash of the table's JSON for two players and a spectator."""
    projections = [table_to_json(table, person) for person in (ANN, BOB, None)]
    compared = [{name: value for name, value in plain.items() if name not in NEW_FIELDS} for plain in projections]
    return sha256(json.dumps(compared, sort_keys=True).encode()).hexdigest()


def write(path: Path, name: str, seed: int) -> None:
    fixture = seated(preset(name), people=(ANN, BOB), seed=seed)
    fixture.play_on()
    table = replay([(fact, float(index)) for index, fact in enumerate(fixture.log, 1)])
    assert table is not None
    lines = [*map(table_fact_to_json, fixture.log), {"meaning": meaning(table)}]
    path.write_text("".join(json.dumps(line, sort_keys=True) + "\n" for line in lines), encoding="utf-8")


@pytest.mark.parametrize(("name", "seed"), GOLDEN_SEEDS.items())
def test_an_old_log_keeps_its_meaning(name: str, seed: int) -> None:
    path = FOLDER / f"{name}.jsonl"
    if WRITE_GOLDEN and not path.exists():
        write(path, name, seed)
    *facts, end = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    table = replay([(table_fact_from_json(fact), float(index)) for index, fact in enumerate(facts, 1)])
    assert table is not None
    assert isinstance(table.match, MatchOver)
    assert table.version == len(facts)
    assert meaning(table) == end["meaning"]
