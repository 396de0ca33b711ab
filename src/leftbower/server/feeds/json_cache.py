"""JSON cache of tables, in parts: rules for all tables, public fields per version, the hand per seat."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final, NamedTuple

from cachetools import LRUCache
from orjson import dumps

from leftbower.engine import Action, Docket, Trick, View
from leftbower.notation import action_to_json, docket_to_json, private_to_json, shared_to_json, tricks_to_json
from leftbower.rules import HouseRules, to_json
from leftbower.table import Table, projection, seat_names

_MAX_CACHED_TABLES: Final = 2_000
"""Tables whose parts are cached; consecutive versions have most parts in common."""
_MAX_VIEWERS: Final = 64
"""Viewers per table whose private fields are cached."""


class TableJsonCache:
    """The JSON of the latest version of each table; every part is rendered once for all viewers."""

    def __init__(self) -> None:
        self._versions: LRUCache[str, _CachedVersion] = LRUCache(_MAX_CACHED_TABLES)
        self._latest: _CachedVersion | None = None

    def text(
        self,
        name: str,
        table: Table,
        person: str | None,
        names: Mapping[str, str],
        words: Mapping[str, str],
        **members: object,
    ) -> bytes:
        """The table as a person may see it, with display names, chat texts by id, and extra `members` at the end."""
        if not table.may_watch(person):
            people = {"people": dict(names), "names": _names_by_seat(table, names)}
            plain = _with_texts(projection.table_to_json(table, person), words)
            return b"{%b}" % _members({"table": name, **plain, **people, **members})
        version = self._latest  # viewers of one version are rendered one after another
        if version is None or version.table is not table:
            version = self._versions.get(name)
            if version is None or version.table is not table:
                version = self._versions[name] = _CachedVersion(name, table, version)
            self._latest = version
        fields = version.fields(person, names, words)
        return b"{%b,%b}" % (fields, _members(members)) if members else b"{%b}" % fields


class _CachedVersion:
    """The JSON parts of one version: public fields, and the hand for each seat."""

    __slots__ = (
        *("_docket", "_envelopes", "_first", "_hand", "_head", "_names", "_personal"),
        *("_rules", "_said", "_shared", "_spectators", "_standing", "_tricks", "table"),
    )

    def __init__(self, name: str, table: Table, previous: "_CachedVersion | None") -> None:
        """`previous` is another version of the table, whose unchanged parts are reused."""
        self.table = table
        self._reuse(previous)
        self._hand = table.hand_views
        spectator = self._hand.of(None) if self._hand else None
        self._head = b'"table":%b,"rules":%b,%b,%b,"opened":%b' % (
            dumps(name),
            self._rules,
            self._standing,
            _members(projection.fast_fields(table)),
            self._opened(spectator),
        )
        self._shared = b"" if spectator is None else self._shared_fields(spectator)
        self._spectators = b""
        self._names: tuple[Mapping[str, str], bytes] | None = None
        self._first: _FirstFields | None = None

    def _reuse(self, previous: "_CachedVersion | None") -> None:
        """Take over parts that are unchanged or only grew."""
        table, old = self.table, previous.table if previous else None
        same = old is not None and projection.same_slow_fields(table, old)
        self._standing: bytes = previous._standing if previous and same else _members(projection.slow_fields(table))
        self._rules: bytes = (
            previous._rules if previous and previous.table.rules is table.rules else _rules(table.rules)
        )
        self._said: _GrowingList = previous._said if previous else _EMPTY_LIST
        self._tricks: _GrowingList = previous._tricks if previous else _EMPTY_LIST
        self._docket: tuple[Docket | None, bytes] = previous._docket if previous else (None, b"")
        reusable = previous is not None and old is not None and old.sealed_deck is table.sealed_deck
        self._envelopes: dict[int, bytes] = previous._envelopes if previous and reusable else {}
        """The JSON of each opened card of the deck."""
        reusable = previous is not None and old is not None and projection.same_viewer_fields(table, old)
        self._personal: dict[str | None, tuple[Mapping[str, str], bytes]] = (
            previous._personal if previous and reusable else {}
        )
        """The fields of each viewer, with the chat texts they contain."""

    def fields(self, person: str | None, names: Mapping[str, str], words: Mapping[str, str]) -> bytes:
        """The members of the object for one person.

        The first result is cached for one more use: the person who acted gets the same again by their feed.
        """
        first = self._first
        if first is None:
            self._first = first = _FirstFields(person, names, words, self._render(person, names, words))
        elif not first.fields or first.person != person or first.names != names or first.words != words:
            return self._render(person, names, words)
        else:
            self._first = _FirstFields(None, {}, {}, b"")
        return first.fields

    def _render(self, person: str | None, names: Mapping[str, str], words: Mapping[str, str]) -> bytes:
        if self._names is None or self._names[0] != names:
            by_seat = dumps(_names_by_seat(self.table, names))
            self._names = (names, b'"people":%b,"names":%b' % (dumps(dict(names)), by_seat))
        cached_words, own = self._personal.get(person, (None, b""))
        if cached_words != words:
            own = _members(_with_texts(projection.viewer_fields(self.table, person), words))
            if len(self._personal) >= _MAX_VIEWERS:
                self._personal.clear()
            self._personal[person] = (words, own)
        return b'%b,%b,"hand":%b,%b' % (self._head, own, self._hand_for(person), self._names[1])

    def _opened(self, spectator: View | None) -> bytes:
        """The opened cards; the JSON of each never changes."""
        positions = projection.open_positions(self.table, spectator)
        for position in positions:
            if position not in self._envelopes:
                self._envelopes[position] = dumps(projection.opened_card_to_json(self.table, position))
        return _array([self._envelopes[position] for position in positions])

    def _shared_fields(self, spectator: View) -> bytes:
        """The fields shared by all viewers, rendered from the spectator's view so that they hold no secret."""
        rules = self._rules if spectator.rules is self.table.rules else _rules(spectator.rules)
        self._said = _extend(spectator.actions, self._said, _actions)
        self._tricks = _extend(spectator.tricks, self._tricks, _tricks)
        if self._docket[0] is not spectator.docket:
            self._docket = (spectator.docket, dumps(docket_to_json(spectator.docket, spectator.rules)))
        shared = _members(shared_to_json(spectator))
        return b'"rules":%b,%b,"tricks":%b,"docket":%b' % (rules, shared, self._tricks.json, self._docket[1])

    def _hand_for(self, person: str | None) -> bytes:
        if self._hand is None:
            return b"null"
        seat = projection.viewing_seat(self.table, person)
        if seat is not None:
            return self._render_view(self._hand.of(seat))
        if not self._spectators:
            self._spectators = self._render_view(self._hand.of(None))
        return self._spectators

    def _render_view(self, view: View) -> bytes:
        actions = self._said.json if view.actions is self._said.items else _array(_actions(view.actions))
        private, legal = _members(private_to_json(view)), _array(_actions(view.legal))
        return b'{%b,"actions":%b,%b,"legal":%b}' % (self._shared, actions, private, legal)


