"""The panel at the end of a hand: what it says in every kind of ending, who still looks at it, and what goes on."""

from dataclasses import replace
from random import Random
from typing import Final

import pytest

from benchmarks.scenes import VIEWER, scenes
from benchmarks.table_fixture import next_fact
from honor_table import honor
from leftbower.engine import Closing, MatchOver, Pass, Phase, Ready, Reason, Settle, ThrowIn
from leftbower.engine.game import add_points
from leftbower.rules import HouseRules, preset
from leftbower.rules.choices import LookingBack, NobodyCalls
from leftbower.table import (
    Acted,
    Agreed,
    Created,
    DeckDue,
    Disconnected,
    Sat,
    Table,
    Timeouts,
    apply_fact,
    hand_view_for,
    next_due,
    replay,
)
from leftbower.web.render import render_table
from leftbower.web.table.endings.hand_end import hand_end
from table_fixture import TableFixture, seated

NAMES: Final = {f"p{number}": name for number, name in enumerate(("Ann", "Bob", "Cat", "Dan"))}
PASSED_OUT: Final = replace(preset("campus"), nobody_calls=NobodyCalls.PASS_OUT)
SENTENCES: Final = (
    ("club", 0, 27, "They took all five", "Dan called diamonds and took all five tricks.", "Bob and Dan score 2."),
    ("club", 0, 52, "Euchred!", "You called diamonds and took two tricks.", "Bob and Dan score 2."),
    (PASSED_OUT, 0, 89, "Euchred alone!", "Cat went alone in diamonds and took one trick.", "Bob and Dan score 2."),
    (
        PASSED_OUT,
        2,
        178,
        "All five, alone!",
        "Cat went alone in hearts and took all five tricks.",
        "You and Cat score 4.",
    ),
    ("club3", 0, 22, "Made it alone!", "You went alone in clubs and took three tricks.", "You score 1."),
    ("club3", 1, 65, "Euchred!", "You called diamonds and took one trick.", "Bob scores 2. Cat scores 2."),
    ("club2", 0, 17, "Euchred alone!", "Bob went alone in diamonds and took no tricks.", "You score 4."),
)


def opened(rules: HouseRules) -> Table:
    """A table of people whose match has begun."""
    table = apply_fact(None, Created(person="p0", rules=rules, bot_level="novice"), 1.0)
    for number, seat in enumerate(rules.seats):
        table = apply_fact(table, Sat(person=f"p{number}", seat=seat), 1.0)
    for number in range(rules.players):
        table = apply_fact(table, Agreed(person=f"p{number}"), 1.0)
    return table


def played(rules: HouseRules, seed: int, facts: int) -> Table:
    table, rng = opened(rules), Random(seed)
    for number in range(facts):
        table = apply_fact(table, next_fact(table, rng, f"a{number}"), 1.0)
    return table


@pytest.mark.parametrize(("sheet", "seed", "facts", "title", "story", "scoring"), SENTENCES)
def test_the_end_of_a_hand_in_words(
    sheet: str | HouseRules, seed: int, facts: int, title: str, story: str, scoring: str
) -> None:
    rules = preset(sheet) if isinstance(sheet, str) else sheet
    end = hand_end(played(rules, seed, facts), "p0", NAMES)
    assert end is not None
    assert (end.title, end.story) == (title, story)
    assert end.scoring.startswith(scoring)


@pytest.mark.parametrize("rules", [preset("club"), honor("club"), preset("club3"), replace(preset("club2"), best_of=3)])
def test_the_panel_has_the_score_of_the_table(rules: HouseRules) -> None:
    """After each hand of a match: what each side gained leads to its score, and each trick has its taker."""
    table, rng, hands = opened(rules), Random(3), 0
    while not isinstance(table.match, MatchOver) and table.version < 700:
        before = table
        table = apply_fact(table, next_fact(table, rng, f"a{table.version}"), 1.0)
        end = hand_end(table, "p0", NAMES)
        last = table.last_hand
        if end is None or last is None or last is before.last_hand:
            continue
        hands += 1
        scores = dict(zip(rules.sides, add_points(rules, last.hand.scores, last.points), strict=True))
        assert sorted(tally.points for tally in end.tallies) == sorted(scores.values())
        assert sum(tally.gained for tally in end.tallies) == sum(last.points.get(side[0], 0) for side in rules.sides)
        assert len(end.tricks) == len(last.tricks)
        assert 'class="moment' in render_table("t", table, "p0", NAMES, address="")
    assert hands > 3


def test_a_hand_that_everyone_passes_is_no_defeat() -> None:
    table, rng = opened(PASSED_OUT), Random(1)
    while table.last_hand is None:
        fact = next_fact(table, rng, f"a{table.version}")
        fact = Acted(action=Pass(table.hand.to_act)) if table.hand and isinstance(fact, Acted) else fact
        table = apply_fact(table, fact, 1.0)
    end = hand_end(table, "p0", NAMES)
    assert end is not None
    assert (end.title, end.mood, end.story) == ("Passed out", "even", "Passed out: no one scores.")
    assert (end.scoring, end.tricks) == ("", ())


