"""What a process remembers of callers is bounded, however many come, and under whatever names."""

from collections.abc import Sized
from typing import Any

import pytest

from leftbower.engine import Pass
from leftbower.rules import preset
from leftbower.server.http import rate_limit
from leftbower.server.http.rate_limit import Backoff, RateLimit
from leftbower.server.live import presence
from leftbower.server.live.presence import Presence, VersionTimes
from leftbower.server.live.scheduler import _MAX_IDLE_TABLES as QUIET_TABLES
from leftbower.server.live.tables import TableService
from leftbower.server.people import service
from leftbower.server.people.service import PeopleService
from leftbower.server.quotas import Quotas, Usage
from leftbower.store.memory import MemoryStore
from leftbower.table import Acted, Agreed, Created, PlayerRemoved, Sat, apply_fact
from leftbower.table.reducer import MAX_REMOVED_PLAYERS
from server_client import serving, unlimited

CLUB = preset("club")


def sizes(thing: object) -> dict[str, int]:
    """The sizes of all that an object keeps."""
    kept = {name: value for name, value in vars(thing).items() if isinstance(value, Sized)}
    return {name: len(value) for name, value in kept.items() if not isinstance(value, str)}


def test_limits_forget_the_least_recent_callers() -> None:
    limit, backoff = RateLimit(5, 1.0), Backoff(free=1)
    for number in range(2 * rate_limit._MAX_KEYS):
        limit.take(f"from {number}")
        backoff.attempt(f"login {number}")
    assert sizes(limit) == {"_left": rate_limit._MAX_KEYS}
    assert sizes(backoff) == {"_failed": rate_limit._MAX_KEYS}


async def test_presence_and_stamps_forget_old_tables() -> None:
    here = Presence(lambda name, person: None, reconnect_grace=1, idle_timeout=1, blink=1)
    version_times = VersionTimes()
    table = apply_fact(None, Created(person="p", rules=CLUB, bot_level="novice"), 0.0)
    most = 1000
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(presence, "_MAX_ENTRIES", most)
        for number in range(2 * most):
            here.mark_active(f"t{number}", "p")
            here.feed_opened(f"t{number}", "p")
            here.feed_closed(f"t{number}", "p")
            assert not here.is_listening(f"t{number}", "q")
            version_times.record(f"t{number}", table.replaced(trick_version=1))
            version_times.age(f"u{number}", 1)
    assert max(sizes(here).values()) <= most
    assert max(sizes(version_times).values()) <= most


async def test_sessions_and_words_at_hand_are_bounded() -> None:
    store = MemoryStore()
    known = PeopleService(store)
    most = 100
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(service, "_MAX_CACHED", most)
        for number in range(3 * most):
            await known.chat_text(f"w{number}")
            _, token = await known.create_guest("Ann")
            await known.session(token)
    assert len(known._chat_texts) == len(known._next_use) == most
    await known.close()


async def test_the_daily_count_forgets_who_did_nothing_for_longest() -> None:
    usage = Usage(MemoryStore(), Quotas(), max_people=50)
    for number in range(200):
        await usage.count(f"p{number}", Agreed(person=f"p{number}"))
        await usage.count(f"q{number}", Acted(action=Pass(CLUB.seats[0])))
    assert len(usage) == 50
    await usage.close()


def test_a_table_remembers_so_many_whom_its_host_removed() -> None:
    table = apply_fact(None, Created(person="host", rules=CLUB, bot_level="novice"), 0.0)
    for number in range(3 * MAX_REMOVED_PLAYERS):
        person = f"p{number}"
        table = apply_fact(table, Sat(person=person, seat=CLUB.seats[0]), 0.0)
        table = apply_fact(table, PlayerRemoved(person=person), 0.0)
    assert len(table.removed) == MAX_REMOVED_PLAYERS
    assert len(table.seats) == len(table.agreements) == 0


async def test_a_house_forgets_what_it_has_folded() -> None:
    store = MemoryStore()
    house = TableService(store, max_cached=20)
    for number in range(100):
        await house.create(f"t{number}", "p", CLUB, "novice")
    assert house.cached_count == 20
    assert max(sizes(house._scheduler).values()) <= QUIET_TABLES
    await house.close()


async def test_nothing_is_kept_of_names_that_are_not_there() -> None:
    """Tables, links and tokens that a caller makes up."""
    async with serving(MemoryStore(), wrong_code_limit=unlimited()) as place:
        ann = await place.guest("Ann")
        context = place.context

        def all_sizes() -> dict[str, int]:
            house = context.tables
            parts: list[Any] = [
                context,
                house,
                context.events,
                context.people,
                context.feeds,
                context.online,
                house.presence,
            ]
            return {f"{type(part).__name__}.{name}": size for part in parts for name, size in sizes(part).items()}

        before = all_sizes()
        for number in range(50):
            await ann.refused("GET", f"/api/tables/t{number}", status=404, code="unknown-table")
            await ann.refused(
                "POST", f"/api/tables/t{number}/commands", {"command": "leave"}, status=404, code="unknown-table"
            )
            await ann.refused("GET", f"/api/links/c{number}", status=404, code="unknown-link")
        assert {name for name, size in all_sizes().items() if size > before[name] + 5} == set()
