"""Appearance and sound of the pages, stored as CSS class names in a cookie, so that they work without script."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from leftbower.i18n import gettext_noop as _

PREFERENCES_COOKIE: Final = "leftbower-preferences"


@dataclass(frozen=True, slots=True)
class Preference:
    name: str
    question: str
    choices: tuple[tuple[str, str], ...]
    """CSS class and label of each choice; the first is the default."""


PREFERENCES: Final = (
    Preference(
        "theme", _("Light or dark?"), (("auto", _("Same as my device")), ("dark", _("Dark")), ("light", _("Light")))
    ),
    Preference("suits", _("Suit colors"), (("two", _("Two colors")), ("four", _("Four colors, one for each suit")))),
    Preference("cards", _("Card size"), (("usual", _("Normal")), ("large", _("Large")))),
    Preference("guard", _("Play a card with"), (("guard", _("Two taps: pick, then play")), ("swift", _("One tap")))),
    Preference("sound", _("Sound on your turn"), (("sound", _("On")), ("quiet", _("Off")))),
)


def parse_preferences(cookie: str) -> frozenset[str]:
    """The valid choices in a cookie that are not defaults, as CSS classes."""
    choices = {choice for preference in PREFERENCES for choice, label in preference.choices[1:]}
    return frozenset(choices.intersection(cookie[:80].split(".")))


def preferences_cookie(form: Mapping[str, str]) -> str:
    """The cookie's value for the choices in a form."""
    return ".".join(sorted(parse_preferences(".".join(form.get(preference.name, "") for preference in PREFERENCES))))
