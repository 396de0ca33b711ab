"""A whole hall may tap at the same moment: everybody is heard."""

import asyncio
from pathlib import Path
from secrets import token_bytes

from leftbower.rules import preset
from leftbower.server.live.events import EventService
from leftbower.server.live.outage import Outage
from leftbower.store import open_store
from leftbower.tournament import Role, RoleKind, RoundClockSet, default_plan


async def test_sixty_four_who_tell_something_at_once_are_all_heard_in_turn(tmp_path: Path) -> None:
    """Each appends behind the other; nobody is told that too many do."""
    async with await open_store(str(tmp_path / "store.db")) as store:
        events = EventService(store, outage=Outage(store), entropy=token_bytes)
        name, _ = await events.create(default_plan("Evening", preset("club")))
        desk = Role(kind=RoleKind.ORGANIZER)
        told = [RoundClockSet(seconds=60 * minutes) for minutes in range(1, 65)]

        async def tell(one: RoundClockSet) -> None:
            await events.execute(name, desk, lambda now: [one])

        await asyncio.gather(*map(tell, told))
        facts = [entry.fact for entry in await events.entries(name)]
        assert facts[1:] == told
