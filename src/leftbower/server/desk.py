"""What all routes share: the house and its feeds, and who asks."""

from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import aclosing
from functools import partial
from secrets import token_bytes
from time import monotonic
from typing import Annotated, Any, Final

from fastapi import Depends, Request

from leftbower.errors import EventTable, LeftbowerError, LogEdited, NotSeated, TooMany
from leftbower.rules.house import HouseRules
from leftbower.server.accounts import Accounts
from leftbower.server.auth import Authenticator, Caller, SignedIn, address_of, check_ask
from leftbower.server.bodies import Ask, Say, Tell, request_of
from leftbower.server.company import Companies, Company
from leftbower.server.events import Events
from leftbower.server.expiry import Expiry, Lifetimes
from leftbower.server.feeds import EACH, QUIET, ROOM, Feeds, Outlet
from leftbower.server.house import EVENT_LOG, House, concerned_by
from leftbower.server.limits import Backoff, Limit
from leftbower.server.metrics import LIMITS
from leftbower.server.names import cleaned_words
from leftbower.server.once import Once
from leftbower.server.online import MINUTE, Online
from leftbower.server.outages import Outage
from leftbower.server.passkeys import Site
from leftbower.server.passwords import Passwords
from leftbower.server.people import People
from leftbower.server.quotas import Quotas, check_request
from leftbower.server.rendering import Rendering, with_member
from leftbower.store import DAY, Guard, Store, hash_token
from leftbower.table import Clock, Left, Said, Table, TableFact, allow
from leftbower.tournament import Event

_MINE: Final = 200
"""So many of somebody's tables are listed, the latest."""
_LISTED: Final = {"phase": "", "title": "", "sheet": "", "host": "", "seats": {}}
"""What a list shows of a table, and what it says where a list was written before it was asked."""
FROM_ONE_PLACE: Final = 2_000
"""Feeds of people without a name from one address: a whole hall may share one."""


Drawn = Callable[[Table, str | None], Awaitable[str]]
"""A table as a person may see it, as text of one line."""


