"""docs/how-it-works/rules.md is correct: compared with the sheets, sentence by sentence, the presets and the code."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

import pytest

from leftbower.rules import Option, Preset, as_text, find_preset, options, presets, rule_card
from leftbower.rules.house import options_by_group
from leftbower.rules.options import Amounts, Number, OneOf, YesNo

pytestmark = pytest.mark.unmeasured

TESTS: Final = Path(__file__).parents[1]
PAGE: Final = (TESTS.parent / "docs" / "how-it-works" / "rules.md").read_text(encoding="utf-8")
SHEETS: Final = ("round-robin", "campus", "school-cup", "prize-night", "club")
COLUMNS: Final = ("standard", *SHEETS)
LONGEST_RUN: Final = 7
"""This many words in a row may match the sheet by chance; one more counts as a copy."""

every_sheet = pytest.mark.parametrize("sheet", SHEETS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One line in the table of a sheet."""

    numbers: tuple[int, ...]
    gist: str
    options: tuple[str, ...]
    """As the page names them, without `common`."""
    common: bool
    read: tuple[str, ...]
    """Those the page marks (r)."""
    tests: tuple[str, ...]


def test_the_splitter_knows_every_form_of_the_sheets() -> None:
    """Headings, bullets, cells, numbered items and wrapped lines are one whole sentence each."""
    text = (
        "\n~A Title~\n\n[bookmark: one]The\u00a0Deal\u00a0 \n"
        "Deal five (5) cards.\u00a0 (or four, in a pinch) Then stop. lower case too.\n"
        "- Say \u201calone.\u201d Say (so.) Or cut off what\n\nwas said.\n - sub: no stop\n"
        "Points\tHow?\t\n20\tBest of 3\n\u2022\tTeam -\t3 or 4\t=\t2\n\tJ of spades\n"
        "1. $75.00 Card\nGAME Except: (1) No partners. (2) No *nines* (or tens)."
    )
    assert sentences(text) == (
        "~A Title~",
        "The Deal",
        "Deal five (5) cards.",
        "(or four, in a pinch)",
        "Then stop.",
        "lower case too.",
        "Say \u201calone.\u201d",
        "Say (so.)",
        "Or cut off what was said.",
        "sub: no stop",
        "Points",
        "How?",
        "20",
        "Best of 3",
        "Team - 3 or 4 = 2",
        "J of spades",
        "$75.00 Card",
        "GAME Except:",
        "(1) No partners.",
        "(2) No nines (or tens).",
    )


@every_sheet
def test_every_sentence_of_a_sheet_has_its_row_or_states_no_rule(sheet: str, shared: Path) -> None:
    """No sentence is missing, duplicated or invented."""
    listed = sorted([number for row in rows(sheet) for number in row.numbers] + stating_no_rule(sheet))
    assert listed == [*range(1, len(sentences(_sheet(shared, sheet))) + 1)]


@every_sheet
def test_the_rows_come_in_the_order_of_the_sheet(sheet: str) -> None:
    """So that a reader can follow along with the sheet."""
    first = [row.numbers[0] for row in rows(sheet)]
    assert first == sorted(first)


@every_sheet
def test_every_row_names_an_option_or_is_common(sheet: str) -> None:
    """A row names existing options, or says that every table plays it that way."""
    for row in rows(sheet):
        assert row.gist
        assert row.options or row.common, row
        assert set(row.options) <= set(options()), row


@every_sheet
def test_every_row_names_tests_that_exist(sheet: str) -> None:
    """A row names existing tests."""
    for row in rows(sheet):
        assert row.tests, row
        assert set(row.tests) <= _test_names(), row


@every_sheet
def test_no_row_names_an_option_on_which_its_sheet_is_silent(sheet: str) -> None:
    """If there is a sentence, the preset marks the option as stated or read."""
    for row in rows(sheet):
        assert set(row.options) <= set(find_preset(sheet).marks), row


@every_sheet
def test_every_option_a_preset_marks_has_its_sentence(sheet: str) -> None:
    """The sheet has a sentence for every option marked as stated or read."""
    named = {name for row in rows(sheet) for name in row.options}
    assert set(find_preset(sheet).marks) == named


