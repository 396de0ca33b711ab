"""Verification: an honest record passes, and any change is reported with its hand and line."""

import ast
import json
import re
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from leftbower.dealing import (
    DRAW,
    Binding,
    Sealed,
    commitment_to_json,
    cut,
    cut_to_json,
    opening,
    openings_to_json,
    seal,
    seal_from_json,
    seal_to_json,
    verify as verification,
)
from leftbower.dealing.verify import (
    Misfit,
    Unreadable,
    UnsealedRecord,
    bot_leaf_of,
    bound_to,
    leaf_of,
    root_of,
    verify,
)
from leftbower.engine.deal import deal_hand, draw_dealer
from leftbower.notation import Record, dumps, fact_to_json
from leftbower.rules import HouseRules, Seat, preset
from leftbower.rules.cards import DECK
from leftbower.rules.choices import Cut, DealPattern
from leftbower.rules.formats import to_json
from naive_chain import link_after, parsed, rechained, root_of_match

Plain = dict[str, Any]
Change = Callable[[Plain], object]
FILE = Path(verification.__file__)


def deals(lines: tuple[str, ...]) -> list[int]:
    """The numbers of the lines that deal, from 0."""
    return [number for number, line in enumerate(lines) if json.loads(line).get("fact") == "deal"]


def changed(lines: tuple[str, ...], change: Change, hand: int = 3) -> str:
    """The record with something changed in the deal of a hand."""
    number = deals(lines)[hand - 1]
    deal = json.loads(lines[number])
    change(deal)
    return "\n".join([*lines[:number], json.dumps(deal), *lines[number + 1 :]])


def misfit(text: str) -> Misfit:
    found = verify(text).misfit
    assert found is not None
    return found


# Honest records


@pytest.mark.parametrize("table", ["club", "club2", "club3", "round-robin", "campus", "school-cup", "prize-night"])
def test_an_honest_record_fits(table: str, sealed_match: Callable[[HouseRules, int], Record]) -> None:
    record = sealed_match(preset(table), 5)
    report = verify(dumps(record))
    assert report.misfit is None
    assert [(deck.root, deck.cut) for deck in report.decks] == [
        (seal["root"], seal["cut"]) for seal in record.seals.values()
    ]
    assert [deck.number for deck in report.hands] == [*range(1, len(report.hands) + 1)]
    assert [deck.number for deck in report.draws] == [*range(1, len(report.draws) + 1)]
    assert len(report.draws) >= 1
    assert {deck.opened for deck in report.decks} == {len(record.rules.deck)}
    assert {deck.cut is None for deck in report.draws} == {record.rules.draw_cut is Cut.NONE}


@pytest.mark.parametrize("seats", [2, 3, 4])
@pytest.mark.parametrize("pattern", DealPattern)
def test_every_way_of_dealing_is_known(
    seats: int, pattern: DealPattern, sealed_match: Callable[[HouseRules, int], Record]
) -> None:
    """With the usual packets: only the cut may change a sealed deck."""
    record = sealed_match(HouseRules(players=seats, deal_pattern=pattern, target=5), 2)
    assert verify(dumps(record)).misfit is None


def test_leaf_and_root_are_read_as_they_were_made() -> None:
    players = {"E": {"kind": "bot", "name": "regular", "version": "1.2"}}
    sealed = seal(bytes(range(32)), DECK, Binding(link="ab" * 32, number=7, kind=DRAW, players=players))
    leaves = [leaf_of(index, str(sealed.deck[index]), sealed.salts[index].hex()) for index in range(24)]
    assert leaves == list(sealed.commitment.leaves)
    assert bot_leaf_of(sealed.bot_secret.hex()) == sealed.commitment.bot_leaf
    bound = bound_to("ab" * 32, 7, DRAW, players)
    assert bound == sealed.binding.text
    assert root_of(bound, leaves, sealed.commitment.bot_leaf) == sealed.root


# Changes are reported


def swap_in_deck(deal: Plain) -> None:
    deck = deal["seal"]["deck"]
    deal["seal"]["deck"] = deck[2:4] + deck[:2] + deck[4:]


