"""Reports to the referee are parsed strictly: each wrong fact is refused by name, with a code."""

import json

import pytest
from hypothesis import given, settings, strategies as st

from leftbower.errors import BadIncident, BadSeat, LeftbowerError
from leftbower.rules import (
    HouseRules,
    Incident,
    Irregularity,
    Ruling,
    Seat,
    announce,
    cite,
    facts_needed,
    preset,
    presets,
    ruling,
)
from leftbower.rules.choices import FailureToDiscard
from leftbower.testing import house_rules

FACTS = "irregularity, offender, maker, dealer, alone, corrected, called, earlier_warnings, up_card_shown"
KINDS = "renege, out-of-turn, failure-to-discard, no-cut-offered, wrong-card-count"
SEATS = ["offender", "maker", "dealer"]
YES_OR_NO = ["alone", "corrected", "called", "up_card_shown"]

RULE_SETS = {sheet.name: sheet.rules for sheet in presets()} | {
    "penalty for the discard": HouseRules(failure_to_discard=FailureToDiscard.PENALTY)
}


def test_a_full_report_is_read_as_it_stands() -> None:
    """Every fact of the command's own example, with seats as letters or names."""
    plain = {
        "irregularity": "renege",
        "offender": "E",
        "maker": "north",
        "dealer": "w",
        "alone": True,
        "corrected": False,
        "called": True,
        "earlier_warnings": 2,
        "up_card_shown": False,
    }
    assert Incident.from_json(plain) == Incident(
        irregularity=Irregularity.RENEGE,
        offender=Seat.E,
        maker=Seat.N,
        dealer=Seat.W,
        alone=True,
        called=True,
        earlier_warnings=2,
        up_card_shown=False,
    )


@pytest.mark.parametrize("kind", Irregularity)
def test_the_irregularity_alone_is_a_report(kind: Irregularity) -> None:
    """Facts that are missing or null are unknown or have their default."""
    incident = Incident(irregularity=kind)
    assert Incident.from_json({"irregularity": str(kind)}) == incident
    assert Incident.from_json({"irregularity": kind, "offender": None, "maker": None, "dealer": None}) == incident
    assert (incident.alone, incident.corrected, incident.called, incident.earlier_warnings, incident.up_card_shown) == (
        *(False, False, False),
        0,
        True,
    )


NOT_YES_OR_NO: list[tuple[object, str]] = [
    (1, "1"),
    (0, "0"),
    ("yes", '"yes"'),
    ([], "[]"),
    ({}, "{}"),
    (1.0, "1.0"),
]
NOT_A_COUNT: list[tuple[object, str]] = [
    (-1, "-1"),
    (True, "true"),
    (False, "false"),
    ("1", '"1"'),
    (1.0, "1.0"),
    ([1], "[1]"),
    ({}, "{}"),
]
NOT_A_SEAT: list[tuple[object, str]] = [(1, "1"), (True, "true"), (["N"], "['N']"), ({}, "{}"), (0.5, "0.5")]
NOT_A_KIND: list[tuple[object, str]] = [
    ("revoke", '"revoke"'),
    ("Renege", '"Renege"'),
    ("", '""'),
    (1, "1"),
    (True, "true"),
    (["renege"], "['renege']"),
    ({"renege": 1}, "{'renege': 1}"),
]
WRONG_TYPES: list[tuple[str, object, str]] = [
    *((fact, value, f"{excerpt} must be true or false") for fact in YES_OR_NO for value, excerpt in NOT_YES_OR_NO),
    *(("earlier_warnings", value, f"{excerpt} must be a whole number, 0 or more") for value, excerpt in NOT_A_COUNT),
    *(
        (fact, value, f'{excerpt} is not a seat; write "N", "E", "S" or "W"')
        for fact in SEATS
        for value, excerpt in NOT_A_SEAT
    ),
    *(("irregularity", value, f"{excerpt} is not an irregularity; use {KINDS}") for value, excerpt in NOT_A_KIND),
]


@pytest.mark.parametrize(("fact", "value", "says"), WRONG_TYPES)
def test_a_fact_of_the_wrong_kind_is_named(fact: str, value: object, says: str) -> None:
    """The error quotes the value, says what is allowed, and has the fact as its path."""
    with pytest.raises(BadIncident) as caught:
        Incident.from_json({"irregularity": "renege", fact: value})
    assert caught.value.as_json() == {"code": "bad-incident", "message": says, "path": fact}


