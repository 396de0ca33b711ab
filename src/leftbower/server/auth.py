"""Authentication: from the token of a request to its caller. The scope of a token is checked here and nowhere else.

An account token acts for its person everywhere; a seat token acts for its person at one table. A route learns a person
only from one of the dependencies below, and each of them says what it does with seat tokens: `AccountHolder` and
`MaybeAccount` refuse them, so a route accepts one only where it says so.
"""

from dataclasses import dataclass
from enum import Enum, auto
from typing import Annotated, Final, Self

from fastapi import Depends, Request, Response, Security
from fastapi.security import APIKeyCookie, HTTPAuthorizationCredentials, HTTPBearer
from starlette.requests import HTTPConnection

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
from leftbower.server.http.rate_limit import RateLimit, client_key
from leftbower.server.people.service import PeopleService
from leftbower.store import Session, TokenHash

_COOKIE_SECONDS: Final = 31_536_000
"""Seconds for which a browser keeps the session cookie."""
_COOKIE_DESCRIPTION: Final = f"The same, by a browser; under HTTPS it is called `__Host-{SESSION_COOKIE_NAME}`."
_PLAYER_COMMANDS: Final = (
    *(AgreeToRules, Rematch, OfferCut, CutDeck, DealCards, LastCard, Undo, AnswerUndo),
    *(Say, Chat, Mute),
)
"""Commands of a seat token: playing and talking. Seats, rules and hosting need the account token."""


class SeatTokens(Enum):
    """What a route does with a seat token."""

    REFUSED = auto()
    IGNORED = auto()
    """The caller counts as anonymous."""
    AT_THEIR_TABLE = auto()
    """Accepted for the table that the path names."""
    ACCEPTED = auto()


@dataclass(frozen=True, slots=True, kw_only=True)
class SignedIn:
    """A caller who is a person."""

    person: str
    token: str
    table: str | None = None
    """The only table at which the token acts; None for an account token."""

    @classmethod
    def new_guest(cls, person: str, token: str) -> Self:
        """A guest who was created by this request."""
        return cls(person=person, token=token)


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """A caller, possibly anonymous."""

    person: str | None = None
    token: str | None = None
    table: str | None = None
    """The only table at which the token acts; None for an account token."""
    address: str = ""
    """Client address of an anonymous caller."""
    seat_token_ignored: bool = False
    """Did the caller send a seat token that this route ignores?"""

    def signed_in(self) -> SignedIn:
        """The same caller as a person, or NotSignedIn, or SeatOnly if a seat token was ignored."""
        if self.person is not None and self.token is not None:
            return SignedIn(person=self.person, token=self.token, table=self.table)
        if self.seat_token_ignored:
            raise SeatOnly("this token is good for one seat at one table only")
        raise NotSignedIn("this needs a token; POST a name to /api/guests for one")


class Authenticator:
    """Looks tokens up among the sessions; `limit` is a rate limit by token, and by address for everything else."""

    def __init__(self, people: PeopleService, limit: RateLimit) -> None:
        self._people, self.limit = people, limit

    async def by_token(self, request: Request, token: str, seat_tokens: SeatTokens) -> Caller:
        """The caller who sent this token, or NotSignedIn, or SeatOnly."""
        try:
            session = await self._people.session(token)
        except NotSignedIn:
            self.limit.take(address_of(request))
            raise
        self.limit.take(session.token)
        return _in_scope(request, session, token, seat_tokens)

    async def by_cookie(self, request: Request, cookie: str, seat_tokens: SeatTokens) -> Caller:
        """The caller whose browser sent this cookie, or SeatOnly; one that has outlived its session is anonymous."""
        try:
            return await self.by_token(request, cookie, seat_tokens)
        except NotSignedIn:
            return Caller(address=address_of(request))

    def anonymous(self, request: Request) -> Caller:
        """A caller who sent no token."""
        self.limit.take(address_of(request))
        return Caller(address=address_of(request))

    async def is_account(self, request: Request, token: str) -> bool:
        """Is this a valid account token? Any other token, as of an event, counts as none."""
        try:
            session = await self._people.session(token)
        except NotSignedIn:
            return False
        return _in_scope(request, session, token, SeatTokens.IGNORED).person is not None

    async def person_of_browser(self, request: Request) -> str | None:
        """The person whose account token is in the cookie, for routes that have other bearer tokens and limits."""
        cookie = request.cookies.get(cookie_name(request), "")
        try:
            session = await self._people.session(cookie)
        except NotSignedIn:
            return None
        return _in_scope(request, session, cookie, SeatTokens.IGNORED).person

    async def check(self, key: TokenHash | None) -> None:
        """Raise NotSignedIn if the token with this hash was revoked; feeds check before each message."""
        if key is not None:
            await self._people.session_by_hash(key)

    def is_known_good(self, key: TokenHash | None) -> bool:
        """Would `check` pass, as far as the session cache knows?"""
        return key is None or self._people.peek_session(key) is not None


