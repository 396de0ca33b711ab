"""The application context: the services and rate limits that all routes share."""

from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import replace
from functools import partial
from secrets import token_bytes
from time import monotonic
from typing import Annotated, Any, Final

from fastapi import Depends, Request

from leftbower.errors import EventTable, LeftbowerError, LogEdited, NotSeated, TooMany
from leftbower.rules.house import HouseRules
from leftbower.server.api.requests import Chat, Say, TableCommand, fact_for_command
from leftbower.server.auth import Authenticator, Caller, SignedIn, check_command
from leftbower.server.cache import SingleFlight
from leftbower.server.expiry import Expiry, Lifetimes
from leftbower.server.feeds.display_names import TableNames, TableNamesCache
from leftbower.server.feeds.hub import FEED_QUEUE_SIZE, KEEP_ALIVE_SECONDS, FeedHub, PushWriter
from leftbower.server.feeds.json_cache import TableJsonCache
from leftbower.server.http.rate_limit import Limits, RateLimit
from leftbower.server.live.events import EventService
from leftbower.server.live.online_events import MINUTE_SECONDS, OnlineEventRunner
from leftbower.server.live.outage import Outage
from leftbower.server.live.tables import EVENT_LOG_PREFIX, TableService, listed_people
from leftbower.server.observability.metrics import LIMITS_HIT
from leftbower.server.people.accounts import Accounts
from leftbower.server.people.passkeys import Site
from leftbower.server.people.passwords import Passwords
from leftbower.server.people.sanitize import clean_chat
from leftbower.server.people.service import PeopleService
from leftbower.server.quotas import Quotas, check_request
from leftbower.store import DAY, Guard, Store, hash_token
from leftbower.table import ChatSent, Left, Table, TableFact, TimeControl, validate
from leftbower.tournament.model.state import Event

_MAX_LISTED_TABLES: Final = 200
"""Tables of one person in a list, the latest."""
_LISTING_DEFAULTS: Final = {"phase": "", "title": "", "sheet": "", "host": "", "seats": {}}
"""Fields of a table in a list, and their values in listings that were stored without them."""
RenderTable = Callable[[Table, str | None], Awaitable[str]]
"""Renders a table for a person as one line of text."""


