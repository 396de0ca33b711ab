"""Measure how hard texts are to read: the Flesch-Kincaid grade of page texts by area and of every page of the docs.

    python scripts/reading_ease.py                 a table: catalogs, docs/, the root, the folders beside src/
    python scripts/reading_ease.py FILE …          only these: Markdown, a catalog, or HTML such as a saved page
    python scripts/reading_ease.py --json          the same as JSON

Exits with status 1 if a text for players or organizers is above its limit. The grade is 0.39 × words per sentence +
11.8 × syllables per word − 15.59. Code blocks, tables and headings are left out; a list item ends a sentence; code in
a sentence counts as one syllable.
"""

import argparse
import json
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from html.parser import HTMLParser
from io import StringIO
from pathlib import Path
from typing import Final

from babel.messages.pofile import read_po

ROOT: Final = Path(__file__).parents[1]
MAX_GRADES: Final = {"docs/play": 8.0, "docs/tournament": 8.0, "src/leftbower/locale": 6.0}
"""The highest grade of the pages in a folder; other folders have none."""

_FENCE: Final = re.compile(r"^ *```.*?^ *```$", re.MULTILINE | re.DOTALL)
_IMAGE: Final = re.compile(r"!\[[^\]]*\]\([^)]*\)")
_LINK: Final = re.compile(r"\[([^\]]+)\]\([^)]*\)")
_CODE: Final = re.compile(r"`[^`]+`")
_ITEM: Final = re.compile(r"^\s*(?:[-*]|\d+\.)\s+")
_NO_PROSE: Final = re.compile(r"^(?:#|\||:::| {4}|$)")
_SENTENCE_END: Final = re.compile(r"(?<=[.!?])[)\"”*]*\s+")
_VALUE: Final = re.compile(r"%\(\w+\)[sdg]")
_WORD: Final = re.compile(r"[A-Za-z]+(?:['’][a-z]+)?")
_VOWELS: Final = re.compile(r"[aeiou]+y(?=er|ing)|[aeiouy]+")
"""One syllable each; player and playing have two."""
_SILENT_END: Final = re.compile(
    r"""[aeiouy][^aeiouy]e$              # score, file
    | [^aeiouylr]e$                      # dance; but not table, euchre
    | [aeiouy][^aeiouysxzcg]es$          # scores; but not pages
    | [^aeiouylrsxzcgh]es$
    | [^aeiouytd]ed$                     # trumped; but not wanted
    """,
    re.VERBOSE,
)
_BLOCKS: Final = frozenset(
    ["p", "li", "h1", "h2", "h3", "h4", "td", "th", "dt", "dd", "button", "label", "option", "div"]
)
_HIDDEN: Final = frozenset(["script", "style", "svg", "code", "pre", "kbd"])


@dataclass(frozen=True, slots=True)
class Ease:
    """The counts of one text."""

    words: int
    sentences: int
    syllables: int

    @property
    def grade(self) -> float:
        """The Flesch-Kincaid grade; 0 without words."""
        if not self.words:
            return 0.0
        return max(0.0, 0.39 * self.words / self.sentences + 11.8 * self.syllables / self.words - 15.59)


def syllables(word: str) -> int:
    """Vowel groups without a silent ending; at least one."""
    lower = word.lower().replace("’", "'").removesuffix("'s")
    count = len(_VOWELS.findall(lower)) - bool(_SILENT_END.search(lower))
    return max(1, count)


def ease(sentences: list[str]) -> Ease:
    """Count words and syllables of sentences that have words."""
    counted = [words for sentence in sentences if (words := _WORD.findall(sentence))]
    every = [word for words in counted for word in words]
    return Ease(len(every), len(counted), sum(map(syllables, every)))


def markdown_sentences(text: str) -> list[str]:
    """The sentences of the prose of a page."""
    return [sentence for passage in _passages(text) for sentence in _SENTENCE_END.split(passage)]


