"""Hands in words: the sentences people read, each written down here once."""

import re
from dataclasses import replace

import pytest

from honor_table import FOUR, READY, dealt, honor, say, scored, table
from leftbower.engine import Bury, CallOut, Play, Ready, Scored, State, ThrowIn, start
from leftbower.notation import parse_hand_line, parse_token, replay_hand_line
from leftbower.notation.describe import (
    compass_name,
    describe,
    describe_choice,
    describe_hand,
    describe_result,
    describe_scores,
    format_cards,
)
from leftbower.rules import Card, HouseRules, Irregularity, Seat, parse_faces, preset, to_link

SUITED = "N:JhJdAhKhQh E:TcJcQcKcAc S:9dTdQdKdAd W:TsJsQsKsAs"
MIXED = "N:JhJdAh9s9c E:TcJcQcKcAc S:9dTdQdKdAd W:TsJsQsKsAs"
TOGETHER = "JhTc9dTh JdJcTdJs AhQcQdQs KhKcKdKs QhAcAdAs"


def over(line: str) -> Scored:
    state = parse_hand_line(line)
    assert isinstance(state, Scored)
    return state


@pytest.mark.parametrize(
    ("word", "sentence", "offered"),
    [
        ("p", "North passes.", "Pass"),
        ("o", "North orders it up.", "Order it up"),
        ("o!", "North orders it up and goes alone.", "Order it up, alone"),
        ("h", "North calls hearts.", "Hearts"),
        ("c!", "North calls clubs and goes alone.", "Clubs, alone"),
        ("-Ts", "North discards 10♠.", "Discard 10♠"),
        ("-??", "North discards a card.", "Discard a card"),
        ("!", "North goes alone.", "Go alone"),
        ("&", "North plays with a partner.", "With my partner"),
        ("-QsKsAs", "North discards Q♠ K♠ A♠.", "Discard Q♠ K♠ A♠"),
        ("-??????", "North discards three cards.", "Discard three cards"),
        ("N!", "North defends alone.", "Defend alone"),
        ("N&", "North defends with a partner.", "With my partner"),
        ("~9s9hTc", "North shows a farmer’s hand: 10♣ 9♥ 9♠.", "Show 10♣ 9♥ 9♠"),
        (".", "North keeps the hand.", "Keep my hand"),
    ],
)
def test_every_act_has_a_sentence(word: str, sentence: str, offered: str) -> None:
    """As a past action, and as a choice."""
    action = parse_token(word, Seat.N)
    assert describe(action, HouseRules()) == sentence
    assert describe_choice(action, HouseRules()) == offered


def test_the_dealer_picks_the_up_card_up() -> None:
    """Others order it up; alone is said of both."""
    for word, sentence, offered in (
        ("o", "North picks it up.", "Pick it up"),
        ("o!", "North picks it up and goes alone.", "Pick it up, alone"),
    ):
        action = parse_token(word, Seat.N)
        assert describe(action, HouseRules(), dealer=Seat.N) == sentence
        assert describe_choice(action, HouseRules(), dealer=Seat.N) == offered
        assert "order" in describe(action, HouseRules(), dealer=Seat.S)


@pytest.mark.parametrize("kind", Irregularity)
def test_every_call_names_the_trick_or_the_deal(kind: Irregularity) -> None:
    """Told to its caller, to the accused and to others, and offered."""
    call = CallOut(Seat.E, Seat.N, kind, 2)
    for name in (compass_name, lambda seat: "You" if seat is Seat.E else "Bob", lambda seat: "You"):
        for text in (describe(call, preset("club"), name), describe_choice(call, preset("club"), name)):
            assert re.search("discard|cut|misdeal|trick 2", text, re.IGNORECASE)
            assert "You " not in text[1:]


def test_a_dealer_can_call_a_misdeal_too() -> None:
    call = CallOut(Seat.N, Seat.N, Irregularity.WRONG_CARD_COUNT, 0)
    assert describe(call, preset("club")) == "North calls a misdeal: wrong number of cards."
    assert describe_choice(call, preset("club"), lambda _: "You") == "My misdeal: wrong number of cards"


def test_a_played_card_has_a_sentence() -> None:
    """It isn't a token of its own in a hand line, but it is described and offered like any act."""
    play = Play(Seat.N, Card.parse("Th"))
    assert describe(play, HouseRules()) == "North plays 10♥."
    assert describe_choice(play, HouseRules()) == "Play 10♥"


