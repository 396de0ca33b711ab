"""`leftbower arena` and `leftbower simulate`: their output, files, plots and exit status."""

import json
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from leftbower.i18n import signed
from leftbower.players.arena import arena, census
from leftbower.players.arena.arena import Bout, BoutTally, play_pairs, tally_to_json
from leftbower.players.arena.census import Census, Study, take_census
from leftbower.rules import preset, to_link

Command = Callable[..., Any]
Refusal = Callable[..., str]

HYBRID = "bid=random,play=random"
WORDS = ("arena", "random", HYBRID, "--pairs", "12")


def whole(leftbower: Command, *words: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(leftbower(*WORDS, *words, "--json").stdout)
    return found


def test_the_arena_says_who_is_better_by_how_much(leftbower: Command) -> None:
    output = whole(leftbower, "--seed", "3", "--rules", "campus")
    tally = play_pairs(Bout(a="random", b=HYBRID, rules=preset("campus"), seed=3, pairs=12), range(12))
    assert output["tally"] == tally_to_json(tally)
    assert (output["requested"], output["rules"]) == (12, to_link(preset("campus")))
    assert output["difference"] == tally.difference._asdict()
    text = leftbower(*WORDS, "--seed", "3", "--rules", "campus").stdout
    assert text.startswith(f"A random, B {HYBRID}; rules campus, seed 3.\n12 pairs, 24 hands.\n")
    assert f"A minus B: {signed(tally.difference.mean, 3)} (95% interval " in text
    assert "No significant difference." in text
    assert f"contracts{tally.a.called:>25}{tally.b.called:>12}\n" in text


def test_the_verdict_names_the_better_one(leftbower: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    ahead = BoutTally(pairs=12, stints=24, total=24, squares=49)
    monkeypatch.setattr(arena, "play_pairs", lambda bout, piece: ahead if piece.start == 0 else BoutTally())
    assert "A is better." in leftbower(*WORDS).stdout
    behind = BoutTally(pairs=12, stints=24, total=-24, squares=49)
    monkeypatch.setattr(arena, "play_pairs", lambda bout, piece: behind if piece.start == 0 else BoutTally())
    assert "B is better." in leftbower(*WORDS).stdout


def test_one_pair_has_no_interval(leftbower: Command) -> None:
    assert "(too few pairs for an interval)" in leftbower("arena", "random", HYBRID, "--pairs", "1").stdout


def test_games_are_counted_with_wilsons_interval(leftbower: Command) -> None:
    output = json.loads(leftbower("arena", "random", HYBRID, "--pairs", "3", "--games", "--json").stdout)
    tally = output["tally"]
    assert tally["games"] == 6 == tally["a"]["games"] + tally["b"]["games"]
    assert output["won"]["low"] < output["won"]["mean"] < output["won"]["high"] or output["won"]["mean"] in (0, 1)
    text = leftbower("arena", "random", HYBRID, "--pairs", "3", "--games").stdout
    assert f"3 pairs, 6 games, {tally['hands']} hands." in text
    assert f"A won {tally['a']['games']} games and B {tally['b']['games']}: " in text


def test_two_processes_print_what_one_does(leftbower: Command) -> None:
    assert whole(leftbower, "--processes", "2") == whole(leftbower)


def test_an_interrupted_command_continues_when_run_again(
    leftbower: Command, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def interrupted(bout: Bout, piece: range) -> BoutTally:
        if piece.start == 5:
            raise KeyboardInterrupt
        return play_pairs(bout, piece)

    record_file = str(tmp_path / "kept.jsonl")
    monkeypatch.setattr(arena, "play_pairs", interrupted)
    output = json.loads(leftbower(*WORDS, "--out", record_file, "--json", status=130).stdout)
    assert (output["requested"], output["tally"]["pairs"]) == (12, 5)
    assert "\n5 of 12 pairs, 10 hands.\n" in leftbower(*WORDS, status=130).stdout
    monkeypatch.undo()
    played: list[int] = []

    def watched(bout: Bout, piece: range) -> BoutTally:
        played.extend(piece)
        return play_pairs(bout, piece)

    monkeypatch.setattr(arena, "play_pairs", watched)
    assert whole(leftbower, "--out", record_file) == whole(leftbower)
    assert played == [*range(5, 12), *range(12)]


def test_a_file_that_was_cut_anywhere_is_completed_to_the_same(leftbower: Command, tmp_path: Path) -> None:
    record_file = tmp_path / "kept.jsonl"
    result = whole(leftbower, "--out", str(record_file))
    complete = record_file.read_bytes()
    assert complete.count(b"\n") == 13
    header = complete.index(b"\n") + 1
    for cut in (0, 7, header - 1, header, header + 5, len(complete) // 2, len(complete) - 1, len(complete)):
        record_file.write_bytes(complete[:cut])
        assert whole(leftbower, "--out", str(record_file)) == result
        assert record_file.read_bytes() == complete


@pytest.mark.parametrize(
    ("words", "what"),
    [
        (("--pairs", "13"), "pairs is 12 there, but 13 here"),
        (("--seed", "2"), "seed is 1 there, but 2 here"),
        (("--games",), "games is False there, but True here"),
        (("--rules", "campus"), "rules is lb2-"),
    ],
)
def test_a_file_of_other_arguments_is_refused_and_left_alone(
    words: tuple[str, ...], what: str, leftbower: Command, refused: Refusal, tmp_path: Path
) -> None:
    record_file = tmp_path / "kept.jsonl"
    whole(leftbower, "--out", str(record_file))
    before = record_file.read_bytes()
    sentence = refused(*WORDS, "--out", str(record_file), *words, code="other-work")
    assert f"this file is from other work: {what}" in sentence
    assert record_file.read_bytes() == before


def test_a_file_that_is_something_else_is_refused_and_left_alone(
    leftbower: Command, refused: Refusal, tmp_path: Path
) -> None:
    record_file = tmp_path / "kept.jsonl"
    whole(leftbower, "--out", str(record_file))
    header, first, *_ = record_file.read_text().splitlines(keepends=True)
    wrong = {
        "notes": "bad-record",
        "notes\nmore\n": "bad-record",
        "[1]\n": "bad-record",
        "{}\n": "bad-record",
        f"{header}nonsense\n": "bad-json",
        f"{header}{first.replace('0', '99', 1)}": "bad-record",
        f'{header}{{"first": 0}}\n': "bad-record",
        header + first.replace('"pairs": 1,', '"pairs": 2,'): "bad-record",
    }
    for text, code in wrong.items():
        record_file.write_text(text)
        refused(*WORDS, "--out", str(record_file), code=code)
        assert record_file.read_text() == text
    refused(*WORDS, "--out", str(tmp_path), code="unreadable-file")
    refused(*WORDS, "--out", str(tmp_path / "nowhere" / "kept"), code="unreadable-file")


def test_the_picture_is_drawn_as_svg(leftbower: Command, refused: Refusal, tmp_path: Path) -> None:
    drawn = tmp_path / "bout.svg"
    output = whole(leftbower, "--picture", str(drawn))
    picture = ElementTree.fromstring(drawn.read_text())
    space = {"": "http://www.w3.org/2000/svg"}
    assert picture.findtext("title", namespaces=space) == f"random against {HYBRID}"
    found = output["difference"]
    mean, low, high = (signed(found[key], 3) for key in ("mean", "low", "high"))
    caption = f"{mean} points per hand, 95% interval {low} to {high}, 12 pairs"
    assert picture.findtext("desc", namespaces=space) == caption
    line, band = picture.find("polyline", space), picture.find("polygon", space)
    assert line is not None
    assert band is not None
    points = [tuple(map(float, point.split(","))) for point in line.attrib["points"].split()]
    assert len(points) == 10
    assert len(band.attrib["points"].split()) == 20
    assert points[-1][0] == 640 - 16
    assert all(40 <= down <= 320 for _, down in points)
    refused(*WORDS, "--picture", str(tmp_path / "nowhere" / "bout.svg"), code="unreadable-file")


def test_a_plot_of_equals_is_level_and_of_two_pairs_is_refused(
    leftbower: Command, refused: Refusal, tmp_path: Path
) -> None:
    drawn = tmp_path / "bout.svg"
    leftbower("arena", "random", "random", "--pairs", "4", "--picture", str(drawn))
    [line] = re.findall(r'<polyline points="([^"]+)"', drawn.read_text())
    assert {point.split(",")[1] for point in line.split()} == {"180.0"}
    refused("arena", "random", "random", "--pairs", "2", "--picture", str(drawn), code="bad-usage")


@pytest.mark.filterwarnings("default")
def test_other_pictures_are_drawn_by_matplotlib(leftbower: Command, refused: Refusal, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    leftbower(*WORDS, "--picture", str(tmp_path / "bout.png"))
    assert (tmp_path / "bout.png").read_bytes().startswith(b"\x89PNG")
    refused(*WORDS, "--picture", str(tmp_path / "bout.nonsense"), code="bad-usage")


@pytest.mark.parametrize(
    ("module", "extra", "words"),
    [
        ("distributed", "dask", ("--dask", "tcp://127.0.0.1:8786")),
        ("matplotlib.figure", "plots", ("--picture", "bout.png")),
    ],
)
def test_without_an_extra_one_sentence_names_it(
    module: str, extra: str, words: tuple[str, ...], refused: Refusal, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    sentence = refused(*WORDS, *words, code="missing-extra", cwd=tmp_path)
    assert f"pip install 'leftbower[{extra}]'" in sentence


def test_who_is_unknown_is_refused_before_anything_is_played(refused: Refusal, tmp_path: Path) -> None:
    record_file = tmp_path / "kept.jsonl"
    sentence = refused("arena", "random", "randon", "--out", str(record_file), code="unknown-player")
    assert "did you mean random?" in sentence
    assert not record_file.exists()
    refused("simulate", "bid=random", code="unknown-player")
    refused("simulate", "--rules", "clubb", code="unknown-rules")


def test_the_bar_is_drawn_on_standard_error(leftbower: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = leftbower(*WORDS)
    monkeypatch.setenv("FORCE_COLOR", "1")
    drawn = leftbower(*WORDS)
    assert (drawn.stdout, plain.stderr) == (plain.stdout, "")
    assert "12/12" in drawn.stderr


# simulate


@pytest.mark.parametrize("rules", ["round-robin", "club3", "club2"])
def test_simulate_prints_the_census(rules: str, leftbower: Command) -> None:
    words = ("simulate", "--rules", rules, "--hands", "40", "--seed", "2")
    found = take_census(Study(player="random", rules=preset(rules), seed=2, hands=40), range(40))
    output = json.loads(leftbower(*words, "--json").stdout)
    assert (output["hands"], output["requested"], output["redeals"]) == (40, 40, 0)
    assert sum(output["endings"].values()) == 40
    assert sum(row["hands"] for row in output["by_up_card"]) == 40
    assert sum(row["hands"] for row in output["by_caller"]) == 40 - output["endings"]["passed-out"]
    assert (output["dealers_points"], output["others_points"]) == (found.dealers_points, found.others_points)
    text = leftbower(*words).stdout
    assert text.startswith(f"40 hands, random in every seat; rules {rules}, seed 2.\n")
    assert max(map(len, text.splitlines())) <= 80
    euchres = f"{output['endings']['euchre'] / 40:.1%}"
    assert any(line.startswith("all ") and euchres in line for line in text.splitlines())
    for row in output["points"]:
        assert f"{row['points']:>8}{row['hands']:>9}{row['hands'] / 40:>9.1%}\n" in text


def test_simulate_is_the_same_with_two_processes(leftbower: Command) -> None:
    words = ("simulate", "--hands", "12", "--json")
    assert leftbower(*words, "--processes", "2").stdout == leftbower(*words).stdout


@pytest.mark.parametrize("after", [0, 7])
def test_an_interrupted_census_says_how_far_it_came(
    after: int, leftbower: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(study: Study, numbers: range) -> Census:
        if numbers.start == after:
            raise KeyboardInterrupt
        return take_census(study, numbers)

    monkeypatch.setattr(census, "take_census", interrupted)
    output = leftbower("simulate", "--hands", "20", status=130).stdout
    assert output.startswith(f"{after} of 20 hands, ")
    assert json.loads(leftbower("simulate", "--hands", "20", "--json", status=130).stdout)["hands"] == after
