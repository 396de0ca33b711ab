"""The forms of a rule set outside the program: a plain object for JSON, TOML for people, a link, a fingerprint."""

import base64
import hashlib
import json
import re
import tomllib
from binascii import Error as NotBase64
from binascii import crc_hqx
from collections.abc import Mapping
from dataclasses import replace
from difflib import get_close_matches
from functools import lru_cache
from typing import Any, Final

from leftbower.errors import BadLink, BadOption, BadToml, TooLarge, UnknownOption
from leftbower.rules.choices import Sheet
from leftbower.rules.house import HouseRules, options
from leftbower.rules.sheets import preset

LINK_PREFIX: Final = "lb1-"
"""What every link begins with; the number is the version of its bits."""
MAX_LINK_CHARACTERS: Final = 60
MAX_TOML_LINE_CHARACTERS: Final = 1000
MAX_TOML_CHARACTERS: Final = 64 * 1024
"""Characters. The longest honest rules file has about 8,000."""


def to_json(rules: HouseRules) -> dict[str, object]:
    """Every option with its value, in words JSON and TOML have."""
    return {name: option.domain.write(getattr(rules, name)) for name, option in options().items()}


def from_json(plain: Mapping[str, object]) -> HouseRules:
    """The rules of `to_json`; an option left out has its default."""
    return replace(HouseRules(), **_read(plain))


def to_toml(rules: HouseRules) -> str:
    """The rules as a small file: the sheet they start from, and what the table plays differently."""
    base = _start(rules.sheet)
    lines = [f'sheet = "{rules.sheet}"']
    for name, option in options().items():
        value = getattr(rules, name)
        if value != getattr(base, name):
            lines += ["", f"# {option.question}", f"{name} = {json.dumps(option.domain.write(value))}"]
    return "\n".join(lines) + "\n"


def from_toml(text: str) -> HouseRules:
    """The rules a TOML file describes: its sheet, changed by whatever else it states."""
    if len(text) > MAX_TOML_CHARACTERS:
        raise TooLarge(f"a rules file has at most {MAX_TOML_CHARACTERS:,} characters, and this one has {len(text):,}")
    if max(map(len, text.split("\n"))) > MAX_TOML_LINE_CHARACTERS:
        raise TooLarge(f"a line of a rules file has at most {MAX_TOML_LINE_CHARACTERS:,} characters")
    try:
        plain = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as why:
        raise BadToml(f"this is not TOML: {why}") from None
    try:
        changes = _read(plain)
        return replace(_start(changes.get("sheet", Sheet.OWN)), **changes)
    except (UnknownOption, BadOption) as error:
        raise error.at(_line_of(error.option, text)) from None


@lru_cache(maxsize=1024)
def to_link(rules: HouseRules) -> str:
    """The rules as a word of at most 60 characters that fits into an address or onto a poster."""
    packed = shift = 0
    for name, option in options().items():
        packed |= option.domain.to_bits(getattr(rules, name)) << shift
        shift += option.domain.bits
    body = packed.to_bytes((packed.bit_length() + 7) // 8, "little")
    return LINK_PREFIX + base64.urlsafe_b64encode(body + _check(body)).decode().rstrip("=")


def from_link(link: str) -> HouseRules:
    """The rules of a link. Any one wrong character, or two exchanged neighbors, is noticed."""
    if not link.startswith(LINK_PREFIX):
        raise BadLink(f"a rules link begins with {LINK_PREFIX}")
    if len(link) > MAX_LINK_CHARACTERS:
        raise BadLink(f"a rules link has at most {MAX_LINK_CHARACTERS} characters, and this one has {len(link):,}")
    body = _unpack(link.removeprefix(LINK_PREFIX))
    packed = int.from_bytes(body, "little")
    values: dict[str, Any] = {}
    try:
        for name, option in options().items():
            values[name] = option.domain.from_bits(name, packed & (1 << option.domain.bits) - 1)
            packed >>= option.domain.bits
        rules = HouseRules(**values)
    except BadOption as why:
        raise BadLink(f"the link names rules this version does not know ({why})") from None
    if packed:
        raise BadLink("the link names options this version does not know; it was made by a newer leftbower")
    if to_link(rules) != link:
        raise BadLink("the link is not spelled as leftbower spells it")
    return rules


def fingerprint(rules: HouseRules) -> str:
    """Eight letters and digits that differ where any option does."""
    return base64.b32encode(hashlib.sha256(to_link(rules).encode()).digest())[:8].decode().lower()


def _start(sheet: Sheet) -> HouseRules:
    return HouseRules() if sheet is Sheet.OWN else preset(str(sheet))


def _read(plain: Mapping[str, object]) -> dict[str, Any]:
    for name in plain:
        if name not in options():
            raise UnknownOption(name, get_close_matches(name[:40], options(), n=1))
    return {name: options()[name].domain.read(name, value) for name, value in plain.items()}


def _line_of(option: str, text: str) -> str:
    """Where in a rules file an option is set; the first line where it only follows from the sheet."""
    setting = re.search(rf"""^[ \t]*["'\[]*{re.escape(option)}\b""", text, re.MULTILINE)
    return f"line {text.count(chr(10), 0, setting.end()) + 1 if setting else 1}"


def _unpack(encoded: str) -> bytes:
    try:
        whole = base64.b64decode(encoded + "=" * (-len(encoded) % 4), altchars=b"-_", validate=True)
    except (NotBase64, ValueError):
        raise BadLink("the link holds characters no link has, or lost some at the end") from None
    body, check = whole[:-2], whole[-2:]
    if check != _check(body) or base64.urlsafe_b64encode(whole).decode().rstrip("=") != encoded:
        raise BadLink("the link was mistyped or cut short: its check does not fit")
    return body


def _check(body: bytes) -> bytes:
    """A CRC that starts from the length: without it, a zero byte behind a link would pass."""
    return crc_hqx(body, 0x4C42 ^ len(body)).to_bytes(2, "big")
