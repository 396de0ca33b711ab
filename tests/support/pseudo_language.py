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
    return [text for text in reader.texts if set(_WORD.findall(_outside(text))) - allowed]


def _outside(text: str) -> str:
    """What stands outside of all brackets, which can be nested."""
    depth, letters = 0, []
    for letter in text:
        depth += (letter == OPEN) - (letter == CLOSE)
        letters.append(letter if depth == 0 else " ")
    return "".join(letters)


class _TextReader(HTMLParser):
    """Collects text, block by block, and the attributes that people read or hear."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []
        self._hidden: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.texts += [value for name, value in attrs if name in _ATTRIBUTES and value]
        if tag in _NO_TEXT:
            self._hidden.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if self._hidden and self._hidden[-1] == tag:
            self._hidden.pop()

    def handle_data(self, data: str) -> None:
        if data.strip() and not self._hidden:
            self.texts.append(data.strip())