def repeat_in_deck(deal: Plain) -> None:
    deck = deal["seal"]["deck"]
    deal["seal"]["deck"] = deck[:10] + deck[:2] + deck[12:]


def flip(text: str, at: int = 0) -> str:
    return text[:at] + ("0" if text[at] != "0" else "1") + text[at + 1 :]


def change_salt(deal: Plain) -> None:
    deal["seal"]["salts"][4] = flip(deal["seal"]["salts"][4])


def change_bot_secret(deal: Plain) -> None:
    deal["seal"]["bot_secret"] = flip(deal["seal"]["bot_secret"])


def change_root(deal: Plain) -> None:
    deal["seal"]["root"] = flip(deal["seal"]["root"])


def change_cut(deal: Plain) -> None:
    deal["seal"]["cut"] = deal["seal"]["cut"] % 23 + 1


def swap_between_hands(deal: Plain) -> None:
    hands = deal["hands"]
    hands["N"], hands["E"] = hands["E"][:2] + hands["N"][2:], hands["N"][:2] + hands["E"][2:]


def swap_within_a_hand(deal: Plain) -> None:
    hand = deal["hands"]["S"]
    deal["hands"]["S"] = hand[2:4] + hand[:2] + hand[4:]


def take_the_next_up_card(deal: Plain) -> None:
    lifted = deal["seal"]["cut"]
    index = 2 * ((21 + lifted) % 24)
    deal["up_card"] = deal["seal"]["deck"][index : index + 2]


def turn_the_dealer(deal: Plain) -> None:
    deal["dealer"] = "NESW"["NESW".index(deal["dealer"]) - 1]


def deal_three_first(deal: Plain) -> None:
    sealed, lifted = seal_from_json(deal["seal"])
    dealt = deal_hand(preset("club"), dealer=Seat(deal["dealer"]), deck=sealed.deck, cut=lifted or 0, packets=(3, 2))
    deal |= fact_to_json(dealt)


CHANGES: dict[str, tuple[Change, str]] = {
    "a card of the sealed deck": (repeat_in_deck, "twice, at positions 0 and 5"),
    "two cards of the sealed deck": (swap_in_deck, "deck, salts and bot_secret give root"),
    "a salt": (change_salt, "deck, salts and bot_secret give root"),
    "the bots' secret": (change_bot_secret, "deck, salts and bot_secret give root"),
    "a short secret": (lambda deal: deal["seal"].update(bot_secret="ab"), "the bots' secret must be 64"),
    "no secret": (lambda deal: deal["seal"].pop("bot_secret"), "the bots' secret must be 64"),
    "the root": (change_root, "was sealed"),
    "the cut": (change_cut, "but the sealed deck has"),
    "a cut beyond the deck": (
        lambda deal: deal["seal"].update(cut=24),
        "lifts 0 to 23 cards, not 24",
    ),
    "a cut that is no number": (lambda deal: deal["seal"].update(cut="7"), "cards, not '7'"),
    "a cut that was not offered": (lambda deal: deal.update(cut_offered=False), "but the cut wasn't offered"),
    "cards between hands": (swap_between_hands, "but the sealed deck has"),
    "cards within a hand": (swap_within_a_hand, "S got "),
    "the up-card": (take_the_next_up_card, "up-card got "),
    "the dealer": (turn_the_dealer, "but the sealed deck has"),
    "the packets": (deal_three_first, "but the sealed deck has"),
    "a dealer who does not sit": (lambda deal: deal.update(dealer="X"), "the dealer is 'X'"),
    "a card more": (lambda deal: deal["hands"].update(N=deal["hands"]["N"] + "9c"), "N also got 9c"),
    "a card less": (lambda deal: deal["hands"].update(N=deal["hands"]["N"][:8]), "N got no card"),
    "a dummy from nowhere": (lambda deal: deal.update(dummy="9c"), "dummy also got 9c"),
    "a guest": (lambda deal: deal["hands"].update(X="9c"), "cards were dealt to 'X'"),
    "no hands": (lambda deal: deal.update(hands=None), "has no hands"),
    "hands that are no text": (lambda deal: deal["hands"].update(N=5), "not 5"),
    "a hidden card": (lambda deal: deal["hands"].update(N="??" + deal["hands"]["N"][2:]), "N got '??'"),
    "a strange card": (lambda deal: deal["seal"].update(deck="Xx" + deal["seal"]["deck"][2:]), "'Xx' at position 0"),
    "a card lost": (lambda deal: deal["seal"].update(deck=deal["seal"]["deck"][2:]), "has 23 cards and should have 24"),
    "a salt lost": (lambda deal: deal["seal"]["salts"].pop(), "23 salts for 24 cards"),
    "a short salt": (lambda deal: deal["seal"]["salts"].__setitem__(9, "ab"), "the salt at position 9 must be 32"),
    "all salts": (lambda deal: deal["seal"].pop("salts"), "must be a salt for each position"),
    "no root": (lambda deal: deal["seal"].pop("root"), "None was sealed"),
    "no object": (lambda deal: deal.update(seal=None), "the seal must be an object"),
    "the seal": (lambda deal: deal.pop("seal"), "dealt without a sealed deck"),
}


