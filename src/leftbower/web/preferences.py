"""Appearance and sound of the pages, stored as CSS class names in a cookie, so that they work without script."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from leftbower.i18n import N_

_MAX_COOKIE_LENGTH: Final = 160
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
    Preference(
        "felt",
        N_("Table"),
        (
            ("felt-clubhouse", N_("Clubhouse")),
            ("felt-lake", N_("Lake night")),
            ("felt-barn", N_("Red barn")),
            ("felt-harvest", N_("Harvest")),
            ("felt-slate", N_("Slate")),
        ),
    ),
    Preference(
        "card-back",
        N_("Card backs"),
        (
            ("back-felt", N_("Of the table")),
            ("back-lattice", N_("Lattice")),
            ("back-waves", N_("Waves")),
            ("back-star", N_("Quilt star")),
            ("back-wheat", N_("Wheat")),
            ("back-gingham", N_("Gingham")),
        ),
    ),
    Preference("suits", N_("Suit colors"), (("two", N_("Two colors")), ("four", N_("Four colors, one for each suit")))),
    Preference("cards", N_("Card size"), (("usual", N_("Normal")), ("large", N_("Large")))),
    Preference("guard", N_("Play a card with"), (("guard", N_("Two taps: pick, then play")), ("swift", N_("One tap")))),
    Preference(
        "speed",
        N_("Speed of the game"),
        (("speed-normal", N_("Normal")), ("speed-relaxed", N_("Relaxed")), ("speed-fast", N_("Fast"))),
    ),
    Preference(
        "volume", N_("Sounds"), (("volume-full", N_("On")), ("volume-low", N_("Quiet")), ("volume-off", N_("Off")))
    ),
)


def parse_preferences(cookie: str) -> frozenset[str]:
    """The valid choices in a cookie that are not defaults, as CSS classes."""
    choices = {choice for preference in PREFERENCES for choice, label in preference.choices[1:]}
    return frozenset(choices.intersection(cookie[:_MAX_COOKIE_LENGTH].split(".")))


def preferences_cookie(form: Mapping[str, str]) -> str:
    """The cookie's value for the choices in a form."""
    return ".".join(sorted(parse_preferences(".".join(form.get(preference.name, "") for preference in PREFERENCES))))
