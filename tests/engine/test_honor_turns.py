"""Honor tables: plays out of turn, missing discards, misdeals, calls after the last card, and the bidding.

Handwritten scenarios, each naming its sheet. In the deal `FOUR` hearts are trump, West deals, and North leads and can
take every trick; East can renege in the first, as in `LIED`.
"""

from dataclasses import replace

import pytest

from honor_table import (
    ALL_FIVE,
    EW,
    FIFTH,
    FOUR,
    FOURTH,
    LIED,
    NS,
    OTHER_SHEETS,
    READY,
    SECOND,
    THREE,
    TRUE,
    TWO,
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
    scored,
    settling,
    small_table,
    table,
)
from leftbower.engine import (
    AskingDefenders,
    Bidding,
    Bury,
    CallOut,
    Closing,
    Deal,
    Discarding,
    ExchangingDummy,
    GameOver,
    GoAlone,
    InHand,
    Name,
    Order,
    Play,
    Playing,
    Reason,
    State,
    ToDeal,
    advance_game,
    apply,
    legal_actions,
    new_game,
    start,
    view,
    whose_turn,
)
from leftbower.errors import BadDeal, RuleViolation
from leftbower.notation import hand_line, parse_hand_line
from leftbower.rules import HouseRules, Seat, Suit, parse_cards, preset

# Play out of turn


@pytest.mark.parametrize(("alone", "points"), [(False, 2), (True, 4)])
def test_club_punishes_a_play_out_of_turn_like_a_renege(alone: bool, points: int) -> None:
    """Club: West plays before East; ruled at once, and the penalty may be waived."""
    state = table("club", "N:As W:Ks N^W1out-of-turn", alone=alone)
    [verdict] = settling(state).docket.verdicts
    assert (verdict.guilty, verdict.evidence) == (True, parse_cards("Ks"))
    assert ended(say(state, "N=full")) == (Reason.PENALTY, both(NS, points))


def test_club_may_lessen_waive_or_correct_a_play_out_of_turn() -> None:
    """Club: one point; or the card stays; or it goes back to West, with the card East played after it."""
    state = table("club", "N:As W:Ks E:9s N^W1out-of-turn")
    assert ended(say(state, "N=1 S=1")) == (Reason.PENALTY, both(NS, 1))
    stands = playing(say(state, "N=stand S=stand"))
    assert stands.trick == parse_cards("AsKs9s")
    assert stands.to_act is S
    back = playing(say(state, "N=correct S=correct"))
    assert back.trick == parse_cards("As")
    assert back.to_act is E
    assert view(back, S).taken_back == (Play(W, parse_cards("Ks")[0]), Play(E, parse_cards("9s")[0]))


def test_club_calls_a_play_out_of_turn_until_the_window_closes() -> None:
    """Club: called after the last card, it still costs the hand."""
    words = f"N:As W:Ks E:9s S:Qs {SECOND} N:Ad E:Td S:9d W:Kd {FOURTH} {FIFTH} S^W1out-of-turn S=full"
    assert ended(table("club", words)) == (Reason.PENALTY, both(NS, 2))


@pytest.mark.parametrize("sheet", OTHER_SHEETS)
def test_other_sheets_take_back_until_the_trick_is_complete(sheet: str) -> None:
    """Round-robin, campus, school-cup, prize-night: the card and later ones return, face known, at no cost."""
    state = table(sheet, "N:As W:Ks E:9s")
    assert calls_of(state, N) == [(W, "out-of-turn", 1)]
    back = playing(say(state, "S^W1out-of-turn"))
    assert (back.trick, back.seats, back.to_act) == (parse_cards("As"), (N,), E)
    for seat in (*Seat, None):
        assert view(back, seat).taken_back == (Play(W, parse_cards("Ks")[0]), Play(E, parse_cards("9s")[0]))
    assert view(back, N).card_counts == {N: 4, E: 5, S: 5, W: 5}
    assert may(say(back, "W:Ks"), "N^W1out-of-turn")
    assert may(back, "E:Ts")
    assert calls_of(say(state, "S:Qs"), N) == []


def test_a_lead_out_of_turn_is_followed_clockwise() -> None:
    """Campus: East leads instead of North; South, West and North follow, and the best card takes it."""
    state = table("campus", "E:9c")
    assert playing(state).leader is E
    assert playing(state).to_act is S
    state = playing(say(state, "S:Tc W:Qc N:Ac"))
    assert state.tricks[0].seats == (E, S, W, N)
    assert state.to_act is N
    assert calls_of(state, N) == []


