"""Schema and statements that SQLite and PostgreSQL share, and the store that runs them."""

from collections.abc import Sequence
from typing import Any, Final

from leftbower.errors import AlreadyThere, NotThere, WrongSchema
from leftbower.store.accounts import (
    MAX_LINKS,
    NO_LIMIT,
    BoundName,
    Link,
    Listing,
    Person,
    Session,
    Words,
    from_ms,
    to_ms,
)
from leftbower.store.chain import Head, Row
from leftbower.store.sql.credentials import TABLES as CREDENTIALS, Steps
from leftbower.store.sql.retention import TABLES as RETENTION, SqlRetention
from leftbower.store.sql.rows import LISTINGS as _LISTINGS, listing_of_row as _listing
from leftbower.store.token_hash import TokenHash

SCHEMA: Final = 5
"""The version of the tables below; a store of another version is not touched."""

TABLES: Final = (
    """
create table facts (
    log {name} not null, seq {int} not null check (seq > 0), at {int} not null,
    body text not null, hash {bytes} not null, primary key (log, seq)
){clustered};
create table heads (log {name} primary key, seq {int} not null, hash {bytes} not null){plain};
create table people (id {name} primary key, name text not null, created {int} not null){plain};
create table sessions (
    token {name} primary key, person {name} not null references people on delete cascade,
    log {name}, created {int} not null, seen {int} not null, revoked {int}
){plain};
create index sessions_of_person on sessions (person);
create unique index one_session_of_a_log on sessions (person, log) where log is not null and revoked is null;
create table words (
    id {name} primary key, person {name} not null references people on delete cascade, text text not null,
    created {int} not null
){plain};
create index words_of_person on words (person);
create table bound_names (
    commitment {name} primary key, person {name} not null references people on delete cascade, salt text not null,
    name text not null
){plain};
create index bound_names_of_person on bound_names (person);
create table links (
    token {name} primary key, log {name} not null, kind {name} not null, session {int} not null,
    created {int} not null, revoked {int}
){plain};
create index links_to_log on links (log, kind);
create table listings (log {name} primary key, seq {int} not null, body text not null, updated {int} not null){plain};
create index listings_by_time on listings (updated desc, log);
create table concerned (
    person {name} not null, log {name} not null references listings on delete cascade, primary key (person, log)
){clustered};
create index concerned_by_log on concerned (log);
"""
    + CREDENTIALS
    + RETENTION
)

ROWS: Final = "select seq, at, body, hash from facts where log = $1 and seq > $2 order by seq limit $3"
HEAD: Final = "select seq, hash from heads where log = $1"
HEADS: Final = "select log, seq, hash from heads"
LOGS: Final = "select log from heads union select log from facts"
INSERT_LISTING: Final = "insert into listings (log, seq, body, updated)"
REPLACE_LISTING: Final = """
on conflict (log) do update set seq = excluded.seq, body = excluded.body, updated = excluded.updated
where listings.seq <= excluded.seq"""
LIST: Final = f"{INSERT_LISTING} values ($1, $2, $3, $4) {REPLACE_LISTING}"
UNLIST: Final = "delete from listings where log = $1 and seq <= $2"
UNCONCERN: Final = """
delete from concerned where log = $1 and exists (select 1 from listings where log = $1 and seq <= $2)"""
CONCERN: Final = """
insert into concerned (person, log) select $3, log from listings where log = $1 and seq <= $2 on conflict do nothing"""

LISTINGS_OF: Final = """
select log, body from listings where log in (select log from concerned where person = $1)
order by updated desc, log limit $2"""


def check_schema(found: int, location: str) -> None:
    """Refuse a store of another version."""
    if found != SCHEMA:
        age = "a newer" if found > SCHEMA else "an older"
        raise WrongSchema(f"{location} has schema {found}, of {age} leftbower; this one knows schema {SCHEMA}")