@every_sheet
def test_a_row_shows_what_we_interpret(sheet: str) -> None:
    """`(r)` follows an option exactly if the preset explains its reading."""
    readings = find_preset(sheet).readings
    for row in rows(sheet):
        assert set(row.read) == set(row.options) & set(readings), row


def test_the_page_asks_the_questions_of_the_code() -> None:
    """Every option under the heading of its group, with its question, its values and its default."""
    code = {
        str(group): [
            [f"`{option.name}`", option.question, _values(option), _plain(option, option.default)] for option in members
        ]
        for group, members in options_by_group().items()
    }
    parts = re.findall(r"^### ([^\n]+)$(.*?)(?=^##|\Z)", _section("The options"), re.MULTILINE | re.DOTALL)
    assert [heading for heading, _ in parts] == list(code)
    assert {heading: _cells(text, ["option", "question", "values", "default"]) for heading, text in parts} == code


def test_the_page_has_the_values_and_marks_of_the_presets() -> None:
    """Every option with each sheet's value and mark, in the order of the code."""
    code = [
        [f"`{option.name}`", *(_value_and_mark(option, find_preset(sheet)) for sheet in COLUMNS)]
        for option in options().values()
        if option.name != "sheet"
    ]
    assert _tables(["option", *COLUMNS]) == code


def test_three_and_two_play_the_clubs_rules() -> None:
    """The club's smaller games differ from its game for four only in the seats, not in marks or readings."""
    club = find_preset("club")
    for name in ("club3", "club2"):
        small = find_preset(name)
        assert small.marks == club.marks
        assert small.readings == club.readings
        assert [option for option in options() if getattr(small.rules, option) != getattr(club.rules, option)] == [
            "players"
        ]


def test_every_name_on_the_page_is_known() -> None:
    """Everything in code type is an option, a value, a preset, a test or the folder of tests."""
    values = {word for option in options().values() for word in _in_code_type(_values(option))}
    names = {preset.name for preset in presets()}
    known = {*options(), *values, *names, *_test_names(), "common", "tests/"}
    assert set(_in_code_type(PAGE)) - known == set()


@every_sheet
def test_the_page_is_in_our_own_words(sheet: str, shared: Path) -> None:
    """No eight words in a row are from the sheet."""
    assert _runs(PAGE) & _runs(_sheet(shared, sheet)) == set()


@pytest.mark.parametrize("preset", presets(), ids=lambda preset: preset.name)
def test_the_rule_cards_are_in_our_own_words(preset: Preset, shared: Path) -> None:
    """No eight words in a row are from its sheet or any other."""
    card = _runs(as_text(rule_card(preset.rules)))
    for sheet in SHEETS:
        assert card & _runs(_sheet(shared, sheet)) == set(), sheet


def sentences(text: str) -> tuple[str, ...]:
    """The sentences of a sheet in order: row numbers on the page count them from 1.

    A heading, a list item and a table cell count as one each. No sheet has an abbreviation with a period before a
    space, so every such period ends a sentence.
    """
    return tuple(sentence for passage in _passages(text) for sentence in _END.split(passage))


def rows(sheet: str) -> tuple[Row, ...]:
    """The table of a sheet."""
    return tuple(map(_row, _cells(_section(find_preset(sheet).title), ["#", "gist", "option", "test"])))


def stating_no_rule(sheet: str) -> list[int]:
    """The sentences that the page leaves out, with the reason."""
    (line,) = re.findall(r"^States no rule: (.*)\.$", _section(find_preset(sheet).title), re.MULTILINE)
    groups = [re.fullmatch(r"([\d, -]+) \(([^()]+)\)", group) for group in line.split("; ")]
    assert all(groups), line
    return [number for group in groups if group for number in _numbers(group[1])]


