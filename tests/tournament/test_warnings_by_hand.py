"""Warnings for reneges in scores entered hand by hand; what to expect was written by hand from the sheets."""

from dataclasses import replace
from typing import Any, Final

import pytest

from event_ledger import EventLedger, new_ledger
from leftbower.errors import BadIncident, BadScore
from leftbower.rules import HouseRules, Incident, Irregularity, Seat, preset
from leftbower.rules.choices import GameEnds, OutOfTurn, RenegeAlone, ScoreKeeping, WarningsFor, WarningsLast
from leftbower.tournament.formats.registry import Format
from leftbower.tournament.hall.facts import HandReported, ReportWithdrawn
from leftbower.tournament.model.facts import ScoreEntered
from leftbower.tournament.scoring.scores import Played, check_score, game_scores, hand_results
from leftbower.tournament.text import parse

CUP = preset("school-cup")
EIGHT = replace(CUP, game_ends=GameEnds.AFTER_8_HANDS, score_keeping=ScoreKeeping.ANY_WAY, best_of=1)
SIDES = ("NS", "EW")
FIRST = "^renege:W"
AT: Final[dict[str, Any]] = {"round": 1, "table": 1, "side": "NS"}


def scores(rules: HouseRules, *games: str) -> list[tuple[int, ...]]:
    return list(game_scores(rules, tuple(map(parse.parse_game, games))))


def check(rules: HouseRules, *games: str) -> None:
    check_score(rules, len(games), Played(games=tuple(map(parse.parse_game, games))), SIDES)


def match(games: int, rules: HouseRules = CUP) -> EventLedger:
    """Two teams of a cup at table 1."""
    plan = new_ledger(Format.SWISS, 2, rules).plan
    cup = EventLedger(replace(plan, stage=replace(plan.stage, best_of=games)))
    cup.enter("A", "B")
    cup.seed()
    cup.pair()
    return cup


def enter(cup: EventLedger, words: str) -> list[tuple[int, ...]]:
    """Enter hands as a phone does; `back` takes the last one back."""
    for word in words.split():
        if word == "back":
            cup.record(ReportWithdrawn(**AT))
        else:
            cup.record(HandReported(hand=parse.parse_hand(word), **AT))
    return list(game_scores(cup.event.rules, cup.event.hall.tallies[1, 1].games))


def test_school_cup_second_renege_of_a_player_costs_two() -> None:
    """One warning, then two points: two loners more make ten."""
    assert scores(CUP, f"{FIRST} {FIRST} N5! N5!") == [(10, 0)]
    check(CUP, f"{FIRST} {FIRST} N5! N5!")
    with pytest.raises(BadScore, match="8-0"):
        check(CUP, f"{FIRST} N5! N5!")


def test_school_cup_warning_leaves_the_score_of_its_hand() -> None:
    """The play stands: West is warned in a hand that East makes, and fined in a later one."""
    assert scores(CUP, f"{FIRST} E3") == [(0, 1)]
    assert scores(CUP, f"{FIRST} E3 N3 p {FIRST} N3") == [(4, 1)]
    assert scores(CUP, f"{FIRST} {FIRST} {FIRST}") == [(4, 0)]  # one warning only, then each renege costs


def test_school_cup_warns_each_player_once() -> None:
    """East has a first warning too, though West had one; so have North and South."""
    assert scores(CUP, "^renege:W ^renege:E ^renege:N ^renege:S") == [(0, 0)]
    assert scores(CUP, "^renege:W ^renege:E ^renege:N ^renege:S ^renege:N") == [(0, 2)]


def test_warnings_of_a_side_count_against_both_partners() -> None:
    sides = replace(CUP, warnings_for=WarningsFor.SIDE)
    assert scores(sides, "^renege:W ^renege:E ^renege:N") == [(2, 0)]
    assert scores(sides, "^renege:W ^renege:E ^renege:N ^renege:S") == [(2, 2)]


def test_two_warnings_come_before_a_penalty_under_such_rules() -> None:
    assert scores(replace(CUP, renege_warnings=2), "^renege:W ^renege:W ^renege:W") == [(2, 0)]


def test_a_play_out_of_turn_counts_as_a_warning() -> None:
    rules = replace(CUP, out_of_turn=OutOfTurn.AS_RENEGE)
    assert scores(rules, "^out-of-turn:W ^renege:W") == [(2, 0)]
    assert scores(CUP, "^out-of-turn:W ^renege:W") == [(0, 0)]  # taken back at no cost, which is no warning


def test_school_cup_warnings_last_for_one_game_of_three() -> None:
    first = "^renege:W N5! N5! N5!"
    assert scores(CUP, first, "^renege:W E5!") == [(12, 0), (0, 4)]
    assert scores(CUP, first, "^renege:W ^renege:W") == [(12, 0), (2, 0)]


