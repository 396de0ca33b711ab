"""Scores: from hands to points through the rule book, and which totals can be."""

from dataclasses import replace

import pytest

from leftbower.errors import BadScore, LeftbowerError
from leftbower.rules import HouseRules, Incident, Irregularity, Outcome, Seat, preset
from leftbower.rules.choices import GameEnds, TieAtTarget
from leftbower.tournament.formats.registry import Format
from leftbower.tournament.model.plan import Stage, default_plan
from leftbower.tournament.model.seating import player_seating
from leftbower.tournament.model.state import Event
from leftbower.tournament.scoring.scores import (
    Hands,
    NoShow,
    PassedOut,
    Played,
    Totals,
    check_score,
    game_scores,
    games_won,
    match_winner,
)

SIDES = ("NS", "EW")
N, E, S, W = Seat


def totals(*games: tuple[int, ...], stopped: bool = False) -> Played:
    return Played(games=tuple(Totals(points=game) for game in games), stopped=stopped)


def naive_ends(target: int) -> set[tuple[int, int]]:
    """Every end of a game to a target, by playing all sequences of hands worth 1, 2 or 4 to a side."""
    ends: set[tuple[int, int]] = set()
    visited: set[tuple[int, int]] = set()

    def play(ours: int, theirs: int) -> None:
        if (ours, theirs) in visited:
            return
        visited.add((ours, theirs))
        for points in (1, 2, 4):
            for now in ((ours + points, theirs), (ours, theirs + points)):
                if max(now) >= target:
                    ends.add(now)
                else:
                    play(*now)

    play(0, 0)
    return ends


def test_exactly_the_scores_that_can_be_are_taken() -> None:
    """Every pair of numbers up to 20 is compared with games played out by brute force."""
    ends = naive_ends(10)
    for ours in range(20):
        for theirs in range(20):
            try:
                check_score(preset("club"), 1, totals((ours, theirs)), SIDES)
                taken = True
            except BadScore:
                taken = False
            assert taken is ((ours, theirs) in ends), (ours, theirs)


@pytest.mark.parametrize(
    ("hand", "rules", "points"),
    [
        (Outcome(maker=N, makers_tricks=3), "club", (1, 0)),
        (Outcome(maker=E, makers_tricks=5), "club", (0, 2)),
        (Outcome(maker=S, makers_tricks=5, alone=True), "prize-night", (4, 0)),
        (Outcome(maker=W, makers_tricks=4, alone=True), "school-cup", (0, 1)),
        (Outcome(maker=N, makers_tricks=2), "round-robin", (0, 2)),
        (Outcome(maker=N, makers_tricks=2, alone=True), "club", (0, 4)),
        (Outcome(maker=N, makers_tricks=2, alone=True), "prize-night", (0, 2)),
        (PassedOut(), "round-robin", (0, 0)),
        (Incident(irregularity=Irregularity.RENEGE, offender=E, alone=True), "round-robin", (4, 0)),
        (Incident(irregularity=Irregularity.RENEGE, offender=E), "school-cup", (0, 0)),
    ],
)
def test_a_hand_is_worth_what_its_sheet_says(
    hand: Outcome | PassedOut | Incident, rules: str, points: tuple[int, int]
) -> None:
    """Maker, alone and tricks, or an irregularity, written down from the sheets."""
    assert game_scores(preset(rules), (Hands(hands=(hand,)),)) == (points,)


def test_a_game_told_hand_by_hand_ends_when_it_is_won() -> None:
    """Ten points in five marches; a hand too few or too many is refused."""
    march = Outcome(maker=N, makers_tricks=5)
    check_score(preset("club"), 1, Played(games=(Hands(hands=(march,) * 5),)), SIDES)
    for count in (4, 6):
        with pytest.raises(BadScore):
            check_score(preset("club"), 1, Played(games=(Hands(hands=(march,) * count),)), SIDES)


def test_a_match_is_the_best_two_of_three() -> None:
    """The school-cup sheet: whichever team wins the best two of three has the match-up."""
    rules = preset("school-cup")
    assert rules.best_of == 3
    score = totals((10, 4), (6, 10), (10, 9))
    check_score(rules, 3, score, SIDES)
    assert match_winner(rules, score) == 0
    for wrong in (totals((10, 4)), totals((10, 4), (10, 2), (10, 1)), totals((10, 4), (6, 10))):
        with pytest.raises(BadScore):
            check_score(rules, 3, wrong, SIDES)


