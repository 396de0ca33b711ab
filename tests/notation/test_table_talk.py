"""Talk across the table: in a hand line, in JSON and in words."""

import json
import random
from dataclasses import replace

import pytest

from leftbower.engine import (
    Action,
    Agree,
    CallOut,
    Claim,
    Correct,
    Disagree,
    Play,
    Ready,
    Scored,
    Settle,
    State,
    Terms,
    ThrowIn,
    acts,
    apply,
    deal_hand,
    start,
    talk,
    view,
)
from leftbower.engine.states import Docket, Verdict
from leftbower.errors import LeftbowerError
from leftbower.notation import (
    action_from_json,
    action_to_json,
    describe,
    describe_choice,
    docket_to_json,
    hand_line,
    parse_hand_line,
    parse_token,
    to_token,
    view_from_json,
    view_line,
    view_to_json,
)
from leftbower.rules import Card, HouseRules, Incident, Irregularity, Seat, preset, ruling, to_link
from leftbower.rules.choices import Supervision

N, E, S, W = Seat
SAID: dict[str, tuple[Action, str]] = {
    "N*": (Claim(N), "North claims the rest."),
    "N*3": (ThrowIn(N, 3), "North offers to throw in the hand: the makers take 3 tricks."),
    "N+": (Agree(N), "North agrees."),
    "N-": (Disagree(N), "North disagrees."),
    "N^W2renege": (CallOut(N, W, Irregularity.RENEGE, 2), "North calls a renege on West in trick 2."),
    "N^W0no-cut-offered": (CallOut(N, W, Irregularity.NO_CUT_OFFERED, 0), "North says West didn’t offer the cut."),
    "W<2": (Correct(W, 2), "West corrects a card in trick 2."),
    "N=full": (Settle(N, Terms.FULL), "North takes the full penalty."),
    "N=1": (Settle(N, Terms.FEWER, 1), "North takes only 1 of the penalty."),
    "N=correct": (Settle(N, Terms.CORRECT), "North asks for a correction."),
    "N=stand": (Settle(N, Terms.LET_STAND), "North lets it stand."),
    "N.": (Ready(N), "North is ready for the next hand."),
}


@pytest.mark.parametrize("text", SAID)
def test_a_word_is_read_written_and_told(text: str) -> None:
    """Token, JSON and sentence all mean the same."""
    action, sentence = SAID[text]
    assert parse_token(text, E) == action
    assert to_token(action) == text
    assert action_from_json(json.loads(json.dumps(action_to_json(action)))) == action
    assert describe(action, preset("club")) == sentence
    assert describe_choice(action, preset("club"))


def test_a_claim_without_a_seat_is_made_by_the_seat_to_act() -> None:
    """As in euchre's FEN: `*` for the remaining tricks, `*n` for n tricks to the makers."""
    assert (parse_token("*", E), parse_token("*3", E)) == (Claim(E), ThrowIn(E, 3))
    line = "{round-robin} E Td N:AcAdQcQhQs E:9sAsJcKdTh S:9cAhKcKsQd W:9hJsKhTcTs | p p p p h | KcTcAcJc *"
    assert hand_line(parse_hand_line(line)) == line.replace("*", "N*")
    with pytest.raises(LeftbowerError, match="is not a call"):
        parse_hand_line(line.replace("*", "^renege"))


def test_a_card_may_say_whose_it_is() -> None:
    assert parse_token("N:9s", E) == Play(N, Card.parse("9s"))


@pytest.mark.parametrize("text", ["N^W2yawning", "N^X2renege", "N<x", "N*33", "N=half", "N=", "N^", "N::"])
def test_what_cannot_be_said_is_no_word(text: str) -> None:
    with pytest.raises(LeftbowerError) as why:
        parse_token(text, E)
    assert why.value.code in ("bad-hand-line", "bad-card")


@pytest.mark.parametrize(
    "plain",
    [
        {"act": "correct", "seat": "N", "trick": "two"},
        {"act": "correct", "seat": "N", "trick": True},
        {"act": "throw-in", "seat": "N", "makers_tricks": 99},
        {"act": "call-out", "seat": "N", "against": "E", "irregularity": "yawning", "trick": 1},
        {"act": "settle", "seat": "N", "terms": "half"},
        {"act": "claim", "seat": "N", "cards": "9s"},
    ],
)
def test_json_that_says_nothing_is_refused(plain: dict[str, object]) -> None:
    with pytest.raises(LeftbowerError) as why:
        action_from_json(plain)
    assert why.value.code == "bad-record"


