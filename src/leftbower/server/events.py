"""Events: evenings as folds of their ledgers, kept at hand and never owned; links say who may tell them what.

Everything goes the same way, whoever asks: fold, allow by role and by the rules of the event, append behind the version
that was folded, answer, tell. Who loses the race folds again.
"""

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from time import time
from typing import Any, Final
from weakref import WeakValueDictionary

from leftbower.errors import (
    BadLedger,
    Conflict,
    EventError,
    LeftbowerError,
    LinkRevoked,
    LogEdited,
    QuotaExceeded,
    Stale,
    UnknownEvent,
)
from leftbower.server.checked_logs import CheckedLogs, folded
from leftbower.server.event_workers import Checkpoint, Disconnected, EventWorkers, no_checkpoint
from leftbower.server.house import EVENT_LOG, is_name
from leftbower.server.logs import tell_of
from leftbower.server.metrics import APPENDS
from leftbower.server.outages import Outage
from leftbower.server.quotas import Quotas, check_entry, check_event, exceeded
from leftbower.store import Head, Hint, Link, Row, Store, hash_token, spelled
from leftbower.tournament import (
    DESK,
    Entry,
    Event,
    EventFact,
    Joined,
    Kind,
    Opened,
    Place,
    Plan,
    RejoinAllowed,
    Role,
    after,
    asks_as,
    from_plain,
    record,
    to_plain,
)

