"""The memory of a process is bounded, no matter how many callers come and under which names."""

from collections.abc import Sized
from typing import Any

import pytest

from leftbower.engine import Pass
from leftbower.rules import preset
from leftbower.server.http import rate_limit
from leftbower.server.http.rate_limit import Backoff, RateLimit
from leftbower.server.live import presence
from leftbower.server.live.due_actions import _MAX_IDLE_TABLES as MAX_IDLE_TABLES
from leftbower.server.live.presence import Presence, Timing, VersionTimes
from leftbower.server.live.tables import TableService
from leftbower.server.people import service
from leftbower.server.people.service import PeopleService
from leftbower.server.quotas import Quotas, Usage
from leftbower.store import hash_token
from leftbower.store.memory import MemoryStore
from leftbower.table import Acted, Agreed, Created, PlayerRemoved, Sat, apply_fact
from leftbower.table.reducer import MAX_REMOVED_PLAYERS
from server_client import free_limits, serving, unlimited

CLUB = preset("club")


def sizes(owner: object) -> dict[str, int]:
    """The sizes of all containers of an object, by attribute."""
    containers = {name: value for name, value in vars(owner).items() if isinstance(value, Sized)}
    return {name: len(value) for name, value in containers.items() if not isinstance(value, str)}


def test_limits_evict_the_least_recent_callers() -> None:
    limit, backoff = RateLimit(5, 1.0), Backoff(free=1)
    for number in range(2 * rate_limit._MAX_KEYS):
        limit.take(f"from {number}")
        backoff.attempt(f"login {number}")
    assert sizes(limit) == {"_left": rate_limit._MAX_KEYS}
    assert sizes(backoff) == {"_failed": rate_limit._MAX_KEYS}


async def test_presence_and_version_times_evict_old_tables() -> None:
    table = apply_fact(None, Created(person="p", rules=CLUB, bot_level="novice"), 0.0)
    max_size = 1000
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(presence, "_MAX_ENTRIES", max_size)
        presence_of_people = Presence(
            lambda name, person: None, Timing(reconnect_grace=1, idle_timeout=1, disconnect_delay=1)
        )
        version_times = VersionTimes()
        for number in range(2 * max_size):
            presence_of_people.mark_active(f"t{number}", "p")
            presence_of_people.feed_opened(f"t{number}", "p")
            presence_of_people.feed_closed(f"t{number}", "p")
            assert not presence_of_people.is_listening(f"t{number}", "q")
            version_times.record(f"t{number}", table.replaced(trick_version=1))
            version_times.age(f"u{number}", 1)
    assert max(sizes(presence_of_people).values()) <= max_size
    assert max(sizes(version_times).values()) <= max_size


async def test_cached_sessions_and_chat_texts_are_bounded() -> None:
    store = MemoryStore()
    max_size = 100
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(service, "_MAX_CACHED", max_size)
        people = PeopleService(store)
        for number in range(3 * max_size):
            await people.chat_text(f"w{number}")
            _, token = await people.create_guest("Ann")
            await people.session(hash_token(token))
    assert len(people._chat_texts) == len(people._recent_uses) == max_size
    await people.close()


async def test_daily_usage_evicts_the_least_recent_people() -> None:
    usage = Usage(MemoryStore(), Quotas(), max_people=50)
    for number in range(200):
        await usage.count(f"p{number}", Agreed(person=f"p{number}"))
        await usage.count(f"q{number}", Acted(action=Pass(CLUB.seats[0])))
    assert len(usage) == 50
    await usage.close()


def test_a_table_remembers_a_bounded_number_of_removed_people() -> None:
    table = apply_fact(None, Created(person="host", rules=CLUB, bot_level="novice"), 0.0)
    for number in range(3 * MAX_REMOVED_PLAYERS):
        person = f"p{number}"
        table = apply_fact(table, Sat(person=person, seat=CLUB.seats[0]), 0.0)
        table = apply_fact(table, PlayerRemoved(person=person), 0.0)
    assert len(table.removed) == MAX_REMOVED_PLAYERS
    assert len(table.seats) == len(table.agreements) == 0


async def test_the_table_cache_is_bounded() -> None:
    store = MemoryStore()
    service = TableService(store, max_cached=20)
    for number in range(100):
        await service.create(f"t{number}", "p", CLUB, "novice")
    assert service.cached_count == 20
    assert max(sizes(service._due_actions).values()) <= MAX_IDLE_TABLES
    assert max(sizes(service._scheduler).values()) <= 100
    await service.close()


async def test_unknown_names_use_no_memory() -> None:
    """Tables, links and tokens that a caller makes up."""
    async with serving(MemoryStore(), limits=free_limits(wrong_codes=unlimited())) as server:
        ann = await server.guest("Ann")
        context = server.context

        def all_sizes() -> dict[str, int]:
            service = context.tables
            parts: list[Any] = [
                context.accounts,
                context.event_feeds,
                context.table_json._names,
                context.table_json._cache,
                service,
                context.events,
                context.people,
                context.feeds,
                context.online,
                context.online._scheduler,
                service._scheduler,
                service.presence,
            ]
            return {f"{number}.{name}": size for number, part in enumerate(parts) for name, size in sizes(part).items()}

        before = all_sizes()
        for number in range(50):
            await ann.refused("GET", f"/api/tables/t{number}", status=404, code="unknown-table")
            await ann.refused(
                "POST", f"/api/tables/t{number}/commands", {"command": "leave"}, status=404, code="unknown-table"
            )
            await ann.refused("GET", f"/api/links/c{number}", status=404, code="unknown-link")
        assert {name for name, size in all_sizes().items() if size > before[name] + 5} == set()
