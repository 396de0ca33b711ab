"""Corrections, claims and throw-ins, at honor tables and strict ones.

The deals are those of `test_honor`: North leads and can take every trick with hearts as trump; East reneges in the
first trick of `LIED`, and in `HONEST` plays the same card without a spade in hand.
"""

from dataclasses import replace

import pytest

from leftbower.engine import (
    Answering,
    CallOut,
    Claim,
    Closing,
    Correct,
    Deal,
    Phase,
    Play,
    Playing,
    Reason,
    Scored,
    Settling,
    State,
    ThrowIn,
    apply,
    legal_actions,
    replay,
    start,
    view,
)
from leftbower.errors import RuleViolation
from leftbower.notation import hand_line, name_rules, parse_hand_line, parse_token
from leftbower.rules import Card, HouseRules, Irregularity, Seat, parse_cards, preset

N, E, S, W = Seat
NS, EW = (N, S), (E, W)

FOUR = "W 9h N:JhAhAsAcAd E:9sTs9cTdKh S:QsTcKc9dQd W:KsJsQcJdKd"
HONEST = "W 9h N:JhAhAsAcAd E:ThJc9cTdKh S:QsTcKc9dQd W:KsJsQcJdKd"
THREE = "S 9h N:JhAhAsAcAd E:9sTs9cTdKh S:KsJsQcJdKd D:QsTcKc"
TWO = "S Th N:JhAhAsAcAd S:KsJsQcJdKd D:QsTcKc"

LIED = "N:As E:Td S:Qs W:Ks"
TRUE = "N:As E:9s S:Qs W:Ks"
SECOND = "N:Ac E:9c S:Tc W:Qc"
THIRD = "N:Ad E:9s S:9d W:Kd"
THIRD_TRUE = "N:Ad E:Td S:9d W:Kd"
LAST_TWO = "N:Jh E:Kh S:Kc W:Jd N:Ah E:Ts S:Qd W:9h"

TOGETHER = {"club": "o -Js &"}
ALONE = {"club": "o -Js !"}
FOUR_SEATS = ("round-robin", "campus", "school-cup", "prize-night", "club")
PLAYED_OUT = ("campus", "prize-night")
ALLOWED = {"claims": "on-lead", "throw_ins": "by-agreement"}
"""Changes that let a hand end early under a sheet that plays every hand out."""


def honor_rules(sheet: str, **changes: object) -> HouseRules:
    """A sheet at an honor table, with changes."""
    return replace(preset(sheet), **({"supervision": "honor"} | changes))  # type: ignore[arg-type]


def dealt(rules: HouseRules, line: str) -> Deal:
    """The deal of a hand line."""
    return parse_hand_line(f"{{{name_rules(rules)}}} {line}").hand.deal


def say(state: State, words: str) -> State:
    """The hand after these words of a hand line."""
    for text in words.split():
        assert not isinstance(state, Scored)
        state = apply(state, parse_token(text, state.to_act, state.hand.deal.dealer))
    return state


def table(sheet: str, words: str = "", *, alone: bool = False, line: str = FOUR, **changes: object) -> State:
    """North ordered up hearts under this sheet, with early endings allowed; then this is said."""
    rules = honor_rules(sheet, **((ALLOWED if sheet in PLAYED_OUT else {}) | changes))
    calls = ALONE.get(sheet, "o! -Js") if alone else TOGETHER.get(sheet, "o -Js")
    words = " ".join(text for text in words.split() if not (alone and text.startswith("S")))
    return say(start(rules, dealt(rules, line)), f"{calls} {words}")


def small_table(players: int, words: str, **changes: object) -> State:
    """A hand of three or two under club rules: North made hearts trump and took the dummy."""
    rules = honor_rules(f"club{players}", **changes)
    return say(start(rules, dealt(rules, THREE if players == 3 else TWO)), f"o -Js & -KcQsTc {words}")


def refused(state: State, text: str) -> str:
    """The error code of a refusal."""
    assert not isinstance(state, Scored)
    action = parse_token(text, state.to_act, state.hand.deal.dealer)
    assert action not in legal_actions(state)
    with pytest.raises(RuleViolation) as refusal:
        apply(state, action)
    return refusal.value.code


