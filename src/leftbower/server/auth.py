"""Authentication: from the token of a request to its caller. Token scopes are checked only here.

An account token acts for its person everywhere; a seat token acts for its person at one table. A route gets a person
only from one of the dependencies below, and each of them defines what it does with seat tokens. `AccountHolder` and
`MaybeAccount` reject them, so a route accepts one only if it says so.
"""

from contextlib import suppress
from dataclasses import dataclass
from enum import Enum, auto
from typing import Annotated, Final

from fastapi import Depends, Request, Response, Security
from fastapi.security import APIKeyCookie, HTTPAuthorizationCredentials, HTTPBearer

from leftbower.errors import NotSignedIn, SeatOnly
from leftbower.server.api.requests import (
    AgreeToRules,
    AnswerUndo,
    Chat,
    CutDeck,
    DealCards,
    LastCard,
    Mute,
    OfferCut,
    Rematch,
    Say,
    TableCommand,
    Undo,
)
from leftbower.server.http.middleware import SESSION_COOKIE_NAME, cookie_name
from leftbower.server.http.rate_limit import Limits, client_key
from leftbower.server.people.service import PeopleService
from leftbower.store import TokenHash, hash_token

_COOKIE_SECONDS: Final = 31_536_000
"""Seconds for which a browser keeps the session cookie."""
_COOKIE_DESCRIPTION: Final = (
    f"The same token in a browser's cookie; under HTTPS its name is `__Host-{SESSION_COOKIE_NAME}`."
)
_PLAYER_COMMANDS: Final = (
    *(AgreeToRules, Rematch, OfferCut, CutDeck, DealCards, LastCard, Undo, AnswerUndo),
    *(Say, Chat, Mute),
)
"""Commands of a seat token: playing and talking. Seats, rules and hosting need the account token."""


class SeatTokens(Enum):
    """What a route does with a seat token."""

    REFUSED = auto()
    IGNORED = auto()
    """Treat the caller as anonymous."""
    AT_THEIR_TABLE = auto()
    """Accept it for the table in the path."""
    ACCEPTED = auto()


@dataclass(frozen=True, slots=True, kw_only=True)
class SignedIn:
    """A caller who is a person."""

    person: str
    token: str
    table: str | None = None
    """The only table where the token acts; None for an account token."""
    is_new: bool = False
    """Did this request create the guest? Then the response must set the session cookie."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """A caller, possibly anonymous."""

    person: str | None = None
    token: str | None = None
    table: str | None = None
    """The only table where the token acts; None for an account token."""
    address: str = ""
    """Client address of an anonymous caller."""
    seat_token_ignored: bool = False
    """Did the caller send a seat token that this route ignores?"""

    def signed_in(self) -> SignedIn:
        """The same caller as a person, or NotSignedIn, or SeatOnly if a seat token was ignored."""
        if self.person is not None and self.token is not None:
            return SignedIn(person=self.person, token=self.token, table=self.table)
        if self.seat_token_ignored:
            raise SeatOnly("this token is for one seat at one table")
        raise NotSignedIn("sign in first: POST a name to /api/guests for a token")


class Authenticator:
    """Looks up tokens among the sessions, with rate limits by token and by address."""

    def __init__(self, people: PeopleService, limits: Limits) -> None:
        self._people, self._limits = people, limits

    async def caller(
        self, request: Request, seat_tokens: SeatTokens, *, bearer: str | None, cookie: str | None = None
    ) -> Caller:
        """The caller by bearer token or cookie; NotSignedIn for an unknown token, or SeatOnly.

        Without a token, or with the cookie of an expired session, the caller is anonymous.
        """
        token, session = bearer or cookie or "", None
        with suppress(NotSignedIn):
            session = await self._people.session(hash_token(token)) if token else None
        if session is None:
            self._limits.token.take(address_of(request))
            if bearer:
                raise NotSignedIn("sign in first: POST a name to /api/guests for a token")
            return Caller(address=address_of(request))
        self._limits.token.take(session.token)
        is_own_table = seat_tokens is SeatTokens.AT_THEIR_TABLE and session.log == request.path_params.get("table")
        if session.log is None or is_own_table or seat_tokens is SeatTokens.ACCEPTED:
            return Caller(person=session.person, token=token, table=session.log)
        if seat_tokens is SeatTokens.IGNORED:
            return Caller(address=address_of(request), seat_token_ignored=True)
        raise SeatOnly("this token is for one seat at one table")

    async def account_of(self, token: str) -> str:
        """The person of an account token, without a rate limit; empty for any other token, such as that of an event."""
        try:
            session = await self._people.session(hash_token(token))
        except NotSignedIn:
            return ""
        return session.person if session.log is None else ""

    async def account_of_browser(self, request: Request) -> str:
        """The person whose account token is in the cookie, for routes with bearer tokens and limits of their own."""
        return await self.account_of(request.cookies.get(cookie_name(request), ""))

    async def browser_account_or_guest(self, request: Request, name: str) -> tuple[str, str]:
        """The person of the cookie, or a new guest with a token for the cookie; no one for a seat token."""
        try:
            session = await self._people.session(hash_token(request.cookies.get(cookie_name(request), "")))
        except NotSignedIn:
            guest = await self.create_guest(request, name)
            return guest.person, guest.token
        return (session.person if session.log is None else ""), ""

    async def create_guest(self, request: Request, name: str, *, limit_key: str = "") -> SignedIn:
        """Create a guest. TooOften by address, or by `limit_key`."""
        self._limits.anonymous.take(limit_key or address_of(request))
        self._limits.new_guests.take(address_of(request))
        person, token = await self._people.create_guest(name)
        return SignedIn(person=person, token=token, is_new=True)

    async def signed_in_or_guest(self, request: Request, caller: Caller, name: str) -> SignedIn:
        """The caller; an anonymous one becomes a guest under this name."""
        return caller.signed_in() if caller.person is not None else await self.create_guest(request, name)

    async def check(self, key: TokenHash | None) -> None:
        """Raise NotSignedIn if the token with this hash was revoked; feeds check before each message."""
        if key is not None:
            await self._people.session(key)

    def is_known_good(self, key: TokenHash | None) -> bool:
        """Would `check` pass, as far as the session cache knows?"""
        return key is None or self._people.peek_session(key) is not None


def check_command(caller: SignedIn, command: TableCommand) -> None:
    """Raise SeatOnly for a command that seat tokens may not send."""
    if caller.table is not None and not isinstance(command, _PLAYER_COMMANDS):
        raise SeatOnly("this token is only for playing")


# Dependencies


Bearer = Annotated[
    HTTPAuthorizationCredentials | None,
    Security(HTTPBearer(auto_error=False, scheme_name="token", description="A token from `/api/guests`.")),
]
Cookie = Annotated[
    str | None,
    Security(
        APIKeyCookie(name=SESSION_COOKIE_NAME, auto_error=False, scheme_name="cookie", description=_COOKIE_DESCRIPTION)
    ),
]
"""For OpenAPI only. The cookie's name depends on the scheme of the request, so it is read elsewhere."""


