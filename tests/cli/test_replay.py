"""Replaying and counting from the command line: what happened, the first illegal action, and invalid input."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Command = Callable[..., Any]

DEAL = "{club} E Td N:AcAdQcQhQs E:9sAsJcKdTh S:9cAhKcKsQd W:9hJsKhTcTs"
WHOLE = "{club 9-6} E Td N:AcAdQcQhQs E:9sAsJcKdTh S:9cAhKcKsQd W:9hJsKhTcTs | p p p p h ! | KcTcJc 9c9h9s"


def test_a_hand_line_tells_points_and_score(leftbower: Command) -> None:
    """One object per line; points of both partners; none for an unfinished hand."""
    finished = (
        "{round-robin 3-4} S 9h N:KcKdKhTdTs E:9sAcJcJsTh S:9cAdKsQhQs W:AhAsJhQcTc "
        "| p p p p p p s | JhKhThQh TsJsQsAs JcKsAhKc 9s9cQcKd AcAdTcTd"
    )
    out = leftbower("replay", "-", "--json", stdin=f"{WHOLE}\n\n{finished}\n").stdout.splitlines()
    first, second = map(json.loads, out)
    assert (first["score"], first["points"], first["hands"], first["error"]) == ([9, 6], {}, [], None)
    assert (second["score"], second["points"]) == ([3, 5], {"E": 1, "W": 1})
    assert second["hands"] == [{"points": {"E": 1, "W": 1}, "reason": "made-it"}]
    assert "1 point for East and West" in leftbower("replay", finished).stdout


def test_a_passed_out_hand_scores_nothing(leftbower: Command) -> None:
    line = "{round-robin} S 9h N:KcKdKhTdTs E:9sAcJcJsTh S:9cAdKsQhQs W:AhAsJhQcTc | p p p p p p p p"
    found = json.loads(leftbower("replay", line, "--json").stdout)
    assert found["hands"] == [{"points": {}, "reason": "passed-out"}]
    assert "Passed out" in leftbower("replay", line).stdout


def test_the_first_illegal_act_is_named_with_its_location(leftbower: Command, tmp_path: Path) -> None:
    """West holds a club and plays a spade: a renege, found at its card; earlier play is kept."""
    renege = f"{DEAL} | p p p p h & | KcTs"
    (tmp_path / "hand.txt").write_text(renege + "\n")
    found = leftbower("replay", str(tmp_path / "hand.txt"), "--json", status=1)
    error = json.loads(found.stdout)["error"]
    assert (error["code"], error["hand"], error["trick"], error["seat"], error["card"]) == (
        "must-follow-suit",
        1,
        1,
        "W",
        "Ts",
    )
    assert "must-follow-suit" in found.stderr
    output = leftbower("replay", renege, status=1)
    assert "K♣, led by South, not complete." in output.stdout


def test_an_illegal_call_is_named_too(leftbower: Command) -> None:
    error = json.loads(leftbower("replay", f"{DEAL} | p p p p d", "--json", status=1).stdout)["error"]
    assert (error["code"], error["trick"], error["seat"], error["card"]) == ("suit-turned-down", None, "S", None)


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("nonsense", "bad-hand-line"),
        ("E Td", "bad-deal"),
        ("E Tx N:AcAdQcQhQs", "bad-card"),
        (DEAL.replace("9s", "As"), "bad-deal"),
        ("{clubb} E Td", "unknown-rules"),
        ("{club 1-2-3} E Td", "bad-hand-line"),
        ("E Td " + "x" * 2000, "too-large"),
    ],
)
def test_a_line_that_cannot_be_read_is_a_fault_of_its_own(line: str, code: str, leftbower: Command) -> None:
    """The other lines are still replayed, in order."""
    out = leftbower("replay", "-", "--json", stdin=f"{line}\n{WHOLE}\n", status=1).stdout.splitlines()
    first, second = map(json.loads, out)
    assert first["error"]["code"] == code
    assert "line 1" in first["error"]["path"]
    assert second["error"] is None


def test_noise_is_refused(refused: Command, leftbower: Command, tmp_path: Path) -> None:
    """Ten megabytes of noise get one sentence and status 2."""
    noise = tmp_path / "noise"
    noise.write_bytes(bytes(range(256)) * 40_000)
    refused("replay", str(noise), code="too-large")
    refused("replay", "-", stdin=(bytes(range(128, 256)) + b"\n") * 80_000, code="not-text")
    refused("replay", "-", stdin=b"7" * 10_000_000, code="too-large")
    refused("replay", "nowhere", code="unreadable-file")
    (tmp_path / "noise.egn").write_bytes(b"\xff" * 100)
    refused("replay", str(tmp_path / "noise.egn"), code="not-text")


def test_a_record_is_replayed_hand_by_hand(leftbower: Command, tmp_path: Path) -> None:
    """A match played in the terminal replays to the score it ended with."""
    record_file = tmp_path / "match.jsonl"
    output = leftbower(
        "play", "--rules", "prize-night", "--seed", "11", "--record", str(record_file), stdin="any\n" * 3000
    )
    found = json.loads(leftbower("replay", str(record_file), "--json").stdout)
    assert max(found["score"]) >= 10
    assert f"You and North {found['score'][0]}, East and West {found['score'][1]}." in output.stdout
    text = leftbower("replay", str(record_file)).stdout
    assert text.count("Score:") == len(found["hands"])
    half = tmp_path / "half.jsonl"
    half.write_text(record_file.read_text()[: record_file.stat().st_size // 2])
    cut = json.loads(leftbower("replay", str(half), "--json", status=1).stdout)
    assert cut["error"]["code"] in ("bad-json", "bad-record")
    assert cut["hands"] == found["hands"][: len(cut["hands"])]


def test_an_egn_game_is_replayed(leftbower: Command, shared: Path) -> None:
    """A real recorded game, to its real score."""
    found = json.loads(leftbower("replay", str(shared / "egn" / "VWEC_Finals.egn"), "--json").stdout)
    assert found["score"] == [8, 10]
    assert len(found["hands"]) == 13


def test_perft_counts(leftbower: Command, refused: Command) -> None:
    line = "{club} N Tc N:AcAsJhKcTd E:9sAdAhJsTh S:9dJcKhKsQh W:KdQcQdQsTs"
    assert json.loads(leftbower("perft", line, "6", "--json").stdout) == [2, 8, 20, 80, 166, 391]
    assert leftbower("perft", line, "3").stdout == "  1  2\n  2  8\n  3  20\n"
    refused("perft", "nonsense", "3", code="bad-hand-line")