class SqlStore(SqlRetention):
    """Logs, people, sessions, links and listings in SQL."""

    async def heads(self) -> dict[str, Head]:
        return {log: Head(*head) for log, *head in await self._query(HEADS)}

    async def rows(self, log: str, after: int, limit: int) -> Sequence[Row]:
        return [Row(*row) for row in await self._query(ROWS, log, after, limit)]

    async def _head(self, log: str) -> Head | None:
        rows = await self._query(HEAD, log)
        return Head(*rows[0]) if rows else None

    async def _logs(self) -> Sequence[str]:
        return sorted(log for (log,) in await self._query(LOGS))

    async def _list(self, log: str, seq: int, body: str, updated: int, people: Sequence[str]) -> None:
        await self._execute(LIST, log, seq, body, updated)
        await self._execute(UNCONCERN, log, seq)
        for person in people:
            await self._execute(CONCERN, log, seq, person)

    async def _unlist(self, log: str, seq: int) -> None:
        await self._execute(UNLIST, log, seq)

    # Ordinary tables

    async def person(self, id: str) -> Person | None:
        return next(map(_person, await self._query(f"{_PEOPLE} where id = $1", id)), None)

    async def people(self) -> Sequence[Person]:
        return [_person(row) for row in await self._query(f"{_PEOPLE} order by id")]

    async def people_by_id(self, ids: Sequence[str]) -> Sequence[Person]:
        statement = f"{_PEOPLE} where id in ({_placeholders(ids)})"
        return [_person(row) for row in await self._query(statement, *_padded(ids))]

    async def sessions_by_token(self, tokens: Sequence[TokenHash]) -> Sequence[Session]:
        statement = f"{_SESSIONS} where revoked is null and token in ({_placeholders(tokens)})"
        return [_session(row) for row in await self._query(statement, *_padded(tokens))]

    async def erase_person(self, id: str) -> bool:
        try:
            return bool(await self._execute("delete from people where id = $1 returning id", id))
        finally:
            self._ended()

    async def sessions(self, person: str) -> Sequence[Session]:
        theirs = await self._query(f"{_SESSIONS} where person = $1 order by created, token", person)
        return [_session(row) for row in theirs]

    async def words(self, id: str) -> str | None:
        return next((text for (text,) in await self._query("select text from words where id = $1", id)), None)

    async def bound_names(self, commitments: Sequence[str] | None = None) -> Sequence[BoundName]:
        if commitments is None:
            rows = await self._query(f"{_BOUND_NAMES} order by commitment")
        elif commitments:
            where = f"commitment in ({_placeholders(commitments)})"
            rows = await self._query(f"{_BOUND_NAMES} where {where} order by commitment", *_padded(commitments))
        else:
            rows = []
        return [BoundName(commitment=row[0], person=row[1], salt=row[2], name=row[3]) for row in rows]

    async def links(self, log: str | None = None) -> Sequence[Link]:
        if log is None:
            return [_link(row) for row in await self._query(f"{_LINKS} order by token")]
        return [_link(row) for row in await self._query(f"{_LINKS} where log = $1 order by token", log)]

    async def listing(self, log: str) -> Listing | None:
        return next(map(_listing, await self._query(f"{_LISTINGS} where log = $1", log)), None)

    async def listings(
        self, *, person: str | None = None, since: float | None = None, limit: int | None = None
    ) -> Sequence[Listing]:
        values = (NO_LIMIT if limit is None else limit, 0 if since is None else to_ms(max(since, 0.0)))
        if person is None:
            found = await self._query(f"{_LATEST} {_IN_ORDER}", *values)
        else:
            found = await self._query(f"{_LATEST} and {_CONCERNING} {_IN_ORDER}", *values, person)
        return [_listing(row) for row in found]

    async def _add_person(self, person: Person) -> None:
        values = person.id, person.name, to_ms(person.created)
        if not await self._execute(_ADD_PERSON, *values):
            raise AlreadyThere(f"person {person.id} is in the store already")

    async def _rename_person(self, id: str, name: str) -> bool:
        return bool(await self._execute("update people set name = $2 where id = $1 returning id", id, name))

    async def _add_session(self, session: Session, limit: int | None) -> bool:
        values = session.token, session.person, to_ms(session.created), to_ms(session.last_used), session.log

        def steps() -> Steps[tuple[bool, bool]]:
            added = yield _ADD_SESSION, values
            if not added or limit is None:
                return bool(added), False
            dropped = yield _DROP_SESSIONS, (session.person, session.token, NO_LIMIT, limit - 1)
            return True, bool(dropped)

        while True:
            added, dropped = await self._transact(steps, lock=f"sessions of {session.person}")
            if added:
                return dropped
            if not await self.person(session.person):
                raise NotThere(f"there is no person {session.person}")
            if session.log is None or await self._session(session.token):
                raise AlreadyThere("this session is in the store already")
            await self._revoke_session_at(session.log, session.person, session.created)

    async def _session(self, token: TokenHash) -> Session | None:
        return next(map(_session, await self._query(f"{_SESSIONS} where token = $1", token)), None)

    async def _touch_sessions(self, tokens: Sequence[TokenHash], now: float) -> None:
        await self._execute(
            f"{_TOUCH_SESSIONS} and token in ({_placeholders(tokens, first=2)})", to_ms(now), *_padded(tokens)
        )

    async def _revoke_session(self, token: TokenHash, now: float) -> bool:
        return bool(await self._execute(_REVOKE_SESSION, token, to_ms(now)))

    async def _revoke_sessions(self, person: str, but: TokenHash, now: float) -> int:
        return len(await self._execute(_REVOKE_SESSIONS, person, but, to_ms(now)))

    async def _revoke_session_at(self, log: str, person: str, now: float) -> bool:
        return bool(await self._execute(_REVOKE_SESSION_AT, log, person, to_ms(now)))

    async def _add_words(self, words: Words, limit: int | None) -> None:
        values = words.id, words.person, words.text, to_ms(words.created)

        def steps() -> Steps[bool]:
            added = yield _ADD_WORDS, values
            if added and limit is not None:
                yield _DROP_WORDS, (words.person, words.id, NO_LIMIT, limit - 1)
            return bool(added)

        if not await self._transact(steps, lock=f"words of {words.person}"):
            if await self.person(words.person):
                raise AlreadyThere("these words are in the store already")
            raise NotThere(f"there is no person {words.person}")

    async def _add_bound_name(self, bound: BoundName) -> None:
        if not await self._execute(_ADD_BOUND_NAME, bound.commitment, bound.person, bound.salt, bound.name):
            if await self.person(bound.person):
                raise AlreadyThere("this commitment is in the store already")
            raise NotThere(f"there is no person {bound.person}")

    async def _add_link(self, link: Link) -> None:
        session = int(link.session)
        if not await self._execute(_ADD_LINK, link.token, link.log, link.kind, session, to_ms(link.created)):
            raise AlreadyThere("this link is in the store already")
        await self._execute(_DROP_LINKS, link.log, link.kind, session, link.token, MAX_LINKS - 1)

    async def _link(self, token: TokenHash) -> Link | None:
        return next(map(_link, await self._query(f"{_LINKS} where token = $1", token)), None)

    async def _revoke_link(self, token: TokenHash, now: float) -> bool:
        return bool(await self._execute(_REVOKE_LINK, token, to_ms(now)))

    async def _revoke_links(self, log: str, kind: str, but: TokenHash, now: float, *, sessions: bool) -> int:
        return len(await self._execute(_REVOKE_LINKS, log, kind, but, to_ms(now), int(sessions)))


