"""Misdeals at an honor table, called before and after the up-card is turned: handwritten, from the club's sheet.

In `FOUR` West deals; `SHORT` and `LONG` are the same hand with four and six cards for East.
"""

from dataclasses import replace

import pytest

from honor_table import FOUR, NS, dealt, honor, may, refused, say, scored
from leftbower.engine import (
    Bidding,
    Deal,
    FaceDown,
    Game,
    InHand,
    Phase,
    Playing,
    Reason,
    State,
    ToDeal,
    TurnUp,
    UpCardStatus,
    advance_game,
    apply,
    deal_hand,
    new_game,
    start,
    view,
)
from leftbower.engine.deal import usual_packets
from leftbower.errors import BadDeal, NothingDealt
from leftbower.notation import describe_hand, hand_line, parse_hand_line, view_from_json, view_line, view_to_json
from leftbower.notation.describe import describe_choice
from leftbower.players.player import proper_actions
from leftbower.rules import UNKNOWN, HouseRules, Irregularity, Seat, preset
from leftbower.rules.choices import DealPattern

N, E, S, W = Seat
SHORT = FOUR.replace("E:9sTs9cTdKh", "E:9sTs9cTd")
LONG = FOUR.replace("E:9sTs9cTdKh", "E:9sTs9cTdKhTh")
WRONG = "wrong-card-count"


def face_down(sheet: str, line: str = FOUR, **changes: object) -> State:
    """A hand of this sheet at an honor table, before the up-card is turned."""
    rules = honor(sheet, **changes)
    return start(rules, replace(dealt(rules, line), face_down=True))


def test_club_hand_lies_face_down_until_the_dealer_turns_the_up_card() -> None:
    """Club: everyone sees only backs, even of their own cards; then the bidding begins."""
    state = face_down("club")
    assert isinstance(state, FaceDown)
    for seat in (*Seat, None):
        seat_view = view(state, seat)
        assert (seat_view.phase, seat_view.up_card_status, seat_view.turned) == (
            Phase.FACE_DOWN,
            UpCardStatus.FACE_DOWN,
            None,
        )
        assert (seat_view.cards, seat_view.dealt, seat_view.dummy) == ((), (), ())
        assert seat_view.card_counts == seat_view.dealt_counts == dict.fromkeys(Seat, 5)
        assert seat_view.legal == ((TurnUp(W),) if seat is W else ())
        assert view_from_json(view_to_json(seat_view)) == seat_view
        with pytest.raises(ValueError, match="face down"):
            _ = seat_view.up_card
        with pytest.raises(NothingDealt):
            view_line(seat_view)
    assert refused(state, "p") == "not-now"
    turned = say(state, "u")
    assert isinstance(turned, Bidding)
    assert turned.to_act is N
    assert str(view(turned, N).up_card) == "9h"
    assert refused(turned, "u") == "not-now"
    assert refused(say(turned, "p p p"), "u") == "not-now"
    assert describe_choice(TurnUp(W), turned.hand.rules) == "Turn up the top card"


def test_a_hand_that_was_face_down_reads_back_and_is_told() -> None:
    """The question mark after the dealer, and the u for turning up."""
    for words in ("", "u", "u p o"):
        state = say(face_down("club"), words)
        line = hand_line(state)
        assert " W? 9h " in line
        assert parse_hand_line(line) == state
    careless = say(start(honor("club"), replace(face_down("club").hand.deal, cut_offered=False)), "u p")
    assert " W/? 9h " in hand_line(careless)
    assert parse_hand_line(hand_line(careless)) == careless
    assert next(iter(describe_hand(face_down("club")))) == "West deals."
    assert "West turns up 9♥" in " ".join(describe_hand(say(face_down("club"), "u p")))
    assert parse_hand_line(view_line(view(say(face_down("club"), "u p"), N))).hand.deal.face_down


@pytest.mark.parametrize(("line", "size"), [(SHORT, 4), (LONG, 6)])
def test_club_miscount_before_the_up_card_is_dealt_again(line: str, size: int) -> None:
    """Club: anyone may call it, even the dealer and the partner; the same dealer deals again."""
    state = face_down("club", line)
    assert view(state, None).dealt_counts[E] == size
    for seat in Seat:
        over = scored(say(state, f"{seat}^W0{WRONG}"))
        assert (over.reason, dict(over.points), over.contract) == (Reason.MISDEAL, {}, None)
        assert view(over, N).cards == ()
        assert view(over, N).turned is None
        assert list(describe_hand(over))[-1] == "A misdeal: the same dealer deals again."


@pytest.mark.parametrize("line", [SHORT, LONG])
def test_club_wrong_number_of_cards_after_the_up_card_costs_the_deal(line: str) -> None:
    """Club: in the bidding, and once trump is made; the next player deals."""
    for words in ("u", "u p p p p", "u p o", "u o"):
        reached = say(face_down("club", line), words)
        over = scored(say(reached, f"N^W0{WRONG}"))
        assert (over.reason, dict(over.points)) == (Reason.DEAL_LOST, {})
        assert over.docket.verdicts[-1].call.irregularity is Irregularity.WRONG_CARD_COUNT


@pytest.mark.parametrize("sheet", ["round-robin", "campus", "school-cup", "prize-night"])
def test_other_sheets_deal_again_after_a_wrong_number_of_cards(sheet: str) -> None:
    """Round-robin, campus, school-cup, prize-night: the same dealer, before the up-card and after it."""
    for words in ("", "u", "u p"):
        assert scored(say(say(face_down(sheet, SHORT), words), f"E^W0{WRONG}")).reason is Reason.MISDEAL


