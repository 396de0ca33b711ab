"""Whole events through the commands, with a dispute, a correction and a no-show; and what commands refuse."""

import csv
import json
from collections.abc import Callable
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]


class EventFile:
    """An event in a file, through the commands."""

    def __init__(self, leftbower: Run, file: Path) -> None:
        self._run = leftbower
        self.file = file

    def __call__(self, command: str, *words: object, stdin: str = "") -> Any:
        answer = self._run("tournament", command, str(self.file), *map(str, words), "--json", stdin=stdin).stdout
        return json.loads(answer)

    def says(self, command: str, *words: object) -> str:
        text: str = self._run("tournament", command, str(self.file), *map(str, words)).stdout
        return text


@pytest.fixture
def event(leftbower: Run, tmp_path: Path) -> EventFile:
    return EventFile(leftbower, tmp_path / "event.jsonl")


def sides(table: dict[str, Any]) -> tuple[frozenset[str], frozenset[str]]:
    seats = table["seats"]
    return frozenset((seats["N"], seats["S"])), frozenset((seats["E"], seats["W"]))


def test_a_prize_night_of_twelve_teams(event: EventFile) -> None:
    """The prize-night sheet: cards of 75, 50 and 25 dollars, here in a round robin of twelve teams."""
    event("new", "--rules", "prize-night", "--format", "round-robin", "--title", "Prize night", "--fee", "20")
    names = [f"Ann{index} & Bob{index}" for index in range(12)]
    assert len(event("enter", *names)) == 12
    assert event("mark", "paid", "all")["pot"] == 24000
    drawn = event("pair", "--seed", "an evening")
    assert len(drawn) == 66
    strength = {frozenset((f"Ann{index}", f"Bob{index}")): index for index in range(12)}
    met = {frozenset(sides(table)) for table in drawn}
    assert met == {frozenset(pair) for pair in combinations(strength, 2)}

    trouble = [table for table in drawn if table["round"] == 1][:3]
    for table in drawn:
        ours, theirs = sides(table)
        won = "10-4" if strength[ours] < strength[theirs] else "6-10"
        lost = "4-10" if strength[ours] < strength[theirs] else "10-6"
        key = (table["round"], table["table"])
        if table == trouble[0]:  # the winners report it, the others dispute it, the desk rules
            side, other = ("NS", "EW") if strength[ours] < strength[theirs] else ("EW", "NS")
            assert event("score", *key, won, "--side", side)["state"] == "proposed"
            assert event("score", *key, "--side", other, "--dispute", "--why", "it was closer")["state"] == "disputed"
            assert event("score", *key, won, "--why", "both sheets read")["state"] == "settled"
        elif table == trouble[1]:  # written down the wrong way round
            event("score", *key, lost)
            event("correct", *key, won, "--why", "sides mixed up", "--by", "Dana")
        elif table == trouble[2]:  # a no-show
            event("score", *key, "--absent", "EW" if strength[ours] < strength[theirs] else "NS")
        else:
            event("score", *key, won)
    ranked = event("standings")
    assert [line["entrant"] for line in ranked] == names
    assert [line["matches"] for line in ranked] == [str(11 - index) for index in range(12)]
    assert {line["decided_by"] for line in ranked} == {"matches"}
    assert event("audit")["perfect"] is True

    event("status", "close")
    due = {
        "pool": 15000,
        "payouts": [{"entrant": names[index], "cents": (7500, 5000, 2500)[index]} for index in range(3)],
    }
    assert event("payout") == due
    assert event("payout", "--pay") == due
    lines = event.file.read_text().splitlines()
    assert event("payout", "--pay") == due
    assert event.file.read_text().splitlines() == lines, "a prize is paid once"
    [corrected] = [json.loads(line) for line in lines if json.loads(line)["fact"] == "score-corrected"]
    assert corrected["by"] == "Dana"
    assert corrected["data"]["why"] == "sides mixed up"
    assert corrected["data"]["old"] != corrected["data"]["new"]


