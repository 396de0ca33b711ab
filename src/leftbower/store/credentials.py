"""Credentials: logins with the hash of a password, passkeys, and challenges for passkeys.

All of them belong to a person and are erased with the person.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from leftbower.errors import AlreadyThere, QuotaExceeded, Unstorable
from leftbower.store.accounts import NO_LIMIT, AccountTables, Steps, from_row, to_ms, to_row
from leftbower.store.facts import check_names, check_text

MAX_PASSKEY_BYTES: Final = 4096
"""Bytes of a passkey's id or key; real ones have a few hundred at most."""
MAX_CHALLENGES: Final = 10
"""Valid challenges of one person at the same time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Login:
    """The login of a person for password sign-in."""

    person: str
    login: str
    """Case-folded by the caller, as it is compared; unique."""
    hash: str
    """Hash of the password: enough to verify it, not enough to use it."""
    changed: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Passkey:
    """A passkey: its private key is on a device of the person."""

    id: bytes
    person: str
    key: bytes
    """The public key, as the device encoded it."""
    count: int
    """The device's signature counter; always 0 if it does not count."""
    label: str
    """The person's name for it."""
    created: float
    used: float | None
    """Time of the last sign-in; None if there was none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Challenge:
    """A random text that a passkey must sign, once and before it expires."""

    challenge: str
    person: str | None
    """The person who wants to add a passkey; None for signing in."""
    until: float


class Credentials(AccountTables):
    async def set_login(self, person: str, login: str, hash: str, *, now: float | None = None) -> Login:
        """Set a person's login and password hash; AlreadyThere if another person has the login.

        NotThere if there is no such person.
        """
        check_names([person])
        if not login:
            raise Unstorable("the login is empty")
        checked, moment = check_text(login), await self._moment(now)
        stored = Login(person=person, login=checked, hash=check_text(hash), changed=moment)
        if not await self._execute(_SET_LOGIN, *to_row(stored)):
            await self._check_there(person)
            raise AlreadyThere("another person has this login")
        return stored

    async def login(self, login: str) -> Login | None:
        """The record of a login."""
        return await self._record(Login, f"{_LOGINS} where login = $1", login)

    async def login_of(self, person: str) -> Login | None:
        return await self._record(Login, f"{_LOGINS} where person = $1", person)

    async def logins(self) -> Sequence[Login]:
        return await self._records(Login, f"{_LOGINS} order by person")

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
        """Add a passkey of a person; AlreadyThere, or NotThere if there is no such person.

        QuotaExceeded if the person has `limit` passkeys.
        """
        check_names([person])
        if not (0 < len(id) <= MAX_PASSKEY_BYTES and 0 < len(key) <= MAX_PASSKEY_BYTES and 0 <= count < 1 << 32):
            raise Unstorable("this passkey is not valid")
        moment = await self._moment(now)
        label = check_text(label)
        passkey = Passkey(id=id, person=person, key=key, count=count, label=label, created=moment, used=None)

        def steps() -> Steps[bool]:
            return bool((yield _ADD_PASSKEY, [*to_row(passkey), NO_LIMIT if limit is None else limit]))

        if not await self._transact(steps, lock=f"passkeys of {person}"):
            await self._check_there(person)
            if await self.passkey(id) is None:
                raise QuotaExceeded("you have %(limit)s passkeys; remove one first", limit=limit)
            raise AlreadyThere("this passkey is already in the store")
        return passkey

    async def use_passkey(self, id: bytes, count: int, *, now: float | None = None) -> bool:
        """Record a sign-in with a passkey; False, without recording it, unless its counter has increased.

        A passkey that never counts stays at 0.
        """
        return bool(await self._execute(_USE_PASSKEY, id, count, to_ms(await self._moment(now))))

    async def passkey(self, id: bytes) -> Passkey | None:
        return await self._record(Passkey, f"{_PASSKEYS} where id = $1", id)

    async def passkeys(self, person: str | None = None) -> Sequence[Passkey]:
        """All passkeys of a person, or all, oldest first."""
        if person is None:
            return await self._records(Passkey, f"{_PASSKEYS} order by created, id")
        return await self._records(Passkey, f"{_PASSKEYS} where person = $1 order by created, id", person)

    async def remove_passkey(self, id: bytes, person: str) -> bool:
        """Remove a person's passkey; returns whether it was theirs."""
        return bool(await self._execute("delete from passkeys where id = $1 and person = $2 returning id", id, person))

    async def add_challenge(
        self, challenge: str, *, person: str | None = None, lasting: float, now: float | None = None
    ) -> Challenge:
        """Store a challenge for `lasting` seconds, and delete expired ones.

        NotThere if its person does not exist. A person has at most `MAX_CHALLENGES`; one more deletes the oldest.
        """
        check_names([challenge] if person is None else [challenge, person])
        moment = await self._moment(now)
        stored = Challenge(challenge=challenge, person=person, until=moment + lasting)
        await self._execute("delete from challenges where until <= $1", to_ms(moment))
        if person is not None:
            await self._execute(_DROP_CHALLENGES, person, MAX_CHALLENGES - 1)
        if not await self._execute(_ADD_CHALLENGE, *to_row(stored)):
            if person is not None:
                await self._check_there(person)
            raise AlreadyThere("this challenge is already in the store")
        return stored

    async def take_challenge(self, challenge: str, *, now: float | None = None) -> Challenge | None:
        """Delete a challenge; returns it if it was still valid. Only the first caller gets it, across processes."""
        moment = await self._moment(now)
        for row in await self._execute(_TAKE_CHALLENGE, challenge):
            taken = from_row(Challenge, row)
            return taken if taken.until > moment else None
        return None


_LOGINS: Final = "select person, login, hash, changed from logins"
_PASSKEYS: Final = "select id, person, key, count, label, created, used from passkeys"
_SET_LOGIN: Final = """
insert into logins (person, login, hash, changed)
select id, $2, $3, $4 from people
where id = $1 and not exists (select 1 from logins where login = $2 and person <> $1)
on conflict (person) do update set login = excluded.login, hash = excluded.hash, changed = excluded.changed
returning person"""
_ADD_PASSKEY: Final = """
insert into passkeys (id, person, key, count, label, created, used)
select $1, id, $3, $4, $5, $6, $7 from people
where id = $2 and (select count(*) from passkeys where person = $2) < $8
on conflict do nothing returning id"""
_USE_PASSKEY: Final = """
update passkeys set count = $2, used = $3
where id = $1 and (count < $2 or (count = 0 and $2 = 0)) returning id"""
_ADD_CHALLENGE: Final = """
insert into challenges (challenge, person, until)
select $1, $2, $3 where cast($2 as text) is null or exists (select 1 from people where id = $2)
on conflict do nothing returning challenge"""
_DROP_CHALLENGES: Final = """
delete from challenges where person = $1 and challenge not in (
    select challenge from challenges where person = $1 order by until desc, challenge limit $2
)"""
_TAKE_CHALLENGE: Final = "delete from challenges where challenge = $1 returning challenge, person, until"
