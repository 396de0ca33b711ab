"""The points of every complete hand, and the winner at a score, written by hand.

Each sheet, each number of tricks, alone or not; games to a target for four, three and two players.
"""

from dataclasses import replace
from typing import Final

import pytest

from leftbower.rules import Outcome, Seat, points, preset
from leftbower.rules.choices import LoneDefense, TieAtTarget
from leftbower.rules.scoring import winners

pytestmark = pytest.mark.unmeasured

N, E, S, W = Seat.N, Seat.E, Seat.S, Seat.W

Scores = tuple[tuple[int, int], tuple[int, int], tuple[int, int], tuple[int, int], tuple[int, int], tuple[int, int]]
"""Points of makers and others if the makers take 0, 1, 2, 3, 4 and 5 tricks."""

SCORES: Final[dict[tuple[str, int, bool, bool], Scores]] = {
    # sheet, players, alone, defended alone: makers and others for 0, 1, 2, 3, 4, 5 tricks
    ("standard", 4, False, False): ((0, 2), (0, 2), (0, 2), (1, 0), (1, 0), (2, 0)),
    ("standard", 4, False, True): ((0, 4), (0, 4), (0, 4), (1, 0), (1, 0), (2, 0)),
    ("standard", 4, True, False): ((0, 2), (0, 2), (0, 2), (1, 0), (1, 0), (4, 0)),
    ("standard", 4, True, True): ((0, 4), (0, 4), (0, 4), (1, 0), (1, 0), (4, 0)),
    ("round-robin", 4, False, False): ((0, 2), (0, 2), (0, 2), (1, 0), (1, 0), (2, 0)),
    ("round-robin", 4, False, True): ((0, 4), (0, 4), (0, 4), (1, 0), (1, 0), (2, 0)),
    ("round-robin", 4, True, False): ((0, 2), (0, 2), (0, 2), (1, 0), (1, 0), (4, 0)),
    ("round-robin", 4, True, True): ((0, 4), (0, 4), (0, 4), (1, 0), (1, 0), (4, 0)),
    ("campus", 4, False, False): ((0, 2), (0, 2), (0, 2), (1, 0), (1, 0), (2, 0)),
    ("campus", 4, False, True): ((0, 4), (0, 4), (0, 4), (1, 0), (1, 0), (2, 0)),
    ("campus", 4, True, False): ((0, 2), (0, 2), (0, 2), (1, 0), (1, 0), (4, 0)),
    ("campus", 4, True, True): ((0, 4), (0, 4), (0, 4), (1, 0), (1, 0), (4, 0)),
    ("school-cup", 4, False, False): ((0, 2), (0, 2), (0, 2), (1, 0), (1, 0), (2, 0)),
    ("school-cup", 4, False, True): ((0, 4), (0, 4), (0, 4), (1, 0), (1, 0), (2, 0)),
    ("school-cup", 4, True, False): ((0, 2), (0, 2), (0, 2), (1, 0), (1, 0), (4, 0)),
    ("school-cup", 4, True, True): ((0, 4), (0, 4), (0, 4), (1, 0), (1, 0), (4, 0)),
    ("prize-night", 4, False, False): ((0, 2), (0, 2), (0, 2), (1, 0), (1, 0), (2, 0)),
    ("prize-night", 4, False, True): ((0, 4), (0, 4), (0, 4), (1, 0), (1, 0), (2, 0)),
    ("prize-night", 4, True, False): ((0, 2), (0, 2), (0, 2), (1, 0), (1, 0), (4, 0)),
    ("prize-night", 4, True, True): ((0, 4), (0, 4), (0, 4), (1, 0), (1, 0), (4, 0)),
    ("club", 4, False, False): ((0, 2), (0, 2), (0, 2), (1, 0), (1, 0), (2, 0)),
    ("club", 4, False, True): ((0, 4), (0, 4), (0, 4), (1, 0), (1, 0), (2, 0)),
    ("club", 4, True, False): ((0, 4), (0, 4), (0, 4), (1, 0), (1, 0), (4, 0)),
    ("club", 4, True, True): ((0, 4), (0, 4), (0, 4), (1, 0), (1, 0), (4, 0)),
    # Defending alone needs a partner to leave out, so the club's smaller games have no such rows.
    ("club", 3, False, False): ((0, 2), (0, 2), (0, 2), (1, 0), (1, 0), (2, 0)),
    ("club", 3, True, False): ((0, 4), (0, 4), (0, 4), (1, 0), (1, 0), (4, 0)),
    ("club", 2, False, False): ((0, 2), (0, 2), (0, 2), (1, 0), (1, 0), (2, 0)),
    ("club", 2, True, False): ((0, 4), (0, 4), (0, 4), (1, 0), (1, 0), (4, 0)),
}

