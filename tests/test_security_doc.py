"""docs/server/security.md is true as far as a test can tell: each row is complete, and each test it names exists."""

import ast
import re
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

ROOT: Final = Path(__file__).parents[1]
PAGE: Final = ROOT / "docs" / "server" / "security.md"
HEADER: Final = ["threat", "defense", "test"]
TEST: Final = re.compile(r"`(tests/[\w/]+\.py)::(test_\w+)`")
FEWEST_ROWS: Final = 195
"""The minimum number of promises, so that none is dropped unnoticed."""


class Row(NamedTuple):
    """One line of a threat table."""

    section: str
    threat: str
    defense: str
    tests: str


def rows(text: str) -> list[Row]:
    """The rows of every table headed threat, defense, test; a row with other than three cells is refused."""
    found, section, header = [], "", list[str]()
    for line in text.splitlines():
        if line.startswith("## "):
            section = line.removeprefix("## ")
        if not line.startswith("|"):
            header = []
            continue
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if not header:
            header = cells
        elif header == HEADER and not set("".join(cells)) <= set("-: "):
            assert len(cells) == len(HEADER), line
            found.append(Row(section, *cells))
    return found


@cache
def functions(path: str) -> frozenset[str]:
    """The top-level functions of a file, by parsing it."""
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    return frozenset(node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))


def test_every_row_has_a_threat_a_defense_and_a_test() -> None:
    found = rows(PAGE.read_text(encoding="utf-8"))
    assert len(found) >= FEWEST_ROWS
    for row in found:
        assert all(row), row
        assert TEST.findall(row.tests), row
        assert TEST.sub("", row.tests).replace(",", "").strip() == "", row


def test_every_test_that_is_named_exists() -> None:
    named = [(path, name) for row in rows(PAGE.read_text(encoding="utf-8")) for path, name in TEST.findall(row.tests)]
    missing = [f"{path}::{name}" for path, name in named if not (ROOT / path).exists() or name not in functions(path)]
    assert missing == []


def test_no_threat_stands_there_twice() -> None:
    threats = [row.threat for row in rows(PAGE.read_text(encoding="utf-8"))]
    assert sorted(set(threats)) == sorted(threats)


def test_a_row_that_lacks_a_cell_or_names_no_test_is_seen() -> None:
    head = "## A\n| threat | defense | test |\n|---|---|---|\n"
    [row] = rows(f"{head}| a | b | `tests/test_docs.py::test_x` |\n")
    assert row == Row("A", "a", "b", "`tests/test_docs.py::test_x`")
    assert rows("| actor | can |\n|---|---|\n| a | b |\n") == []
    assert TEST.findall("`tests/test_docs.py` and `test_x`") == []
    assert "test_x" not in functions("tests/test_docs.py")
