"""Concurrent commands to an event are all appended."""

import asyncio
from pathlib import Path
from secrets import token_bytes

from leftbower.rules import preset
from leftbower.server.live.events import EventService
from leftbower.server.live.outage import Outage
from leftbower.store import open_store
from leftbower.tournament.hall.facts import RoundClockSet
from leftbower.tournament.model.plan import default_plan
from leftbower.tournament.model.roles import Role, RoleKind


async def test_64_concurrent_commands_are_all_appended(tmp_path: Path) -> None:
    """Each is appended after the other; none is refused as a conflict."""
    async with await open_store(str(tmp_path / "store.db")) as store:
        events = EventService(store, outage=Outage(store), entropy=token_bytes)
        name, _ = await events.create(default_plan("Evening", preset("club")))
        desk = Role(kind=RoleKind.ORGANIZER)
        clock_changes = [RoundClockSet(seconds=60 * minutes) for minutes in range(1, 65)]

        async def send(clock_change: RoundClockSet) -> None:
            await events.execute(name, desk, lambda event: [clock_change])

        await asyncio.gather(*map(send, clock_changes))
        facts = [entry.fact for entry in await events.entries(name)]
        assert facts[1:] == clock_changes
