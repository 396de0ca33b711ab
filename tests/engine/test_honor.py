"""Honor tables: a player reneges, and another one calls it.

Handwritten scenarios, each naming its sheet. In the deal `FOUR` hearts are trump, West deals, and North leads and can
take every trick. `LIED` is a trick in which East reneges: East shows the nine of spades in the third trick. In `HONEST`
East plays the same card, but has no spade.
"""

from dataclasses import replace

import pytest

from honor_table import (
    ALL_FIVE,
    EW,
    FIFTH,
    FOUR,
    FOURTH,
    HONEST,
    LIED,
    NS,
    OTHER_SHEETS,
    READY,
    SECOND,
    THIRD,
    TOGETHER,
    TRUE,
    E,
    N,
    S,
    W,
    both,
    calls_of,
    closing,
    dealt,
    ended,
    honor,
    may,
    playing,
    refused,
    say,
    say_in_game,
    settling,
    small_table,
    table,
)
from leftbower.engine import (
    Draw,
    InGame,
    InHand,
    Match,
    Play,
    Reason,
    Settling,
    ToDeal,
    ToDraw,
    advance_game,
    advance_match,
    legal_actions,
    new_game,
    points_so_far,
    start,
    view,
)
from leftbower.notation import parse_token
from leftbower.rules import Seat, cite, parse_cards, preset
from leftbower.rules.referee import Remedy

# A renege is possible, and must be noticed


def test_an_honor_table_lets_a_player_renege_and_says_nothing() -> None:
    """Club: no view reports the renege, and an unnoticed one costs nothing."""
    state = table("club", LIED)
    assert playing(state).docket.verdicts == ()
    assert ended(table("club", ALL_FIVE)) == (Reason.MARCH, both(NS, 2))


def test_a_strict_table_refuses_the_same_card() -> None:
    """Club, strict: the renege is refused, and there is nothing to call."""
    rules = preset("club")
    state = say(start(rules, dealt(rules, FOUR)), "o -Js & N:As")
    assert refused(state, "E:Td") == "must-follow-suit"
    state = say(state, "E:9s S:Qs W:Ks")
    assert calls_of(state, N) == []
    assert refused(state, "N^E1renege") == "not-now"


def test_only_opponents_may_call() -> None:
    """Club: neither the offender nor the offender's partner can call it."""
    state = table("club", LIED)
    assert calls_of(state, N) == calls_of(state, S) == [(E, "renege", 1)]
    assert calls_of(state, E) == calls_of(state, W) == []
    assert refused(state, "W^E1renege") == "not-now"


def test_the_partner_who_sits_out_may_call() -> None:
    """Campus: South sits out, but is still East's opponent."""
    assert calls_of(table("campus", LIED, alone=True), S) == [(E, "renege", 1)]


def test_a_call_is_offered_guilty_or_not() -> None:
    """Club: the list of calls is the same for a player who reneged and an honest one."""
    lied, honest = table("club", LIED), table("club", LIED, line=HONEST)
    assert calls_of(lied, N) == calls_of(honest, N) == [(E, "renege", 1)]
    assert calls_of(table("club", TRUE), N) == []


@pytest.mark.parametrize("sheet", [*OTHER_SHEETS, "club"])
def test_an_unproven_call_gets_the_same_answer_whether_true_or_false(sheet: str) -> None:
    """Every sheet: everyone but East sees the same table, before and after the call, until a card proves it."""
    for words in (LIED, f"{LIED} N^E1renege", f"{LIED} N^E1renege S^E1renege {SECOND}"):
        lied, honest = table(sheet, words), table(sheet, words, line=HONEST)
        for seat in (N, S, W, None):
            assert view(lied, seat) == view(honest, seat)


def test_a_call_is_on_the_record_and_seen_by_all_at_once() -> None:
    """Prize-night: every view shows the open call."""
    state = table("prize-night", f"{LIED} N^E1renege")
    for seat in (*Seat, None):
        [call] = view(state, seat).docket.calls
        assert (call.seat, call.against, call.trick) == (N, E, 1)
        assert view(state, seat).actions[-1] == call


