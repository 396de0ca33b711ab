"""Standings by hand: small events whose order was worked out on paper."""

from fractions import Fraction

import pytest

from an_event import Desk, desk, played
from leftbower.errors import TieStands
from leftbower.rules import Outcome, Seat, preset
from leftbower.tournament import (
    Bye,
    Format,
    Hands,
    LotsDrawn,
    Marked,
    Played,
    Presence,
    Result,
    ScoreCorrected,
    ScoreEntered,
    Substituted,
    TieBreak,
    circles,
    payouts,
    pooled,
    result,
    standings,
    tallies,
)


def table_of(one: Desk, round: int, *teams: str) -> tuple[int, bool]:
    """The table at which two meet, and whether the first sits North and South."""
    for seating in one.event.round(round).tables:
        names = [one.event.entrants[who].name for who in seating.entrants]
        if set(names) == set(teams):
            return seating.table, names[0] == teams[0]
    raise LookupError(teams)


def meet(one: Desk, winner: str, loser: str, points: int) -> None:
    """Enter a win by ten to so many, wherever the two meet."""
    for drawn in one.event.rounds:
        try:
            table, first = table_of(one, drawn.number, winner, loser)
        except LookupError:
            continue
        one.score(drawn.number, table, (10, points) if first else (points, 10))
        return
    raise LookupError((winner, loser))


def order(one: Desk) -> list[str]:
    return [one.event.entrants[line.entrant].name for line in standings(one.event)]


def test_head_to_head_decides_between_two() -> None:
    """A and B both win two of three; A beat B."""
    one = desk(Format.ROUND_ROBIN, ["A", "B", "C", "D"])
    one.pair()
    for winner, loser, points in [
        ("A", "B", 9),
        ("B", "C", 0),
        ("B", "D", 0),
        ("A", "C", 9),
        ("D", "A", 0),
        ("C", "D", 5),
    ]:
        meet(one, winner, loser, points)
    lines = standings(one.event)
    assert order(one)[:2] == ["A", "B"]
    assert lines[1].decided_by == "head-to-head"
    assert lines[1].because == "A beat B"


def test_a_circle_goes_on_to_the_table_among_the_tied() -> None:
    """A beat B, B beat C, C beat A, all beat D: head to head decides nothing, points among the three do."""
    one = desk(Format.ROUND_ROBIN, ["A", "B", "C", "D"])
    one.pair()
    for winner, loser, points in [
        ("A", "B", 8),
        ("B", "C", 2),
        ("C", "A", 5),
        ("A", "D", 9),
        ("B", "D", 0),
        ("C", "D", 9),
    ]:
        meet(one, winner, loser, points)
    # among the three: A +2 -5 = -3, B +8 -2 = +6, C +5 -8 = -3; A and C: C beat A
    assert order(one) == ["B", "C", "A", "D"]
    lines = standings(one.event)
    assert [line.decided_by for line in lines] == ["among-the-tied", "among-the-tied", "among-the-tied", "matches"]
    assert "among the tied" in lines[1].because
    [circle] = circles(one.event)
    assert "A beat B" in circle
    assert "head to head decides nothing" in circle


def test_what_nothing_decides_is_level_until_lots_are_drawn() -> None:
    """Two teams with the same of everything share a place; a recorded draw parts them."""
    one = desk(Format.ROUND_ROBIN, ["A", "B", "C", "D"], ties=(TieBreak.MATCHES, TieBreak.DRAW))
    one.pair()
    for winner, loser in [("A", "C"), ("B", "D"), ("A", "B"), ("D", "C"), ("A", "D"), ("C", "B")]:
        meet(one, winner, loser, 5)
    assert [line.place for line in standings(one.event)] == [1, 2, 2, 2]
    assert [line.decided_by for line in standings(one.event)] == ["matches", "level", "level", "level"]
    ids = [line.entrant for line in standings(one.event)][1:]
    one.tell(LotsDrawn(order=tuple(ids[::-1])))
    assert [line.entrant for line in standings(one.event)][1:] == ids[::-1]
    assert standings(one.event)[3].decided_by == "draw"


def test_gift_cards_wait_for_the_draw_and_cash_does_not() -> None:
    """The prize-night sheet: gift cards of 75, 50 and 25 dollars; two who are level for one draw lots."""
    one = desk(Format.ROUND_ROBIN, ["A", "B", "C"], preset("prize-night"), ties=(TieBreak.MATCHES, TieBreak.DRAW))
    one.pair()
    for winner, loser in [("A", "B"), ("B", "C"), ("C", "A")]:
        meet(one, winner, loser, 5)
    with pytest.raises(TieStands):
        payouts(one.event)
    one.tell(LotsDrawn(order=("e3", "e1", "e2")))
    found = payouts(one.event)
    assert found.pool == 15000
    assert found.by_entrant() == {"e3": 7500, "e1": 5000, "e2": 2500}