def test_an_uncalled_miscount_ends_the_hand_at_the_first_lead() -> None:
    """Club: no hand is played with four or six cards; the hand doesn't count."""
    for line, words in ((SHORT, "u o -Js &"), (LONG, "u o -Js !"), (SHORT, "u p p p p s &")):
        over = scored(say(face_down("club", line), words))
        assert (over.reason, dict(over.points)) == (Reason.DEAL_LOST, {})
    with_defenders = face_down("club", SHORT, defend_alone="always")
    assert scored(say(with_defenders, "u o -Js & E! ")).reason is Reason.DEAL_LOST


def test_the_deal_goes_where_the_club_sends_it() -> None:
    """Club: before the up-card West deals again, after it North does; the hand is not scored."""
    rules = honor("club")
    deal = replace(dealt(rules, SHORT), face_down=True)
    for words, dealer in ((("N^",), W), (("u", "N^"), N)):
        game: Game = advance_game(new_game(rules, W), deal)
        for text in words:
            assert isinstance(game, InHand)
            action = (
                TurnUp(W) if text == "u" else next(legal for legal in view(game.hand, N).legal if "wrong" in str(legal))
            )
            game = advance_game(game, action)
        assert isinstance(game, ToDeal)
        assert (game.dealer, game.scores) == (dealer, (0, 0))


def test_a_proper_deal_cannot_be_called_wrong() -> None:
    for words in ("", "u", "u o -Js &"):
        state = say(face_down("club"), words)
        assert not may(state, f"N^W0{WRONG}")
        assert refused(state, f"N^W0{WRONG}") == "not-now"


def test_a_missing_cut_before_the_up_card_lets_the_dealer_start_over() -> None:
    """Club: the opponents call it, and the same dealer deals again; after the up-card the deal is lost."""
    rules = honor("club")
    deal = replace(dealt(rules, FOUR), face_down=True, cut_offered=False)
    state = start(rules, deal)
    assert not may(state, "E^W0no-cut-offered")
    assert scored(say(state, "N^W0no-cut-offered")).reason is Reason.MISDEAL
    assert scored(say(state, "u N^W0no-cut-offered")).reason is Reason.DEAL_LOST


def test_a_bot_calls_a_wrong_number_of_cards_before_anything_else() -> None:
    """Whether it has to bid or to turn up, it neither plays on nor judges a hand of the wrong size."""
    for words, seat in (("", W), ("u", N), ("u p", E), ("u o -Js", N)):
        seat_view = view(say(face_down("club", SHORT), words), seat)
        assert [str(call.irregularity) for call in proper_actions(seat_view) if hasattr(call, "irregularity")] == [
            WRONG
        ]
        assert len(proper_actions(seat_view)) == 1


# Packets


def dealing(rules: HouseRules, packets: tuple[int, ...] | None) -> Deal:
    return deal_hand(rules, dealer=W, deck=rules.deck, packets=packets)


def test_club_dealer_chooses_every_bundle() -> None:
    """Club: two or three to each, in any order, if everyone gets five; a strict table accepts nothing else."""
    club = preset("club")
    assert usual_packets(club) == (2, 2, 2, 2, 3, 3, 3, 3)
    mixed = dealing(club, (2, 3, 2, 3, 3, 2, 3, 2))
    assert [len(hand) for hand in mixed.hands] == [5, 5, 5, 5]
    assert mixed != dealing(club, None)
    assert dealing(club, (2, 3)) == dealing(club, None) == dealing(club, usual_packets(club))
    for wrong in ((2, 2, 2, 2, 3, 3, 3, 2), (1, 2, 2, 2, 4, 3, 3, 3), (2, 3, 3), (5,)):
        with pytest.raises(BadDeal):
            dealing(club, wrong)


def test_prize_night_deals_two_and_three_in_either_order_to_all() -> None:
    night = preset("prize-night")
    assert dealing(night, (3, 2)) == dealing(night, (3, 3, 3, 3, 2, 2, 2, 2))
    with pytest.raises(BadDeal):
        dealing(night, (2, 3, 2, 3, 3, 2, 3, 2))
    campus = preset("campus")
    assert campus.deal_pattern is DealPattern.TWO_THREE
    with pytest.raises(BadDeal):
        dealing(campus, (3, 2))


def test_only_an_honor_table_deals_wrong() -> None:
    """One card too few or too many for a player, never more, and a card must be left to turn up."""
    rules = honor("club")
    short = dealing(rules, (2, 2, 2, 2, 3, 3, 2, 3))
    assert sorted(map(len, short.hands)) == [4, 5, 5, 5]
    assert isinstance(start(rules, replace(short, face_down=True)), FaceDown)
    for wrong in ((2, 2, 2, 2, 3, 3, 3, 1), (5, 2, 2, 2, 0, 3, 3, 3), (3, 3, 3, 3, 3, 3, 3, 3)):
        with pytest.raises(BadDeal):
            dealing(rules, wrong)
    six = (UNKNOWN,) * 6
    with pytest.raises(BadDeal, match="no card is left"):
        start(rules, replace(dealt(rules, FOUR), hands=(six, six, six, six)))
    ones = honor("round-robin")
    assert sorted(map(len, dealing(ones, (1,) * 19 + (2,)).hands)) == [5, 5, 5, 6]
    with pytest.raises(BadDeal):
        start(preset("club"), replace(dealt(preset("club"), FOUR), face_down=True))
    with pytest.raises(BadDeal, match="has 4 cards"):
        start(preset("club"), short)


def test_turning_up_is_the_dealers_act() -> None:
    state = face_down("club")
    assert isinstance(apply(state, TurnUp(W)), Bidding)
    for seat in (*NS, E):
        assert not may(state, f"{seat}.")
    assert isinstance(say(face_down("club", farmers_hand="redeal"), "u . . . . o -Js &"), Playing)
