"""Standings by hand: small events whose order was worked out on paper."""

from fractions import Fraction

import pytest

from event_ledger import EventLedger, new_ledger, played
from leftbower.errors import TieStands
from leftbower.rules import Outcome, Seat, preset
from leftbower.tournament.formats.registry import Format
from leftbower.tournament.model.choices import ByeValue, TieBreak
from leftbower.tournament.model.entrants import EntrantPresence
from leftbower.tournament.model.facts import PresenceMarked, ScoreCorrected, ScoreEntered, Substituted, TieDrawn
from leftbower.tournament.scoring.money import payouts
from leftbower.tournament.scoring.results import RoundResult, entrant_tallies, round_result
from leftbower.tournament.scoring.scores import Hands, Played
from leftbower.tournament.scoring.standings import head_to_head_cycles, pool_standings, standings


def table_of(ledger: EventLedger, round: int, *teams: str) -> tuple[int, bool]:
    """The table at which two meet, and whether the first sits North and South."""
    for seating in ledger.event.round(round).tables:
        names = [ledger.event.entrants[who].name for who in seating.entrants]
        if set(names) == set(teams):
            return seating.table, names[0] == teams[0]
    raise LookupError(teams)


def meet(ledger: EventLedger, winner: str, loser: str, points: int) -> None:
    """Enter a win by 10 to `points`, wherever the two meet."""
    for drawn in ledger.event.rounds:
        try:
            table, first = table_of(ledger, drawn.number, winner, loser)
        except LookupError:
            continue
        ledger.score(drawn.number, table, (10, points) if first else (points, 10))
        return
    raise LookupError((winner, loser))


def order(ledger: EventLedger) -> list[str]:
    return [ledger.event.entrants[line.entrant].name for line in standings(ledger.event)]


def test_head_to_head_decides_between_two() -> None:
    """A and B both win two of three; A beat B."""
    ledger = new_ledger(Format.ROUND_ROBIN, ["A", "B", "C", "D"])
    ledger.pair()
    for winner, loser, points in [
        ("A", "B", 9),
        ("B", "C", 0),
        ("B", "D", 0),
        ("A", "C", 9),
        ("D", "A", 0),
        ("C", "D", 5),
    ]:
        meet(ledger, winner, loser, points)
    lines = standings(ledger.event)
    assert order(ledger)[:2] == ["A", "B"]
    assert lines[1].decided_by == "head-to-head"
    assert lines[1].because == "A beat B"


def test_a_circle_goes_on_to_the_table_among_the_tied() -> None:
    """A beat B, B beat C, C beat A, all beat D: head to head can't decide, points among the three do."""
    ledger = new_ledger(Format.ROUND_ROBIN, ["A", "B", "C", "D"])
    ledger.pair()
    for winner, loser, points in [
        ("A", "B", 8),
        ("B", "C", 2),
        ("C", "A", 5),
        ("A", "D", 9),
        ("B", "D", 0),
        ("C", "D", 9),
    ]:
        meet(ledger, winner, loser, points)
    # among the three: A +2 -5 = -3, B +8 -2 = +6, C +5 -8 = -3; A and C: C beat A
    assert order(ledger) == ["B", "C", "A", "D"]
    lines = standings(ledger.event)
    assert [line.decided_by for line in lines] == ["among-the-tied", "among-the-tied", "among-the-tied", "matches"]
    assert "among the tied" in lines[1].because
    [circle] = head_to_head_cycles(ledger.event)
    assert "A beat B" in circle
    assert "head to head can't decide" in circle


def test_what_nothing_decides_is_level_until_lots_are_drawn() -> None:
    """Two teams with the same of everything share a place; a recorded draw parts them."""
    ledger = new_ledger(Format.ROUND_ROBIN, ["A", "B", "C", "D"], ties=(TieBreak.MATCHES, TieBreak.DRAW))
    ledger.pair()
    for winner, loser in [("A", "C"), ("B", "D"), ("A", "B"), ("D", "C"), ("A", "D"), ("C", "B")]:
        meet(ledger, winner, loser, 5)
    assert [line.place for line in standings(ledger.event)] == [1, 2, 2, 2]
    assert [line.decided_by for line in standings(ledger.event)] == ["matches", "level", "level", "level"]
    ids = [line.entrant for line in standings(ledger.event)][1:]
    ledger.record(TieDrawn(order=tuple(ids[::-1])))
    assert [line.entrant for line in standings(ledger.event)][1:] == ids[::-1]
    assert standings(ledger.event)[3].decided_by == "draw"


def test_gift_cards_wait_for_the_draw_and_cash_does_not() -> None:
    """The prize-night sheet: gift cards of 75, 50 and 25 dollars; two who are level for one draw lots."""
    ledger = new_ledger(
        Format.ROUND_ROBIN, ["A", "B", "C"], preset("prize-night"), ties=(TieBreak.MATCHES, TieBreak.DRAW)
    )
    ledger.pair()
    for winner, loser in [("A", "B"), ("B", "C"), ("C", "A")]:
        meet(ledger, winner, loser, 5)
    with pytest.raises(TieStands):
        payouts(ledger.event)
    ledger.record(TieDrawn(order=("e3", "e1", "e2")))
    found = payouts(ledger.event)
    assert found.pool == 15000
    assert found.by_entrant() == {"e3": 7500, "e1": 5000, "e2": 2500}