def test_a_lead_out_of_turn_is_taken_back_to_an_empty_table() -> None:
    """Campus: in the first trick North leads, in a later one the winner of the last."""
    state = playing(table("campus", "E:9c N^E1out-of-turn"))
    assert (state.trick, state.to_act) == ((), N)
    state = playing(table("campus", f"{TRUE} S:Kc W^S2out-of-turn"))
    assert (state.trick, state.to_act, len(state.tricks)) == ((), N, 1)


def test_after_a_lead_is_taken_back_the_winner_of_the_last_trick_leads() -> None:
    """Prize-night: East took the first trick; North's lead goes back, and it's East's turn."""
    state = playing(table("prize-night", "N:As E:Kh S:Qs W:Ks N:Ac W^N2out-of-turn"))
    assert (state.trick, state.to_act) == ((), E)


def test_a_second_card_to_one_trick_is_refused() -> None:
    """Every honor table: one card from each player."""
    for sheet in (*OTHER_SHEETS, "club"):
        assert refused(table(sheet, "N:As"), "N:Ac") == "not-your-turn"


def test_a_player_who_sits_out_plays_no_card() -> None:
    """Club and campus: South's cards are face down while North plays alone."""
    for sheet in ("club", "campus"):
        assert refused(table(sheet, "N:As", alone=True), "S:Qs") == "not-your-turn"


def test_a_card_held_by_another_cannot_be_played() -> None:
    """Campus: an honor table doesn't allow that either."""
    assert refused(table("campus"), "E:As") == "card-not-held"


def test_out_of_turn_three_and_two_players() -> None:
    """Club, three and two players: a defender out of turn pays the maker."""
    state = small_table(3, "o -Js & -KcQsTc", "N:As S:Ks")
    assert calls_of(state, E) == []
    assert ended(say(state, "N^S1out-of-turn N=full")) == (Reason.PENALTY, {N: 2})
    state = small_table(3, "p o -Js & -KcQsTc", "E:9c S^E1out-of-turn S=full")
    assert ended(state) == (Reason.PENALTY, both(NS, 2))
    state = small_table(2, "o -Js !", "S:Ks N^S1out-of-turn")
    assert ended(say(state, "N=full")) == (Reason.PENALTY, {N: 4})


# The dealer fails to discard


def test_club_dealer_may_bury_until_his_own_first_card_falls() -> None:
    """Club: West took the nine of hearts and holds six cards until the discard, late but in time."""
    rules = honor("club")
    state = say(start(rules, dealt(rules, FOUR)), "o")
    for words in ("", "&", "N:As E:9s", "S:Qs"):
        state = say(state, words)
        assert view(state, N).card_counts[W] == 6
        assert may(state, "-Js")
        assert calls_of(state, N) == []
    late = playing(say(state, "-Js W:Ks"))
    assert calls_of(late, N) == []
    assert view(late, N).card_counts[W] == 4
    assert refused(late, "-Qc") == "not-now"


def test_a_dealer_who_owes_a_card_is_asked_before_whose_turn_it_is() -> None:
    """The club doesn't wait for the discard, but a table of bots can; where the sheet waits, only the dealer acts."""
    rules = honor("club")
    owed = playing(say(start(rules, dealt(rules, FOUR)), "o &"))
    assert (owed.to_act, whose_turn(owed)) == (N, W)
    paid = playing(say(owed, "-Js"))
    assert (paid.to_act, whose_turn(paid)) == (N, N)
    waiting = say(start(honor("campus"), dealt(honor("campus"), FOUR)), "o")
    assert isinstance(waiting, Discarding)
    assert whose_turn(waiting) is W


def test_club_dealer_who_laid_a_card_keeps_one_too_many() -> None:
    """Club: a discard isn't possible any more, and all players can count the backs."""
    rules = honor("club")
    state = say(start(rules, dealt(rules, FOUR)), f"o & {TRUE}")
    assert refused(state, "-Js") == "not-now"
    assert view(state, N).card_counts == {N: 4, E: 4, S: 4, W: 5}
    assert calls_of(state, N) == calls_of(state, S) == [(W, "failure-to-discard", 0)]
    assert calls_of(state, E) == []


