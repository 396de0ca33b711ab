"""The recipes of CONTRIBUTING.md work: each is followed in a copy of the checkout, and its commands must succeed."""

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path
from textwrap import dedent

import pytest

REPOSITORY = Path(__file__).parents[1]
PAGE = (REPOSITORY / "CONTRIBUTING.md").read_text(encoding="utf-8")
RECIPES = dict(re.findall(r"^## (.+?)\n(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL))
MAX_STEPS = 10
COPIED = ("src", "tests", "docs", "README.md", "CONTRIBUTING.md", "pyproject.toml")


@dataclass(frozen=True)
class Edit:
    """A block of a recipe: lines that go into a file, next to the first line that contains a text, or a new file."""

    path: str
    side: str
    """`after`, `before`, or empty for a new file."""
    anchor: str
    text: str

    def make(self, checkout: Path) -> None:
        """Insert the lines; a missing anchor fails the test."""
        path = checkout / self.path
        if not self.side:
            assert not path.exists(), f"{self.path} is there already"
            path.write_text(self.text, encoding="utf-8")
            return
        lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
        index = next((number for number, line in enumerate(lines) if self.anchor in line), None)
        assert index is not None, f"{self.path} has no line with {self.anchor!r}"
        lines.insert(index + (self.side == "after"), self.text)
        path.write_text("".join(lines), encoding="utf-8")


def blocks(recipe: str) -> list[tuple[str, str]]:
    """The fenced blocks of a recipe, each with its language."""
    fenced = re.findall(r"^ *```(\w+)\n(.*?)^ *```$", recipe, re.MULTILINE | re.DOTALL)
    return [(language, _unindent(body)) for language, body in fenced]


def _unindent(body: str) -> str:
    """Remove the indentation of the list item, which is that of the first line."""
    indent = len(body) - len(body.lstrip(" "))
    return "".join(line[indent:] if line.strip() else "\n" for line in body.splitlines(keepends=True))


def edits(recipe: str) -> list[Edit]:
    """The edits of a recipe, in order."""
    changes = []
    for language, body in blocks(recipe):
        if language != "console":
            first, _, text = body.partition("\n")
            location = re.fullmatch(r"# (\S+?)(?:, (after|before): (.+))?", first)
            assert location, f"the first line must say where the block goes: {first}"
            changes.append(Edit(location[1], location[2] or "", location[3] or "", text))
    return changes


def commands(recipe: str) -> list[tuple[dict[str, str], list[str]]]:
    """Each command of a recipe, run by this interpreter, with its environment variables."""
    lines = [line for language, body in blocks(recipe) if language == "console" for line in body.splitlines()]
    return [_command(line.removeprefix("$ ")) for line in lines]


def _command(line: str) -> tuple[dict[str, str], list[str]]:
    words = re.findall(r'"[^"]*"|\S+', line)
    variables = dict(word.split("=", 1) for word in takewhile(lambda word: "=" in word, words))
    program, *arguments = words[len(variables) :]
    start = {"python": [sys.executable], "leftbower": [sys.executable, "-m", "leftbower"]}[program]
    return variables, start + [argument.strip('"') for argument in arguments]


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A copy of the files that the recipes change, with the rule sheets if we have them."""
    copy = tmp_path / "checkout"
    for name in COPIED:
        source = REPOSITORY / name
        if source.is_dir():
            shutil.copytree(source, copy / name, ignore=shutil.ignore_patterns("__pycache__", "images"))
        else:
            shutil.copy(source, copy / name)
    for name in ("benchmarks", "proofs", "training"):
        (copy / name).symlink_to(REPOSITORY / name)
    if (shared := REPOSITORY.parent / "shared").exists():
        (tmp_path / "shared").symlink_to(shared)
    return copy


def test_there_are_four_recipes_of_at_most_ten_steps() -> None:
    assert list(RECIPES) == ["Add a rule option", "Add a tournament format", "Add a page", "Write a bot"]
    for recipe in RECIPES.values():
        assert 0 < len(re.findall(r"^\d+\. ", recipe, re.MULTILINE)) <= MAX_STEPS
        assert edits(recipe)
        assert commands(recipe)


def test_a_format_takes_one_file_and_its_lines_in_the_registry() -> None:
    """Nothing else in `src` changes; everything else that lists formats reads the registry."""
    changed = [edit for edit in edits(RECIPES["Add a tournament format"]) if edit.path.startswith("src/")]
    formats = "src/leftbower/tournament/formats"
    assert [edit.path for edit in changed if not edit.side] == [f"{formats}/ladder.py"]
    assert {edit.path for edit in changed if edit.side} == {f"{formats}/registry.py"}
    assert [edit.text.count("\n") for edit in changed if edit.side] == [1, 1]


@pytest.mark.unmeasured
@pytest.mark.parametrize("title", RECIPES)
def test_a_recipe_works_when_it_is_followed(title: str, checkout: Path) -> None:
    for edit in edits(RECIPES[title]):
        edit.make(checkout)
    changed = [edit.path for edit in edits(RECIPES[title]) if edit.path.endswith(".py")]
    style = [[sys.executable, "-m", "ruff", *check, *changed] for check in (["format"], ["check"])]
    environment = {**os.environ, "PYTHONPATH": str(checkout / "src"), "PYTEST_ADDOPTS": "-p no:cacheprovider"}
    for variables, command in [*(({}, check) for check in style), *commands(RECIPES[title])]:
        finished = subprocess.run(
            command, cwd=checkout, env=environment | variables, capture_output=True, text=True, timeout=600, check=False
        )
        assert finished.returncode == 0, dedent(f"{command}\n{finished.stdout[-3000:]}\n{finished.stderr[-2000:]}")


def test_an_edit_that_does_not_fit_fails(checkout: Path) -> None:
    """A recipe that is out of date is noticed, not skipped."""
    with pytest.raises(AssertionError, match="no line with"):
        Edit("src/leftbower/rules/house.py", "after", "a line that is not there", "x = 1\n").make(checkout)
    with pytest.raises(AssertionError, match="there already"):
        Edit("src/leftbower/rules/house.py", "", "", "x = 1\n").make(checkout)
