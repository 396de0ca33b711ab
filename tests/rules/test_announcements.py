"""Rulings in a referee's words, and the rules they cite."""

import pytest

from leftbower.rules import (
    HouseRules,
    Incident,
    Irregularity,
    Seat,
    announce,
    cite,
    clause_text,
    options,
    preset,
    ruling,
)
from leftbower.rules.announcements import QUESTIONS
from leftbower.rules.referee import facts_needed

ANNOUNCED = [
    ("club", "renege", {}, "North and South score 2 points. The hand is over; the next player deals. They"),
    ("campus", "renege", {}, "North and South score 2 points. The hand is over; the next player deals."),
    ("club3", "renege", {"maker": "S"}, "South scores 2 points. The hand is over; the next player deals. South"),
    ("school-cup", "renege", {}, "A warning. The play stands and the hand goes on."),
    ("round-robin", "renege", {"corrected": True}, "It was corrected in time and costs nothing. The hand goes on."),
    ("campus", "out-of-turn", {}, "The card is taken back, at no cost. The hand goes on."),
    ("campus", "failure-to-discard", {}, "The table waits until the dealer has discarded. The hand goes on."),
    ("campus", "wrong-card-count", {}, "The same dealer deals again."),
    ("club", "no-cut-offered", {}, "The deal is lost; the next player deals."),
    (
        *("campus", "no-cut-offered", {}),
        "These rules require no cut before a deal, so nothing is wrong. The hand goes on.",
    ),
]


@pytest.mark.parametrize(("name", "kind", "facts", "says"), ANNOUNCED)
def test_a_ruling_is_announced_in_a_referees_words(name: str, kind: str, facts: dict[str, object], says: str) -> None:
    """Who scores what and what happens next; the side that scores may waive it only if the rules have a waiver."""
    answer = ruling(preset(name), Incident.from_json({"irregularity": kind, "offender": "E"} | facts))
    waiver = " may waive it or ask for less." if answer.may_be_waived else ""
    assert announce(answer, preset(name)) == says + waiver


def test_a_penalty_that_does_not_end_the_hand_is_announced_so() -> None:
    """Singular for one point."""
    rules = HouseRules(penalty_ends_hand=False, renege_points=1)
    answer = ruling(rules, Incident(irregularity=Irregularity.RENEGE, offender=Seat.N))
    assert announce(answer, rules) == "East and West score 1 point. The hand goes on."
    assert answer.points == {Seat.E: 1, Seat.W: 1}


def test_a_ruling_cites_the_clauses_of_its_options_in_the_order_of_the_card() -> None:
    """Club: what a renege costs, that it may be waived, and that it ends the hand."""
    club = preset("club")
    answer = ruling(club, Incident(irregularity=Irregularity.RENEGE, offender=Seat.E))
    assert answer.cited_options == ("renege_points", "renege_points_alone", "penalty_ends_hand", "waiver")
    assert set(answer.cited_options) <= set(options())
    assert cite(answer, club) == clause_text(club, *reversed(answer.cited_options))
    assert cite(answer, club).endswith("A penalty ends the hand and takes the place of its score.")


def test_every_fact_a_referee_may_need_has_a_question() -> None:
    """Over all irregularities under three sheets that need different facts."""
    for name in ("club3", "school-cup", "round-robin"):
        for kind in Irregularity:
            assert set(facts_needed(preset(name), kind)) <= set(QUESTIONS)
