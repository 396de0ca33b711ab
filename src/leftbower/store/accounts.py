"""People, their sessions, links to tables, and listings: SQL tables next to the logs.

Logs have only opaque ids, so erasing a person here erases them everywhere. SQLite and PostgreSQL use the same
statements.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields
from functools import cache
from typing import Any, Final, TypeAlias, TypeVar

from leftbower.errors import AlreadyThere, NotThere, Unstorable, show
from leftbower.store.facts import Plain, check_names, check_text, parse_stored
from leftbower.store.token_hash import TokenHash, is_hash

T = TypeVar("T")
Found: TypeAlias = Sequence[Sequence[Any]]
"""The rows returned by a statement."""
Steps: TypeAlias = Generator[tuple[str, Sequence[object]], Found, T]
"""The statements of one transaction with their values; it is sent the rows of each. Raises nothing after a write."""

TIME_TYPES: Final = (float, float | None)
"""Types of record fields that hold a time; records have no other floats."""
MAX_LINKS: Final = 64
"""Codes, and sessions, of one kind at one log; one more deletes an ended one, or else the oldest."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """A player, guest or with an account."""

    id: str
    """The id in logs."""
    name: str
    """The name that others at the table see."""
    created: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """A browser or program that acts for a person."""

    token: TokenHash
    person: str
    log: str | None
    """The only log where it acts; None for everywhere. A person has at most one valid session per log."""
    created: float
    last_used: float
    revoked: float | None
    """When it ended; None while it is valid."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """The hash of a code that is valid for one purpose at one log, or of a session opened with such a code."""

    token: TokenHash
    log: str
    kind: str
    session: bool
    """Is it the cookie of a browser that opened a code? A new code of the same kind does not end it."""
    created: float
    revoked: float | None
    """When it ended; None while it is valid."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BoundName:
    """The name of a person at the start of a match; a log has only the commitment, so that the name can be erased."""

    commitment: str
    person: str
    salt: str
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """The summary of a log for lists, written in the same commit as the facts it describes."""

    log: str
    seq: int
    """The last fact it describes."""
    body: Plain
    updated: float


MAX_TIME_SECONDS: Final = 1e10
"""In seconds since 1970; a later time is a mistake."""
NO_LIMIT: Final = 1 << 62
"""More rows than any SQL table has, for statements that need a limit."""


