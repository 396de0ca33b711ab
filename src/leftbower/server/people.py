"""Who asks: guests with a name, and the tokens that act for them."""

from base64 import urlsafe_b64encode
from collections import OrderedDict
from collections.abc import Callable, Iterable
from contextlib import suppress
from secrets import token_bytes
from time import monotonic
from typing import Final

from leftbower.errors import NotSignedIn, NotThere, StoreError
from leftbower.store import Session, Store, hash_token

_KEPT: Final = 20_000
"""So many names, and times of use, are kept at hand."""
_SPARINGLY: Final = 60.0
"""Seconds between two looks at whether the use of a token is to be noted."""
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
    ) -> None:
        self._store, self._entropy, self._clock = store, entropy, clock
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
        """Whom a token acts for, and where; or NotSignedIn. Nothing is remembered: a token is ended at once."""
        session = await self._store.session(hash_token(token)) if token else None
        if session is None:
            raise NotSignedIn("this needs a token; POST a name to /api/guests for one")
        await self._note(session)
        return session

    async def revoke(self, token: str) -> None:
        """End a token."""
        await self._store.revoke_session(hash_token(token))

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
        self._changed(person)

    async def name(self, person: str) -> str:
        """What others read; nothing for somebody who is forgotten."""
        kept = self._names.get(person)
        if kept is not None and self._clock() < kept[1]:
            return kept[0]
        changes = self._changes
        found = await self._store.person(person)
        name = found.name if found else ""
        if changes == self._changes:  # else the name may have been read before it was changed
            self._names[person] = (name, self._clock() + _FRESH)
            self._names.move_to_end(person)
            while len(self._names) > _KEPT:
                self._names.popitem(last=False)
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


def cleaned(name: str) -> str:
    """A name without anything that moves the cursor, hides, or turns the direction of writing."""
    return tidy(name) or "guest"


def tidy(text: str) -> str:
    """Text in which everything can be seen, with single spaces."""
    return " ".join("".join(letter if letter.isprintable() else " " for letter in text).split())