TABLES: Final[dict[int, dict[Seat, tuple[set[Seat], set[Seat]]]]] = {
    # players: maker: the seats that make with it, and the others
    4: {N: ({N, S}, {E, W}), E: ({E, W}, {N, S}), S: ({N, S}, {E, W}), W: ({E, W}, {N, S})},
    3: {N: ({N}, {E, S}), E: ({E}, {N, S}), S: ({S}, {N, E})},
    2: {N: ({N}, {S}), S: ({S}, {N})},
}

Row = tuple[str, int, bool, bool]
HANDS: Final = [(row, maker) for row in SCORES for maker in TABLES[row[1]]]


def _name(hand: tuple[Row, Seat]) -> str:
    (sheet, seats, alone, defended_alone), maker = hand
    how = (" alone" if alone else "") + (" against a lone defender" if defended_alone else "")
    return f"{sheet}, {seats} play: {maker} makes{how}"


@pytest.mark.parametrize(("row", "maker"), HANDS, ids=map(_name, HANDS))
def test_a_hand_scores_what_the_sheet_says(row: Row, maker: Seat) -> None:
    """Only the seats that score are listed, both partners of a side, each with the points in the table."""
    sheet, seats, alone, defended_alone = row
    rules = preset(sheet, players=seats)
    if defended_alone:
        rules = replace(rules, defend_alone=LoneDefense.ALWAYS)
    makers, others = TABLES[seats][maker]
    for tricks, (for_makers, for_others) in enumerate(SCORES[row]):
        expected = dict.fromkeys(makers, for_makers) if for_makers else dict.fromkeys(others, for_others)
        outcome = Outcome(maker=maker, makers_tricks=tricks, alone=alone, defended_alone=defended_alone)
        assert dict(points(rules, outcome)) == expected, outcome


def test_in_every_hand_one_side_scores_and_the_other_does_not() -> None:
    """A check of the table above: makers score with three or more tricks, the others otherwise."""
    for scores in SCORES.values():
        assert [for_makers > 0 for for_makers, _ in scores] == [False, False, False, True, True, True]
        assert [for_others > 0 for _, for_others in scores] == [True, True, True, False, False, False]


def test_the_table_has_every_sheet_at_every_number_of_players_it_has() -> None:
    """Standard and five sheets for four players, each way of playing alone; and the club for three and for two."""
    assert len(SCORES) == 6 * 4 + 2 * 2
    assert len(HANDS) == 6 * 4 * 4 + 2 * 3 + 2 * 2


def test_round_robin_march_scores_two_for_both_partners() -> None:
    """Round robin: all five tricks with a partner score two."""
    assert points(preset("round-robin"), Outcome(maker=E, makers_tricks=5)) == {E: 2, W: 2}


def test_campus_lone_march_scores_four() -> None:
    """Campus: all five tricks alone score four instead of two."""
    assert points(preset("campus"), Outcome(maker=S, makers_tricks=5, alone=True)) == {N: 4, S: 4}


def test_school_cup_lone_euchre_scores_the_usual_two() -> None:
    """School cup: only the lone march scores differently, so a lone maker is euchred for two."""
    assert points(preset("school-cup"), Outcome(maker=W, makers_tricks=2, alone=True)) == {N: 2, S: 2}


def test_prize_night_lone_euchre_scores_the_usual_two() -> None:
    """Prize night: the sheet says explicitly that a lone maker loses no more than any other."""
    assert points(preset("prize-night"), Outcome(maker=N, makers_tricks=0, alone=True)) == {E: 2, W: 2}