class AccountTables(ABC):
    """People, sessions, links and listings. Writes are on disk on return; `now` replaces the database's time.

    `_query` reads, `_execute` writes with one statement, `_transact` with several.
    """

    shared: bool = False
    """Can other processes change it at the same time?"""
    session_generation: int = 0
    """Number of times this object ended sessions; a change invalidates caches of sessions."""

    @abstractmethod
    async def now(self) -> float:
        """The database's time in seconds since 1970, to the millisecond; the same for all processes."""

    @abstractmethod
    async def _query(self, statement: str, *values: object) -> Found: ...
    @abstractmethod
    async def _execute(self, statement: str, *values: object) -> Found: ...
    @abstractmethod
    async def _transact(self, steps: Callable[[], Steps[T]], *, lock: str = "") -> T:
        """Run the statements in one transaction, after any other with the same `lock`; returns their result."""

    async def _moment(self, now: float | None) -> float:
        return await self.now() if now is None else from_ms(to_ms(now))

    async def _records(self, kind: type[T], statement: str, *values: object) -> Sequence[T]:
        """The rows of a statement as records."""
        return [from_row(kind, row) for row in await self._query(statement, *values)]

    async def _record(self, kind: type[T], statement: str, *values: object) -> T | None:
        rows = await self._query(statement, *values)
        return from_row(kind, rows[0]) if rows else None

    # People

    async def add_person(self, id: str, name: str, *, now: float | None = None) -> Person:
        """Add a person under a new id; AlreadyThere if the id exists."""
        check_names([id])
        person = Person(id=id, name=check_text(name), created=await self._moment(now))
        if not await self._execute(_ADD_PERSON, *to_row(person)):
            raise AlreadyThere("person %(id)s is already in the store", id=id)
        return person

    async def rename_person(self, id: str, name: str) -> bool:
        """Change a person's name; returns whether the person exists."""
        return bool(await self._execute("update people set name = $2 where id = $1 returning id", id, check_text(name)))

    async def erase_person(self, id: str) -> bool:
        """Erase a person's name, sessions, credentials, chat texts and bound names; returns whether they existed."""
        with self._ending_sessions():
            return bool(await self._execute("delete from people where id = $1 returning id", id))

    async def person(self, id: str) -> Person | None:
        return await self._record(Person, f"{_PEOPLE} where id = $1", id)

    async def people(self) -> Sequence[Person]:
        return await self._records(Person, f"{_PEOPLE} order by id")

    async def people_by_id(self, ids: Sequence[str]) -> Sequence[Person]:
        """The people with these ids; missing ones are left out."""
        return await self._records(Person, f"{_PEOPLE} where id in ({_placeholders(ids)})", *_padded(ids))

    async def _check_there(self, person: str) -> None:
        if not await self.person(person):
            raise NotThere("there is no person %(person)s", person=person)

    # Sessions

    async def add_session(
        self,
        token: TokenHash,
        person: str,
        *,
        log: str | None = None,
        limit: int | None = None,
        now: float | None = None,
    ) -> Session:
        """Let a token act for a person; AlreadyThere, or NotThere if there is no such person.

        With a `log` it acts only there, and replaces the previous session of this log. A person has at most `limit`
        sessions: one more deletes an ended one, or else the least recently used.
        """
        check_names([] if log is None else [log])
        moment = await self._moment(now)
        session = Session(token=token, person=person, log=log, created=moment, last_used=moment, revoked=None)
        dropped = True
        try:
            dropped = await self._add_session(session, limit)
        finally:
            self.session_generation += log is not None or dropped
        return session

    async def _add_session(self, session: Session, limit: int | None) -> bool:
        """Add a session; returns whether others were deleted to keep the `limit`."""

        def steps() -> Steps[tuple[bool, bool]]:
            added = yield _ADD_SESSION, to_row(session)
            if not added or limit is None:
                return bool(added), False
            dropped = yield _DROP_SESSIONS, (session.person, session.token, NO_LIMIT, limit - 1)
            return True, bool(dropped)

        while True:
            added, dropped = await self._transact(steps, lock=f"sessions of {session.person}")
            if added:
                return dropped
            await self._check_there(session.person)
            if session.log is None or await self._query(f"{_SESSIONS} where token = $1", session.token):
                raise AlreadyThere("this session is already in the store")
            await self.revoke_session_at(session.log, session.person, now=session.created)

    async def session(self, token: TokenHash) -> Session | None:
        return next(iter(await self.sessions_by_token([token])), None)

    async def sessions_by_token(self, tokens: Sequence[TokenHash]) -> Sequence[Session]:
        """The valid sessions of these tokens."""
        statement = f"{_SESSIONS} where revoked is null and token in ({_placeholders(tokens)})"
        return await self._records(Session, statement, *_padded(tokens))

    async def sessions(self, person: str) -> Sequence[Session]:
        """All sessions of a person, including ended ones, oldest first."""
        return await self._records(Session, f"{_SESSIONS} where person = $1 order by created, token", person)

    async def touch_sessions(self, tokens: Sequence[TokenHash], *, now: float | None = None) -> None:
        """Update the last use of these sessions, if they are valid."""
        if tokens:
            statement = f"{_TOUCH_SESSIONS} and token in ({_placeholders(tokens, first=2)})"
            await self._execute(statement, to_ms(await self._moment(now)), *_padded(tokens))

    async def revoke_session(self, token: TokenHash, *, now: float | None = None) -> bool:
        """End a session; returns whether it was valid."""
        return bool(await self._revoke_sessions("token = $2", now, token))

    async def revoke_sessions(self, person: str, *, but: TokenHash, now: float | None = None) -> int:
        """End all sessions of a person except one; returns how many were valid."""
        return await self._revoke_sessions("person = $2 and token <> $3", now, person, but)

    async def revoke_session_at(self, log: str, person: str, *, now: float | None = None) -> bool:
        """End a person's session for this log; returns whether there was one."""
        return bool(await self._revoke_sessions("log = $2 and person = $3", now, log, person))

    async def _revoke_sessions(self, which: str, now: float | None, *values: str) -> int:
        with self._ending_sessions():
            statement = f"update sessions set revoked = $1 where {which} and revoked is null returning token"
            return len(await self._execute(statement, to_ms(await self._moment(now)), *values))

    @contextmanager
    def _ending_sessions(self) -> Iterator[None]:
        """Count that sessions may have been ended; also after a failure, when some may have been."""
        try:
            yield
        finally:
            self.session_generation += 1

    # Words and bound names

    async def add_words(
        self, id: str, person: str, text: str, *, limit: int | None = None, now: float | None = None
    ) -> None:
        """Store a typed chat message; a log has only its id, so that the text can be erased.

        AlreadyThere, or NotThere if there is no such person. A person has at most `limit` texts: one more deletes the
        oldest.
        """
        check_names([id])
        values = id, person, check_text(text), to_ms(await self._moment(now))

        def steps() -> Steps[bool]:
            added = yield _ADD_WORDS, values
            if added and limit is not None:
                yield _DROP_WORDS, (person, id, NO_LIMIT, limit - 1)
            return bool(added)

        if not await self._transact(steps, lock=f"words of {person}"):
            await self._check_there(person)
            raise AlreadyThere("this text is already in the store")

    async def words(self, id: str) -> str | None:
        """The chat text with this id; None if it was erased."""
        return next((text for (text,) in await self._query("select text from words where id = $1", id)), None)

    async def add_bound_name(self, commitment: str, person: str, *, salt: str, name: str) -> None:
        """Store the name behind a commitment until the person is erased; AlreadyThere, or NotThere if erased."""
        check_names([commitment, salt])
        if not await self._execute(_ADD_BOUND_NAME, commitment, person, salt, check_text(name)):
            await self._check_there(person)
            raise AlreadyThere("this commitment is already in the store")

    async def bound_names(self, commitments: Sequence[str] | None = None) -> Sequence[BoundName]:
        """The names behind these commitments, or all, by commitment; without those of erased people."""
        if commitments is None:
            return await self._records(BoundName, f"{_BOUND_NAMES} order by commitment")
        if not commitments:
            return []
        statement = f"{_BOUND_NAMES} where commitment in ({_placeholders(commitments)}) order by commitment"
        return await self._records(BoundName, statement, *_padded(commitments))

    # Links

    async def add_link(
        self, token: TokenHash, log: str, kind: str, *, session: bool = False, now: float | None = None
    ) -> Link:
        """Store a code or session that is valid for one purpose at one log; AlreadyThere if it exists."""
        check_names([log, kind])
        if not is_hash(token):
            raise Unstorable("a link can be stored only by its hash")
        link = Link(token=token, log=log, kind=kind, session=session, created=await self._moment(now), revoked=None)
        if not await self._execute(_ADD_LINK, *to_row(link)):
            raise AlreadyThere("this link is already in the store")
        await self._execute(_DROP_LINKS, log, kind, int(session), token, MAX_LINKS - 1)
        return link

    async def replace_link(self, token: TokenHash, log: str, kind: str, *, now: float | None = None) -> Link:
        """Store a code that replaces all earlier codes of this kind at this log; their sessions continue."""
        link = await self.add_link(token, log, kind, now=now)
        await self._execute(_REVOKE_LINKS, log, kind, token, to_ms(link.created), 0)
        return link

    async def link(self, token: TokenHash, *, ended: bool = False) -> Link | None:
        """The link of a valid code or session; with `ended` also that of an ended one."""
        links = await self._records(Link, f"{_LINKS} where token = $1", token)
        return next((link for link in links if ended or link.revoked is None), None)

    async def links(self, log: str | None = None) -> Sequence[Link]:
        """All links to a log, or all links, including ended ones, by hash."""
        if log is None:
            return await self._records(Link, f"{_LINKS} order by token")
        return await self._records(Link, f"{_LINKS} where log = $1 order by token", log)

    async def revoke_link(self, token: TokenHash, *, now: float | None = None) -> bool:
        """End a code or session; returns whether it was valid."""
        return bool(await self._execute(_REVOKE_LINK, token, to_ms(await self._moment(now))))

    async def revoke_links(self, log: str, kind: str, *, but: TokenHash | None = None, now: float | None = None) -> int:
        """End all codes and sessions of one kind at one log, except one; returns how many were valid."""
        return len(await self._execute(_REVOKE_LINKS, log, kind, but or "", to_ms(await self._moment(now)), 1))

    # Listings

    async def listing(self, log: str) -> Listing | None:
        return next(iter(await self._listings(f"{LISTINGS} where log = $1", log)), None)

    async def listings(
        self, *, person: str | None = None, since: float | None = None, limit: int | None = None
    ) -> Sequence[Listing]:
        """The listings of all logs, of those in a person's lists, or of those changed since a time; latest first."""
        values: list[object] = [NO_LIMIT if limit is None else limit, 0 if since is None else to_ms(max(since, 0.0))]
        where = "updated >= $2"
        if person is not None:
            where += " and log in (select log from concerned where person = $3)"
            values.append(person)
        return await self._listings(f"{LISTINGS} where {where} order by updated desc, log limit $1", *values)

    async def _listings(self, statement: str, *values: object) -> Sequence[Listing]:
        return [
            Listing(log=log, seq=seq, body=parse_stored(body, f"the listing of log {log}"), updated=from_ms(updated))
            for log, seq, body, updated in await self._query(statement, *values)
        ]


