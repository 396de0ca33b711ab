"""Appearance and sound of the pages, stored as CSS class names in a cookie, so that they work without script."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

PREFERENCES_COOKIE: Final = "leftbower-preferences"


@dataclass(frozen=True, slots=True)
class Preference:
    name: str
    question: str
    choices: tuple[tuple[str, str], ...]
    """CSS class and label of each choice; the first is the default."""


PREFERENCES: Final = (
    Preference("theme", "Light or dark?", (("auto", "As the device"), ("dark", "Dark"), ("light", "Light"))),
    Preference("suits", "How many colors?", (("two", "Two"), ("four", "Four: one for each suit"))),
    Preference("cards", "How large are the cards?", (("usual", "As usual"), ("large", "Large"))),
    Preference("guard", "How is a card played?", (("guard", "First tap lifts, second plays"), ("swift", "One tap"))),
    Preference("sound", "A sound when it is your turn?", (("sound", "Yes"), ("quiet", "No"))),
)


def parse_preferences(cookie: str) -> frozenset[str]:
    """The valid choices in a cookie that are not defaults, as CSS classes."""
    choices = {choice for preference in PREFERENCES for choice, _ in preference.choices[1:]}
    return frozenset(choices.intersection(cookie[:80].split(".")))


def preferences_cookie(form: Mapping[str, str]) -> str:
    """The cookie's value for the choices in a form."""
    return ".".join(sorted(parse_preferences(".".join(form.get(preference.name, "") for preference in PREFERENCES))))
