"""What all routes share: the house and its feeds, and who asks."""

from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from secrets import token_bytes
from time import monotonic
from typing import Annotated, Any, Final

from fastapi import Depends, Request, Security
from fastapi.security import APIKeyCookie, HTTPAuthorizationCredentials, HTTPBearer

from leftbower.errors import LeftbowerError, NotSeated, NotSignedIn, SeatOnly
from leftbower.server.doors import check_site
from leftbower.server.feeds import QUIET, ROOM, Feeds
from leftbower.server.house import House, concerned_by
from leftbower.server.limits import Limit
from leftbower.server.people import People
from leftbower.server.rendering import Rendering
from leftbower.store import Store
from leftbower.table import Left, Table, TableFact, show

COOKIE: Final = "leftbower"
_MINE: Final = 200
"""So many of somebody's tables are listed, the latest."""
_LISTED: Final = ("phase", "sheet", "host", "seats")
"""What a list shows of a table."""


class Desk:
    """Serves a store. `strangers` limits who has no name yet, `known` everybody else; the rest is the house's."""

    def __init__(
        self,
        store: Store,
        *,
        strangers: Limit | None = None,
        known: Limit | None = None,
        room: int = ROOM,
        quiet: float = QUIET,
        clock: Callable[[], float] = monotonic,
        entropy: Callable[[int], bytes] = token_bytes,
        **house: Any,
    ) -> None:
        self.store, self.entropy = store, entropy
        self.feeds = Feeds(room=room, quiet=quiet)
        self._rendering = Rendering()
        self.people = People(store, entropy=entropy, clock=clock)
        self.house = House(store, tell=self.feeds.tell, entropy=entropy, **house)
        self.strangers, self.known = strangers or Limit(burst=60, rate=2.0), known or Limit(burst=200, rate=50.0)

    async def open(self) -> None:
        """Go on where the last one stopped."""
        await self.house.open()

    async def close(self) -> None:
        """End feeds, then everything else."""
        self.feeds.close()
        await self.house.close()

    async def shown(self, name: str, table: Table, person: str | None) -> dict[str, Any]:
        """The table as a person may see it, with the names of the people at it."""
        names = await self.people.names(concerned_by(table))
        return {"table": name, **show(table, person), "people": names}

    async def shown_as_text(self, name: str, table: Table, person: str | None) -> str:
        """The same as JSON, made once however many are shown it."""
        return self._rendering.text(name, table, person, await self.people.names(concerned_by(table)))

    async def ask(
        self, request: Request, name: str, person: str, fact: TableFact, *, version: int | None = None
    ) -> Table:
        """What the house says; a refusal is answered together with the version at which it was refused."""
        try:
            return await self.house.ask(name, person, fact, version=version)
        except LeftbowerError:
            request.state.version = self.house.known(name)
            raise

    def follow(self, name: str, here: Table, asks: "Asks", seen: int | None) -> AsyncIterator[str]:
        """The events of a table for whoever asks, for as long as their token is good."""

        async def render(table: Table) -> str:
            if asks.token:
                await self.people.session(asks.token)
            return await self.shown_as_text(name, table, asks.person)

        return self.feeds.listen(
            name, asks.person, lambda: self.house.table(name), render, since=here.version, seen=seen
        )

    async def mine(self, person: str) -> list[dict[str, Any]]:
        """The tables at which a person sits, or whose host they are; the latest first."""
        return [
            {"table": one.log, **{name: one.body[name] for name in _LISTED}}
            for one in await self.store.listings(person=person, limit=_MINE)
        ]

    async def seat_token(self, person: str, name: str) -> str:
        """The one token that acts for a person at this table and nowhere else; the one before it is ended."""
        if (await self.house.table(name)).seat_of(person) is None:
            raise NotSeated("you have no seat at this table")
        token = await self.people.token(person, log=name)
        self.feeds.dismiss(person)
        return token

    async def revoke_seat_token(self, person: str, name: str) -> None:
        """End the token that acts for a person at this table only, and the feeds that it opened."""
        await self.store.revoke_session_at(name, person)
        self.feeds.dismiss(person)

    async def revoke(self, person: str, token: str) -> None:
        """End a token, and the feeds that it opened."""
        await self.people.revoke(token)
        self.feeds.dismiss(person)

    async def forget(self, person: str) -> None:
        """Forget somebody, who gets up from every table first, so that nobody waits for them."""
        for one in await self.store.listings(person=person):
            await self._leave(one.log, person)
        await self.people.erase(person)
        self.feeds.dismiss(person)

    async def _leave(self, name: str, person: str) -> None:
        try:
            await self.house.ask(name, person, Left(person=person))
        except LeftbowerError as error:
            if error.code != "not-seated":
                raise