def test_a_match_that_the_clock_stops_stands_as_it_is() -> None:
    rules = preset("school-cup")
    check_score(rules, 3, totals((10, 4), (3, 5), stopped=True), SIDES)
    assert match_winner(rules, totals((10, 4), (3, 5), stopped=True)) is not None
    assert match_winner(preset("club"), totals((4, 4), stopped=True)) is None
    with pytest.raises(BadScore):
        check_score(preset("club"), 1, totals((10, 4), stopped=True), SIDES)


@pytest.mark.parametrize("ends", [GameEnds.AFTER_8_HANDS, GameEnds.AFTER_12_HANDS])
def test_a_game_of_fixed_hands_brings_no_more_than_its_hands_can(ends: GameEnds) -> None:
    """Eight hands: at most 32 to one side; a level end is a tie, and in a longer match one more hand is played."""
    rules = replace(HouseRules(), game_ends=ends)
    hands = rules.fixed_hands or 0
    check_score(rules, 1, totals((4 * hands, 0)), SIDES)
    check_score(rules, 1, totals((7, 7)), SIDES)
    for wrong in ((4 * hands + 1, 0), (4 * hands, 1)):
        with pytest.raises(BadScore):
            check_score(rules, 1, totals(wrong), SIDES)
    with pytest.raises(BadScore):
        check_score(rules, 3, totals((7, 7), (8, 7), (8, 7)), SIDES)


def test_three_play_by_the_clubs_rules_for_three() -> None:
    """Each scores alone, and the defenders of a euchre both score."""
    stage = Stage(format=Format.PROGRESSIVE, rounds=1, best_of=1)
    event = Event(version=1, updated_at=0.0, plan=default_plan("Three", preset("prize-night"), stage), stages=(stage,))
    three = event.rules_of(player_seating(1, "abc"))
    assert three == preset("club3")
    assert event.rules_of(player_seating(1, "abcd")) == preset("prize-night")
    assert game_scores(three, (Hands(hands=(Outcome(maker=N, makers_tricks=2),)),)) == ((0, 2, 2),)
    check_score(three, 1, totals((10, 4, 6)), ("N", "E", "S"))
    with pytest.raises(BadScore):
        check_score(three, 1, totals((10, 4)), ("N", "E", "S"))


@pytest.mark.parametrize(
    "wrong",
    [
        NoShow(absent=()),
        NoShow(absent=("N",)),
        NoShow(absent=("NS", "NS")),
        Played(games=()),
        Played(games=(Totals(points=(10, -1)),)),
        Played(games=(Totals(points=(10, 2)),), loners={Seat.N: 3}),
        Played(games=(Totals(points=(10, 2)),), loners={Seat.E: 1}),
        Played(games=(Hands(hands=(Outcome(maker=N, makers_tricks=6),)),)),
    ],
)
def test_what_cannot_be_is_refused(wrong: Played | NoShow) -> None:
    with pytest.raises(LeftbowerError):
        check_score(preset("club"), 1, wrong, SIDES)


@pytest.mark.parametrize(
    ("tie", "scores", "won"),
    [
        ("play-on", (11, 10, 4), (1, 0, 0)),
        ("all-win", (10, 10, 4), (1, 1, 0)),
        ("all-win", (11, 10, 4), (1, 1, 0)),
    ],
)
def test_club3_game_of_an_event_handles_a_shared_target(
    tie: str, scores: tuple[int, ...], won: tuple[int, ...]
) -> None:
    """The score can be entered, and the game counts for all who win it."""
    rules = replace(preset("club3"), tie_at_target=TieAtTarget(tie))
    score = Played(games=(Totals(points=scores),))
    check_score(rules, 1, score, ("N", "E", "S"))
    assert games_won(rules, score.games) == won


def test_club3_level_game_is_played_on_unless_both_win() -> None:
    """Ten each is no end of a game where they play on."""
    score = Played(games=(Totals(points=(10, 10, 4)),))
    with pytest.raises(BadScore):
        check_score(preset("club3"), 1, score, ("N", "E", "S"))