def playing(state: State) -> Playing:
    assert isinstance(state, Playing)
    return state


def closing(state: State) -> Closing:
    assert isinstance(state, Closing)
    return state


def answering(state: State) -> Answering:
    assert isinstance(state, Answering)
    return state


def ended(state: State) -> tuple[Reason, dict[Seat, int]]:
    """How a hand ended once all players are ready, and its score."""
    if not isinstance(state, Scored):
        state = say(state, " ".join(f"{seat}." for seat in state.hand.rules.seats))
    assert isinstance(state, Scored)
    return state.reason, dict(state.points)


def both(side: tuple[Seat, ...], points: int) -> dict[Seat, int]:
    return dict.fromkeys(side, points)


def corrections(state: State) -> list[Correct]:
    return [action for action in legal_actions(state) if isinstance(action, Correct)]


def claimants(state: State) -> list[Seat]:
    return [action.seat for action in legal_actions(state) if isinstance(action, Claim)]


def throw_ins(state: State, seat: Seat) -> list[int]:
    """The numbers of makers' tricks a seat may offer."""
    return [
        action.makers_tricks for action in legal_actions(state) if isinstance(action, ThrowIn) and action.seat is seat
    ]


def card(text: str) -> Card:
    return Card.parse(text)


# Corrections


def test_a_correction_is_offered_guilty_or_not() -> None:
    """Round-robin: a player who reneged and an honest one can both correct the same tricks, and no one else can."""
    for line in (FOUR, HONEST):
        state = table("round-robin", f"{LIED} {SECOND} N:Ad E:Kh", line=line)
        assert corrections(state) == [Correct(E, 1), Correct(E, 3)]
        assert refused(state, "N<1") == refused(state, "E<2") == "not-now"


def test_correcting_nothing_changes_nothing() -> None:
    """Round-robin: an honest player's correction has no effect."""
    before = playing(table("round-robin", f"{LIED} {SECOND}", line=HONEST))
    after = playing(say(before, "E<1"))
    assert after == replace(before, actions=(*before.actions, Correct(E, 1)))


def test_a_correction_takes_play_back_to_the_wrong_card() -> None:
    """Round-robin: it and all later cards return to their hands, and all players still know them."""
    state = playing(table("round-robin", f"{LIED} {SECOND} N:Ad E<1"))
    assert (state.trick, state.seats, state.tricks, state.to_act) == (parse_cards("As"), (N,), (), E)
    assert [set(held) for held in state.cards] == [
        set(parse_cards("JhAhAcAd")),
        set(parse_cards("9sTs9cTdKh")),
        set(parse_cards("QsTcKc9dQd")),
        set(parse_cards("KsQcJdKd9h")),
    ]
    went_back = "E:Td S:Qs W:Ks N:Ac E:9c S:Tc W:Qc N:Ad"
    for seat in (*Seat, None):
        assert [f"{play.seat}:{play.card}" for play in view(state, seat).taken_back] == went_back.split()
    later = playing(say(state, "E:9s S:Qs W:Ks N:Ad"))
    assert later.to_act is E


def test_a_correction_goes_back_into_a_trick_led_by_its_winner() -> None:
    """Round-robin: West reneges in the second trick; the first one stands."""
    state = playing(table("round-robin", f"{TRUE} N:Ac E:9c S:Tc W:Kd N:Ad W<2"))
    assert (len(state.tricks), state.trick, state.to_act) == (1, parse_cards("Ac9cTc"), W)


def test_a_correction_of_a_card_that_wins_gives_the_trick_back() -> None:
    """Round-robin: East trumped a club with a club in hand, and led; North is to lead after all."""
    state = playing(table("round-robin", f"{LIED} N:Ac E:Kh S:Tc W:Qc E:Ts E<2 E:9c S:Tc W:Qc"))
    assert state.tricks[1].winner is N
    assert state.to_act is N


