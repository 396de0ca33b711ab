"""Presence of people at tables, and ages of table versions, by the event loop's monotonic clock.

A process knows only its own clients. If it reports a person as gone who is connected to another process, that process
records the return, and this one does not report the person again for a while.
"""

import asyncio
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from math import inf
from typing import Final, NamedTuple

from cachetools import LRUCache

from leftbower.table import TRICK_DISPLAY_SECONDS, Table, Timeouts, person_to_act

_MAX_ENTRIES: Final = 20_000
"""Entries in memory: tables, or people at tables."""
_ACTIVE_ELSEWHERE_SECONDS: Final = 300.0
"""How long a person connected to another process is not reported as gone here."""
Key = tuple[str, str]
"""A table and a person."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Timing(Timeouts):
    """Delays of a server, in seconds."""

    bot_delay: float = 0.0
    """Average delay of bots' and automatic actions while people are at the table."""
    trick_display: float = TRICK_DISPLAY_SECONDS
    """How long pages show a complete trick."""
    disconnect_delay: float = 3.0
    """From the end of a person's last feed until they count as disconnected."""
    removed_for: float = 300.0
    """How long a player removed by the host can't sit down at that table again."""
    takeover_delay: float = 0.5
    """How long other processes leave a table to the process that appended last."""
    poll_interval: float = 0.5
    """Interval of polls of all tables."""
    head_start: float = 0.0
    """Maximum time at start-up in which tables are only folded into the cache, while other processes serve."""


def monotonic() -> float:
    """Seconds on the event loop's clock, which can't be set back."""
    return asyncio.get_running_loop().time()


class _TableTimes(NamedTuple):
    """The times of one table."""

    first_seen: dict[int, float]
    trick: tuple[int, float]
    """The `trick_version`, and when it was appended or read from another process."""


_NEW_TABLE: Final = _TableTimes({}, (0, -inf))


class VersionTimes:
    """When this process first saw the table versions from which timeouts count."""

    def __init__(self) -> None:
        self._times: LRUCache[str, _TableTimes] = LRUCache(_MAX_ENTRIES)

    def record(self, name: str, table: Table, *, is_news: bool = True) -> None:
        """Record a new version; earlier unknown versions count from now.

        A trick has an age only if it `is_news`: in a log that is folded from its start, as after a restart, the last
        trick may be hours old and counts as gathered.
        """
        now, recorded = monotonic(), self._times.get(name, _NEW_TABLE)
        trick = recorded.trick
        if table.trick_version != trick[0]:
            trick = table.trick_version, now if is_news else -inf
        versions = {table.version, table.game_version}
        versions |= {*table.away.values(), *table.substituted.values(), *table.removed.values()}
        first_seen = {version: recorded.first_seen.get(version, now) for version in versions}
        self._times[name] = _TableTimes(first_seen, trick)

    def trick_age(self, name: str, table: Table) -> float:
        """Seconds since the last trick was complete; infinite if this process didn't see it completed."""
        version, completed = self._times.get(name, _NEW_TABLE).trick
        return monotonic() - completed if version == table.trick_version else inf

    def age(self, name: str, version: int) -> float:
        """Seconds since this process first saw a version of a table, or was first asked for its age."""
        now = monotonic()
        if name not in self._times:
            self._times[name] = _TableTimes({}, _NEW_TABLE.trick)
        return now - self._times[name].first_seen.setdefault(version, now)

    def forget(self, name: str) -> None:
        """Drop a removed table."""
        self._times.pop(name, None)

    def reset(self) -> None:
        """Count all ages from now: no player may lose time to an outage."""
        self._times.clear()


class Presence:
    """The people connected to this process: those with an open feed, and those with a recent request."""

    def __init__(self, on_disconnect: Callable[[str, str], None], timing: Timing) -> None:
        """`on_disconnect` is called with table and person `disconnect_delay` seconds after their last feed closed."""
        self._on_disconnect, self._timing = on_disconnect, timing
        self._feeds: Counter[Key] = Counter()
        self._last_active: LRUCache[Key, float] = LRUCache(_MAX_ENTRIES)
        self._closed = False

    def close(self) -> None:
        """Stop reporting: at shutdown it is the server that ends the feeds, not the people."""
        self._closed = True

    def mark_active(self, name: str, person: str, *, seconds: float = 0.0) -> None:
        """Record a request of a person; with `seconds`, they count as present for that long."""
        self._last_active[name, person] = monotonic() + seconds

    def is_listening(self, name: str, person: str) -> bool:
        """Does the person have a feed of the table open in this process?"""
        return self._feeds[name, person] > 0

    def feed_opened(self, name: str, person: str) -> None:
        self._feeds[name, person] += 1

    def feed_closed(self, name: str, person: str) -> None:
        """Count a closed feed; after the last one, check for a disconnect after `disconnect_delay`."""
        self._feeds[name, person] -= 1
        if self._feeds[name, person] <= 0:
            del self._feeds[name, person]
            if not self._closed:
                self.mark_active(name, person)
                asyncio.get_running_loop().call_later(self._timing.disconnect_delay, self._check, name, person)

    def update(self, name: str, old: Table, new: Table, *, is_news: bool) -> str | None:
        """Process a new version of a table; returns a person who is away in it but has a feed open here.

        A return that `is_news` counts as activity in another process; one in a replayed log may be hours old.
        """
        recently = monotonic() - self._timing.disconnect_delay
        for person in old.away.keys() - new.away.keys() if is_news else ():
            if not self.is_listening(name, person) and self._last_active.get((name, person), recently) <= recently:
                self.mark_active(name, person, seconds=_ACTIVE_ELSEWHERE_SECONDS)
        return next((person for person in new.away if self.is_listening(name, person)), None)

    def silent_person(self, name: str, table: Table, turn_seconds: float) -> tuple[str, float] | None:
        """A person without any sign of life, and the seconds until they count as gone.

        During a match this is the player to act, whose turn has lasted `turn_seconds`; before and after it, the one
        silent for the longest time.
        """
        person = person_to_act(table)
        if table.gathering:
            silent = [
                (self._silent_for(name, member), member)
                for member in table.present
                if not self.is_listening(name, member)
            ]
            return (max(silent)[1], max(self._timing.idle_timeout - max(silent)[0], 0.0)) if silent else None
        if person is None or person not in table.present or self.is_listening(name, person):
            return None
        return person, max(self._timing.reconnect_grace - min(turn_seconds, self._silent_for(name, person)), 0.0)

    def _silent_for(self, name: str, person: str) -> float:
        """Seconds since the last sign of a person; counted from now if there was none."""
        if (name, person) not in self._last_active:
            self.mark_active(name, person)
        return monotonic() - self._last_active[name, person]

    def _check(self, name: str, person: str) -> None:
        is_silent = (
            self._silent_for(name, person) > 0.9 * self._timing.disconnect_delay
        )  # timers may fire slightly early
        if is_silent and not self._closed and not self.is_listening(name, person):
            self._on_disconnect(name, person)
