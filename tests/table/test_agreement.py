"""Who has to agree again when the host changes rules or clock: that is the rule `deviations`."""

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
    phase,
    table_to_json,
)
from table_fixture import ANN, BOB, CAT, DAN, TableFixture, seated

N, E, S, W = Seat
HOST_DECIDES = ("club", "round-robin", "school-cup", "prize-night")
BEST_OF_5 = {name: replace(preset(name), best_of=5) for name in (*HOST_DECIDES, "campus")}


def ready(rules: HouseRules, *people: str) -> TableFixture:
    """Ann, the host, at the first seat, these people at the next ones; all of them are ready, and a seat is free."""
    evening = TableFixture(rules)
    for person, seat in zip((ANN, *people), rules.seats, strict=False):
        evening.ask(person, Sat(person=person, seat=seat), Agreed(person=person))
    return evening


def test_campus_everyone_agrees_again_when_the_host_changes_a_rule() -> None:
    evening = ready(preset("campus"), BOB, CAT)
    evening.ask(ANN, RulesChanged(rules=BEST_OF_5["campus"]))
    assert evening.table.agreed == frozenset()
    evening.ask(ANN, BotSeated(seat=W, level="novice"), Agreed(person=ANN))
    evening.ask(BOB, Agreed(person=BOB))
    assert phase(evening.table) == "gathering"
    evening.ask(CAT, Agreed(person=CAT))
    assert phase(evening.table) == "drawing"


@pytest.mark.parametrize("name", HOST_DECIDES)
def test_where_the_host_decides_a_rule_change_asks_only_the_host_again(name: str) -> None:
    """Club, round-robin, school-cup and prize-night: the match begins when the host is done with changing."""
    evening = ready(preset(name), BOB, CAT)
    evening.ask(ANN, RulesChanged(rules=BEST_OF_5[name]))
    assert evening.table.agreed == {BOB, CAT}
    evening.ask(ANN, BotSeated(seat=W, level="novice"))
    assert phase(evening.table) == "gathering"
    evening.ask(ANN, Agreed(person=ANN))
    assert phase(evening.table) == "drawing"
    assert evening.table.match is not None
    assert evening.table.match.rules.best_of == 5


@pytest.mark.parametrize(("old", "new"), [("club", "campus"), ("campus", "club"), ("campus", "round-robin")])
def test_campus_everyone_agrees_again_when_its_rules_are_taken_up_or_left(old: str, new: str) -> None:
    evening = ready(preset(old), BOB)
    evening.ask(ANN, RulesChanged(rules=preset(new)))
    assert evening.table.agreed == frozenset()


def test_club_nobody_escapes_agreement_by_changing_who_has_to_agree() -> None:
    """To change `deviations` itself, either way, needs everyone."""
    strict = replace(preset("club"), deviations=Deviations.EVERYONE_AGREES)
    for old, new in ((preset("club"), strict), (strict, preset("club"))):
        evening = ready(old, BOB)
        evening.ask(ANN, RulesChanged(rules=new))
        assert evening.table.agreed == frozenset()


def test_club_who_loses_the_seat_because_fewer_play_is_no_longer_ready() -> None:
    evening = ready(preset("club"), BOB, CAT)
    evening.ask(CAT, Sat(person=CAT, seat=W), Agreed(person=CAT))
    evening.ask(ANN, RulesChanged(rules=preset("club2")))
    assert dict(evening.table.seats) == {N: SeatedPerson(ANN)}
    assert evening.table.agreed == frozenset()
    evening.ask(ANN, RulesChanged(rules=preset("club3")))
    evening.ask(CAT, Sat(person=CAT, seat=S))
    assert evening.table.agreed == frozenset()


def test_club_a_match_begins_with_the_change_that_leaves_nobody_to_be_asked() -> None:
    """A host without a seat makes it three-handed, and the three who sit there are ready."""
    evening = TableFixture(preset("club"))
    for person, seat in ((BOB, N), (CAT, E), (DAN, S)):
        evening.ask(person, Sat(person=person, seat=seat), Agreed(person=person))
    assert phase(evening.table) == "gathering"
    evening.ask(ANN, RulesChanged(rules=preset("club3")))
    assert phase(evening.table) == "drawing"


@pytest.mark.parametrize("name", ["campus", "club"])
def test_a_change_that_changes_nothing_asks_nobody(name: str) -> None:
    evening = ready(preset(name), BOB)
    for change in (RulesChanged(rules=preset(name)), TimeControlChanged(clock=TimeControl.OFF)):
        evening.ask(ANN, change)
        assert evening.table.agreed == {ANN, BOB}


def test_a_clock_is_agreed_to_as_rules_are() -> None:
    """Campus: by everyone. Club: the host decides."""
    for name, standing in (("campus", set()), ("club", {BOB})):
        evening = ready(preset(name), BOB)
        evening.ask(ANN, TimeControlChanged(clock=TimeControl.QUICK))
        assert evening.table.clock is TimeControl.QUICK
        assert evening.table.agreed == standing


def test_club_who_wants_another_match_still_does_when_the_host_changes_a_rule() -> None:
    evening = seated(preset("club"), people=(ANN, BOB), seed=3)
    evening.play_on()
    evening.ask(BOB, RematchRequested(person=BOB))
    evening.ask(ANN, RulesChanged(rules=BEST_OF_5["club"]))
    assert evening.table.rematch == evening.table.agreed == {BOB}
    evening.ask(ANN, RematchRequested(person=ANN))
    assert phase(evening.table) == "drawing"


@pytest.mark.parametrize(
    "change",
    [RulesChanged(rules=BEST_OF_5["club"]), TimeControlChanged(clock=TimeControl.RELAXED)],
    ids=["rules", "clock"],
)
def test_club_everyone_sees_who_agreed_before_a_change(change: TableFact) -> None:
    """Until they agree again, change their seat or leave, or the change is taken back."""
    evening = ready(preset("club"), BOB, CAT)
    evening.ask(ANN, change)
    assert table_to_json(evening.table, None)["agreed_before_change"] == [BOB, CAT]
    evening.ask(BOB, Agreed(person=BOB))
    assert table_to_json(evening.table, None)["agreed_before_change"] == [CAT]
    evening.ask(CAT, Left(person=CAT))
    assert table_to_json(evening.table, None)["agreed_before_change"] == []
    assert CAT not in evening.table.agreements
    evening.ask(ANN, RulesChanged(rules=preset("club")), TimeControlChanged(clock=TimeControl.OFF))
    assert table_to_json(evening.table, None)["agreed_before_change"] == [BOB]
    evening.ask(ANN, change)
    assert table_to_json(evening.table, None)["agreed_before_change"] == []
    assert table_to_json(evening.table, None)["agreed"] == [BOB]
