"""How pages look and sound to one person: a few words in a cookie, so that it holds without script, from the start."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

COOKIE: Final = "leftbower-look"


@dataclass(frozen=True, slots=True)
class Option:
    """One thing that everybody may have as they like."""

    name: str
    question: str
    choices: tuple[tuple[str, str], ...]
    """Each by its word, which is also the class that pages have for it; the first is the usual one."""


OPTIONS: Final = (
    Option("theme", "Light or dark?", (("auto", "As the device"), ("dark", "Dark"), ("light", "Light"))),
    Option("suits", "How many colours?", (("two", "Two"), ("four", "Four: one for each suit"))),
    Option("cards", "How large are the cards?", (("usual", "As usual"), ("large", "Large"))),
    Option("guard", "How is a card played?", (("guard", "First tap lifts, second plays"), ("swift", "One tap"))),
    Option("sound", "A sound when it is your turn?", (("sound", "Yes"), ("quiet", "No"))),
)


def look_of(cookie: str) -> frozenset[str]:
    """The words of a look that mean something, and are not the usual ones anyway."""
    known = {word for option in OPTIONS for word, _ in option.choices[1:]}
    return frozenset(known.intersection(cookie[:80].split(".")))


def look_from(form: Mapping[str, str]) -> str:
    """What a form chose, for the cookie."""
    return ".".join(sorted(look_of(".".join(form.get(option.name, "") for option in OPTIONS))))
