"""A pseudo-language that puts every translated text into brackets, and a search for text without them."""

import re
from collections.abc import Iterator, Sequence
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
    phrases = [name for name in allowed if " " in name]
    return [text for text, outside in reader.texts if set(_WORD.findall(_without(outside, phrases))) - allowed]


def _without(text: str, phrases: Sequence[str]) -> str:
    for phrase in phrases:
        text = text.replace(phrase, "")
    return text


class _TextReader(HTMLParser):
    """Collects text, and the attributes that people read or hear, each with its part outside of all brackets.

    Brackets can be nested, and those of a text with markup are in different elements.
    """

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[tuple[str, str]] = []
        self._hidden: list[str] = []
        self._depth = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name in _ATTRIBUTES and value:
                self.texts.append((value, _outside(value, 0)[0]))
        if tag in _NO_TEXT:
            self._hidden.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if self._hidden and self._hidden[-1] == tag:
            self._hidden.pop()

    def handle_data(self, data: str) -> None:
        outside, self._depth = _outside(data, self._depth)
        if data.strip() and not self._hidden:
            self.texts.append((data.strip(), outside))


def _outside(text: str, depth: int) -> tuple[str, int]:
    """The text outside of brackets and addresses, and how many brackets are open after it; before it `depth` are."""
    letters = []
    for letter in text:
        depth += (letter == OPEN) - (letter == CLOSE)
        letters.append(letter if depth == 0 else " ")
    return _ADDRESS.sub("", "".join(letters)), depth
