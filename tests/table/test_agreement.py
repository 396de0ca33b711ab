"""Who has to agree again when the host changes rules or clock: the rule `deviations`."""

from dataclasses import replace

import pytest

from leftbower.rules import HouseRules, Seat, preset
from leftbower.rules.choices import Deviations
from leftbower.table import (
    Agreed,
    BotSeated,
    Left,
    RematchRequested,
    RulesChanged,
    Sat,
    SeatedPerson,
    TableFact,
    TimeControl,
    TimeControlChanged,
    table_to_json,
)
from table_fixture import ANN, BOB, CAT, DAN, TableFixture, seated

N, E, S, W = Seat
HOST_DECIDES = ("club", "round-robin", "school-cup", "prize-night")
BEST_OF_5 = {name: replace(preset(name), best_of=5) for name in (*HOST_DECIDES, "campus")}


def ready(rules: HouseRules, *people: str) -> TableFixture:
    """Ann, the host, in the first seat, these people in the next ones; all are ready, and one seat is free."""
    fixture = TableFixture(rules)
    for person, seat in zip((ANN, *people), rules.seats, strict=False):
        fixture.command(person, Sat(person=person, seat=seat), Agreed(person=person))
    return fixture


def test_campus_everyone_agrees_again_after_a_rule_change() -> None:
    fixture = ready(preset("campus"), BOB, CAT)
    fixture.command(ANN, RulesChanged(rules=BEST_OF_5["campus"]))
    assert fixture.table.agreed == frozenset()
    fixture.command(ANN, BotSeated(seat=W, level="novice"), Agreed(person=ANN))
    fixture.command(BOB, Agreed(person=BOB))
    assert fixture.table.phase == "gathering"
    fixture.command(CAT, Agreed(person=CAT))
    assert fixture.table.phase == "drawing"


@pytest.mark.parametrize("name", HOST_DECIDES)
def test_where_the_host_decides_only_the_host_agrees_again(name: str) -> None:
    """Club, round-robin, school-cup and prize-night: the match starts when the host is done with changes."""
    fixture = ready(preset(name), BOB, CAT)
    fixture.command(ANN, RulesChanged(rules=BEST_OF_5[name]))
    assert fixture.table.agreed == {BOB, CAT}
    fixture.command(ANN, BotSeated(seat=W, level="novice"))
    assert fixture.table.phase == "gathering"
    fixture.command(ANN, Agreed(person=ANN))
    assert fixture.table.phase == "drawing"
    assert fixture.table.match is not None
    assert fixture.table.match.rules.best_of == 5


@pytest.mark.parametrize(("old", "new"), [("club", "campus"), ("campus", "club"), ("campus", "round-robin")])
def test_campus_everyone_agrees_to_a_change_to_or_from_its_rules(old: str, new: str) -> None:
    fixture = ready(preset(old), BOB)
    fixture.command(ANN, RulesChanged(rules=preset(new)))
    assert fixture.table.agreed == frozenset()


def test_club_changing_who_has_to_agree_needs_everyone() -> None:
    """A change of `deviations` itself, in either direction, needs everyone."""
    strict = replace(preset("club"), deviations=Deviations.EVERYONE_AGREES)
    for old, new in ((preset("club"), strict), (strict, preset("club"))):
        fixture = ready(old, BOB)
        fixture.command(ANN, RulesChanged(rules=new))
        assert fixture.table.agreed == frozenset()


def test_club_a_person_whose_seat_is_gone_is_no_longer_ready() -> None:
    fixture = ready(preset("club"), BOB, CAT)
    fixture.command(CAT, Sat(person=CAT, seat=W), Agreed(person=CAT))
    fixture.command(ANN, RulesChanged(rules=preset("club2")))
    assert dict(fixture.table.seats) == {N: SeatedPerson(ANN)}
    assert fixture.table.agreed == frozenset()
    fixture.command(ANN, RulesChanged(rules=preset("club3")))
    fixture.command(CAT, Sat(person=CAT, seat=S))
    assert fixture.table.agreed == frozenset()


def test_club_a_change_that_leaves_all_ready_starts_the_match() -> None:
    """A host without a seat makes it three-handed, and the three people seated are ready."""
    fixture = TableFixture(preset("club"))
    for person, seat in ((BOB, N), (CAT, E), (DAN, S)):
        fixture.command(person, Sat(person=person, seat=seat), Agreed(person=person))
    assert fixture.table.phase == "gathering"
    fixture.command(ANN, RulesChanged(rules=preset("club3")))
    assert fixture.table.phase == "drawing"


@pytest.mark.parametrize("name", ["campus", "club"])
def test_a_change_that_changes_nothing_needs_no_agreement(name: str) -> None:
    fixture = ready(preset(name), BOB)
    for change in (RulesChanged(rules=preset(name)), TimeControlChanged(clock=TimeControl.OFF)):
        fixture.command(ANN, change)
        assert fixture.table.agreed == {ANN, BOB}


def test_a_clock_is_agreed_to_as_rules_are() -> None:
    """Campus: by everyone. Club: the host decides."""
    for name, standing in (("campus", set()), ("club", {BOB})):
        fixture = ready(preset(name), BOB)
        fixture.command(ANN, TimeControlChanged(clock=TimeControl.QUICK))
        assert fixture.table.clock is TimeControl.QUICK
        assert fixture.table.agreed == standing


def test_club_a_rule_change_keeps_rematch_requests() -> None:
    fixture = seated(preset("club"), people=(ANN, BOB), seed=3)
    fixture.play_on()
    fixture.command(BOB, RematchRequested(person=BOB))
    fixture.command(ANN, RulesChanged(rules=BEST_OF_5["club"]))
    assert fixture.table.rematch == fixture.table.agreed == {BOB}
    fixture.command(ANN, RematchRequested(person=ANN))
    assert fixture.table.phase == "drawing"


@pytest.mark.parametrize(
    "change",
    [RulesChanged(rules=BEST_OF_5["club"]), TimeControlChanged(clock=TimeControl.RELAXED)],
    ids=["rules", "clock"],
)
def test_club_everyone_sees_who_agreed_before_a_change(change: TableFact) -> None:
    """Until they agree again, change seats or leave, or the change is undone."""
    fixture = ready(preset("club"), BOB, CAT)
    fixture.command(ANN, change)
    assert table_to_json(fixture.table, None)["agreed_before_change"] == [BOB, CAT]
    fixture.command(BOB, Agreed(person=BOB))
    assert table_to_json(fixture.table, None)["agreed_before_change"] == [CAT]
    fixture.command(CAT, Left(person=CAT))
    assert table_to_json(fixture.table, None)["agreed_before_change"] == []
    assert CAT not in fixture.table.agreements
    fixture.command(ANN, RulesChanged(rules=preset("club")), TimeControlChanged(clock=TimeControl.OFF))
    assert table_to_json(fixture.table, None)["agreed_before_change"] == [BOB]
    fixture.command(ANN, change)
    assert table_to_json(fixture.table, None)["agreed_before_change"] == []
    assert table_to_json(fixture.table, None)["agreed"] == [BOB]
