"""Cache of the display names and chat texts of a table, shared by all its viewers."""

from collections.abc import Mapping
from dataclasses import dataclass
from time import monotonic
from typing import Final

from cachetools import LRUCache

from leftbower.server.live.tables import listed_people
from leftbower.server.people.service import PeopleService
from leftbower.table import Table

_MAX_CACHED_TABLES: Final = 2_000
_SHARED_TTL_SECONDS: Final = 1.0
"""Cache lifetime when other processes may rename people."""
_EXCLUSIVE_TTL_SECONDS: Final = 60.0
"""Cache lifetime when no other process can rename people."""


@dataclass(frozen=True, slots=True)
class TableNames:
    """The names and chat texts of one version of a table."""

    table: Table
    names: Mapping[str, str]
    words: Mapping[str, str]
    changes: int
    """The counter of renames when the names were looked up."""
    expires_at: float

    def is_current(self, table: Table, changes: int) -> bool:
        """Are these names valid for this version of the table?"""
        cached = self.table
        if self.changes != changes:
            return False
        is_same = cached.seats is table.seats and cached.latecomers is table.latecomers and cached.host is table.host
        return cached is table or (is_same and cached.chat is table.chat)


class TableNamesCache:
    """LRU cache of `TableNames` by table."""

    def __init__(self, people: PeopleService, *, exclusive: bool) -> None:
        """`exclusive` if no other process can rename people."""
        self._people, self._ttl = people, _EXCLUSIVE_TTL_SECONDS if exclusive else _SHARED_TTL_SECONDS
        self._cached: LRUCache[str, TableNames] = LRUCache(_MAX_CACHED_TABLES)
        self._latest: tuple[Table | None, TableNames | None] = (None, None)
        """The last result and its table: viewers of one version are rendered one after another."""

    def peek(self, name: str, table: Table) -> TableNames | None:
        """The names of a table if they are cached; never reads the store."""
        latest, cached = self._latest
        if latest is not table:
            cached = self._cached.get(name)
        if cached is not None and cached.is_current(table, self._people.changes) and monotonic() <= cached.expires_at:
            self._latest = table, cached
            return cached
        if any(message.text_id for _, message in table.chat):
            return None
        names = self._people.peek_names(_named_people(table))
        return None if names is None else self._cache(name, table, names, {}, self._people.changes)

    async def get(self, name: str, table: Table) -> TableNames:
        """The names of a table, read from the store if necessary."""
        changes = self._people.changes  # a rename during the lookup may be missing from its result
        names = await self._people.names(_named_people(table))
        words = {
            message.text_id: await self._people.chat_text(message.text_id)
            for _, message in table.chat
            if message.text_id
        }
        return self._cache(name, table, names, words, changes)

    def _cache(
        self, name: str, table: Table, names: Mapping[str, str], words: Mapping[str, str], changes: int
    ) -> TableNames:
        names_of_table = self._cached[name] = TableNames(table, names, words, changes, monotonic() + self._ttl)
        self._latest = table, names_of_table
        return names_of_table


def _named_people(table: Table) -> set[str]:
    return listed_people(table) | {message.person for _, message in table.chat}
