"""Tables as JSON text, each part made once: the rules for all tables, a version for everybody, a hand for each seat."""

from collections import OrderedDict
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Final

from pydantic_core import to_json as dump

from leftbower.notation import alike_to_json, own_to_json, said_to_json
from leftbower.rules.forms import to_json
from leftbower.rules.house import HouseRules
from leftbower.rules.seats import Seat
from leftbower.table import Hands, Table, hands, personal, place_of, public

_KEPT: Final = 256
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

    __slots__ = ("_alike", "_begin", "_hands", "_names", "_said", "_seen", "table")

    def __init__(self, name: str, table: Table) -> None:
        self.table = table
        self._seen: Hands = hands(table)
        rules, told = _rules(table.rules), public(table, self._seen)
        self._begin = f'{{"table":{_encoded(name)},"rules":{rules},{_members(told)}'
        self._alike, self._said = "", ""
        if self._seen:
            spectator = self._seen[None]
            same = rules if spectator.rules is table.rules else _rules(spectator.rules)
            self._alike = f'"rules":{same},{_members(alike_to_json(spectator))}'
            self._said = _encoded(said_to_json(spectator.said))
        self._hands: dict[Seat | None, str] = {}
        self._names: tuple[Mapping[str, str], str] = ({}, "{}")

    def text(self, person: str | None, names: Mapping[str, str], words: Mapping[str, str]) -> str:
        """All of it for one person."""
        if self._names[0] != names:
            self._names = (names, _encoded(names))
        own = personal(self.table, person)
        for one in own["talk"]["said"]:
            one["words"] = words.get(one["words"], "")
        return f'{self._begin},{_members(own)},"hand":{self._hand(person)},"people":{self._names[1]}}}'

    def _hand(self, person: str | None) -> str:
        """What all see alike is a spectator's, so that nothing in it can be anybody's secret."""
        if not self._seen:
            return "null"
        place = place_of(self.table, person)
        if place not in self._hands:
            seen = self._seen[place]
            said = self._said if seen.said is self._seen[None].said else _encoded(said_to_json(seen.said))
            self._hands[place] = f'{{{self._alike},"said":{said},{_members(own_to_json(seen))}}}'
        return self._hands[place]


def with_member(text: str, name: str, value: object) -> str:
    """The text of an object that has one more member."""
    return f"{text[:-1]},{_encoded(name)}:{_encoded(value)}}}"


@lru_cache(maxsize=256)
def _rules(rules: HouseRules) -> str:
    return _encoded(to_json(rules))


def _members(plain: dict[str, Any]) -> str:
    """The text of an object without its braces."""
    return _encoded(plain)[1:-1]


def _encoded(plain: object) -> str:
    """By pydantic's encoder, which is several times as fast as Python's."""
    return dump(plain).decode()
