"""Deals of honor tables in a record: chosen packets, wrong counts and forgotten cuts are checked against the deck."""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from leftbower.dealing import (
    Binding,
    commitment_to_json,
    cut_to_json,
    opening,
    openings_to_json,
    packets_to_json,
    seal,
    seal_to_json,
)
from leftbower.dealing.verify import Misfit, verify
from leftbower.engine.deal import deal_hand, usual_packets
from leftbower.notation import fact_to_json
from leftbower.rules import HouseRules, Seat, preset
from leftbower.rules.choices import Cut, Supervision
from leftbower.rules.formats import to_json
from naive_chain import link_after, rechained, root_of_match

Plain = dict[str, Any]
CLUB = replace(preset("club"), supervision=Supervision.HONOR)
CHOSEN = (3, 2, 3, 2, 2, 3, 2, 3)
ONE_SHORT = (2, 2, 2, 2, 3, 3, 3, 2)
ONE_MORE = (2, 2, 2, 3, 3, 3, 3, 3)


def header(rules: HouseRules) -> Plain:
    begins = {"format": "leftbower-record", "version": 1, "table": "t1", "match": 1}
    plain = begins | {"rules": to_json(rules), "players": {}}
    return plain | {"root": root_of_match(plain)}


def recorded(packets: tuple[int, ...] = (), cut: int | None = 7, rules: HouseRules = CLUB) -> list[Plain]:
    """A deal of an honor table in the form of a record."""
    sealed = seal(bytes(range(32)), rules.deck)
    deal = deal_hand(
        rules,
        dealer=Seat.N,
        deck=sealed.deck,
        cut=cut or 0,
        cut_offered=cut is not None,
        packets=packets or None,
        face_down=True,
    )
    return [
        header(rules),
        fact_to_json(deal) | {"seal": seal_to_json(sealed, cut, packets=packets)},
        {"so_far": {}},
    ]


def spelled(lines: list[Plain]) -> str:
    """The lines as a server writes them: each seal bound to everything before it."""
    return "\n".join(map(json.dumps, rechained(lines)))


def misfit(lines: list[Plain]) -> Misfit:
    found = verify(spelled(lines)).misfit
    assert found is not None
    return found


@pytest.mark.parametrize("packets", [(), CHOSEN, ONE_SHORT, ONE_MORE, (4, 2, 3, 2, 0, 3, 2, 3)])
@pytest.mark.parametrize("cut", [7, 0, None])
def test_what_a_dealer_of_an_honor_table_deals_is_checked(packets: tuple[int, ...], cut: int | None) -> None:
    report = verify(spelled(recorded(packets, cut)))
    assert report.misfit is None
    assert [(deck.cut, deck.opened) for deck in report.hands] == [(cut, 24)]


@pytest.mark.parametrize("name", ["club2", "club3", "round-robin"])
def test_bundles_are_checked_at_every_table(name: str) -> None:
    """Two and three players have a dummy after the packets; one sheet deals single cards."""
    rules = replace(preset(name), supervision=Supervision.HONOR)
    sizes = list(usual_packets(rules))
    sizes[1] += 1
    cut = None if name == "round-robin" else 4
    lines = recorded(tuple(sizes), cut, replace(rules, deal_cut=Cut.RIGHT))
    assert verify(spelled(lines)).misfit is None


def drop_packets(lines: list[Plain]) -> None:
    del lines[1]["seal"]["packets"]


CHANGES: dict[str, tuple[Callable[[list[Plain]], object], str]] = {
    "no packets": (drop_packets, "but the sealed deck has"),
    "other packets": (
        lambda lines: lines[1]["seal"].update(packets=[2, 3, 2, 3, 3, 2, 3, 2]),
        "but the sealed deck has",
    ),
    "packets at a strict table": (
        lambda lines: lines[0]["rules"].update(supervision="strict"),
        "the dealer chose the packets, but the server deals at this table",
    ),
    "too few packets": (
        lambda lines: lines[1]["seal"].update(packets=[5, 5, 5, 5]),
        "packets must be 8 numbers from 0 to 4",
    ),
    "a packet too large": (
        lambda lines: lines[1]["seal"].update(packets=[5, *CHOSEN[1:]]),
        "packets must be 8 numbers from 0 to 4",
    ),
    "a packet that is no number": (
        lambda lines: lines[1]["seal"].update(packets=["3", *CHOSEN[1:]]),
        "packets must be 8 numbers from 0 to 4",
    ),
    "a packet that is true": (
        lambda lines: lines[1]["seal"].update(packets=[True, *CHOSEN[1:]]),
        "packets must be 8 numbers from 0 to 4",
    ),
    "packets that are no list": (
        lambda lines: lines[1]["seal"].update(packets="32"),
        "packets must be 8 numbers from 0 to 4",
    ),
    "a player with seven cards": (
        lambda lines: lines[1]["seal"].update(packets=[3, *CHOSEN[1:4], 4, *CHOSEN[5:]]),
        "4 to 6",
    ),
    "nothing to turn up": (lambda lines: lines[1]["seal"].update(packets=[3] * 8), "no card is left to turn up"),
    "a cut that was not offered": (lambda lines: lines[1].update(cut_offered=False), "but the cut wasn't offered"),
}


@pytest.mark.parametrize("what", CHANGES)
def test_a_change_in_what_was_dealt_is_named(what: str) -> None:
    change, says = CHANGES[what]
    lines = recorded(CHOSEN)
    change(lines)
    assert says in misfit(lines).says


def test_bundles_published_at_the_table_are_checked() -> None:
    sealed = seal(bytes(range(32)), CLUB.deck, Binding(link=header(CLUB)["root"]))
    deal = deal_hand(CLUB, dealer=Seat.N, deck=sealed.deck, packets=CHOSEN, face_down=True)
    lines = [
        header(CLUB),
        commitment_to_json(sealed.commitment),
        cut_to_json(None),
        packets_to_json(CHOSEN),
        fact_to_json(deal),
        openings_to_json([opening(sealed, position) for position in range(24)]),
        {"so_far": {}},
    ]

    def says() -> str:
        found = verify("\n".join(map(json.dumps, lines))).misfit
        return "" if found is None else found.says

    assert says() == ""
    whole = seal_to_json(sealed, None, packets=CHOSEN)
    lines[-1]["so_far"]["link"] = link_after(whole, [fact_to_json(deal)])
    lines[4] |= {"seal": whole}
    assert says() == ""
    lines[4]["seal"] = whole | {"packets": list(ONE_SHORT)}
    assert says() == "the seal has different packets from those dealt at the table"
    lines[4].pop("seal")
    lines[3]["packets"] = list(ONE_SHORT)
    assert "but the sealed deck has" in says()
    lines.insert(1, lines.pop(3))
    assert says() == "the packets were chosen before the deck was sealed"
