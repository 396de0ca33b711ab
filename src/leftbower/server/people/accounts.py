"""Accounts, for those who want them: a login with a password, passkeys, and the sessions that came of them.

A guest who gets one stays the same person, with the same name and tables.
"""

from asyncio import to_thread
from collections.abc import Callable, Sequence
from secrets import token_bytes
from typing import Any, Final

from leftbower.errors import (
    AlreadyThere,
    LoginTaken,
    NotFound,
    NotSignedIn,
    NotThere,
    PasskeyRefused,
    WrongPassword,
)
from leftbower.server.http.rate_limit import Backoff, RateLimit, ipv6_site
from leftbower.server.people import passkeys
from leftbower.server.people.passkeys import PasskeyCredential, Site, decode_base64url, encode_base64url
from leftbower.server.people.passwords import Passwords, check_password, normalize_login
from leftbower.server.people.sanitize import strip_invisible
from leftbower.server.people.service import PeopleService
from leftbower.server.quotas import Quotas
from leftbower.store import Passkey, Session, Store, TokenHash, hash_token

_ID: Final = 16
"""So many letters of a token's hash name its session to its person, to whom they are of no other use."""
_FREE_ATTEMPTS_PER_SITE: Final = 50
"""Wrong passwords for one login from all networks of an IPv6 site (/48) before they wait together."""
_UNMET: Final = "this challenge was met before, is too old, or was never given; ask for another"


