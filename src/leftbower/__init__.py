"""leftbower: Euchre as your table plays it. The front door; inside, import from the packages themselves."""

from importlib import import_module
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from leftbower.errors import LeftbowerError
    from leftbower.rules import (
        Card,
        HouseRules,
        Incident,
        Irregularity,
        Outcome,
        Rank,
        Ruling,
        Seat,
        Suit,
        announce,
        as_text,
        diff,
        fingerprint,
        from_link,
        from_toml,
        points,
        preset,
        rule_card,
        ruling,
        to_link,
        to_toml,
    )

__all__ = [
    "Card",
    "HouseRules",
    "Incident",
    "Irregularity",
    "LeftbowerError",
    "Outcome",
    "Rank",
    "Ruling",
    "Seat",
    "Suit",
    "announce",
    "as_text",
    "diff",
    "fingerprint",
    "from_link",
    "from_toml",
    "points",
    "preset",
    "rule_card",
    "ruling",
    "to_link",
    "to_toml",
]

_PACKAGES: Final = dict.fromkeys(__all__, "leftbower.rules") | {"LeftbowerError": "leftbower.errors"}


def __getattr__(name: str) -> object:
    """Fetch a public name from its package when it is first asked for, so that the commands start fast."""
    if name == "__version__":
        return import_module("importlib.metadata").version("leftbower")
    if name not in _PACKAGES:
        raise AttributeError(f"leftbower has no {name!r}")
    return getattr(import_module(_PACKAGES[name]), name)
