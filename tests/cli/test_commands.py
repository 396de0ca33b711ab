"""The commands for people and programs: right output, wrong input, and never a traceback."""

import json
import re
import subprocess
import sys
from collections.abc import Callable
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

from leftbower.rules import diff, fingerprint, from_json, preset, to_link, to_toml
from near_rules import near
from raw_values import has_raw_value

Command = Callable[..., Any]
Refusal = Callable[..., str]
NAMES = ["standard", "round-robin", "campus", "school-cup", "prize-night", "club", "club3", "club2"]


def test_the_list_names_standard_the_five_sheets_and_the_smaller_games(leftbower: Command) -> None:
    listed = json.loads(leftbower("rules", "list", "--json").stdout)
    assert [item["name"] for item in listed] == NAMES
    assert [item["players"] for item in listed] == [4, 4, 4, 4, 4, 4, 3, 2]
    for sheet in listed:
        assert sheet["fingerprint"] == fingerprint(preset(sheet["name"]))
        assert sheet["name"] in leftbower("rules", "list").stdout


def test_the_short_list_distinguishes_sheets_and_names_commands(leftbower: Command) -> None:
    text = leftbower("rules", "list", "--short").stdout
    for name in ("STANDARD", "ROUND-ROBIN", "CAMPUS", "SCHOOL-CUP", "PRIZE-NIGHT", "CLUB"):
        assert name in text
    assert "leftbower rules show club" in text
    assert json.loads(leftbower("rules", "list", "--short", "--json").stdout)[1]["highlights"]


@pytest.mark.parametrize(
    ("form", "beginning"),
    [
        ("text", "EUCHRE RULES: CAMPUS"),
        ("markdown", "# Euchre rules: Campus"),
        ("html", "<!doctype html>"),
        ("toml", 'sheet = "campus"'),
        ("link", "lb2-"),
    ],
)
def test_a_rule_set_is_shown_in_every_form(leftbower: Command, form: str, beginning: str) -> None:
    assert leftbower("rules", "show", "campus", "--form", form).stdout.startswith(beginning)


def test_a_rule_set_is_found_by_name_link_and_file(leftbower: Command, tmp_path: Path) -> None:
    (tmp_path / "ours").write_text(to_toml(preset("club3")))
    (tmp_path / "ours.toml").write_text(to_toml(preset("club3")))
    for named in ("club3", to_link(preset("club3")), "ours.toml", "ours", str(tmp_path / "ours")):
        displayed = json.loads(leftbower("rules", "show", named, "--json", cwd=tmp_path).stdout)
        assert from_json(displayed["rules"]) == preset("club3")
        assert displayed["marks"]["misdeal"] == "S"


def test_seats_can_be_chosen_when_showing(leftbower: Command, refused: Refusal) -> None:
    assert "Two play" in leftbower("rules", "show", "club", "--players", "2").stdout
    assert "partner_orders_alone" in refused("rules", "show", "round-robin", "--players", "3", code="impossible-rules")
    assert "players = 5" in refused("rules", "show", "club", "--players", "5", code="bad-option")


def test_the_diff_speaks_of_exactly_what_differs(leftbower: Command) -> None:
    found = json.loads(leftbower("rules", "diff", "club", "club3", "--json").stdout)
    assert [item["option"] for item in found] == ["players"]
    assert found[0]["values"] == [4, 3]
    assert "no differences" in leftbower("rules", "diff", "club", "club").stdout
    assert "prize-night: gift" not in leftbower("rules", "diff", "club", "campus").stdout


def test_the_diff_of_any_two_sheets_is_printed_in_words(leftbower: Command) -> None:
    """Each preset against every other one, both sides of every option: no value is printed as files spell it."""
    for ours, theirs in permutations(NAMES, 2):
        printed = leftbower("rules", "diff", ours, theirs).stdout
        assert len(differences_in(printed, ours, theirs)) == len(diff(preset(ours), preset(theirs)))


def test_the_diff_of_any_one_option_is_printed_in_words(leftbower: Command) -> None:
    """Every value of every option against the school cup's, which sets most: none is printed as files spell it."""
    for rules in near(preset("school-cup")):
        if rules != preset("school-cup"):
            printed = leftbower("rules", "diff", "school-cup", to_link(rules)).stdout
            assert len(differences_in(printed, "school-cup", to_link(rules))) == 1


def differences_in(printed: str, ours: str, theirs: str) -> list[str]:
    """The options named in a printed diff, each with two sentences in which no value is spelled as in a file."""
    heading, *blocks = printed.rstrip().split("\n\n")
    assert heading.startswith(f"{ours} v. {theirs}: {len(blocks)} difference")
    named = []
    for block in blocks:
        question, *sides = block.split("\n")
        said = " ".join(" ".join(sides).split())
        found = re.fullmatch(rf"{re.escape(ours)}: ([A-Z].*\.) {re.escape(theirs)}: ([A-Z].*\.)", said)
        assert found, block
        named.append(question.rpartition("(")[2].rstrip(")"))
        assert not any(has_raw_value(side, named[-1]) for side in found.groups()), block
    return named


