"""The JSON of tables for their viewers, with display names, chat texts and the seconds on the clock."""

from leftbower.server.feeds.display_names import TableNames, TableNamesCache
from leftbower.server.feeds.json_cache import TableJsonCache
from leftbower.server.live.tables import TableService
from leftbower.table import Table, TimeControl


class TableJson:
    """Renders tables from the caches of names and JSON."""

    def __init__(self, names: TableNamesCache, tables: TableService) -> None:
        self._names, self._tables, self._cache = names, tables, TableJsonCache()

    async def text(self, name: str, table: Table, person: str | None, **members: object) -> bytes:
        """The table as a person may see it, cached per viewer, with extra `members` at the end.

        While a clock runs, `seconds_left` is one of them.
        """
        names = self._names.peek(name, table) or await self._names.get(name, table)
        return self._render(name, table, person, names, members)

    def peek(self, name: str, table: Table, person: str | None) -> bytes | None:
        """The same if all names are cached; otherwise None. Never reads the store."""
        names = self._names.peek(name, table)
        return None if names is None else self._render(name, table, person, names, {})

    def _render(
        self, name: str, table: Table, person: str | None, names: TableNames, members: dict[str, object]
    ) -> bytes:
        if table.clock is not TimeControl.OFF:
            members = {"seconds_left": self._tables.time_left(name, table), **members}
        return self._cache.text(name, table, person, names.names, names.words, **members)