def test_a_renege_is_ruled_as_soon_as_the_suit_withheld_is_shown() -> None:
    """Campus: the nine of spades falls in the third trick, and proves what was called in the first."""
    state = table("campus", f"{LIED} N^E1renege {SECOND} N:Ad")
    assert playing(state).docket.verdicts == ()
    [verdict] = closing(say(state, "E:9s")).docket.verdicts
    assert verdict.guilty
    assert verdict.evidence == parse_cards("Td9s")
    assert verdict.ruling is not None
    assert verdict.ruling.cited_options == ("renege_points", "renege_points_alone", "penalty_ends_hand")
    assert "renege" in cite(verdict.ruling, state.hand.rules).lower()


def test_a_renege_that_is_already_shown_is_ruled_when_it_is_called() -> None:
    """Campus: called only after the nine of spades has fallen."""
    assert closing(table("campus", f"{LIED} {SECOND} {THIRD} S^E1renege")).docket.verdicts[0].guilty


def test_an_honest_player_is_acquitted_when_the_last_card_has_fallen() -> None:
    """Campus: East had no spade; the verdict comes with the last card, and costs nothing."""
    before = f"{LIED} N^E1renege {SECOND} N:Ad E:Jc S:9d W:Kd {FOURTH} N:Ah"
    state = table("campus", before, line=HONEST)
    assert playing(state).docket.verdicts == ()
    [verdict] = playing(say(state, "E:Th")).docket.verdicts
    assert not verdict.guilty
    assert verdict.ruling is None
    assert refused(say(state, "E:Th"), "N^E1renege") == "not-now"
    assert ended(say(state, "E:Th S:Qd W:9h")) == (Reason.MARCH, both(NS, 2))


def test_a_wrong_call_costs_what_the_table_agreed() -> None:
    """Campus with wrong calls at 2: the accused side scores 2 in addition to the hand, only once for two callers."""
    words = f"{LIED} N^E1renege S^E1renege {SECOND} N:Ad E:Jc S:9d W:Kd {FOURTH} N:Ah E:Th S:Qd W:9h"
    state = table("campus", words, line=HONEST, wrong_call_points=2)
    assert len(closing(state).docket.verdicts) == 1
    assert ended(state) == (Reason.MARCH, both((N, S, E, W), 2))


def test_each_caller_calls_once_and_one_verdict_settles_all() -> None:
    """Campus: both opponents call the same trick. It gets one ruling and can't be called again."""
    state = table("campus", f"{LIED} N^E1renege")
    assert refused(state, "N^E1renege") == "not-now"
    state = say(state, f"S^E1renege {SECOND} N:Ad E:9s")
    assert len(closing(state).docket.verdicts) == 1
    assert closing(state).docket.calls == ()
    assert refused(state, "S^E1renege") == "not-now"
    assert ended(state) == (Reason.PENALTY, both(NS, 2))


def test_two_offenses_are_two_calls() -> None:
    """Campus: East trumps in on clubs too, with a club in hand."""
    state = table("campus", f"{LIED} N:Ac E:Kh S:Tc W:Qc")
    assert calls_of(state, N) == [(E, "renege", 1), (E, "renege", 2)]
    state = say(state, "N^E2renege E:9c")
    assert closing(state).docket.verdicts[0].call.trick == 2


def test_following_with_the_left_bower_is_following_trump() -> None:
    """Campus: hearts led, and the jack of diamonds follows; diamonds led, and it does not."""
    hearts = table("campus", "N:Jh E:Kh S:Qs W:Jd")
    assert calls_of(hearts, N) == []
    diamonds = table("campus", "N:Ad E:Td S:9d W:Jd")
    assert calls_of(diamonds, N) == [(W, "renege", 1)]


# What a renege costs, by sheet


@pytest.mark.parametrize(
    ("sheet", "together", "alone"), [("campus", 2, 2), ("prize-night", 2, 2), ("round-robin", 2, 4), ("club", 2, 4)]
)
def test_a_renege_costs_what_the_sheet_says(sheet: str, together: int, alone: int) -> None:
    """Campus and prize-night 2 flat; round-robin and club 2, or 4 when the hand is alone."""
    settled = "N=full" if sheet == "club" else ""
    for is_alone, points in ((False, together), (True, alone)):
        state = table(sheet, f"{ALL_FIVE} N^E1renege {settled}", alone=is_alone)
        assert ended(state) == (Reason.PENALTY, both(NS, points))