def test_a_good_file_is_checked_and_compared_with_its_sheet(leftbower: Command, tmp_path: Path) -> None:
    (tmp_path / "ours.toml").write_text('sheet = "campus"\ntarget = 11\n')
    assert "1 difference\n" in leftbower("rules", "check", "ours.toml", cwd=tmp_path).stdout
    checked = json.loads(leftbower("rules", "check", "ours.toml", "--json", cwd=tmp_path).stdout)
    assert [item["option"] for item in checked["differences"]] == ["target"]
    (tmp_path / "own.toml").write_text("target = 11\n")
    assert "the defaults: 1 difference" in leftbower("rules", "check", "own.toml", cwd=tmp_path).stdout


@pytest.mark.parametrize(
    ("content", "code", "path"),
    [
        (b"tarket = 11", "unknown-option", "line 1"),
        (b"sheet = 'club'\n\ntarget = 'ten'", "bad-option", "line 3"),
        (b"players = 3\ndefend_alone = 'always'", "impossible-rules", "line 2"),
        (b"target = , ", "bad-toml", "line 1"),
        (b"\xff\xfe", "not-text", "bad.toml"),
        pytest.param(b"# " + b"x" * 70_000, "too-large", "bad.toml", id="a long comment"),
        pytest.param(bytes(range(256)) * 40_000, "too-large", "bad.toml", id="ten megabytes"),
        (b"[stated]\ntarget = 10", "unknown-option", "line 1"),
    ],
)
def test_a_bad_file_is_refused_with_its_path(
    refused: Refusal, tmp_path: Path, content: bytes, code: str, path: str
) -> None:
    (tmp_path / "bad.toml").write_bytes(content)
    sentence = refused("rules", "check", "bad.toml", code=code, cwd=tmp_path)
    assert "bad.toml" in sentence
    assert path in sentence


@pytest.mark.parametrize(
    ("named", "code"),
    [
        ("clubb", "unknown-rules"),
        ("", "unknown-rules"),
        ("nowhere.toml", "unreadable-file"),
        ("/", "unreadable-file"),
        ("lb1-JaBCAABaACJASJAQACIAkgGjjh", "bad-link"),
        ("lb2-mHOShCEFEFMqoMJD", "bad-link"),
        ("lb3-TDI", "bad-link"),
        ("lb2-" + "A" * 200, "bad-link"),
        ("x" * 5000, "unknown-rules"),
        ("a/" * 5000, "unreadable-file"),
        ("\x1b[31m.toml", "unreadable-file"),
    ],
)
def test_rules_that_are_not_there_are_refused(refused: Refusal, named: str, code: str) -> None:
    sentence = refused("rules", "show", named, code=code)
    assert len(sentence) < 200
    assert "\x1b" not in sentence


def test_an_error_is_an_object_too_where_json_is_asked_for(leftbower: Command) -> None:
    answer = leftbower("rules", "show", "clubb", "--json", status=2)
    assert json.loads(answer.stdout)["error"] == {
        "code": "unknown-rules",
        "message": "there are no rules called 'clubb'; did you mean club?",
        "path": "",
    }


def test_the_referee_rules_on_one_object_a_line(leftbower: Command) -> None:
    """The line of the issue and its ruling, and the same with three players, with blank lines in between."""
    incident = {
        "rules": "club",
        "players": 4,
        "irregularity": "renege",
        "offender": "E",
        "maker": "N",
        "dealer": "W",
        "alone": True,
        "corrected": False,
        "earlier_warnings": 0,
        "up_card_shown": True,
    }
    lines = [json.dumps(incident), "", json.dumps(incident | {"players": 3, "dealer": "S", "alone": False})]
    first, second = map(json.loads, leftbower("referee", "--json", "-", stdin="\n".join(lines)).stdout.splitlines())
    assert first["points"] == {"N": 4, "S": 4}
    assert (first["warning"], first["hand_ends"], first["deal_passes"]) == (False, True, True)
    assert "renege" in first["rule"]
    assert second["points"] == {"N": 2}


def test_the_referee_takes_rules_from_a_file_or_a_link(leftbower: Command, tmp_path: Path) -> None:
    (tmp_path / "ours.toml").write_text("renege_points = 3")
    lines = [
        json.dumps({"rules": named, "irregularity": "renege", "offender": "S"})
        for named in ("ours.toml", to_link(preset("club2")))
    ]
    answers = leftbower("referee", "--json", "-", stdin="\n".join(lines), cwd=tmp_path).stdout.splitlines()
    assert [json.loads(answer)["points"] for answer in answers] == [{"E": 3, "W": 3}, {"N": 2}]


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("{", "bad-json"),
        ("[]", "bad-json"),
        ("[" * 50_000, "bad-json"),
        ('{"rules": "club", "irregularity": "renege", "earlier_warnings": ' + "9" * 5000 + "}", "bad-json"),
        ('{"irregularity": "renege"}', "bad-incident"),
        ('{"rules": 7}', "bad-incident"),
        ('{"rules": "club", "irregularity": "yawning"}', "bad-incident"),
        ('{"rules": "club", "irregularity": "renege"}', "bad-incident"),
        ('{"rules": "club", "irregularity": "renege", "offender": "X"}', "bad-seat"),
        ('{"rules": "club", "players": 3, "irregularity": "renege", "offender": "W"}', "bad-seat"),
        ('{"rules": "club", "players": "many", "irregularity": "renege"}', "bad-option"),
        ('{"rules": "clubs", "irregularity": "renege"}', "unknown-rules"),
    ],
)
def test_a_bad_line_gets_an_error_and_the_others_a_ruling(leftbower: Command, line: str, code: str) -> None:
    """One result per line, in order; the error names the line, is printed once as a sentence, and the status is 2."""
    good = json.dumps({"rules": "club", "irregularity": "wrong-card-count"})
    answer = leftbower("referee", "--json", "-", stdin=f"{good}\n{line}\n{good}\n", status=2)
    first, error, last = map(json.loads, answer.stdout.splitlines())
    assert first == last
    assert set(first) == {"points", "warning", "hand_ends", "deal_passes", "rule"}
    assert error["error"]["code"] == code
    assert error["error"]["path"].startswith("line 2")
    assert len(answer.stderr.splitlines()) == 1