def to_ms(seconds: float) -> int:
    """Seconds as stored: whole milliseconds, within the next few centuries."""
    if not 0 <= seconds < MAX_TIME_SECONDS:
        raise Unstorable("%(seconds)s is not a valid time", seconds=show(seconds))
    return round(seconds * 1000)


def from_ms(ms: int) -> float:
    """Stored milliseconds as seconds; `to_ms` returns them exactly."""
    return ms / 1000


def to_row(record: Any) -> list[Any]:
    """The values of a record in field order: times in milliseconds, booleans as numbers."""
    row = []
    for field in fields(record):
        value = getattr(record, field.name)
        if value is not None and field.type in TIME_TYPES:
            value = to_ms(value)
        row.append(int(value) if field.type is bool else value)
    return row


def from_row(kind: type[T], row: Sequence[Any]) -> T:
    """The record of a row whose columns are in field order."""
    record: Any = kind
    values = {}
    for (name, decode), value in zip(_decoders(record), row, strict=True):
        values[name] = value if decode is None else decode(value)
    return kind(**values)


@cache
def _decoders(kind: Any) -> list[tuple[str, Callable[[Any], Any] | None]]:
    """The fields of a kind of record, and the decoders of those that are stored differently."""
    return [(field.name, _DECODERS.get(field.type)) for field in fields(kind)]