@pytest.mark.parametrize("what", CHANGES)
def test_a_change_is_named_with_hand_and_line(what: str, sealed_lines: tuple[str, ...]) -> None:
    change, says = CHANGES[what]
    text = changed(sealed_lines, change)
    report = verify(text)
    assert report.misfit is not None
    assert (report.misfit.kind, report.misfit.number, report.misfit.line) == ("hand", 3, deals(sealed_lines)[2] + 1)
    assert says in report.misfit.says
    assert "\n" not in str(report.misfit)
    assert [hand.number for hand in report.hands] == [1, 2]


def test_the_first_of_two_changes_is_named(sealed_lines: tuple[str, ...]) -> None:
    changed_lines = tuple(changed(sealed_lines, change_salt, 4).split("\n"))
    assert misfit("\n".join(changed_lines)).number == 4
    assert misfit(changed(changed_lines, lambda deal: deal.pop("seal"), 2)).number == 2


def test_the_position_of_a_card_that_was_dealt_differently_is_named(sealed_lines: tuple[str, ...]) -> None:
    """The first wrong card, its proper owner, and its position in the sealed deck."""
    text = changed(sealed_lines, swap_between_hands, 1)
    deal = json.loads(text.split("\n")[deals(sealed_lines)[0]])
    first = next(seat for seat in "NESW"["NESW".index(deal["dealer"]) + 1 :] + "NESW" if seat in "NE")
    sentence = misfit(text).says
    got, wanted = deal["hands"][first][:2], deal["hands"]["N" if first == "E" else "E"][:2]
    deck = deal["seal"]["deck"]
    position = [deck[index : index + 2] for index in range(0, 48, 2)].index(wanted)
    assert sentence == f"{first} got {got}, but the sealed deck has {wanted} at position {position}"


def changed_player(seat: str, change: Plain, players: Plain) -> None:
    players[seat] |= change


def test_names_of_people_are_checked_wherever_they_are_bound(sealed_lines: tuple[str, ...]) -> None:
    """A name must be a string and have its salt; a seat must be at the table."""

    def says(change: Callable[[Plain], object]) -> str:
        header = json.loads(sealed_lines[0])
        change(header["players"])
        lines = [header, *map(json.loads, sealed_lines[1:])]
        return str(verify(spelled(rechained(lines))).misfit)

    person = next(seat for seat, player in json.loads(sealed_lines[0])["players"].items() if player.get("salt"))
    assert says(lambda players: None) == "None"
    changes: list[Plain] = [{"name": None}, {"name": ["Ann"]}, {"salt": None}, {"salt": ""}]
    for change in changes:
        assert "doesn't match its commitment" in says(partial(changed_player, person, change))
    assert "'X' isn't a seat at this table" in says(lambda players: players.update(X=players[person]))
    assert "players must be an object" in str(
        verify(spelled([json.loads(sealed_lines[0]) | {"players": [1]}, *map(json.loads, sealed_lines[1:])])).misfit
    )
    for key, value in (("table", 7), ("match", "1"), ("match", True)):
        lines = [json.loads(sealed_lines[0]) | {key: value}, *map(json.loads, sealed_lines[1:])]
        assert "needs a table and a match number" in str(verify(spelled(lines)).misfit)