def test_a_correction_undoes_later_calls_and_offenses() -> None:
    """Round-robin: West's renege in the second trick, called, is undone with its trick and can be called again."""
    state = playing(table("round-robin", f"{LIED} N:Ac E:9c S:Tc W:Kd N^W2renege N^E1renege E<1"))
    assert state.docket.calls == ()
    replayed = say(state, "E:9s S:Qs W:Ks N:Ac E:9c S:Tc W:Kd")
    assert [action.trick for action in legal_actions(replayed) if isinstance(action, CallOut) and action.seat is N] == [
        2
    ]


def test_a_correction_leaves_earlier_calls_open() -> None:
    """Round-robin: East's renege in the first trick stays called when West corrects the second."""
    state = playing(table("round-robin", f"{LIED} N^E1renege N:Ac E:9c S:Tc W:Kd W<2"))
    assert [call.against for call in state.docket.calls] == [E]


def test_a_correction_undoes_later_claims_and_their_cards_stay_known() -> None:
    """Round-robin: North's cards, shown in the third trick, go back to the hand and stay known."""
    state = table("round-robin", f"{LIED} {SECOND} N* E- E<1")
    assert view(state, W).exposed == {}
    assert {play.card for play in view(state, W).taken_back if play.seat is N} == set(parse_cards("AcJhAhAd"))
    assert claimants(say(state, "E:9s S:Qs W:Ks")) == [N]


def test_a_correction_leaves_an_earlier_claim_open() -> None:
    """Round-robin: shown in the second trick, and the third is corrected."""
    state = table("round-robin", f"{TRUE} N* E- {SECOND} N:Ad E:Ts S:9d W:Kd E<3")
    assert {seat: set(held) for seat, held in view(state, W).exposed.items()} == {N: set(parse_cards("JhAh"))}
    assert claimants(state) == []


def test_a_correction_within_the_trick_of_a_claim_leaves_it_open() -> None:
    """Round-robin: North's cards were face up before the second trick was led; only West's wrong card goes back."""
    state = table("round-robin", f"{TRUE} N* E- N:Ac E:9c S:Tc W:Kd W<2")
    assert set(view(state, S).exposed) == {N}
    assert view(state, S).taken_back == (Play(W, card("Kd")),)


def test_the_record_keeps_every_fact_and_replays_to_both_lines() -> None:
    """Round-robin: the facts up to the correction give the wrong hand, all of them the corrected one."""
    wrong = playing(table("round-robin", f"{LIED} {SECOND}"))
    right = playing(say(wrong, "E<1 E:9s S:Qs W:Ks"))
    begin = start(right.hand.rules, right.hand.deal)
    correction = right.actions.index(Correct(E, 1))
    assert right.actions[:correction] == wrong.actions
    assert replay(begin, right.actions[:correction]) == wrong
    assert replay(begin, right.actions) == right
    assert parse_hand_line(hand_line(right)) == right
    assert view(right, W).actions == right.actions


def test_of_own_accord_means_before_a_call() -> None:
    """Campus with voluntary correction: East can correct until an opponent calls it, guilty or not."""
    for line in (FOUR, HONEST):
        state = table("campus", LIED, line=line, correction="unless-called")
        assert corrections(state) == [Correct(E, 1)]
        assert corrections(say(state, "N^E1renege")) == []
    free = say(table("campus", f"{LIED} E<1 E:9s S:Qs W:Ks", correction="unless-called"), "N*5 E+ S+ W+")
    assert ended(free) == (Reason.MARCH, both(NS, 2))


def test_of_own_accord_is_too_late_after_a_ruling() -> None:
    """School-cup with voluntary correction: after a warning, East can't take the trick back too."""
    state = table("school-cup", f"{LIED} {SECOND} {THIRD}", correction="unless-called")
    assert Correct(E, 1) in corrections(state)
    warned = say(state, "N^E1renege")
    assert warned.hand == state.hand
    assert Correct(E, 1) not in corrections(warned)
    assert Correct(E, 3) in corrections(warned)


@pytest.mark.parametrize("sheet", ["campus", "school-cup", "prize-night", "club"])
def test_nothing_is_corrected_where_the_sheet_has_no_correction(sheet: str) -> None:
    """Campus, school-cup, prize-night, club."""
    state = table(sheet, LIED)
    assert corrections(state) == []
    assert refused(state, "E<1") == "not-now"