def _padded(values: Sequence[str]) -> list[str]:
    """The values with the last one repeated up to a power of two, so that few different statements are prepared."""
    return [*values, *[values[-1]] * ((1 << (len(values) - 1).bit_length()) - len(values))]


def _placeholders(values: Sequence[str], first: int = 1) -> str:
    return ", ".join(f"${at}" for at in range(first, first + len(_padded(values))))


_DECODERS: Final[dict[Any, Callable[[Any], Any]]] = {
    float: from_ms,
    float | None: lambda ms: None if ms is None else from_ms(ms),
    bool: bool,
}
_PEOPLE: Final = "select id, name, created from people"
_SESSIONS: Final = "select token, person, log, created, seen, revoked from sessions"
_BOUND_NAMES: Final = "select commitment, person, salt, name from bound_names"
_LINKS: Final = "select token, log, kind, session, created, revoked from links"
LISTINGS: Final = "select log, seq, body, updated from listings"
_ADD_PERSON: Final = "insert into people values ($1, $2, $3) on conflict do nothing returning id"
_ADD_SESSION: Final = """
insert into sessions (token, person, log, created, seen, revoked)
select $1, id, $3, $4, $5, $6 from people where id = $2
on conflict do nothing returning token"""
_DROP_SESSIONS: Final = """
delete from sessions where person = $1 and token in (
    select token from sessions where person = $1 and token <> $2
    order by revoked is null desc, coalesce(revoked, seen) desc, token limit $3 offset $4
) returning token"""
_TOUCH_SESSIONS: Final = "update sessions set seen = $1 where revoked is null"
_ADD_WORDS: Final = """
insert into words (id, person, text, created) select $1, id, $3, $4 from people where id = $2
on conflict do nothing returning id"""
_DROP_WORDS: Final = """
delete from words where person = $1 and id in (
    select id from words where person = $1 and id <> $2 order by created desc, id limit $3 offset $4
)"""
_ADD_BOUND_NAME: Final = """
insert into bound_names (commitment, person, salt, name) select $1, id, $3, $4 from people where id = $2
on conflict do nothing returning commitment"""
_ADD_LINK: Final = """
insert into links (token, log, kind, session, created, revoked) values ($1, $2, $3, $4, $5, $6)
on conflict do nothing returning token"""
_DROP_LINKS: Final = """
delete from links where log = $1 and kind = $2 and session = $3 and token <> $4 and token not in (
    select token from links where log = $1 and kind = $2 and session = $3 and token <> $4
    order by revoked is null desc, created desc, token limit $5
)"""
_REVOKE_LINK: Final = "update links set revoked = $2 where token = $1 and revoked is null returning token"
_REVOKE_LINKS: Final = """
update links set revoked = $4
where log = $1 and kind = $2 and token <> $3 and session <= $5 and revoked is null returning token"""
