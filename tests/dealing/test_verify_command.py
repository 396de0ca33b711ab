"""`leftbower verify`: its output, its exit status, and its errors for other input."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from leftbower.dealing import Binding, commitment_to_json, openings, openings_to_json, seal
from leftbower.notation import Record, dumps
from leftbower.rules import HouseRules, preset
from leftbower.rules.cards import DECK
from naive_chain import decks_of, dump_lines, parsed, rechained

Command = Callable[..., Any]
Refusal = Callable[..., str]


@pytest.fixture
def record(sealed_record: str, tmp_path: Path) -> Path:
    path = tmp_path / "game.jsonl"
    path.write_text(sealed_record, encoding="utf-8")
    return path


def test_a_record_that_fits_is_reported_hand_by_hand(leftbower: Command, record: Path, sealed_record: str) -> None:
    """Every root is printed, to compare with the one published before the hand."""
    facts = [json.loads(line) for line in sealed_record.splitlines() if '"seal"' in line]
    seals = [fact["seal"] for fact in facts if fact["fact"] == "deal"]
    [drawn] = [fact["seal"] for fact in facts if fact["fact"] == "draw"]
    text = leftbower("verify", str(record)).stdout
    assert f"Draw 1   {drawn['root']}  no cut\n" in text
    for number, dealt in enumerate(seals, 1):
        assert f"Hand {number:<3} {dealt['root']}  cut {dealt['cut']}\n" in text
    assert f"All {len(seals)} hands and the draw for the dealer were dealt as sealed." in text
    assert "The match is complete." in text
    first, last = (json.loads(sealed_record.splitlines()[index]) for index in (0, -1))
    assert f'Match 8  {first["root"]}  of table "table-8"\n' in text
    assert f"End      {last['root']}\n" in text
    found = json.loads(leftbower("verify", "-", "--json", stdin=sealed_record).stdout)
    assert found["error"] is None
    roots = {"root": first["root"], "final_root": last["root"]}
    assert found["match"] == {"table": "table-8", "number": 8, "complete": True, "erased": ["W"], **roots}
    assert found["draws"] == [{"draw": 1, "root": drawn["root"], "cut": None, "opened": 24, "of": 24}]
    assert found["hands"][1] == {"hand": 2, "root": seals[1]["root"], "cut": seals[1]["cut"], "opened": 24, "of": 24}


def test_what_does_not_fit_is_one_sentence_and_status_1(leftbower: Command, sealed_record: str, tmp_path: Path) -> None:
    lines = sealed_record.splitlines()
    index = next(number for number, line in enumerate(lines) if '"fact": "deal"' in line)
    deal = json.loads(lines[index])
    deal["seal"]["root"] = "0" * 64
    lines[index] = json.dumps(deal)
    (tmp_path / "game.jsonl").write_text("\n" + "\n".join(lines), encoding="utf-8")
    completed = leftbower("verify", "game.jsonl", cwd=tmp_path, status=1)
    [sentence] = completed.stderr.splitlines()
    assert sentence.startswith(
        f"leftbower: game.jsonl, line {index + 2}, hand 1: deck, salts and bot_secret give root "
    )
    assert sentence.endswith("000000000000… was sealed [bad-seal]")
    assert "Hand" not in completed.stdout
    found = json.loads(leftbower("verify", "-", "--json", stdin="\n" + "\n".join(lines), status=1).stdout)
    assert found["hands"] == []
    assert (found["error"]["code"], found["error"]["hand"], found["error"]["line"]) == ("bad-seal", 1, index + 2)


def test_a_root_that_was_shown_is_looked_for(leftbower: Command, sealed_record: str) -> None:
    lines = sealed_record.splitlines()
    hand = next(json.loads(line)["seal"]["root"] for line in lines if '"fact": "deal"' in line)
    final = json.loads(lines[-1])["root"]
    options = ("--root", final[:16].upper(), "--root", hand)
    text = leftbower("verify", "-", *options, stdin=sealed_record).stdout
    assert f"{final[:16].upper()} is the root of the end. {hand} is the root of hand 1." in text
    for wrong in (final[:15], "0" * 16, "song", f"{final}0"):
        completed = leftbower("verify", "-", "--root", hand, "--root", wrong, stdin=sealed_record, status=1)
        assert f'no root of this record starts with "{wrong[:20]}' in completed.stderr
        assert "[wrong-root]" in completed.stderr
        assert "Compare" not in completed.stdout
    found = json.loads(leftbower("verify", "-", "--json", "--root", "0" * 16, stdin=sealed_record, status=1).stdout)
    assert found["error"]["code"] == "wrong-root"


def test_a_record_without_its_end_needs_the_option_unfinished(leftbower: Command, sealed_record: str) -> None:
    """A forger who cuts off the end can write a last line that fits: then only a published root shows it."""
    lines = parsed(sealed_record)
    cut = dump_lines(rechained([*lines[: 1 + len(decks_of(lines)[0]) + len(decks_of(lines)[1])], {"so_far": {}}]))
    unfinished = leftbower("verify", "-", stdin=cut, status=1)
    assert "the record has no end; if the match was still going on" in unfinished.stderr
    assert "[unfinished-record]" in unfinished.stderr
    assert "The match was still being played." in leftbower("verify", "-", "--unfinished", stdin=cut).stdout
    leftbower("verify", "-", "--unfinished", "--root", lines[-1]["root"], stdin=cut, status=1)
    broken_off = leftbower("verify", "-", "--unfinished", stdin=dump_lines(lines[:-1]), status=1)
    assert f"line {len(lines) - 1}, end: the record is cut off" in broken_off.stderr


def test_roots_go_with_records_only(refused: Refusal, tmp_path: Path) -> None:
    (tmp_path / "x.db").write_bytes(b"SQLite format 3\0")
    for words in (["--root", "0" * 16], ["--unfinished"]):
        refused("verify", "x.db", *words, cwd=tmp_path, code="bad-usage")


def test_a_hand_that_is_still_closed_says_how_much_is_open(leftbower: Command, sealed_record: str) -> None:
    header, *_ = sealed_record.splitlines()
    sealed = seal(bytes(32), DECK, Binding(link=json.loads(header)["root"]))
    opened = openings_to_json(openings(sealed, DECK[:3]))
    facts: list[dict[str, Any]] = [commitment_to_json(sealed.commitment), opened, {"so_far": {}}]
    text = leftbower("verify", "-", "--unfinished", stdin="\n".join([header, *map(json.dumps, facts)])).stdout
    assert f"Hand 1   {sealed.root}  no cut, 3 of 24 cards open\n" in text
    assert "All open cards match." in text


def test_a_record_that_was_never_sealed_says_so(
    refused: Refusal, sealed_match: Callable[[HouseRules, int], Record]
) -> None:
    record = sealed_match(preset("club"), 2)
    text = dumps(Record(rules=record.rules, facts=record.facts))
    assert "this record has no sealed deck" in refused("verify", "-", stdin=text, code="nothing-sealed")


@pytest.mark.parametrize(
    ("text", "code"),
    [("", "bad-record"), ("song", "bad-record"), ("{}", "bad-record"), ("[]", "bad-record"), (b"\xff", "not-text")],
)
def test_input_that_is_no_record_is_refused(text: str | bytes, code: str, refused: Refusal, tmp_path: Path) -> None:
    refused("verify", "-", stdin=text, code=code)
    (tmp_path / "x").write_bytes(text.encode() if isinstance(text, str) else text)
    assert refused("verify", "x", cwd=tmp_path, code=code).startswith("leftbower: x")


def test_a_file_that_is_not_there_is_refused(refused: Refusal) -> None:
    assert "no-such-file" in refused("verify", "no-such-file", code="unreadable-file")