@pytest.mark.parametrize("sheet", ["campus", "prize-night", "club"])
def test_a_penalty_ends_the_hand_and_replaces_its_score(sheet: str) -> None:
    """Campus, prize-night, club: a ruling in the third trick ends the play, and tricks don't count."""
    state = table(sheet, f"{LIED} N^E1renege {SECOND} N:Ad E:9s")
    if sheet == "club":
        state = say(state, "S=full")
    assert closing(state).makers_tricks is None
    assert refused(state, "S:9d") == "not-your-turn"
    assert ended(state) == (Reason.PENALTY, both(NS, 2))


def test_a_renege_of_the_makers_gives_the_points_to_the_defenders() -> None:
    """Campus: South, North's partner, reneges and shows the queen of spades."""
    state = table("campus", f"N:As E:9s S:Qd W:Ks W^S1renege {SECOND} N:Jh E:Kh S:Qs")
    assert ended(state) == (Reason.PENALTY, both(EW, 2))


def test_a_penalty_that_does_not_end_the_hand_is_added_to_its_score() -> None:
    """Campus, without ending the hand: the hand goes on to its march, and both scores count."""
    state = table("campus", f"{LIED} N^E1renege {SECOND} N:Ad E:9s", penalty_ends_hand=False)
    assert [penalty.points for penalty in playing(state).docket.penalties] == [both(NS, 2)]
    assert ended(say(state, f"S:9d W:Kd {FOURTH} {FIFTH}")) == (Reason.MARCH, both(NS, 4))


def test_a_penalty_counts_before_all_are_ready() -> None:
    """Campus: at once, also while the hand goes on; then together with what the hand scores."""
    ended_by_it = table("campus", f"{LIED} N^E1renege {SECOND} N:Ad E:9s")
    assert points_so_far(closing(ended_by_it)) == ended(ended_by_it)[1] == both(NS, 2)
    assert points_so_far(playing(table("campus", LIED))) == {}
    assert points_so_far(start(honor("campus"), dealt(honor("campus"), FOUR))) == {}
    state = table("campus", f"{LIED} N^E1renege {SECOND} N:Ad E:9s", penalty_ends_hand=False)
    assert points_so_far(playing(state)) == both(NS, 2)
    assert points_so_far(closing(say(state, f"S:9d W:Kd {FOURTH} {FIFTH}"))) == both(NS, 4)


def test_one_penalty_for_each_side_in_a_hand() -> None:
    """Campus: both defenders reneged; their opponents score 2, not 4."""
    state = table("campus", f"N:As E:Td S:Qs W:Qc {SECOND.replace('W:Qc', 'W:Ks')} {THIRD} N^E1renege N^W1renege")
    assert [verdict.guilty for verdict in closing(state).docket.verdicts] == [True, True]
    assert len(closing(state).docket.penalties) == 1
    assert ended(state) == (Reason.PENALTY, both(NS, 2))


@pytest.mark.parametrize("sheet", ["round-robin", "campus", "prize-night", "club"])
def test_both_sides_guilty_cancel(sheet: str) -> None:
    """Four sheets: East's penalty ends the hand, South's cards are shown, and nothing counts; the next player deals."""
    rules = honor(sheet)
    words = f"{TOGETHER.get(sheet, 'o -Js')} N:As E:Td S:Qd W:Ks N^E1renege W^S1renege {SECOND} N:Ad E:9s"
    if sheet == "club":
        words += " N=full E=full"
    if sheet == "round-robin":
        words += " S:9d W:Kd N:Jh E:Kh S:Qs W:Jd N:Ah E:Ts S:Kc W:9h"
    game = say_in_game(advance_game(new_game(rules, W), dealt(rules, FOUR)), f"{words} {READY}")
    assert isinstance(game, ToDeal)
    assert (game.scores, game.dealer, game.hands) == ((0, 0), N, 1)
    assert game.last is not None
    assert (game.last.reason, dict(game.last.points)) == (Reason.BOTH_GUILTY, {})