@pytest.mark.parametrize(
    "sheet",
    ["club3", *(pytest.param(sheet, marks=pytest.mark.unmeasured) for sheet in ("club", "school-cup", "round-robin"))],
)
def test_views_of_an_honor_table_survive_json(sheet: str) -> None:
    """Calls, verdicts, penalties, cards taken back, hands face up: the whole docket round-trips, for every viewer."""
    rules = replace(preset(sheet), supervision=Supervision.HONOR, wrong_call_points=1)
    rng = random.Random(4)
    kinds = set()
    for _ in range(8):
        deck = list(rules.deck)
        rng.shuffle(deck)
        state: State = start(rules, deal_hand(rules, dealer=rng.choice(rules.seats), deck=deck))
        while not isinstance(state, Scored):
            doing, saying = acts(state), talk(state)
            quiet = doing and (not saying or rng.random() > 0.2)
            state = apply(state, rng.choice(doing if quiet else saying))
            for seat in (*rules.seats, None):
                seat_view = view(state, seat)
                assert view_from_json(json.loads(json.dumps(view_to_json(seat_view)))) == seat_view
            docket = view(state, None).docket
            kinds |= {name for name in ("verdicts", "penalties", "exposed", "calls") if getattr(docket, name)}
    assert {"verdicts", "exposed"} <= kinds


def test_a_verdict_in_a_view_cites_its_rule_by_option_and_in_words() -> None:
    """A card out of turn is taken back; a client can read why without knowing the options."""
    rules = preset("campus")
    ruled = ruling(rules, Incident(irregularity=Irregularity.OUT_OF_TURN, offender=Seat.E))
    call = CallOut(Seat.N, Seat.E, Irregularity.OUT_OF_TURN, 1)
    docket = Docket(verdicts=(Verdict(call=call, guilty=True, evidence=(), ruling=ruled),))
    assert docket_to_json(docket, rules)["verdicts"][0]["ruling"] == {
        "points": {},
        "warning": False,
        "hand_ends": False,
        "deal_passes": False,
        "remedy": "take-back",
        "may_be_waived": False,
        "cited_options": ["out_of_turn"],
        "rule": "A card played out of turn is taken back.",
    }


def test_warnings_and_a_missing_cut_stand_in_the_line() -> None:
    """Both are part of the start of a hand, so a line with them round-trips."""
    rules = HouseRules(supervision="honor", deal_cut="right", renege_warnings=1)  # type: ignore[arg-type]
    deal = "E/ Td N:AcAdQcQhQs E:9sAsJcKdTh S:9cAhKcKsQd W:9hJsKhTcTs"
    line = f"{{{to_link(rules)} 0-0 w0100}} {deal}"
    state = parse_hand_line(line)
    assert (state.hand.warnings, state.hand.deal.cut_offered) == ((0, 1, 0, 0), False)
    assert hand_line(state) == line
    with pytest.raises(LeftbowerError, match="four digits"):
        parse_hand_line(f"{{{to_link(rules)} 0-0 w1}} {deal}")
    with pytest.raises(LeftbowerError, match="only at an honor table"):
        parse_hand_line(f"{{club}} {deal}")


def test_hands_counted_stand_in_the_line_of_a_fixed_length_game() -> None:
    """In other games nothing depends on them, and a line with them is refused."""
    rules = HouseRules(game_ends="after-8-hands")  # type: ignore[arg-type]
    deal = "E Td N:AcAdQcQhQs E:9sAsJcKdTh S:9cAhKcKsQd W:9hJsKhTcTs"
    for line in (f"{{{to_link(rules)} 3-1 h7}} {deal}", f"{{{to_link(rules)} 0-0 h1 w0100}} {deal}"):
        state = parse_hand_line(line)
        assert hand_line(state) == line
        assert view(state, None).hands == state.hand.hands > 0
        assert " h" in view_line(view(state, None))
    for head in ("club 3-1 h7", f"{to_link(rules)} 3-1 hh", f"{to_link(rules)} 3-1 x w0100"):
        with pytest.raises(LeftbowerError, match="write hands like h7"):
            parse_hand_line(f"{{{head}}} {deal}")
    with pytest.raises(LeftbowerError, match="the head is"):
        parse_hand_line(f"{{club 3-1 w0000 w0000 w0000}} {deal}")
