"""Who is at a table and what they are called, looked up once for all who are shown a version of it together."""

from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from time import monotonic
from typing import Final

from leftbower.server.house import concerned_by
from leftbower.server.people import People
from leftbower.table import Table

_KEPT: Final = 2_000
"""So many tables whose names are at hand."""
_TOGETHER: Final = 1.0
"""Seconds in which all who listen to a table have been shown a version of it."""
_ALONE: Final = 60.0
"""The same where no other process can change a name."""


@dataclass(frozen=True, slots=True)
class Company:
    """Who is at a version of a table, and what they have said."""

    table: Table
    names: Mapping[str, str]
    words: Mapping[str, str]
    changes: int
    """Of names, when these were looked up."""
    until: float

    def is_of(self, table: Table, changes: int) -> bool:
        """Are the same people at this version of the table, and called the same?"""
        was = self.table
        if self.changes != changes:
            return False
        same = was.seats is table.seats and was.waiting is table.waiting and was.host is table.host
        return was is table or (same and was.said is table.said)


class Companies:
    """The companies of some tables."""

    def __init__(self, people: People, *, alone: bool) -> None:
        """`alone` where no other process can change a name."""
        self._people, self._fresh = people, _ALONE if alone else _TOGETHER
        self._kept: OrderedDict[str, Company] = OrderedDict()

    def at_hand(self, name: str, table: Table) -> Company | None:
        """Who is at a table, if nobody has to be looked up."""
        known = self._kept.get(name)
        if known is not None and known.is_of(table, self._people.changes) and monotonic() <= known.until:
            return known
        if any(one.words for _, one in table.said):
            return None
        names = self._people.names_at_hand(_everybody(table))
        return None if names is None else self._keep(name, table, names, {}, self._people.changes)

    async def of(self, name: str, table: Table) -> Company:
        """The same, whoever has to be looked up."""
        changes = self._people.changes  # those that come while we look are not in what we find
        names = await self._people.names(_everybody(table))
        words = {one.words: await self._people.words(one.words) for _, one in table.said if one.words}
        return self._keep(name, table, names, words, changes)

    def _keep(
        self, name: str, table: Table, names: Mapping[str, str], words: Mapping[str, str], changes: int
    ) -> Company:
        company = self._kept[name] = Company(table, names, words, changes, monotonic() + self._fresh)
        while len(self._kept) > _KEPT:
            self._kept.popitem(last=False)
        return company


def _everybody(table: Table) -> set[str]:
    return concerned_by(table) | {one.person for _, one in table.said}
