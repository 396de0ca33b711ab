"""The score of a table for its event: always the same points, and hand by hand if that is exact."""

from dataclasses import replace
from typing import Any

import pytest

from honor_table import ALL_FIVE, FOUR, LIED, READY, SECOND, E, N, S, W, dealt, honor, say, scored, table
from leftbower.engine import Reason, Scored, start
from leftbower.rules import HouseRules, Seat, preset
from leftbower.rules.choices import Supervision
from leftbower.rules.referee import Incident, Irregularity
from leftbower.rules.scoring import Outcome
from leftbower.server.live import match_score
from leftbower.server.live.match_score import score_of
from leftbower.server.live.records import games_of
from leftbower.table import Table
from leftbower.tournament.scoring.scores import (
    Hands,
    PassedOut,
    Played,
    Totals,
    check_score,
    game_scores,
    is_euchre,
    is_loner,
)
from table_fixture import ANN, BOB, CAT, DAN, seated

LABELS = ("NS", "EW")


@pytest.mark.parametrize(("sheet", "supervision"), [("club", "strict"), ("school-cup", "strict"), ("campus", "honor")])
def test_a_match_comes_to_the_same_score_in_the_ledger(sheet: str, supervision: str) -> None:
    """Random play: points, euchres and loners match the hands as they ended."""
    rules = replace(preset(sheet), supervision=Supervision(supervision), best_of=1, target=5)
    for seed in range(3):
        table = seated(rules, people=(ANN, BOB, CAT, DAN), seed=seed).play_on()
        score = score_of(table, rules, 1, LABELS)
        check_score(rules, 1, score, LABELS)
        ((ended, scores),) = games_of(table)
        (game,) = score.games
        assert game_scores(rules, score.games) == (scores,)
        assert isinstance(game, Hands)
        assert sum(map(is_euchre, game.hands)) == sum(hand.reason is Reason.EUCHRE for hand in ended)
        assert sum(map(is_loner, game.hands)) == sum(map(_is_loner, ended))


def _is_loner(hand: Scored) -> bool:
    return hand.contract is not None and hand.contract.alone and hand.reason is Reason.MARCH


def entry_of(hand: Scored) -> Any:
    entries = match_score._entries(hand.hand.rules, (Hands(hands=()),), hand)
    return entries and entries[0]


def passed_out() -> Scored:
    rules = honor("club", nobody_calls="pass-out", supervision="strict")
    return scored(say(start(rules, dealt(rules, "W 9h N:JhAhAsAcAd E:9sTs9cTdKh S:QsTcKc9dQd W:KsJsQcJdKd")), "p " * 8))


def march() -> Scored:
    return scored(say(table("campus", ALL_FIVE, alone=True), READY))


def lessened() -> Scored:
    """A penalty that the wronged side reduced, which an event's score can't express."""
    return scored(table("club", f"{LIED} N^E1renege {SECOND} N:Ad E:9s N=1 S=1 {READY}"))


def test_every_way_a_hand_ends_is_told_as_the_points_it_brought() -> None:
    assert entry_of(march()) == Outcome(maker=N, makers_tricks=5, alone=True)
    assert entry_of(passed_out()) == PassedOut()
    ruled = entry_of(scored(table("campus", f"{ALL_FIVE} N^E1renege {READY}")))
    assert isinstance(ruled, Incident)
    assert (ruled.irregularity, ruled.offender, ruled.maker, ruled.dealer) == (Irregularity.RENEGE, E, N, W)


@pytest.mark.parametrize("warnings_for", ["player", "side"])
def test_school_cup_warnings_are_entered_with_their_hands(warnings_for: str) -> None:
    """East is warned in a march by North and penalized in the next hand: two and two points, as at the table."""
    rules = honor("school-cup", warnings_for=warnings_for)
    words = f"o -Js {ALL_FIVE} N^E1renege {READY}"
    first = scored(say(start(rules, dealt(rules, FOUR)), words))
    second = scored(say(start(rules, dealt(rules, FOUR), warnings=(0, 1, 0, 0)), words))
    assert (first.points, second.points) == ({N: 2, S: 2}, {N: 2, S: 2})
    assert (first.reason, second.reason) == (Reason.MARCH, Reason.PENALTY)
    [game] = match_score._by_hand(rules, [((first, second), (4, 0))]) or ()
    assert [type(hand) for hand in game.hands] == [Incident, Outcome, Incident]
    assert game_scores(rules, (game,)) == ((4, 0),)


def test_what_cannot_be_told_exactly_is_not_told_hand_by_hand() -> None:
    guilty = f"N:As E:Td S:Qd W:Ks N^E1renege W^S1renege {SECOND} N:Ad E:9s"
    assert entry_of(scored(table("campus", f"{guilty} {READY}"))) is None
    assert entry_of(lessened()) is None


def test_a_match_with_such_a_hand_is_reported_in_totals(monkeypatch: pytest.MonkeyPatch) -> None:
    rules = preset("club")

    def of(*hands: Scored, scores: tuple[int, int]) -> Played:
        monkeypatch.setattr(match_score, "games_of", lambda table: [(hands, scores)])
        return score_of(_no_table(rules), rules, 1, LABELS)

    def _no_table(rules: HouseRules) -> Table:
        return seated(rules).table

    games = (Totals(points=(10, 4)),)
    assert of(march(), lessened(), scores=(10, 4)) == Played(games=games, loners={Seat.N: 1})
    assert of(*[march()] * 3, lessened(), scores=(10, 4)) == Played(games=games)
    assert of(lessened(), scores=(9, 4)) == Played(games=(Totals(points=(9, 4)),))
    assert S not in of(march(), lessened(), scores=(10, 4)).loners
