"""Tables as JSON text, each part made once: the rules for all tables, a version for everybody, a hand for each seat."""

from collections import OrderedDict
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Final, NamedTuple

from pydantic_core import to_json as dump

from leftbower.engine import Action, Own, View
from leftbower.notation import alike_to_json, own_to_json, said_to_json
from leftbower.rules.forms import to_json
from leftbower.rules.house import HouseRules
from leftbower.table import Hand, Table, hand_of, moving, personal, place_of, standing, stands_as

_KEPT: Final = 2_000
"""So many tables whose parts are kept: much of the next version of a table is as it was in this one."""


class Rendering:
    """The texts of the latest version of some tables, in parts: each is made once, whoever is shown it."""

    def __init__(self) -> None:
        self._versions: OrderedDict[str, _Version] = OrderedDict()

    def text(
        self, name: str, table: Table, person: str | None, names: Mapping[str, str], words: Mapping[str, str]
    ) -> str:
        """The table as a person may see it, with these names, and these words by their ids."""
        version = self._versions.get(name)
        if version is None or version.table is not table:
            version = self._versions[name] = _Version(name, table, version)
            self._versions.move_to_end(name)
            if len(self._versions) > _KEPT:
                self._versions.popitem(last=False)
        return version.text(person, names, words)


class _Version:
    """One version of a table: what everybody is shown of it, and the hand as each seat sees it."""

    __slots__ = (
        *("_alike", "_first", "_hand", "_moving", "_name", "_names"),
        *("_rules", "_said", "_spectators", "_standing", "table"),
    )

    def __init__(self, name: str, table: Table, before: "_Version | None") -> None:
        """`before` is any other version of the table that was shown, of which parts may do."""
        self.table = table
        self._name = _encoded(name)
        self._hand: Hand | None = hand_of(table)
        spectator = self._hand.spectator if self._hand else None
        same = before is not None and stands_as(table, before.table)
        self._standing: str = before._standing if before and same else _members(standing(table))
        self._moving = _members(moving(table, spectator))
        self._alike = _members(alike_to_json(spectator)) if spectator else ""
        self._rules: str = before._rules if before and before.table.rules is table.rules else _rules(table.rules)
        self._said: _Told = _said(spectator.said if spectator else (), before._said if before else _NOTHING)
        self._spectators = ""
        self._names: tuple[Mapping[str, str], str] = ({}, "{}")
        self._first: _First | None = None

    def text(self, person: str | None, names: Mapping[str, str], words: Mapping[str, str]) -> str:
        """All of it for one person. Who is shown it first has acted, and will be shown it once more by a feed."""
        first = self._first
        if first is None:
            self._first = first = _First(person, names, words, self._made(person, names, words))
        elif not first.text or first.person != person or first.names != names or first.words != words:
            return self._made(person, names, words)
        else:
            self._first = _First(None, {}, {}, "")
        return first.text

    def _made(self, person: str | None, names: Mapping[str, str], words: Mapping[str, str]) -> str:
        if self._names[0] != names:
            self._names = (names, _encoded(names))
        own = personal(self.table, person)
        for one in own["talk"]["said"]:
            one["words"] = words.get(one["words"], "")
        told = f'{{"table":{self._name},"rules":{self._rules},{self._standing},{self._moving}'
        return f'{told},{_members(own)},"hand":{self._seen_by(person)},"people":{self._names[1]}}}'

    def _seen_by(self, person: str | None) -> str:
        """What all see alike is a spectator's, so that nothing in it can be anybody's secret."""
        if self._hand is None:
            return "null"
        place, spectator = place_of(self.table, person), self._hand.spectator
        if place is not None:
            return self._through(self._hand.own[place], spectator)
        if not self._spectators:
            self._spectators = self._through(spectator, spectator)
        return self._spectators

    def _through(self, seen: View | Own, spectator: View) -> str:
        rules = self._rules if spectator.rules is self.table.rules else _rules(spectator.rules)
        said = self._said[1] if seen.said is spectator.said else _encoded(said_to_json(seen.said))
        return f'{{"rules":{rules},{self._alike},"said":{said},{_members(own_to_json(seen))}}}'


class _First(NamedTuple):
    """The text that somebody was shown first; an empty one was shown once more."""

    person: str | None
    names: Mapping[str, str]
    words: Mapping[str, str]
    text: str


_Told = tuple[tuple[Action, ...], str]
"""What was said, and the text of it."""
_NOTHING: Final[_Told] = ((), "[]")


def _said(said: tuple[Action, ...], before: _Told) -> _Told:
    """What was said with its text, which is mostly a longer one than before."""
    known, text = before
    if known and len(said) > len(known) and said[: len(known)] == known:
        return said, f"{text[:-1]},{_encoded(said_to_json(said[len(known) :]))[1:]}"
    return said, _encoded(said_to_json(said))


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