def test_a_deck_that_is_dealt_again_is_named(sealed_lines: tuple[str, ...]) -> None:
    first = json.loads(sealed_lines[deals(sealed_lines)[0]])

    def again(deal: Plain) -> None:
        deal |= first

    twice = changed(sealed_lines, again)
    assert misfit(twice).says == "this is deck 2 of the match, but deck 4 comes next"
    assert misfit(spelled(rechained(parsed(twice)))).says == "this is the sealed deck of hand 1 again"


def test_a_cut_where_the_rules_offer_none_is_named(sealed_match: Callable[[HouseRules, int], Record]) -> None:
    lines = tuple(dumps(sealed_match(preset("round-robin"), 1)).splitlines())
    said = misfit(changed(lines, lambda deal: deal["seal"].update(cut=3))).says
    assert said == "3 cards were lifted, but the rules have no cut here"


@pytest.mark.parametrize("table", ["club2", "club3"])
def test_a_changed_dummy_is_named(table: str, sealed_match: Callable[[HouseRules, int], Record]) -> None:
    lines = tuple(dumps(sealed_match(preset(table), 1)).splitlines())

    def turn(deal: Plain) -> None:
        deal["dummy"] = deal["dummy"][2:] + deal["dummy"][:2]

    assert misfit(changed(lines, turn)).says.startswith("dummy got ")


@settings(max_examples=60)
@given(st.data())
def test_any_letter_changed_in_a_seal_is_noticed(sealed_lines: tuple[str, ...], data: st.DataObject) -> None:
    def change(deal: Plain) -> None:
        seal = deal["seal"]
        name = data.draw(st.sampled_from(["root", "deck", "salts", "bot_secret"]))
        whole = "".join(seal[name])
        index = data.draw(st.integers(0, len(whole) - 1))
        letter = data.draw(st.sampled_from("0123456789abcdefTJQKAchs").filter(lambda new: new != whole[index]))
        whole = whole[:index] + letter + whole[index + 1 :]
        seal[name] = [whole[start : start + 32] for start in range(0, 768, 32)] if name == "salts" else whole

    assert misfit(changed(sealed_lines, change)).number == 3


# What was published at the table


def header(rules: HouseRules) -> Plain:
    """The first line of a record without players."""
    begins = {"format": "leftbower-record", "version": 1, "table": "t1", "match": 1}
    plain = begins | {"rules": to_json(rules), "players": {}}
    return plain | {"root": root_of_match(plain)}


def drawn_at_the_table(upto: int = 24, lifted: int | None = 5) -> list[Plain]:
    """The draw for dealer under the prize-night rules as published, and the hand after it."""
    rules = preset("prize-night")
    first = header(rules)
    sealed = seal(bytes(range(1, 33)), rules.deck, Binding(link=first["root"], kind=DRAW))
    drawn = draw_dealer(rules, shuffler=Seat.S, deck=sealed.deck, cut=lifted or 0)
    next_deck = seal(bytes(range(32)), rules.deck, Binding(number=2))
    return [
        first,
        commitment_to_json(sealed.commitment),
        cut_to_json(lifted),
        fact_to_json(drawn),
        *(openings_to_json([opening(sealed, position)]) for position in range(upto)),
        commitment_to_json(next_deck.commitment),
        fact_to_json(deal_hand(rules, dealer=drawn.dealer, deck=next_deck.deck)),
        {"so_far": {}},
    ]


def published_at_the_table(upto: int = 24, lifted: int | None = 7) -> list[Plain]:
    """A hand under the club's rules as published to its players, with `upto` cards opened one by one."""
    rules, sealed = preset("club"), published_deck()
    dealt = fact_to_json(deal_hand(rules, dealer=Seat.N, deck=sealed.deck, cut=lifted or 0))
    return [
        header(rules),
        commitment_to_json(sealed.commitment),
        cut_to_json(lifted),
        dealt,
        {"fact": "act", "act": "pass", "seat": "E"},
        *(openings_to_json([opening(sealed, position)]) for position in range(upto)),
        {"so_far": {}},
    ]