def test_three_and_two_players_may_correct_where_the_table_says_so() -> None:
    """Club for three and two, with round-robin's correction."""
    three = playing(small_table(3, "N:As E:Td S:Ks N:Ac N^E1renege E<1", correction="even-when-called"))
    assert (three.trick, three.to_act, three.docket.calls) == (parse_cards("As"), E, ())
    two = playing(small_table(2, "N:As S:Qc N:Ac S<1", correction="even-when-called"))
    assert (two.trick, two.to_act) == (parse_cards("As"), S)


def test_a_play_out_of_turn_as_a_renege_is_corrected_like_one() -> None:
    """Club with a correction: it costs nothing until the last trick is complete, and then the penalty is due."""
    early = "E:9s S:Qs W:Ks N:As"
    for correction, after_the_call in (("even-when-called", [Correct(E, 1)]), ("unless-called", [])):
        state = table("club", early, correction=correction)
        assert corrections(state) == [Correct(E, 1)]
        called = say(state, "N^E1out-of-turn")
        if correction == "even-when-called":
            assert playing(called).docket.calls == (CallOut(N, E, Irregularity.OUT_OF_TURN, 1),)
            assert corrections(called) == after_the_call
            assert playing(say(called, "E<1")).trick == ()
        else:
            assert isinstance(called, Settling)
        back = playing(say(state, "E<1"))
        assert (back.trick, back.to_act, corrections(back)) == ((), N, [])
    whole = f"{early} N^E1out-of-turn {SECOND} {THIRD_TRUE} {LAST_TWO}"
    paid = say(table("club", whole, correction="even-when-called"), "N=full")
    assert ended(paid) == (Reason.PENALTY, both(NS, 2))


def test_a_card_that_is_only_taken_back_is_not_corrected() -> None:
    """Round-robin: a play out of turn isn't a renege there; an opponent has it taken back."""
    assert corrections(table("round-robin", "E:9s S:Qs")) == []


# Claims


@pytest.mark.parametrize("supervision", ["honor", "strict"])
@pytest.mark.parametrize("sheet", FOUR_SEATS)
def test_a_claim_that_all_agree_to_scores_the_remaining_tricks(sheet: str, supervision: str) -> None:
    """Every sheet, strict too: North lays down three winners after two tricks, and has a march."""
    claimed = answering(table(sheet, f"{TRUE} {SECOND} N*", supervision=supervision))
    assert view(claimed, E).phase is Phase.ANSWERING
    assert view(claimed, E).proposal == Claim(N)
    assert view(claimed, E).exposed[N] == parse_cards("AdJhAh")  # sorted, whatever the order of the deal
    assert claimed.asked == (E, S, W)
    state = say(claimed, "W+ S+ E+")
    assert isinstance(state, Scored if supervision == "strict" else Closing)
    assert ended(state) == (Reason.MARCH, both(NS, 2))


@pytest.mark.parametrize("supervision", ["honor", "strict"])
@pytest.mark.parametrize("sheet", FOUR_SEATS)
def test_a_claim_that_anybody_refuses_is_played_on_with_the_cards_up(sheet: str, supervision: str) -> None:
    """Every sheet: the cards stay face up, the claimant chooses the order, and can't claim again."""
    state = table(sheet, f"{TRUE} {SECOND} N* S+ W-", supervision=supervision)
    assert playing(state).to_act is N
    for seat in (*Seat, None):
        assert set(view(state, seat).exposed[N]) == set(parse_cards("JhAhAd"))
    assert N not in claimants(state)
    state = say(state, "N:Ad")
    assert set(view(state, E).exposed[N]) == set(parse_cards("JhAh"))
    rest = "E:Td S:9d W:Kd N:Jh E:Kh S:Kc W:Jd N:Ah E:Ts S:Qd W:9h"
    assert ended(say(state, rest)) == (Reason.MARCH, both(NS, 2))


@pytest.mark.parametrize("sheet", PLAYED_OUT)
def test_campus_and_prize_night_play_every_hand_out(sheet: str) -> None:
    """Campus, prize-night: no claims and no throw-ins, at either kind of table."""
    for supervision in ("strict", "honor"):
        rules = honor_rules(sheet, supervision=supervision)
        state = say(start(rules, dealt(rules, FOUR)), f"o -Js {TRUE}")
        assert claimants(state) == []
        assert throw_ins(state, N) == []
        assert refused(state, "N*") == refused(state, "N*5") == "not-now"


