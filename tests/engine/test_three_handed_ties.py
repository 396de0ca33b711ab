"""Two of three players reach the target on one hand: the three readings of the sheet, as handwritten cases.

In `EUCHRED` South deals, makes hearts trump alone and takes no trick: North and East score 4 each.
"""

from dataclasses import replace
from typing import Any

import pytest

from leftbower.engine import Game, GameOver, InHand, Scores, ToDeal, advance_game, new_game, winner
from leftbower.engine.match import InGame, MatchOver, advance_match, new_match
from leftbower.notation import parse_hand_line
from leftbower.rules import HouseRules, Seat, preset
from leftbower.rules.choices import TieAtTarget
from leftbower.rules.house import Side
from leftbower.rules.scoring import winners

N, E, S, W = Seat
EUCHRED = (
    "{club3} S 9h N:JhAhAsAcAd E:9sTs9cTdKh S:KsJsQcJdKd D:QsTcKc | p p o! -Js | As9sKs Ac9cQc AdTdKd JhKhJd AhTs9h"
)


def club3_rules(tie: str, **changes: Any) -> HouseRules:
    return replace(preset("club3"), tie_at_target=TieAtTarget(tie), **changes)


@pytest.mark.parametrize(
    ("tie", "scores", "maker", "won"),
    [
        ("play-on", (10, 10, 4), S, None),
        ("play-on", (11, 10, 4), S, (N,)),
        ("play-on", (10, 4, 4), N, (N,)),
        ("play-on", (9, 9, 9), N, None),
        ("all-win", (10, 10, 4), S, (N, E)),
        ("all-win", (11, 10, 4), S, (N, E)),
        ("all-win", (10, 9, 4), N, (N,)),
        ("all-win", (9, 9, 4), N, None),
        ("maker-first", (10, 12, 4), N, (N,)),
        ("maker-first", (10, 12, 4), S, (E,)),
        ("maker-first", (10, 10, 4), S, None),
        ("maker-first", (10, 10, 4), None, None),
        ("maker-first", (10, 4, 4), S, (N,)),
    ],
)
def test_club3_game_is_won_as_the_table_reads_a_shared_target(
    tie: str, scores: Scores, maker: Seat | None, won: Side | None
) -> None:
    """Play on until one is ahead; both win; or the maker comes first."""
    rules = club3_rules(tie)
    assert winners(rules, scores, maker) == winner(rules, scores, 20, maker) == won


def played(game: Game) -> Game:
    """The game after South's lone euchre."""
    hand = parse_hand_line(EUCHRED)
    game = advance_game(game, hand.hand.deal)
    for action in hand.actions:
        assert isinstance(game, InHand)
        game = advance_game(game, action)
    return game


def test_club3_defenders_who_reach_ten_together_play_on_or_both_win() -> None:
    """Club3: a lone euchre at 6-6-0 makes it 10-10-0."""
    on = played(new_game(club3_rules("play-on"), S, (6, 6, 0)))
    assert isinstance(on, ToDeal)
    assert on.scores == (10, 10, 0)
    both = played(new_game(club3_rules("all-win"), S, (6, 6, 0)))
    assert isinstance(both, GameOver)
    assert both.winner == (N, E)
    ahead = played(new_game(club3_rules("play-on"), S, (7, 6, 0)))
    assert isinstance(ahead, GameOver)
    assert ahead.winner == (N,)


def test_a_game_won_together_counts_for_both_in_a_match() -> None:
    """Club3, best of three, both win: two shared games make two winners; a third player with one win loses."""
    rules = club3_rules("all-win", best_of=3, target=5)
    match = InGame(rules=rules, wins=(1, 0, 1), game=new_game(rules, S, (1, 1, 0)))
    hand = parse_hand_line(EUCHRED)
    after = advance_match(match, hand.hand.deal)
    for action in hand.actions:
        after = advance_match(after, action)
    assert isinstance(after, MatchOver)
    assert (after.wins, after.winner) == ((2, 1, 1), (N,))
    assert new_match(rules).wins == (0, 0, 0)


def test_club3_maker_who_is_euchred_does_not_come_first() -> None:
    """Club3, maker first: South, at the target since a tie, is euchred, and North wins with a higher score."""
    euchred = played(new_game(club3_rules("maker-first"), S, (9, 4, 10)))
    assert isinstance(euchred, GameOver)
    assert (euchred.scores, euchred.winner) == ((13, 8, 10), (N,))
