"""Tables as JSON text, each part made once: the rules for all tables, a version for everybody, a hand for each seat."""

import json
from collections import OrderedDict
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Final

from leftbower.notation import view_without_rules
from leftbower.rules.forms import to_json
from leftbower.rules.house import HouseRules
from leftbower.rules.seats import Seat
from leftbower.table import Table, personal, public, seen

_KEPT: Final = 128
"""Versions whose text is kept: those that are being told; soon nobody will ask for them again."""


class Rendering:
    """The text of the latest versions."""

    def __init__(self) -> None:
        self._versions: OrderedDict[str, _Version] = OrderedDict()

    def text(
        self, name: str, table: Table, person: str | None, names: Mapping[str, str], words: Mapping[str, str]
    ) -> str:
        """The table as a person may see it, with the names of the people and what they said, on one line."""
        version = self._versions.get(name)
        if version is None or version.table is not table:
            version = self._versions[name] = _Version(name, table)
            self._versions.move_to_end(name)
            if len(self._versions) > _KEPT:
                self._versions.popitem(last=False)
        return version.text(person, names, words)


class _Version:
    """One version of a table: what everybody is shown of it, and the hand as each seat sees it."""

    __slots__ = ("_begin", "_hands", "_texts", "table")

    def __init__(self, name: str, table: Table) -> None:
        self.table = table
        self._begin = f'{{"table":{_ENCODE(name)},"rules":{_rules(table.rules)},{_members(public(table))}'
        self._hands: dict[Seat | None, str] = {}
        self._texts: dict[str | None, tuple[Mapping[str, str], Mapping[str, str], str]] = {}

    def text(self, person: str | None, names: Mapping[str, str], words: Mapping[str, str]) -> str:
        """All of it for one person."""
        told = self._texts.get(person)
        if told is None or told[:2] != (names, words):
            own = personal(self.table, person)
            for one in own["talk"]["said"]:
                one["words"] = words.get(one["words"], "")
            text = f'{self._begin},{_members(own)},"hand":{self._hand(person)},"people":{_ENCODE(names)}}}'
            told = self._texts[person] = (names, words, text)
        return told[2]

    def _hand(self, person: str | None) -> str:
        hand = seen(self.table, person)
        if hand is None:
            return "null"
        if hand.seat not in self._hands:
            self._hands[hand.seat] = f'{{"rules":{_rules(hand.rules)},{_members(view_without_rules(hand))}}}'
        return self._hands[hand.seat]


def with_member(text: str, name: str, value: object) -> str:
    """The text of an object that has one more member."""
    return f"{text[:-1]},{_ENCODE(name)}:{_ENCODE(value)}}}"


@lru_cache(maxsize=256)
def _rules(rules: HouseRules) -> str:
    return _ENCODE(to_json(rules))


def _members(plain: dict[str, Any]) -> str:
    """The text of an object without its braces."""
    return _ENCODE(plain)[1:-1]


_ENCODE: Final = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False).encode