@pytest.mark.parametrize(("how", "points"), [("&", 2), ("!", 4)])
def test_club_punishes_the_missing_discard_without_waiver(how: str, points: int) -> None:
    """Club: 2, or 4 if alone; ruled at once, and the hand is over."""
    rules = honor("club")
    words = "N:As E:9s W:Ks" if how == "!" else TRUE
    state = say(start(rules, dealt(rules, FOUR)), f"o {how} {words} N^W0failure-to-discard")
    assert isinstance(state, Closing)
    assert ended(state) == (Reason.PENALTY, both(NS, points))


def test_club_unnoticed_sixth_card_is_dead_after_five_tricks() -> None:
    """Club: the hand scores as played; it can still be called before all are ready."""
    rules = honor("club")
    words = f"o & {TRUE} {SECOND} N:Ad E:Td S:9d W:Kd {FOURTH} {FIFTH}"
    state = closing(say(start(rules, dealt(rules, FOUR)), words))
    assert state.cards[W.index] == parse_cards("Js")
    assert ended(state) == (Reason.MARCH, both(NS, 2))
    assert ended(say(state, "S^W0failure-to-discard")) == (Reason.PENALTY, both(NS, 2))


def test_club_the_dead_sixth_card_proves_a_renege() -> None:
    """Club: West kept the jack of spades to the end, and threw a club on spades."""
    rules = honor("club")
    words = "o & N:As E:9s S:Qs W:Qc N:Ac E:9c S:Tc W:Ks N:Ad E:Td S:9d W:Kd"
    state = closing(say(start(rules, dealt(rules, FOUR)), f"{words} {FOURTH} {FIFTH} N^W1renege N=full"))
    assert state.docket.verdicts[0].evidence == parse_cards("QcKsJs")
    assert view(state, N).exposed == {W: parse_cards("Js")}
    assert ended(state) == (Reason.PENALTY, both(NS, 2))


def test_club_nothing_is_owed_when_the_up_card_was_turned_down() -> None:
    """Club: spades were named in the second round."""
    rules = honor("club")
    state = say(start(rules, dealt(rules, FOUR)), f"p p p p s & {TRUE}")
    assert view(state, N).card_counts[W] == 4
    assert (W, "failure-to-discard", 0) not in calls_of(state, N)
    assert refused(state, "-Js") == "not-now"


def test_club_missing_discard_among_three_and_two() -> None:
    """Club, three and two players: a defending dealer pays the maker, a lone dealer who made trump each defender."""
    called = "N:As E:9s S:Ks N^S0failure-to-discard"
    assert ended(small_table(3, "o & -KcQsTc", called)) == (Reason.PENALTY, {N: 2})
    assert ended(small_table(3, "p p o !", called)) == (Reason.PENALTY, both((N, E), 4))
    assert ended(small_table(2, "o & -KcQsTc", "N:As S:Ks N^S0failure-to-discard")) == (Reason.PENALTY, {N: 2})
    assert ended(small_table(2, "p o !", "N:As S:Ks N^S0failure-to-discard")) == (Reason.PENALTY, {N: 4})


@pytest.mark.parametrize("players", [3, 2])
def test_club_dealer_who_made_trump_discards_before_touching_the_dummy(players: int) -> None:
    """Club, three and two players, honor: eight cards and never nine, and the discard isn't from the dummy."""
    passes = "p " * (players - 1)
    state = small_table(players, f"{passes}o")
    assert refused(state, "&") == "discard-first"
    assert may(state, "!")
    assert may(state, "-Js")
    assert not may(state, "-Qs")
    taken = say(state, "-Js &")
    assert isinstance(taken, ExchangingDummy)
    assert view(taken, S).card_counts[S] == 8
    assert refused(taken, "-Qs") == "not-now"
    assert isinstance(small_table(players, f"{passes}o -Js !"), Playing)


@pytest.mark.parametrize("players", [3, 2])
def test_club_waits_for_the_discard_when_alone_comes_with_the_call(players: int) -> None:
    """Club, three and two players, alone with the call: the dummy comes next, so the discard comes first."""
    passes = "p " * (players - 1)
    for bury in ("after-taking", "before-taking"):
        state = small_table(players, f"{passes}o", going_alone="with-the-call", bury=bury, may_bury_up_card=False)
        assert isinstance(state, Discarding)
        assert view(say(state, "-Js"), S).card_counts[S] == 8
        lone = small_table(players, f"{passes}o!", going_alone="with-the-call", bury=bury, may_bury_up_card=False)
        assert isinstance(lone, Playing)


