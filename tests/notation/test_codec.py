"""The JSON codec, good and bad: documented shapes, and one named error for each wrong one."""

import json
from typing import Any

import pytest

from leftbower.engine import Bury, Deal, Draw, Name, Order, Pass, Play, apply, view
from leftbower.errors import BadJson, LeftbowerError, RuleViolation
from leftbower.notation import (
    action_from_json,
    action_to_json,
    error_to_json,
    fact_from_json,
    fact_to_json,
    parse_hand_line,
    parse_token,
    view_from_json,
    view_to_json,
)
from leftbower.rules import UNKNOWN, Card, Seat, Suit, parse_cards

SUITED = "N:JhJdAhKhQh E:TcJcQcKcAc S:9dTdQdKdAd W:TsJsQsKsAs"


@pytest.mark.parametrize(
    ("act", "shape"),
    [
        (Pass(Seat.N), {"act": "pass", "seat": "N"}),
        (Order(Seat.E, True), {"act": "order", "seat": "E", "alone": True}),
        (Name(Seat.S, Suit.HEARTS), {"act": "name", "seat": "S", "suit": "h", "alone": False}),
        (Bury(Seat.W, UNKNOWN), {"act": "bury", "seat": "W", "card": "??"}),
        (Play(Seat.W, Card.parse("Jd")), {"act": "play", "seat": "W", "card": "Jd"}),
    ],
)
def test_the_shape_of_an_act(act: Any, shape: dict[str, object]) -> None:
    """As in the documentation."""
    assert action_to_json(act) == shape
    assert action_from_json(shape) == act
    assert fact_to_json(act) == {"fact": "act"} | shape


@pytest.mark.parametrize(
    ("shape", "act"),
    [
        ({"act": "farmers-hand", "seat": "N", "cards": "9s9hTc"}, "~Tc9h9s"),
        ({"act": "lay-away", "seat": "N", "cards": "9s??Tc"}, "-Tc9s??"),
        ({"act": "keep", "seat": "N"}, "."),
        ({"act": "alone", "seat": "N"}, "!"),
        ({"act": "together", "seat": "N"}, "&"),
        ({"act": "defend-alone", "seat": "N"}, "N!"),
        ({"act": "defend-together", "seat": "N"}, "N&"),
        ({"act": "order", "seat": "north"}, "o"),
    ],
)
def test_the_name_of_every_other_act(shape: dict[str, object], act: str) -> None:
    """Each parses to the act of its name; `alone` may be left out if it is false."""
    assert action_from_json(shape) == parse_token(act, Seat.N)


def test_the_shape_of_a_deal_and_a_draw() -> None:
    """Cards without spaces, seats by letter, empty seats left out."""
    deal = Deal(
        dealer=Seat.S,
        hands=(parse_cards("JhJdAhKhQh"), (), (UNKNOWN,) * 5, ()),
        up_card=Card.parse("Th"),
        dummy=parse_cards("QsKsAs"),
    )
    shape = {
        "fact": "deal",
        "dealer": "S",
        "up_card": "Th",
        "hands": {"N": "JhJdAhKhQh", "S": "??????????"},
        "dummy": "QsKsAs",
    }
    assert fact_to_json(deal) == shape
    assert fact_from_json(shape) == deal
    del shape["dummy"]
    assert fact_from_json(shape) == Deal(dealer=Seat.S, hands=deal.hands, up_card=deal.up_card)
    draw = Draw(shuffler=Seat.N, cards=parse_cards("9cJh"), dealer=Seat.S)
    assert fact_to_json(draw) == {"fact": "draw", "shuffler": "N", "cards": "9cJh", "dealer": "S"}


