"""JSON of seals: it round-trips, wrong input is refused, and records keep their seals."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from leftbower.dealing import (
    Binding,
    commitment_from_json,
    commitment_to_json,
    cut_from_json,
    cut_to_json,
    openings,
    openings_from_json,
    openings_to_json,
    seal,
    seal_from_json,
    seal_to_json,
)
from leftbower.errors import BadCard, BadRecord, BadSeal
from leftbower.notation import Record, dumps, loads, read_record
from leftbower.rules import HouseRules, preset
from leftbower.rules.cards import DECK

PLAYERS = {"E": {"kind": "human", "commitment": "c0" * 32}, "S": {"kind": "bot", "name": "regular", "version": "1.2"}}
SEALED = seal(bytes(range(32)), DECK, Binding(link="ab" * 32, number=7, players=PLAYERS))
NAMED = PLAYERS | {"E": PLAYERS["E"] | {"name": "Ann", "salt": "5a" * 16}}
WHOLE = seal_to_json(SEALED, 7, players=NAMED)


def over_the_wire(plain: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(json.dumps(plain))
    return found


def test_every_form_is_read_back_as_it_was_written() -> None:
    plain = over_the_wire(commitment_to_json(SEALED.commitment))
    assert commitment_from_json(plain) == SEALED.commitment
    assert [cut_from_json(over_the_wire(cut_to_json(number))) for number in (None, 0, 23)] == [None, 0, 23]
    opened = openings(SEALED, DECK[3:6])
    assert openings_from_json(over_the_wire(openings_to_json(opened))) == opened
    assert seal_from_json(over_the_wire(WHOLE)) == (SEALED, 7)
    assert WHOLE["players"] == NAMED
    assert "players" not in seal_to_json(seal(bytes(32), DECK), None)


def test_a_commitment_has_no_card_and_no_secret_in_it() -> None:
    text = json.dumps(commitment_to_json(SEALED.commitment))
    keys = {"fact", "kind", "number", "link", "players", "root", "leaves", "bot_leaf"}
    assert set(commitment_to_json(SEALED.commitment)) == keys
    assert not any(salt.hex() in text for salt in (*SEALED.salts, SEALED.bot_secret))


@pytest.mark.parametrize(
    ("change", "kind"),
    [
        ({"root": "0" * 64}, BadSeal),
        ({"root": None}, BadSeal),
        ({"deck": "9c" * 24}, BadSeal),
        ({"deck": 9}, BadSeal),
        ({"deck": WHOLE["deck"][:-2] + "9x"}, BadCard),
        ({"salts": WHOLE["salts"][1:]}, BadSeal),
        ({"salts": ["zz" * 16] * 24}, BadSeal),
        ({"salts": None}, BadSeal),
        ({"bot_secret": "0" * 64}, BadSeal),
        ({"bot_secret": "0" * 62}, BadSeal),
        ({"bot_secret": None}, BadSeal),
        ({"kind": "song"}, BadSeal),
        ({"kind": "draw"}, BadSeal),
        ({"number": 8}, BadSeal),
        ({"number": "7"}, BadSeal),
        ({"link": "0" * 64}, BadSeal),
        ({"link": "\ud800"}, BadSeal),
        ({"link": None}, BadSeal),
        ({"players": {}}, BadSeal),
        ({"players": []}, BadSeal),
        ({"players": {"E": 1}}, BadSeal),
        ({"cut": "7"}, BadSeal),
        ({"cut": True}, BadSeal),
    ],
)
def test_a_seal_that_does_not_fit_itself_is_refused(change: dict[str, Any], kind: type[Exception]) -> None:
    with pytest.raises(kind):
        seal_from_json(WHOLE | change)


@pytest.mark.parametrize(
    "plain",
    [
        {},
        {"leaves": "all"},
        {"leaves": [1]},
        {"leaves": ["\ud800"]},
        commitment_to_json(SEALED.commitment) | {"root": "0" * 64},
        commitment_to_json(SEALED.commitment) | {"bot_leaf": "0" * 64},
        commitment_to_json(SEALED.commitment) | {"bot_leaf": None},
        commitment_to_json(SEALED.commitment) | {"bot_leaf": "\ud800"},
    ],
)
def test_a_commitment_that_does_not_fit_itself_is_refused(plain: dict[str, Any]) -> None:
    with pytest.raises(BadSeal):
        commitment_from_json(plain)


@pytest.mark.parametrize(
    "cards",
    [None, [1], [{}], [{"position": "0", "card": "9c", "salt": ""}], [{"position": True, "card": "9c", "salt": ""}]],
)
def test_openings_without_position_card_and_salt_are_refused(cards: object) -> None:
    with pytest.raises(BadSeal):
        openings_from_json({"cards": cards})


@pytest.mark.parametrize("table", ["club", "club2", "round-robin"])
def test_a_record_keeps_its_seals(table: str, sealed_match: Callable[[HouseRules, int], Record]) -> None:
    """After a round trip the text is identical, and the match is the same."""
    record = sealed_match(preset(table), 3)
    text = dumps(record)
    assert text.count('"seal"') == len(record.seals) > 1
    assert loads(text) == record
    assert dumps(loads(text)) == text


def test_only_a_draw_or_deal_carries_a_seal_and_only_as_an_object(sealed_lines: tuple[str, ...]) -> None:
    for number, line in enumerate(sealed_lines[1:4], 1):
        broken = [*sealed_lines]
        broken[number] = json.dumps(json.loads(line) | {"seal": "none"})
        fault = read_record("\n".join(broken))[1].fault
        assert fault is not None
        assert isinstance(fault.error, BadRecord)
        assert fault.error.path.startswith(f"line {number + 1}")