def test_club3_dealer_may_bury_while_the_maker_holds_the_dummy() -> None:
    """Club, three players: the dealer can discard out of turn."""
    state = small_table(3, "o &")
    assert isinstance(state, ExchangingDummy)
    assert may(state, "-Js")
    assert may(state, "-KcQsTc")
    assert view(say(state, "-Js -KcQsTc"), N).card_counts == {N: 5, E: 5, S: 5}


@pytest.mark.parametrize("sheet", OTHER_SHEETS)
def test_other_sheets_wait_for_the_discard(sheet: str) -> None:
    """Round-robin, campus, school-cup, prize-night: no card is led before the dealer discards."""
    rules = honor(sheet)
    state = say(start(rules, dealt(rules, FOUR)), "o")
    assert isinstance(state, Discarding)
    assert refused(state, "N:As") == "not-your-turn"
    assert refused(state, "W:Ks") == "not-now"
    assert {type(action) for action in legal_actions(state)} == {Bury}
    assert isinstance(say(state, "-Js"), Playing)


def test_only_the_dealer_buries() -> None:
    """Club and campus: North can't discard for West, and West can't discard a card West doesn't hold."""
    for sheet, words in (("club", "o &"), ("campus", "o")):
        rules = honor(sheet)
        state = say(start(rules, dealt(rules, FOUR)), words)
        with pytest.raises(RuleViolation) as refusal:
            apply(state, Bury(N, parse_cards("Ac")[0]))
        assert refusal.value.code == "not-your-turn"
        assert refused(state, "-Ac") == "card-not-held"
    rules = honor("club", may_bury_up_card=False)
    late = say(start(rules, dealt(rules, FOUR)), "o &")
    assert refused(late, "-9h") == "up-card-stays"


# Misdeals


def no_cut(rules: HouseRules, line: str = FOUR) -> Deal:
    return replace(dealt(rules, line), cut_offered=False)


@pytest.mark.parametrize(("sheet", "line"), [("club", FOUR), ("club3", THREE), ("club2", TWO)])
def test_club_deal_is_lost_when_no_cut_was_offered(sheet: str, line: str) -> None:
    """Club, four, three and two players: any opponent calls it before the first call, and the next player deals."""
    rules = honor(sheet)
    deal = no_cut(rules, line)
    state = start(rules, deal)
    assert {action.seat for action in legal_actions(state) if isinstance(action, CallOut)} == set(
        rules.opponents_of(deal.dealer)
    )
    game = say_in_game(advance_game(new_game(rules, deal.dealer), deal), f"N^{deal.dealer}0no-cut-offered")
    assert isinstance(game, ToDeal)
    assert (game.dealer, game.hands, set(game.scores)) == (N, 1, {0})
    assert game.last is not None
    assert game.last.reason is Reason.DEAL_LOST
    [verdict] = view(game.last, E if sheet == "club" else N).docket.verdicts
    assert verdict.guilty


def test_a_lost_deal_counts_as_a_hand_of_a_fixed_number() -> None:
    """Club for eight hands: the deal was lost, and that counts as one of the eight."""
    rules = honor("club", game_ends="after-8-hands")
    game = say_in_game(advance_game(new_game(rules, W), no_cut(rules)), "S^W0no-cut-offered")
    assert isinstance(game, ToDeal)
    assert game.hands == 1


def test_a_misdeal_of_the_same_dealer_is_not_counted() -> None:
    """Campus with a required cut: the same dealer deals again."""
    rules = honor("campus", deal_cut="right", game_ends="after-8-hands")
    game = say_in_game(advance_game(new_game(rules, W), no_cut(rules)), "S^W0no-cut-offered")
    assert isinstance(game, ToDeal)
    assert (game.dealer, game.hands) == (W, 0)
    assert game.last is not None
    assert game.last.reason is Reason.MISDEAL


def test_club_missing_cut_is_callable_until_the_hand_is_played() -> None:
    """Club: during bidding, before the lead and during play, by opponents only; not for a proper deal."""
    rules = honor("club")
    state = start(rules, no_cut(rules))
    for words in ("", "p", "p p p p", "o", "o -Js", "o -Js &", f"o -Js & {TRUE}", f"o -Js & {TRUE} N:Ac E:9c"):
        reached = say(state, words)
        assert calls_of(reached, E) == []
        assert refused(reached, "E^W0no-cut-offered") == "not-now"
        lost = scored(say(reached, "N^W0no-cut-offered"))
        assert (lost.reason, dict(lost.points)) == (Reason.DEAL_LOST, {})
    over = say(state, f"o -Js & {TRUE} {SECOND} N:Ad E:Td S:9d W:Kd {FOURTH} {FIFTH}")
    assert refused(over, "N^W0no-cut-offered") == "not-now"
    assert calls_of(start(rules, dealt(rules, FOUR)), N) == []


