"""The table's view model and fragment contain only what the viewer may see."""

from collections.abc import Iterator
from contextlib import suppress
from random import Random

import pytest

from benchmarks.table_fixture import next_fact
from honor_table import honor
from leftbower.engine import Draw, LayAway, Phase, Play, looking_back
from leftbower.errors import LeftbowerError
from leftbower.rules import HouseRules, preset
from leftbower.rules.cards import DECK, Card, Suit, parse_cards
from leftbower.rules.choices import LookingBack
from leftbower.table import (
    Acted,
    Agreed,
    BotSeated,
    BotSubstituted,
    Created,
    Disconnected,
    Reconnected,
    Sat,
    Table,
    apply_fact,
    hand_view_for,
)
from leftbower.web.render import render_table
from leftbower.web.table.score_cards import score_cards
from leftbower.web.table.text import card_name
from leftbower.web.table.view_model import card_order, table_view_model
from pseudo_language import pseudo_language, untranslated

NAMES = {f"p{number}": name for number, name in enumerate(("Ann", "<b>Bob</b>", "Cat", "Dan"))}


def tables(sheet: str | HouseRules, seed: int, acts: int) -> list[Table]:
    """A table of four people after each action of some hands."""
    rules, rng = preset(sheet) if isinstance(sheet, str) else sheet, Random(seed)
    table = apply_fact(None, Created(person="p0", rules=rules, bot_level="novice"), 1.0)
    for number, seat in enumerate(rules.seats):
        table = apply_fact(table, Sat(person=f"p{number}", seat=seat), 1.0)
    for number in range(len(rules.seats)):
        table = apply_fact(table, Agreed(person=f"p{number}"), 1.0)
    versions = [table]
    for number in range(acts):
        table = apply_fact(table, next_fact(table, rng, f"a{number}"), 1.0)
        versions.append(table)
    return versions


@pytest.mark.parametrize("sheet", ["club", "campus", "prize-night", "school-cup", "round-robin", "club3", "club2"])
def test_no_card_is_in_a_fragment_that_its_viewer_may_not_see(sheet: str) -> None:
    """Exactly the cards of the view are drawn, named or offered; spectators see what is open."""
    for table in tables(sheet, seed=7, acts=60):
        for person in ("p0", "p1", None):
            text = render_table("t", table, person, NAMES, address="http://hall/t/t")
            hand_view = hand_view_for(table, person)
            visible = set() if hand_view is None else {card for card in _cards_of(hand_view) if isinstance(card, Card)}
            visible |= {card for fact in table.history[-1:] if isinstance(fact, Draw) for card in fact.cards}
            rendered = {card for card in DECK if f'"#{card}"' in text or f'data-k="{card}"' in text}
            assert rendered <= visible, (sheet, person, rendered - visible)


def _cards_of(hand_view: object) -> list[object]:
    return [
        hand_view.up_card,  # type: ignore[attr-defined]
        *hand_view.cards,  # type: ignore[attr-defined]
        *hand_view.dummy,  # type: ignore[attr-defined]
        *hand_view.trick,  # type: ignore[attr-defined]
        *(card for trick in hand_view.tricks for card in trick.cards),  # type: ignore[attr-defined]
        *(card for cards in hand_view.exposed.values() for card in cards),  # type: ignore[attr-defined]
    ]


SHEETS_WITH_EVERY_CHOICE = {
    **{sheet: preset(sheet) for sheet in ("club", "school-cup", "club3", "club2")},
    **{f"{sheet}, on honor": honor(sheet) for sheet in ("club", "round-robin", "campus", "club3", "club2")},
    "every question": honor(
        "campus", farmers_hand="swap", defend_alone="always", going_alone="before-the-lead", draw_cut="left"
    ),
}


