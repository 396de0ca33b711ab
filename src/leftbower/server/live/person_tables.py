"""The tables of a person: open one, list them, leave all of them."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Final

from leftbower.errors import EventTable, LeftbowerError, LogEdited, TooMany
from leftbower.rules.house import HouseRules
from leftbower.server.http.rate_limit import Limits
from leftbower.server.live.tables import NOT_TABLES, TableService
from leftbower.server.observability.metrics import LIMITS_HIT
from leftbower.store import Guard, Listing
from leftbower.table import Left, Table, TimeControl

_MAX_LISTED_TABLES: Final = 200
"""Tables in a person's list, latest first."""
_LISTING_DEFAULTS: Final = {"phase": "", "title": "", "sheet": "", "host": "", "seats": {}}
"""Fields of a table in a list, with defaults for listings stored without them."""


class PersonTables:
    """Opens, lists and leaves tables for a person."""

    def __init__(self, tables: TableService, limits: Limits, *, entropy: Callable[[int], bytes]) -> None:
        self._tables, self._limits, self._entropy = tables, limits, entropy

    async def open(
        self, person: str, rules: HouseRules, level: str, *, title: str = "", clock: TimeControl = TimeControl.OFF
    ) -> tuple[str, Table]:
        """Create a table; returns its name and state. Raises TooOften, TooMany or QuotaExceeded.

        Open tables are counted before anything is written and again in the transaction that writes the table, so that
        concurrent requests in any process stay within the limit.
        """
        self._limits.anonymous.take(f"tables of {person}")
        guard = Guard(person, partial(self._check_open, person))
        guard.check(await self.list(person))
        await self._tables.usage.open_table(person)
        name = f"t{self._entropy(8).hex()}"
        return name, await self._tables.create(name, person, rules, level, title=title, clock=clock, guard=guard)

    async def list(self, person: str) -> list[dict[str, Any]]:
        """The tables where a person sits or is the host, latest first."""
        return [
            {
                "table": listing.log,
                **{name: listing.body.get(name, default) for name, default in _LISTING_DEFAULTS.items()},
            }
            for listing in await self.latest(person)
        ]

    async def latest(self, person: str, limit: int = _MAX_LISTED_TABLES) -> Sequence[Listing]:
        """The same as stored, with the time of the last change and the result of the last match."""
        listings = await self._tables.store.listings(person=person, limit=_MAX_LISTED_TABLES)
        return [listing for listing in listings if not listing.log.startswith(NOT_TABLES)][:limit]

    async def find(self, code: str) -> str:
        """The table with a join code; empty if there is none, or if two have the same."""
        listings = await self.latest(f"code:{code}", 2)
        return listings[0].log if len(listings) == 1 else ""

    async def leave_all(self, person: str) -> None:
        """Leave all tables, so that no match waits for an erased person."""
        for listing in await self._tables.store.listings(person=person):
            if listing.log.startswith(NOT_TABLES):
                continue
            try:
                await self._tables.execute(listing.log, person, Left(person=person))
            except EventTable:
                await self._tables.drop_out(listing.log, person)
            except LogEdited:
                continue  # the table is no longer served
            except LeftbowerError as error:
                if error.code not in ("not-seated", "unknown-table"):
                    raise

    def _check_open(self, person: str, listings: Sequence[Mapping[str, Any]]) -> None:
        limit = self._tables.quotas.tables_open
        if sum(listing.get("host") == person and listing.get("phase") != "over" for listing in listings) >= limit:
            LIMITS_HIT.labels("tables").inc()
            raise TooMany("you have %(limit)s tables open; leave one first", limit=limit)
