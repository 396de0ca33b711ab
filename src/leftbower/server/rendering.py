"""Tables as JSON text, each part made once: the rules for all tables, a version for everybody, a hand for each seat."""

from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final, NamedTuple

from pydantic_core import to_json as dump

from leftbower.engine import Action, Docket, Own, Trick, View
from leftbower.notation import (
    action_to_json,
    alike_to_json,
    docket_to_json,
    held_to_json,
    tricks_to_json,
)
from leftbower.rules.forms import to_json
from leftbower.rules.house import HouseRules
from leftbower.table import (
    Hand,
    Table,
    hand_of,
    moving,
    opened,
    opening,
    personal,
    places_of,
    standing,
    stands_as,
    tells_as,
)

_KEPT: Final = 2_000
"""So many tables whose parts are kept: much of the next version of a table is as it was in this one."""
_VIEWERS: Final = 64
"""So many of whom the part about themselves is kept, of those who look at one table."""


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
        *("_alike", "_docket", "_envelopes", "_first", "_hand", "_head", "_names", "_personal", "_places"),
        *("_rules", "_said", "_spectators", "_standing", "_tricks", "table"),
    )

    def __init__(self, name: str, table: Table, before: "_Version | None") -> None:
        """`before` is any other version of the table that was shown, of which parts may do."""
        self.table = table
        self._take_over(before)
        self._hand: Hand | None = hand_of(table)
        seen = self._hand.spectator if self._hand else None
        told = f'"rules":{self._rules},{self._standing},{_members(moving(table))},"opened":{self._opened(seen)}'
        self._head = f'{{"table":{_encoded(name)},{told}'
        self._alike = "" if seen is None else self._seen_alike(seen)
        self._spectators = ""
        self._names: tuple[Mapping[str, str], str] = ({}, "{}")
        self._first: _First | None = None

    def _take_over(self, before: "_Version | None") -> None:
        """What is the same as it was in the other version, or begins as that did."""
        table, was = self.table, before.table if before else None
        same = was is not None and stands_as(table, was)
        self._standing: str = before._standing if before and same else _members(standing(table))
        self._rules: str = before._rules if before and before.table.rules is table.rules else _rules(table.rules)
        self._said: _Grown = before._said if before else _NOTHING
        self._tricks: _Grown = before._tricks if before else _NOTHING
        self._docket: tuple[Docket | None, str] = before._docket if before else (None, "")
        kept = before is not None and was is not None and was.sealed is table.sealed
        self._envelopes: dict[int, str] = before._envelopes if before and kept else {}
        """Of the deck, each as it is told when it is opened."""
        kept = before is not None and was is not None and tells_as(table, was)
        self._personal: dict[str | None, tuple[Mapping[str, str], str]] = before._personal if before and kept else {}
        """For whoever was shown it, with the words that were told."""
        self._places = places_of(table)

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
        known, own = self._personal.get(person, (None, ""))
        if known != words:
            own = _members(_spoken(personal(self.table, person), words))
            if len(self._personal) >= _VIEWERS:
                self._personal.clear()
            self._personal[person] = (words, own)
        return f'{self._head},{own},"hand":{self._seen_by(person)},"people":{self._names[1]}}}'

    def _opened(self, spectator: View | None) -> str:
        """The cards that were opened: an envelope is the same in every version."""
        places = opened(self.table, spectator)
        for place in places:
            if place not in self._envelopes:
                self._envelopes[place] = _encoded(opening(self.table, place))
        return f"[{','.join([self._envelopes[place] for place in places])}]"

    def _seen_alike(self, spectator: View) -> str:
        """What all see alike is a spectator's, so that nothing in it can be anybody's secret."""
        rules = self._rules if spectator.rules is self.table.rules else _rules(spectator.rules)
        self._said = _grown(spectator.said, self._said, _actions)
        self._tricks = _grown(spectator.tricks, self._tricks, _told_tricks)
        if self._docket[0] is not spectator.docket:
            self._docket = (spectator.docket, _encoded(docket_to_json(spectator.docket)))
        alike = _members(alike_to_json(spectator))
        return f'"rules":{rules},{alike},"tricks":{self._tricks[1]},"docket":{self._docket[1]}'

    def _seen_by(self, person: str | None) -> str:
        if self._hand is None:
            return "null"
        place = self._places.get(person)
        if place is not None:
            return self._through(self._hand.own[place])
        if not self._spectators:
            self._spectators = self._through(self._hand.spectator)
        return self._spectators

    def _through(self, seen: View | Own) -> str:
        said = self._said[1] if seen.said is self._said[0] else _actions(seen.said)
        return f'{{{self._alike},"said":{said},{_members(held_to_json(seen))},"legal":{_actions(seen.legal)}}}'


class _First(NamedTuple):
    """The text that somebody was shown first; an empty one was shown once more."""

    person: str | None
    names: Mapping[str, str]
    words: Mapping[str, str]
    text: str


_Grown = tuple[tuple[Any, ...], str]
"""What grows from version to version, and the text of it."""
_NOTHING: Final[_Grown] = ((), "[]")


def _grown(things: tuple[Any, ...], before: _Grown, told: Callable[[Sequence[Any]], str]) -> _Grown:
    """Things with their text, which are mostly what there was before, and perhaps more."""
    known, text = before
    if things == known:
        return things, text
    if known and things[: len(known)] == known:
        return things, f"{text[:-1]},{told(things[len(known) :])[1:]}"
    return things, told(things)


def _told_tricks(tricks: Sequence[Trick]) -> str:
    return _encoded(tricks_to_json(tricks))


def _actions(actions: Sequence[Action]) -> str:
    return f"[{','.join([_action(action) for action in actions])}]"


def _spoken(plain: dict[str, Any], words: Mapping[str, str]) -> dict[str, Any]:
    """What is about a viewer, with what was said in words of people's own."""
    for one in plain["talk"]["said"]:
        one["words"] = words.get(one["words"], "")
    return plain


def with_member(text: str, name: str, value: object) -> str:
    """The text of an object that has one more member."""
    return f"{text[:-1]},{_encoded(name)}:{_encoded(value)}}}"


@lru_cache(maxsize=4096)
def _action(action: Action) -> str:
    """There are few, and they are told again and again."""
    return _encoded(action_to_json(action))


@lru_cache(maxsize=256)
def _rules(rules: HouseRules) -> str:
    return _encoded(to_json(rules))


def _members(plain: dict[str, Any]) -> str:
    """The text of an object without its braces."""
    return _encoded(plain)[1:-1]


def _encoded(plain: object) -> str:
    """By pydantic's encoder, which is several times as fast as Python's."""
    return dump(plain).decode()