@pytest.mark.parametrize("sheet", SHEETS_WITH_EVERY_CHOICE)
def test_every_text_of_a_fragment_is_translated(sheet: str) -> None:
    """After each action, each remark across the table, and each answer to it; for players and spectators."""
    versions = tables(SHEETS_WITH_EVERY_CHOICE[sheet], seed=1, acts=60)
    for table in versions[::4]:
        for said in list(remarks(table))[:8]:
            versions += (said, *list(remarks(said))[:6])
    with pseudo_language():
        for table in versions:
            for person in ("p0", "p1", None):
                text = render_table("t", table, person, NAMES, address="http://hall/t/t", trick_seconds_left=3.0)
                assert untranslated(text, frozenset(["leftbower", "Ann", "Bob", "Cat", "Dan"])) == []


def remarks(table: Table) -> Iterator[Table]:
    """The table after each remark or answer that a player can make now, one of each kind."""
    for person in ("p0", "p1"):
        hand_view = hand_view_for(table, person)
        kinds = {} if hand_view is None else {type(action): action for action in hand_view.legal}
        for action in kinds.values():
            if not isinstance(action, Play | LayAway):
                with suppress(LeftbowerError):
                    yield apply_fact(table, Acted(action=action, action_id=f"said {action}"), 1.0)


def test_a_fragment_is_one_line_and_at_most_nine_kilobytes() -> None:
    for table in tables("club", seed=3, acts=60):
        address = "http://hall/t/t0123456789abcdef"
        text = render_table("t0123456789abcdef", table, "p2", NAMES, address=address, trick_seconds_left=3.0)
        assert "\n" not in text
        assert len(text.encode()) <= 9_000


@pytest.mark.parametrize("sheet", ["school-cup", "round-robin", "club3"])
def test_a_gathered_trick_is_only_in_fragments_that_may_look_back(sheet: str) -> None:
    """While the trick is open, every fragment has it."""
    for table in tables(sheet, seed=7, acts=60):
        for person in ("p0", "p1", "p2", None):
            hand_view = hand_view_for(table, person)
            if hand_view is None or hand_view.trick or not hand_view.tricks or table.cutter is not None:
                continue
            if hand_view.ending and table.rules.looking_back is LookingBack.EVERYONE:
                continue  # the panel at the end shows the card that took each trick
            cards = hand_view.tricks[-1].cards
            opened = render_table("t", table, person, NAMES, address="", trick_seconds_left=0.4)
            gathered = render_table("t", table, person, NAMES, address="")
            assert all(f'data-k="{card}"' in opened for card in cards)
            assert 'data-open="1"' in opened
            allowed = bool(looking_back(hand_view))
            assert [f'"#{card}"' in gathered for card in cards] == [allowed] * len(cards)
            assert allowed or not any(card_name(card) in gathered for card in cards)


def test_names_are_text() -> None:
    for table in tables("club", seed=3, acts=12):
        assert "<b>Bob" not in render_table("t", table, "p0", NAMES, address="")


def test_the_left_bower_sorts_with_the_trumps_and_suits_stay_put() -> None:
    hand = parse_cards("9hJdJhAsTc")
    without_trump = sorted(hand, key=lambda card: card_order(card, None))
    trumps = sorted(hand, key=lambda card: card_order(card, Suit.HEARTS))
    assert [str(card) for card in without_trump] == ["As", "Jh", "9h", "Tc", "Jd"]
    assert [str(card) for card in trumps] == ["As", "Jh", "Jd", "9h", "Tc"]


def test_bowers_are_called_by_their_names() -> None:
    left, right = Card.parse("Jd"), Card.parse("Jh")
    assert card_name(left, Suit.HEARTS) == "jack of diamonds, left bower"
    assert card_name(right, Suit.HEARTS) == "jack of hearts, right bower"
    assert card_name(left) == "jack of diamonds"