class Desk:
    """Serves a store; the settings that are not named here are the house's.

    `strangers` limits, by address, who has no name yet, and by person what makes something new; `known` limits every
    token, `talkers` who talks, `halls` all who look at events from one address, `imports` who brings whole evenings,
    `wrong_codes`, by address, links of events that are not good; good links are not limited by it. What is stored is
    limited by `quotas`, and expires by its `lifetimes`. A person has so many `feeds_each`, nobodies at one address
    `feeds_from_one_place`. `signing_in` limits where people sign in from, `guessing` delays wrong passwords by address
    and login; `origin` is where passkeys are good. Events online are patient by a `minute` of so many seconds.
    """

    def __init__(
        self,
        store: Store,
        *,
        strangers: Limit | None = None,
        known: Limit | None = None,
        talkers: Limit | None = None,
        halls: Limit | None = None,
        imports: Limit | None = None,
        wrong_codes: Limit | None = None,
        signing_in: Limit | None = None,
        guessing: Backoff | None = None,
        passwords: Passwords | None = None,
        origin: str | None = None,
        quotas: Quotas | None = None,
        lifetimes: Lifetimes | None = None,
        feeds_each: int = EACH,
        feeds_from_one_place: int = FROM_ONE_PLACE,
        room: int = ROOM,
        quiet: float = QUIET,
        minute: float = MINUTE,
        clock: Callable[[], float] = monotonic,
        entropy: Callable[[int], bytes] = token_bytes,
        **house: Any,
    ) -> None:
        self.store, self.entropy, self.quotas = store, entropy, quotas or Quotas()
        self.feeds: Feeds[Table] = Feeds(room=room, quiet=quiet)
        self.event_feeds: Feeds[Event] = Feeds(room=room, quiet=quiet)
        self._rendering = Rendering()
        self.outage = Outage(store)
        self.people = People(store, entropy=entropy, clock=clock, outage=self.outage, quotas=self.quotas)
        self._companies = Companies(self.people, alone=not store.shared)
        self.accounts = Accounts(
            store,
            self.people,
            passwords=passwords,
            addresses=signing_in,
            guesses=guessing,
            entropy=entropy,
            quotas=self.quotas,
        )
        self.site = Site.of(origin) if origin else None
        feeds = self.feeds
        self.house = House(
            store,
            tell=feeds.tell,
            watched=feeds.tables,
            entropy=entropy,
            outage=self.outage,
            quotas=self.quotas,
            **house,
        )
        self.house.removed.append(feeds.end)
        heard = self.event_feeds
        moments = house.get("moments", lambda moment: None)
        self.events = Events(
            store,
            outage=self.outage,
            tell=heard.tell,
            watched=heard.tables,
            entropy=entropy,
            moments=moments,
            quotas=self.quotas,
        )
        self.events.removed.append(heard.end)
        self.expiry = Expiry(
            store,
            lifetimes=lifetimes,
            leave=self.leave_tables,
            erased=self._has_expired,
            watched=self._is_watched,
            outage=self.outage,
        )
        self.once = Once(workers=self.events.workers)
        self.online = Online(self.house, self.events, minute=minute)
        self.strangers = strangers or Limit(burst=60, rate=2.0, name="strangers")
        self.known = known or Limit(burst=200, rate=50.0, name="known")
        self.auth = Authenticator(self.people, self.known)
        self.halls = halls or Limit(burst=2000, rate=200.0, name="halls")
        self.imports = imports or Limit(burst=10, rate=0.05, name="imports")
        self.wrong_codes = wrong_codes or Limit(burst=60, rate=1.0, name="wrong-codes")
        self.talkers = talkers or Limit(burst=8, rate=0.5, name="talkers")
        self.new_guests = _daily(self.quotas.guests_per_address, "guests")
        self.new_events = _daily(self.quotas.events_per_address, "events")
        self._feeds_each, self._feeds_from_one_place = feeds_each, feeds_from_one_place

    async def open(self) -> None:
        """Go on where the last one stopped."""
        await self.events.open()
        await self.house.open()
        await self.online.open()
        self.expiry.open()

    async def close(self) -> None:
        """End feeds, then everything else."""
        self.end_feeds()
        await self.expiry.close()
        await self.outage.close()
        await self.online.close()
        await self.events.close()
        await self.house.close()
        await self.accounts.close()
        await self.people.close()

    def _is_watched(self, log: str) -> bool:
        """Has a client of this process a page of the table or event open?"""
        return log in self.feeds.tables() or log.removeprefix(EVENT_LOG) in self.event_feeds.tables()

    def end_feeds(self) -> None:
        """End every feed, of tables and of events, and let none begin."""
        self.feeds.close()
        self.event_feeds.close()

    async def shown(self, name: str, table: Table, person: str | None) -> str:
        """The table as a person may see it, with names and words, as JSON that is made once for all who are shown it.

        Where a clock runs it says how long is left, which is another text at every moment.
        """
        company = self._companies.at_hand(name, table) or await self._companies.of(name, table)
        return self._text(name, table, person, company)

    def shown_at_once(self, name: str, table: Table, person: str | None) -> str | None:
        """The same, if nobody's name is to be looked up."""
        company = self._companies.at_hand(name, table)
        return None if company is None else self._text(name, table, person, company)

    def _text(self, name: str, table: Table, person: str | None, company: Company) -> str:
        text = self._rendering.text(name, table, person, company.names, company.words)
        return text if table.clock is Clock.OFF else with_member(text, "left", self.house.left(name, table))

    async def fact_of(self, ask: Ask, table: Table, caller: SignedIn) -> TableFact:
        """What is asked for, as the fact it hopes to become; nobody talks without end, or SeatOnly."""
        check_ask(caller, ask)
        person = caller.person
        if isinstance(ask, Say | Tell):
            self.talkers.ask(person)
        return await self._tell(table, person, ask.words) if isinstance(ask, Tell) else request_of(ask, table, person)

    async def _tell(self, table: Table, person: str, text: str) -> Said:
        """What a person says in words of their own, if they may: the words are kept, and the fact has their id."""
        said = Said(person=person, phrase="", words=self.entropy(8).hex())
        allow(table, person, said)
        check_request(self.quotas, table, person, said)
        await self.store.add_words(said.words, person, cleaned_words(text), most=self.quotas.words)
        return said

    async def ask(
        self, request: Request, name: str, person: str, fact: TableFact, *, version: int | None = None
    ) -> Table:
        """What the house says; a refusal is answered together with the version at which it was refused."""
        try:
            return await self.house.ask(name, person, fact, version=version)
        except LeftbowerError:
            request.state.version = self.house.known(name)
            raise

    async def names(self, table: Table) -> Mapping[str, str]:
        """The names of everybody at a table, by their ids; between matches also of those who played before."""
        past = table.past_players if table.gathering else frozenset()
        return await self.people.names(concerned_by(table) | past)

    def follow(
        self,
        name: str,
        here: Table,
        caller: Caller,
        seen: int | None,
        drawn: Drawn | None = None,
        outlet: Outlet | None = None,
    ) -> AsyncGenerator[str, None]:
        """The events of a table for whoever asks, for as long as their token is good: JSON, unless something else is
        `drawn`. What can be, is told at once by the `outlet`."""
        person = caller.person
        key = hash_token(caller.token) if caller.token else None

        async def render(table: Table) -> str:
            await self.auth.check(key)
            return await (drawn(table, person) if drawn else self.shown(name, table, person))

        def at_once(table: Table) -> str | None:
            return self.shown_at_once(name, table, person) if self.auth.is_known_good(key) else None

        events = self.feeds.listen(
            name,
            person,
            lambda: self.house.table(name),
            render,
            since=here.version,
            seen=seen,
            reader=person or caller.address,
            most=self._feeds_from_one_place if person is None else self._feeds_each,
            at_once=None if drawn else at_once,
            outlet=outlet,
        )
        return events if person is None else self._present(name, person, events)

    async def _present(self, name: str, person: str, events: AsyncGenerator[str, None]) -> AsyncGenerator[str, None]:
        """The same events; whoever takes them is there."""
        presence = self.house.presence
        presence.begin(name, person)
        try:
            await self.house.hear(name, person)
            async with aclosing(events):
                async for event in events:
                    yield event
                    del event  # it would be kept for as long as the feed is quiet
        finally:
            presence.end(name, person)

    async def open_table(
        self, person: str, rules: HouseRules, level: str, *, title: str = "", clock: Clock = Clock.OFF
    ) -> tuple[str, Table]:
        """A new table of a person and its name; TooOften, TooMany, or QuotaExceeded.

        Tables are counted once before anything is written, and again in the transaction that writes the table, so that
        requests at once, in any process, cannot pass the limit.
        """
        self.strangers.ask(f"tables of {person}")
        guard = Guard(person, partial(self._check_tables, person))
        guard.check(await self.mine(person))
        await self.house.usage.open_table(person)
        name = f"t{self.entropy(8).hex()}"
        return name, await self.house.create(name, person, rules, level, title=title, clock=clock, guard=guard)

    def _check_tables(self, person: str, listings: Sequence[Mapping[str, Any]]) -> None:
        most = self.quotas.tables_open
        if sum(listing.get("host") == person and listing.get("phase") != "over" for listing in listings) >= most:
            LIMITS.add("tables")
            raise TooMany(f"you have {most} tables open; finish or leave one first")

    async def new_guest(self, request: Request, name: str, *, limit: str = "") -> tuple[str, str]:
        """A new guest and a token for them; TooOften where too many come from one address, or under one `limit`."""
        self.strangers.ask(limit or address_of(request))
        self.new_guests.ask(address_of(request))
        return await self.people.welcome(name)

    async def mine(self, person: str) -> list[dict[str, Any]]:
        """The tables at which a person sits, or whose host they are; the latest first."""
        return [
            {"table": one.log, **{name: one.body.get(name, nothing) for name, nothing in _LISTED.items()}}
            for one in await self.store.listings(person=person, limit=_MINE)
        ]

    async def seat_token(self, person: str, name: str) -> str:
        """The one token that acts for a person at this table and nowhere else; the one before it is ended."""
        if (await self.house.refresh(name)).seat_of(person) is None:
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
        await self.leave_tables(person)
        await self.people.erase(person)
        self.feeds.dismiss(person)

    async def leave_tables(self, person: str) -> None:
        """Have a person leave every table they are at."""
        for one in await self.store.listings(person=person):
            await self._leave(one.log, person)

    def _has_expired(self, person: str) -> None:
        self.people.forget_names()
        self.feeds.dismiss(person)

    async def _leave(self, name: str, person: str) -> None:
        try:
            await self.house.ask(name, person, Left(person=person))
        except EventTable:
            await self.house.part(name, person)
        except LogEdited:
            return  # nobody waits there any more
        except LeftbowerError as error:
            if error.code not in ("not-seated", "unknown-table"):
                raise


def _daily(most: int, name: str) -> Limit:
    """A limit of that many at once, and that many a day from then on."""
    return Limit(burst=most, rate=most / DAY, name=name)


def desk_of(request: Request) -> Desk:
    """The desk of the application."""
    desk: Desk = request.app.state.server
    return desk


async def at_desk(request: Request) -> Desk:
    """The same for routes: FastAPI sends what is not a coroutine to a thread, which costs more than many an answer."""
    return desk_of(request)


AtDesk = Annotated[Desk, Depends(at_desk)]