def published_deck(entropy: bytes = bytes(range(32)), number: int = 1) -> Sealed:
    """The first deck of that match, or another."""
    rules = preset("club")
    return seal(entropy, rules.deck, Binding(link=header(rules)["root"], number=number))


def spelled(lines: list[Plain]) -> str:
    return "\n".join(map(json.dumps, lines))


def test_openings_fit_as_they_come() -> None:
    for upto in (0, 5, 24):
        report = verify(spelled(published_at_the_table(upto)))
        assert report.misfit is None
        assert [(hand.opened, hand.of, hand.cut) for hand in report.hands] == [(upto, 24, 7)]


def test_the_openings_of_a_draw_fit_as_they_come() -> None:
    for upto in (0, 5, 24):
        report = verify(spelled(drawn_at_the_table(upto)))
        assert report.misfit is None
        found = [(deck.kind, deck.number, deck.opened, deck.cut) for deck in report.decks]
        assert found == [("draw", 1, upto, 5), ("hand", 1, 0, None)]


DRAWN: dict[str, tuple[Callable[[list[Plain]], object], str]] = {
    "another cut": (lambda lines: lines[2].update(cut=6), "was turned, but the sealed deck has"),
    "another card": (
        lambda lines: lines[3].update(cards="9c" + lines[3]["cards"][2:]),
        "9c was turned, but the sealed",
    ),
    "no cards": (lambda lines: lines[3].pop("cards"), "cards must look like JdAd9s"),
    "more cards than the deck has": (
        lambda lines: lines[3].update(cards="".join(map(str, cut(seal(bytes(range(1, 33)), DECK).deck, 5))) + "9c"),
        "9c was turned",
    ),
    "an act before a hand is sealed": (
        lambda lines: lines.insert(4, {"fact": "act", "act": "pass", "seat": "E"}),
        "an action comes before its deck was sealed",
    ),
    "a draw without a deck": (
        lambda lines: lines.insert(4, lines[3]),
        "the dealer was drawn before its deck was sealed",
    ),
    "the deck of the draw for the hand": (
        lambda lines: lines.__setitem__(
            28, commitment_to_json(seal(bytes(range(1, 33)), DECK, Binding(number=2)).commitment)
        ),
        "the sealed deck of draw 1 again",
    ),
    "the draw again": (
        lambda lines: lines.__setitem__(28, lines[1]),
        "this is deck 1 of the match, but deck 2 comes next",
    ),
    "a hand from the deck of a draw": (
        lambda lines: lines.__setitem__(3, lines[-2]),
        "the hand was dealt from a deck sealed for a draw",
    ),
}


@pytest.mark.parametrize("what", DRAWN)
def test_what_was_drawn_wrongly_at_the_table_is_named(what: str) -> None:
    change, says = DRAWN[what]
    lines = drawn_at_the_table()
    change(lines)
    assert says in misfit(spelled(lines)).says


def draws(lines: tuple[str, ...]) -> list[int]:
    """The numbers of the lines that draw, from 0."""
    return [number for number, line in enumerate(lines) if json.loads(line).get("fact") == "draw"]


CHANGED_DRAWS: dict[str, tuple[Change, str]] = {
    "the cut": (change_cut, "was turned, but the sealed deck has"),
    "the seal": (lambda draw: draw.pop("seal"), "the dealer was drawn without a sealed deck"),
    "a salt": (change_salt, "deck, salts and bot_secret give root"),
    "the bots' secret": (change_bot_secret, "deck, salts and bot_secret give root"),
    "a card": (lambda draw: draw.update(cards="??" + draw["cards"][2:]), "'??' was turned"),
}