def test_without_partners_the_maker_takes_the_dummy() -> None:
    """Three and two players."""
    assert describe(parse_token("&", Seat.E), preset("club3"), lambda seat: f"<{seat}>") == "<E> takes the dummy."


def test_cards_for_people() -> None:
    """With suit symbols, and unknown cards as they are."""
    assert format_cards(parse_faces("AcTd??")) == "A♣ 10♦ ??"
    assert compass_name(Seat.W) == "West"


def sentences(state: State) -> list[str]:
    return list(describe_hand(state))


def test_a_hand_is_told_as_far_as_it_got() -> None:
    """The deal, the calls, complete tricks, and an incomplete one."""
    assert sentences(parse_hand_line(f"W Th {SUITED}")) == ["West deals and turns up 10♥."]
    assert sentences(parse_hand_line(f"W Th {SUITED} | o -Ts | JhTc9dTh Jd")) == [
        "West deals and turns up 10♥.",
        "North orders it up. West discards 10♠.",
        "Trick 1: J♥ 10♣ 9♦ 10♥, led by North, taken by North.",
        "Trick 2: J♦, led by North, not complete.",
    ]
    assert sentences(parse_hand_line(f"W Th {SUITED} | o -Ts | JhTc9dTh"))[-1].startswith("Trick 1:")
    assert sentences(over(f"W Th {SUITED} | o -Ts | {TOGETHER}"))[-1] == (
        "North and South took all five tricks, a march: 2 points for North and South."
    )


def test_every_end_of_a_hand_has_a_sentence() -> None:
    """Made, march, euchre, passed out, redealt."""
    made_it = over(f"W Th {MIXED} | o -Ts | JhTc9dTh JdJcTdJs AhQcQdQs 9sKcKdKs As9cAcAd")
    assert describe_result(made_it) == "North and South made it with 3 tricks: 1 point for North and South."
    euchre = over(f"W Th {SUITED} | p o -Ts | {TOGETHER}")
    assert describe_result(euchre) == "East and West took no tricks and got euchred: 2 points for North and South."
    out = over("{round-robin} W Th " + SUITED + " | p p p p p p p p")
    assert describe_result(out) == "Passed out: no one scores."
    rules = HouseRules(farmers_hand="redeal")  # type: ignore[arg-type]
    farmer = "S Qh N:AhKhJcQsAs E:JhJdJsKdAc S:AdQcKcQdKs W:9s9c9dThTc | ~9s9c9dThTc"
    assert describe_result(over(f"{{{to_link(rules)}}} {farmer}")) == "A farmer’s hand: the same dealer deals again."


def test_a_penalty_has_a_sentence() -> None:
    """The side that gained is named."""
    ruled = scored(table("club", f"N:As W:Ks N^W1out-of-turn N=full {READY}"))
    assert describe_result(ruled) == "A penalty: 2 points for North and South."


def test_one_trick_is_one_trick() -> None:
    """East's ace of clubs takes the last."""
    deal = "W Th N:JhJdAhKh9c E:TcJcQcKcAc S:9dTdQdKdAd W:TsJsQsKsAs"
    state = over(f"{deal} | p o -Ts | JhTc9dTh JdJcTdJs AhQcQdQs KhKcKdKs 9cAcAdAs")
    assert describe_result(state) == "East and West took 1 trick and got euchred: 2 points for North and South."


def test_a_lone_maker_and_three_players_are_told() -> None:
    """Going alone is mentioned, and each seat that scores is named."""
    alone = over(f"W Th {SUITED} | o! -Ts | JhTcTh JdJcJs AhQcQs KhKcKs QhAcAs")
    assert "alone" in describe_result(alone)
    assert describe_result(alone).endswith("4 points for North and South.")
    three = "{club3} S Th N:JhJdAhKhQh E:TcJcQcKcAc S:9dTdQdKdAd D:QsKsAs"
    assert describe_result(over(f"{three} | p o -9d ! | JhTcTh JdJcTd AhQcQd KhKcKd QhAcAd")) == (
        "East went alone, took no tricks and got euchred: 4 points for North, 4 points for South."
    )