def test_a_school_cup_of_ten_groups(event: EventFile) -> None:
    """The school-cup sheet: 20 points ÷ 10 match-ups are 2 for each; best two of three; a tenth for each team."""
    event("new", "--rules", "school-cup", "--title", "Law v. Med")
    event("enter", *(f"Law{index}a & Law{index}b" for index in range(10)), "--school", "Law")
    pasted = "\n".join(f"{index + 1}. Med{index}a & Med{index}b (Med)" for index in range(10))
    event("enter", "--from", "-", stdin=pasted)
    drawn = event("pair")
    assert len(drawn) == 10
    for table in drawn:
        assert {name[:3] for name in table["seats"].values()} == {"Law", "Med"}
    for index, table in enumerate(drawn):
        key = (table["round"], table["table"])
        law_first = table["seats"]["N"].startswith("Law")
        law, med = ("NS", "EW") if law_first else ("EW", "NS")
        win, loss = ("10-7", "3-10") if law_first else ("7-10", "10-3")
        if index < 5:  # Law wins five match-ups, two games to one
            event("score", *key, win, loss, win)
        elif index == 5:  # Med does not come: the points go to the school that is there
            event("score", *key, "--absent", med)
        elif index == 6:  # neither side comes: no points
            event("score", *key, "--absent", law, "--absent", med)
        elif index == 7:  # Law claims it, Med disputes, the desk rules for Med
            event("score", *key, win, win, "--side", law)
            event("score", *key, "--side", med, "--dispute")
            event("score", *key, loss, loss, "--why", "the sheets say so")
        elif index == 8:  # entered for Law, corrected for Med
            event("score", *key, win, win)
            event("correct", *key, loss, win, loss, "--why", "games in the wrong columns")
        else:
            event("score", *key, loss, loss)
    schools = event("standings")
    assert [(line["place"], line["entrant"], line["points"]) for line in schools] == [(1, "Law", "13"), (2, "Med", "7")]
    assert sum(Fraction(line["points"]) for line in schools) == 20 + 2 - 2
    assert [line["won"] for line in schools] == ["12", "6"]
    assert [line["participation"] for line in schools] == ["1", "1"]
    assert "13 points: 12 from match-ups, 1 for taking part" in event.says("standings")
    before = len(event.file.read_text().splitlines())
    assert event("standings", "--upto", 24) != schools
    assert len(event.file.read_text().splitlines()) == before
    event("status", "close")
    assert event("payout") == {"pool": 0, "payouts": []}


def test_a_progressive_evening_is_perfect_and_has_a_final(event: EventFile) -> None:
    """Nine players, each with every other; then the best four once more."""
    event("new", "--format", "progressive", "--ties", "points,games,loners,draw")
    event("enter", *(f"P{index}" for index in range(9)))
    drawn = event("pair")
    assert sum("bye" in line for line in drawn) == 9
    assert {line["round"] for line in drawn} == set(range(1, 10))
    for index, line in enumerate(line for line in drawn if "table" in line):
        event(
            "score",
            line["round"],
            line["table"],
            ("10-3", "4-10", "10-9")[index % 3],
            "--loners",
            f"{'NES'[index % 3]}=0",
        )
    assert event("audit")["perfect"] is True
    ranked = event("standings")
    assert sum(line["points"] for line in ranked) == 2 * sum((13, 14, 19)[index % 3] for index in range(18))
    if ranked[3]["place"] == ranked[4]["place"]:
        event("draw-tie", *(line["entrant"] for line in ranked if line["place"] == ranked[3]["place"]))
    four = event("final", "--top", 4, "--best-of", 1)["entrants"]
    last = event("pair")
    assert {name for line in last for name in line["seats"].values()} == set(four)
    assert len(last) == 3


def test_hands_entered_one_by_one_are_scored_by_the_rules(event: EventFile) -> None:
    event("new", "--rules", "club", "--format", "swiss")
    event("enter", "A & B", "C & D")
    event("pair")
    reported = event("score", 1, 1, "--hands", "N5! E2! S3 ^renege:W")
    assert reported["score"] == "11-0"
    [first, _] = event("standings")
    assert (first["loners"], first["euchres"]) == (1, 1)


def test_late_entries_and_leavers_change_only_what_is_to_come(event: EventFile) -> None:
    event("new", "--format", "round-robin")
    event("enter", *"ABCD")
    drawn = event("pair")
    event("score", 1, 1, "10-1")
    event("mark", "withdrawn", "A")
    event("enter", "E")
    again = event("pair", "--redraw", "--why", "E came, A left")
    assert {line["round"] for line in again} >= {2, 3}
    assert [line for line in event("pair", "--show") if line["round"] == 1] == [
        line for line in drawn if line["round"] == 1
    ]
    names = {name for line in again if "seats" in line for name in line["seats"].values()}
    assert "E" in names
    assert "A" not in names
    event("mark", "present", "A")
    assert any(line["entrant"] == "A" and line["points"] in (10, 1, 0) for line in event("standings"))


