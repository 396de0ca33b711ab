"""The presets: Standard, and five sheets with what each states, what we interpret, and where it is silent."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches
from enum import Enum
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import Any, Final

from leftbower.errors import UnknownRules
from leftbower.i18n import gettext as _, holds_texts
from leftbower.rules.choices import Sheet
from leftbower.rules.house import HouseRules


class Mark(Enum):
    """The source of an option's value."""

    STATED = "S"
    """The sheet states it."""
    READ = "r"
    """The sheet says something, and we interpret it."""
    SILENT = "d"
    """The sheet is silent, so we use the default."""
    CHANGED = "changed"
    """The table changed it."""
    OWN = "own"
    """The table doesn't start from a sheet."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """A rule that we interpret: the gist of the sheet, and our reading of it."""

    says: str
    means: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Preset:
    """One sheet, for one number of players."""

    name: str
    title: str
    about: str
    rules: HouseRules
    marks: Mapping[str, Mark]
    """The mark of each option on which the sheet isn't silent."""
    readings: Mapping[str, Reading]
    unstated: frozenset[str] = frozenset()
    """Common rules that this sheet leaves out."""

    def mark(self, option: str) -> Mark:
        """What the sheet says about an option."""
        return self.marks.get(option, Mark.SILENT)


DEFAULT_RULES: Final = "standard"
"""The preset to play with."""
PRESET_NAMES: Final = (DEFAULT_RULES, "round-robin", "campus", "school-cup", "prize-night", "club", "club3", "club2")


def presets() -> tuple[Preset, ...]:
    """All presets: Standard, the five sheets, then the club's games for three and two."""
    return tuple(map(_load, PRESET_NAMES))


def find_preset(name: str) -> Preset:
    """The preset with this name; the error suggests one."""
    if name not in PRESET_NAMES:
        near = get_close_matches(name.lower()[:40], PRESET_NAMES, n=1)
        if near:
            raise UnknownRules(
                "there are no rules called '%(name)s'; did you mean %(near)s?", name=name[:40], near=near[0]
            )
        names = ", ".join(PRESET_NAMES)
        raise UnknownRules(
            "there are no rules called '%(name)s'; the presets are %(names)s", name=name[:40], names=names
        )
    return _load(name)


def preset(name: str, *, players: int | None = None) -> HouseRules:
    """The rules of a preset, for its own number of players or another."""
    rules = find_preset(name).rules
    return rules if players is None else replace(rules, players=players)


def base_preset(rules: HouseRules) -> Preset | None:
    """The preset these rules start from, for their number of players if the sheet has such a game."""
    if rules.sheet is Sheet.OWN:
        return None
    name = f"{rules.sheet}{rules.players}"
    return _load(name if name in PRESET_NAMES else str(rules.sheet))


def mark(rules: HouseRules, option: str) -> Mark:
    """The source of the value of an option in these rules."""
    base = base_preset(rules)
    if base is None:
        return Mark.OWN
    if getattr(rules, option) != getattr(base.rules, option):
        return Mark.CHANGED
    return base.mark(option)


@holds_texts
@cache
def _load(name: str) -> Preset:
    text = files(__package__).joinpath("presets", f"{name}.toml").read_text(encoding="utf-8")
    page = tomllib.loads(text)
    stated: dict[str, Any] = page["stated"]
    read: dict[str, Any] = page.get("read", {})
    plays = {option: reading["plays"] for option, reading in read.items() if "plays" in reading}
    like = _load(page["like"]) if "like" in page else None
    rules = replace(like.rules if like else HouseRules(sheet=Sheet(name)), **stated, **plays)
    marks = dict.fromkeys(stated, Mark.STATED) | dict.fromkeys(plays, Mark.READ)
    readings = {
        option: Reading(**{part: _(reading[part]) for part in ("says", "means")}) for option, reading in read.items()
    }
    title, about = map(_, (page["title"], page["about"]))
    return Preset(
        name=name,
        title=title,
        about=about,
        rules=rules,
        marks=MappingProxyType((dict(like.marks) if like else {}) | marks),
        readings=MappingProxyType((dict(like.readings) if like else {}) | readings),
        unstated=frozenset(page.get("unstated", ())) | (like.unstated if like else frozenset()),
    )
