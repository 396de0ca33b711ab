"""Formats of a rule set: JSON, TOML for people, a link, a fingerprint."""

import base64
import hashlib
import json
import re
import tomllib
from collections.abc import Mapping
from dataclasses import replace
from difflib import get_close_matches
from functools import lru_cache
from typing import Any, Final

from leftbower.errors import BadLink, BadOption, BadToml, ImpossibleRules, TooLarge, UnknownOption
from leftbower.i18n import gettext
from leftbower.rules.choices import Sheet
from leftbower.rules.house import HouseRules, options
from leftbower.rules.link import decode_link, encode_link, is_link
from leftbower.rules.sheets import preset

MAX_TOML_LINE_CHARACTERS: Final = 1000
MAX_TOML_CHARACTERS: Final = 64 * 1024
"""The longest real rules file has about 8,000."""


def to_json(rules: HouseRules) -> dict[str, object]:
    """Every option with its value, as JSON and TOML types."""
    return {name: option.domain.write(getattr(rules, name)) for name, option in options().items()}


def from_json(plain: Mapping[str, object]) -> HouseRules:
    """Parse the output of `to_json`; a missing option has its default."""
    return replace(HouseRules(), **_read(plain))


def to_toml(rules: HouseRules) -> str:
    """The rules as a small file: the sheet they start from, and the table's changes."""
    base = _start(rules.sheet)
    lines = [f'sheet = "{rules.sheet}"']
    for name, option in options().items():
        value = getattr(rules, name)
        if value != getattr(base, name):
            lines += ["", f"# {gettext(option.question)}", f"{name} = {json.dumps(option.domain.write(value))}"]
    return "\n".join(lines) + "\n"


def from_toml(text: str) -> HouseRules:
    """Parse a TOML file: its sheet, with the changes it states."""
    if len(text) > MAX_TOML_CHARACTERS:
        raise TooLarge(
            "the rules file has %(length)s characters, but may have at most %(limit)s",
            length=f"{len(text):,}",
            limit=f"{MAX_TOML_CHARACTERS:,}",
        )
    if max(map(len, text.split("\n"))) > MAX_TOML_LINE_CHARACTERS:
        raise TooLarge(
            "a line of a rules file can have %(limit)s characters at most", limit=f"{MAX_TOML_LINE_CHARACTERS:,}"
        )
    try:
        plain = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as why:
        raise BadToml("this is not TOML: %(why)s", why=why) from None
    try:
        changes = _read(plain)
        return replace(_start(changes.get("sheet", Sheet.OWN)), **changes)
    except (UnknownOption, BadOption) as error:
        raise error.at(_line_of(error.option, text)) from None


@lru_cache(maxsize=1024)
def to_link(rules: HouseRules) -> str:
    """The rules as a string of 7 to 80 characters that fits in a URL or on a poster."""
    return encode_link({name: getattr(rules, name) for name in options()}, options())


def from_link(link: str) -> HouseRules:
    """Parse a link. Any single wrong character, or two swapped neighbors, is detected."""
    try:
        return HouseRules(**decode_link(link, options()))
    except ImpossibleRules as error:
        raise BadLink("the link's rules contradict each other (%(reason)s)", reason=error) from None


def rules_by_name(name: str) -> HouseRules:
    """The rules of a link, or of the preset with this name."""
    return from_link(name) if is_link(name) else preset(name)


def fingerprint(rules: HouseRules) -> str:
    """Eight letters and digits that differ if any option differs."""
    return base64.b32encode(hashlib.sha256(to_link(rules).encode()).digest())[:8].decode().lower()


def _start(sheet: Sheet) -> HouseRules:
    return HouseRules() if sheet is Sheet.OWN else preset(str(sheet))


def _read(plain: Mapping[str, object]) -> dict[str, Any]:
    for name in plain:
        if name not in options():
            raise UnknownOption(name, get_close_matches(name[:40], options(), n=1))
    return {name: options()[name].domain.read(name, value) for name, value in plain.items()}


def _line_of(option: str, text: str) -> str:
    """The line of a rules file that sets an option; the first line if it only follows from the sheet."""
    setting = re.search(rf"""^[ \t]*["'\[]*{re.escape(option)}\b""", text, re.MULTILINE)
    return f"line {text.count(chr(10), 0, setting.end()) + 1 if setting else 1}"
