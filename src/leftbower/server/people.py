"""Who asks: guests with a name, and the tokens that act for them."""

import asyncio
from base64 import urlsafe_b64encode
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from math import inf
from secrets import token_bytes
from time import monotonic
from typing import Final, TypeVar

from leftbower.errors import NotSignedIn, NotThere, StoreError
from leftbower.server.names import cleaned
from leftbower.server.outages import Outage
from leftbower.server.quotas import Quotas
from leftbower.server.remembering import Remembered
from leftbower.store import DAY, Session, Store, TokenHash, hash_token

_KEPT: Final = 20_000
"""So many names, sessions, words and times of use are kept at hand."""
_SPARINGLY: Final = 60.0
"""Seconds between two looks at whether the use of a token is to be noted."""
_TOGETHER: Final = 256
"""So many are noted at once."""
_BREATH: Final = 0.25
"""Seconds between two times: thousands who came in the same moment are due to be noted in the same moment."""
_REMEMBERED: Final = 600.0
"""Seconds for which a token that was good may still read while the store is gone."""
_FRESH: Final = 10.0
"""Seconds after which a name is looked up again: another process may have changed or erased it."""
_TRUSTED: Final = 5.0
"""Seconds after which a token is looked up again: another process may have ended it. What this one ends is over."""
_ALONE: Final = 600.0
"""Seconds for both where no other process can."""


