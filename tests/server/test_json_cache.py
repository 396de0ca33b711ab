"""The text rendered in cached parts equals the projection for each viewer."""

import json
from dataclasses import replace
from random import Random

import pytest

from benchmarks.table_fixture import next_fact
from leftbower.rules import HouseRules, preset
from leftbower.rules.choices import Supervision
from leftbower.server.feeds.json_cache import TableJsonCache
from leftbower.table import (
    Agreed,
    ChatSent,
    Created,
    Disconnected,
    LastCardModeChanged,
    Muted,
    Reconnected,
    Sat,
    Table,
    TableFact,
    Tempo,
    TempoChanged,
    apply_fact,
    seat_names,
    table_to_json,
)

NAMES = {"p0": 'A "quoted" nàme', "p1": "Bob"}


def rendered(rendering: TableJsonCache, table: Table, person: str | None) -> object:
    return json.loads(rendering.text("t", table, person, NAMES, {}))


def names_of(table: Table) -> dict[str, str]:
    return {str(seat): name for seat, name in seat_names(table.seats, NAMES).items()}


HONOR = replace(preset("round-robin"), supervision=Supervision.HONOR)


@pytest.mark.parametrize(
    ("rules", "seed"),
    [
        *((preset("club"), seed) for seed in range(4)),
        (preset("club3"), 0),
        (preset("club2"), 1),
        (preset("school-cup"), 2),
        (HONOR, 3),
    ],
)
def test_the_cached_text_is_the_projection_for_every_viewer(rules: HouseRules, seed: int) -> None:
    """At every version of more than two hands, for players, spectators and anonymous callers, with chat in between."""
    rng, rendering = Random(seed), TableJsonCache()
    facts: list[TableFact] = [Created(person="p0", rules=rules, bot_level="novice")]
    facts += [Sat(person=f"p{number}", seat=seat) for number, seat in enumerate(rules.seats)]
    facts += [Agreed(person=f"p{number}") for number in range(rules.players)]
    beside: list[TableFact] = [
        ChatSent(person="p0", phrase="hello"),
        Muted(person="p1", whom="p0", muted=True),
        LastCardModeChanged(person="p1", manual=True),
        TempoChanged(tempo=Tempo.BRISK),
        Disconnected(person="p1"),
        Reconnected(person="p1"),
        Muted(person="p1", whom="p0", muted=False),
    ]
    table: Table | None = None
    for number in range(70):
        if number < len(facts):
            table = apply_fact(table, facts[number], 1.0)
        else:
            assert table is not None
            spoken = beside and (number % 6 == 0 or table.away)
            table = apply_fact(table, beside.pop(0) if spoken else next_fact(table, rng, f"a{number}"), 1.0)
        people = ["p0", "p1", "p2", "p3", "eve", None]
        rng.shuffle(people)
        for person in people:
            expected = {"table": "t", **table_to_json(table, person), "people": NAMES, "names": names_of(table)}
            assert rendered(rendering, table, person) == expected
    assert not beside


def test_chat_is_rendered_in_the_words_that_are_stored_now() -> None:
    """The same version is rendered without them as soon as their author is erased."""
    table = apply_fact(None, Created(person="p0", rules=preset("club"), bot_level="novice"), 1.0)
    table, rendering = apply_fact(table, ChatSent(person="p0", phrase="", text_id="w1"), 1.0), TableJsonCache()
    for words in ({"w1": "well played"}, {"w1": ""}, {"w1": "well played"}):
        [said] = json.loads(rendering.text("t", table, "p1", NAMES, words))["chat"]["messages"]
        assert said["text"] == words["w1"]


def test_what_is_about_viewers_is_kept_for_some_of_them_only() -> None:
    table, rendering = (
        apply_fact(None, Created(person="p0", rules=preset("club"), bot_level="novice"), 1.0),
        TableJsonCache(),
    )
    for number in range(1000):
        assert json.loads(rendering.text("t", table, f"v{number}", {}, {}))["you"]["person"] == f"v{number}"
    assert len(rendering._versions["t"]._personal) <= 64


def test_another_name_is_another_text() -> None:
    table, rendering = (
        apply_fact(None, Created(person="p0", rules=preset("club"), bot_level="novice"), 1.0),
        TableJsonCache(),
    )
    for names in ({"p0": "Ann"}, {"p0": "Anna"}):
        assert json.loads(rendering.text("t", table, "p0", names, {}))["people"] == names


def test_text_is_kept_for_the_latest_versions_only() -> None:
    table, rendering = (
        apply_fact(None, Created(person="p0", rules=preset("club"), bot_level="novice"), 1.0),
        TableJsonCache(),
    )
    for number in range(2100):
        rendering.text(f"t{number}", table, None, {}, {})
    assert len(rendering._versions) <= 2000


def test_members_are_added_behind_the_cached_ones() -> None:
    table, rendering = (
        apply_fact(None, Created(person="p0", rules=preset("club"), bot_level="novice"), 1.0),
        TableJsonCache(),
    )
    plain = json.loads(rendering.text("t", table, "p0", {}, {}))
    for members in ({"b": 'c"'}, {"action_version": 7, "seconds_left": None}, {}):
        assert json.loads(rendering.text("t", table, "p0", {}, {}, **members)) == plain | members
