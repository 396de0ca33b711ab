"""Counters that quotas are checked against, and the expiry of unused rows.

Both are in the store, so that they hold for all processes together.
"""

from abc import abstractmethod
from collections.abc import Sequence
from enum import StrEnum
from typing import Final

from leftbower.store.accounts import Listing
from leftbower.store.credentials import Credentials
from leftbower.store.facts import check_names

DAY: Final = 86_400
"""Seconds."""


class Rows(StrEnum):
    """Rows that are deleted when they are older than some time."""

    UNUSED_SESSIONS = "unused-sessions"
    """Sessions, by their last use."""
    ENDED_SESSIONS = "ended-sessions"
    """Sessions that were ended, by when."""
    ENDED_LINKS = "ended-links"
    """Links that were ended, by when."""
    WORDS = "words"
    """Chat in words of one's own, by when it was said."""
    CHALLENGES = "challenges"
    """Challenges for passkeys, by when they end."""
    USAGE = "usage"
    """Daily counters, by the start of their day."""
    REMOVED_LOGS = "removed-logs"
    """Heads of logs that were removed, by when."""


class Retention(Credentials):
    """Daily counters, turns between processes, and expiry. `now` replaces the database's time."""

    async def use(self, person: str, kind: str, amount: int, *, limit: int | None, now: float | None = None) -> bool:
        """Add to a person's counter of this kind and day, unless it would then be above `limit`; was it added?

        The day is that of the store's time, in UTC. One statement, so concurrent callers cannot pass the limit.
        """
        check_names([person, kind])
        if limit is not None and amount > limit:
            return False
        return await self._use(person, kind, amount, limit, _day(await self._moment(now)))

    async def used(self, person: str, kind: str, *, now: float | None = None) -> int:
        """A person's counter of this kind today."""
        return await self._used(person, kind, _day(await self._moment(now)))

    async def take_turn(self, name: str, every: float, *, now: float | None = None) -> bool:
        """Is it this caller's turn to do something that is done once in `every` seconds by all processes together?"""
        check_names([name])
        return await self._take_turn(name, every, await self._moment(now))

    @abstractmethod
    async def idle_guests(self, before: float, *, after: str = "", limit: int) -> Sequence[str]:
        """People without login and passkey, created before and unused since a time; by id, above `after`."""

    @abstractmethod
    async def erase_idle_guest(self, id: str, before: float) -> bool:
        """Erase a person as `erase_person` does, if they are still one of the idle guests; was it done?"""

    @abstractmethod
    async def idle_listings(self, before: float, *, after: Listing | None = None, limit: int) -> Sequence[Listing]:
        """What lists say of logs that have not moved since a time, the oldest first; on from `after`."""

    @abstractmethod
    async def count_expired(self, rows: Rows, before: float) -> int:
        """How many of these rows are older than a time."""

    @abstractmethod
    async def expire(self, rows: Rows, before: float) -> int:
        """Delete those of these rows that are older than a time; return how many there were."""

    @abstractmethod
    async def _use(self, person: str, kind: str, amount: int, limit: int | None, day: float) -> bool: ...
    @abstractmethod
    async def _used(self, person: str, kind: str, day: float) -> int: ...
    @abstractmethod
    async def _take_turn(self, name: str, every: float, now: float) -> bool: ...


def _day(moment: float) -> float:
    """When the day of a moment began."""
    return float(moment // DAY * DAY)
