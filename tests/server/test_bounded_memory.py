"""What a process remembers of callers is bounded, however many come, and under whatever names."""

from collections.abc import Sized
from typing import Any

import pytest

from at_the_server import serving, unlimited
from leftbower.engine import Pass
from leftbower.rules import preset
from leftbower.server import limits, people, presence
from leftbower.server.attending import _KEPT as QUIET_TABLES
from leftbower.server.house import House
from leftbower.server.limits import Backoff, Limit
from leftbower.server.people import People
from leftbower.server.presence import Presence, Stamps
from leftbower.server.quotas import Quotas, Usage
from leftbower.store.memory import MemoryStore
from leftbower.table import Acted, Agreed, Created, Removed, Sat, after
from leftbower.table.state import MAX_REMOVED

CLUB = preset("club")


def sizes(thing: object) -> dict[str, int]:
    """The sizes of all that an object keeps."""
    kept = {name: value for name, value in vars(thing).items() if isinstance(value, Sized)}
    return {name: len(value) for name, value in kept.items() if not isinstance(value, str)}


def test_limits_forget_the_least_recent_callers() -> None:
    limit, backoff = Limit(5, 1.0), Backoff(free=1)
    for number in range(2 * limits._KEPT):
        limit.ask(f"from {number}")
        backoff.attempt(f"login {number}")
    assert sizes(limit) == {"_left": limits._KEPT}
    assert sizes(backoff) == {"_failed": limits._KEPT}


async def test_presence_and_stamps_forget_old_tables() -> None:
    here = Presence(lambda name, person: None, grace=1, deserted=1, blink=1)
    stamps = Stamps()
    table = after(None, Created(person="p", rules=CLUB, level="novice"), 0.0)
    most = 1000
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(presence, "_KEPT", most)
        for number in range(2 * most):
            here.hear(f"t{number}", "p")
            here.begin(f"t{number}", "p")
            here.end(f"t{number}", "p")
            assert not here.listens(f"t{number}", "q")
            stamps.note(f"t{number}", table.but(trick_version=1))
            stamps.since(f"u{number}", 1)
    assert max(sizes(here).values()) <= most
    assert max(sizes(stamps).values()) <= most


async def test_sessions_and_words_at_hand_are_bounded() -> None:
    store = MemoryStore()
    known = People(store)
    most = 100
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(people, "_KEPT", most)
        for number in range(3 * most):
            await known.words(f"w{number}")
            _, token = await known.welcome("Ann")
            await known.session(token)
    assert len(known._said) == len(known._noted) == most
    await known.close()


async def test_the_daily_count_forgets_who_did_nothing_for_longest() -> None:
    usage = Usage(MemoryStore(), Quotas(), kept=50)
    for number in range(200):
        await usage.count(f"p{number}", Agreed(person=f"p{number}"))
        await usage.count(f"q{number}", Acted(action=Pass(CLUB.places[0])))
    assert len(usage) == 50
    await usage.close()


def test_a_table_remembers_so_many_whom_its_host_removed() -> None:
    table = after(None, Created(person="host", rules=CLUB, level="novice"), 0.0)
    for number in range(3 * MAX_REMOVED):
        person = f"p{number}"
        table = after(table, Sat(person=person, seat=CLUB.places[0]), 0.0)
        table = after(table, Removed(person=person), 0.0)
    assert len(table.removed) == MAX_REMOVED
    assert len(table.seats) == len(table.agreements) == 0


async def test_a_house_forgets_what_it_has_folded() -> None:
    store = MemoryStore()
    house = House(store, kept=20)
    for number in range(100):
        await house.create(f"t{number}", "p", CLUB, "novice")
    assert house.folded == 20
    assert max(sizes(house._steward).values()) <= QUIET_TABLES
    await house.close()


async def test_nothing_is_kept_of_names_that_are_not_there() -> None:
    """Tables, links and tokens that a caller makes up."""
    async with serving(MemoryStore(), wrong_codes=unlimited()) as place:
        ann = await place.guest("Ann")
        desk = place.desk

        def all_sizes() -> dict[str, int]:
            house = desk.house
            parts: list[Any] = [desk, house, desk.events, desk.people, desk.feeds, desk.online, house.presence]
            return {f"{type(part).__name__}.{name}": size for part in parts for name, size in sizes(part).items()}

        before = all_sizes()
        for number in range(50):
            await ann.refused("GET", f"/api/tables/t{number}", status=404, code="unknown-table")
            await ann.refused("POST", f"/api/tables/t{number}/asks", {"ask": "leave"}, status=404, code="unknown-table")
            await ann.refused("GET", f"/api/links/c{number}", status=404, code="unknown-link")
        assert {name for name, size in all_sizes().items() if size > before[name] + 5} == set()
