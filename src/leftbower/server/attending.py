"""What the house does of its own accord: it sees to each table, and does what is owed there until people are asked.

Nobody owns a table. Who appended last goes on at once; who only heard of it waits a little, and whoever is too late
drops the work. Once in a while a steward makes a round of all tables, in case everybody else went down.
"""

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Callable, Container, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from importlib.metadata import version as installed
from random import Random
from typing import Final, Protocol

from leftbower.dealing import ENTROPY
from leftbower.engine import View, view
from leftbower.errors import Conflict, LogEdited, StoreClosed, UnknownTable
from leftbower.players.advice import Advice
from leftbower.players.decision_rng import Purpose, cut_rng, decision_rng
from leftbower.rules.seats import Seat
from leftbower.server.logs import tell_of
from leftbower.server.name_commitments import commit_names
from leftbower.server.outages import Outage
from leftbower.server.presence import Presence, Stamps
from leftbower.server.quotas import Quotas, is_match_full, is_presence_full
from leftbower.server.thinking import Thinkers
from leftbower.store import Store
from leftbower.table import (
    PATIENT,
    ActDue,
    Acted,
    Closed,
    CloseDue,
    CoverDue,
    Covered,
    CutDue,
    CutMade,
    CutOffered,
    DealDue,
    Dealt,
    DeckDue,
    DrawDue,
    Drawn,
    Dropped,
    Due,
    LastCardDue,
    MatchOpened,
    OpeningDue,
    PartnerDue,
    Sealed,
    Table,
    TableFact,
    Terms,
    TimedOut,
    TimeDue,
    due,
)

_KEPT: Final = 10_000
"""So many tables are remembered at which nothing was owed."""
_LATE: Final = 1.0
"""Seconds by which what was appended may be seen late, as its commit took long."""
_NOW: Final = 0.001
"""Seconds that are not worth waiting."""
_SELDOM: Final = 10
"""So many times as long is a round waited for where nobody else moves a table."""
_LIVE: Final = frozenset({"drawing", "dealing", "cutting", "playing"})
_LISTENING: Final = 0.3
"""Seconds after which a server that was opened listens; then it sees to the tables that were being played."""
_BREATH: Final = 0.001
"""Seconds between two of them, for whoever asks."""
_SHORTEST, _LONGEST = 0.2, 20.0
"""Seconds after which the house tries again where it failed, growing from the one to the other."""
_log = logging.getLogger("leftbower.house")


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """How fast a house goes, in seconds."""

    bots: float = 0.0
    """How long what nobody needs to think about takes, on the average, where people look on."""
    terms: Terms = field(default_factory=Terms)
    others: float = 0.5
    """How long another house, which appended last, is given to go on."""
    rounds: float = 0.5
    """How often all tables are looked at."""
    head_start: float = 0.0
    """For how long at most tables are folded before anything is done; others serve meanwhile."""


class Tables(Protocol):
    """Where a steward finds tables, and writes what is done at them."""

    store: Store
    stamps: Stamps
    presence: Presence
    outage: Outage

    @property
    def logs(self) -> Container[str]:
        """The logs that are refused, as they were edited."""

    def known(self, name: str) -> int | None:
        """The version up to which a table is known here."""

    def at_hand(self, name: str) -> Table | None:
        """The table as it is known here, if it is."""

    async def table(self, name: str) -> Table:
        """The table as it is known here, or as it stands in the store."""

    async def refresh(self, name: str) -> Table:
        """The table as it stands in the store."""

    async def append(self, name: str, table: Table | None, fact: TableFact) -> Table:
        """One more fact behind this version of a table, or the Conflict."""


