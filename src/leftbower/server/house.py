"""The house: tables as folds of their logs, kept in memory and never owned.

Everything goes the same way, whoever asks: fold, allow, append behind the version that was folded, answer, tell. Who
loses the race for a version folds again. So any number of houses may serve the same store.
"""

import asyncio
import logging
import re
import secrets
from collections import OrderedDict
from collections.abc import Callable, Collection, Coroutine, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any, Final

from leftbower.errors import (
    Conflict,
    NoHints,
    NothingDealt,
    QuotaExceeded,
    RuleViolation,
    Stale,
    StoreError,
    StoreUnreachable,
    TableError,
    UnknownTable,
    WasRemoved,
)
from leftbower.players.advice import Advice
from leftbower.rules.house import HouseRules
from leftbower.server.attending import Pace, Steward
from leftbower.server.checked_logs import CheckedLogs
from leftbower.server.logs import tell_of
from leftbower.server.metrics import ACTS, APPENDS
from leftbower.server.outages import Outage
from leftbower.server.presence import Presence, Stamps
from leftbower.server.quotas import Quotas, Usage, check_request, is_presence_full
from leftbower.store import Guard, Head, Hint, Store, Stored
from leftbower.table import (
    DESERTED,
    EVENT_GRACE,
    GRACE,
    PAUSE,
    TRICK_SHOWN_SECONDS,
    Acted,
    Agreed,
    Clock,
    Created,
    CutMade,
    CutOffered,
    Dealt,
    Dropped,
    Person,
    Returned,
    Sat,
    Table,
    TableFact,
    Terms,
    TimeDue,
    act_key,
    after,
    allow,
    as_stored,
    check,
    due,
    from_plain,
    phase,
    seen_by,
    to_plain,
)

Tell = Callable[[str, Table], None]
"""Called with every new version of a table, in order, once it is durable."""

_TRIES: Final = 20
"""How often a request that depends on no version is tried again when others were faster."""
_KEPT: Final = 2000
"""So many tables stay folded."""
REMOVED_FOR_SECONDS: Final = 300.0
"""How long whoever a host removed cannot sit down at that table again."""
EVENT_LOG: Final = "event-"
"""How the logs of events begin, which are no tables."""
_NAME: Final = re.compile(r"[A-Za-z0-9._-]{1,64}")
_log = logging.getLogger("leftbower.house")


