"""Accounts: logins with passwords, passkeys, and sessions.

A guest who creates an account stays the same person, with the same name and tables.
"""

from asyncio import to_thread
from collections.abc import Callable, Sequence
from typing import Any, Final

from leftbower.errors import AlreadyThere, LoginTaken, NotFound, NotSignedIn, NotThere, PasskeyRefused, WrongPassword
from leftbower.i18n import gettext_noop
from leftbower.server.http.rate_limit import Limits, ipv6_site
from leftbower.server.people import passkeys
from leftbower.server.people.passkeys import PasskeyCredential, Site, decode_base64url, encode_base64url
from leftbower.server.people.passwords import Passwords, check_password, normalize_login
from leftbower.server.people.sanitize import strip_invisible
from leftbower.server.people.service import PeopleService
from leftbower.server.quotas import Quotas
from leftbower.store import Passkey, Session, Store, TokenHash, hash_token

_SESSION_ID_LENGTH: Final = 16
"""Leading characters of a token's hash that identify its session; too few to find the token."""
_BAD_CHALLENGE: Final = gettext_noop("this sign-in has expired; start again")


class Accounts:
    """The credentials of a store."""

    def __init__(
        self,
        store: Store,
        people: PeopleService,
        *,
        passwords: Passwords,
        limits: Limits,
        entropy: Callable[[int], bytes],
        quotas: Quotas,
    ) -> None:
        self._store, self._people, self._entropy = store, people, entropy
        self._passwords, self._limits, self._quotas = passwords, limits, quotas

    async def close(self) -> None:
        await self._passwords.close()

    # Passwords

    async def login(self, person: str) -> str | None:
        row = await self._store.login_of(person)
        return row.login if row else None

    async def set_password(self, person: str, login: str, password: str, *, old: str | None, address: str) -> str:
        """Set login and password; a person who has a password must send it. Returns the normalized login."""
        name, password = normalize_login(login), check_password(password)
        self._limits.sign_ins.take(address)
        current = await self._store.login_of(person)
        if current:
            self._count_attempt(address, f"person {person}")
            if old is None or not await self._passwords.verify(old, current.hash):
                raise WrongPassword("the old password is missing or wrong", path="body.old")
            self._reset_attempts(address, f"person {person}")
        try:
            await self._store.set_login(person, name, await self._passwords.hash(password))
        except AlreadyThere:
            raise LoginTaken("this login is taken", path="body.login") from None
        except NotThere:
            raise NotSignedIn("this account no longer exists") from None
        return name

    async def sign_in_with_password(self, login: str, password: str, *, address: str) -> str:
        """Sign a person in. A wrong login gets the same error as a wrong password, after the same work."""
        name, password = normalize_login(login), check_password(password)
        self._limits.sign_ins.take(address)
        self._count_attempt(address, f"login {name}")
        row = await self._store.login(name)
        if not await self._passwords.verify(password, row.hash if row else None) or row is None:
            raise WrongPassword("wrong login or password")
        self._reset_attempts(address, f"login {name}")
        return row.person

    def _count_attempt(self, address: str, whose: str) -> None:
        """Count an attempt, or TooOften: by address, and by all networks of an IPv6 site together."""
        self._limits.login_attempts.attempt(f"{address}, {whose}")
        self._limits.site_login_attempts.attempt(f"{ipv6_site(address)}, {whose}")

    def _reset_attempts(self, address: str, whose: str) -> None:
        self._limits.login_attempts.reset(f"{address}, {whose}")
        self._limits.site_login_attempts.reset(f"{ipv6_site(address)}, {whose}")

    # Passkeys

    async def registration_options(self, person: str, site: Site) -> dict[str, Any]:
        challenge = await self._challenge(person)
        name = await self.login(person) or await self._people.name(person) or "guest"
        existing = [passkey.id for passkey in await self._store.passkeys(person)]
        return await to_thread(passkeys.registration_options, site, challenge, person, name, existing)

    async def register(self, person: str, site: Site, credential: dict[str, Any], label: str) -> Passkey:
        parsed = await self._take_challenge(credential, person)
        new, key, count = await to_thread(passkeys.verify_registration, site, parsed)
        try:
            most = self._quotas.passkeys
            return await self._store.add_passkey(
                new, person, key, count=count, label=strip_invisible(label), limit=most
            )
        except AlreadyThere:
            raise PasskeyRefused("this passkey is already added") from None
        except NotThere:
            raise NotSignedIn("this account no longer exists") from None

    async def sign_in_options(self, site: Site, *, address: str) -> dict[str, Any]:
        """Options for the browser to sign in with any passkey of this site."""
        self._limits.sign_ins.take(f"passkeys {address}")
        return await to_thread(passkeys.authentication_options, site, await self._challenge(None))

    async def sign_in_with_passkey(self, site: Site, credential: dict[str, Any], *, address: str) -> str:
        self._limits.sign_ins.take(f"passkeys {address}")
        parsed = await self._take_challenge(credential, None)
        passkey = await self._store.passkey(parsed.id)
        count = await to_thread(passkeys.verify_authentication, site, parsed, passkey)
        if passkey is None or not await self._store.use_passkey(passkey.id, count):
            raise PasskeyRefused("this passkey was just used or removed; try again")
        return passkey.person

    async def passkeys(self, person: str) -> Sequence[Passkey]:
        """The passkeys of a person, oldest first."""
        return await self._store.passkeys(person)

    async def remove_passkey(self, person: str, name: str) -> None:
        """Remove a passkey; its sessions stay valid."""
        try:
            removed = await self._store.remove_passkey(decode_base64url(name), person)
        except ValueError:
            removed = False
        if not removed:
            raise NotFound("you don't have that passkey")

    async def _challenge(self, person: str | None) -> str:
        challenge = encode_base64url(self._entropy(32))
        try:
            await self._store.add_challenge(challenge, person=person, lasting=passkeys.CHALLENGE_SECONDS)
        except NotThere:
            raise NotSignedIn("this account no longer exists") from None
        return challenge

    async def _take_challenge(self, credential: dict[str, Any], person: str | None) -> PasskeyCredential:
        """Parse a credential and use up its challenge, which must be this person's; for None, an anonymous one."""
        parsed = passkeys.parse_credential(credential)
        challenge = await self._store.take_challenge(parsed.challenge)
        if challenge is None or challenge.person != person:
            raise PasskeyRefused(_BAD_CHALLENGE)
        return parsed

    # Sessions

    async def sessions(self, person: str) -> list[Session]:
        """The valid sessions of a person, oldest first."""
        return [session for session in await self._store.sessions(person) if session.revoked is None]

    async def end_session(self, person: str, name: str) -> None:
        for session in await self.sessions(person):
            if session_id(session.token) == name:
                await self._store.revoke_session(session.token)
                self._people.on_revoked(person)
                return
        raise NotFound("you don't have that session")

    async def end_others(self, person: str, token: str) -> None:
        """Revoke all sessions except that of this token."""
        await self._store.revoke_sessions(person, but=hash_token(token))
        self._people.on_revoked(person)


def session_id(token: TokenHash) -> str:
    return token[:_SESSION_ID_LENGTH]