@pytest.mark.parametrize("what", CHANGED_DRAWS)
def test_prize_night_a_changed_draw_is_named(what: str, sealed_match: Callable[[HouseRules, int], Record]) -> None:
    lines = tuple(dumps(sealed_match(preset("prize-night"), 5)).splitlines())
    change, says = CHANGED_DRAWS[what]
    number = draws(lines)[0]
    draw = json.loads(lines[number])
    change(draw)
    found = misfit("\n".join([*lines[:number], json.dumps(draw), *lines[number + 1 :]]))
    assert (found.kind, found.number, found.line) == ("draw", 1, number + 1)
    assert says in found.says


def test_a_cut_before_a_draw_where_the_rules_offer_none_is_named(
    sealed_match: Callable[[HouseRules, int], Record],
) -> None:
    lines = tuple(dumps(sealed_match(preset("club"), 5)).splitlines())
    number = draws(lines)[0]
    draw = json.loads(lines[number])
    draw["seal"]["cut"] = 3
    found = misfit("\n".join([*lines[:number], json.dumps(draw), *lines[number + 1 :]]))
    assert str(found) == f"line {number + 1}, draw 1: 3 cards were lifted, but the rules have no cut here"


def test_a_record_may_hold_published_lines_and_the_seal() -> None:
    lines = published_at_the_table(6)
    lines[3]["seal"] = seal_to_json(published_deck(), 7)
    lines[-1]["so_far"]["link"] = link_after(lines[3]["seal"], [published_at_the_table()[3], lines[4]])
    assert verify(spelled(lines)) == verify(spelled(published_at_the_table(24)))
    lines[3]["seal"]["cut"] = 8
    assert misfit(spelled(lines)).says == "the seal has a cut of 8 cards, but 7 were lifted at the table"
    lines[3]["seal"] = seal_to_json(published_deck(bytes(32)), 7)
    assert "before the hand, but is" in misfit(spelled(lines)).says
    lines[3]["seal"] = seal_to_json(published_deck(), 7) | {"players": {"N": {"kind": "bot", "name": "regular"}}}
    assert "the seal differs from what was published" in misfit(spelled(lines)).says


def test_with_leaves_the_position_of_a_changed_salt_is_named() -> None:
    lines = published_at_the_table(0)
    lines[3]["seal"] = seal_to_json(published_deck(), 7)
    change_salt(lines[3])
    assert misfit(spelled(lines)).says == "Th with its salt isn't what was sealed at position 4"
    lines[3]["seal"] = seal_to_json(published_deck(), 7)
    change_bot_secret(lines[3])
    assert misfit(spelled(lines)).says == "the bots' secret isn't the one that was sealed"


