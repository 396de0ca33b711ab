"""Appearance and sound of the pages, stored as CSS class names in a cookie, so that they work without script."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from leftbower.i18n import N_

PREFERENCES_COOKIE: Final = "leftbower-preferences"


@dataclass(frozen=True, slots=True)
class Preference:
    name: str
    question: str
    choices: tuple[tuple[str, str], ...]
    """CSS class and label of each choice; the first is the default."""


PREFERENCES: Final = (
    Preference(
        "theme", N_("Light or dark?"), (("auto", N_("Same as my device")), ("dark", N_("Dark")), ("light", N_("Light")))
    ),
    Preference("suits", N_("Suit colors"), (("two", N_("Two colors")), ("four", N_("Four colors, one for each suit")))),
    Preference("cards", N_("Card size"), (("usual", N_("Normal")), ("large", N_("Large")))),
    Preference("guard", N_("Play a card with"), (("guard", N_("Two taps: pick, then play")), ("swift", N_("One tap")))),
    Preference("sound", N_("Sound on your turn"), (("sound", N_("On")), ("quiet", N_("Off")))),
)


def parse_preferences(cookie: str) -> frozenset[str]:
    """The valid choices in a cookie that are not defaults, as CSS classes."""
    choices = {choice for preference in PREFERENCES for choice, label in preference.choices[1:]}
    return frozenset(choices.intersection(cookie[:80].split(".")))


def preferences_cookie(form: Mapping[str, str]) -> str:
    """The cookie's value for the choices in a form."""
    return ".".join(sorted(parse_preferences(".".join(form.get(preference.name, "") for preference in PREFERENCES))))