LOG: Final = EVENT_LOG
PHASE: Final = "event"
"""What listings say of them."""
_TRIES: Final = 20
_KEPT: Final = 100
"""So many events stay folded."""
MAX_ENTRIES: Final = 50_000
CODE_BYTES: Final = 16
SESSION_BYTES: Final = 24
"""Random bytes of a link's code, and of a session's token: both are kept as hashes only."""
_SHORT_LEDGER_ROWS: Final = 20
_SHORT_LEDGER_CHARS: Final = 20_000
"""What is read of a ledger is folded by the event loop where it is no longer than this, and else by a worker."""
_COMMIT_ROWS: Final = 50
_COMMIT_CHARS: Final = 100_000
"""An import is written in commits of this size, so that acts at tables do not wait long behind one."""
_COMMIT_PAUSE_SECONDS: Final = 0.005
_WRITE_SECONDS_PER_CHAR: Final = 2e-6
"""What a client is charged for a commit: everybody's acts wait for the largest draw, 900,000 characters, about 10 ms,
and may do so every nine seconds."""
_log = logging.getLogger("leftbower.events")
Steps = Callable[[Event], Iterable[EventFact]]
"""What is to be told, worked out from the event as it stands."""
Lines = Callable[[Event], Awaitable[tuple[Sequence[str], Event]]]
"""The lines it takes as they are stored, and the event after them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RoleLink:
    """How people come in by one role."""

    role: Role
    made: float | None
    """When its code was made; None if it has none."""
    devices: int
    """How many browsers have come in by it."""


class Events:
    """The events of a store."""

    def __init__(
        self,
        store: Store,
        *,
        outage: Outage,
        tell: Callable[[str, Event], None] = lambda name, event: None,
        watched: Callable[[], Collection[str]] = tuple,
        entropy: Callable[[int], bytes],
        clock: Callable[[], float] = time,
        moments: Callable[[str], None] = lambda moment: None,
        kept: int = _KEPT,
        workers: EventWorkers | None = None,
        quotas: Quotas | None = None,
    ) -> None:
        """Events that are `watched` are followed by hints; `clock` is the time of day, for ledgers and round clocks."""
        self._quotas = quotas or Quotas()
        self.store, self.outage, self.entropy, self.clock = store, outage, entropy, clock
        self.told: list[Callable[[str, Event], None]] = [tell]
        """Called with every new version of an event, in order, once it is durable."""
        self.removed: list[Callable[[str], None]] = []
        """Called with the name of an event whose log was removed."""
        self._watched, self._moments, self._kept = watched, moments, kept
        self.workers = workers or EventWorkers()
        """Where draws and imports are computed, and the pages that take long."""
        self._logs = CheckedLogs(lambda: self.store, dropped=lambda log: self._drop(log.removeprefix(LOG)))
        self._events: OrderedDict[str, Event] = OrderedDict()
        self._heads: dict[str, Head] = {}
        """Where the log of each event ends that is kept, at the version that is kept."""
        self._turns: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self._catching_up: dict[str, asyncio.Task[None]] = {}
        self._stop_listening: Callable[[], None] = lambda: None

    async def open(self) -> None:
        """Hear of what other processes append."""
        self._stop_listening = await self.store.listen(self._heard)

    async def close(self) -> None:
        """Let go of everything."""
        self._stop_listening()
        tasks = [*self._catching_up.values()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        self.workers.close()

    async def create(self, plan: Plan) -> tuple[str, str]:
        """A new event: its name, and the code by which its organiser comes in."""
        return await self._open(*_recorded([Entry(fact=Opened(plan=plan), by="desk", at=self._now())], no_checkpoint))

    async def bring(
        self, entries: Iterable[Entry], *, client: str = "", disconnected: Disconnected | None = None
    ) -> tuple[str, str]:
        """An event that was begun elsewhere, with its ledger, under a new name; every line of it is checked.

        Links are not carried along, so nobody has joined yet: who has joined elsewhere joins again. A worker iterates
        over the entries, so that reading them costs the event loop nothing. Imports of one client take turns with each
        other, as if they were one event. Nobody knows the event until it is written to its end.
        """
        job = partial(_recorded, entries)
        turn = f"imports {client}"
        return await self._open(*await self.workers.run(turn, job, client=client, disconnected=disconnected))

    async def _open(self, lines: Sequence[str], event: Event) -> tuple[str, str]:
        """Write a new event, a long one in several commits: until the last one lists have it as closed."""
        check_event(self._quotas, event)
        name = self.entropy(5).hex()
        written, head = 0, Head(0, b"")
        try:
            for start, end in _commits(lines):
                self.outage.check()
                unfinished = {"online": False, "closed": True} if end < len(lines) else {}
                listing = listing_of(event) | unfinished
                head = await self.store.append_spelled(LOG + name, start, lines[start:end], listing=listing, people=())
                written = end
                if unfinished:
                    await asyncio.sleep(_COMMIT_PAUSE_SECONDS)
        except BaseException:
            if written:
                with suppress(LeftbowerError):
                    await self.store.remove_log(LOG + name, written)
            raise
        self._learn(name, event, head)
        return name, await self.link(name, Role(kind=Kind.ORGANISER))

    async def event(self, name: str, *, seen: int = 0) -> Event:
        """The event as it is known here, but not older than what somebody has seen of it; or UnknownEvent."""
        event = self._events.get(name)
        if event is None or event.version < seen:
            return await self.refresh(name)
        self._events.move_to_end(name)
        return event

    async def tell(
        self,
        name: str,
        role: Role,
        steps: Steps,
        *,
        act: str = "",
        place: Place = DESK,
        seen: int | None = None,
        person: str = "",
        slow: bool = False,
        client: str = "",
        disconnected: Disconnected | None = None,
    ) -> Event:
        """Tell an event what a role may tell it: all of it, or nothing; the event after it, durable.

        Whoever says what they have `seen` of a table, or of the desk, is told Stale if it has moved on since; the
        latest acts of a place are known by their names and not done again. `person` says who it was, where that
        is known. Within a process one has its turn after the other, so that a whole hall may tap at once. What is
        `slow`, as a draw may be, is worked out by the event's worker, unless the caller has `disconnected`.
        """

        async def lines(event: Event) -> tuple[Sequence[str], Event]:
            job = partial(self._lines, event, role, steps, act, person)
            if not slow:
                return job(no_checkpoint)
            bodies, planned = await self.workers.run(name, job, client=client, disconnected=disconnected)
            self.workers.charge(client, _WRITE_SECONDS_PER_CHAR * sum(map(len, bodies)))
            return bodies, planned

        async with self._turns.setdefault(name, asyncio.Lock()):
            return await self._tell(name, lines, act, place, seen)

    async def _tell(self, name: str, lines: Lines, act: str, place: Place, seen: int | None) -> Event:
        event = await self.event(name)
        if seen is not None and seen > event.version:
            event = await self.refresh(name)
        for _ in range(_TRIES):
            if act and act in event.hall.acts.get(place, ()):
                return event
            if seen is not None and event.moved(place) > seen:
                raise Stale("somebody has changed this meanwhile; here is what is there now", current=event.version)
            try:
                return await self._append(name, event, *await lines(event))
            except (Conflict, EventError, QuotaExceeded) as refused:
                known, event = event, await self.refresh(name)
                if event.version == known.version:
                    raise refused from None
        raise Stale("too many tell the same at once", current=event.version)

    def _lines(
        self, event: Event, role: Role, steps: Steps, act: str, person: str, checkpoint: Checkpoint
    ) -> tuple[Sequence[str], Event]:
        """The lines as they are stored, and the event after them. What a step takes names its first fact, so that all
        of it is done once."""
        now, by = self._now(), f"{role.who}{f' {person}' if person else ''}"
        lines = []
        for fact in steps(event):
            checkpoint()
            asks = asks_as(event, role, fact)
            check_entry(self._quotas, event, role, fact)
            entry = Entry(fact=fact, by=by, at=now, asks=asks, act=act)
            event = record(event, entry)
            checkpoint()
            lines.append(spelled(to_plain(entry)))
        return lines, event

    async def _append(self, name: str, event: Event, lines: Sequence[str], planned: Event) -> Event:
        if not lines:
            return event
        head = self._heads.get(name)
        seal = head.hash if head and head.seq == event.version else None
        self.outage.check()
        with APPENDS.taken():
            end = await self._logs.append_spelled(
                LOG + name, event.version, lines, listing=listing_of(planned), hash=seal
            )
        self._moments("before-answer")
        self._learn(name, planned, end)
        return self._events[name]

    async def refresh(self, name: str) -> Event:
        """The event as it stands in the store, or UnknownEvent."""
        known = self._events.get(name)
        rows = await self._logs.rows(LOG + name, self._heads.get(name)) if is_name(name) else ()
        if known is None and not rows:
            raise UnknownEvent("there is no such event")
        if known is not None and not rows and await self._was_removed(name, known):
            self._forget(name)
            raise UnknownEvent("there is no such event")
        fold = partial(self._fold, name, known, rows)
        try:
            event = fold(no_checkpoint) if _is_short(rows) else await self.workers.run(name, fold, page=True)
        except LogEdited as error:
            self._logs.refuse(LOG + name, error)
            raise
        if rows:
            self._learn(name, event, Head(rows[-1].seq, rows[-1].hash))
        return self._events.get(name, event)

    def _fold(self, name: str, known: Event | None, rows: Sequence[Row], checkpoint: Checkpoint) -> Event:
        """The event after those of the rows that are not in it; what was learned since they were read is not folded
        again."""
        event = self._events.get(name, known)
        for row in rows:
            if row.seq == (event.version if event else 0) + 1:
                checkpoint()
                event = folded(LOG + name, row.seq, partial(self._after, event, name, row))
        assert event is not None
        return event

    def _after(self, event: Event | None, name: str, row: Row) -> Event:
        [stored] = self.store.parsed(LOG + name, [row])
        return after(event, from_plain(stored.fact))

    async def entries(self, name: str, *, client: str = "") -> list[Entry]:
        """The whole ledger, read by a worker."""
        rows = await self._logs.rows(LOG + name)

        def read(checkpoint: Checkpoint) -> Iterator[Entry]:
            for row in rows:
                checkpoint()
                [stored] = self.store.parsed(LOG + name, [row])
                yield from_plain(stored.fact)

        return await self.workers.run(name, lambda checkpoint: list(read(checkpoint)), client=client, page=True)

    # Links

    async def link(self, name: str, role: Role) -> str:
        """A new code for a role. Earlier codes of it end; browsers that came in by them stay in."""
        if role.number > self._quotas.links_per_event and role.kind in (Kind.HELPER, Kind.WALL):
            raise exceeded("event", f"an event has at most {self._quotas.links_per_event} links of a {role.kind}")
        code = self.entropy(CODE_BYTES).hex()
        await self.store.replace_link(hash_token(code), LOG + name, role.word)
        return code

    async def linked(self, name: str, roles: Sequence[Role], *, seen: float | None = None) -> dict[Role, str]:
        """A new code for each of these roles; Stale if one of them got a code after what the caller has `seen`.

        So a form that is sent twice does not end the codes of the first answer, which may be on paper by then.
        """
        async with self._turns.setdefault(name, asyncio.Lock()):
            if seen is not None:
                made = [link.made for link in await self.links(name) if link.role in roles]
                if any(one is not None and one > seen for one in made):
                    version = (await self.event(name)).version
                    raise Stale(
                        "new links were made a moment ago; send the form again to replace them", current=version
                    )
            codes = await asyncio.gather(*(self.link(name, role) for role in roles))
        return dict(zip(roles, codes, strict=True))

    async def admit(self, name: str, role: Role) -> str:
        """A session for a browser that comes in by a code: the token for its cookie."""
        token = self.entropy(SESSION_BYTES).hex()
        await self.store.add_link(hash_token(token), LOG + name, role.word, session=True)
        return token

    async def role(self, name: str, token: str) -> Role | None:
        """What a code or session is good for at this event; None if it is none of it, LinkRevoked if it was ended."""
        link = await self.store.link(hash_token(token), ended=True) if is_name(token) else None
        if link is None or link.log != LOG + name:
            return None
        if link.revoked is not None:
            raise LinkRevoked("this link was ended or replaced; ask at the desk for a new one")
        return Role.of(link.kind)

    async def links(self, name: str) -> list[RoleLink]:
        """Every role of an event that has a code, or a browser that came in by one."""
        good: dict[str, list[Link]] = {}
        for link in await self.store.links(LOG + name):
            if link.revoked is None:
                good.setdefault(link.kind, []).append(link)
        return [_role_link(role, links) for word, links in good.items() if (role := Role.of(word)) is not None]

    async def end_link(self, name: str, role: Role, *, but: str = "") -> None:
        """End the code of a role and every session that came in by it, at once; on request `but` for one token."""
        await self.store.revoke_links(LOG + name, role.word, but=hash_token(but) if but else None)

    # Keeping up

    def _learn(self, name: str, event: Event, head: Head) -> None:
        """Keep an event, whose log ends at `head`, and tell of it, unless a later one is kept already."""
        kept = self._events.get(name)
        if kept is None or kept.version < event.version:
            self._keep(name, event, head)
            for tell in self.told:
                tell(name, event)

    async def _was_removed(self, name: str, event: Event) -> bool:
        """Was the log of an event removed? Only unopened ones are."""
        return may_expire(event) and (await self.store.head(LOG + name)).seq < event.version

    def _forget(self, name: str) -> None:
        """Drop an event whose log was removed."""
        self._drop(name)
        for removed in self.removed:
            removed(name)

    def _keep(self, name: str, event: Event, head: Head) -> None:
        self._events[name], self._heads[name] = event, head
        self._events.move_to_end(name)
        while len(self._events) > self._kept:
            self._drop(next(iter(self._events)))

    def _drop(self, name: str) -> None:
        self._events.pop(name, None)
        self._heads.pop(name, None)

    def _heard(self, hint: Hint) -> None:
        """Somebody appended something; a hint that names no log says that some were lost."""
        names = [hint.log.removeprefix(LOG)] if hint.log.startswith(LOG) else []
        if names and not hint.seq:
            self._forget(names[0])
            return
        for name in names if hint.log else {*self._events, *self._watched()}:
            known = self._events.get(name)
            behind = known.version < hint.seq if known and hint.log else name in self._watched() or not hint.log
            if behind and name not in self._catching_up:
                task = asyncio.get_running_loop().create_task(self._catch_up(name))
                self._catching_up[name] = task

    async def _catch_up(self, name: str) -> None:
        try:
            await self.refresh(name)
        except UnknownEvent:
            pass  # it was removed
        except Exception as error:
            tell_of(_log, "an event could not be read", error)
        finally:
            del self._catching_up[name]

    def _now(self) -> float:
        return round(self.clock(), 3)


def _role_link(role: Role, links: Sequence[Link]) -> RoleLink:
    codes = [link.created for link in links if not link.session]
    return RoleLink(role=role, made=max(codes, default=None), devices=len(links) - len(codes))


def _recorded(entries: Iterable[Entry], checkpoint: Checkpoint) -> tuple[Sequence[str], Event]:
    """A whole ledger as it is stored, every line of it allowed where it stands, and its event; but who has joined."""
    event: Event | None = None
    lines = []
    for number, entry in enumerate(entries, 1):
        checkpoint()
        if number > MAX_ENTRIES:
            raise BadLedger(f"a ledger has 1 to {MAX_ENTRIES} lines")
        if isinstance(entry.fact, Joined | RejoinAllowed):
            continue
        try:
            event = record(event, entry)
        except LeftbowerError as why:
            raise BadLedger(f"this line cannot stand here: {why}", place=f"line {number}") from None
        lines.append(spelled(to_plain(entry)))
    if event is None:
        raise BadLedger(f"a ledger has 1 to {MAX_ENTRIES} lines")
    return lines, event


def _commits(bodies: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Where each commit of an import starts and ends."""
    start, chars = 0, 0
    for at, body in enumerate(bodies):
        if at > start and (at - start >= _COMMIT_ROWS or chars + len(body) > _COMMIT_CHARS):
            yield start, at
            start, chars = at, 0
        chars += len(body)
    yield start, len(bodies)


def _is_short(rows: Sequence[Row]) -> bool:
    return len(rows) <= _SHORT_LEDGER_ROWS and sum(len(row.body) for row in rows) <= _SHORT_LEDGER_CHARS


def may_expire(event: Event) -> bool:
    """Is it an event in which nobody was entered and nothing drawn? Its log can be removed; others never are."""
    return not event.entrants and not event.rounds


def listing_of(event: Event) -> dict[str, Any]:
    """What lists say of an event; it goes into the same commit."""
    return {
        "phase": PHASE,
        "title": event.plan.title,
        "online": event.plan.online,
        "closed": event.closed,
        "begun": not may_expire(event),
    }
