"""A whole hall may tap at the same moment: everybody is heard."""

import asyncio
from pathlib import Path
from secrets import token_bytes

from leftbower.rules import preset
from leftbower.server.events import Events
from leftbower.server.outages import Outage
from leftbower.store import open_store
from leftbower.tournament import ClockSet, Kind, Role, planned


async def test_sixty_four_who_tell_something_at_once_are_all_heard_in_turn(tmp_path: Path) -> None:
    """Each appends behind the other; nobody is told that too many do."""
    async with await open_store(str(tmp_path / "store.db")) as store:
        events = Events(store, outage=Outage(store), entropy=token_bytes)
        name, _ = await events.create(planned("Evening", preset("club")))
        desk = Role(kind=Kind.ORGANISER)
        told = [ClockSet(seconds=60 * minutes) for minutes in range(1, 65)]

        async def tell(one: ClockSet) -> None:
            await events.tell(name, desk, lambda now: [one])

        await asyncio.gather(*map(tell, told))
        facts = [entry.fact for entry in await events.entries(name)]
        assert facts[1:] == told