def _in_scope(request: Request, session: Session, token: str, seat_tokens: SeatTokens) -> Caller:
    """The scope check: the caller of a session as the route may see it, or SeatOnly."""
    table = session.log
    is_own_table = seat_tokens is SeatTokens.AT_THEIR_TABLE and table == request.path_params.get("table")
    if table is None or is_own_table or seat_tokens is SeatTokens.ACCEPTED:
        return Caller(person=session.person, token=token, table=table)
    if seat_tokens is SeatTokens.IGNORED:
        return Caller(address=address_of(request), seat_token_ignored=True)
    raise SeatOnly("this token is good for one seat at one table only")


def check_command(caller: SignedIn, command: TableCommand) -> None:
    """Raise SeatOnly for a command that is not listed for seat tokens."""
    if caller.table is not None and not isinstance(command, _PLAYER_COMMANDS):
        raise SeatOnly("this token is good for playing only")


# Dependencies


class SessionCookie(APIKeyCookie):
    """The session cookie, by the name it has under the scheme of the request."""

    async def __call__(self, request: HTTPConnection) -> str | None:
        return request.cookies.get(cookie_name(request))


Bearer = Annotated[
    HTTPAuthorizationCredentials | None,
    Security(HTTPBearer(auto_error=False, scheme_name="token", description="A token from `/api/guests`.")),
]
Cookie = Annotated[
    str | None,
    Security(
        SessionCookie(name=SESSION_COOKIE_NAME, auto_error=False, scheme_name="cookie", description=_COOKIE_DESCRIPTION)
    ),
]


async def maybe_account(request: Request, bearer: Bearer, cookie: Cookie) -> Caller:
    """The caller, possibly anonymous; seat tokens are refused."""
    return await _caller(request, bearer, cookie, SeatTokens.REFUSED)


async def visitor(request: Request, bearer: Bearer, cookie: Cookie) -> Caller:
    """The caller of a page for everyone, possibly anonymous; a seat token is ignored."""
    return await _caller(request, bearer, cookie, SeatTokens.IGNORED)


async def has_account(request: Request, bearer: Bearer, cookie: Cookie) -> bool:
    """Does the caller have an account or a guest's name? For limits of public routes."""
    return await _authenticator(request).is_account(request, bearer.credentials if bearer else cookie or "")


async def viewer(request: Request, bearer: Bearer, cookie: Cookie) -> Caller:
    """The caller at a table, possibly anonymous; seat tokens of other tables are refused."""
    return await _caller(request, bearer, cookie, SeatTokens.AT_THEIR_TABLE)


async def token_holder(request: Request, bearer: Bearer, cookie: Cookie) -> SignedIn:
    """The caller by any token, for routes about the token itself; or NotSignedIn."""
    return (await _caller(request, bearer, cookie, SeatTokens.ACCEPTED)).signed_in()


MaybeAccount = Annotated[Caller, Depends(maybe_account)]
Visitor = Annotated[Caller, Depends(visitor)]
HasAccount = Annotated[bool, Depends(has_account)]
Viewer = Annotated[Caller, Depends(viewer)]
TokenHolder = Annotated[SignedIn, Depends(token_holder)]


async def account_holder(caller: MaybeAccount) -> SignedIn:
    """The caller by an account token; or NotSignedIn, or SeatOnly."""
    return caller.signed_in()


async def player(caller: Viewer) -> SignedIn:
    """The caller at a table, by an account token or the seat token of that table; or the same errors."""
    return caller.signed_in()


AccountHolder = Annotated[SignedIn, Depends(account_holder)]
Player = Annotated[SignedIn, Depends(player)]


async def player_by_token(request: Request, token: str) -> SignedIn:
    """What `player` returns for a bearer token, for the fast path."""
    return (await _authenticator(request).by_token(request, token, SeatTokens.AT_THEIR_TABLE)).signed_in()


async def _caller(request: Request, bearer: Bearer, cookie: Cookie, seat_tokens: SeatTokens) -> Caller:
    authenticator = _authenticator(request)
    if bearer is not None:
        return await authenticator.by_token(request, bearer.credentials, seat_tokens)
    if cookie:
        return await authenticator.by_cookie(request, cookie, seat_tokens)
    return authenticator.anonymous(request)


def _authenticator(request: Request) -> Authenticator:
    authenticator: Authenticator = request.app.state.context.auth
    return authenticator


# Cookies and addresses


def address_of(request: Request) -> str:
    """The client address, as rate limits count it."""
    return f"from {client_key(request.client.host)}" if request.client else "from nowhere"


def set_cookie(request: Request, response: Response, token: str) -> None:
    """Store a token in the session cookie, which no script can read."""
    secure = request.url.scheme == "https"
    name = cookie_name(request)
    response.set_cookie(name, token, httponly=True, samesite="lax", secure=secure, max_age=_COOKIE_SECONDS)


def drop_cookie(request: Request, response: Response) -> None:
    """Delete the session cookie."""
    secure = request.url.scheme == "https"
    response.delete_cookie(cookie_name(request), httponly=True, samesite="lax", secure=secure)