class People:
    """The people of a store, names and sessions of some of them kept at hand."""

    def __init__(
        self,
        store: Store,
        *,
        entropy: Callable[[int], bytes] = token_bytes,
        clock: Callable[[], float] = monotonic,
        outage: Outage | None = None,
        quotas: Quotas | None = None,
    ) -> None:
        self._store, self._entropy, self._clock = store, entropy, clock
        self._quotas = quotas or Quotas()
        self._outage = outage or Outage(store)
        self._said: OrderedDict[str, str] = OrderedDict()
        self._noted: OrderedDict[str, float] = OrderedDict()
        self._used: dict[TokenHash, float] = {}
        """Sessions whose use is to be noted, and when it was noted last."""
        self._noting: asyncio.Task[None] | None = None
        self._time = (0.0, -inf)
        """The store's time, and when it was read."""
        self.changes = 0
        """How often names were changed or forgotten through this object."""
        fresh, trusted = (_FRESH, _TRUSTED) if store.shared else (_ALONE, _ALONE)
        self._names: Remembered[str] = Remembered(
            self._read_names, clock=clock, fresh=fresh, kept=_KEPT, changes=lambda: self.changes
        )
        self._sessions: Remembered[Session] = Remembered(
            self._read_sessions, clock=clock, fresh=trusted, kept=_KEPT, changes=lambda: store.endings
        )

    async def welcome(self, name: str) -> tuple[str, str]:
        """A new guest: the person's id, and a token to act for them."""
        person = self._entropy(8).hex()
        await self._store.add_person(person, cleaned(name))
        return person, await self.token(person)

    async def token(self, person: str, *, log: str | None = None) -> str:
        """One more token for a person, or the one for a table; it is told once and kept only as a hash."""
        token = urlsafe_b64encode(self._entropy(24)).decode()
        try:
            await self._store.add_session(hash_token(token), person, log=log, most=self._quotas.sessions)
        except NotThere:
            raise NotSignedIn("whoever this was is forgotten") from None
        return token

    async def session(self, token: str) -> Session:
        """Whom a token acts for, and where; or NotSignedIn. Ended here, it is ended at once; elsewhere, in seconds.

        While the store is gone, and nothing can be changed, whoever was known a little before may go on reading.
        """
        return await self.session_of(hash_token(token))

    def session_at_hand(self, key: TokenHash) -> Session | None:
        """The same by the hash of the token, if nothing is to be looked up for it."""
        session = None if self._outage.gone else self._sessions.at_hand(key)
        if session is None or self._is_unused(session):
            return None
        self._note(session)
        return session

    async def session_of(self, key: TokenHash) -> Session:
        """The same, whatever is to be looked up for it."""
        if session := self.session_at_hand(key):
            return session
        if self._outage.gone and (known := self._sessions.stale(key, _REMEMBERED)):
            return known
        session = await self._sessions.get(key)
        if session is not None and self._is_unused(session):
            session = await self._renew(session)
        if session is None:
            raise NotSignedIn("this needs a token; POST a name to /api/guests for one")
        self._note(session)
        return session

    async def close(self) -> None:
        """Note no more: whoever was not noted in the last minute is noted with their next use."""
        if self._noting is not None:
            self._noting.cancel()
            await asyncio.gather(self._noting, return_exceptions=True)

    async def revoke(self, token: str) -> None:
        """End a token."""
        await self._store.revoke_session(hash_token(token))

    async def rename(self, person: str, name: str) -> str:
        """Call a person by another name."""
        if not await self._store.rename_person(person, cleaned(name)):
            raise NotSignedIn("whoever this was is forgotten")
        self._changed()
        return cleaned(name)

    async def erase(self, person: str) -> None:
        """Forget a person; logs keep an id that means nobody."""
        await self._store.erase_person(person)
        self.forget_names()

    def forget_names(self) -> None:
        """Look up names and words again: a person was erased."""
        self._said.clear()
        self._changed()

    async def name(self, person: str) -> str:
        """What others read; nothing for somebody who is forgotten, or whom nobody knows while the store is gone."""
        if self._outage.gone:
            return self._names.stale(person, _REMEMBERED) or ""
        return await self._names.get(person) or ""

    async def words(self, id: str) -> str:
        """What somebody said in words of their own; nothing when they are forgotten."""
        if id not in self._said:
            if self._outage.gone:
                return ""
            _keep(self._said, id, await self._store.words(id) or "")
        return self._said[id]

    def names_at_hand(self, people: Iterable[str]) -> dict[str, str] | None:
        """The names of some people, by their ids, if none is to be looked up."""
        if self._outage.gone:
            return None
        found: dict[str, str] = {}
        for one in sorted(people):
            name = self._names.at_hand(one)
            if name is None:
                return None
            found[one] = name
        return found

    async def names(self, people: Iterable[str]) -> dict[str, str]:
        """The names of some people, by their ids."""
        ids = sorted(people)
        if self._outage.gone:
            return {one: await self.name(one) for one in ids}
        found = await self._names.get_all(ids)
        return {one: found.get(one, "") for one in ids}

    def _note(self, session: Session) -> None:
        """Have it noted that a session was used: once a minute is enough, and nobody waits for it."""
        now = self._clock()
        if now < self._noted.get(session.token, now):
            return
        _keep(self._noted, session.token, now + _SPARINGLY)
        self._used[session.token] = session.seen
        if self._noting is None or self._noting.done():
            self._noting = asyncio.get_running_loop().create_task(self._note_all(), name="leftbower noting")

    async def _note_all(self) -> None:
        """Many at a time until nobody is left; nobody is refused because it cannot be written."""
        while self._used:
            some = [self._used.popitem() for _ in range(min(len(self._used), _TOGETHER))]
            with suppress(StoreError):
                moment = await self._store.now()
                used = [token for token, seen in some if moment - seen >= _SPARINGLY]
                await self._store.see_sessions(used, now=moment)
            await asyncio.sleep(_BREATH)

    async def _read_names(self, people: Sequence[str]) -> Mapping[str, str]:
        found = {one.id: one.name for one in await self._store.some_people(people)}
        return {person: found.get(person, "") for person in people}

    async def _read_sessions(self, tokens: Sequence[str]) -> Mapping[str, Session]:
        await self._read_time()
        found = await self._store.some_sessions([TokenHash(token) for token in tokens])
        return {one.token: one for one in found}

    async def _renew(self, session: Session) -> Session | None:
        """Note the use of a session that was not used for a day, before anything is done by it; None if it is gone.

        From then on it does not expire, whatever the request does. While the store takes nothing, nothing expires.
        """
        with suppress(StoreError):
            await self._store.see_sessions([session.token])
            if renewed := await self._store.session(session.token):
                self._sessions.replace(session.token, renewed)
            return renewed
        return session

    def _is_unused(self, session: Session) -> bool:
        """Was a session not used for a day, so that it may be about to expire?"""
        read, at = self._time
        return read + self._clock() - at - session.seen >= DAY

    async def _read_time(self) -> None:
        """Know the store's time, to the second; where that costs a query, it is read once a minute."""
        if not self._store.shared or self._clock() >= self._time[1] + _SPARINGLY:
            self._time = await self._store.now(), self._clock()

    def _changed(self) -> None:
        """Names that were read before are not to be trusted, nor those that are being read."""
        self.changes += 1


T = TypeVar("T")


def _keep(kept: OrderedDict[str, T], key: str, value: T) -> None:
    """Keep it at hand, and let go of what nobody has asked for in the longest time."""
    kept[key] = value
    kept.move_to_end(key)
    while len(kept) > _KEPT:
        kept.popitem(last=False)
