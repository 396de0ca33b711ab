"""The text that is made in parts, once for all viewers, says what `show` says to each of them, and nothing else."""

import json
from random import Random

import pytest

from leftbower.bench.staging import next_fact
from leftbower.rules import preset
from leftbower.server.rendering import Rendering, with_member
from leftbower.table import Agreed, Created, Sat, Table, TableFact, after, show

NAMES = {"p0": 'A "quoted" nàme', "p1": "Bob"}


def told(rendering: Rendering, table: Table, person: str | None) -> object:
    return json.loads(rendering.text("t", table, person, NAMES, {}))


@pytest.mark.parametrize("seed", range(6))
def test_the_text_is_what_show_shows_to_everybody_in_any_order(seed: int) -> None:
    """At every version of two hands and more, for people in seats, people who look on, and nobody."""
    chance, rendering = Random(seed), Rendering()
    sheet = preset("club")
    facts: list[TableFact] = [Created(person="p0", rules=sheet, level="novice")]
    facts += [Sat(person=f"p{number}", seat=seat) for number, seat in enumerate(sheet.places)]
    facts += [Agreed(person=f"p{number}") for number in range(4)]
    table: Table | None = None
    for number in range(70):
        if number < len(facts):
            table = after(table, facts[number], 1.0)
        else:
            assert table is not None
            table = after(table, next_fact(table, chance, f"a{number}"), 1.0)
        people = ["p0", "p1", "p2", "p3", "eve", None]
        chance.shuffle(people)
        for person in people:
            assert told(rendering, table, person) == {"table": "t", **show(table, person), "people": NAMES}


def test_another_name_is_another_text() -> None:
    table, rendering = after(None, Created(person="p0", rules=preset("club"), level="novice"), 1.0), Rendering()
    for names in ({"p0": "Ann"}, {"p0": "Anna"}):
        assert json.loads(rendering.text("t", table, "p0", names, {}))["people"] == names


def test_text_is_kept_for_the_latest_versions_only() -> None:
    table, rendering = after(None, Created(person="p0", rules=preset("club"), level="novice"), 1.0), Rendering()
    for number in range(2100):
        rendering.text(f"t{number}", table, None, {}, {})
    assert len(rendering._versions) <= 2000


def test_one_more_member() -> None:
    assert json.loads(with_member('{"a":1}', "b", "c")) == {"a": 1, "b": "c"}
