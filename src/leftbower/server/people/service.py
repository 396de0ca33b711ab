"""People service: guests, names and sessions, each with a cache in front of the store."""

import asyncio
from base64 import urlsafe_b64encode
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from math import inf
from secrets import token_bytes
from time import monotonic
from typing import Final

from cachetools import LRUCache, TTLCache

from leftbower.errors import NotSignedIn, NotThere, StoreError
from leftbower.server.cache import BatchedTtlCache
from leftbower.server.live.outage import Outage
from leftbower.server.people.sanitize import clean_person_name
from leftbower.server.quotas import Quotas
from leftbower.store import DAY, Session, Store, TokenHash, hash_token

_MAX_CACHED: Final = 20_000
"""Entries of each cache: names, sessions, chat texts, times of use."""
_USE_INTERVAL_SECONDS: Final = 60.0
"""The last use of a session is stored at most this often."""
_MAX_BATCH_SESSIONS: Final = 256
"""Sessions whose use is stored in one statement."""
_BATCH_PAUSE_SECONDS: Final = 0.25
"""Pause between batches: thousands of sessions that started together are due together."""
_OUTAGE_TTL_SECONDS: Final = 600.0
"""How long a cached token can still read while the store is unreachable."""
_NAME_TTL_SECONDS: Final = 10.0
"""How long a name is cached if another process may change or erase it."""
_SESSION_TTL_SECONDS: Final = 5.0
"""How long a token is cached if another process may revoke it; this process sees its own revocations at once."""
_EXCLUSIVE_TTL_SECONDS: Final = 600.0
"""How long both are cached if no other process uses the store."""


