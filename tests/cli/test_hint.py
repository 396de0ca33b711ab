"""Hints from the command line: only what a seat may see, as text and as JSON, and lines without a hint."""

import json
import re
from collections.abc import Callable
from dataclasses import replace
from random import Random
from typing import Any

import pytest

from leftbower.engine import View, view
from leftbower.notation import action_from_json, name_rules, parse_hand_line, view_line
from leftbower.players.coach import coach
from leftbower.players.coach.advice import Advice
from leftbower.players.coach.coach import advise
from leftbower.rules import Seat, preset
from leftbower.rules.choices import ThrowIns

Command = Callable[..., Any]
Refusal = Callable[..., str]

DEAL = "{campus} W 9h N:AhJhJc9d9s E:KhThAcTcAd S:QsKsQdKdTd W:JsTsKc9cQc"
ENDING = f"{DEAL} | o -Qc | 9dAdQd9h KcJcAcKd ThKsTsJh"
OVER = (
    "{round-robin 3-4} S 9h N:KcKdKhTdTs E:9sAcJcJsTh S:9cAdKsQhQs W:AhAsJhQcTc "
    "| p p p p p p s | JhKhThQh TsJsQsAs JcKsAhKc 9s9cQcKd AcAdTcTd"
)
LINES = (
    DEAL,
    f"{DEAL} | p p p",
    f"{DEAL} | o",
    f"{DEAL} | o -Qc | 9dAd",
    ENDING,
    "{club3} S Th N:9h9sTsQsJs E:AhJhJdTcQc S:9dTdQdKdAd D:9cKsAs | p o -9d &",
    "{club2} N Ts N:QcJcThKdTc S:AsAhAdAcKc D:QhJsTd | o -Qc ! | AsJc",
)


