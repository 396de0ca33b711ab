"""Live events: commands on the cache of their ledgers, and the links that give people their roles."""

import asyncio
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from itertools import chain
from time import time
from typing import Any, Final
from weakref import WeakValueDictionary

from leftbower import errors
from leftbower.i18n import gettext_noop
from leftbower.server.live.event_workers import Checkpoint, Disconnected, EventWorkers
from leftbower.server.live.log_cache import VALID_NAME, LogCache, LogType, no_checkpoint
from leftbower.server.live.outage import Outage
from leftbower.server.live.tables import EVENT_LOG_PREFIX
from leftbower.server.quotas import Quotas, check_entry, check_event, exceeded
from leftbower.store import Head, Link, Row, Store, encode_fact, hash_token
from leftbower.tournament.entry.facts import OrganizersChanged
from leftbower.tournament.hall.facts import PlayerJoined, RejoinAllowed
from leftbower.tournament.hall.state import DESK
from leftbower.tournament.model.codec import entry_from_json, entry_to_json
from leftbower.tournament.model.facts import EventFact, EventOpened, LedgerEntry
from leftbower.tournament.model.plan import EventPlan
from leftbower.tournament.model.reducer import apply
from leftbower.tournament.model.roles import Role, RoleKind, authorize
from leftbower.tournament.model.state import Event
from leftbower.tournament.model.table_map import TableKey
from leftbower.tournament.model.validate import record
from leftbower.tournament.scoring.standings import join_names, standings

