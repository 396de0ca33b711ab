"""The SQL tables beside the logs: people, their sessions, links to tables, and listings.

Logs hold opaque ids only, so erasing a person here is erasing the person.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from leftbower.errors import Unstorable, show
from leftbower.store.facts import Plain, check_names, check_text
from leftbower.store.token_hash import TokenHash, is_hash

MAX_LINKS: Final = 64
"""Codes, and sessions, of one kind at one log; one more deletes an ended one, or else the oldest."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """A player, guest or with an account."""

    id: str
    """What logs know of the person."""
    name: str
    """What others at the table read."""
    created: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """One browser or program that acts for a person."""

    token: TokenHash
    person: str
    log: str | None
    """The one log at which it acts; None for everywhere. A person has at most one good session of each log."""
    created: float
    last_used: float
    revoked: float | None
    """When did it end? None while it is good."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """The hash of a code that is good for one kind of thing at one log, or of a session that such a code began."""

    token: TokenHash
    log: str
    kind: str
    session: bool
    """Is it the cookie of a browser that came in by a code? A new code of the same kind does not end it."""
    created: float
    revoked: float | None
    """When did it end? None while it is good."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """What a person said in words of their own; a log has the id only, so that the words can be erased."""

    id: str
    person: str
    text: str
    created: float


@dataclass(frozen=True, slots=True, kw_only=True)
class BoundName:
    """The name under which a person sat down to a match; a log has the commitment only, so that it can be erased."""

    commitment: str
    person: str
    salt: str
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """What lists say of a log, written in the same commit as the facts it describes."""

    log: str
    seq: int
    """The fact behind which it was written."""
    body: Plain
    updated: float


MAX_TIME_SECONDS: Final = 1e10
"""Since 1970; a later time is a mistake."""
NO_LIMIT: Final = 1 << 62
"""More rows than any SQL table has, for statements that need a limit."""


class AccountTables(ABC):
    """People, sessions, links and listings. Writes are on disk on return; `now` replaces the database's time."""

    shared: bool = False
    """Can other processes change it meanwhile?"""
    session_generation: int = 0
    """How often sessions were ended through this object; caches of sessions are invalid when it has changed."""

    async def add_person(self, id: str, name: str, *, now: float | None = None) -> Person:
        """Enter a person under a new id, or AlreadyThere."""
        check_names([id])
        person = Person(id=id, name=check_text(name), created=await self._moment(now))
        await self._add_person(person)
        return person

    async def rename_person(self, id: str, name: str) -> bool:
        """Change a person's name; is there such a person?"""
        return await self._rename_person(id, check_text(name))

    async def add_session(
        self,
        token: TokenHash,
        person: str,
        *,
        log: str | None = None,
        limit: int | None = None,
        now: float | None = None,
    ) -> Session:
        """Let a token act for a person, or AlreadyThere, or NotThere if there is no such person.

        With a log it acts there only, and takes the place of the one that did before. A person has at most
        `limit` sessions: one more deletes an ended one, or else the one that was not used for longest.
        """
        check_names([] if log is None else [log])
        moment = await self._moment(now)
        session = Session(token=token, person=person, log=log, created=moment, last_used=moment, revoked=None)
        dropped = True
        try:
            dropped = await self._add_session(session, limit)
        finally:
            self._ended(log is not None or dropped)
        return session

    async def session(self, token: TokenHash) -> Session | None:
        """The session of a token, if it is good."""
        session = await self._session(token)
        return session if session and session.revoked is None else None

    async def people_by_id(self, ids: Sequence[str]) -> Sequence[Person]:
        """The people of these ids, without those that do not exist."""
        return [person for person_id in ids if (person := await self.person(person_id))]

    async def sessions_by_token(self, tokens: Sequence[TokenHash]) -> Sequence[Session]:
        """The sessions of these tokens that are good."""
        return [session for token in tokens if (session := await self.session(token))]

    async def touch_sessions(self, tokens: Sequence[TokenHash], *, now: float | None = None) -> None:
        """Set when these sessions were last used, if they are good."""
        if tokens:
            await self._touch_sessions(tokens, await self._moment(now))

    async def revoke_session(self, token: TokenHash, *, now: float | None = None) -> bool:
        """End a session for good; was it good until now?"""
        try:
            return await self._revoke_session(token, await self._moment(now))
        finally:
            self._ended()

    async def revoke_sessions(self, person: str, *, but: TokenHash, now: float | None = None) -> int:
        """End all sessions of a person but one; how many were good until now?"""
        try:
            return await self._revoke_sessions(person, but, await self._moment(now))
        finally:
            self._ended()

    async def revoke_session_at(self, log: str, person: str, *, now: float | None = None) -> bool:
        """End the session that acts for a person at this log only; was there one?"""
        try:
            return await self._revoke_session_at(log, person, await self._moment(now))
        finally:
            self._ended()

    async def add_words(
        self, id: str, person: str, text: str, *, limit: int | None = None, now: float | None = None
    ) -> None:
        """Store what a person said, or AlreadyThere, or NotThere if there is no such person.

        A person has at most `limit` of them: one more deletes the oldest.
        """
        check_names([id])
        words = Words(id=id, person=person, text=check_text(text), created=await self._moment(now))
        await self._add_words(words, limit)

    async def add_bound_name(self, commitment: str, person: str, *, salt: str, name: str) -> None:
        """Store the name that a commitment binds until the person is erased; AlreadyThere, or NotThere if they were."""
        check_names([commitment, salt])
        await self._add_bound_name(BoundName(commitment=commitment, person=person, salt=salt, name=check_text(name)))

    async def add_link(
        self, token: TokenHash, log: str, kind: str, *, session: bool = False, now: float | None = None
    ) -> Link:
        """Store a code, or a session, that is good for one kind of thing at one log, or AlreadyThere."""
        check_names([log, kind])
        if not is_hash(token):
            raise Unstorable("a link is stored by its hash only")
        link = Link(token=token, log=log, kind=kind, session=session, created=await self._moment(now), revoked=None)
        await self._add_link(link)
        return link

    async def replace_link(self, token: TokenHash, log: str, kind: str, *, now: float | None = None) -> Link:
        """Store a code that replaces all earlier codes of this kind at this log; their sessions go on."""
        link = await self.add_link(token, log, kind, now=now)
        await self._revoke_links(log, kind, token, link.created, sessions=False)
        return link

    async def link(self, token: TokenHash, *, ended: bool = False) -> Link | None:
        """What a code or session is good for, if anything; on request also what an `ended` one was good for."""
        link = await self._link(token)
        return link if link and (ended or link.revoked is None) else None

    async def revoke_link(self, token: TokenHash, *, now: float | None = None) -> bool:
        """End a code or session for good; was it good until now?"""
        return await self._revoke_link(token, await self._moment(now))

    async def revoke_links(self, log: str, kind: str, *, but: TokenHash | None = None, now: float | None = None) -> int:
        """End all codes and sessions of one kind at one log, but for one; how many were good until now?"""
        return await self._revoke_links(log, kind, but or TokenHash(""), await self._moment(now), sessions=True)

    @abstractmethod
    async def now(self) -> float:
        """The database's time in seconds since 1970, to the millisecond: the same for all processes."""

    @abstractmethod
    async def person(self, id: str) -> Person | None:
        """The person of that id."""

    @abstractmethod
    async def people(self) -> Sequence[Person]:
        """All people, by id."""

    @abstractmethod
    async def erase_person(self, id: str) -> bool:
        """Forget a person's name, sessions, credentials, words and bound names; was there such a person?"""

    @abstractmethod
    async def sessions(self, person: str) -> Sequence[Session]:
        """All sessions of a person, ended ones too, oldest first."""

    @abstractmethod
    async def words(self, id: str) -> str | None:
        """What was said under this id, unless it was erased with the person."""

    @abstractmethod
    async def bound_names(self, commitments: Sequence[str] | None = None) -> Sequence[BoundName]:
        """The names that these commitments bind, or all there are, by commitment; those of erased people are gone."""

    @abstractmethod
    async def links(self, log: str | None = None) -> Sequence[Link]:
        """All links to a log, or all there are, ended ones too, by their hashes."""

    @abstractmethod
    async def listing(self, log: str) -> Listing | None:
        """What lists say of a log."""

    @abstractmethod
    async def listings(
        self, *, person: str | None = None, since: float | None = None, limit: int | None = None
    ) -> Sequence[Listing]:
        """What lists say of all logs, or of those that concern a person, or have moved since a time; latest first."""

    def _ended(self, sessions: bool = True) -> None:
        """Count that sessions may have been ended; also after a failure, when it is unknown how far it came."""
        self.session_generation += sessions

    async def _moment(self, now: float | None) -> float:
        return await self.now() if now is None else from_ms(to_ms(now))

    @abstractmethod
    async def _add_person(self, person: Person) -> None: ...
    @abstractmethod
    async def _rename_person(self, id: str, name: str) -> bool: ...
    @abstractmethod
    async def _add_session(self, session: Session, limit: int | None) -> bool:
        """Add it; were others deleted, so that there are not more than `limit`?"""

    @abstractmethod
    async def _session(self, token: TokenHash) -> Session | None: ...
    @abstractmethod
    async def _touch_sessions(self, tokens: Sequence[TokenHash], now: float) -> None: ...
    @abstractmethod
    async def _revoke_session(self, token: TokenHash, now: float) -> bool: ...
    @abstractmethod
    async def _revoke_sessions(self, person: str, but: TokenHash, now: float) -> int: ...
    @abstractmethod
    async def _revoke_session_at(self, log: str, person: str, now: float) -> bool: ...
    @abstractmethod
    async def _add_words(self, words: Words, limit: int | None) -> None: ...
    @abstractmethod
    async def _add_bound_name(self, bound: BoundName) -> None: ...
    @abstractmethod
    async def _add_link(self, link: Link) -> None:
        """Add it, and delete what is then beyond `MAX_LINKS`."""

    @abstractmethod
    async def _link(self, token: TokenHash) -> Link | None: ...
    @abstractmethod
    async def _revoke_link(self, token: TokenHash, now: float) -> bool: ...
    @abstractmethod
    async def _revoke_links(self, log: str, kind: str, but: TokenHash, now: float, *, sessions: bool) -> int:
        """End the codes of a kind at a log, and with `sessions` those too, `but` for one; return how many were good."""


def to_ms(seconds: float) -> int:
    """Seconds as they are stored: whole milliseconds, of this or the next few centuries."""
    if not 0 <= seconds < MAX_TIME_SECONDS:
        raise Unstorable(f"{show(seconds)} is no time to be kept")
    return round(seconds * 1000)


def from_ms(ms: int) -> float:
    """Stored milliseconds as seconds; `to_ms` gives them back exactly."""
    return ms / 1000