def test_club_lone_euchre_scores_four() -> None:
    """Club: a lone maker who takes fewer than three tricks gives the opponents four."""
    assert points(preset("club"), Outcome(maker=N, makers_tricks=2, alone=True)) == {E: 4, W: 4}


def test_three_handed_club_euchre_scores_for_each_defender() -> None:
    """Club for three: each defender scores two, or four when the maker was alone."""
    assert points(preset("club3"), Outcome(maker=E, makers_tricks=1)) == {N: 2, S: 2}
    assert points(preset("club3"), Outcome(maker=E, makers_tricks=1, alone=True)) == {N: 4, S: 4}


def test_three_handed_club_maker_scores_alone() -> None:
    """Club for three: there are no partnerships, so a maker who makes it scores alone."""
    assert points(preset("club3"), Outcome(maker=S, makers_tricks=3)) == {S: 1}


def test_two_handed_club_euchre_scores_for_the_other_player() -> None:
    """Club for two: the one opponent scores two, or four when the maker was alone."""
    assert points(preset("club2"), Outcome(maker=S, makers_tricks=2)) == {N: 2}
    assert points(preset("club2"), Outcome(maker=S, makers_tricks=2, alone=True)) == {N: 4}


LONE_EUCHRES: Final = [
    # euchre_points_alone, maker alone, defended alone: the euchre's points
    (2, False, False, 2),
    (2, True, False, 2),
    (2, False, True, 4),
    (2, True, True, 4),
    (3, False, False, 2),
    (3, True, False, 3),
    (3, False, True, 4),
    (3, True, True, 4),
    (4, False, False, 2),
    (4, True, False, 4),
    (4, False, True, 4),
    (4, True, True, 4),
]


@pytest.mark.parametrize(("euchre_points_alone", "alone", "defended_alone", "scored"), LONE_EUCHRES)
@pytest.mark.parametrize("sheet", ["round-robin", "campus", "school-cup", "prize-night", "club"])
def test_a_euchre_by_a_lone_defender_scores_four_and_never_more(
    sheet: str, euchre_points_alone: int, alone: bool, defended_alone: bool, scored: int
) -> None:
    """The option for lone makers applies only to them; a lone defender's euchre is always four."""
    rules = replace(preset(sheet), euchre_points_alone=euchre_points_alone, defend_alone=LoneDefense.ALWAYS)
    for tricks in (0, 1, 2):
        by_north = Outcome(maker=N, makers_tricks=tricks, alone=alone, defended_alone=defended_alone)
        assert points(rules, by_north) == {E: scored, W: scored}
        assert points(rules, replace(by_north, maker=W)) == {N: scored, S: scored}


@pytest.mark.parametrize("euchre_points_alone", [2, 3, 4])
def test_the_option_for_lone_euchres_leaves_made_hands_alone(euchre_points_alone: int) -> None:
    """Three or four tricks still score one, and five still score four, even alone against a lone defender."""
    rules = replace(preset("campus"), euchre_points_alone=euchre_points_alone, defend_alone=LoneDefense.AGAINST_A_LONER)
    made_hands = [
        points(rules, Outcome(maker=N, makers_tricks=tricks, alone=True, defended_alone=True)) for tricks in (3, 4, 5)
    ]
    assert made_hands == [{N: 1, S: 1}, {N: 1, S: 1}, {N: 4, S: 4}]


@pytest.mark.parametrize(("euchre_points_alone", "scored"), [(2, 2), (3, 3), (4, 4)])
def test_without_partners_a_lone_euchre_pays_each_defender(euchre_points_alone: int, scored: int) -> None:
    """Three-handed each defender, two-handed the opponent, scores the value of the option."""
    three = replace(preset("club3"), euchre_points_alone=euchre_points_alone)
    two = replace(preset("club2"), euchre_points_alone=euchre_points_alone)
    assert points(three, Outcome(maker=N, makers_tricks=2, alone=True)) == {E: scored, S: scored}
    assert points(two, Outcome(maker=N, makers_tricks=2, alone=True)) == {S: scored}
    assert points(three, Outcome(maker=N, makers_tricks=2)) == {E: 2, S: 2}
    assert points(two, Outcome(maker=N, makers_tricks=2)) == {S: 2}


