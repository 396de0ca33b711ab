"""Who is heard of at which table, and since when a house has known what: by a clock that nobody can set.

A house knows only its own clients. If it thinks that somebody has gone whom another house still hears, that one says
so, and this one does not ask again for a while.
"""

import asyncio
from collections import Counter, OrderedDict
from collections.abc import Callable
from math import inf
from typing import Final

from leftbower.table import Table, asked_person

_KEPT: Final = 20_000
"""So many tables, or people at them, are remembered."""
_ELSEWHERE: Final = 300.0
"""Seconds for which somebody whom another house hears is not missed here."""
Key = tuple[str, str]
"""A table and a person."""


def monotonic() -> float:
    """Seconds by the event loop's clock, which no operator and no time server moves."""
    return asyncio.get_running_loop().time()


class Stamps:
    """When this house came to know the versions that something is counted from."""

    def __init__(self) -> None:
        self._known: OrderedDict[str, dict[int, float]] = OrderedDict()
        self._tricks: dict[str, tuple[int, float]] = {}
        """The `trick_version` of each table, and when it was appended or read from another process."""

    def note(self, name: str, table: Table, *, is_news: bool = True) -> None:
        """This is how the table stands now. What was so before the house knew of it counts from now on.

        A trick is different: it has an age only if it `is_news`. In a log that is folded from its start, for instance
        after a restart, the last trick may be hours old, and counts as gathered.
        """
        now, before = monotonic(), self._known.pop(name, {})
        if table.trick_version != self._tricks.get(name, (0, 0.0))[0]:
            self._tricks[name] = table.trick_version, now if is_news else -inf
        counted = {table.version, table.moved, *table.away.values(), *table.covered.values(), *table.removed.values()}
        self._known[name] = {version: before.get(version, now) for version in counted}
        self._trim()

    def _trim(self) -> None:
        while len(self._known) > _KEPT:
            oldest, _ = self._known.popitem(last=False)
            self._tricks.pop(oldest, None)

    def trick_age(self, name: str, table: Table) -> float:
        """Seconds since the last trick was complete; infinite if this process did not see it being completed."""
        version, completed = self._tricks.get(name, (0, -inf))
        return monotonic() - completed if version == table.trick_version else inf

    def since(self, name: str, version: int) -> float:
        """Seconds since this house has known a version of a table, or has been asked this for the first time."""
        now = monotonic()
        since = now - self._known.setdefault(name, {}).setdefault(version, now)
        self._trim()
        return since

    def forget(self, name: str) -> None:
        """Drop a table whose log was removed."""
        self._known.pop(name, None)
        self._tricks.pop(name, None)

    def restart(self) -> None:
        """Nothing could be done for a while, which costs nobody anything: everything counts from now on."""
        self._known.clear()
        self._tricks.clear()


class Presence:
    """Whom this house hears: whoever has a feed open, and whoever has asked for something lately."""

    def __init__(self, gone: Callable[[str, str], None], *, grace: float, deserted: float, blink: float) -> None:
        """`gone` is told of a person who was heard of at a table and no longer is; a `blink` of seconds is nothing."""
        self._gone, self._grace, self._deserted, self._blink = gone, grace, deserted, blink
        self._feeds: Counter[Key] = Counter()
        self._heard: OrderedDict[Key, float] = OrderedDict()
        self._closed = False

    def close(self) -> None:
        """Whoever goes now does not drop out: it is the house that goes."""
        self._closed = True

    def hear(self, name: str, person: str, *, seconds: float = 0.0) -> None:
        """Somebody has asked for something at a table, or will not be missed for so long."""
        self._heard[name, person] = monotonic() + seconds
        self._heard.move_to_end((name, person))
        while len(self._heard) > _KEPT:
            self._heard.popitem(last=False)

    def listens(self, name: str, person: str) -> bool:
        """Has a person a feed of a table open here?"""
        return self._feeds[name, person] > 0

    def begin(self, name: str, person: str) -> None:
        """A feed was opened."""
        self._feeds[name, person] += 1

    def end(self, name: str, person: str) -> None:
        """A feed was ended; the last one may mean that the person has gone."""
        self._feeds[name, person] -= 1
        if self._feeds[name, person] <= 0:
            del self._feeds[name, person]
            if not self._closed:
                self.hear(name, person)
                asyncio.get_running_loop().call_later(self._blink, self._look, name, person)

    def learn(self, name: str, before: Table, after: Table) -> str | None:
        """A table has changed; a person who is said to have gone, and listens here."""
        lately = monotonic() - self._blink
        for person in before.away.keys() - after.away.keys():
            if not self.listens(name, person) and self._heard.get((name, person), lately) <= lately:
                self.hear(name, person, seconds=_ELSEWHERE)
        return next((person for person in after.away if self.listens(name, person)), None)

    def missed(self, name: str, table: Table, asked_for: float) -> tuple[str, float] | None:
        """A person of whom nothing is heard though something should be, and the seconds until that is too long.

        At a match this is who has been asked for so long; before and after one it is whoever has just gone silent.
        """
        person = asked_person(table)
        if table.gathering:
            silent = [(self._quiet_for(name, one), one) for one in table.present if not self.listens(name, one)]
            return (max(silent)[1], max(self._deserted - max(silent)[0], 0.0)) if silent else None
        if person is None or person not in table.present or self.listens(name, person):
            return None
        return person, max(self._grace - min(asked_for, self._quiet_for(name, person)), 0.0)

    def _quiet_for(self, name: str, person: str) -> float:
        """Seconds since a person was heard of; somebody of whom nothing is known is missed from now on."""
        if (name, person) not in self._heard:
            self.hear(name, person)
        return monotonic() - self._heard[name, person]

    def _look(self, name: str, person: str) -> None:
        quiet = self._quiet_for(name, person) > 0.9 * self._blink  # timers may be a little early
        if quiet and not self._closed and not self.listens(name, person):
            self._gone(name, person)