PUBLISHED_CHANGES: dict[str, tuple[Callable[[list[Plain]], object], str]] = {
    "the deal before its seal": (lambda lines: lines.insert(1, lines.pop(3)), "dealt without a sealed deck"),
    "an act before the seal": (
        lambda lines: lines.insert(1, lines.pop(4)),
        "an action comes before its deck was sealed",
    ),
    "an opening before the seal": (lambda lines: lines.insert(1, lines.pop(5)), "a card was opened before a deck"),
    "the cut before the seal": (lambda lines: lines.insert(1, lines.pop(2)), "cut before it was sealed"),
    "the cut after the deal": (lambda lines: lines.insert(3, lines.pop(2)), "cut before it was sealed"),
    "a second cut": (lambda lines: lines.insert(3, lines[2]), "the deck was cut twice"),
    "another cut": (lambda lines: lines[2].update(cut=8), "but the sealed deck has"),
    "a second deal": (lambda lines: lines.insert(-1, lines[3]), "dealt before its deck was sealed"),
    "the same seal": (lambda lines: lines.insert(-1, lines[1]), "this is deck 1 of the match, but deck 2 comes next"),
    "the same deck": (
        lambda lines: lines.insert(-1, commitment_to_json(published_deck(number=2).commitment)),
        "the sealed deck of hand 1 again",
    ),
    "another kind": (lambda lines: lines[1].update(kind="song"), "sealed for a song, not for a hand"),
    "another link": (lambda lines: lines[1].update(link="0" * 64), "the record up to the header gives link"),
    "no link": (lambda lines: lines[1].pop("link"), "the link before the deck must be 64"),
    "no number": (lambda lines: lines[1].update(number="1"), "this is deck '1' of the match, but deck 1 comes next"),
    "a player from nowhere": (lambda lines: lines[1].update(players={"X": {}}), "'X' isn't a seat at this table"),
    "players that are none": (lambda lines: lines[1].update(players=[1]), "players must be an object"),
    "a leaf": (lambda lines: lines[1]["leaves"].__setitem__(3, "0" * 64), "the leaves give root"),
    "the bots' leaf": (lambda lines: lines[1].update(bot_leaf="0" * 64), "the leaves give root"),
    "the bots' leaf lost": (lambda lines: lines[1].pop("bot_leaf"), "the leaf of the bots' secret must be 64"),
    "a leaf lost": (lambda lines: lines[1]["leaves"].pop(), "23 leaves were sealed"),
    "a leaf that is none": (lambda lines: lines[1]["leaves"].__setitem__(3, 5), "the leaf at position 3 must be 64"),
    "an opened card": (
        lambda lines: lines[8]["cards"][0].update(card="9c"),
        "'9c' was opened at position 3, but that isn't",
    ),
    "an opened position": (
        lambda lines: lines[8]["cards"][0].update(position=4),
        "was opened at position 4, but that isn't",
    ),
    "no position": (lambda lines: lines[8]["cards"][0].update(position=24), "a card was opened at position 24"),
    "an opened salt": (lambda lines: lines[8]["cards"][0].update(salt="0" * 32), "was opened at position 3"),
    "no list": (lambda lines: lines[8].update(cards="all"), "opened cards must be a list"),
    "the end without the secret": (lambda lines: lines.__setitem__(-1, {"end": {}}), "the bots' secret wasn't opened"),
    "the end too early": (lambda lines: lines.__setitem__(slice(-2, None), [{"end": {}}]), "only 23 cards were opened"),
}


@pytest.mark.parametrize("what", PUBLISHED_CHANGES)
def test_a_wrong_line_published_at_the_table_is_named(what: str) -> None:
    change, says = PUBLISHED_CHANGES[what]
    lines = published_at_the_table()
    change(lines)
    assert says in misfit(spelled(lines)).says


# Input that isn't a record, or was never sealed


def test_a_record_without_seals_says_so(sealed_match: Callable[[HouseRules, int], Record]) -> None:
    record = sealed_match(preset("club"), 2)
    with pytest.raises(UnsealedRecord, match="this record has no sealed deck"):
        verify(dumps(Record(rules=record.rules, facts=record.facts)))


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda lines: lines.clear(), "line 1: a record begins with"),
        (lambda lines: lines[0].update(format="song"), "line 1: a record begins with"),
        (lambda lines: lines[0].update(version=2), "line 1: a record begins with"),
        (lambda lines: lines[0].update(rules=None), "line 1: the header has no rules"),
        (lambda lines: lines[0]["rules"].update(players=5), "line 1: the rules must be for 2, 3 or 4"),
        (lambda lines: lines[0]["rules"].update(deal_pattern=[]), "line 1: the rules must be for 2, 3 or 4"),
        (lambda lines: lines.insert(2, {"fact": "song"}), "line 3: unknown fact 'song'"),
        (lambda lines: lines.insert(2, {}), "line 3: unknown fact None"),
        (lambda lines: lines.insert(2, []), "line 3: this line is JSON, but not an object"),
    ],
)
def test_what_is_no_record_is_unreadable(change: Callable[[list[Any]], object], says: str) -> None:
    lines = published_at_the_table(0)
    change(lines)
    with pytest.raises(Unreadable) as caught:
        verify(spelled(lines))
    assert str(caught.value).startswith(says)


def test_a_line_that_is_no_json_is_unreadable(sealed_record: str) -> None:
    for wrong in ("{", "[" * 100_000, "1" * 5000):
        with pytest.raises(Unreadable, match="line 1: "):
            verify(wrong + "\n" + sealed_record)