_ORGANIZER: Final = Role(kind=RoleKind.ORGANIZER)
EVENT_PHASE: Final = "event"
"""The phase in an event's listing."""
MAX_CACHED_EVENTS: Final = 100
MAX_ENTRIES: Final = 50_000
CODE_BYTES: Final = 16
SESSION_BYTES: Final = 24
"""Random bytes of a link's code and of a session's token; only their hashes are stored."""
_SHORT_LEDGER_ROWS: Final = 20
_SHORT_LEDGER_CHARS: Final = 20_000
"""Longer ledgers are folded by a worker instead of the event loop."""
_COMMIT_ROWS: Final = 50
_COMMIT_CHARS: Final = 100_000
"""Commit size of imports, so that actions at tables don't wait long behind one."""
_COMMIT_PAUSE_SECONDS: Final = 0.005
_WRITE_SECONDS_PER_CHAR: Final = 2e-6
"""Charged to a client for a commit: all actions wait about 10 ms for the largest draw of 900,000 characters, which one
client can then send every nine seconds."""
Command = Callable[[Event], Iterable[EventFact]]
"""Computes facts from the current event."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RoleLink:
    """The link of a role and its use."""

    role: Role
    created_at: float | None
    """When its code was created; None if it has none."""
    devices: int
    """Browsers with a session for this role."""


class EventService(LogCache[Event, LedgerEntry]):
    """The events of a store."""

    def __init__(
        self,
        store: Store,
        *,
        outage: Outage,
        on_change: Callable[[str, Event], None] = lambda name, event: None,
        watched: Callable[[], Collection[str]] = tuple,
        entropy: Callable[[int], bytes],
        clock: Callable[[], float] = time,
        moments: Callable[[str], None] = lambda moment: None,
        max_cached: int = MAX_CACHED_EVENTS,
        workers: EventWorkers | None = None,
        quotas: Quotas | None = None,
    ) -> None:
        """`watched` names the events to refresh on notifications; `clock` is the wall clock for ledgers and rounds."""
        super().__init__(store, EVENT_LOG, outage=outage, max_cached=max_cached, watched=watched, moments=moments)
        self.listeners.append(on_change)
        self.online_listeners: list[Callable[[str], None]] = []
        """Called with the name of an open online event that has changed."""
        self._quotas, self.entropy, self.clock = quotas or Quotas(), entropy, clock
        self.workers = workers or EventWorkers()
        """Threads for draws, imports and slow pages."""
        self._turns: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def close(self) -> None:
        """Cancel all tasks and jobs."""
        await super().close()
        self.workers.close()

    async def create(self, plan: EventPlan, *, facts: Command | None = None, person: str = "") -> tuple[str, str]:
        """Create an event with its first facts; return its name and the code of the organizer's link.

        Its own list shows it to the person, if any.
        """

        def job(checkpoint: Checkpoint) -> tuple[Sequence[str], Event]:
            opened = LedgerEntry(fact=EventOpened(plan=plan), by=_ORGANIZER.author, at=round(self.clock(), 3))
            event = record(None, opened)
            joined = [OrganizersChanged(people=(person,))] if person else []
            more, event = self._build_lines(
                event, _ORGANIZER, lambda state: chain(joined, facts(state) if facts else ()), "", "", checkpoint
            )
            return [encode_fact(entry_to_json(opened)), *more], event

        return await self._open(*(await self.workers.run("new events", job) if facts else job(no_checkpoint)))

    async def import_event(
        self,
        entries: Iterable[LedgerEntry],
        *,
        client: str = "",
        disconnected: Disconnected | None = None,
        person: str = "",
    ) -> tuple[str, str]:
        """Import a ledger as a new event; every line is validated.

        Links and joins are not imported: players join again. A worker iterates over the entries, off the event loop;
        imports of one client run one after another. The event becomes visible when all of it is written.
        """
        job = partial(_build_ledger, entries, person)
        turn = f"imports {client}"
        return await self._open(*await self.workers.run(turn, job, client=client, disconnected=disconnected))

    async def _open(self, lines: Sequence[str], event: Event) -> tuple[str, str]:
        """Write a new event, a long one in several commits; it is listed as closed until the last one."""
        check_event(self._quotas, event)
        name = self.entropy(5).hex()
        head = Head(0, b"")
        try:
            for start, end in _commits(lines):
                self.outage.check()
                unfinished = {"online": False, "closed": True} if end < len(lines) else {}
                listing = listing_of(event) | unfinished
                row = await self.store.append_encoded(
                    EVENT_LOG_PREFIX + name, start, lines[start:end], listing=listing, people=event.organizers
                )
                head = Head(row.seq, row.hash)
                if unfinished:
                    await asyncio.sleep(_COMMIT_PAUSE_SECONDS)
        except BaseException:
            if head.seq:
                with suppress(errors.LeftbowerError):
                    await self.store.remove_log(EVENT_LOG_PREFIX + name, head.seq)
            raise
        self._publish(name, None, [(event, head)])
        return name, await self.create_link(name, _ORGANIZER)

    async def execute(
        self,
        name: str,
        role: Role,
        command: Command,
        *,
        request_id: str = "",
        table_key: TableKey = DESK,
        seen_version: int | None = None,
        person: str = "",
        slow: bool = False,
        client: str = "",
        disconnected: Disconnected | None = None,
    ) -> Event:
        """Append all facts of a command, or none; returns the event after them, durable.

        With a `seen_version` the command is refused as Stale if the table or the desk has changed since. A `request_id`
        that was handled before is not executed again. `person` is recorded as the author, if known. Within a process
        the commands of an event run one after another. A `slow` command, such as a draw, runs in a worker, and is
        canceled if the caller has `disconnected`.
        """

        async def step(event: Event) -> Event:
            if request_id and request_id in event.hall.request_ids.get(table_key, ()):
                return event
            if seen_version is not None and event.table_version(table_key) > seen_version:
                raise errors.Stale("someone else just changed this; here is the current version", current=event.version)
            job = partial(self._build_lines, event, role, command, request_id, person)
            if slow:
                bodies, planned = await self.workers.run(name, job, client=client, disconnected=disconnected)
                self.workers.charge(client, _WRITE_SECONDS_PER_CHAR * sum(map(len, bodies)))
            else:
                bodies, planned = job(no_checkpoint)
            return await self.commit(name, event, bodies, planned) if bodies else event

        async with self._turns.setdefault(name, asyncio.Lock()):
            return await self.update(name, await self.get(name, min_version=seen_version or 0), step)

    def _build_lines(
        self, event: Event, role: Role, command: Command, request_id: str, person: str, checkpoint: Checkpoint
    ) -> tuple[Sequence[str], Event]:
        """The serialized ledger lines of a command, each with the request id, and the event after them."""
        now, by = round(self.clock(), 3), f"{role.author}{f' {person}' if person else ''}"
        lines = []
        for fact in command(event):
            checkpoint()
            requester = authorize(event, role, fact)
            check_entry(self._quotas, event, role, fact)
            entry = LedgerEntry(fact=fact, by=by, at=now, requested_by=requester, request_id=request_id)
            event = record(event, entry)
            checkpoint()
            lines.append(encode_fact(entry_to_json(entry)))
        return lines, event

    def _published(self, name: str, before: Event | None, after: Event, *, appended: bool, is_news: bool) -> None:
        if after.plan.online and not after.closed:
            for notify in self.online_listeners:
                notify(name)

    async def _replay(self, name: str, base: Event | None, rows: Sequence[Row]) -> Iterable[tuple[Event, Head]]:
        """Only the last version, because a command may have several facts. A worker folds long ledgers."""

        def replay(checkpoint: Checkpoint) -> Iterable[tuple[Event, Head]]:
            return deque(self._fold(name, base, rows, checkpoint), maxlen=1)

        return replay(no_checkpoint) if _is_short(rows) else await self.workers.run(name, replay, page=True)

    async def entries(self, name: str, *, client: str = "") -> list[LedgerEntry]:
        """The whole ledger, read by a worker."""
        with self.refusing_edits(name):
            rows = await self.store.checked_rows(EVENT_LOG_PREFIX + name)

        def read(checkpoint: Checkpoint) -> Iterator[LedgerEntry]:
            for row in rows:
                checkpoint()
                [stored] = self.store.parsed(EVENT_LOG_PREFIX + name, [row])
                yield entry_from_json(stored.fact)

        return await self.workers.run(name, lambda checkpoint: list(read(checkpoint)), client=client, page=True)

    # Links

    async def create_link(self, name: str, role: Role) -> str:
        """Create a code for a role. Its earlier code ends; sessions opened with that continue."""
        if role.number > self._quotas.links_per_event and role.kind in (RoleKind.HELPER, RoleKind.WALL):
            raise exceeded(
                "event", "an event has at most %(limit)s links for each role", limit=self._quotas.links_per_event
            )
        code = self.entropy(CODE_BYTES).hex()
        await self.store.replace_link(hash_token(code), EVENT_LOG_PREFIX + name, role.key)
        return code

    async def create_links(self, name: str, roles: Sequence[Role], *, shown_at: float | None = None) -> dict[Role, str]:
        """Create a code for each role; Stale if one of them got a code after the form was `shown_at`.

        So a form that is sent twice doesn't revoke the codes of the first response, which may already be printed.
        """
        async with self._turns.setdefault(name, asyncio.Lock()):
            if shown_at is not None:
                created = [link.created_at for link in await self.links(name) if link.role in roles]
                if any(time is not None and time > shown_at for time in created):
                    version = (await self.get(name)).version
                    raise errors.Stale("new links were just made; send the form again to replace them", current=version)
            codes = await asyncio.gather(*(self.create_link(name, role) for role in roles))
        return dict(zip(roles, codes, strict=True))

    async def create_session(self, name: str, role: Role) -> str:
        """Create a session for a browser that opened a link; return the token for its cookie."""
        token = self.entropy(SESSION_BYTES).hex()
        await self.store.add_link(hash_token(token), EVENT_LOG_PREFIX + name, role.key, session=True)
        return token

    async def role(self, name: str, token: str) -> Role | None:
        """The role of a code or session at this event; None for another event's, LinkRevoked if it was revoked."""
        link = await self.store.link(hash_token(token), ended=True) if VALID_NAME.fullmatch(token) else None
        if link is None or link.log != EVENT_LOG_PREFIX + name:
            return None
        if link.revoked is not None:
            raise errors.LinkRevoked("this link has ended; ask the desk for a new one")
        return Role.parse(link.kind)

    async def links(self, name: str) -> list[RoleLink]:
        """All roles of an event that have a code or a session."""
        active: dict[str, list[Link]] = {}
        for link in await self.store.links(EVENT_LOG_PREFIX + name):
            if link.revoked is None:
                active.setdefault(link.kind, []).append(link)
        return [_role_link(role, links) for word, links in active.items() if (role := Role.parse(word)) is not None]

    async def revoke_links(self, name: str, role: Role, *, except_token: str = "") -> None:
        """Revoke the code of a role and all its sessions, except the one with `except_token`."""
        await self.store.revoke_links(
            EVENT_LOG_PREFIX + name, role.key, but=hash_token(except_token) if except_token else None
        )


