"""Credentials: logins with the hash of a password, passkeys, and challenges for passkeys.

All of them belong to a person and are erased with the person.
"""

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

from leftbower.errors import Unstorable
from leftbower.store.accounts import NO_LIMIT, AccountTables
from leftbower.store.facts import check_names, check_text

MAX_PASSKEY_BYTES = 4096
"""Of the id of a passkey, or its key; real ones have some hundred at most."""
MAX_CHALLENGES = 10
"""Challenges of one person that are good at the same time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Login:
    """The name under which a person signs in by password."""

    person: str
    login: str
    """Case-folded by the caller, as it is compared. No two people have the same."""
    hash: str
    """Of the password: enough to recognize it, not enough to use it."""
    changed: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Passkey:
    """A key pair of which a device of the person's has the secret half."""

    id: bytes
    person: str
    key: bytes
    """The public half, as the device wrote it."""
    count: int
    """How often the device says that it has signed; 0 forever if it does not count."""
    label: str
    """What the person calls it."""
    created: float
    used: float | None
    """When was it last used to sign in?"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Challenge:
    """A random text that a passkey must sign, once and soon."""

    challenge: str
    person: str | None
    """Who wants to add a passkey; None for signing in."""
    until: float


class Credentials(AccountTables):
    """Logins, passkeys and challenges; writes are on disk when a method returns. `now` replaces the database's time."""

    async def set_login(self, person: str, login: str, hash: str, *, now: float | None = None) -> Login:
        """Give a person a login and a password in place of any before; AlreadyThere if another person has the login.

        NotThere if there is no such person.
        """
        check_names([person])
        if not login:
            raise Unstorable("a login is not empty")
        checked, moment = check_text(login), await self._moment(now)
        stored = Login(person=person, login=checked, hash=check_text(hash), changed=moment)
        await self._set_login(stored)
        return stored

    async def add_passkey(
        self,
        id: bytes,
        person: str,
        key: bytes,
        *,
        count: int = 0,
        label: str = "",
        limit: int | None = None,
        now: float | None = None,
    ) -> Passkey:
        """Let a passkey sign in for a person, or AlreadyThere, or NotThere if there is no such person.

        QuotaExceeded for a person who has `limit` passkeys.
        """
        check_names([person])
        if not (0 < len(id) <= MAX_PASSKEY_BYTES and 0 < len(key) <= MAX_PASSKEY_BYTES and 0 <= count < 1 << 32):
            raise Unstorable("this is no passkey to be kept")
        moment = await self._moment(now)
        label = check_text(label)
        passkey = Passkey(id=id, person=person, key=key, count=count, label=label, created=moment, used=None)
        await self._add_passkey(passkey, NO_LIMIT if limit is None else limit)
        return passkey

    async def use_passkey(self, id: bytes, count: int, *, now: float | None = None) -> bool:
        """Record a sign-in by a passkey; False, and nothing is recorded, unless its count has gone up.

        A passkey that never counted stays at 0.
        """
        return await self._use_passkey(id, count, await self._moment(now))

    async def add_challenge(
        self, challenge: str, *, person: str | None = None, lasting: float, now: float | None = None
    ) -> Challenge:
        """Store a challenge for `lasting` seconds, and delete those that have expired.

        NotThere if it is for a person who is not there. A person has at most `MAX_CHALLENGES`; one more deletes the
        oldest.
        """
        check_names([challenge] if person is None else [challenge, person])
        moment = await self._moment(now)
        stored = Challenge(challenge=challenge, person=person, until=moment + lasting)
        await self._add_challenge(stored, moment)
        return stored

    async def take_challenge(self, challenge: str, *, now: float | None = None) -> Challenge | None:
        """Delete a challenge; return it if it was good until now. Only the first caller gets it, in any process."""
        moment = await self._moment(now)
        taken = await self._take_challenge(challenge)
        return taken if taken and taken.until > moment else None

    @abstractmethod
    async def login(self, login: str) -> Login | None:
        """Whose login it is."""

    @abstractmethod
    async def login_of(self, person: str) -> Login | None:
        """The login of a person."""

    @abstractmethod
    async def logins(self) -> Sequence[Login]:
        """All logins, by person."""

    @abstractmethod
    async def passkey(self, id: bytes) -> Passkey | None:
        """The passkey of that id."""

    @abstractmethod
    async def passkeys(self, person: str | None = None) -> Sequence[Passkey]:
        """All passkeys of a person, or all there are, oldest first."""

    @abstractmethod
    async def remove_passkey(self, id: bytes, person: str) -> bool:
        """Take a passkey from a person; was it theirs?"""

    @abstractmethod
    async def _set_login(self, login: Login) -> None: ...
    @abstractmethod
    async def _add_passkey(self, passkey: Passkey, limit: int) -> None: ...
    @abstractmethod
    async def _use_passkey(self, id: bytes, count: int, now: float) -> bool: ...
    @abstractmethod
    async def _add_challenge(self, challenge: Challenge, now: float) -> None: ...
    @abstractmethod
    async def _take_challenge(self, challenge: str) -> Challenge | None: ...