def test_warnings_that_last_for_a_match_go_on_in_its_next_game() -> None:
    whole = replace(CUP, warnings_last=WarningsLast.MATCH)
    assert scores(whole, "^renege:W N5! N5! N5!", "^renege:W ^renege:E E5!", "^renege:E") == [(12, 0), (2, 4), (2, 0)]


def test_a_warning_is_none_of_eight_hands() -> None:
    """A game of eight hands with two warnings in it; a penalty is a hand, for it ends the one in which it falls."""
    check(EIGHT, "^renege:W N3 N3 N3 N3 ^renege:E N3 N3 N3 N3")
    check(EIGHT, "^renege:W N3 N3 N3 N3 ^renege:W N3 N3 N3")
    with pytest.raises(BadScore, match="8 hands, but 7 are reported"):
        check(EIGHT, "^renege:W N3 N3 N3 N3 ^renege:E N3 N3 N3")
    [results] = hand_results(EIGHT, (parse.parse_game("^renege:W N3 ^renege:W p"),))
    assert [result.counts for result in results] == [False, True, True, True]


def test_three_players_are_warned_one_by_one() -> None:
    """A defender's renege pays only the maker, once the defender has had a warning."""
    three = replace(preset("club3"), renege_warnings=1)
    assert scores(three, "^renege:E:N ^renege:S:N ^renege:E:N") == [(2, 0, 0)]
    assert scores(three, "^renege:N:N N3 ^renege:N:N!") == [(1, 4, 4)]


def test_round_robin_renege_against_a_loner_names_the_maker() -> None:
    """Where only the side against a lone hand pays four: East against a lone North does, North does not."""
    rules = replace(preset("round-robin"), renege_alone=RenegeAlone.AGAINST_THE_LONE_SIDE)
    assert scores(rules, "^renege:E:N!", "^renege:N:N!", "^renege:E:N") == [(4, 0), (0, 2), (2, 0)]


def test_what_an_incident_says_of_earlier_warnings_does_not_count() -> None:
    """Only hands that were entered do, so that one taken back takes its warning with it."""
    said = Incident(irregularity=Irregularity.RENEGE, offender=Seat.W, earlier_warnings=1)
    cup = match(1)
    cup.record(HandReported(round=1, table=1, side="NS", hand=said))
    assert game_scores(CUP, cup.event.hall.tallies[1, 1].games) == ((0, 0),)


# As phones enter them


def test_school_cup_phone_counts_warnings_from_the_hands_before() -> None:
    cup = match(1)
    assert enter(cup, "^renege:W N3 ^renege:W") == [(3, 0)]
    assert enter(cup, "N5! ^renege:E E2 ^renege:E") == [(11, 0)]


def test_school_cup_warning_taken_back_is_none() -> None:
    cup = match(1)
    assert enter(cup, "^renege:W back ^renege:W") == [(0, 0)]
    assert enter(cup, "^renege:W") == [(2, 0)]
    assert enter(cup, "back back N3 ^renege:W") == [(1, 0)]


def test_school_cup_warnings_end_with_a_game() -> None:
    """Ten by a second renege; a warning in the second game begins that game and is none of the first."""
    cup = match(3)
    assert enter(cup, "^renege:W N5! N5! ^renege:W") == [(10, 0)]
    assert enter(cup, "^renege:W N5!") == [(10, 0), (4, 0)]
    assert enter(cup, "back back back N3") == [(9, 0)]
    lasting = match(3, replace(CUP, warnings_last=WarningsLast.MATCH))
    assert enter(lasting, "^renege:W N5! N5! ^renege:W ^renege:W") == [(10, 0), (2, 0)]


def test_a_match_of_eight_hands_goes_on_after_a_warning() -> None:
    eight = match(1, EIGHT)
    enter(eight, "^renege:W N3 N3 N3 N3 ^renege:E N3 N3 N3")
    assert enter(eight, "E5!") == [(7, 4)]
    with pytest.raises(BadScore, match="the match is over"):
        enter(eight, "N3")


def test_among_three_a_second_renege_is_refused_without_its_maker() -> None:
    """A warning needs no maker, a penalty does: what could not be scored is never in the ledger."""
    three = replace(preset("club3"), renege_warnings=1)
    games = (parse.parse_game("^renege:E ^renege:E"),)
    with pytest.raises(BadIncident, match="who made trump"):
        hand_results(three, games)


# As the desk enters them


def test_school_cup_desk_scores_count_warnings_per_game() -> None:
    """Best of three: West is fined in the first game and only warned in the second."""
    cup = match(3)
    games = "^renege:W ^renege:W N5! N5!", "^renege:W E5! E5! E5", "^renege:W ^renege:W N5! N5!"
    cup.record(ScoreEntered(round=1, table=1, score=parse.parse_score((), games, (), (), stopped=False)))
    score = cup.event.settled_score(1, 1)
    assert isinstance(score, Played)
    assert game_scores(cup.event.rules, score.games) == ((10, 0), (0, 10), (10, 0))
