"""Credentials in SQL: the tables and statements that SQLite and PostgreSQL share, word for word."""

from abc import abstractmethod
from collections.abc import Callable, Generator, Sequence
from typing import Any, Final, TypeAlias, TypeVar

from leftbower.errors import AlreadyThere, NotThere, QuotaExceeded
from leftbower.store.accounts import from_ms, to_ms
from leftbower.store.base import Store
from leftbower.store.credentials import MAX_CHALLENGES, Challenge, Login, Passkey

T = TypeVar("T")
Found: TypeAlias = Sequence[Sequence[Any]]
"""All rows that a statement returns."""
Steps: TypeAlias = Generator[tuple[str, Sequence[object]], Found, T]
"""Statements of one transaction with their values; sent the rows of the last one. Nothing is raised after a write."""

TABLES: Final = """
create table logins (
    person {name} primary key references people on delete cascade,
    login {name} not null unique, hash text not null, changed {int} not null
){plain};
create table passkeys (
    id {bytes} primary key, person {name} not null references people on delete cascade, key {bytes} not null,
    count {int} not null, label text not null, created {int} not null, used {int}
){plain};
create index passkeys_of_person on passkeys (person);
create table challenges (
    challenge {name} primary key, person {name} references people on delete cascade, until {int} not null
){plain};
create index challenges_of_person on challenges (person);
create index challenges_by_time on challenges (until);
"""


class SqlCredentials(Store):
    """Credentials in SQL: `_query` reads, `_execute` writes by one statement, `_transact` by several."""

    @abstractmethod
    async def _query(self, statement: str, *values: object) -> Sequence[Sequence[Any]]: ...
    @abstractmethod
    async def _execute(self, statement: str, *values: object) -> Sequence[Sequence[Any]]: ...
    @abstractmethod
    async def _transact(self, steps: Callable[[], Steps[T]], *, lock: str = "") -> T:
        """Run the statements in one transaction, after any other that has the same `lock`; what the steps return."""

    async def login(self, login: str) -> Login | None:
        return next(map(_login, await self._query(f"{_LOGINS} where login = $1", login)), None)

    async def login_of(self, person: str) -> Login | None:
        return next(map(_login, await self._query(f"{_LOGINS} where person = $1", person)), None)

    async def logins(self) -> Sequence[Login]:
        return [_login(row) for row in await self._query(f"{_LOGINS} order by person")]

    async def passkey(self, id: bytes) -> Passkey | None:
        return next(map(_passkey, await self._query(f"{_PASSKEYS} where id = $1", id)), None)

    async def passkeys(self, person: str | None = None) -> Sequence[Passkey]:
        if person is None:
            return [_passkey(row) for row in await self._query(f"{_PASSKEYS} order by created, id")]
        theirs = await self._query(f"{_PASSKEYS} where person = $1 order by created, id", person)
        return [_passkey(row) for row in theirs]

    async def remove_passkey(self, id: bytes, person: str) -> bool:
        return bool(await self._execute("delete from passkeys where id = $1 and person = $2 returning id", id, person))

    async def _set_login(self, login: Login) -> None:
        values = login.person, login.login, login.hash, to_ms(login.changed)
        if not await self._execute(_SET_LOGIN, *values):
            await self._check_there(login.person)
            raise AlreadyThere("another person has this login")

    async def _add_passkey(self, passkey: Passkey, limit: int) -> None:
        created = to_ms(passkey.created)
        values = passkey.id, passkey.person, passkey.key, passkey.count, passkey.label, created, limit

        def steps() -> Steps[bool]:
            return bool((yield _ADD_PASSKEY, values))

        if not await self._transact(steps, lock=f"passkeys of {passkey.person}"):
            await self._check_there(passkey.person)
            if await self.passkey(passkey.id) is None:
                raise QuotaExceeded(f"you have {limit} passkeys; remove one first")
            raise AlreadyThere("this passkey is in the store already")

    async def _use_passkey(self, id: bytes, count: int, now: float) -> bool:
        return bool(await self._execute(_USE_PASSKEY, id, count, to_ms(now)))

    async def _add_challenge(self, challenge: Challenge, now: float) -> None:
        await self._execute("delete from challenges where until <= $1", to_ms(now))
        if challenge.person is not None:
            await self._execute(_DROP_CHALLENGES, challenge.person, MAX_CHALLENGES - 1)
        values = challenge.challenge, to_ms(challenge.until)
        if challenge.person is None:
            added = await self._execute(_ADD_CHALLENGE, *values)
        elif not (added := await self._execute(_ADD_CHALLENGE_FOR, *values, challenge.person)):
            await self._check_there(challenge.person)
        if not added:
            raise AlreadyThere("this challenge is in the store already")

    async def _take_challenge(self, challenge: str) -> Challenge | None:
        return next(map(_challenge, await self._execute(_TAKE_CHALLENGE, challenge)), None)

    async def _check_there(self, person: str) -> None:
        if not await self.person(person):
            raise NotThere(f"there is no person {person}")


_LOGINS: Final = "select person, login, hash, changed from logins"
_PASSKEYS: Final = "select id, person, key, count, label, created, used from passkeys"
_SET_LOGIN: Final = """
insert into logins (person, login, hash, changed)
select id, $2, $3, $4 from people
where id = $1 and not exists (select 1 from logins where login = $2 and person <> $1)
on conflict (person) do update set login = excluded.login, hash = excluded.hash, changed = excluded.changed
returning person"""
_ADD_PASSKEY: Final = """
insert into passkeys (id, person, key, count, label, created)
select $1, id, $3, $4, $5, $6 from people
where id = $2 and (select count(*) from passkeys where person = $2) < $7
on conflict do nothing returning id"""
_USE_PASSKEY: Final = """
update passkeys set count = $2, used = $3
where id = $1 and (count < $2 or (count = 0 and $2 = 0)) returning id"""
_ADD_CHALLENGE: Final = """
insert into challenges (challenge, until) values ($1, $2)
on conflict do nothing returning challenge"""
_ADD_CHALLENGE_FOR: Final = """
insert into challenges (challenge, until, person) select $1, $2, id from people where id = $3
on conflict do nothing returning challenge"""
_DROP_CHALLENGES: Final = """
delete from challenges where person = $1 and challenge not in (
    select challenge from challenges where person = $1 order by until desc, challenge limit $2
)"""
_TAKE_CHALLENGE: Final = "delete from challenges where challenge = $1 returning challenge, person, until"


def _login(row: Sequence[Any]) -> Login:
    person, login, password_hash, changed = row
    return Login(person=person, login=login, hash=password_hash, changed=from_ms(changed))


def _passkey(row: Sequence[Any]) -> Passkey:
    name, person, key, count, label, created, used = row
    last = None if used is None else from_ms(used)
    return Passkey(id=name, person=person, key=key, count=count, label=label, created=from_ms(created), used=last)


def _challenge(row: Sequence[Any]) -> Challenge:
    challenge, person, until = row
    return Challenge(challenge=challenge, person=person, until=from_ms(until))