_PEOPLE: Final = "select id, name, created from people"
_ADD_PERSON: Final = "insert into people values ($1, $2, $3) on conflict do nothing returning id"
_SESSIONS: Final = "select token, person, log, created, seen, revoked from sessions"
_LINKS: Final = "select token, log, kind, session, created, revoked from links"
_LATEST: Final = f"{_LISTINGS} where updated >= $2"
_CONCERNING: Final = "log in (select log from concerned where person = $3)"
_IN_ORDER: Final = "order by updated desc, log limit $1"
_ADD_SESSION: Final = """
insert into sessions (token, person, created, seen, log)
select $1, id, $3, $4, $5 from people where id = $2
on conflict do nothing returning token"""
_DROP_SESSIONS: Final = """
delete from sessions where person = $1 and token in (
    select token from sessions where person = $1 and token <> $2
    order by revoked is null desc, coalesce(revoked, seen) desc, token limit $3 offset $4
) returning token"""
_TOUCH_SESSIONS: Final = "update sessions set seen = $1 where revoked is null"
_REVOKE_SESSION: Final = "update sessions set revoked = $2 where token = $1 and revoked is null returning token"
_REVOKE_SESSIONS: Final = """
update sessions set revoked = $3 where person = $1 and token <> $2 and revoked is null returning token"""
_REVOKE_SESSION_AT: Final = """
update sessions set revoked = $3 where log = $1 and person = $2 and revoked is null returning token"""
_BOUND_NAMES: Final = "select commitment, person, salt, name from bound_names"
_ADD_BOUND_NAME: Final = """
insert into bound_names (commitment, person, salt, name) select $1, id, $3, $4 from people where id = $2
on conflict do nothing returning commitment"""
_ADD_WORDS: Final = """
insert into words (id, person, text, created) select $1, id, $3, $4 from people where id = $2
on conflict do nothing returning id"""
_DROP_WORDS: Final = """
delete from words where person = $1 and id in (
    select id from words where person = $1 and id <> $2 order by created desc, id limit $3 offset $4
)"""
_ADD_LINK: Final = """
insert into links (token, log, kind, session, created) values ($1, $2, $3, $4, $5)
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


def _padded(values: Sequence[str]) -> list[str]:
    """The values, the last one repeated up to a power of two: so few different statements have to be prepared."""
    return [*values, *[values[-1]] * ((1 << (len(values) - 1).bit_length()) - len(values))]


def _placeholders(values: Sequence[str], first: int = 1) -> str:
    return ", ".join(f"${at}" for at in range(first, first + len(_padded(values))))


def _person(row: Sequence[Any]) -> Person:
    return Person(id=row[0], name=row[1], created=from_ms(row[2]))


def _session(row: Sequence[Any]) -> Session:
    return Session(
        token=row[0],
        person=row[1],
        log=row[2],
        created=from_ms(row[3]),
        last_used=from_ms(row[4]),
        revoked=_optional_time(row[5]),
    )


def _link(row: Sequence[Any]) -> Link:
    return Link(
        token=row[0],
        log=row[1],
        kind=row[2],
        session=bool(row[3]),
        created=from_ms(row[4]),
        revoked=_optional_time(row[5]),
    )


def _optional_time(ms: int | None) -> float | None:
    return None if ms is None else from_ms(ms)