def test_loners_and_euchres_are_counted_for_whoever_made_them() -> None:
    """Hand by hand, a loner belongs to its maker, a euchre to the side that set it."""
    one = desk(Format.PROGRESSIVE, ["A", "B", "C", "D"])
    one.pair()
    seating = one.event.round(1).tables[0]
    loner = Outcome(maker=Seat.S, makers_tricks=5, alone=True)
    euchre = Outcome(maker=Seat.E, makers_tricks=1)
    hands = (loner, euchre, loner)
    one.tell(ScoreEntered(round=1, table=1, score=Played(games=(Hands(hands=hands),))))
    found = tallies(one.event, one.event.rounds)
    south, north = found[seating.seats[Seat.S]], found[seating.seats[Seat.N]]
    assert (south.loners, north.loners) == (2, 0)
    assert south.euchres == north.euchres == 1
    assert south.points == 10
    assert south.high_game == 10
    assert found[seating.seats[Seat.E]].points == 0


def test_results_say_what_each_round_was() -> None:
    """Bye, walkover, forfeit, unplayed, late and absent are not losses."""
    one = desk(Format.SWISS, ["A", "B", "C", "D", "E"], rounds=4)
    one.pair()
    first = one.event.round(1)
    one.absent(1, 1, "EW")
    one.absent(1, 2, "NS", "EW")
    results = {who: result(one.event, first, one.event.entrants[who]) for who in one.event.entrants}
    table_one, table_two = first.tables
    assert results[table_one.on(0)[0]] is Result.WALKOVER
    assert results[table_one.on(1)[0]] is Result.FORFEIT
    assert {results[who] for who in table_two.entrants} == {Result.UNPLAYED}
    assert [results[who] for who in first.byes] == [Result.BYE]
    one.tell(Marked(entrant="e1", presence=Presence.ABSENT))
    one.enter("F")
    one.pair()
    assert result(one.event, first, one.event.find("F")) is Result.LATE
    assert result(one.event, one.event.round(2), one.event.find("A")) is Result.ABSENT
    assert result(one.event, one.event.round(2), one.event.find("F")) in (Result.PENDING, Result.BYE)


@pytest.mark.parametrize(("bye", "matches"), [(Bye.WIN, 1), (Bye.NOTHING, 0)])
def test_a_bye_is_worth_what_the_plan_says(bye: Bye, matches: int) -> None:
    one = desk(Format.SWISS, ["A", "B", "C"], bye=bye)
    one.pair()
    [out] = one.event.round(1).byes
    assert tallies(one.event, one.event.rounds)[out].matches == 0
    one.score(1, 1, (10, 3))
    assert tallies(one.event, one.event.rounds)[out].matches == Fraction(matches)


def test_a_substitutes_results_go_to_whoever_is_away_or_is_credited() -> None:
    """Zoe sits in for A in round 1; the points are A's. In round 2 they are credited to E, who came late."""
    one = desk(Format.PROGRESSIVE, ["A", "B", "C", "D"])
    one.pair()
    one.tell(Substituted(entrant="e1", player="A", by="Zoe", rounds=(1, 1)))
    one.enter("E")
    one.tell(Substituted(entrant="e1", player="A", by="E", rounds=(2, 2), credit="e5"))
    for number in (1, 2):
        one.tell(ScoreEntered(round=number, table=1, score=played((10, 0))))
    found = tallies(one.event, one.event.rounds)
    sides = [one.event.round(number).tables[0].side_of("e1") for number in (1, 2)]
    assert found["e1"].points == (10 if sides[0] == 0 else 0)
    assert found["e5"].points == (10 if sides[1] == 0 else 0)
    assert one.event.sitter(1, "e1") == "Zoe"
    assert one.event.sitter(3, "e1") == "A"


def test_evenings_are_added_up_by_name() -> None:
    """Ann wins on Monday and Bob on Tuesday, by more; over both Bob is ahead."""
    evenings = []
    for scores in ((10, 9), (0, 10)):
        one = desk(Format.ROUND_ROBIN, ["Ann", "Bob"], ties=(TieBreak.MATCHES, TieBreak.POINTS))
        one.pair()
        one.score(1, 1, scores)
        evenings.append(one.event)
    lines = pooled(evenings)
    assert [(name, line.place, line.tally.points) for name, line in lines] == [("Bob", 1, 19), ("Ann", 2, 10)]
    assert lines[0][1].decided_by == "points"


def test_a_correction_says_who_why_old_and_new() -> None:
    one = desk(Format.ROUND_ROBIN, ["A", "B"])
    one.pair()
    one.score(1, 1, (10, 3))
    fact = ScoreCorrected(round=1, table=1, old=played((10, 3)), new=played((3, 10)), why="sides mixed up")
    one.tell(fact, by="Dana")
    [entry] = one.event.corrections
    assert (entry.by, entry.fact) == ("Dana", fact)
    assert order(one)[0] == one.event.entrants[one.event.round(1).tables[0].on(1)[0]].name