# Round-robin: corrected before the fifth trick is complete


def test_round_robin_corrects_before_and_after_a_call_at_no_cost() -> None:
    """Round-robin: the call waits, even after the card is shown, and the correction closes it."""
    for call in ("", "N^E1renege"):
        state = table("round-robin", f"{LIED} {call} {SECOND} {THIRD} {FOURTH} N:Ah E<1")
        assert playing(state).trick == parse_cards("As")
        assert not playing(state).docket.calls
        assert not playing(state).docket.verdicts
        rest = f"E:9s S:Qs W:Ks {SECOND} N:Ad E:Td S:9d W:Kd {FOURTH} {FIFTH}"
        assert ended(say(state, rest)) == (Reason.MARCH, both(NS, 2))


def test_round_robin_rules_a_renege_at_the_end_of_the_hand() -> None:
    """Round-robin: proven in the third trick, but East may correct it until the fifth is complete."""
    state = table("round-robin", f"{LIED} N^E1renege {SECOND} {THIRD} {FOURTH} N:Ah E:Ts S:Qd")
    assert playing(state).docket.verdicts == ()
    assert may(state, "E<1")
    state = say(state, "W:9h")
    assert closing(state).docket.verdicts[0].guilty
    assert refused(state, "E<1") == "not-now"
    assert ended(state) == (Reason.PENALTY, both(NS, 2))


# School-cup: a warning first


def test_school_cup_warns_first_and_the_play_stands() -> None:
    """School-cup: the first renege is a warning; the trick and the hand go on."""
    state = table("school-cup", f"{LIED} N^E1renege {SECOND} N:Ad E:9s")
    [verdict] = playing(state).docket.verdicts
    assert verdict.ruling is not None
    assert verdict.ruling.remedy is Remedy.WARNING
    assert ended(say(state, f"S:9d W:Kd {FOURTH} {FIFTH}")) == (Reason.MARCH, both(NS, 2))


@pytest.mark.parametrize("alone", [False, True])
def test_school_cup_second_renege_costs_two_even_alone(alone: bool) -> None:
    """School-cup: East reneges twice in one hand; the second costs 2, lone hands too."""
    words = f"{LIED} N:Ac E:Kh S:Tc W:Qc E:9c S:Kc W:9h N:Ah N:Ad E:9s S:9d W:Kd"
    state = table("school-cup", f"{words} N^E1renege", alone=alone)
    assert playing(state).docket.verdicts[0].guilty
    state = say(state, "N^E2renege")
    assert ended(state) == (Reason.PENALTY, both(NS, 2))


def test_school_cup_warns_each_player_apart_unless_sides_are_warned() -> None:
    """School-cup: West's warning isn't East's, unless sides are warned."""
    for changes, paid in ((dict[str, object](), False), ({"warnings_for": "side"}, True)):
        rules = honor("school-cup", **changes)
        state = say(start(rules, dealt(rules, FOUR), None, (0, 0, 0, 1)), f"o -Js {ALL_FIVE} N^E1renege")
        assert bool(closing(state).docket.penalties) is paid


def test_school_cup_warnings_carry_from_hand_to_hand_in_a_game() -> None:
    """School-cup: warned in the first hand, East pays 2 in the second."""
    rules = honor("school-cup")
    game = say_in_game(advance_game(new_game(rules, W), dealt(rules, FOUR)), f"o -Js {ALL_FIVE} N^E1renege {READY}")
    assert isinstance(game, ToDeal)
    assert (game.scores, game.warnings) == ((2, 0), (0, 1, 0, 0))
    next_deal = replace(dealt(rules, FOUR), dealer=N)
    words = f"o -Ah E:9c S:Tc W:Qc N:Ac {LIED} S^E2renege N:Ad E:9s {READY}"
    game = say_in_game(advance_game(game, next_deal), words)
    assert isinstance(game, ToDeal)
    assert (game.scores, game.warnings) == ((4, 0), (0, 1, 0, 0))


