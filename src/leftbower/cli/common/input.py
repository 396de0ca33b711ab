"""How commands read: rule sets by name, link or file, and lines from standard input, none of it trusted."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from leftbower.errors import BadJson, LeftbowerError, NotText, TooLarge, UnknownRules, UnreadableFile
from leftbower.rules.formats import LINK_PREFIX, MAX_TOML_CHARACTERS, from_link, from_toml
from leftbower.rules.house import HouseRules
from leftbower.rules.sheets import preset

_LONGEST_LINE: Final = 64 * 1024


def read_rules(named: str) -> HouseRules:
    """The rule set that a preset's name, a link, or the path of a TOML file stands for."""
    if named.startswith(LINK_PREFIX):
        return from_link(named)
    if named.endswith(".toml") or "/" in named or "\\" in named:
        return read_rules_file(named)
    try:
        return preset(named)
    except UnknownRules:
        if Path(named[:255]).is_file():
            return read_rules_file(named)
        raise


def read_rules_file(path: str) -> HouseRules:
    """The rule set of a TOML file; every error names the file."""
    try:
        return from_toml(read_text(path, MAX_TOML_CHARACTERS))
    except LeftbowerError as error:
        raise error.at(path) from None


def read_text(path: str, longest: int) -> str:
    """The text of a file that is not longer than any honest one."""
    try:
        with Path(path).open("rb") as file:
            content = file.read(longest + 1)
    except (OSError, ValueError) as why:
        reason = why.strerror if isinstance(why, OSError) and why.strerror else "it cannot be opened"
        raise UnreadableFile(f"this file cannot be read: {reason.lower()}") from None
    if len(content) > longest:
        raise TooLarge(f"such a file has at most {longest:,} bytes")
    return _decode(content)


def lines() -> Iterator[tuple[str, str]]:
    """The lines of standard input, each with the place it stands at; empty lines are passed over."""
    number = 0
    while line := sys.stdin.buffer.readline(_LONGEST_LINE + 1):
        number += 1
        place = f"line {number}"
        if len(line) > _LONGEST_LINE:
            raise TooLarge(f"a line has at most {_LONGEST_LINE:,} bytes", place=place)
        try:
            text = _decode(line).strip()
        except NotText as error:
            raise error.at(place) from None
        if text:
            yield place, text


def json_object(line: str) -> dict[str, object]:
    """The object a line of JSON holds."""
    try:
        plain = json.loads(line)
    except (ValueError, RecursionError):
        raise BadJson("this line is not JSON") from None
    if not isinstance(plain, dict):
        raise BadJson("this line is JSON, but not an object in braces")
    return plain


def _decode(content: bytes) -> str:
    try:
        return content.decode()
    except UnicodeDecodeError as why:
        raise NotText(f"this is not UTF-8 text: byte {why.start} is {content[why.start]:#04x}") from None