class Accounts:
    """The credentials of a store.

    `addresses` limits where attempts come from. `guesses` delays wrong passwords by address and login together: a
    login alone is never locked, or anyone could lock its owner out.
    """

    def __init__(
        self,
        store: Store,
        people: PeopleService,
        *,
        passwords: Passwords | None = None,
        address_limit: RateLimit | None = None,
        login_attempt_limit: Backoff | None = None,
        entropy: Callable[[int], bytes] = token_bytes,
        quotas: Quotas | None = None,
    ) -> None:
        self._quotas = quotas or Quotas()
        self._store, self._people, self._entropy = store, people, entropy
        self._passwords = passwords or Passwords()
        self._address_limit = address_limit or RateLimit(burst=60, rate=1.0)
        self._login_attempts = login_attempt_limit or Backoff(name="passwords")
        self._site_attempts = Backoff(free=_FREE_ATTEMPTS_PER_SITE, name="passwords")

    async def close(self) -> None:
        """Finish what is being hashed."""
        await self._passwords.close()

    # Passwords

    async def login(self, person: str) -> str | None:
        """The login of a person, if they have one."""
        found = await self._store.login_of(person)
        return found.login if found else None

    async def set_password(self, person: str, login: str, password: str, *, old: str | None, address: str) -> str:
        """Give a person a login and a password; whoever has a password must tell it. The login as it is compared."""
        name, password = normalize_login(login), check_password(password)
        self._address_limit.take(address)
        before = await self._store.login_of(person)
        if before:
            await self._check_old(person, old, before.hash, address)
        try:
            await self._store.set_login(person, name, await self._passwords.hash(password))
        except AlreadyThere:
            raise LoginTaken("somebody else has this login", place="body.login") from None
        except NotThere:
            raise NotSignedIn("whoever this was is forgotten") from None
        return name

    async def sign_in_with_password(self, login: str, password: str, *, address: str) -> str:
        """The person who signs in. A wrong login is answered as a wrong password is, after the same work."""
        name, password = normalize_login(login), check_password(password)
        self._address_limit.take(address)
        self._count_attempt(address, f"login {name}")
        known = await self._store.login(name)
        if not await self._passwords.fits(password, known.hash if known else None) or known is None:
            raise WrongPassword("the login or the password is wrong")
        self._reset_attempts(address, f"login {name}")
        return known.person

    async def _check_old(self, person: str, old: str | None, known: str, address: str) -> None:
        self._count_attempt(address, f"person {person}")
        if old is None or not await self._passwords.fits(old, known):
            raise WrongPassword("the old password is missing or wrong", place="body.old")
        self._reset_attempts(address, f"person {person}")

    def _count_attempt(self, address: str, whose: str) -> None:
        """Count one attempt, or TooOften: by address, and by all networks of an IPv6 site together."""
        self._login_attempts.attempt(f"{address}, {whose}")
        self._site_attempts.attempt(f"{ipv6_site(address)}, {whose}")

    def _reset_attempts(self, address: str, whose: str) -> None:
        self._login_attempts.reset(f"{address}, {whose}")
        self._site_attempts.reset(f"{ipv6_site(address)}, {whose}")

    # Passkeys

    async def registration_options(self, person: str, site: Site) -> dict[str, Any]:
        """What the browser of a person needs to make a passkey."""
        challenge = await self._challenge(person)
        name = await self.login(person) or await self._people.name(person) or "guest"
        has = [one.id for one in await self._store.passkeys(person)]
        return await to_thread(passkeys.registration_options, site, challenge, person, name, has)

    async def register(self, person: str, site: Site, credential: dict[str, Any], label: str) -> Passkey:
        """Let a new passkey sign in for a person."""
        brought = await self._met(credential, person)
        new, key, count = await to_thread(passkeys.registered, site, brought)
        try:
            most = self._quotas.passkeys
            return await self._store.add_passkey(new, person, key, count=count, label=strip_invisible(label), most=most)
        except AlreadyThere:
            raise PasskeyRefused("this passkey is known already") from None
        except NotThere:
            raise NotSignedIn("whoever this was is forgotten") from None

    async def sign_in_options(self, site: Site, *, address: str) -> dict[str, Any]:
        """What a browser needs to sign in by any passkey it has for this site."""
        self._address_limit.take(f"passkeys {address}")
        return await to_thread(passkeys.authentication_options, site, await self._challenge(None))

    async def sign_in_with_passkey(self, site: Site, credential: dict[str, Any], *, address: str) -> str:
        """The person who signs in."""
        self._address_limit.take(f"passkeys {address}")
        brought = await self._met(credential, None)
        passkey = await self._store.passkey(brought.id)
        count = await to_thread(passkeys.signed, site, brought, passkey)
        if passkey is None or not await self._store.use_passkey(passkey.id, count):
            raise PasskeyRefused("this passkey was used or removed this moment")
        return passkey.person

    async def passkeys(self, person: str) -> Sequence[Passkey]:
        """The passkeys of a person, oldest first."""
        return await self._store.passkeys(person)

    async def remove_passkey(self, person: str, name: str) -> None:
        """Let a passkey sign in no more; sessions that came of it go on."""
        try:
            there = await self._store.remove_passkey(decode_base64url(name), person)
        except ValueError:
            there = False
        if not there:
            raise NotFound("you have no such passkey")

    async def _challenge(self, person: str | None) -> str:
        challenge = encode_base64url(self._entropy(32))
        try:
            await self._store.add_challenge(challenge, person=person, lasting=passkeys.CHALLENGE_SECONDS)
        except NotThere:
            raise NotSignedIn("whoever this was is forgotten") from None
        return challenge

    async def _met(self, credential: dict[str, Any], person: str | None) -> PasskeyCredential:
        """What a browser brings to a challenge of this person's, or of nobody's; whatever is wrong, it is used up."""
        brought = passkeys.read(credential)
        challenge = await self._store.take_challenge(brought.challenge)
        if challenge is None or challenge.person != person:
            raise PasskeyRefused(_UNMET)
        return brought

    # Sessions

    async def sessions(self, person: str) -> list[Session]:
        """The sessions of a person that are good, oldest first."""
        return [session for session in await self._store.sessions(person) if session.revoked is None]

    async def end_session(self, person: str, name: str) -> None:
        """End one of them."""
        for session in await self.sessions(person):
            if session_id(session.token) == name:
                await self._store.revoke_session(session.token)
                return
        raise NotFound("you have no such session")

    async def end_others(self, person: str, token: str) -> None:
        """End all of them but the one of this token."""
        await self._store.revoke_sessions(person, but=hash_token(token))


def session_id(token: TokenHash) -> str:
    """What a session is called to its person: neither the token nor enough to find it."""
    return token[:_ID]