def test_a_missing_cut_may_be_callable_only_before_the_first_call() -> None:
    """Club with the option: not after a pass, not in the second round, not once trump is made."""
    rules = honor("club", missing_cut="before-the-first-call")
    state = start(rules, no_cut(rules))
    assert may(state, "N^W0no-cut-offered")
    assert may(start(rules, replace(no_cut(rules), face_down=True)), "N^W0no-cut-offered")
    for words in ("p", "p p p p", "o", "o -Js &"):
        assert refused(say(state, words), "N^W0no-cut-offered") == "not-now"


def test_a_deal_without_a_cut_is_refused_where_none_is_demanded() -> None:
    """Campus at an honor table, and club at a strict one."""
    for rules in (honor("campus"), preset("club")):
        with pytest.raises(BadDeal):
            start(rules, no_cut(rules))


def test_no_view_of_the_bidding_shows_the_missing_cut() -> None:
    """Club: only the list of calls has it, because all players saw the deal."""
    rules = honor("club")
    careless, proper = start(rules, no_cut(rules)), start(rules, dealt(rules, FOUR))
    for seat in (E, W, None):
        assert view(careless, seat) == view(proper, seat)


# Between the last card and the score


@pytest.mark.parametrize("sheet", [*OTHER_SHEETS, "club"])
def test_the_window_closes_when_all_players_are_ready(sheet: str) -> None:
    """Every sheet: after the last card nothing counts until the fourth player is ready."""
    state = table(sheet, ALL_FIVE)
    for seat in (S, N, W):
        state = closing(say(state, f"{seat}."))
        assert refused(state, f"{seat}.") == "not-now"
        assert state.to_act is next(waiting for waiting in Seat if waiting not in state.ready)
    assert scored(say(state, "E.")).points == both(NS, 2)


def test_a_game_is_final_only_when_the_window_has_closed() -> None:
    """Club at 8 to 0: the march would win, but a late call takes it away."""
    rules = honor("club")
    first = advance_game(new_game(rules, W, (8, 9)), dealt(rules, FOUR))
    words = (
        "o -Js & N:As E:9s S:Qd W:Ks N:Ac E:9c S:Tc W:Qc N:Ad E:Td S:9d W:Kd N:Jh E:Kh S:Qs W:Jd N:Ah E:Ts S:Kc W:9h"
    )
    game = say_in_game(first, words)
    assert isinstance(game, InHand)
    won = say_in_game(game, READY)
    assert isinstance(won, GameOver)
    assert (won.winner, won.scores) == (NS, (10, 9))
    lost = say_in_game(game, f"N. S. E^S1renege W=full {READY.replace('N. ', '').replace('S. ', '')}")
    assert isinstance(lost, GameOver)
    assert (lost.winner, lost.scores) == (EW, (8, 11))


def test_a_penalty_that_reaches_the_target_ends_the_game() -> None:
    """Campus at 8 to 8: East's renege wins the game for North and South."""
    rules = honor("campus")
    game = advance_game(new_game(rules, W, (8, 8)), dealt(rules, FOUR))
    game = say_in_game(game, f"o -Js {LIED} N^E1renege {SECOND} N:Ad E:9s")
    assert isinstance(game, InHand)
    game = say_in_game(game, READY)
    assert isinstance(game, GameOver)
    assert (game.winner, game.scores, game.last.reason) == (NS, (10, 8), Reason.PENALTY)


def test_no_card_is_played_and_nothing_bid_in_the_window() -> None:
    """Campus: only calls, and being ready."""
    state = table("campus", ALL_FIVE)
    for text in ("p", "N:As", "-Js", "N*", "N*3", "N+", "N-", "E<1", "N=full"):
        assert refused(state, text) in ("not-now", "not-your-turn")


# Bidding is always enforced