def test_singles_become_teams_and_bots_fill_a_table(event: EventFile) -> None:
    event("new", "--format", "swiss")
    event("enter", "Ann", "Bob", "Cid", "Dot", "--single")
    teams = event("enter", "--team")
    assert [entrant["name"] for entrant in teams] == ["Ann & Bob", "Cid & Dot"]
    event("enter", "Eve & Fay")
    event("enter", "--bots", 1)
    drawn = event("pair")
    assert len(drawn) == 2
    event("score", 1, 1, "10-4")
    assert len(event("standings")) == 3


def test_csv_goes_in_and_comes_out_without_formulas(event: EventFile, tmp_path: Path, leftbower: Run) -> None:
    """Whatever people are called, a spreadsheet finds text; and what came out can go in again."""
    sheet = tmp_path / "names.csv"
    sheet.write_text('player,partner,school\n=1+1,Bob,Law\n"@SUM(A1)",-Dot,Law\n+Eve,Fay,Med\n')
    event("new", "--format", "swiss")
    entered = event("enter", "--from", sheet)
    assert [entrant["name"] for entrant in entered] == ["=1+1 & Bob", "@SUM(A1) & -Dot", "+Eve & Fay"]
    out = leftbower("tournament", "export", str(event.file), "entrants").stdout
    cells = [cell for row in list(csv.reader(out.splitlines()))[1:] for cell in row]
    assert not [cell for cell in cells if cell.startswith(("=", "+", "-", "@"))]
    assert "'=1+1 & Bob" in cells
    again = tmp_path / "again.csv"
    again.write_text(out)
    other = EventFile(leftbower, tmp_path / "other.jsonl")
    other("new", "--format", "swiss")
    assert [entrant["name"] for entrant in other("enter", "--from", again)] == [entrant["name"] for entrant in entered]


@pytest.mark.parametrize(
    "text",
    [
        "\ufeffName,School\nZoe\u0308 & Bob,Law\nCid & Dot,Med\n",
        "player;partner;club\nZo\u00eb;Bob;Law\nCid;Dot;Med\n",
        "\r\n 1) Zo\u00eb / Bob [Law]\r\n- Cid and Dot (Med)\r\n\r\n",
    ],
)
def test_lists_are_read_as_people_have_them(text: str, event: EventFile, tmp_path: Path) -> None:
    """From a spreadsheet with its marks, with semicolons, or pasted with numbers and dashes."""
    file = tmp_path / ("names.csv" if "Dot;" in text or "," in text else "names.txt")
    file.write_text(text, encoding="utf-8", newline="")
    event("new", "--format", "swiss")
    entered = event("enter", "--from", file)
    assert [(entrant["name"], entrant["school"]) for entrant in entered] == [
        ("Zo\u00eb & Bob", "Law"),
        ("Cid & Dot", "Med"),
    ]


def test_two_long_names_are_one_team(event: EventFile) -> None:
    event("new", "--format", "swiss")
    [team] = event("enter", f"{'A' * 60} & {'B' * 60}")
    assert len(team["name"]) == 123


@pytest.mark.parametrize("what", ["entrants", "pairings", "results", "standings", "payouts", "ledger"])
def test_everything_can_be_exported(what: str, event: EventFile) -> None:
    event("new", "--format", "round-robin", "--prizes", "10,5")
    event("enter", "A", "B", "C")
    event("pair")
    event("score", 1, 1, "10-2")
    text = event.says("export", what)
    assert text.strip()
    if what == "ledger":
        assert [json.loads(line) for line in text.splitlines()] == [
            json.loads(line) for line in event.file.read_text().splitlines()
        ]
    else:
        rows = list(csv.DictReader(text.splitlines()))
        assert event("export", what)
        assert len(rows) == len(event("export", what))


