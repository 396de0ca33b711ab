"""Who asks: guests with a name, and the tokens that act for them."""

from base64 import urlsafe_b64encode
from collections import OrderedDict
from collections.abc import Callable, Iterable
from contextlib import suppress
from secrets import token_bytes
from time import monotonic
from typing import Final, TypeVar

from leftbower.errors import NotSignedIn, NotThere, StoreError
from leftbower.server.names import cleaned
from leftbower.server.outages import Outage
from leftbower.store import Session, Store, hash_token

_KEPT: Final = 20_000
"""So many names, tokens, words and times of use are kept at hand."""
_SPARINGLY: Final = 60.0
"""Seconds between two looks at whether the use of a token is to be noted."""
_REMEMBERED: Final = 600.0
"""Seconds for which a token that was good may still read while the store is gone."""
_FRESH: Final = 10.0
"""Seconds after which a name is looked up again: another process may have changed or erased it."""


class People:
    """The people of a store, the names of some of them kept at hand."""

    def __init__(
        self,
        store: Store,
        *,
        entropy: Callable[[int], bytes] = token_bytes,
        clock: Callable[[], float] = monotonic,
        outage: Outage | None = None,
    ) -> None:
        self._store, self._entropy, self._clock = store, entropy, clock
        self._outage = outage or Outage(store)
        self._good: OrderedDict[str, tuple[Session, float]] = OrderedDict()
        self._names: OrderedDict[str, tuple[str, float]] = OrderedDict()
        self._said: OrderedDict[str, str] = OrderedDict()
        self._noted: OrderedDict[str, float] = OrderedDict()
        self._changes = 0

    async def welcome(self, name: str) -> tuple[str, str]:
        """A new guest: the person's id, and a token to act for them."""
        person = self._entropy(8).hex()
        await self._store.add_person(person, cleaned(name))
        return person, await self.token(person)

    async def token(self, person: str, *, log: str | None = None) -> str:
        """One more token for a person, or the one for a table; it is told once and kept only as a hash."""
        token = urlsafe_b64encode(self._entropy(24)).decode()
        try:
            await self._store.add_session(hash_token(token), person, log=log)
        except NotThere:
            raise NotSignedIn("whoever this was is forgotten") from None
        return token

    async def session(self, token: str) -> Session:
        """Whom a token acts for, and where; or NotSignedIn. A token is ended at once, as the store is always asked.

        While the store is gone, and nothing can be changed, whoever was known a little before may go on reading.
        """
        key = hash_token(token)
        if token and self._outage.gone:
            known, until = self._good.get(key, (None, 0.0))
            if known is not None and self._clock() < until:
                return known
        session = await self._store.session(key) if token else None
        if session is None:
            self._good.pop(key, None)
            raise NotSignedIn("this needs a token; POST a name to /api/guests for one")
        await self._note(session)
        _keep(self._good, key, (session, self._clock() + _REMEMBERED))
        return session

    async def revoke(self, token: str) -> None:
        """End a token."""
        await self._store.revoke_session(hash_token(token))
        self._good.pop(hash_token(token), None)

    async def rename(self, person: str, name: str) -> str:
        """Call a person by another name."""
        if not await self._store.rename_person(person, cleaned(name)):
            raise NotSignedIn("whoever this was is forgotten")
        self._changed(person)
        return cleaned(name)

    async def erase(self, person: str) -> None:
        """Forget a person; logs keep an id that means nobody."""
        await self._store.erase_person(person)
        self._said.clear()
        for key in [key for key, (session, _) in self._good.items() if session.person == person]:
            del self._good[key]
        self._changed(person)

    async def name(self, person: str) -> str:
        """What others read; nothing for somebody who is forgotten, or whom nobody knows while the store is gone."""
        kept = self._names.get(person)
        if kept is not None and (self._clock() < kept[1] or self._outage.gone):
            return kept[0]
        if self._outage.gone:
            return ""
        changes = self._changes
        found = await self._store.person(person)
        name = found.name if found else ""
        if changes == self._changes:  # else the name may have been read before it was changed
            _keep(self._names, person, (name, self._clock() + _FRESH))
        return name

    async def words(self, id: str) -> str:
        """What somebody said in words of their own; nothing when they are forgotten."""
        if id not in self._said:
            self._said[id] = await self._store.words(id) or ""
            while len(self._said) > _KEPT:
                self._said.popitem(last=False)
        return self._said[id]

    async def names(self, people: Iterable[str]) -> dict[str, str]:
        """The names of some people, by their ids."""
        return {one: await self.name(one) for one in sorted(people)}

    async def _note(self, session: Session) -> None:
        """Note that a session was used: once a minute is enough, and nobody is refused because it cannot be written."""
        now = self._clock()
        if now < self._noted.get(session.token, now):
            return
        self._noted[session.token] = now + _SPARINGLY
        self._noted.move_to_end(session.token)
        while len(self._noted) > _KEPT:
            self._noted.popitem(last=False)
        with suppress(StoreError):
            moment = await self._store.now()
            if moment - session.seen >= _SPARINGLY:
                await self._store.see_session(session.token, now=moment)

    def _changed(self, person: str) -> None:
        self._changes += 1
        self._names.pop(person, None)


T = TypeVar("T")


def _keep(kept: OrderedDict[str, T], key: str, value: T) -> None:
    """Keep it at hand, and let go of what nobody has asked for in the longest time."""
    kept[key] = value
    kept.move_to_end(key)
    while len(kept) > _KEPT:
        kept.popitem(last=False)