def test_bidding_is_enforced_at_honor_tables() -> None:
    """Club: the seat, the round and the suit must be right, even at an honor table."""
    rules = honor("club")
    state = start(rules, dealt(rules, FOUR))
    assert isinstance(state, Bidding)
    for action in (Order(E), Order(E, alone=True), Name(N, Suit.SPADES), GoAlone(N), Play(N, parse_cards("As")[0])):
        with pytest.raises(RuleViolation):
            apply(state, action)
    for text in ("E:9s", "-Js", "N*", "N*5", "N.", "E<1", "N=full", "N+"):
        assert refused(state, text) in ("not-now", "not-your-turn")
    second = say(state, "p p p p")
    assert refused(second, "h") == "suit-turned-down"
    assert refused(say(second, "p p p"), "p") == "dealer-is-stuck"


def test_round_robin_bidding_is_enforced_at_honor_tables() -> None:
    """Round-robin: the dealer's partner must go alone, and a dealer without a natural trump may only pass."""
    rules = honor("round-robin")
    state = say(start(rules, dealt(rules, FOUR)), "p")
    assert refused(state, "o") == "must-go-alone"
    assert refused(say(state, "p p"), "o") == "no-natural-trump"


def test_a_hand_line_carries_every_irregularity() -> None:
    """Club: a card out of turn, a late discard, a call and a settlement parse back to the same hand."""
    rules = honor("club")
    words = (
        "o & N:As W:Ks N^W1out-of-turn N=correct S=correct E:Td S:Qs -Js W:Ks N^E1renege N:Ac E:9c S:Tc W:Qc N:Ad E:9s"
    )
    for more in ("", "N=1", "N=1 S=1", "N=stand S=stand S:9d", "N=full N. S."):
        state = say(start(rules, dealt(rules, FOUR)), f"{words} {more}")
        assert parse_hand_line(hand_line(state)) == state


# Beyond the sheets: options that change who is asked, and recorded hands


def test_a_dealer_may_bury_while_defenders_are_asked() -> None:
    """Club with defending alone: the discard is late but in time, whether a defender goes alone or not."""
    rules = honor("club", defend_alone="always")
    state = say(start(rules, dealt(rules, FOUR)), "o &")
    assert isinstance(state, AskingDefenders)
    together = say(state, f"E& -Js W& {LIED} N^E1renege N:Ac E:9c S:Tc W:Qc N:Ad E:9s N=full")
    assert ended(together) == (Reason.PENALTY, both(NS, 2))
    assert playing(say(state, "-Js E!")).active == (N, E, S)


def test_a_dealer_who_sits_out_with_six_cards_has_not_failed() -> None:
    """Club with defending alone: East defends alone, West plays no card, and can discard at any time."""
    rules = honor("club", defend_alone="always")
    state = say(start(rules, dealt(rules, FOUR)), "o & E! N:As E:9s S:Qs")
    assert calls_of(state, N) == []
    assert view(state, N).card_counts[W] == 6
    assert may(state, "-Js")


def test_a_lead_out_of_turn_is_measured_from_the_loners_left() -> None:
    """Campus with the lead from the loner's left: with East alone South leads, so North's lead is out of turn."""
    rules = honor("campus", first_lead="loners-left")
    state = say(start(rules, dealt(rules, FOUR)), "p o! -Js")
    assert playing(state).to_act is S
    assert calls_of(say(state, "N:As"), E) == [(N, "out-of-turn", 1)]
    assert playing(say(state, "N:As E^N1out-of-turn")).to_act is S


def test_farmers_hands_are_asked_and_enforced_at_honor_tables() -> None:
    """Campus with the swap and a required cut: three nines and tens, and the missing cut can be called later."""
    rules = honor("campus", farmers_hand="swap", deal_cut="right")
    state: State = start(rules, no_cut(rules))
    assert refused(state, "~9sTs9c") == "no-farmers-hand"
    assert refused(say(state, "."), "~9sTs9d") == "no-farmers-hand"
    swapped = say(state, ". ~9sTs9c")
    assert isinstance(swapped, Bidding)
    assert may(swapped, "N^W0no-cut-offered")
    assert may(say(state, ". . . ."), "N^W0no-cut-offered")


def test_a_hand_with_unknown_cards_is_ruled_from_cards_played() -> None:
    """Campus: East's cards are unknown, but the nine of spades came after the ten of diamonds."""
    unknown = FOUR.replace("9sTs9cTdKh", "??????????")
    words = f"{LIED} N^E1renege {SECOND} N:Ad"
    assert closing(table("campus", f"{words} E:9s", line=unknown)).docket.verdicts[0].guilty
    state = table("campus", f"{words} E:Jc S:9d W:Kd {FOURTH} N:Ah E:Th", line=unknown)
    assert not playing(state).docket.verdicts[0].guilty