@pytest.mark.parametrize("fact", SEATS)
@pytest.mark.parametrize("word", ["", "X", "NE", "northeast", "N,S", "\0", "N" * 10_000])
def test_a_word_that_is_no_seat_is_refused(fact: str, word: str) -> None:
    """The error quotes the word, shortened if needed, and has the fact as its path."""
    with pytest.raises(BadSeat) as caught:
        Incident.from_json({"irregularity": "renege", fact: word})
    assert caught.value.code == "bad-seat"
    assert caught.value.message.endswith("is not a seat; write N, E, S or W")
    assert str(caught.value).isprintable()
    assert len(str(caught.value)) < 80


@pytest.mark.parametrize("fact", SEATS)
def test_of_three_seats_the_one_that_is_wrong_is_named(fact: str) -> None:
    """Three facts are seats, so the path must say which."""
    with pytest.raises(LeftbowerError) as caught:
        Incident.from_json({"irregularity": "renege", "offender": "N", "maker": "N", "dealer": "N"} | {fact: "Q"})
    assert caught.value.path == fact


@pytest.mark.parametrize("name", ["offendr", "Offender", "", "up-card-shown", "rules", "x" * 1000, "\x1b[2J"])
def test_a_fact_there_is_not_is_named(name: str) -> None:
    """A misspelled fact isn't ignored."""
    with pytest.raises(BadIncident) as caught:
        Incident.from_json({"irregularity": "renege", name: True})
    assert caught.value.message.endswith(f"is not a fact; the facts are {FACTS}")
    assert name[:20].replace("\x1b", "�") in caught.value.path
    assert len(caught.value.path) <= 40
    assert str(caught.value).isprintable()


def test_of_several_unknown_facts_the_same_one_is_always_named() -> None:
    """The first in alphabetical order, whatever the order of the report."""
    for plain in ({"zeal": 1, "anger": 1, "irregularity": 1}, {"irregularity": 1, "anger": 1, "zeal": 1}):
        with pytest.raises(BadIncident, match=r"^anger: 'anger' is not a fact"):
            Incident.from_json(plain)


@pytest.mark.parametrize("plain", [{}, {"offender": "N"}, {"alone": 1}])
def test_a_report_must_say_what_happened(plain: dict[str, object]) -> None:
    """Without an irregularity there is nothing to rule on."""
    with pytest.raises(BadIncident) as caught:
        Incident.from_json(plain)
    assert str(caught.value) == f"irregularity: say what happened: {KINDS}"


def test_a_number_too_long_to_print_is_refused_like_any_other() -> None:
    """No report causes an unnamed error."""
    for fact, value in [("earlier_warnings", -(10**5000)), ("alone", 10**5000), ("irregularity", 10**5000)]:
        with pytest.raises(BadIncident) as caught:
            Incident.from_json({"irregularity": "renege", fact: value})
        assert caught.value.path == fact


def test_any_number_of_warnings_can_be_told() -> None:
    """More warnings than the rules give aren't a contradiction: earlier referees may have been kind."""
    incident = Incident.from_json({"irregularity": "renege", "offender": "N", "earlier_warnings": 10**5000})
    assert ruling(preset("school-cup"), incident).points == {Seat.E: 2, Seat.W: 2}


INCOMPLETE: list[tuple[str, dict[str, object], str, str]] = [
    ("club", {"irregularity": "renege"}, "offender", "say who did it"),
    ("club", {"irregularity": "out-of-turn"}, "offender", "say who did it"),
    ("round-robin", {"irregularity": "renege", "corrected": True}, "offender", "say who did it"),
    ("school-cup", {"irregularity": "renege"}, "offender", "say who did it"),
    ("club", {"irregularity": "failure-to-discard"}, "dealer", "say who dealt; the dealer did not discard"),
    (
        "club3",
        {"irregularity": "renege", "offender": "E"},
        "maker",
        "say who made trump; with three players the penalty depends on it",
    ),
    (
        "club3",
        {"irregularity": "failure-to-discard", "dealer": "E"},
        "maker",
        "say who made trump; with three players the penalty depends on it",
    ),
]


@pytest.mark.parametrize(("name", "plain", "path", "says"), INCOMPLETE)
def test_a_fact_the_ruling_needs_is_asked_for(name: str, plain: dict[str, object], path: str, says: str) -> None:
    """The error says what is missing or contradictory, and has the fact as its path."""
    with pytest.raises(BadIncident) as caught:
        ruling(preset(name), Incident.from_json(plain))
    assert caught.value.as_json() == {"code": "bad-incident", "message": says, "path": path}


