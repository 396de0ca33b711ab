"""Every sentence of the sheets about the event itself: it stands on the sheet, and the event does what it says."""

from collections.abc import Callable
from fractions import Fraction
from itertools import combinations
from pathlib import Path

import pytest

from event_ledger import EventLedger
from leftbower.rules import preset
from leftbower.tournament.formats.registry import Format
from leftbower.tournament.model.plan import default_plan
from leftbower.tournament.scoring.money import payouts
from leftbower.tournament.scoring.standings import standings
from leftbower.tournament.text.display import school_standings


def round_robin_once() -> None:
    """*round-robin*: teams play one game against each other, and the rules alone say so."""
    ledger = EventLedger(default_plan("Evening", preset("round-robin")))
    assert ledger.plan.stage.format is Format.ROUND_ROBIN
    ledger.enter(*(f"T{index}" for index in range(7)))
    ledger.seed()
    ledger.pair()
    met = [frozenset(seating.entrants) for drawn in ledger.event.rounds for seating in drawn.tables]
    assert sorted(map(sorted, met)) == sorted(map(sorted, combinations(ledger.event.entrants, 2)))
    assert {ledger.event.best_of(drawn.stage) for drawn in ledger.event.rounds} == {1}


def cup(groups: int) -> EventLedger:
    ledger = EventLedger(default_plan("Cup", preset("school-cup")))
    assert ledger.plan.stage.format is Format.SCHOOLS
    ledger.enter(*(f"law {index}" for index in range(groups)), school="Law")
    ledger.enter(*(f"med {index}" for index in range(groups)), school="Med")
    ledger.seed()
    ledger.pair()
    return ledger


def best_two_of_three() -> None:
    """*school-cup*: each group of four, two of each school, plays the best two out of three."""
    ledger = cup(3)
    assert ledger.event.best_of(0) == 3
    for seating in ledger.event.round(1).tables:
        assert {ledger.event.entrants[who].school for who in seating.entrants} == {"Law", "Med"}
    ledger.score(1, 1, (10, 4), (4, 10), (10, 9))
    [first, _] = school_standings(ledger.event)
    assert first.matches == 1


def twenty_by_the_games() -> None:
    """*school-cup*: 20 points divided by the number of games; with ten groups two points for each."""
    for groups in (10, 7):
        ledger = cup(groups)
        for table in range(1, groups + 1):
            ledger.score(1, table, (10, 0), (10, 0))
        winners, losers = school_standings(ledger.event)
        assert [winners.won, losers.won] == [Fraction(20), Fraction(0)]
        again = cup(groups)
        again.score(1, 1, (10, 0), (10, 0))
        assert school_standings(again.event)[0].won == Fraction(20, groups)
    assert Fraction(20, 10) == 2


def ten_percent_of_teams() -> None:
    """*school-cup*: participation is 10 % of teams by school; we read a tenth of a point for each team."""
    ledger = EventLedger(default_plan("Cup", preset("school-cup")))
    ledger.enter(*(f"law {index}" for index in range(4)), school="Law")
    ledger.enter(*(f"med {index}" for index in range(7)), school="Med")
    ledger.seed()
    ledger.pair()
    assert {line.school: line.participation for line in school_standings(ledger.event)} == {
        "Law": Fraction(4, 10),
        "Med": Fraction(7, 10),
    }


def three_gift_cards() -> None:
    """*prize-night*: gift cards of 75, 50 and 25 dollars for the first three places."""
    ledger = EventLedger(default_plan("Night", preset("prize-night")))
    ledger.enter(*"ABCD")
    ledger.seed()
    for _ in range(2):
        ledger.pair()
        for number, table in ledger.event.open_tables():
            ledger.score(number, table, (10, 2 * number + table))
    places = [line.entrant for line in standings(ledger.event)]
    assert [(prize.entrant, prize.cents) for prize in payouts(ledger.event).prizes] == [
        (places[0], 7500),
        (places[1], 5000),
        (places[2], 2500),
    ]


@pytest.mark.parametrize(
    ("sheet", "sentence", "law"),
    [
        ("round-robin", "Round Robin with teams playing one game against each other", round_robin_once),
        ("school-cup", "will play the best 2 out of 3 hands", best_two_of_three),
        ("school-cup", "20 points/# of games", twenty_by_the_games),
        ("school-cup", "if there are 10 groups of 4 people, there will be 2 points awarded", twenty_by_the_games),
        ("school-cup", "10 % of Teams/ School", ten_percent_of_teams),
        ("prize-night", "1. $75.00 Visa Gift Card", three_gift_cards),
        ("prize-night", "2. $50.00 Visa Gift Card", three_gift_cards),
        ("prize-night", "3. $25.00 Visa Gift Card", three_gift_cards),
    ],
)
def test_what_the_sheet_says_of_the_event_is_what_happens(
    sheet: str, sentence: str, law: Callable[[], None], shared: Path
) -> None:
    """The sentence is on the sheet, and its law holds."""
    [page] = (shared / "sheets").glob(f"{sheet}.*")
    assert " ".join(sentence.split()) in " ".join(page.read_text(encoding="utf-8").split())
    law()
