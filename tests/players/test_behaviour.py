"""What players complain about: every position of behaviour.toml can be played, and its words are legal there."""

import tomllib
from pathlib import Path
from typing import Any

import pytest

from leftbower.engine import Phase, Play, view
from leftbower.notation import parse_hand_line, read_word
from leftbower.rules import Card, Seat

POSITIONS: list[dict[str, Any]] = tomllib.loads((Path(__file__).parent / "behaviour.toml").read_text(encoding="utf-8"))[
    "position"
]


@pytest.mark.parametrize("entry", POSITIONS, ids=[entry["id"] for entry in POSITIONS])
def test_what_is_right_or_wrong_can_be_done(entry: dict[str, Any]) -> None:
    """The line is read, it is that seat's turn to choose, and each word is among its legal acts."""
    seat = Seat(entry["seat"])
    seen = view(parse_hand_line(entry["line"]), seat)
    words = [*entry.get("right", []), *entry.get("wrong", [])]
    assert words
    playing = seen.phase is Phase.PLAYING
    acts = {Play(seat, Card.parse(word)) if playing else read_word(word, seat, seen.dealer) for word in words}
    assert acts <= set(seen.legal)


def test_there_are_enough_positions_and_no_two_are_alike() -> None:
    assert len(POSITIONS) >= 40
    assert len({entry["id"] for entry in POSITIONS}) == len({entry["line"] for entry in POSITIONS}) == len(POSITIONS)
    assert sum(entry["confirmed"] in ("solver", "simulation") for entry in POSITIONS) >= 30