def test_a_fact_may_be_null_and_plays_no_part(leftbower: Command) -> None:
    line = '{"rules": "club", "irregularity": "renege", "offender": "E", "maker": null, "alone": null}'
    assert json.loads(leftbower("referee", "--json", "-", stdin=line).stdout)["points"] == {"N": 2, "S": 2}


def test_the_dealer_fails_to_discard_if_another_is_named(leftbower: Command) -> None:
    """The offender doesn't matter if only the dealer can have done it."""
    line = '{"rules": "club3", "irregularity": "failure-to-discard", "offender": "E", "maker": "N", "dealer": "S"}'
    assert json.loads(leftbower("referee", "--json", "-", stdin=line).stdout)["points"] == {"N": 2}


def test_ten_megabytes_of_noise_are_refused_in_a_sentence(refused: Refusal) -> None:
    refused("referee", "--json", "-", stdin=bytes(range(255, 0, -1)) * 40_000, code="not-text")
    refused("referee", "-", stdin=b"7" * 10_000_000, code="too-large")


def test_the_referee_asks_only_what_matters(leftbower: Command) -> None:
    """Club: the offender and alone; a wrong answer is explained and the question asked again."""
    answer = leftbower("referee", stdin="club\n1\nnobody\nE\nmaybe\ny\n").stdout
    assert "North and South score 4 points. The hand is over; the next player deals." in answer
    assert "'nobody' is not a seat" in answer
    assert "write y or n" in answer
    assert "Who made trump" not in answer
    assert "warnings" not in answer


def test_the_referee_asks_for_warnings_where_there_are_any(leftbower: Command) -> None:
    answer = leftbower("referee", stdin="school-cup\nrenege\nW\nmany\n0\n").stdout
    assert "A warning. The play stands" in answer
    assert "alone" not in answer.split("Rule:")[0]


def test_the_referee_asks_nothing_it_was_told(leftbower: Command) -> None:
    output = ["--rules", "club3", "--irregularity", "failure-to-discard", "--dealer", "S", "--maker", "N", "--no-alone"]
    answer = leftbower("referee", *output, "--json")
    assert json.loads(answer.stdout)["points"] == {"N": 2}
    output = ["--rules", "club", "--irregularity", "no-cut-offered", "--no-up-card-shown"]
    assert leftbower("referee", *output).stdout.startswith("The same dealer deals again.\nRule: ")
    output = ["--rules", "campus", "--irregularity", "out-of-turn"]
    assert leftbower("referee", *output).stdout.startswith("The card is taken back")


def test_the_referee_takes_a_file_of_lines_or_facts_but_not_both(refused: Refusal) -> None:
    refused("referee", "-", "--rules", "club", code="bad-usage")
    refused("referee", "incidents.jsonl", code="bad-usage")


def test_answers_that_end_too_soon_are_told_where(refused: Refusal, leftbower: Command) -> None:
    assert "Number or name" in refused("referee", stdin="club\n", code="bad-incident")
    command = ("referee", "--rules", "club", "--irregularity", "renege", "--offender", "E", "--json")
    assert json.loads(leftbower(*command, stdin="y\n").stdout)["points"] == {"N": 4, "S": 4}


def test_the_version_is_printed(leftbower: Command) -> None:
    assert leftbower("--version").stdout == "leftbower 0.1.0\n"


def test_output_cut_off_by_its_reader_is_no_error() -> None:
    """`leftbower … | head -1` must not print a traceback."""
    shell = f'"{sys.executable}" -m leftbower rules show club --form html | head -c 1 > /dev/null'
    assert subprocess.run(["sh", "-c", shell], capture_output=True, check=False).stderr == b""


def test_the_module_is_the_command() -> None:
    """`python -m leftbower` in its own process, with its exit status."""
    command = [sys.executable, "-m", "leftbower", "rules", "show", "clubb"]
    done = subprocess.run(command, capture_output=True, check=False, text=True)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "leftbower: there are no rules called 'clubb'; did you mean club? [unknown-rules]\n"