def test_the_viewer_sits_at_the_bottom() -> None:
    table = tables("club", seed=3, acts=4)[-1]
    seats = {seat.position: seat for seat in table_view_model("t", table, "p1", NAMES).seats}
    assert seats["bottom"].name == "You"
    assert [seats[position].name for position in ("left", "top", "right")] == ["Cat", "Dan", "Ann"]


def test_bots_have_names_of_their_own() -> None:
    table = apply_fact(None, Created(person="p0", rules=preset("club"), bot_level="novice"), 1.0)
    table = apply_fact(table, Sat(person="p0", seat=table.rules.seats[2]), 1.0)
    for seat in (table.rules.seats[0], table.rules.seats[1], table.rules.seats[3]):
        table = apply_fact(table, BotSeated(seat=seat, level="expert"), 1.0)
    view_model = table_view_model("t", table, "p0", NAMES)
    assert {seat.position: seat.name for seat in view_model.seats} == {
        "bottom": "You",
        "left": "Wade",
        "top": "Nora",
        "right": "Ellis",
    }


def test_the_page_says_who_is_away_and_who_is_replaced() -> None:
    table = tables("campus", seed=3, acts=6)[-1]
    away = apply_fact(table, Disconnected(person="p1"), 1.0)
    assert table_view_model("t", away, "p0", NAMES).absence == "<b>Bob</b> is away. The seat is saved."
    covered = apply_fact(away, BotSubstituted(person="p1"), 1.0)
    assert table_view_model("t", covered, "p0", NAMES).absence == "A bot is playing for <b>Bob</b>."
    assert table_view_model("t", apply_fact(covered, Reconnected(person="p1"), 1.0), "p0", NAMES).absence == ""


def test_bids_stay_until_the_lead() -> None:
    """Passes of the first round are marked as past in the second."""
    for table in tables("campus", seed=4, acts=200):
        hand_view = hand_view_for(table, None)
        bubbles = [seat.bubble for seat in table_view_model("t", table, None, NAMES).seats if seat.bubble]
        kinds = [bubble.kind for bubble in bubbles]
        if hand_view is None or any(isinstance(action, Play) for action in hand_view.actions):
            assert kinds == []
        elif hand_view.phase is Phase.BIDDING:
            assert len(kinds) == min(len(hand_view.actions), 4)
            assert kinds.count("pass") == len(hand_view.actions) % 4 or len(hand_view.actions) == 4
            assert [bubble.text for bubble in bubbles].count("Turned down") == (4 <= len(hand_view.actions) < 8)
        else:
            assert kinds.count("call") == 1


def test_the_partner_of_a_loner_sits_out_from_the_call_on() -> None:
    """Also while the dealer buries; the partner who deals is marked after that."""
    phases = set()
    for table in (table for seed in range(4) for table in tables("campus", seed=seed, acts=300)):
        hand_view = hand_view_for(table, None)
        marked = [seat.seat for seat in table_view_model("t", table, None, NAMES).seats if seat.sits_out]
        contract = hand_view.contract if hand_view else None
        if hand_view is None or contract is None or hand_view.ending is not None or not contract.alone:
            assert marked == []
        else:
            out = contract.maker.partner
            assert marked == ([] if hand_view.to_act is out else [str(out)])
            phases.add((hand_view.phase, bool(marked)))
    assert phases == {(Phase.DISCARDING, False), (Phase.DISCARDING, True), (Phase.PLAYING, True)}


@pytest.mark.parametrize("points", range(11))
def test_the_score_cards_show_one_pip_per_point(points: int) -> None:
    """The pips of both faces, minus those that the upper card covers."""
    laid = score_cards(points, "h")
    pips = {"4h": 4, "6h": 6, "back": 0}
    assert pips[laid.under] + pips[laid.over] - laid.covers == points


def test_a_dummy_lies_there_until_it_is_taken() -> None:
    sizes = [table_view_model("t", table, "p0", NAMES).dummy_size for table in tables("club3", seed=7, acts=60)]
    assert set(sizes) == {0, 3}