class House:
    """Serves the tables of a store."""

    def __init__(
        self,
        store: Store,
        *,
        tell: Tell = lambda log, table: None,
        watched: Callable[[], Collection[str]] = tuple,
        entropy: Callable[[int], bytes] = secrets.token_bytes,
        moments: Callable[[str], None] = lambda moment: None,
        kept: int = _KEPT,
        pace: float = 0.0,
        pause: float = PAUSE,
        trick_shown: float = TRICK_SHOWN_SECONDS,
        grace: float = GRACE,
        event_grace: float = EVENT_GRACE,
        deserted: float = DESERTED,
        removed_for: float = REMOVED_FOR_SECONDS,
        blink: float = 3.0,
        others: float = 0.5,
        rounds: float = 0.5,
        head_start: float = 0.0,
        outage: Outage | None = None,
        quotas: Quotas | None = None,
    ) -> None:
        """`entropy` is the system's randomness; tests hand in another. So many tables are `kept` folded.

        Tables that are `watched` are followed by hints though they were let go of. `quotas` limit what is written.

        Seconds: what bots do takes `pace` on the average, people have a `pause` between hands, somebody who drops out
        for more than a `blink` is waited for with `grace`, in events with `event_grace`, and all of them until the
        table is `deserted`; `others` who appended last have so long to go on, and `rounds` of all tables are made so
        often. For a `head_start` of so long at most nothing is done but to fold the tables that are being played.
        Pages show a complete trick for `trick_shown` seconds. Who was removed stays away `removed_for` so long.
        """
        self.store, self._moments, self._kept = store, moments, kept
        self.told: list[Tell] = [tell]
        """Called with every new version of a table, in order, once it is durable."""
        self.removed: list[Callable[[str], None]] = []
        """Called with the name of a table whose log was removed."""
        self.quotas = quotas or Quotas()
        self.usage = Usage(store, self.quotas)
        self._watched, self._trick_shown, self._removed_for = watched, trick_shown, removed_for
        self.outage = outage or Outage(store)
        self.logs = CheckedLogs(lambda: self.store, dropped=self._drop)
        """Where tables are read from and written to; those that were edited are refused."""
        self.stamps = Stamps()
        self.outage.recovered = self.stamps.restart
        self.presence = Presence(self._has_gone, grace=grace, deserted=deserted, blink=blink)
        terms = Terms(pause=pause, grace=grace, event_grace=event_grace, deserted=deserted)
        going = Pace(bots=pace, terms=terms, others=others, rounds=rounds, head_start=head_start)
        self._steward = Steward(self, entropy=entropy, pace=going, quotas=self.quotas)
        self._errands: set[asyncio.Task[None]] = set()
        self._tables: OrderedDict[str, Table] = OrderedDict()
        self._hinted: dict[str, int] = {}
        self._catching_up: dict[str, asyncio.Task[None]] = {}
        self._stop_listening: Callable[[], None] = lambda: None

    @property
    def pace(self) -> float:
        """Seconds that what bots do takes on the average."""
        return self._steward.pace.bots

    @property
    def busy(self) -> int:
        """How many tables are being seen to."""
        return len(self._steward) + len(self._catching_up) + len(self._errands)

    @property
    def folded(self) -> int:
        """How many tables are kept at hand."""
        return len(self._tables)

    async def open(self) -> None:
        """Go on with every match that was being played when the house was closed, or went down."""
        self._stop_listening = await self.store.listen(self._heard)
        await self._steward.open()

    async def close(self) -> None:
        """Let go of everything; what was answered is in the store."""
        self._stop_listening()
        self.presence.close()
        tasks = [*self._catching_up.values(), *self._errands]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self.usage.close()
        await self._steward.close()

    def at_hand(self, name: str) -> Table | None:
        """The table as it is folded here, if it is."""
        return self._tables.get(name)

    def known(self, name: str) -> int | None:
        """The version up to which a table is folded here."""
        table = self._tables.get(name)
        return None if table is None else table.version

    async def create(
        self,
        name: str,
        person: str,
        rules: HouseRules,
        level: str,
        *,
        title: str = "",
        clock: Clock = Clock.OFF,
        guard: Guard | None = None,
    ) -> Table:
        """A new table under this name, if the `guard` allows it."""
        opened = Created(person=person, rules=rules, level=level, title=title, clock=clock)
        return await self.append(name, None, opened, guard=guard)

    async def table(self, name: str, *, seen: int = 0) -> Table:
        """The table as it is known here, but not older than what somebody has `seen` of it; or UnknownTable."""
        table = self._tables.get(name)
        if table is None or table.version < seen:
            return await self.refresh(name)
        self._tables.move_to_end(name)
        return table

    async def ask(self, name: str, person: str, request: TableFact, *, version: int | None = None) -> Table:
        """Do what a person asks for, if it is allowed; the table after it, durable.

        With a version the request is meant for exactly that one, and Stale says that the table has moved on. An act
        whose id is known was done before: it is answered with the table as it stands, and not done again.
        """
        counted = False
        table = await self.table(name)
        self.presence.hear(name, person)
        if version is not None and version > table.version:
            table = await self.refresh(name)  # another house may have told its clients more than we have heard
        for _ in range(_TRIES):
            if was_done(table, person, request):
                return table
            if version is not None and not table.moved <= version <= table.version:
                raise Stale(f"the table is at version {table.version}, not at {version}", current=table.version)
            try:
                if person in table.away and not is_presence_full(self.quotas, table):
                    table = await self.append(name, table, Returned(person=person))
                check(table, person, request)
                self._check_removed(name, table, request)
                check_request(self.quotas, table, person, request)
                if not counted:
                    await self.usage.count(person, request)
                    counted = True
                if person in table.away and not table.gathering:
                    allow(table, person, request)  # beyond the quota, who comes back has something to do
                    table = await self.append(name, table, Returned(person=person))
                return await self.append(name, table, self._timed(name, table, request))
            except (Conflict, TableError, RuleViolation, QuotaExceeded) as refused:
                known, table = table, await self.refresh(name)
                if table.version == known.version:
                    raise refused from None
        raise Stale("too many ask for the same at once", current=table.version)

    async def advise(self, name: str, person: str) -> Advice:
        """What the coach says to a person about the hand that is played, where the table lets them ask."""
        table = await self.table(name)
        seen = seen_by(table, person) if table.hand is not None else None
        if not table.may_ask_the_coach(person):
            raise NoHints("at this table nobody asks the coach in the middle of a hand")
        if seen is None or seen.seat is None:
            raise NothingDealt("no hand is being played", state=None)
        return await self._steward.advise(table, seen)

    async def append(self, name: str, table: Table | None, fact: TableFact, *, guard: Guard | None = None) -> Table:
        """One more fact behind this version of a table, durable when this returns; only then anybody hears of it."""
        # What cannot be folded is refused before it is written. The time of it is the store's.
        planned = after(table, fact, table.at if table else 0.0)
        expected = table.version if table else 0
        moved = None if table is not None and _concerns_the_same(table, planned) else concerned_by(planned)
        listing, seal = listing_of(planned), table.hash or None if table else None
        self.outage.check()
        with APPENDS.taken():
            stored = await self.logs.append(
                name, expected, [to_plain(fact)], listing=listing, people=moved, guard=guard, hash=seal
            )
        if isinstance(fact, Acted):
            ACTS.add("person" if fact.act else "house")
        self._moments("before-answer")
        learnt = self._learn(name, table, stored, planned)
        self._steward.see_to(name)
        return learnt

    async def hear(self, name: str, person: str) -> None:
        """A person looks at a table: whoever had dropped out is back, and in an event whoever comes has agreed."""
        table = await self.table(name)
        self.presence.hear(name, person)
        with suppress(StoreError):  # who only looks may look, whatever can be written
            if person in table.away:
                await self._say(name, Returned(person=person))
            if _comes(table, person):
                await self._agree(name, person)

    async def part(self, name: str, person: str) -> None:
        """Somebody who has a seat at a table will not be heard of any more."""
        await self._say(name, Dropped(person=person))

    async def latest(self, name: str) -> Table:
        """The table as it stands in the store; while that is gone, as it was known here."""
        if not self.outage.gone:
            try:
                return await self.refresh(name)
            except StoreUnreachable as error:
                self.outage.noticed(error)
        return await self.table(name)

    async def refresh(self, name: str) -> Table:
        """The table as it stands in the store, or UnknownTable."""
        known = self._tables.get(name)
        if known is None and (not is_name(name) or name.startswith(EVENT_LOG)):
            raise UnknownTable("there is no such table")
        stored = await self.logs.read(name, Head(known.version, known.hash) if known else None)
        if known is None and not stored:
            raise UnknownTable("there is no such table")
        if known is not None and not stored and await self._was_removed(name, known):
            self._forget(name)
            raise UnknownTable("there is no such table")
        before = self.known(name)
        table = self._learn(name, known, stored)
        if known is not None and table.version != before:
            self._steward.see_to_later(name)
        return table

    def _drop(self, name: str) -> None:
        """Keep a table no longer whose log was edited."""
        self._tables.pop(name, None)

    async def _was_removed(self, name: str, table: Table) -> bool:
        """Was the log of a table removed? Only tables at which no match began are."""
        return may_expire(table) and (await self.store.head(name)).seq < table.version

    def _forget(self, name: str) -> None:
        """Drop everything about a table whose log was removed."""
        if self._tables.pop(name, None) is not None:
            self._steward.forget(name)
            self.stamps.forget(name)
        for removed in self.removed:
            removed(name)

    def _learn(self, name: str, known: Table | None, stored: Sequence[Stored], planned: Table | None = None) -> Table:
        """Fold facts that go on from a table that was known, tell of each, and keep what comes of it.

        Others may have folded some of them meanwhile, or the table may have been let go of: the latest one counts. What
        was `planned` is the table after the one fact, folded before it was written.
        """
        kept = self._tables.get(name)
        table = kept if known is None or (kept is not None and kept.version > known.version) else known
        is_news = table is not None
        for one in stored:
            if one.seq == (table.version if table else 0) + 1:
                before = table
                if planned is None or before is not known:
                    planned = self.logs.fold(name, one.seq, partial(_folded, before, one))
                table, planned = as_stored(planned, one.at, one.hash), None
                self.stamps.note(name, table, is_news=is_news)
                for tell in self.told:
                    tell(name, table)
                if before is not None and (person := self.presence.learn(name, before, table)):
                    self._send(self._say(name, Returned(person=person)))
        assert table is not None
        self._tables[name] = table
        self._tables.move_to_end(name)
        while len(self._tables) > self._kept:
            self._tables.popitem(last=False)
        return table

    def left(self, name: str, table: Table) -> float | None:
        """Seconds until the time of whoever is asked runs out, as far as this house knows."""
        owed = due(table)
        if not isinstance(owed, TimeDue):
            return None
        return round(max(owed.after - self.stamps.since(name, owed.since), 0.0), 1)

    def trick_left(self, name: str, table: Table) -> float:
        """Seconds for which pages still show the last complete trick to everyone; 0 once it is gathered."""
        return max(self._trick_shown - self.stamps.trick_age(name, table), 0.0)

    def _check_removed(self, name: str, table: Table, request: TableFact) -> None:
        """Raise WasRemoved for who sits down too soon after the host removed them."""
        since = table.removed.get(request.person) if isinstance(request, Sat) else None
        if since is not None and self.stamps.since(name, since) < self._removed_for:
            raise WasRemoved("the host removed you from this table a moment ago; wait some minutes")

    def _timed(self, name: str, table: Table, fact: TableFact) -> TableFact:
        """What a person does, with the seconds it took, where a clock runs."""
        if table.clock is Clock.OFF or not isinstance(fact, Acted | CutOffered | CutMade | Dealt):
            return fact
        return replace(fact, spent=round(self.stamps.since(name, table.moved), 3))

    def _has_gone(self, name: str, person: str) -> None:
        """Nothing is heard any more of somebody who listened to a table."""
        self._send(self._say(name, Dropped(person=person)))

    async def _say(self, name: str, fact: Dropped | Returned) -> None:
        """Write down who is there, if that is news."""
        for _ in range(_TRIES):
            table = await self.table(name)
            said = fact.person in table.away
            if fact.person not in table.people or said == isinstance(fact, Dropped):
                return
            if is_presence_full(self.quotas, table) and (table.gathering or isinstance(fact, Returned)):
                return
            with suppress(Conflict):
                await self.append(name, table, fact)
                return
            await self.refresh(name)

    async def _agree(self, name: str, person: str) -> None:
        """A person has come to a table of an event."""
        for _ in range(_TRIES):
            table = await self.table(name)
            if not _comes(table, person):
                return
            with suppress(Conflict):
                await self.append(name, table, Agreed(person=person))
                return
            await self.refresh(name)

    def _send(self, errand: Coroutine[None, None, None]) -> None:
        """Have something done of which nobody waits for the end; what fails is logged."""

        def ended(task: asyncio.Task[None]) -> None:
            self._errands.discard(task)
            if not task.cancelled() and (error := task.exception()):
                tell_of(_log, "what is known of somebody could not be written", error)

        task = asyncio.get_running_loop().create_task(errand)
        self._errands.add(task)
        task.add_done_callback(ended)

    def _heard(self, hint: Hint) -> None:
        """Somebody appended something; a hint that names no table says that some were lost."""
        watched = self._watched()
        if hint.log and not hint.seq:
            self._forget(hint.log)
            return
        for name in [hint.log] if hint.log else {*self._tables, *watched}:
            known = self.known(name)
            if known is None and name in watched:
                known = 0
            if known is not None and (not hint.log or hint.seq > known):
                self._hinted[name] = hint.seq
                if name not in self._catching_up:
                    self._catching_up[name] = asyncio.get_running_loop().create_task(self._catch_up(name))

    async def _catch_up(self, name: str) -> None:
        """Read on until no hint has come since; what fails here is read on the next round."""
        try:
            while self._hinted.pop(name, None) is not None:
                await self.refresh(name)
        except UnknownTable:
            pass  # it was removed
        except Exception as error:
            tell_of(_log, "a table could not be read", error)
        finally:
            del self._catching_up[name]