@pytest.mark.parametrize(("last", "carried"), [("game", 0), ("match", 1)])
@pytest.mark.parametrize("drawn", ["each-game", "each-match"])
def test_school_cup_warnings_last_a_game_or_by_option_a_match(last: str, carried: int, drawn: str) -> None:
    """School-cup: a warning in the hand that wins the first of three games."""
    rules = honor("school-cup", warnings_last=last, dealer_draw=drawn)
    match: Match = InGame(rules=rules, wins=(0, 0), game=new_game(rules, W, (8, 0)))
    match = advance_match(match, dealt(rules, FOUR))
    for text in f"o -Js {ALL_FIVE} N^E1renege {READY}".split():
        assert isinstance(match, InGame)
        assert isinstance(match.game, InHand)
        match = advance_match(match, parse_token(text, match.game.hand.to_act, W))
    if isinstance(match, ToDraw):
        match = advance_match(match, Draw(shuffler=W, cards=parse_cards("Jh"), dealer=N))
    assert isinstance(match, InGame)
    assert match.wins == (1, 0)
    assert isinstance(match.game, ToDeal)
    assert match.game.warnings == (0, carried, 0, 0)


# Club: the offended side may waive or reduce the penalty


def proven(*, alone: bool = False) -> Settling:
    """Club: East's renege in the first trick came out in the third, and North and South have to decide."""
    return settling(table("club", f"{LIED} N^E1renege {SECOND} N:Ad E:9s", alone=alone))


def test_club_asks_both_of_the_wronged_side() -> None:
    """Club: full, one point, corrected or let it stand; on a lone hand one, two or three of four points."""
    state = proven()
    assert view(state, E).verdict == state.verdict
    assert state.asked == (N, S)
    assert state.to_act is N
    assert {action.seat for action in legal_actions(state)} == {N, S}
    for text in ("N=full", "S=1", "N=correct", "S=stand"):
        assert may(state, text)
    assert refused(state, "N=2") == refused(state, "E=stand") == "not-now"
    assert refused(state, "S:9d") == "not-your-turn"
    assert may(proven(alone=True), "S=3")


def test_club_partners_either_may_enforce() -> None:
    """Club: one partner says full, and that is enough, even after the other would have waived it."""
    assert ended(say(proven(), "N=full")) == (Reason.PENALTY, both(NS, 2))
    assert ended(say(proven(), "N=stand S=full")) == (Reason.PENALTY, both(NS, 2))
    assert ended(say(proven(alone=True), "S=full")) == (Reason.PENALTY, both(NS, 4))


def test_club_partners_who_answer_differently_enforce() -> None:
    """Club: stand and correct, or two points and three, isn't an agreement."""
    assert ended(say(proven(), "N=stand S=correct")) == (Reason.PENALTY, both(NS, 2))
    assert ended(say(proven(alone=True), "N=2 S=3")) == (Reason.PENALTY, both(NS, 4))


def test_club_partners_who_agree_on_fewer_points_score_them() -> None:
    """Club: the hand is over, for one point instead of two."""
    state = say(proven(), "S=1")
    assert settling(state).asked == (N,)
    assert ended(say(state, "N=1")) == (Reason.PENALTY, both(NS, 1))


def test_club_partners_may_let_it_stand() -> None:
    """Club: play goes on as if nothing had happened, and it can't be called again."""
    state = say(proven(), "N=stand S=stand")
    assert playing(state).trick == parse_cards("Ad9s")
    assert refused(state, "S^E1renege") == "not-now"
    assert ended(say(state, f"S:9d W:Kd {FOURTH} {FIFTH}")) == (Reason.MARCH, both(NS, 2))


def test_club_partners_may_have_it_corrected() -> None:
    """Club: play goes back to the ten of diamonds. The cards shown stay known, and a new renege can be called."""
    state = playing(say(proven(), "N=correct S=correct"))
    assert state.trick == parse_cards("As")
    assert state.to_act is E
    assert not state.docket.penalties
    assert not state.docket.settled
    assert Play(E, parse_cards("9s")[0]) in view(state, N).taken_back
    assert may(say(state, "E:Td"), "N^E1renege")