@dataclass(frozen=True, slots=True)
class Asks:
    """Who asks, and by which token; nobody for somebody who only looks on."""

    person: str | None = None
    token: str | None = None
    table: str | None = None
    """The one table at which the token acts; None for every one."""


def desk_of(request: Request) -> Desk:
    """The desk of the application."""
    desk: Desk = request.app.state.server
    return desk


async def at_desk(request: Request) -> Desk:
    """The same for routes: FastAPI sends what is not a coroutine to a thread, which costs more than many an answer."""
    return desk_of(request)


AtDesk = Annotated[Desk, Depends(at_desk)]
Bearer = Annotated[
    HTTPAuthorizationCredentials | None,
    Security(HTTPBearer(auto_error=False, scheme_name="token", description="A token from `/api/guests`.")),
]
Cookie = Annotated[
    str | None,
    Security(APIKeyCookie(name=COOKIE, auto_error=False, scheme_name="cookie", description="The same, by a browser.")),
]


async def anybody(request: Request, bearer: Bearer, cookie: Cookie) -> Asks:
    """Whoever asks, or nobody in particular. A bad token is refused; a cookie that has outlived it means nobody."""
    desk = desk_of(request)
    if bearer is not None:
        return await _known(request, desk, bearer.credentials)
    if cookie:
        check_site(request)
        try:
            return await _known(request, desk, cookie)
        except NotSignedIn:
            return Asks()
    desk.known.ask(address_of(request))
    return Asks()


Anybody = Annotated[Asks, Depends(anybody)]


async def perhaps(request: Request, asks: Anybody) -> Asks:
    """Whoever asks, or nobody in particular, but nobody with a token for another seat."""
    if asks.table is not None and asks.table != request.path_params.get("table"):
        raise SeatOnly("this token is good for one seat at one table only")
    return asks


async def somebody(request: Request, asks: Anybody) -> str:
    """The person who asks, or NotSignedIn."""
    return _person(await perhaps(request, asks))


async def holder(request: Request, token: str) -> str:
    """The same by a token from the header of a request."""
    return await somebody(request, await _known(request, desk_of(request), token))


async def bearer_of(asks: Anybody) -> str:
    """The person who asks, by whatever token, or NotSignedIn."""
    return _person(asks)


async def owner(asks: Anybody) -> str:
    """The person who asks, by a token that is good for everything, or NotSignedIn, or SeatOnly."""
    person = _person(asks)
    if asks.table is not None:
        raise SeatOnly("this token is good for playing only")
    return person


def _person(asks: Asks) -> str:
    if asks.person is None:
        raise NotSignedIn("this needs a token; POST a name to /api/guests for one")
    return asks.person


def address_of(request: Request) -> str:
    """Where a request comes from."""
    return f"from {request.client.host}" if request.client else "from nowhere"


async def _known(request: Request, desk: Desk, token: str) -> Asks:
    try:
        session = await desk.people.session(token)
    except NotSignedIn:
        desk.known.ask(address_of(request))
        raise
    desk.known.ask(session.person)
    return Asks(session.person, token, session.log)
