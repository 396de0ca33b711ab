"""Every link of an event has its own quota of facts; a link that has used its quota up does not affect others."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from secrets import token_bytes
from typing import Any

import pytest

from leftbower.errors import QuotaExceeded
from leftbower.rules import preset
from leftbower.server.live.events import EventService
from leftbower.server.live.outage import Outage
from leftbower.server.quotas import Quotas
from leftbower.store.memory import MemoryStore
from leftbower.tournament.formats.pairing import next_rounds
from leftbower.tournament.hall.facts import PlayerJoined, RejoinAllowed, RoundClockSet, ScorerChanged
from leftbower.tournament.model.facts import EntrantAdded, EventClosed, EventFact, LedgerEntry, RoundDrawn, SeedsDrawn
from leftbower.tournament.model.plan import default_plan
from leftbower.tournament.model.roles import Role, RoleKind

ORGANIZER = Role(kind=RoleKind.ORGANIZER)


class EventLedger:
    """An event to which facts are appended."""

    def __init__(self, events: EventService, name: str) -> None:
        self.events, self.name = events, name

    async def append(self, role: Role, *facts: EventFact) -> None:
        await self.events.execute(self.name, role, lambda event: facts)

    async def enter(self, *names: str, house_players: bool = False) -> None:
        for name in names:
            players = () if house_players else tuple(f"{name}-{number}" for number in (1, 2))
            await self.append(
                ORGANIZER, EntrantAdded(entrant=name, name=name, players=players, house_player=house_players)
            )

    async def pair(self) -> None:
        event = await self.events.get(self.name)
        for number, draw in enumerate(next_rounds(event), len(event.rounds) + 1):
            await self.append(ORGANIZER, RoundDrawn(round=number, tables=draw.tables, byes=draw.byes))


@asynccontextmanager
async def opened(*, online: bool = False, **quotas: int) -> AsyncIterator[EventLedger]:
    store = MemoryStore()
    events = EventService(store, outage=Outage(store), entropy=token_bytes, quotas=Quotas(**quotas))
    name, _ = await events.create(default_plan("Friday", preset("club"), online=online))
    yield EventLedger(events, name)
    await events.close()


async def test_the_facts_of_a_sides_phone_are_bounded() -> None:
    """Changing the scorer back and forth could go on forever; the other side and the desk are not affected."""
    async with opened(facts_per_side=5) as ledger:
        await ledger.enter("a", "b")
        await ledger.append(ORGANIZER, SeedsDrawn(order=("a", "b")))
        await ledger.pair()
        [seating] = (await ledger.events.get(ledger.name)).round(1).tables
        first, second = (Role(kind=RoleKind.SIDE, number=seating.table, subject=label) for label in seating.labels)

        async def change_scorer(role: Role) -> None:
            await ledger.append(role, ScorerChanged(round=1, table=seating.table, side=role.subject))

        for _ in range(4):
            await change_scorer(first)
            await change_scorer(second)
        await change_scorer(first)
        await change_scorer(second)
        for role in (first, second):
            with pytest.raises(QuotaExceeded, match="organizer"):
                await change_scorer(role)
        await ledger.append(ORGANIZER, RoundClockSet(seconds=60))


async def test_the_facts_of_one_players_link_are_bounded() -> None:
    """All people who join with one link, moved by the desk each time, are counted together."""
    async with opened(online=True, facts_per_player=3) as ledger:
        await ledger.enter("a", "b")
        role = Role(kind=RoleKind.PLAYER, subject="a")

        async def join(person: str) -> None:
            joined = PlayerJoined(entrant="a", chair=0, person=person)
            await ledger.events.execute(ledger.name, role, lambda event: [joined], person=person)

        for number in range(3):
            await join(f"p{number}")
            await ledger.append(ORGANIZER, RejoinAllowed(entrant="a", chair=0))
        with pytest.raises(QuotaExceeded):
            await join("p4")
        await ledger.append(Role(kind=RoleKind.PLAYER, subject="b"), PlayerJoined(entrant="b", chair=0, person="q"))


async def test_an_event_that_is_full_can_be_closed() -> None:
    async with opened(facts_per_event=10) as ledger:
        for _ in range(9):
            await ledger.append(ORGANIZER, RoundClockSet(seconds=60))
        with pytest.raises(QuotaExceeded, match="close it"):
            await ledger.append(ORGANIZER, RoundClockSet(seconds=60))
        await ledger.append(ORGANIZER, EventClosed())


async def test_bots_and_matches_of_an_online_event_are_bounded() -> None:
    """The server plays bots' matches online; in a hall people play what is drawn."""
    for online in (True, False):
        async with opened(online=online, house_players=3, online_matches=1) as ledger:
            await ledger.enter(*"abc", house_players=True)
            if online:
                with pytest.raises(QuotaExceeded, match="3 bots"):
                    await ledger.enter("d", house_players=True)
                await ledger.enter("d")
                with pytest.raises(QuotaExceeded, match="fewer rounds"):
                    await ledger.pair()
            else:
                await ledger.enter("d", house_players=True)
                await ledger.pair()


async def test_an_imported_event_has_the_same_quotas() -> None:
    async with opened(online=True) as ledger:
        await ledger.enter(*"abcd", house_players=True)
        entries: list[LedgerEntry] = await ledger.events.entries(ledger.name)
    for facts, bots in ((4, 4), (5, 3)):
        async with opened(facts_per_event=facts, house_players=bots) as other:
            with pytest.raises(QuotaExceeded):
                await other.events.import_event(entries)
    async with opened(facts_per_event=5, house_players=4) as other:
        await other.events.import_event(entries)


async def test_helpers_of_an_event_are_bounded() -> None:
    async with opened(links_per_event=2) as ledger:
        links: list[Any] = [
            await ledger.events.create_link(ledger.name, Role(kind=RoleKind.HELPER, number=number)) for number in (1, 2)
        ]
        assert len(links) == 2
        with pytest.raises(QuotaExceeded):
            await ledger.events.create_link(ledger.name, Role(kind=RoleKind.HELPER, number=3))
        await ledger.events.create_link(ledger.name, Role(kind=RoleKind.SIDE, number=300, subject="NS"))