_BULLET: Final = re.compile(r"\s*(?:[-•]|\d+\.)\s+")
_END: Final = re.compile(
    r"""(?<=[.!?])\s+            # a full stop
    | (?<=[.!?]["'”’)])\s+       # or one inside quotes or brackets
    | (?<=[a-z]\))\s+(?=[A-Z])   # an aside in brackets that is a sentence without one
    | \s+(?=\(\d\)\ [A-Z])       # before an item of a numbered list that runs on
    """,
    re.VERBOSE,
)


def _passages(text: str) -> list[str]:
    """Paragraphs, headings, list items and cells, with single spaces between words."""
    passages: list[str] = []
    for line in re.sub(r"\[bookmark: \w+\]|\*", "", text).splitlines():
        bullet = _BULLET.match(line)
        for cell in [line[bullet.end() :]] if bullet else line.split("\t"):
            words = " ".join(cell.split())
            if passages and not bullet and words[:1].islower():
                passages[-1] += f" {words}"
            elif words:
                passages.append(words)
    return passages


def _sheet(shared: Path, name: str) -> str:
    return (shared / "sheets" / f"{name}.txt").read_text(encoding="utf-8")


def _section(heading: str) -> str:
    (section,) = re.findall(rf"^## {re.escape(heading)}$(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL)
    assert isinstance(section, str)
    return section


def _cells(text: str, head: list[str]) -> list[list[str]]:
    """The rows of every table with these headings."""
    rows: list[list[str]] = []
    inside = False
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split(" | ")] if line.startswith("|") else []
        if cells and inside:
            rows.append(cells)
        inside = bool(cells) and (inside or cells == head)
    return [cells for cells in rows if set("".join(cells)) - set("-|")]


def _tables(head: list[str]) -> list[list[str]]:
    return _cells(PAGE, head)


def _row(cells: list[str]) -> Row:
    numbers, gist, named, tests = cells
    assert re.fullmatch(r"(?:`\w+`(?: \(r\))?(?:, |$))+", named), named
    assert re.fullmatch(r"(?:`\w+`(?:, |$))+", tests), tests
    names = _in_code_type(named)
    return Row(
        numbers=tuple(_numbers(numbers)),
        gist=gist,
        options=tuple(name for name in names if name != "common"),
        common="common" in names,
        read=tuple(re.findall(r"`(\w+)` \(r\)", named)),
        tests=tuple(_in_code_type(tests)),
    )


def _in_code_type(text: str) -> list[str]:
    return re.findall(r"`([^`]+)`", text)


def _numbers(text: str) -> Iterator[int]:
    """The numbers of `12, 14-16`."""
    for part in text.split(", "):
        first, _, last = part.partition("-")
        yield from range(int(first), int(last or first) + 1)


@cache
def _test_names() -> set[str]:
    return {
        node.name
        for file in TESTS.rglob("test_*.py")
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
    }


def _values(option: Option) -> str:
    match option.domain:
        case OneOf(choices):
            return ", ".join(f"`{choice}`" for choice in choices)
        case YesNo():
            return "yes, no"
        case Number(range() as allowed):
            return f"{allowed[0]} to {allowed[-1]}"
        case Number(allowed):
            return ", ".join(map(str, allowed))
        case Amounts(most, highest):
            return f"up to {most} amounts, 1 to {highest}, none above the one before"
    raise AssertionError(option)


def _plain(option: Option, value: object) -> str:
    match option.domain.write(value):
        case bool() as answer:
            return "yes" if answer else "no"
        case list() as amounts:
            return ", ".join(map(str, amounts)) or "none"
        case int() as number:
            return str(number)
        case word:
            return f"`{word}`"


def _value_and_mark(option: Option, preset: Preset) -> str:
    mark = preset.mark(option.name).value
    return f"{_plain(option, getattr(preset.rules, option.name))} {'*d*' if mark == 'd' else mark}"


def _runs(text: str) -> set[str]:
    """Every run of words that is one word too long."""
    words = re.findall(r"[a-z0-9]+", re.sub(r"['’]", "", text.lower()))
    return {" ".join(words[start : start + LONGEST_RUN + 1]) for start in range(len(words) - LONGEST_RUN)}