CERTAIN = "W 9h N:JhJdAhKhQh E:9sTs9cTdTh S:QsTcKc9dQd W:KsJsQcAdKd"


@pytest.mark.parametrize("supervision", ["honor", "strict"])
def test_school_cup_certain_winners_need_nobodys_consent(supervision: str) -> None:
    """School-cup, its own example in hearts: both bowers, ace, king and queen are granted as a march."""
    for words in ("N*", "N:Ah E:Th S:Qs W:9h N*"):
        state = table("school-cup", words, line=CERTAIN, supervision=supervision)
        assert isinstance(state, Scored if supervision == "strict" else Closing)
        assert ended(state) == (Reason.MARCH, both(NS, 2))
    alone = table("school-cup", "N*", line=CERTAIN, alone=True, supervision=supervision)
    assert ended(alone) == (Reason.MARCH, both(NS, 4))
    state = answering(table("club", "N*", line=CERTAIN, supervision=supervision))
    assert state.asked == (E, S, W)


def test_school_cup_asks_about_winners_that_are_not_certain() -> None:
    """School-cup: an ace that can be trumped needs consent as on any other sheet, and is then played face up."""
    state = answering(table("school-cup", f"{TRUE} N*"))
    refused_claim = playing(say(state, "E-"))
    assert set(view(refused_claim, W).exposed) == {N}


@pytest.mark.parametrize("sheet", [name for name in FOUR_SEATS if name != "school-cup"])
def test_only_the_player_on_lead_claims(sheet: str) -> None:
    """Round-robin, campus, prize-night, club: only the leader, at the start of a trick."""
    assert claimants(table(sheet, TRUE)) == [N]
    assert claimants(table(sheet, f"{TRUE} N:Ac")) == []
    assert refused(table(sheet, TRUE), "E*") == "not-now"


def test_school_cup_lets_anyone_claim_between_tricks() -> None:
    """School-cup: on lead or not; a defender's claim gives the remaining tricks to the defenders."""
    state = table("school-cup", f"{TRUE} {SECOND}")
    assert claimants(state) == list(Seat)
    assert claimants(say(state, "N:Ad")) == []
    assert ended(say(state, "E* N+ S+ W+")) == (Reason.EUCHRE, both(EW, 2))
    assert ended(say(state, "S* N+ E+ W+")) == (Reason.MARCH, both(NS, 2))


def test_claims_may_be_off() -> None:
    """Campus and school-cup without claims: everyone leads one card at a time."""
    for sheet in ("campus", "school-cup"):
        state = table(sheet, TRUE, claims="off", claim_consent="all-agree")
        assert claimants(state) == []
        assert refused(state, "N*") == "not-now"
        assert throw_ins(state, N)


def test_a_lone_claim_asks_only_who_takes_part() -> None:
    """Club, alone: South sits out, isn't asked, and shows no card; dummy, kitty and discard stay hidden too."""
    claimed = answering(table("club", f"{TRUE} N*", alone=True))
    assert claimed.asked == (E, W)
    assert refused(claimed, "S+") == "not-now"
    state = say(claimed, "E+ W+")
    assert set(view(state, None).exposed) == {N, E, W}
    assert ended(state) == (Reason.MARCH, both(NS, 4))


def test_claims_of_three_and_two_players() -> None:
    """Club, three and two players: all others must agree, and a maker's claim is a march."""
    three = answering(small_table(3, "N:As E:9s S:Ks N*"))
    assert three.asked == (E, S)
    assert ended(say(three, "E+ S+")) == (Reason.MARCH, {N: 2})
    assert ended(say(small_table(2, "N:As S:Ks N*"), "S+")) == (Reason.MARCH, {N: 2})