def test_a_loner_who_takes_some_tricks_is_told() -> None:
    """Made, and euchred with one trick."""
    made_it = over(f"W Th {MIXED} | o! -Ts | JhTcTh JdJcJs AhQcQs 9sKcKs As9cAc")
    assert describe_result(made_it) == "North went alone and made it with 3 tricks: 1 point for North and South."
    deal = "W Th N:JhJdAhKh9c E:TcJcQcKcAc S:9dTdQdKdAd W:TsJsQsKsAs"
    euchre = over(f"{deal} | p o! -Ts | JhTc9d JdJcTd AhQcQd KhKcKd 9cAcAd")
    assert describe_result(euchre).startswith("East went alone, took 1 trick and got euchred: ")


def test_a_hand_is_told_to_one_of_its_players() -> None:
    """With `you` as dealer, leader, winner and scorer, the reader before the partner."""

    def told_to(reader: Seat, state: State) -> list[str]:
        return list(describe_hand(state, lambda seat: "You" if seat is reader else seat.full_name))

    march = over(f"W Th {SUITED} | o -Ts | {TOGETHER}")
    assert told_to(Seat.W, march)[:2] == ["You deal and turn up 10♥.", "North orders it up. You discard 10♠."]
    assert told_to(Seat.N, march)[2] == "Trick 1: J♥ 10♣ 9♦ 10♥, led by you, taken by you."
    assert told_to(Seat.S, march)[-1] == "You and North took all five tricks, a march: 2 points for you and North."
    rules = honor("club")
    turned_up = say(start(rules, replace(dealt(rules, FOUR), face_down=True)), "u p")
    assert told_to(Seat.W, turned_up) == ["You deal.", "You turn up 9♥. North passes."]
    assert told_to(Seat.N, turned_up)[1] == "West turns up 9♥. You pass."
    three = "{club3} S Th N:JhJdAhKhQh E:TcJcQcKcAc S:9dTdQdKdAd D:QsKsAs"
    alone = over(f"{three} | p o -9d ! | JhTcTh JdJcTd AhQcQd KhKcKd QhAcAd")
    assert told_to(Seat.E, alone)[-1] == (
        "You went alone, took no tricks and got euchred: 4 points for North, 4 points for South."
    )
    assert told_to(Seat.N, alone)[-1].endswith("4 points for you, 4 points for South.")
    assert describe(ThrowIn(Seat.N, 1), preset("club"), lambda _: "You") == (
        "You offer to throw in the hand: the makers take 1 trick."
    )


def test_scores_are_told_side_by_side() -> None:
    """In the order of the sides."""
    assert describe_scores(preset("campus"), (9, 6)) == "North and South 9, East and West 6"
    assert describe_scores(preset("club3"), (1, 2, 3)) == "North 1, East 2, South 3"


def test_a_replayed_line_is_a_game_of_one_hand() -> None:
    """Finished, unfinished, and with a fault."""
    finished = replay_hand_line(f"{{campus 8-9}} W Th {SUITED} | o -Ts | {TOGETHER}").as_game()
    assert (finished.scores, len(finished.hands), finished.unfinished, finished.fault) == ((10, 9), 1, None, None)
    begun = replay_hand_line(f"{{campus 8-9}} W Th {SUITED} | o -Ts | Jh9d").as_game()
    assert (begun.scores, begun.hands) == ((8, 9), ())
    assert begun.unfinished is not None
    assert begun.fault is not None
    assert (begun.fault.hand, begun.fault.trick, begun.fault.error.code) == (1, 1, "card-not-held")


def test_the_readers_own_seat_is_called_you() -> None:
    """`You` has sentences of its own, and inside a sentence it is `you`; braces and percents in a name mean nothing."""

    def name(seat: Seat) -> str:
        return "You" if seat is Seat.N else "{s} %(name)s Bob"

    rules = preset("club")
    assert describe(Bury(Seat.N, Card.parse("9s")), rules, name) == "You discard 9♠."
    assert describe(Ready(Seat.N), rules, name) == "You’re ready for the next hand."
    assert describe(Ready(Seat.E), rules, name) == "{s} %(name)s Bob is ready for the next hand."
    called = CallOut(Seat.E, Seat.N, Irregularity.RENEGE, 2)
    assert describe(called, rules, name) == "{s} %(name)s Bob calls a renege on you in trick 2."
    assert describe(CallOut(Seat.N, Seat.E, Irregularity.RENEGE, 2), rules, name).endswith(
        "on {s} %(name)s Bob in trick 2."
    )
    assert describe_choice(called, rules, name) == "Renege by you, trick 2"
