"""Read untrusted input: rule sets by name, link or file, and lines of standard input."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from leftbower.errors import BadJson, LeftbowerError, NotText, TooLarge, UnknownRules, UnreadableFile
from leftbower.rules import HouseRules, from_link, from_toml, preset
from leftbower.rules.formats import MAX_TOML_CHARACTERS
from leftbower.rules.link import is_link

_MAX_LINE_BYTES: Final = 64 * 1024


def read_rules(source: str) -> HouseRules:
    """The rule set that a preset's name, a link, or the path of a TOML file stands for."""
    if is_link(source):
        return from_link(source)
    if source.endswith(".toml") or "/" in source or "\\" in source:
        return read_rules_file(source)
    try:
        return preset(source)
    except UnknownRules:
        if Path(source[:255]).is_file():
            return read_rules_file(source)
        raise


def read_rules_file(path: str) -> HouseRules:
    """The rule set of a TOML file; every error names the file."""
    try:
        return from_toml(read_text(path, MAX_TOML_CHARACTERS))
    except LeftbowerError as error:
        raise error.at(path) from None


def read_text(path: str, max_bytes: int) -> str:
    """The text of a file of at most `max_bytes`."""
    try:
        with Path(path).open("rb") as file:
            content = file.read(max_bytes + 1)
    except (OSError, ValueError) as why:
        reason = why.strerror if isinstance(why, OSError) and why.strerror else "it cannot be opened"
        raise UnreadableFile("can't read this file: %(reason)s", reason=reason.lower()) from None
    if len(content) > max_bytes:
        raise TooLarge("the file is larger than %(limit)s bytes", limit=f"{max_bytes:,}")
    return _decode(content)


def lines() -> Iterator[tuple[str, str]]:
    """The lines of standard input, each with its path; empty lines are skipped."""
    number = 0
    while line := sys.stdin.buffer.readline(_MAX_LINE_BYTES + 1):
        number += 1
        path = f"line {number}"
        if len(line) > _MAX_LINE_BYTES:
            raise TooLarge("the line is longer than %(limit)s bytes", path=path, limit=f"{_MAX_LINE_BYTES:,}")
        try:
            text = _decode(line).strip()
        except NotText as error:
            raise error.at(path) from None
        if text:
            yield path, text


def json_object(line: str) -> dict[str, object]:
    """The object a line of JSON holds."""
    try:
        plain = json.loads(line)
    except (ValueError, RecursionError):
        raise BadJson("this line is not JSON") from None
    if not isinstance(plain, dict):
        raise BadJson("this line must be a JSON object")
    return plain


def _decode(content: bytes) -> str:
    try:
        return content.decode()
    except UnicodeDecodeError as why:
        raise NotText(
            "this is not UTF-8 text: byte %(position)s is %(byte)s",
            position=why.start,
            byte=f"{content[why.start]:#04x}",
        ) from None
