"""Application context: the services that all routes share."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from secrets import token_bytes
from time import monotonic
from typing import Annotated

from fastapi import Depends, Request

from leftbower.server.auth import Authenticator
from leftbower.server.cache import SingleFlight
from leftbower.server.expiry import Expiry, Lifetimes
from leftbower.server.feeds.display_names import TableNamesCache
from leftbower.server.feeds.hub import FEED_QUEUE_SIZE, KEEP_ALIVE_SECONDS, FeedHub
from leftbower.server.feeds.table_json import TableJson
from leftbower.server.http.rate_limit import Limits, RateLimit
from leftbower.server.live.events import EventService
from leftbower.server.live.online_events import MINUTE_SECONDS, OnlineEventRunner
from leftbower.server.live.outage import Outage
from leftbower.server.live.person_tables import PersonTables
from leftbower.server.live.presence import Timing
from leftbower.server.live.seasons import SeasonService
from leftbower.server.live.tables import EVENT_LOG_PREFIX, MAX_CACHED_TABLES, TableService
from leftbower.server.people.accounts import Accounts
from leftbower.server.people.passkeys import Site
from leftbower.server.people.passwords import Passwords
from leftbower.server.people.service import PeopleService
from leftbower.server.quotas import Quotas
from leftbower.store import DAY, Store
from leftbower.table import Table
from leftbower.tournament.model.state import Event


@dataclass(frozen=True, slots=True, kw_only=True)
class AppContext:
    """The services of one server."""

    store: Store
    entropy: Callable[[int], bytes]
    limits: Limits
    site: Site | None
    """The configured site of passkeys."""
    outage: Outage
    people: PeopleService
    accounts: Accounts
    auth: Authenticator
    feeds: FeedHub[Table]
    event_feeds: FeedHub[Event]
    tables: TableService
    person_tables: PersonTables
    table_json: TableJson
    events: EventService
    online: OnlineEventRunner
    seasons: SeasonService
    expiry: Expiry
    page_cache: SingleFlight

    async def open(self) -> None:
        """Start the services; they resume from the store."""
        await self.events.open()
        await self.seasons.open()
        await self.tables.open()
        await self.online.open()
        self.expiry.open()

    async def close(self) -> None:
        """End feeds first, then everything else."""
        self.end_feeds()
        for service in (self.expiry, self.outage, self.online, self.seasons, self.events, self.tables, self.accounts):
            await service.close()
        await self.people.close()

    def end_feeds(self) -> None:
        """End all feeds of tables and events, and refuse new ones."""
        self.feeds.close()
        self.event_feeds.close()


def build_context(
    store: Store,
    *,
    limits: Limits | None = None,
    quotas: Quotas | None = None,
    lifetimes: Lifetimes | None = None,
    passwords: Passwords | None = None,
    origin: str | None = None,
    feed_queue_size: int = FEED_QUEUE_SIZE,
    feed_keep_alive: float = KEEP_ALIVE_SECONDS,
    minute: float = MINUTE_SECONDS,
    clock: Callable[[], float] = monotonic,
    entropy: Callable[[int], bytes] = token_bytes,
    moments: Callable[[str], None] = lambda moment: None,
    timing: Timing | None = None,
    max_cached_tables: int = MAX_CACHED_TABLES,
) -> AppContext:
    """Build the services of a store.

    `quotas` limit what is stored, `lifetimes` say when it expires, `origin` is the site of passkeys, and `minute` is
    the length in seconds of a minute in online events.
    """
    quotas = quotas or Quotas()
    limits = replace(
        limits or Limits(),
        new_guests=_daily_limit(quotas.guests_per_address, "guests"),
        new_events=_daily_limit(quotas.events_per_address, "events"),
        new_entries=_daily_limit(quotas.entries_per_address, "entries"),
    )
    outage = Outage(store)
    feeds: FeedHub[Table] = FeedHub(queue_size=feed_queue_size, keep_alive=feed_keep_alive)
    event_feeds: FeedHub[Event] = FeedHub(queue_size=feed_queue_size, keep_alive=feed_keep_alive)
    people = PeopleService(
        store, entropy=entropy, clock=clock, outage=outage, quotas=quotas, on_revoked=feeds.end_for_person
    )
    tables = TableService(
        store,
        on_change=feeds.publish,
        watched=feeds.watched_logs,
        entropy=entropy,
        moments=moments,
        outage=outage,
        quotas=quotas,
        timing=timing,
        max_cached=max_cached_tables,
    )
    tables.removal_listeners.append(feeds.end_for_log)
    events = EventService(
        store,
        on_change=event_feeds.publish,
        watched=event_feeds.watched_logs,
        entropy=entropy,
        moments=moments,
        outage=outage,
        quotas=quotas,
    )
    events.removal_listeners.append(event_feeds.end_for_log)
    person_tables = PersonTables(tables, limits, entropy=entropy)
    return AppContext(
        store=store,
        entropy=entropy,
        limits=limits,
        site=Site.of(origin) if origin else None,
        outage=outage,
        people=people,
        accounts=Accounts(
            store, people, passwords=passwords or Passwords(), limits=limits, entropy=entropy, quotas=quotas
        ),
        auth=Authenticator(people, limits),
        feeds=feeds,
        event_feeds=event_feeds,
        tables=tables,
        person_tables=person_tables,
        table_json=TableJson(TableNamesCache(people, exclusive=not store.shared), tables),
        events=events,
        online=OnlineEventRunner(tables, events, minute=minute),
        seasons=SeasonService(store, events, tables, people, outage=outage, entropy=entropy, moments=moments),
        expiry=Expiry(
            store,
            lifetimes=lifetimes,
            leave=person_tables.leave_all,
            erased=people.forget,
            watched=lambda log: (
                log in feeds.watched_logs() or log.removeprefix(EVENT_LOG_PREFIX) in event_feeds.watched_logs()
            ),
            outage=outage,
        ),
        page_cache=SingleFlight(workers=events.workers),
    )


def _daily_limit(count: int, name: str) -> RateLimit:
    """A limit of `count` per day, which may be used up in one burst."""
    return RateLimit(burst=count, rate=count / DAY, name=name)


async def get_context(request: Request) -> AppContext:
    """FastAPI dependency. A coroutine, because FastAPI runs plain functions in a thread, which is slow."""
    context: AppContext = request.app.state.context
    return context


Context = Annotated[AppContext, Depends(get_context)]
