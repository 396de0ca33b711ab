"""Golden logs: every later version must read them with the same meaning, whatever its JSON and its links look like.

`LEFTBOWER_WRITE_GOLDEN=1 pytest tests/table/test_golden.py` adds missing logs; existing ones never change.
"""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from leftbower.engine import MatchOver, Scored, view
from leftbower.notation import hand_line, view_line
from leftbower.rules import preset, to_json
from leftbower.server.live.records import games_of
from leftbower.table import Table, replay, table_fact_from_json, table_fact_to_json, table_to_json
from table_fixture import ANN, BOB, seated

FOLDER = Path(__file__).parent / "golden"
GOLDEN_SEEDS = {"school-cup": 1, "club3": 2, "campus": 3}
WRITE_GOLDEN = os.environ.get("LEFTBOWER_WRITE_GOLDEN") == "1"


def meaning(table: Table) -> dict[str, Any]:
    """The meaning of a log: rules, players, every hand as a line with its points, and all views of the last one."""
    assert isinstance(table.match, MatchOver)
    last = table.match.last.last
    return {
        "rules": to_json(table.match.rules),
        "seats": {str(seat): getattr(occupant, "id", "bot") for seat, occupant in table.seats.items()},
        "games": [
            {"scores": list(scores), "hands": [f"{_body(hand_line(hand))} = {_points(hand)}" for hand in hands]}
            for hands, scores in games_of(table)
        ],
        "wins": list(table.match.wins),
        "views": [_body(view_line(view(last, seat))) for seat in (*table.match.rules.seats, None)],
        "final_root": table_to_json(table, None)["match"]["final_root"],
    }


def _body(line: str) -> str:
    """A hand line without its head, which names the rules by a link."""
    return line.partition("} ")[2]


def _points(hand: Scored) -> str:
    return " ".join(sorted(f"{seat}{points}" for seat, points in hand.points.items()))


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
    golden = end["meaning"]
    current = meaning(table)
    assert current["rules"].items() >= golden.pop("rules").items(), "an option added since has its default"
    assert {**current, "rules": None} == {**golden, "rules": None}
