"""Who asks: guests with a name, and the tokens that act for them."""

from base64 import urlsafe_b64encode
from collections.abc import Callable, Iterable, Mapping, Sequence
from secrets import token_bytes
from time import monotonic
from typing import Final

from leftbower.errors import NotSignedIn, NotThere
from leftbower.server.remembering import Remembered
from leftbower.store import Session, Store, TokenHash, hash_token

_KEPT: Final = 20_000
"""So many names, and so many sessions, are kept at hand."""
_FRESH: Final = 10.0
"""Seconds after which a name is looked up again: another process may have changed or erased it."""
_TRUSTED: Final = 5.0
"""Seconds after which a token is looked up again: another process may have ended it. What this one ends is over."""


class People:
    """The people of a store, names and sessions of some of them kept at hand."""

    def __init__(
        self,
        store: Store,
        *,
        entropy: Callable[[int], bytes] = token_bytes,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self._store, self._entropy, self._clock = store, entropy, clock
        self._changes = 0
        self._names: Remembered[str] = Remembered(
            self._read_names, clock=clock, fresh=_FRESH, kept=_KEPT, changes=lambda: self._changes
        )
        self._sessions: Remembered[Session] = Remembered(
            self._read_sessions, clock=clock, fresh=_TRUSTED, kept=_KEPT, changes=lambda: store.endings
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
            await self._store.add_session(hash_token(token), person, log=log)
        except NotThere:
            raise NotSignedIn("whoever this was is forgotten") from None
        return token

    async def session(self, token: str) -> Session:
        """Whom a token acts for, and where; or NotSignedIn. Ended here, it is ended at once; elsewhere, in seconds."""
        session = await self._sessions.get(hash_token(token)) if token else None
        if session is None:
            raise NotSignedIn("this needs a token; POST a name to /api/guests for one")
        return session

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
        self._changed()

    async def name(self, person: str) -> str:
        """What others read; nothing for somebody who is forgotten."""
        return await self._names.get(person) or ""

    async def names(self, people: Iterable[str]) -> dict[str, str]:
        """The names of some people, by their ids."""
        ids = sorted(people)
        found = await self._names.get_all(ids)
        return {one: found.get(one, "") for one in ids}

    async def _read_names(self, people: Sequence[str]) -> Mapping[str, str]:
        found = {one.id: one.name for one in await self._store.some_people(people)}
        return {person: found.get(person, "") for person in people}

    async def _read_sessions(self, tokens: Sequence[str]) -> Mapping[str, Session]:
        found = await self._store.some_sessions([TokenHash(token) for token in tokens])
        return {one.token: one for one in found}

    def _changed(self) -> None:
        """Names that were read before are not to be trusted, nor those that are being read."""
        self._changes += 1


def cleaned(name: str) -> str:
    """A name without anything that moves the cursor, hides, or turns the direction of writing."""
    return " ".join("".join(letter if letter.isprintable() else " " for letter in name).split()) or "guest"
