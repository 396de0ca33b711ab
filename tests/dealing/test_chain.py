"""The hash chain of a match: hashes of plain text, each of which covers what it should and reveals nothing."""

from dataclasses import replace
from hashlib import sha256
from typing import Any

import pytest

from leftbower.dealing import (
    DRAW,
    Binding,
    bound_player,
    canonical,
    final_root,
    link_after,
    match_root,
    name_commitment,
    opening_of,
)

ANN = {"name": "Zoë", "kind": "human", "commitment": "c0" * 32, "salt": "5a" * 16}
BOT = {"name": "regular", "kind": "bot", "version": "1.2"}
OPENING: dict[str, Any] = {"table": "t1", "number": 2, "rules": {"target": 10}, "players": {"N": ANN, "E": BOT}}
PLAYED: dict[str, Any] = {
    "cut": 7,
    "packets": (3, 2),
    "facts": [{"fact": "deal", "dealer": "N"}, {"fact": "act", "act": "pass"}],
}
ROOT, SECRET = "ab" * 32, bytes(range(32))


def sha(text: str) -> str:
    return sha256(text.encode()).hexdigest()


def test_every_hash_is_one_of_plain_text() -> None:
    assert canonical({"b": [1, None], "a": "é"}) == r'{"a":"\u00e9","b":[1,null]}'
    assert name_commitment("5a" * 16, "Zoë") == sha(f"leftbower name 1:{'5a' * 16}:Zoë")
    bound = '{"E":{"kind":"bot","name":"regular","version":"1.2"},"N":{"commitment":"%s","kind":"human"}}' % ("c0" * 32)
    opening = f'{{"match":2,"players":{bound},"rules":{{"target":10}},"table":"t1"}}'
    assert match_root(opening_of(**OPENING)) == sha(f"leftbower match 1:{opening}")
    played = '[7,[3,2],{"dealer":"N","fact":"deal"},{"act":"pass","fact":"act"}]'
    assert link_after(ROOT, SECRET, **PLAYED) == sha(f"leftbower link 1:{ROOT}:{SECRET.hex()}:{played}")
    assert final_root(ROOT, {"wins": [1, 0]}) == sha(f'leftbower end 1:{ROOT}:{{"wins":[1,0]}}')
    binding = Binding(link=ROOT, number=3, kind=DRAW, players={"E": BOT})
    assert binding.text == f'{ROOT}:3:draw:{{"E":{{"kind":"bot","name":"regular","version":"1.2"}}}}'


@pytest.mark.parametrize(
    "change",
    [
        {"table": "t2"},
        {"number": 3},
        {"rules": {"target": 9}},
        {"rules": {}},
        {"players": {"N": ANN}},
        {"players": {"N": BOT, "E": ANN}},
        {"players": {"N": ANN | {"commitment": "c1" * 32}, "E": BOT}},
        {"players": {"N": ANN, "E": BOT | {"version": "1.3"}}},
        {"players": {"N": ANN, "E": BOT | {"name": "expert"}}},
    ],
)
def test_the_match_root_binds_table_number_rules_and_players(change: dict[str, Any]) -> None:
    assert match_root(opening_of(**OPENING | change)) != match_root(opening_of(**OPENING))


def test_a_name_is_bound_by_its_commitment_and_can_be_erased() -> None:
    erased = {"kind": "human", "commitment": "c0" * 32}
    assert bound_player(ANN) == bound_player(ANN | {"name": "", "salt": ""}) == erased
    assert bound_player(BOT) == BOT
    assert bound_player({"name": "Ann", "kind": "human"}) == {"name": "Ann", "kind": "human"}
    both = [opening_of(**OPENING), opening_of(**OPENING | {"players": {"N": erased, "E": BOT}})]
    assert both[0] == both[1]
    assert name_commitment("5a" * 16, "Ann") != name_commitment("5b" * 16, "Ann")


@pytest.mark.parametrize(
    "change",
    [
        {"cut": 8},
        {"cut": None},
        {"packets": ()},
        {"packets": (2, 3)},
        {"facts": PLAYED["facts"][:1]},
        {"facts": PLAYED["facts"][::-1]},
        {"facts": [*PLAYED["facts"], PLAYED["facts"][1]]},
    ],
)
def test_a_link_binds_the_deck_and_all_that_was_played(change: dict[str, Any]) -> None:
    assert link_after(ROOT, SECRET, **PLAYED | change) != link_after(ROOT, SECRET, **PLAYED)


def test_hidden_cards_cannot_be_found_by_trying_links() -> None:
    """A link is public while discarded cards aren't: it needs the bots' secret, which is opened with them."""
    buried = [PLAYED | {"facts": [{"fact": "act", "act": "bury", "cards": card}]} for card in ("9c", "9d")]
    links = {link_after(ROOT, bytes([number] * 32), **played) for number in range(9) for played in buried}
    assert len(links) == 18


def test_no_deck_before_or_after_has_the_same_binding() -> None:
    binding = Binding(link=ROOT)
    changes = ({"link": "cd" * 32}, {"number": 2}, {"kind": DRAW}, {"players": {"E": BOT}})
    texts = {binding.text, *(replace(binding, **change).text for change in changes)}
    assert len(texts) == 5