def hinted(leftbower: Command, *words: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(leftbower("hint", *words, "--json", "--layouts", "50").stdout)
    return found


@pytest.mark.parametrize("line", LINES)
def test_hidden_cards_never_change_a_hint(line: str, leftbower: Command) -> None:
    """The line with all cards and the line with only the seat's known cards get exactly the same hint."""
    state = parse_hand_line(line)
    seat = state.to_act  # type: ignore[union-attr]
    known = view_line(view(state, seat))
    assert "??" in known
    for form in ((), ("--json",)):
        options = ("--layouts", "50", *form)
        assert leftbower("hint", line, *options).stdout == leftbower("hint", known, *options).stdout


def test_cards_that_others_exchange_never_change_a_hint(leftbower: Command) -> None:
    """Deal East's, South's and West's cards among them in any way: North, who leads, gets the same hint."""
    state = parse_hand_line(DEAL)
    dealt = [card for seat in (Seat.E, Seat.S, Seat.W) for card in state.hand.deal.hands[seat.index]]
    first = leftbower("hint", DEAL).stdout
    for seed in range(5):
        mixed = Random(seed).sample(dealt, 15)
        others = " ".join(f"{seat}:{''.join(map(str, mixed[5 * at : 5 * at + 5]))}" for at, seat in enumerate("ESW"))
        assert leftbower("hint", f"{{campus}} W 9h N:AhJhJc9d9s {others}").stdout == first


def test_the_hint_is_the_coach_of_that_seat(leftbower: Command) -> None:
    """As JSON it is the advice, choice by choice, each with its word and action."""
    found = hinted(leftbower, ENDING)
    advice = advise(view(parse_hand_line(ENDING), Seat.N), layouts=50, rng=Random(1))
    assert (found["seat"], found["layouts"], tuple(found["reasons"])) == ("N", 50, advice.reasons)
    assert found["headline"] == advice.headline
    assert [item["word"] for item in found["choices"]] == ["Ah", "9s"]
    for output, choice in zip(found["choices"], advice.choices, strict=True):
        assert action_from_json(output["action"]) == choice.action
        assert output["points"] == {"mean": choice.points.mean, "error": choice.points.error}
        assert output["chance"] == {"mean": choice.chance.mean, "error": choice.chance.error}
        assert sum(output["shares"].values()) == pytest.approx(1)


def test_the_seed_decides_what_is_imagined(leftbower: Command) -> None:
    first, again, other = (hinted(leftbower, ENDING, "--seed", seed) for seed in ("1", "1", "2"))
    assert first == again != other


def test_a_pass_has_no_error_and_no_shares(leftbower: Command) -> None:
    passing = next(item for item in hinted(leftbower, DEAL)["choices"] if item["word"] == "p")
    assert passing["points"]["error"] is None
    assert passing["shares"] is None
    row = next(line for line in leftbower("hint", DEAL).stdout.splitlines() if line.startswith("  Pass"))
    assert "±" not in row
    assert row == row.rstrip()


def test_what_the_seat_has_seen_is_told_first(leftbower: Command) -> None:
    output = leftbower("hint", f"{DEAL} | o -Qc | 9dAdQd9h KcJc").stdout
    assert output.startswith(
        "East holds K♥ 10♥ A♣ 10♣. West dealt 9♥.\n"
        "North orders it up. West discards a card.\n"
        "Trick 1: 9♦ A♦ Q♦ 9♥, led by North, taken by West.\n"
        "On the table: K♣ from West, J♣ from North.\n"
        "\n"
        "  Your partner is winning so far: throw your lowest, the 10♣.\n"
        "\n"
        "Why? In 1,000 layouts that fit:\n"
    )
    assert max(map(len, output.splitlines())) <= 80


def test_numbers_have_one_minus_and_one_percent_sign(leftbower: Command) -> None:
    """The minus is U+2212, and the percent sign follows the number without a space."""
    for line in LINES:
        output = leftbower("hint", line, "--layouts", "50").stdout
        assert "%" in output
        assert not re.search(r"\s%|\s-\d", output)


def test_a_seat_that_answers_is_advised_by_name(leftbower: Command) -> None:
    """At an honor table any seat can be advised; the option selects it."""
    allowed = name_rules(replace(preset("campus"), throw_ins=ThrowIns.BY_AGREEMENT))
    line = f"{ENDING} N*3".replace("campus", allowed)
    assert {hinted(leftbower, line, "--seat", seat)["seat"] for seat in ("E", "south", "w")} == {"E", "S", "W"}


def test_a_line_without_a_hint_says_why(refused: Refusal) -> None:
    refused("hint", DEAL, "--seat", "E", code="not-your-turn")
    refused("hint", DEAL, "--seat", "X", code="bad-seat")
    refused("hint", "{club3} S Th N:9h9sTsQsJs E:AhJhJdTcQc S:9dTdQdKdAd D:9cKsAs", "--seat", "W", code="bad-seat")
    refused("hint", OVER, code="hand-is-over")
    refused("hint", DEAL.replace("9d9s E", "9d?? E"), code="nothing-to-solve")
    refused("hint", "nonsense", code="bad-hand-line")
    refused("hint", f"{DEAL} | o -Qc | Kd", code="card-not-held")


def test_an_error_as_json_is_an_object(leftbower: Command) -> None:
    output = leftbower("hint", DEAL, "--seat", "S", "--json", status=2)
    assert json.loads(output.stdout)["error"]["code"] == "not-your-turn"
    assert output.stderr.count("\n") == 1


def test_a_view_is_all_that_is_used(leftbower: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    """The coach gets the view of that seat."""
    arguments: list[object] = []
    real = coach.advise

    def watched(seat_view: View, **more: Any) -> Advice:
        arguments.append(seat_view)
        return real(seat_view, **more)

    monkeypatch.setattr(coach, "advise", watched)
    leftbower("hint", ENDING, "--layouts", "5")
    assert arguments == [view(parse_hand_line(ENDING), Seat.N)]