class _FirstFields(NamedTuple):
    """The first members of a version and their viewer; empty after their second use."""

    person: str | None
    names: Mapping[str, str]
    words: Mapping[str, str]
    fields: bytes


class _GrowingList(NamedTuple):
    """A sequence that grows from version to version, the JSON of each item, and of all."""

    items: tuple[Any, ...]
    parts: tuple[bytes, ...]
    json: bytes


_EMPTY_LIST: Final = _GrowingList((), (), b"[]")


def _extend(
    items: tuple[Any, ...], previous: _GrowingList, render: Callable[[Sequence[Any]], Iterable[bytes]]
) -> _GrowingList:
    """Items with their JSON; only new items are rendered."""
    if items == previous.items:
        return _GrowingList(items, previous.parts, previous.json)
    count = len(previous.items)
    same = items[:count] == previous.items
    parts = (*previous.parts, *render(items[count:])) if same else tuple(render(items))
    return _GrowingList(items, parts, _array(parts))


def _tricks(tricks: Sequence[Trick]) -> list[bytes]:
    return [dumps(trick) for trick in tricks_to_json(tricks)]


def _actions(actions: Sequence[Action]) -> list[bytes]:
    return [_action(action) for action in actions]


def _names_by_seat(table: Table, names: Mapping[str, str]) -> dict[str, str]:
    return {str(seat): name for seat, name in seat_names(table.seats, names).items()}


def _with_texts(plain: dict[str, Any], words: Mapping[str, str]) -> dict[str, Any]:
    """The viewer's fields with the texts of typed chat messages."""
    for message in plain["chat"]["messages"]:
        message["text"] = words.get(message["text"], "")
    return plain


@lru_cache(maxsize=4096)
def _action(action: Action) -> bytes:
    """Cached because there are few different actions."""
    return dumps(action_to_json(action))


@lru_cache(maxsize=256)
def _rules(rules: HouseRules) -> bytes:
    return dumps(to_json(rules))


class _Keys(dict[str, bytes]):
    """The encoded names of fields, each with its colon."""

    def __missing__(self, name: str) -> bytes:
        key = self[name] = dumps(name) + b":"
        return key


_KEYS: Final = _Keys()


def _members(plain: dict[str, Any]) -> bytes:
    """The members of an object, to be joined with others."""
    return b",".join([_KEYS[name] + dumps(value) for name, value in plain.items()])


def _array(parts: Iterable[bytes]) -> bytes:
    return b"[%b]" % b",".join(parts)