@pytest.mark.parametrize(
    "facts", [{"dealer": "E"}, {"offender": "E"}, {"dealer": "E", "offender": "E"}, {"dealer": "E", "maker": "N"}]
)
def test_failure_to_discard_is_always_the_dealers(facts: dict[str, object]) -> None:
    """Reported as dealer or as offender, it is the same player."""
    incident = Incident.from_json({"irregularity": "failure-to-discard"} | facts)
    assert ruling(preset("club"), incident).points == {Seat.N: 2, Seat.S: 2}


@pytest.mark.parametrize("fact", SEATS)
@pytest.mark.parametrize("kind", Irregularity)
@pytest.mark.parametrize(
    ("name", "seat", "says"),
    [
        ("club3", "W", "there is no seat W in a 3-player game; the seats are N, E, S"),
        ("club2", "E", "there is no seat E in a 2-player game; the seats are N, S"),
        ("club2", "W", "there is no seat W in a 2-player game; the seats are N, S"),
    ],
)
def test_an_empty_seat_takes_no_part(name: str, seat: str, says: str, kind: Irregularity, fact: str) -> None:
    """A seat that is empty at this table is refused, even if the fact doesn't matter."""
    incident = Incident.from_json(
        {"irregularity": str(kind), "offender": "N", "maker": "N", "dealer": "N"} | {fact: seat}
    )
    with pytest.raises(BadSeat) as caught:
        ruling(preset(name), incident)
    assert (caught.value.code, caught.value.message) == ("bad-seat", says)


def rule_on(rules: HouseRules, plain: dict[str, object]) -> Ruling | LeftbowerError:
    """The ruling, or the named error; any other error fails the test."""
    try:
        return ruling(rules, Incident.from_json(plain))
    except LeftbowerError as error:
        return error


facts = st.fixed_dictionaries(
    {"irregularity": st.sampled_from([str(kind) for kind in Irregularity])},
    optional=dict.fromkeys(SEATS, st.sampled_from("NESW") | st.none())
    | dict.fromkeys(YES_OR_NO, st.booleans())
    | {"earlier_warnings": st.integers(0, 4)},
)


@settings(max_examples=40)
@given(house_rules(), facts)
def test_any_report_under_any_rules_gets_a_ruling_or_a_named_error(rules: HouseRules, plain: dict[str, object]) -> None:
    """A ruling is JSON, cites a rule, and gives points only as a penalty, to seats at this table."""
    answer = rule_on(rules, plain)
    if isinstance(answer, LeftbowerError):
        assert answer.code in {"bad-incident", "bad-seat"}
        return
    assert json.loads(json.dumps(answer.as_json())) == answer.as_json()
    assert cite(answer, rules).endswith(".")
    assert announce(answer, rules).endswith(".")
    assert bool(answer.points) is (answer.remedy.value == "penalty")
    assert set(answer.points) <= set(rules.seats)
    assert len(set(answer.points.values())) <= 1
    assert not answer.warning or not (answer.points or answer.hand_ends)
    assert not answer.deal_passes or answer.hand_ends


@settings(max_examples=40)
@given(house_rules(), facts)
def test_a_report_with_every_fact_the_referee_asks_for_gets_a_ruling(
    rules: HouseRules, plain: dict[str, object]
) -> None:
    """`facts_needed` lists everything that is needed, and nothing else changes the ruling."""
    kind = Irregularity(plain["irregularity"])
    whole = {"offender": "N", "maker": "S", "dealer": "N"} | {
        name: fact for name, fact in plain.items() if name not in SEATS
    }
    needed = {name: whole[name] for name in facts_needed(rules, kind) if name in whole}
    answer = rule_on(rules, {"irregularity": str(kind)} | needed)
    assert isinstance(answer, Ruling)
    assert answer == rule_on(rules, whole)


@settings(max_examples=40)
@given(
    st.sampled_from(sorted(RULE_SETS)),
    st.dictionaries(
        st.sampled_from([*FACTS.split(", "), "x"]) | st.text("NESWx \0♠", max_size=5),
        st.none()
        | st.booleans()
        | st.integers()
        | st.text("NESWx \0♠", max_size=5)
        | st.lists(st.integers(), max_size=2),
        max_size=5,
    ),
)
def test_noise_gets_a_ruling_or_a_named_error(name: str, plain: dict[str, object]) -> None:
    """Any object gives a ruling or a named error."""
    answer = rule_on(RULE_SETS[name], plain)
    assert isinstance(answer, Ruling) or answer.code in {"bad-incident", "bad-seat"}