def test_every_scoring_option_counts_in_its_own_place_and_no_other() -> None:
    """Six different values, so that no option can stand in for another."""
    rules = replace(
        preset("campus"),
        made_points=5,
        march_points=6,
        made_points_alone=7,
        march_points_alone=8,
        euchre_points=9,
        euchre_points_alone=3,
    )
    plain = [points(rules, Outcome(maker=E, makers_tricks=tricks)) for tricks in range(6)]
    alone = [points(rules, Outcome(maker=E, makers_tricks=tricks, alone=True)) for tricks in range(6)]
    assert plain == [{N: 9, S: 9}, {N: 9, S: 9}, {N: 9, S: 9}, {E: 5, W: 5}, {E: 5, W: 5}, {E: 6, W: 6}]
    assert alone == [{N: 3, S: 3}, {N: 3, S: 3}, {N: 3, S: 3}, {E: 7, W: 7}, {E: 7, W: 7}, {E: 8, W: 8}]


WON: Final = [
    # players, points to win by, scores in the order of the sides, who has won
    (4, 1, (0, 0), ()),
    (4, 1, (9, 8), ()),
    (4, 1, (10, 9), (N, S)),
    (4, 1, (9, 10), (E, W)),
    (4, 1, (3, 12), (E, W)),
    (4, 2, (10, 9), ()),
    (4, 2, (11, 9), (N, S)),
    (4, 2, (12, 13), ()),
    (4, 2, (12, 14), (E, W)),
    (3, 1, (9, 9, 9), ()),
    (3, 1, (9, 10, 9), (E,)),
    (3, 1, (8, 11, 10), (E,)),
    (3, 1, (10, 10, 3), ()),
    (3, 1, (10, 10, 10), ()),
    (3, 1, (12, 10, 12), ()),
    (3, 1, (12, 10, 13), (S,)),
    (3, 2, (10, 9, 4), ()),
    (3, 2, (11, 9, 4), (N,)),
    (2, 1, (10, 9), (N,)),
    (2, 1, (9, 12), (S,)),
    (2, 2, (10, 9), ()),
]


@pytest.mark.parametrize(("players", "win_by", "scores", "won"), WON)
def test_a_game_to_ten_is_won_by_the_one_side_ahead_with_ten(
    players: int, win_by: int, scores: tuple[int, ...], won: tuple[Seat, ...]
) -> None:
    """Only one side has the highest score, at least the target, and leads by two if the rules say so."""
    rules = replace(preset("club", players=players), win_by=win_by)
    assert winners(rules, scores) == (won or None)
    assert all(winners(rules, scores, maker) == (won or None) for maker in rules.seats)


TIES: Final = [
    # the rule for two at the target, scores of N, E and S, maker of the hand, winner
    (TieAtTarget.ALL_WIN, (10, 10, 3), S, (N, E)),
    (TieAtTarget.ALL_WIN, (11, 3, 10), E, (N, S)),
    (TieAtTarget.ALL_WIN, (10, 10, 10), None, (N, E, S)),
    (TieAtTarget.ALL_WIN, (10, 9, 9), N, (N,)),
    (TieAtTarget.ALL_WIN, (9, 9, 9), N, ()),
    (TieAtTarget.MAKER_FIRST, (10, 11, 3), N, (N,)),
    (TieAtTarget.MAKER_FIRST, (10, 10, 3), E, (E,)),
    (TieAtTarget.MAKER_FIRST, (10, 10, 10), S, (S,)),
    (TieAtTarget.MAKER_FIRST, (10, 11, 3), S, (E,)),
    (TieAtTarget.MAKER_FIRST, (10, 10, 3), S, ()),
    (TieAtTarget.MAKER_FIRST, (10, 10, 3), None, ()),
    (TieAtTarget.MAKER_FIRST, (3, 10, 9), N, (E,)),
]


@pytest.mark.parametrize(("tie", "scores", "maker", "won"), TIES)
def test_three_handed_club_tie_at_ten_goes_as_the_table_chose(
    tie: TieAtTarget, scores: tuple[int, ...], maker: Seat | None, won: tuple[Seat, ...]
) -> None:
    """Club for three: both win, or the maker comes first; without the maker, the higher score decides."""
    assert winners(replace(preset("club3"), tie_at_target=tie), scores, maker) == (won or None)