class PeopleService:
    """The people of a store and their sessions, with caches of both."""

    def __init__(
        self,
        store: Store,
        *,
        entropy: Callable[[int], bytes] = token_bytes,
        clock: Callable[[], float] = monotonic,
        outage: Outage | None = None,
        quotas: Quotas | None = None,
        on_revoked: Callable[[str], None] = lambda person: None,
    ) -> None:
        """`on_revoked` is called with the person whose token was revoked."""
        self._store, self._entropy, self._clock = store, entropy, clock
        self._quotas, self.on_revoked = quotas or Quotas(), on_revoked
        self._outage = outage or Outage(store)
        self._chat_texts: LRUCache[str, str] = LRUCache(_MAX_CACHED)
        self._recent_uses: TTLCache[str, None] = TTLCache(_MAX_CACHED, _USE_INTERVAL_SECONDS, timer=clock)
        """Sessions whose use doesn't need to be stored again yet."""
        self._unsaved_uses: dict[TokenHash, float] = {}
        """Sessions whose use must be stored, with their last stored use."""
        self._saving: asyncio.Task[None] | None = None
        self._time = (0.0, -inf)
        """The store's time, and when it was read."""
        self.changes = 0
        """Number of renames and erasures by this process; each invalidates cached names and lookups in progress."""
        name_ttl, session_ttl = (
            (_NAME_TTL_SECONDS, _SESSION_TTL_SECONDS) if store.shared else (_EXCLUSIVE_TTL_SECONDS,) * 2
        )
        self._names: BatchedTtlCache[str] = BatchedTtlCache(
            self._read_names, clock=clock, ttl=name_ttl, max_size=_MAX_CACHED, generation=lambda: self.changes
        )
        self._sessions: BatchedTtlCache[Session] = BatchedTtlCache(
            self._read_sessions,
            clock=clock,
            ttl=session_ttl,
            max_size=_MAX_CACHED,
            generation=lambda: store.session_generation,
        )

    async def create_guest(self, name: str) -> tuple[str, str]:
        """Create a guest; returns their id and a token."""
        person = self._entropy(8).hex()
        await self._store.add_person(person, clean_person_name(name))
        return person, await self.create_token(person)

    async def create_token(self, person: str, *, log: str | None = None) -> str:
        """Create an account token, or with `log` a seat token that replaces the last one; only its hash is stored."""
        token = urlsafe_b64encode(self._entropy(24)).decode()
        try:
            await self._store.add_session(hash_token(token), person, log=log, limit=self._quotas.sessions)
        except NotThere:
            raise NotSignedIn("this account no longer exists") from None
        if log is not None:
            self.on_revoked(person)
        return token

    def peek_session(self, key: TokenHash) -> Session | None:
        """The session of a token hash if it is cached; never reads the store."""
        session = None if self._outage.is_unreachable else self._sessions.peek(key)
        if session is None or self._is_unused(session):
            return None
        self._record_use(session)
        return session

    async def session(self, key: TokenHash) -> Session:
        """The session of a token hash, or NotSignedIn. A revocation here counts at once, in another process within
        seconds.

        While the store is unreachable, cached sessions stay valid for some minutes; nothing can be written then.
        """
        if session := self.peek_session(key):
            return session
        if self._outage.is_unreachable and (cached := self._sessions.get_stale(key, _OUTAGE_TTL_SECONDS)):
            return cached
        session = await self._sessions.get(key)
        if session is not None and self._is_unused(session):
            session = await self._renew(session)
        if session is None:
            raise NotSignedIn("sign in first: POST a name to /api/guests for a token")
        self._record_use(session)
        return session

    async def close(self) -> None:
        """Stop saving uses; a use in the last minute is saved with the session's next one."""
        if self._saving is not None:
            self._saving.cancel()
            await asyncio.gather(self._saving, return_exceptions=True)

    async def revoke(self, person: str, token: str) -> None:
        await self._store.revoke_session(hash_token(token))
        self.on_revoked(person)

    async def revoke_seat_token(self, person: str, log: str) -> None:
        await self._store.revoke_session_at(log, person)
        self.on_revoked(person)

    async def rename(self, person: str, name: str) -> str:
        """Rename a person; returns the name as it is stored."""
        clean = clean_person_name(name)
        if not await self._store.rename_person(person, clean):
            raise NotSignedIn("this account no longer exists")
        self.changes += 1
        return clean

    async def erase(self, person: str) -> None:
        """Erase a person; logs keep an id without a name."""
        await self._store.erase_person(person)
        self.forget(person)

    def forget(self, person: str) -> None:
        """Drop the cached names and chat texts of an erased person."""
        self._chat_texts.clear()
        self.changes += 1
        self.on_revoked(person)

    async def name(self, person: str) -> str:
        """The name of a person; empty if erased, or if the store is unreachable and the name is not cached."""
        if self._outage.is_unreachable:
            return self._names.get_stale(person, _OUTAGE_TTL_SECONDS) or ""
        return await self._names.get(person) or ""

    async def chat_text(self, id: str) -> str:
        """A chat text by its id; empty if its author was erased."""
        if id not in self._chat_texts:
            if self._outage.is_unreachable:
                return ""
            self._chat_texts[id] = await self._store.words(id) or ""
        return self._chat_texts[id]

    def peek_names(self, people: Iterable[str]) -> dict[str, str] | None:
        """Names by person id if all are cached; never reads the store."""
        if self._outage.is_unreachable:
            return None
        names: dict[str, str] = {}
        for person in sorted(people):
            name = self._names.peek(person)
            if name is None:
                return None
            names[person] = name
        return names

    async def names(self, people: Iterable[str]) -> dict[str, str]:
        ids = sorted(people)
        if self._outage.is_unreachable:
            return {person: await self.name(person) for person in ids}
        names = await self._names.get_all(ids)
        return {person: names.get(person, "") for person in ids}

    def _record_use(self, session: Session) -> None:
        """Save the use of a session in the background, at most once a minute."""
        if session.token in self._recent_uses:
            return
        self._recent_uses[session.token] = None
        self._unsaved_uses[session.token] = session.last_used
        if self._saving is None or self._saving.done():
            self._saving = asyncio.get_running_loop().create_task(self._save_uses(), name="leftbower session uses")

    async def _save_uses(self) -> None:
        """Save uses in batches until none is left; a failure does not fail any request."""
        while self._unsaved_uses:
            batch = [self._unsaved_uses.popitem() for _ in range(min(len(self._unsaved_uses), _MAX_BATCH_SESSIONS))]
            with suppress(StoreError):
                now = await self._store.now()
                used = [token for token, last_use in batch if now - last_use >= _USE_INTERVAL_SECONDS]
                await self._store.touch_sessions(used, now=now)
            await asyncio.sleep(_BATCH_PAUSE_SECONDS)

    async def _read_names(self, people: Sequence[str]) -> Mapping[str, str]:
        names = {row.id: row.name for row in await self._store.people_by_id(people)}
        return {person: names.get(person, "") for person in people}

    async def _read_sessions(self, tokens: Sequence[str]) -> Mapping[str, Session]:
        await self._read_time()
        sessions = await self._store.sessions_by_token([TokenHash(token) for token in tokens])
        return {session.token: session for session in sessions}

    async def _renew(self, session: Session) -> Session | None:
        """Save the use of a session that was idle for a day before the request continues; None if it has expired.

        This keeps it from expiring during the request. While the store accepts no writes, nothing expires.
        """
        with suppress(StoreError):
            await self._store.touch_sessions([session.token])
            if renewed := await self._store.session(session.token):
                self._sessions.replace(session.token, renewed)
            return renewed
        return session

    def _is_unused(self, session: Session) -> bool:
        """Was a session idle for a day, so that it may be about to expire?"""
        store_time, read_at = self._time
        return store_time + self._clock() - read_at - session.last_used >= DAY

    async def _read_time(self) -> None:
        """Refresh the store's time; only once a minute if that costs a query."""
        if not self._store.shared or self._clock() >= self._time[1] + _USE_INTERVAL_SECONDS:
            self._time = await self._store.now(), self._clock()