def _role_link(role: Role, links: Sequence[Link]) -> RoleLink:
    codes = [link.created for link in links if not link.session]
    return RoleLink(role=role, created_at=max(codes, default=None), devices=len(links) - len(codes))


def _build_ledger(entries: Iterable[LedgerEntry], person: str, checkpoint: Checkpoint) -> tuple[Sequence[str], Event]:
    """Validate and serialize a whole ledger, without joins, for a new organizer; returns its lines and the event."""
    event: Event | None = None
    lines = []
    for number, entry in enumerate(entries, 1):
        checkpoint()
        if number > MAX_ENTRIES:
            raise errors.BadLedger("a ledger must have 1 to %(limit)s lines", limit=MAX_ENTRIES)
        if isinstance(entry.fact, PlayerJoined | RejoinAllowed | OrganizersChanged):
            continue
        try:
            event = record(event, entry)
        except errors.LeftbowerError as why:
            raise errors.BadLedger("this line doesn't fit here: %(why)s", path=f"line {number}", why=why) from None
        lines.append(encode_fact(entry_to_json(entry)))
    if event is None:
        raise errors.BadLedger("a ledger must have 1 to %(limit)s lines", limit=MAX_ENTRIES)
    if person:
        entry = LedgerEntry(fact=OrganizersChanged(people=(person,)), by=_ORGANIZER.author, at=event.updated_at)
        event = record(event, entry)
        lines.append(encode_fact(entry_to_json(entry)))
    return lines, event