class AppContext:
    """The services of one server.

    `quotas` bound what is stored, `lifetimes` say when it expires, `origin` is the site of passkeys, and `minute` is
    the length of a minute of events online, in seconds. All other settings go to `TableService`.
    """

    def __init__(
        self,
        store: Store,
        *,
        limits: Limits | None = None,
        passwords: Passwords | None = None,
        origin: str | None = None,
        quotas: Quotas | None = None,
        lifetimes: Lifetimes | None = None,
        feed_queue_size: int = FEED_QUEUE_SIZE,
        feed_keep_alive: float = KEEP_ALIVE_SECONDS,
        minute: float = MINUTE_SECONDS,
        clock: Callable[[], float] = monotonic,
        entropy: Callable[[int], bytes] = token_bytes,
        **table_settings: Any,
    ) -> None:
        self.store, self.entropy, self.quotas = store, entropy, quotas or Quotas()
        self.limits = replace(
            limits or Limits(),
            new_guests=_daily_limit(self.quotas.guests_per_address, "guests"),
            new_events=_daily_limit(self.quotas.events_per_address, "events"),
        )
        self.feeds: FeedHub[Table] = FeedHub(queue_size=feed_queue_size, keep_alive=feed_keep_alive)
        self.event_feeds: FeedHub[Event] = FeedHub(queue_size=feed_queue_size, keep_alive=feed_keep_alive)
        self._json_cache = TableJsonCache()
        self.outage = Outage(store)
        self.people = PeopleService(store, entropy=entropy, clock=clock, outage=self.outage, quotas=self.quotas)
        self._table_names = TableNamesCache(self.people, exclusive=not store.shared)
        self.accounts = Accounts(
            store,
            self.people,
            passwords=passwords or Passwords(),
            limits=self.limits,
            entropy=entropy,
            quotas=self.quotas,
        )
        self.site = Site.of(origin) if origin else None
        feeds = self.feeds
        self.tables = TableService(
            store,
            on_change=feeds.publish,
            watched=feeds.watched_logs,
            entropy=entropy,
            outage=self.outage,
            quotas=self.quotas,
            **table_settings,
        )
        self.tables.removal_listeners.append(feeds.end_for_log)
        event_feeds = self.event_feeds
        moments = table_settings.get("moments", lambda moment: None)
        self.events = EventService(
            store,
            outage=self.outage,
            on_change=event_feeds.publish,
            watched=event_feeds.watched_logs,
            entropy=entropy,
            moments=moments,
            quotas=self.quotas,
        )
        self.events.removal_listeners.append(event_feeds.end_for_log)
        self.expiry = Expiry(
            store,
            lifetimes=lifetimes,
            leave=self.leave_tables,
            erased=self._on_guest_expired,
            watched=self._is_watched,
            outage=self.outage,
        )
        self.page_cache = SingleFlight(workers=self.events.workers)
        self.online = OnlineEventRunner(self.tables, self.events, minute=minute)
        self.auth = Authenticator(self.people, self.limits)

    async def open(self) -> None:
        """Start the services; they resume from the store."""
        await self.events.open()
        await self.tables.open()
        await self.online.open()
        self.expiry.open()

    async def close(self) -> None:
        """End feeds, then everything else."""
        self.end_feeds()
        await self.expiry.close()
        await self.outage.close()
        await self.online.close()
        await self.events.close()
        await self.tables.close()
        await self.accounts.close()
        await self.people.close()

    def _is_watched(self, log: str) -> bool:
        """Does a client of this process have a feed of the table or event open?"""
        return log in self.feeds.watched_logs() or log.removeprefix(EVENT_LOG_PREFIX) in self.event_feeds.watched_logs()

    def end_feeds(self) -> None:
        """End every feed of tables and events and refuse new ones."""
        self.feeds.close()
        self.event_feeds.close()

    async def table_json(self, name: str, table: Table, person: str | None, **members: object) -> str:
        """The JSON of a table as a person may see it, with names and chat, cached per viewer, and `members` behind it.

        Where a clock runs, `seconds_left` is one of them.
        """
        names = self._table_names.peek(name, table) or await self._table_names.get(name, table)
        return self._render_table(name, table, person, names, members)

    def peek_table_json(self, name: str, table: Table, person: str | None) -> str | None:
        """The same JSON if all names are cached; reads nothing."""
        names = self._table_names.peek(name, table)
        return None if names is None else self._render_table(name, table, person, names, {})

    def _render_table(
        self, name: str, table: Table, person: str | None, names: TableNames, members: dict[str, object]
    ) -> str:
        if table.clock is not TimeControl.OFF:
            members = {"seconds_left": self.tables.time_left(name, table), **members}
        return self._json_cache.text(name, table, person, names.names, names.words, **members)

    async def fact_for(self, command: TableCommand, table: Table, caller: SignedIn) -> TableFact:
        """The fact that a command asks for; SeatOnly if the token may not send it, TooOften for too much chat."""
        check_command(caller, command)
        person = caller.person
        if isinstance(command, Say | Chat):
            self.limits.chat.take(person)
        if isinstance(command, Chat):
            return await self._store_chat(table, person, command.text)
        return fact_for_command(command, table, person)

    async def _store_chat(self, table: Table, person: str, text: str) -> ChatSent:
        """Store a chat text if the person may chat; the fact has only its id."""
        fact = ChatSent(person=person, phrase="", text_id=self.entropy(8).hex())
        validate(table, person, fact)
        check_request(self.quotas, table, person, fact)
        await self.store.add_words(fact.text_id, person, clean_chat(text), limit=self.quotas.words)
        return fact

    async def execute(
        self, request: Request, name: str, person: str, fact: TableFact, *, version: int | None = None
    ) -> Table:
        """Execute a command at a table; an error response carries the version of the table."""
        try:
            return await self.tables.execute(name, person, fact, version=version)
        except LeftbowerError:
            request.state.version = self.tables.cached_version(name)
            raise

    async def names(self, table: Table) -> Mapping[str, str]:
        """Names by id of everyone at a table; between matches also of past players."""
        past = table.past_players if table.gathering else frozenset()
        return await self.people.names(listed_people(table) | past)

    def follow_table(
        self,
        name: str,
        table: Table,
        caller: Caller,
        last_seen: int | None,
        render_table: RenderTable | None = None,
        writer: PushWriter | None = None,
    ) -> AsyncGenerator[str, None]:
        """The feed of a table for a caller while their token is valid: JSON, or the text of `render_table`.

        The `writer` sends versions directly where nothing has to be read first.
        """
        person = caller.person
        key = hash_token(caller.token) if caller.token else None

        async def render(current: Table) -> str:
            await self.auth.check(key)
            return await (render_table(current, person) if render_table else self.table_json(name, current, person))

        def render_now(current: Table) -> str | None:
            return self.peek_table_json(name, current, person) if self.auth.is_known_good(key) else None

        messages = self.feeds.listen(
            name,
            person,
            lambda: self.tables.get(name),
            render,
            since=table.version,
            last_seen=last_seen,
            reader=person or caller.address,
            max_feeds=self.limits.feeds_per_address if person is None else self.limits.feeds_per_person,
            render_now=None if render_table else render_now,
            writer=writer,
        )
        return messages if person is None else self._mark_present(name, person, messages)

    async def _mark_present(
        self, name: str, person: str, messages: AsyncGenerator[str, None]
    ) -> AsyncGenerator[str, None]:
        """Pass messages on; the person is present at the table while the feed is open."""
        presence = self.tables.presence
        presence.feed_opened(name, person)
        try:
            await self.tables.arrive(name, person)
            async with aclosing(messages):
                async for message in messages:
                    yield message
                    del message  # an idle feed holds no text
        finally:
            presence.feed_closed(name, person)

    async def open_table(
        self, person: str, rules: HouseRules, level: str, *, title: str = "", clock: TimeControl = TimeControl.OFF
    ) -> tuple[str, Table]:
        """Create a table; returns its name and state. TooOften, TooMany, or QuotaExceeded.

        Open tables are counted before anything is written and again in the transaction that writes the table, so
        concurrent requests in any process stay within the limit.
        """
        self.limits.anonymous.take(f"tables of {person}")
        guard = Guard(person, partial(self._check_tables, person))
        guard.check(await self.list_tables(person))
        await self.tables.usage.open_table(person)
        name = f"t{self.entropy(8).hex()}"
        return name, await self.tables.create(name, person, rules, level, title=title, clock=clock, guard=guard)

    def _check_tables(self, person: str, listings: Sequence[Mapping[str, Any]]) -> None:
        limit = self.quotas.tables_open
        if sum(listing.get("host") == person and listing.get("phase") != "over" for listing in listings) >= limit:
            LIMITS_HIT.labels("tables").inc()
            raise TooMany(f"you have {limit} tables open; finish or leave one first")

    async def list_tables(self, person: str) -> list[dict[str, Any]]:
        """The tables at which a person sits, or whose host they are; the latest first."""
        return [
            {
                "table": listing.log,
                **{name: listing.body.get(name, default) for name, default in _LISTING_DEFAULTS.items()},
            }
            for listing in await self.store.listings(person=person, limit=_MAX_LISTED_TABLES)
        ]

    async def create_seat_token(self, person: str, name: str) -> str:
        """Create the seat token of a person at a table; it replaces the previous one."""
        if (await self.tables.refresh(name)).seat_of(person) is None:
            raise NotSeated("you have no seat at this table")
        token = await self.people.create_token(person, log=name)
        self.feeds.end_for_person(person)
        return token

    async def revoke_seat_token(self, person: str, name: str) -> None:
        """Revoke the seat token of a person at a table and end their feeds."""
        await self.store.revoke_session_at(name, person)
        self.feeds.end_for_person(person)

    async def revoke_token(self, person: str, token: str) -> None:
        """Revoke a token and end the feeds of its person."""
        await self.people.revoke(token)
        self.feeds.end_for_person(person)

    async def erase_person(self, person: str) -> None:
        """Erase a person; they leave every table first, so that no match waits for them."""
        await self.leave_tables(person)
        await self.people.erase(person)
        self.feeds.end_for_person(person)

    async def leave_tables(self, person: str) -> None:
        for listing in await self.store.listings(person=person):
            await self._leave(listing.log, person)

    def _on_guest_expired(self, person: str) -> None:
        self.people.invalidate_names()
        self.feeds.end_for_person(person)

    async def _leave(self, name: str, person: str) -> None:
        try:
            await self.tables.execute(name, person, Left(person=person))
        except EventTable:
            await self.tables.drop_out(name, person)
        except LogEdited:
            return  # the table is no longer served
        except LeftbowerError as error:
            if error.code not in ("not-seated", "unknown-table"):
                raise


def _daily_limit(count: int, name: str) -> RateLimit:
    """A limit of `count` a day, with a burst of the same size."""
    return RateLimit(burst=count, rate=count / DAY, name=name)


def context_of(request: Request) -> AppContext:
    context: AppContext = request.app.state.context
    return context


async def get_context(request: Request) -> AppContext:
    """The dependency of routes; a coroutine, because FastAPI runs plain functions in a thread, which is slow."""
    return context_of(request)


Context = Annotated[AppContext, Depends(get_context)]