def _folded(table: Table | None, stored: Stored) -> Table:
    return after(table, from_plain(stored.fact), stored.at)


def is_name(word: str) -> bool:
    """Can a table or a link go by this? Nothing else is looked up, for not every database can look up every text."""
    return _NAME.fullmatch(word) is not None


def may_expire(table: Table) -> bool:
    """Is it a table at which no match ever began, and none of an event? Its log can be removed; others never are."""
    return table.match_number == 0 and not table.event


def was_done(table: Table, person: str, request: TableFact) -> bool:
    """Has this person done this very act before, by its id?"""
    return isinstance(request, Acted) and bool(request.act) and act_key(person, request.act) in table.acts


def _comes(table: Table, person: str) -> bool:
    """Does a person who is heard of come to play the match of an event?"""
    waited_for = table.people - table.agreed
    return bool(table.event) and table.match is None and not table.closed and person in waited_for


def listing_of(table: Table) -> Mapping[str, Any]:
    """What lists say of a table; it goes into the same commit."""
    sitters = {
        str(seat): {"person": one.id} if isinstance(one, Person) else {"bot": one.level}
        for seat, one in table.seats.items()
    }
    return {
        "phase": phase(table),
        "title": table.title,
        "host": table.host,
        "sheet": str(table.rules.sheet),
        "seats": sitters,
        "begun": not may_expire(table),
    }


def _concerns_the_same(before: Table, table: Table) -> bool:
    same = before.seats is table.seats and before.waiting is table.waiting and before.host == table.host
    return same or concerned_by(before) == concerned_by(table)


def concerned_by(table: Table) -> set[str]:
    """In whose lists a table stands: who sit there, or will with the next hand, and the host."""
    return {*table.people, *table.waiting.values(), table.host} - {""}