class Steward:
    """Sees to tables: at most one task for each, and none for those where people are asked."""

    def __init__(self, tables: Tables, *, entropy: Callable[[int], bytes], pace: Pace, quotas: Quotas) -> None:
        self._tables, self._entropy, self.pace, self._quotas = tables, entropy, pace, quotas
        self._thinkers = Thinkers()
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._timers: dict[str, asyncio.TimerHandle] = {}
        """Tables that others are given time to go on with."""
        self._alarms: dict[str, asyncio.TimerHandle] = {}
        """Tables at which something happens unless people prevent it."""
        self._quiet: OrderedDict[str, int] = OrderedDict()
        self._looked_until = 0.0
        self._rounds: asyncio.Task[None] | None = None
        self._closed = False

    def __len__(self) -> int:
        """How many tables are being seen to."""
        return len(self._tasks) + len(self._timers)

    async def open(self) -> None:
        """Go on with every match that was being played, and make rounds from now on."""
        listings = await self._tables.store.listings()
        live = [listing.log for listing in listings if listing.body.get("phase") in _LIVE]
        await self._get_to_know(live)
        self._rounds = asyncio.create_task(self._go_on(live), name="leftbower rounds")

    async def _get_to_know(self, live: Sequence[str]) -> None:
        """Fold the latest tables first, as far as there is time: later, people would wait for it."""
        loop = asyncio.get_running_loop()
        end = loop.time() + self.pace.head_start
        for name in live:
            if loop.time() >= end:
                return
            with suppress(LogEdited):
                await self._tables.table(name)

    async def close(self) -> None:
        """Drop everything; what was answered is in the store."""
        self._closed = True
        for timer in (*self._timers.values(), *self._alarms.values()):
            timer.cancel()
        self._timers.clear()
        self._alarms.clear()
        tasks = [*self._tasks.values(), *([self._rounds] if self._rounds else [])]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self._thinkers.close()

    async def advise(self, table: Table, seen: View) -> Advice:
        """What the coach says to a seat; asked again about the same version, the same."""
        return await self._thinkers.advise(seen, _rng(table, seen, Purpose.ADVICE))

    def see_to(self, name: str) -> None:
        """Do what is owed at a table, unless that is being done: whoever does it looks again before leaving."""
        self._forget_timers(name)
        running = self._tasks.get(name)
        if (running is None or running.done()) and not self._closed and not self._rests(name):
            task = asyncio.get_running_loop().create_task(self._see_to(name), name=f"leftbower table {name}")
            self._tasks[name] = task
            task.add_done_callback(lambda ended: self._forget_task(name, ended))

    def see_to_later(self, name: str) -> None:
        """The same, if nothing more is heard of the table for a while."""
        self._forget_timers(name)
        if not self._closed:
            self._timers[name] = asyncio.get_running_loop().call_later(self.pace.others, self.see_to, name)

    def forget(self, name: str) -> None:
        """Drop a table whose log was removed; a task that is at it ends when it looks again."""
        self._forget_timers(name)
        self._quiet.pop(name, None)

    def _forget_task(self, name: str, ended: asyncio.Task[None]) -> None:
        """Somebody may have begun anew between the end of a task and the word of it."""
        if self._tasks.get(name) is ended:
            del self._tasks[name]

    def _forget_timers(self, name: str) -> None:
        for timers in (self._timers, self._alarms):
            if timer := timers.pop(name, None):
                timer.cancel()

    def _rests(self, name: str) -> bool:
        """Is a table known here at which people are asked? Then there is nothing to do, as after most acts."""
        table = self._tables.at_hand(name)
        if table is None or self._thinkers.may_remark(table):
            return False
        owed = due(table, self.pace.terms)
        if (owed is not None and not isinstance(owed, PATIENT)) or self._in_time(name, table, owed) is not None:
            return False
        self._remember_quiet(name, table.version)
        return True

    async def _see_to(self, name: str) -> None:
        """One thing after another until nothing is owed. What fails is logged and tried again, ever more slowly."""
        seen, wait = 0, _SHORTEST
        while True:
            await self._tables.outage.wait()
            try:
                table = await self._tables.table(name)
                if table.version == seen:
                    self._remember_quiet(name, seen)
                    return
                fact = await self._owed(name, table)
                if fact is not None:
                    await self._tables.append(name, table, fact)
                seen, wait = table.version, _SHORTEST
            except Conflict:
                await self._look_again(name)
            except (LogEdited, StoreClosed, UnknownTable):
                return
            except Exception as error:
                if not self._tables.outage.noticed(error):
                    tell_of(_log, "the house failed at a table, and will try again", error)
                await asyncio.sleep(wait)
                wait = min(2 * wait, _LONGEST)

    async def _look_again(self, name: str) -> None:
        try:
            await self._tables.refresh(name)
        except UnknownTable:
            return  # its log was removed
        except Exception as error:
            tell_of(_log, "a table could not be read, which will be tried again", error)
            await asyncio.sleep(_SHORTEST)

    def _remember_quiet(self, name: str, version: int) -> None:
        self._quiet[name] = version
        self._quiet.move_to_end(name)
        while len(self._quiet) > _KEPT:
            self._quiet.popitem(last=False)

    async def _go_on(self, names: Sequence[str]) -> None:
        """See to one table after another, the latest first: whoever asks meanwhile waits for one and not for all.

        The first of those who ask come when we listen, so that comes before everything else.
        """
        await asyncio.sleep(_LISTENING if names else 0.0)
        for name in names:
            await asyncio.sleep(_BREATH)
            try:
                await self._tables.table(name)
            except StoreClosed:
                return
            except Exception as error:
                tell_of(_log, "a table could not be read, which will be tried again", error)
            self.see_to(name)
        await self._make_rounds()

    async def _make_rounds(self) -> None:
        while True:
            await asyncio.sleep(self.pace.rounds * (1 if self._tables.store.shared else _SELDOM))
            await self._tables.outage.wait()
            try:
                await self._make_a_round()
            except StoreClosed:
                return
            except Exception as error:
                if not self._tables.outage.noticed(error):
                    tell_of(_log, "a round was not finished", error)

    async def _make_a_round(self) -> None:
        """Look at tables of which a hint was lost, and see to live ones that nobody moves though something is owed.

        Each is looked at when nobody has moved it for a while, however many there are.
        """
        store = self._tables.store
        rested = await store.now() - self.pace.others
        for listing in await store.listings(since=min(self._looked_until, rested) - _LATE):  # clocks can be set back
            if listing.updated >= rested or listing.log in self._tables.logs:
                continue
            if (self._tables.known(listing.log) or listing.seq) < listing.seq:
                with suppress(LogEdited):
                    await self._tables.refresh(listing.log)
            if listing.body.get("phase") in _LIVE and self._quiet.get(listing.log) != listing.seq:
                self.see_to(listing.log)
        self._looked_until = rested

    async def _owed(self, name: str, table: Table) -> TableFact | None:
        """The fact that is owed at this version, when it is; None if nothing is, or somebody was faster."""
        remark = await self._thinkers.remark(table, lambda seen: _rng(table, seen, Purpose.REMARK))
        if remark is not None:
            return Acted(action=remark)
        owed = due(table, self.pace.terms)
        if owed is None or isinstance(owed, PATIENT):
            return self._in_time(name, table, owed)
        if isinstance(owed, DeckDue) and is_match_full(self._quotas, table):
            return Closed()
        played = isinstance(owed, ActDue | CutDue | DealDue | LastCardDue) and bool(table.people)
        after = owed.after + (self.pace.bots * table.tempo.times * hesitation(name, table) if played else 0.0)
        fact = await self._done(name, table, owed)  # thought of before it is due, so that thinking takes no longer
        await asyncio.sleep(max(after - self._tables.stamps.since(name, owed.since), 0.0))
        return fact if (await self._tables.table(name)).version == table.version else None

    def _in_time(self, name: str, table: Table, owed: Due | None) -> TableFact | None:
        """What happens unless people prevent it, if it is time; else somebody looks again when it is."""
        stamps = self._tables.stamps
        coming: list[tuple[float, TableFact]] = []
        if owed is not None:
            coming.append((owed.after - stamps.since(name, owed.since), _unprevented(owed)))
        unnoted = table.closed or (table.gathering and is_presence_full(self._quotas, table))
        missed = None if unnoted else self._tables.presence.missed(name, table, stamps.since(name, table.moved))
        if missed is not None:
            coming.append((missed[1], Dropped(person=missed[0])))
        wait, fact = min(coming, key=lambda one: one[0], default=(0.0, None))
        if wait < _NOW:
            return fact
        self._forget_timers(name)
        if not self._closed:
            self._alarms[name] = asyncio.get_running_loop().call_later(wait, self.see_to, name)
        return None

    async def _done(self, name: str, table: Table, owed: Due) -> TableFact:
        match owed:
            case OpeningDue():
                names = await commit_names(self._tables.store, table.people, self._entropy)
                return MatchOpened(table=name, names=names, version=installed("leftbower"))
            case DrawDue():
                return Drawn(entropy=self._entropy(ENTROPY).hex())
            case DeckDue():
                late = set(table.waiting.values()) - table.names.keys()
                names = await commit_names(self._tables.store, late, self._entropy) if late else {}
                return Sealed(entropy=self._entropy(ENTROPY).hex(), names=names)
            case CutDue():
                return CutMade(seat=owed.seat, number=0 if owed.declined else _bots_cut(table, owed.seat))
            case DealDue():
                return CutOffered(seat=owed.seat) if table.may_offer_cut else Dealt(seat=owed.seat)
            case LastCardDue() | PartnerDue():
                return Acted(action=owed.action)
            case ActDue():
                assert table.hand is not None
                seen = view(table.hand, owed.seat)
                return Acted(action=await self._thinkers.act(owed.level, seen, _rng(table, seen, Purpose.ACT)))
        return _unprevented(owed)


def _unprevented(owed: Due) -> TableFact:
    match owed:
        case CoverDue():
            return Covered(person=owed.person)
        case TimeDue():
            return TimedOut(person=owed.person)
        case CloseDue():
            return Closed()
    raise AssertionError(f"{type(owed).__name__} waits for nobody")


def hesitation(name: str, table: Table) -> float:
    """How much longer or shorter than usual something takes that nobody needs to think about.

    It is the same for a bot with five cards to choose from, a bot with one, and a person's last card that plays itself:
    how long it took tells nothing of what was held.
    """
    return 0.5 + Random(f"{name}:{table.version}:hesitation").random()


def _bots_cut(table: Table, seat: Seat) -> int:
    """How many cards a bot lifts, from the secret of the sealed deck; 0 for none."""
    assert table.sealed is not None
    return cut_rng(table.sealed.bot_secret, seat).randrange(len(table.rules.deck))


def _rng(table: Table, seen: View, purpose: Purpose) -> Random:
    """Random numbers from the secret of the present deal and its public history; never from table or version."""
    assert table.sealed is not None
    return decision_rng(table.sealed.bot_secret, seen, cut=table.cut or 0, purpose=purpose)