def test_nothing_else_is_done_while_a_claim_is_answered() -> None:
    """Club: no card, call or second proposal, no second answer, and none from the claimant."""
    state = say(table("club", f"{LIED} N*"), "E+")
    for text in ("N:Ac", "S:Tc", "N^E1renege", "S*3", "N+", "E+", "E-", "N.", "-Ks"):
        assert refused(state, text) in ("not-now", "not-your-turn")


# A claim or a throw-in waives nothing


@pytest.mark.parametrize("end", ["N* E+ S+ W+", "S*5 N+ E+ W+"])
def test_a_renege_is_proven_from_cards_shown_at_the_end(end: str) -> None:
    """Campus: the hand ends by agreement, the active hands are shown, and East has the nine of spades."""
    state = closing(table("campus", f"{LIED} {SECOND} {end}"))
    assert set(view(state, None).exposed) == set(Seat)
    assert state.docket.verdicts == ()
    state = closing(say(state, "S^E1renege"))
    assert set(state.docket.verdicts[0].evidence) == set(parse_cards("Td9sTs"))
    assert ended(state) == (Reason.PENALTY, both(NS, 2))


def test_an_open_call_is_ruled_when_the_hands_are_shown() -> None:
    """Campus: called in the first trick, ruled when the throw-in is agreed; an honest East is acquitted."""
    for line, guilty in ((FOUR, True), (HONEST, False)):
        state = closing(table("campus", f"{LIED} N^E1renege N*5 E+ S+ W+", line=line))
        assert [verdict.guilty for verdict in state.docket.verdicts] == [guilty]


def test_a_claim_that_shows_a_renege_is_ruled_at_once() -> None:
    """School-cup, campus and club: East claims, and the cards show the spades East didn't play."""
    warned = answering(table("school-cup", f"{LIED} N^E1renege E*"))
    assert warned.docket.verdicts[0].guilty
    assert warned.asked == (N, S, W)
    punished = closing(table("campus", f"{LIED} N^E1renege E*", throw_ins="encouraged"))
    assert ended(punished) == (Reason.PENALTY, both(NS, 2))
    state = table("club", f"{LIED} N^E1renege E*", throw_ins="encouraged")
    assert isinstance(state, Settling)
    stands = say(state, "N=stand S=stand")
    assert playing(stands).to_act is N
    assert set(view(stands, N).exposed) == {E}


def test_a_player_whose_cards_lie_open_is_judged_at_once() -> None:
    """School-cup: East's claim was refused; a call on the first trick needs no more cards, guilty or not."""
    for line, guilty in ((FOUR, True), (HONEST, False)):
        state = playing(table("school-cup", f"{LIED} E* N- S^E1renege", line=line))
        assert [verdict.guilty for verdict in state.docket.verdicts] == [guilty]


def test_a_penalty_shows_only_the_cards_of_the_accused() -> None:
    """Campus: East's penalty ends the hand; West was accused too, shows the cards, and is innocent."""
    words = "N:As E:Td S:Qs W:Ks N:Ad E:Kh S:9d W:Kd N^E1renege"
    state = closing(table("campus", f"{words} E:9s"))
    assert view(state, None).exposed == {}
    called = closing(say(state, "S^E2renege"))
    assert set(view(called, None).exposed) == {E}
    words = "N:As E:Td S:Qs W:Ks N:Ad E:9s S:9d W:Jd N^W2renege N^E1renege"
    state = closing(table("campus", words))
    assert set(view(state, None).exposed) == {W}
    assert [(verdict.call.against, verdict.guilty) for verdict in state.docket.verdicts] == [(E, True), (W, True)]
    assert ended(state) == (Reason.PENALTY, both(NS, 2))


def test_a_card_out_of_turn_in_a_thrown_in_trick_stays() -> None:
    """Campus: the hand ended during the trick; the call is heard, but changes nothing."""
    state = closing(table("campus", "N:As W:Ks N*5 E+ S+ W+ N^W1out-of-turn"))
    assert state.docket.verdicts[0].guilty
    assert state.trick == parse_cards("AsKs")
    assert ended(state) == (Reason.MARCH, both(NS, 2))


# Throw-ins