@pytest.mark.parametrize(
    ("shape", "code"),
    [
        ({}, "bad-record"),
        ({"fact": 1}, "bad-record"),
        ({"fact": None}, "bad-record"),
        ({"fact": "song"}, "bad-record"),
        ({"fact": "act"}, "bad-record"),
        ({"fact": "act", "act": "dance", "seat": "N"}, "bad-record"),
        ({"fact": "act", "act": ["pass"], "seat": "N"}, "bad-record"),
        ({"fact": "act", "act": "pass"}, "bad-record"),
        ({"fact": "act", "act": "pass", "seat": 0}, "bad-record"),
        ({"fact": "act", "act": "pass", "seat": "X"}, "bad-seat"),
        ({"fact": "act", "act": "pass", "seat": "N", "card": "Jd"}, "bad-record"),
        ({"fact": "act", "act": "play", "seat": "N"}, "bad-record"),
        ({"fact": "act", "act": "play", "seat": "N", "card": 9}, "bad-record"),
        ({"fact": "act", "act": "play", "seat": "N", "card": "1d"}, "bad-card"),
        ({"fact": "act", "act": "play", "seat": "N", "card": "??"}, "bad-card"),
        ({"fact": "act", "act": "bury", "seat": "N", "card": "?"}, "bad-card"),
        ({"fact": "act", "act": "lay-away", "seat": "N", "cards": ["9s"]}, "bad-record"),
        ({"fact": "act", "act": "lay-away", "seat": "N", "cards": "9s9"}, "bad-card"),
        ({"fact": "act", "act": "farmers-hand", "seat": "N", "cards": "????"}, "bad-card"),
        ({"fact": "act", "act": "order", "seat": "N", "alone": "yes"}, "bad-record"),
        ({"fact": "act", "act": "order", "seat": "N", "alone": 1}, "bad-record"),
        ({"fact": "act", "act": "order", "seat": "N", "alone": None}, "bad-record"),
        ({"fact": "act", "act": "name", "seat": "N", "suit": "x"}, "bad-suit"),
        ({"fact": "act", "act": "name", "seat": "N"}, "bad-record"),
        ({"fact": "draw", "shuffler": "N", "cards": "9cJh"}, "bad-record"),
        ({"fact": "draw", "shuffler": "N", "cards": "9cJh", "dealer": "S", "cut": 3}, "bad-record"),
        ({"fact": "draw", "shuffler": "N", "cards": "9c??", "dealer": "S"}, "bad-card"),
        ({"fact": "deal", "dealer": "N", "up_card": "Th"}, "bad-record"),
        ({"fact": "deal", "dealer": "N", "up_card": "Th", "hands": "all"}, "bad-record"),
        ({"fact": "deal", "dealer": "N", "up_card": "Th", "hands": {"X": "9c"}}, "bad-record"),
        ({"fact": "deal", "dealer": "N", "up_card": "Th", "hands": {"N": 9}}, "bad-record"),
        ({"fact": "deal", "dealer": "N", "up_card": "??", "hands": {}}, "bad-card"),
        ({"fact": "deal", "dealer": "N", "up_card": "Th", "hands": {}, "kitty": "9c"}, "bad-record"),
        ({"fact": "deal", "dealer": "N", "up_card": "Th", "hands": {}, "dummy": None}, "bad-record"),
    ],
)
def test_a_wrong_fact_raises_one_named_error(shape: dict[str, object], code: str) -> None:
    """Unknown acts, wrong types, malformed cards, extra fields."""
    with pytest.raises(LeftbowerError) as refusal:
        fact_from_json(shape)
    assert refusal.value.code == code
    assert refusal.value.message


def test_the_error_of_an_unknown_act_lists_the_known_ones() -> None:
    """So that the author of the JSON can see what was expected."""
    with pytest.raises(
        LeftbowerError, match=r"^act: .dance. is not an act; they are turn-up, keep, farmers-hand, pass, order"
    ):
        action_from_json({"act": "dance", "seat": "N"})


def test_the_shape_of_a_view() -> None:
    """Plain JSON; the cards of others aren't in it, and it round-trips."""
    state = parse_hand_line(f"W Th {SUITED} | o -Ts | JhTc9d")
    seat_view = view(state, Seat.W)
    shape = json.loads(json.dumps(view_to_json(seat_view)))
    assert [action for action in shape["legal"] if action["act"] == "play"] == [
        {"act": "play", "seat": "W", "card": "Th"}
    ]
    assert shape["refused"] == dict.fromkeys(("Js", "Qs", "Ks", "As"), "must-follow-suit")
    assert shape["contract"] == {"maker": "N", "trump": "h", "ordered": True, "alone": False, "defender": None}
    assert shape["card_counts"] == {"N": 4, "E": 4, "S": 4, "W": 5}
    assert (shape["trick"], shape["tricks"], shape["ending"]) == ("JhTc9d", [], None)
    assert view_from_json(shape) == seat_view


def test_the_view_of_a_hand_that_is_over() -> None:
    """Reason and points, for a seat and a spectator."""
    state = parse_hand_line(f"W Th {SUITED} | o -Ts | JhTc9dTh JdJcTdJs AhQcQdQs KhKcKdKs QhAcAdAs")
    for seat in (Seat.N, None):
        shape = json.loads(json.dumps(view_to_json(view(state, seat))))
        assert shape["ending"] == {"reason": "march", "points": {"N": 2, "S": 2}}
        assert view_from_json(shape) == view(state, seat)


def test_the_shape_of_an_error() -> None:
    """Code, message, path; never the state."""
    state = parse_hand_line(f"W Th {SUITED} | o -Ts | JhTc9d")
    with pytest.raises(RuleViolation) as refusal:
        apply(state, Play(Seat.W, Card.parse("As")))
    assert error_to_json(refusal.value.at("line 3")) == {
        "code": "must-follow-suit",
        "message": "As doesn't follow suit; play one that does",
        "path": "line 3",
    }
    assert refusal.value.state is state
    assert error_to_json(BadJson("no")) == {"code": "bad-json", "message": "no", "path": ""}