def _passages(text: str) -> Iterator[str]:
    """Paragraphs and list items, as plain words."""
    plain = _CODE.sub("it", _LINK.sub(r"\1", _IMAGE.sub("", _FENCE.sub("", text))))
    passage: list[str] = []
    for line in [*plain.splitlines(), ""]:
        item = _ITEM.match(line)
        if passage and (item or _NO_PROSE.match(line)):
            yield " ".join(passage).replace("**", "").replace("*", "")
            passage = []
        if item:
            passage = [line[item.end() :]]
        elif not _NO_PROSE.match(line):
            passage.append(line.strip())


class _Text(HTMLParser):
    """The text of a page, a passage for each block."""

    def __init__(self) -> None:
        super().__init__()
        self.passages = [""]
        self._hidden = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._hidden += tag in _HIDDEN
        if tag in _BLOCKS:
            self.passages.append("")

    def handle_endtag(self, tag: str) -> None:
        self._hidden -= tag in _HIDDEN
        if tag in _BLOCKS:
            self.passages.append("")

    def handle_data(self, data: str) -> None:
        if not self._hidden:
            self.passages[-1] += data


def html_sentences(text: str) -> list[str]:
    """The sentences of a page; a button, a label and a cell are one each."""
    parser = _Text()
    parser.feed(text)
    return [sentence for passage in parser.passages for sentence in _SENTENCE_END.split(" ".join(passage.split()))]


def catalog_sentences(text: str) -> list[str]:
    """The sentences of the texts in a catalog; a label is one, and a value is a short word."""
    catalog = read_po(StringIO(text))
    texts = [_VALUE.sub("it", form) for message in catalog for form in message.id if isinstance(message.id, tuple)]
    texts += [_VALUE.sub("it", message.id) for message in catalog if isinstance(message.id, str)]
    return [sentence for each in texts for sentence in html_sentences(each)]


_SENTENCES: Final = {".html": html_sentences, ".md": markdown_sentences, ".pot": catalog_sentences}


def measure(path: Path) -> Ease:
    """The counts of one file."""
    return ease(_SENTENCES[path.suffix](path.read_text(encoding="utf-8")))


def limit(name: str) -> float | None:
    """The highest grade that a page may have."""
    return next((grade for folder, grade in MAX_GRADES.items() if name.startswith(f"{folder}/")), None)


def main() -> None:
    """Print the grades; exit with status 1 if one is above its limit."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("files", nargs="*", type=Path, metavar="FILE", help="only these")
    parser.add_argument("--json", action="store_true", help="print JSON")
    options = parser.parse_args()
    pages = [
        *ROOT.glob("src/leftbower/locale/*.pot"),
        *ROOT.glob("*.md"),
        *ROOT.glob("[a-z]*/README.md"),
        *(ROOT / "docs").rglob("*.md"),
    ]
    paths = options.files or sorted(pages)
    if unreadable := [str(path) for path in paths if not path.is_file()]:
        parser.error(f"no such file: {', '.join(unreadable)}")
    names = [
        path.resolve().relative_to(ROOT).as_posix() if path.resolve().is_relative_to(ROOT) else str(path)
        for path in paths
    ]
    grades = {name: measure(path) for name, path in zip(names, paths, strict=True)}
    if options.json:
        shape = {
            name: {
                "words": each.words,
                "sentences": each.sentences,
                "grade": round(each.grade, 1),
                "limit": limit(name),
            }
            for name, each in grades.items()
        }
        print(json.dumps(shape, indent=2))
    else:
        print(f"{'':<40}{'words':>8}{'sentences':>11}{'grade':>7}{'limit':>7}")
        for name, each in grades.items():
            highest = limit(name)
            print(f"{name:<40}{each.words:>8,}{each.sentences:>11,}{each.grade:>7.1f}{highest or '':>7}")
    sys.exit(any(each.grade > (limit(name) or each.grade) for name, each in grades.items()))


if __name__ == "__main__":
    main()
