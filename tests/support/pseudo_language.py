"""A pseudo-language that puts every translated text into brackets, and a search for text without them."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from gettext import NullTranslations
from html.parser import HTMLParser

from leftbower.i18n import install

OPEN, CLOSE = "⟦", "⟧"
_ATTRIBUTES = frozenset(["title", "aria-label", "placeholder", "alt"])
_NO_TEXT = frozenset(["script", "style", "code", "kbd", "svg", "pre"])
_WORD = re.compile(r"[A-Za-z]{2,}")
_ADDRESS = re.compile(r"https?://\S+")


class PseudoLanguage(NullTranslations):
    """Translates a text to itself in brackets."""

    def gettext(self, message: str) -> str:
        return f"{OPEN}{message}{CLOSE}"

    def ngettext(self, msgid1: str, msgid2: str, n: int) -> str:
        return f"{OPEN}{msgid1 if n == 1 else msgid2}{CLOSE}"

    def pgettext(self, context: str, message: str) -> str:
        return f"{OPEN}{message}{CLOSE}"


@contextmanager
def pseudo_language() -> Iterator[None]:
    """Install the pseudo-language for a while."""
    previous = install(PseudoLanguage())
    try:
        yield
    finally:
        install(previous)


def untranslated(html: str, allowed: frozenset[str] = frozenset()) -> list[str]:
    """Visible texts with a word outside of brackets, other than the `allowed` ones, such as people's names."""
    reader = _TextReader()
    reader.feed(html)
    return [text for text, outside in reader.texts if set(_WORD.findall(outside)) - allowed]


def _outside(text: str, depth: int = 0) -> tuple[str, int]:
    """What stands outside of all brackets, which can be nested, and how many are open at the end."""
    letters = []
    for letter in text:
        depth += (letter == OPEN) - (letter == CLOSE)
        letters.append(letter if depth == 0 else " ")
    return "".join(letters), depth


class _TextReader(HTMLParser):
    """Collects text, block by block, and attributes that people read or hear, each with its part outside of brackets.

    A text with markup has its brackets in different blocks, so open brackets carry over to the next block.
    """

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[tuple[str, str]] = []
        self._hidden: list[str] = []
        self._depth = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.texts += [(value, _outside(value)[0]) for name, value in attrs if name in _ATTRIBUTES and value]
        if tag in _NO_TEXT:
            self._hidden.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if self._hidden and self._hidden[-1] == tag:
            self._hidden.pop()

    def handle_data(self, data: str) -> None:
        if data.strip() and not self._hidden:
            outside, self._depth = _outside(_ADDRESS.sub("", data), self._depth)
            self.texts.append((data.strip(), outside))