def test_a_hand_thrown_in_says_that_the_rest_was_agreed() -> None:
    table, rng = opened(preset("school-cup")), Random(0)
    while table.last_hand is None:
        fact = next_fact(table, rng, f"a{table.version}")
        views = [hand_view_for(table, person) for person in NAMES]
        for view in views:
            offers = [action for action in (view.legal if view else ()) if isinstance(action, ThrowIn)]
            fact = Acted(action=offers[0]) if offers else fact
        if table.hand and views[0] and views[0].phase is Phase.ANSWERING:
            agrees = [action for view in views if view for action in view.legal if type(action).__name__ == "Agree"]
            fact = Acted(action=agrees[0])
        table = apply_fact(table, fact, 1.0)
    end = hand_end(table, "p0", NAMES)
    assert end is not None
    assert end.story.endswith("The rest was agreed, not played.")


def closing(rules: HouseRules) -> Table:
    """An honor table whose hand is over but not scored yet."""
    table, rng = opened(rules), Random(5)
    while not isinstance(table.hand, Closing):
        table = apply_fact(table, next_fact(table, rng, f"a{table.version}"), 1.0)
    return table


def test_an_honor_table_shows_the_score_before_all_are_ready() -> None:
    """The panel says what the hand scores as it stands; then the score is the same."""
    table = closing(honor("club"))
    end = hand_end(table, "p0", NAMES)
    assert end is not None
    assert not end.may_go_on
    text = render_table("t", table, "p0", NAMES, address="")
    assert text.count("Next hand") == 1
    for seat in table.rules.seats:
        table = apply_fact(table, Acted(action=Ready(seat)), 1.0)
    after = hand_end(table, "p0", NAMES)
    assert after is not None
    assert (after.title, after.story, after.tallies) == (end.title, end.story, end.tallies)


def test_a_penalty_shows_its_score_before_all_are_ready() -> None:
    [scene] = [scene for scene in scenes() if scene.name == "dispute"]
    table, rng = replay((fact, 0.0) for fact in scene.facts), Random(1)
    assert table is not None
    view = hand_view_for(table, VIEWER)
    assert view is not None
    [settle, *_] = [action for action in view.legal if isinstance(action, Settle)]
    table = apply_fact(table, Acted(action=settle), 1.0)
    while isinstance(table.hand, Closing):
        end = hand_end(table, VIEWER, {"bob": "Bob", "ann": "Ann"})
        assert end is not None
        assert (end.title, end.mood, end.scoring) == ("A penalty", "ours", "You and Ann score 2.")
        assert end.story == "You call a renege on Bob in trick 1."
        table = apply_fact(table, next_fact(table, rng, f"a{table.version}"), 1.0)
    assert table.last_hand is not None
    assert table.last_hand.reason is Reason.PENALTY


def test_the_panel_shows_tricks_only_where_the_rules_do() -> None:
    for looking_back in LookingBack:
        end = hand_end(played(replace(preset("club"), looking_back=looking_back), 0, 52), "p0", NAMES)
        assert end is not None
        assert all((trick.card is not None) is (looking_back is LookingBack.EVERYONE) for trick in end.tricks)


def between_hands(people: int) -> TableFixture:
    fixture = seated(people=("p0", "p1", "p2")[:people], seed=2)
    while not fixture.table.pausing:
        fixture.step()
    return fixture


def test_the_next_hand_comes_at_once_when_all_are_ready() -> None:
    """Alone with bots, one tap is enough; with friends the deal waits for everyone who is connected."""
    alone = between_hands(1)
    version = alone.table.game_version
    assert next_due(alone.table) == DeckDue(since_version=version, delay=6.0)
    assert next_due(alone.command("p0", Agreed(person="p0"))) == DeckDue(since_version=version)
    friends = between_hands(3)
    waits = DeckDue(since_version=friends.table.game_version, delay=8.0)
    for person in ("p0", "p1"):
        assert next_due(friends.table, Timeouts(hand_pause=5.0)) == waits
        friends.command(person, Agreed(person=person))
    assert next_due(friends.table, Timeouts(hand_pause=5.0)) == waits
    panel = hand_end(friends.table, "p0", NAMES)
    assert panel is not None
    assert (panel.may_go_on, panel.waits_for) == (False, "Cat")
    assert next_due(friends.add(Disconnected(person="p2"))) == replace(waits, delay=0.0)


def test_no_one_goes_on_in_the_middle_of_a_hand() -> None:
    fixture = between_hands(1)
    while fixture.table.hand is None:
        fixture.step()
    fixture.refused("p0", Agreed(person="p0"), "match-is-on")
    assert hand_end(fixture.table, "p0", NAMES) is None