def _commits(bodies: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Start and end of each commit of an import."""
    start, chars = 0, 0
    for index, body in enumerate(bodies):
        if index > start and (index - start >= _COMMIT_ROWS or chars + len(body) > _COMMIT_CHARS):
            yield start, index
            start, chars = index, 0
        chars += len(body)
    yield start, len(bodies)


def _is_short(rows: Sequence[Row]) -> bool:
    return len(rows) <= _SHORT_LEDGER_ROWS and sum(len(row.body) for row in rows) <= _SHORT_LEDGER_CHARS


def may_expire(event: Event) -> bool:
    """Can the log of this event be removed? Only without entrants, sign-ups and rounds."""
    return not event.entrants and not event.applicants and not event.rounds


def listing_of(event: Event) -> dict[str, Any]:
    """The summary of an event for lists, written in the same commit."""
    return {
        "phase": EVENT_PHASE,
        "title": event.plan.title,
        "online": event.plan.online,
        "closed": event.closed,
        "begun": not may_expire(event),
        "starts": event.plan.starts,
        "entered": len(event.entrants),
        "rounds": len(event.rounds),
        "won": _winner(event) if event.closed and event.rounds else "",
    }


def _winner(event: Event) -> str:
    return join_names([event.entrants[line.entrant].name for line in standings(event) if line.place == 1][:3] or [""])


EVENT_LOG: Final[LogType[Event, LedgerEntry]] = LogType(
    unknown=errors.UnknownEvent,
    unknown_message=gettext_noop("there is no such event"),
    prefix=EVENT_LOG_PREFIX,
    apply=lambda event, entry, at: apply(event, entry),
    encode=entry_to_json,
    decode=entry_from_json,
    listing=listing_of,
    people=lambda log, before, after: (
        None if before is not None and before.organizers == after.organizers else after.organizers
    ),
    may_expire=may_expire,
    retried=(errors.Conflict, errors.EventError, errors.QuotaExceeded),
)