def test_school_cup_second_renege_is_a_penalty_in_the_commands(event: EventFile, refused: Run) -> None:
    """Best of three: a warning, then two points; the next game begins without warnings."""
    event("new", "--rules", "school-cup")
    event("enter", "Ann & Bob (Law)", "Cid & Dot (Medicine)")
    event("pair")
    second, first = "^renege:W ^renege:W N5! N5!", "^renege:W N5! N5! N5"
    short = "tournament", "score", str(event.file), "1", "1", "--hands", second, "--hands", "^renege:W N5! N5!"
    refused(*short, code="bad-score")
    assert event("score", 1, 1, "--hands", second, "--hands", first)["score"] == "10-0, 10-0"
    swapped = event("correct", 1, 1, "--hands", first, "--hands", second, "--why", "games mixed up")
    assert swapped["score"] == "10-0, 10-0"


def test_bad_input_is_named_and_changes_nothing(event: EventFile, refused: Run, tmp_path: Path) -> None:
    """A duplicate name, a score that cannot be, a table that is not playing, and all the rest."""
    event("new", "--format", "round-robin", "--prizes", "10,5")
    event("enter", "Ann & Bob", "Cid & Dot", "Eve & Fay", "Gus & Hal")
    event("pair")
    event("score", 1, 1, "10-2")
    file = str(event.file)
    before = event.file.read_bytes()
    (tmp_path / "bad.csv").write_text("color\nred\n")
    for code, *words in (
        ("duplicate-name", "enter", file, "ann & bob"),
        ("duplicate-name", "enter", file, "New & Cid"),
        ("duplicate-name", "enter", file, "Twice", "twice"),
        ("bad-entry", "enter", file, "x" * 61),
        ("bad-entry", "enter", file),
        ("bad-entry", "enter", file, "--from", str(tmp_path / "bad.csv")),
        ("bad-score", "score", file, "2", "1", "9-8"),
        ("bad-score", "score", file, "2", "1", "11-10"),
        ("bad-score", "score", file, "2", "1", "ten"),
        ("bad-score", "score", file, "2", "1", "--hands", "N6"),
        ("bad-score", "score", file, "2", "1"),
        ("bad-score", "score", file, "2", "1", "--absent", "North"),
        ("not-playing", "score", file, "1", "7", "10-2"),
        ("unknown-round", "score", file, "9", "1", "10-2"),
        ("score-stands", "score", file, "1", "1", "10-3"),
        ("no-score", "correct", file, "2", "1", "10-3", "--why", "x"),
        ("no-score", "score", file, "2", "1", "--side", "NS", "--confirm"),
        ("not-your-table", "score", file, "2", "1", "10-2", "--side", "N"),
        ("bad-usage", "score", file, "2", "1", "10-2", "--confirm"),
        ("unknown-entrant", "mark", file, "present", "Nobody"),
        ("bad-usage", "mark", file, "asleep", "Ann"),
        ("bad-money", "mark", file, "paid", "Ann", "--amount", "5"),
        ("nothing-to-pair", "pair", file),
        ("event-is-open", "payout", file, "--pay"),
        ("bad-usage", "final", file, "--top", "2", "--format", "bridge"),
        ("round-is-on", "final", file, "--top", "2"),
        ("bad-usage", "print", file, "posters"),
        ("file-there", "new", file),
        ("bad-plan", "new", str(tmp_path / "x"), "--rules", "club3"),
        ("bad-plan", "new", str(tmp_path / "x"), "--prizes", "60%,50%"),
        ("bad-usage", "new", str(tmp_path / "x"), "--format", "bridge"),
        ("unreadable-file", "standings", str(tmp_path / "none.jsonl")),
    ):
        refused("tournament", *words, code=code)
        assert event.file.read_bytes() == before
        assert not (tmp_path / "x").exists()


@pytest.mark.parametrize(
    "damage",
    [
        lambda lines: lines[1:],
        lambda lines: [*lines, lines[1]],
        lambda lines: [*lines, "{}"],
        lambda lines: [*lines, "not json"],
        lambda lines: [lines[0].replace("round-robin", "bridge"), *lines[1:]],
        lambda lines: [],
    ],
)
def test_a_damaged_ledger_is_refused_with_its_line(
    damage: Callable[[list[str]], list[str]], event: EventFile, leftbower: Run
) -> None:
    event("new", "--format", "round-robin")
    event("enter", "A", "B")
    event.file.write_text("\n".join(damage(event.file.read_text().splitlines())) + "\n")
    answer = leftbower("tournament", "standings", str(event.file), status=2)
    [sentence] = answer.stderr.splitlines()
    assert sentence.endswith(("[bad-ledger]", "[bad-json]"))