@dataclass(frozen=True, slots=True)
class CallerDependency:
    """The caller of a request, possibly anonymous."""

    seat_tokens: SeatTokens

    async def __call__(self, request: Request, bearer: Bearer, cookie: Cookie) -> Caller:
        auth: Authenticator = request.app.state.context.auth
        return await auth.caller(
            request,
            self.seat_tokens,
            bearer=bearer.credentials if bearer else None,
            cookie=request.cookies.get(cookie_name(request)),
        )


MaybeAccount = Annotated[Caller, Depends(CallerDependency(SeatTokens.REFUSED))]
Visitor = Annotated[Caller, Depends(CallerDependency(SeatTokens.IGNORED))]
"""The caller of a public page."""
Viewer = Annotated[Caller, Depends(CallerDependency(SeatTokens.AT_THEIR_TABLE))]


async def has_account(request: Request, bearer: Bearer, cookie: Cookie) -> bool:
    """Is the caller signed in, as a guest or with an account? For the limits of public routes."""
    auth: Authenticator = request.app.state.context.auth
    token = bearer.credentials if bearer else request.cookies.get(cookie_name(request), "")
    return bool(await auth.account_of(token))


async def account_holder(caller: MaybeAccount) -> SignedIn:
    """The caller by an account token; otherwise NotSignedIn or SeatOnly."""
    return caller.signed_in()


async def player(caller: Viewer) -> SignedIn:
    """The caller at a table, by an account token or its seat token; otherwise NotSignedIn or SeatOnly."""
    return caller.signed_in()


async def token_holder(caller: Annotated[Caller, Depends(CallerDependency(SeatTokens.ACCEPTED))]) -> SignedIn:
    """The caller by any token, for routes about the token itself; otherwise NotSignedIn."""
    return caller.signed_in()


HasAccount = Annotated[bool, Depends(has_account)]
AccountHolder = Annotated[SignedIn, Depends(account_holder)]
Player = Annotated[SignedIn, Depends(player)]
TokenHolder = Annotated[SignedIn, Depends(token_holder)]


async def player_by_token(request: Request, token: str) -> SignedIn:
    """Like `player`, for a bearer token that the fast path parsed."""
    auth: Authenticator = request.app.state.context.auth
    return (await auth.caller(request, SeatTokens.AT_THEIR_TABLE, bearer=token)).signed_in()


# Cookies and addresses


def address_of(request: Request) -> str:
    """The client address that rate limits use."""
    return f"from {client_key(request.client.host)}" if request.client else "from nowhere"


def set_cookie(request: Request, response: Response, token: str) -> None:
    """Store a token in the session cookie, which is HttpOnly."""
    secure = request.url.scheme == "https"
    name = cookie_name(request)
    response.set_cookie(name, token, httponly=True, samesite="lax", secure=secure, max_age=_COOKIE_SECONDS)


def drop_cookie(request: Request, response: Response) -> None:
    secure = request.url.scheme == "https"
    response.delete_cookie(cookie_name(request), httponly=True, samesite="lax", secure=secure)