def test_club_cannot_correct_what_comes_out_after_the_last_card() -> None:
    """Club: after the last card, only points can be settled."""
    state = table("club", f"{ALL_FIVE} S^E1renege")
    assert refused(state, "N=correct") == "not-now"
    assert ended(say(state, "N=stand S=stand")) == (Reason.MARCH, both(NS, 2))
    assert ended(say(state, "N=1 S=1")) == (Reason.PENALTY, both(NS, 1))


# Three and two players: club


THREE_TRICKS = "N:As E:Td S:Ks N:Ac E:9c S:Qc N:Ad E:9s S:Kd N:Jh E:Kh S:Jd N:Ah E:Ts S:9h"


@pytest.mark.parametrize(("how", "points"), [("& -KcQsTc", 2), ("!", 4)])
def test_club3_a_maker_who_offends_pays_each_defender(how: str, points: int) -> None:
    """Club, three players: East made trump and reneged."""
    state = small_table(3, f"p o -Js {how}", f"{THREE_TRICKS} N^E1renege")
    assert settling(state).asked == (N, S)
    assert ended(say(state, "S=full")) == (Reason.PENALTY, both(NS, points))


@pytest.mark.parametrize(("how", "points"), [("& -KcQsTc", 2), ("!", 4)])
def test_club3_a_defender_who_offends_pays_only_the_maker(how: str, points: int) -> None:
    """Club, three players: North made trump, East reneged; South gets nothing and isn't asked."""
    state = small_table(3, f"o -Js {how}", f"{THREE_TRICKS} N^E1renege")
    assert settling(state).asked == (N,)
    assert ended(say(state, "N=full")) == (Reason.PENALTY, {N: points})
    assert ended(say(state, "N=1")) == (Reason.PENALTY, {N: 1})


def test_club3_defenders_do_not_call_each_other() -> None:
    """Club, three players: South defends with East, so only North may call East; both may call a maker."""
    state = small_table(3, "o -Js & -KcQsTc", THREE_TRICKS)
    assert calls_of(state, S) == []
    assert (E, "renege", 1) in calls_of(state, N)
    state = small_table(3, "p o -Js & -KcQsTc", THREE_TRICKS)
    assert (E, "renege", 1) in calls_of(state, N)
    assert (E, "renege", 1) in calls_of(state, S)


def test_club3_a_wrong_call_pays_the_whole_side_of_the_accused() -> None:
    """Club, three players, wrong calls at 1: South had no diamond left, and the defenders score one each."""
    words = "N:Ad E:Td S:Kd N:As E:9s S:Ks N:Ac E:9c S:Qc N:Jh E:Kh S:Jd N:Ah E:Ts S:9h N^E5renege"
    reason, points = ended(small_table(3, "o -Js & -KcQsTc", words, wrong_call_points=1))
    assert reason is Reason.MARCH
    assert points == {N: 2, E: 1, S: 1}


def test_club3_maker_and_defender_guilty_cancel() -> None:
    """Club, three players: the maker East and the defender South both reneged."""
    words = "N:As E:Td S:Kd N:Ac E:9c S:Qc N:Ad E:9s S:Ks N^E1renege N=full E^S1renege E=full"
    assert ended(small_table(3, "p o -Js & -KcQsTc", words)) == (Reason.BOTH_GUILTY, {})


@pytest.mark.parametrize("calls", ["o -Js", "p o -Js"])
@pytest.mark.parametrize(("how", "points"), [("& -KcQsTc", 2), ("!", 4)])
def test_club2_a_renege_pays_the_other_player(calls: str, how: str, points: int) -> None:
    """Club, two players: South reneges on spades as maker or defender, together with the dummy or alone."""
    state = small_table(2, f"{calls} {how}", "N:As S:Qc N^S1renege N:Ac S:Ks")
    assert settling(state).asked == (N,)
    assert ended(say(state, "N=full")) == (Reason.PENALTY, {N: points})


def test_club2_one_player_waives_alone() -> None:
    """Club, two players: there is no partner to ask."""
    state = small_table(2, "o -Js & -KcQsTc", "N:As S:Qc N^S1renege N:Ac S:Ks N=correct")
    assert playing(state).trick == parse_cards("As")