def test_loners_and_euchres_are_counted_for_those_who_made_them() -> None:
    """Hand by hand, a loner belongs to its maker, a euchre to the side that set it."""
    ledger = new_ledger(Format.PROGRESSIVE, ["A", "B", "C", "D"])
    ledger.pair()
    seating = ledger.event.round(1).tables[0]
    loner = Outcome(maker=Seat.S, makers_tricks=5, alone=True)
    euchre = Outcome(maker=Seat.E, makers_tricks=1)
    hands = (loner, euchre, loner)
    ledger.record(ScoreEntered(round=1, table=1, score=Played(games=(Hands(hands=hands),))))
    found = entrant_tallies(ledger.event, ledger.event.rounds)
    south, north = found[seating.seats[Seat.S]], found[seating.seats[Seat.N]]
    assert (south.loners, north.loners) == (2, 0)
    assert south.euchres == north.euchres == 1
    assert south.points == 10
    assert south.high_game == 10
    assert found[seating.seats[Seat.E]].points == 0


def test_results_say_what_each_round_was() -> None:
    """Bye, walkover, forfeit, unplayed, late and absent are not losses."""
    ledger = new_ledger(Format.SWISS, ["A", "B", "C", "D", "E"], rounds=4)
    ledger.pair()
    first = ledger.event.round(1)
    ledger.absent(1, 1, "EW")
    ledger.absent(1, 2, "NS", "EW")
    results = {who: round_result(ledger.event, first, ledger.event.entrants[who]) for who in ledger.event.entrants}
    table_one, table_two = first.tables
    assert results[table_one.entrants_on(0)[0]] is RoundResult.WALKOVER
    assert results[table_one.entrants_on(1)[0]] is RoundResult.FORFEIT
    assert {results[who] for who in table_two.entrants} == {RoundResult.UNPLAYED}
    assert [results[who] for who in first.byes] == [RoundResult.BYE]
    ledger.record(PresenceMarked(entrant="e1", presence=EntrantPresence.ABSENT))
    ledger.enter("F")
    ledger.pair()
    assert round_result(ledger.event, first, ledger.event.find("F")) is RoundResult.LATE
    assert round_result(ledger.event, ledger.event.round(2), ledger.event.find("A")) is RoundResult.ABSENT
    assert round_result(ledger.event, ledger.event.round(2), ledger.event.find("F")) in (
        RoundResult.PENDING,
        RoundResult.BYE,
    )


@pytest.mark.parametrize(("bye", "matches"), [(ByeValue.WIN, 1), (ByeValue.NOTHING, 0)])
def test_a_bye_is_worth_what_the_plan_says(bye: ByeValue, matches: int) -> None:
    ledger = new_ledger(Format.SWISS, ["A", "B", "C"], bye=bye)
    ledger.pair()
    [out] = ledger.event.round(1).byes
    assert entrant_tallies(ledger.event, ledger.event.rounds)[out].matches == 0
    ledger.score(1, 1, (10, 3))
    assert entrant_tallies(ledger.event, ledger.event.rounds)[out].matches == Fraction(matches)


def test_a_substitutes_results_go_to_the_credited_player() -> None:
    """Zoe sits in for A in round 1; the points are A's. In round 2 they are credited to E, who came late."""
    ledger = new_ledger(Format.PROGRESSIVE, ["A", "B", "C", "D"])
    ledger.pair()
    ledger.record(Substituted(entrant="e1", player="A", substitute="Zoe", rounds=(1, 1)))
    ledger.enter("E")
    ledger.record(Substituted(entrant="e1", player="A", substitute="E", rounds=(2, 2), credit="e5"))
    for number in (1, 2):
        ledger.record(ScoreEntered(round=number, table=1, score=played((10, 0))))
    found = entrant_tallies(ledger.event, ledger.event.rounds)
    sides = [ledger.event.round(number).tables[0].side_of("e1") for number in (1, 2)]
    assert found["e1"].points == (10 if sides[0] == 0 else 0)
    assert found["e5"].points == (10 if sides[1] == 0 else 0)
    assert ledger.event.player_name(1, "e1") == "Zoe"
    assert ledger.event.player_name(3, "e1") == "A"


def test_evenings_are_added_up_by_name() -> None:
    """Ann wins on Monday and Bob on Tuesday, by more; over both Bob is ahead."""
    events = []
    for scores in ((10, 9), (0, 10)):
        ledger = new_ledger(Format.ROUND_ROBIN, ["Ann", "Bob"], ties=(TieBreak.MATCHES, TieBreak.POINTS))
        ledger.pair()
        ledger.score(1, 1, scores)
        events.append(ledger.event)
    lines = pool_standings(events)
    assert [(name, line.place, line.tally.points) for name, line in lines] == [("Bob", 1, 19), ("Ann", 2, 10)]
    assert lines[0][1].decided_by == "points"


def test_a_correction_says_who_why_old_and_new() -> None:
    ledger = new_ledger(Format.ROUND_ROBIN, ["A", "B"])
    ledger.pair()
    ledger.score(1, 1, (10, 3))
    fact = ScoreCorrected(round=1, table=1, old=played((10, 3)), new=played((3, 10)), why="sides mixed up")
    ledger.record(fact, by="Dana")
    [entry] = ledger.event.corrections
    assert (entry.by, entry.fact) == ("Dana", fact)
    assert order(ledger)[0] == ledger.event.entrants[ledger.event.round(1).tables[0].entrants_on(1)[0]].name
