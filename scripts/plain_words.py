"""Measure how plain the code's words are: stilted words per 1,000 words, and empty names.

    python scripts/plain_words.py            rates of every folder, and numbers of refused names
    python scripts/plain_words.py --list     every location
    python scripts/plain_words.py --json     the same as JSON
    python scripts/plain_words.py FOLDER …   only these

Exits with status 1 if a rate is too high or a name is refused. Words are counted in identifiers, docstrings, comments,
string literals that hold a sentence, the text of templates, and the pages of the documentation (docs).
"""

import argparse
import ast
import io
import json
import re
import sys
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[1]
SOURCE: Final = ROOT / "src" / "leftbower"
MEASURED: Final = {
    **{path.name: path for path in sorted(SOURCE.iterdir()) if (path / "__init__.py").exists()},
    **{name: ROOT / name for name in ("benchmarks", "proofs", "training", "scripts", "tests")},
}
"""Every folder of code by its name."""
DOCUMENTATION: Final = "docs"
"""The name for all Markdown pages, including those next to the code."""
STILTED: Final = ("whoever", "somebody", "nobody", "everybody", "anew", "put right", "so many", "the own")
"""Words and phrases that engineers do not search for."""
LIMIT_PER_1000: Final = 0.5
EMPTY_NAMES: Final = frozenset(["told", "kept", "made", "seen", "shown", "given", "gone", "here", "one", "many"])
"""Words that say nothing about what a variable, function or constant holds."""

_STILTED: Final = re.compile(rf"\b({'|'.join(phrase.replace(' ', r'[ _]+') for phrase in STILTED)})\b", re.IGNORECASE)
_TERMS: Final = re.compile(r"nobody[ _]calls", re.IGNORECASE)
"""Words of the game: an option of house rules."""
_WORD: Final = re.compile(r"[A-Za-z]+(?:'[a-z]+)?")
_CAMEL: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_TAG: Final = re.compile(r"<[^>]*>|\{#|#\}|\{%.*?%\}|\{\{.*?\}\}", re.DOTALL)


@dataclass
class Measure:
    """The counts of one folder."""

    words: int = 0
    stilted: list[tuple[str, str]] = field(default_factory=list)
    """Each location and the phrase there."""
    refused: list[tuple[str, str]] = field(default_factory=list)
    """Each location and the name there."""

    @property
    def per_1000(self) -> float:
        """Stilted phrases per 1,000 words."""
        return 1000 * len(self.stilted) / self.words if self.words else 0.0


def prose(source: str) -> Iterator[tuple[int, str]]:
    """Identifiers as words, comments, docstrings and sentences in strings, each with its line."""
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        line = token.start[0]
        if token.type == tokenize.NAME:
            yield line, _CAMEL.sub(" ", token.string).replace("_", " ")
        elif token.type == tokenize.COMMENT or (token.type == tokenize.STRING and " " in token.string):
            yield line, token.string


def bound_names(source: str) -> Iterator[tuple[int, str]]:
    """Every name that a module binds: functions, parameters, variables, attributes, constants, aliases."""
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                yield node.lineno, name
            case ast.arg(arg=name):
                yield node.lineno, name
            case ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()):
                yield node.lineno, name
            case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
                yield node.lineno, name
            case ast.alias(asname=str(name)):
                yield 0, name


def measure(folder: Path) -> Measure:
    """Count every Python file and template below a folder."""
    counted = Measure()
    for path in sorted(folder.rglob("*.py")):
        if path.resolve() == Path(__file__).resolve():
            continue  # it names the words it looks for
        source = path.read_text(encoding="utf-8")
        location = path.relative_to(ROOT).as_posix()
        for line, text in prose(source):
            _count(counted, f"{location}:{line}", text)
        for line, name in bound_names(source):
            if name.strip("_").lower() in EMPTY_NAMES:
                counted.refused.append((f"{location}:{line}", name))
    for path in sorted([*folder.rglob("*.html"), *folder.rglob("*.mjs")]):
        _count(counted, path.relative_to(ROOT).as_posix(), _TAG.sub(" ", path.read_text(encoding="utf-8")))
    return counted


def measure_documentation() -> Measure:
    """Count every page under docs/, and the Markdown files in the root and next to the code."""
    counted = Measure()
    for path in sorted([*ROOT.glob("*.md"), *ROOT.glob("*/README.md"), *(ROOT / "docs").rglob("*.md")]):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
            _count(counted, f"{path.relative_to(ROOT).as_posix()}:{number}", line)
    return counted


def _count(counted: Measure, location: str, text: str) -> None:
    counted.words += len(_WORD.findall(text))
    counted.stilted += [(location, phrase) for phrase in _STILTED.findall(_TERMS.sub("", text))]


def main() -> None:
    """Print the rates; exit with status 1 if one of them is too high."""
    parser = argparse.ArgumentParser(
        description=__doc__,
        epilog=f"Folders: {', '.join([*MEASURED, DOCUMENTATION])}.",
        formatter_class=argparse.RawTextHelpFormatter,
    )
    parser.add_argument("folders", nargs="*", metavar="FOLDER", help="only these")
    parser.add_argument("--list", action="store_true", help="print every location")
    parser.add_argument("--json", action="store_true", help="print JSON")
    options = parser.parse_args()
    if unknown := [name for name in options.folders if name not in {*MEASURED, DOCUMENTATION}]:
        parser.error(f"no such folder: {', '.join(unknown)}")
    rates = {
        name: measure_documentation() if name == DOCUMENTATION else measure(MEASURED[name])
        for name in options.folders or [*MEASURED, DOCUMENTATION]
    }
    if options.json:
        shape = {
            name: {"words": each.words, "per_1000": round(each.per_1000, 2), "refused": len(each.refused)}
            for name, each in rates.items()
        }
        print(json.dumps(shape, indent=2))
    else:
        _print(rates, listed=options.list)
    sys.exit(any(each.per_1000 > LIMIT_PER_1000 or each.refused for each in rates.values()))


def _print(rates: dict[str, Measure], *, listed: bool) -> None:
    if listed:
        for each in rates.values():
            for location, what in [*each.stilted, *each.refused]:
                print(f"{location}: {what}")
    print(f"{'':<12}{'words':>9}{'stilted':>9}{'per 1,000':>11}{'refused names':>15}")
    for name, each in rates.items():
        print(f"{name:<12}{each.words:>9,}{len(each.stilted):>9}{each.per_1000:>11.2f}{len(each.refused):>15}")


if __name__ == "__main__":
    main()