@pytest.mark.parametrize("supervision", ["honor", "strict"])
@pytest.mark.parametrize("sheet", FOUR_SEATS)
def test_a_hand_is_thrown_in_when_all_agree_to_the_makers_tricks(sheet: str, supervision: str) -> None:
    """Every sheet, strict too: after two tricks of the makers they may be granted two to five."""
    state = table(sheet, f"{TRUE} {SECOND}", supervision=supervision)
    assert throw_ins(state, W) == [2, 3, 4, 5]
    for tricks, reason, points in (
        (2, Reason.EUCHRE, both(EW, 2)),
        (4, Reason.MADE_IT, both(NS, 1)),
        (5, Reason.MARCH, both(NS, 2)),
    ):
        proposed = answering(say(state, f"W*{tricks}"))
        assert proposed.asked == (N, E, S)
        assert view(proposed, N).proposal == ThrowIn(W, tricks)
        assert view(proposed, N).exposed == {}
        assert ended(say(proposed, "N+ E+ S+")) == (reason, points)
    assert refused(state, "W*1") == "not-now"


def test_anybody_who_disagrees_goes_on_playing_with_cards_closed() -> None:
    """Prize-night: nothing has changed except what was said."""
    before = playing(table("prize-night", f"{TRUE} N:Ac"))
    after = playing(say(before, "S*5 N+ W-"))
    assert (after.trick, after.to_act, after.cards) == (before.trick, before.to_act, before.cards)
    assert view(after, N).exposed == {}


def test_one_proposal_for_each_player_and_trick() -> None:
    """Club: refused once, a player may propose again in the next trick; others may at once."""
    state = table("club", f"{TRUE} N*5 E-")
    assert throw_ins(state, N) == []
    assert refused(state, "N*4") == "not-now"
    assert throw_ins(state, E) == [1, 2, 3, 4, 5]
    assert throw_ins(say(state, SECOND), N) == [2, 3, 4, 5]


def test_no_throw_in_before_trump_is_made() -> None:
    """Club and campus: not in the bidding, not while the maker decides, not while the dealer discards."""
    for sheet, words in (("club", ""), ("club", "p p"), ("club", "o"), ("campus", "o")):
        rules = honor_rules(sheet)
        state = say(start(rules, dealt(rules, FOUR)), words)
        assert refused(state, "N*5") == refused(state, "N*") == "not-now"


def test_who_sits_out_neither_proposes_nor_answers() -> None:
    """Round-robin, alone: South has no vote."""
    state = table("round-robin", TRUE, alone=True)
    assert throw_ins(state, S) == []
    assert answering(say(state, "E*5")).asked == (N, W)
    assert set(view(say(state, "E*5 N+ W+"), S).exposed) == {N, E, W}


def test_throw_ins_may_be_off() -> None:
    """Round-robin without throw-ins: every hand is played out, but claims are allowed."""
    state = table("round-robin", TRUE, throw_ins="off")
    assert throw_ins(state, N) == []
    assert refused(state, "N*5") == "not-now"
    assert claimants(state) == [N]


def test_throw_ins_of_three_and_two_players() -> None:
    """Club, three and two players: all others must agree; a euchre pays each defender."""
    state = answering(small_table(3, "N:As E:9s S:Ks S*1"))
    assert state.asked == (N, E)
    assert ended(say(state, "N+ E+")) == (Reason.EUCHRE, both((E, S), 2))
    assert ended(say(small_table(2, "N:As S:Ks S*3"), "N+")) == (Reason.MADE_IT, {N: 1})


def test_claims_and_throw_ins_stand_in_the_hand_line() -> None:
    """Club, honor and strict: a refused claim and an accepted throw-in parse back to the same hand."""
    for supervision in ("honor", "strict"):
        for words in ("N*", "N* E-", "N* E- N:Ac S*5", "N* E- N:Ac S*5 N+ E+ W+"):
            state = table("club", f"{TRUE} {words}", supervision=supervision)
            assert parse_hand_line(hand_line(state)) == state


def test_a_view_never_shows_the_hand_of_who_did_not_lay_it_down() -> None:
    """Club: South's refusal shows only North's cards."""
    state = table("club", f"{TRUE} N* S-")
    for seat in (E, S, W, None):
        assert set(view(state, seat).exposed) == {N}
    assert card("Kh") not in view(state, N).exposed[N]