def test_a_line_that_readers_may_read_differently_is_unreadable(sealed_lines: tuple[str, ...]) -> None:
    """A key twice, which parsers resolve differently; or nesting deeper than others can parse."""
    header = sealed_lines[0]
    twice = header.replace('"table": ', '"table": "other", "table": ', 1)
    with pytest.raises(Unreadable, match="line 1: this line has the same key twice"):
        verify("\n".join([twice, *sealed_lines[1:]]))
    act = next(number for number, line in enumerate(sealed_lines) if '"fact": "act"' in line)
    for depth in (100, 600, 900, 960, 990, 5000):
        deep = f'{{"fact": "act", "act": {"[" * depth}{"]" * depth}}}'
        with suppress(Unreadable):  # the maximum depth is up to Python
            assert verify("\n".join([*sealed_lines[:act], deep, *sealed_lines[act + 1 :]])).misfit is not None


# Standalone use


def test_the_verifier_imports_nothing_of_ours() -> None:
    """It is an independent check only if it shares nothing with the code it checks."""
    roots = set()
    for node in ast.walk(ast.parse(FILE.read_text(encoding="utf-8"))):
        match node:
            case ast.Import(names=names):
                roots |= {name.name.partition(".")[0] for name in names}
            case ast.ImportFrom(module=module, level=level):
                roots.add("leftbower" if level else str(module).partition(".")[0])
    assert roots
    assert roots <= sys.stdlib_module_names


def alone(*words: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    """Run the file on its own, without leftbower or anything else installed."""
    command = [sys.executable, "-I", "-S", str(FILE), *words]
    return subprocess.run(command, input=stdin, capture_output=True, encoding="utf-8", check=False)


def test_the_verifier_runs_as_one_file(sealed_lines: tuple[str, ...], tmp_path: Path) -> None:
    record = tmp_path / "record.jsonl"
    record.write_text("\n".join(sealed_lines), encoding="utf-8")
    found = alone(str(record))
    whole = verify("\n".join(sealed_lines))
    hands = whole.decks
    assert found.returncode == 0
    assert found.stdout.splitlines()[-1] == "Everything checks out."
    assert re.findall(r"root (\w{64})", found.stdout) == [whole.root, *(hand.root for hand in hands), whole.final_root]
    wrong = alone("-", stdin=changed(sealed_lines, change_salt))
    assert (wrong.returncode, wrong.stderr.count("\n")) == (1, 1)
    assert "hand 3: deck, salts and bot_secret give root" in wrong.stderr
    assert "Everything" not in wrong.stdout
    assert alone("-", stdin="song").returncode == 2


def test_the_lines_of_the_page_check_a_record(sealed_lines: tuple[str, ...], tmp_path: Path) -> None:
    """The code in docs/how-it-works/dealing.md, for skeptical players, does what the page says."""
    page = (Path(__file__).parents[2] / "docs" / "how-it-works" / "dealing.md").read_text(encoding="utf-8")
    script, _ = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    assert len(script.splitlines()) <= 32
    report = verify("\n".join(sealed_lines))
    roots = [report.root, *(deck.root for deck in report.decks), report.final_root]
    for text, wrong in (("\n".join(sealed_lines), []), (changed(sealed_lines, change_salt), [roots[4]])):
        (tmp_path / "game.jsonl").write_text(text, encoding="utf-8")
        command = [sys.executable, "-I", "-S", "-W", "ignore", "-c", script, "game.jsonl"]
        output = subprocess.run(command, cwd=tmp_path, capture_output=True, encoding="utf-8", check=True).stdout
        lines = [line.split(maxsplit=1) for line in output.splitlines()]
        assert [says.startswith("fits") for _, says in lines] == [root not in wrong for root in roots]
        assert [root for root, says in lines if says.startswith("fits")] == [
            root for root in roots if root not in wrong
        ]


def test_the_card_of_the_page_is_the_one_of_the_golden_deck() -> None:
    page = (Path(__file__).parents[2] / "docs" / "how-it-works" / "dealing.md").read_text(encoding="utf-8")
    found = re.search(r"printf '(.*)' \| sha256sum\n(\w{64})", page)
    assert found is not None
    assert sha256(found[1].encode()).hexdigest() == found[2] == seal(bytes(range(32)), DECK).commitment.leaves[0]
