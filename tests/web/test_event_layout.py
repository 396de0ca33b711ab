"""Event pages fit their screens: the wall does not scroll, phones do not scroll sideways."""

from typing import Any, Final

import pytest

from browser_table import browser_hall
from event_client import Visitor, phone_line

pytestmark = pytest.mark.xdist_group("browser")
LONG_NAMES: Final = ("Christopher Vandenberg", "Maria-Antonia Hernandez", "Ann", "Bob", "Wilhelmina Oosterhuis", "Zoe")
PHONES: Final = ((320, 568), (390, 844))
BEYOND: Final = "(page => [page.scrollWidth - innerWidth, page.scrollHeight - innerHeight])(document.documentElement)"
WALLS: Final = ((1280, 720), (1920, 1080), (3840, 2160))


async def test_walls_and_phones_fit_with_sixteen_tables_and_long_names() -> None:
    async with browser_hall() as hall, phone_line(hall.base) as http:
        desk = Visitor(http)
        plan: dict[str, Any] = {
            "title": "The Grange Hall Progressive",
            "rules": "club",
            "format": "progressive",
            "rounds": 3,
        }
        desk.event = (await desk.send("/events", **plan)).headers["location"].split("/")[2]
        await desk.do("enter", names="\n".join(f"{LONG_NAMES[number % 6]} {number}" for number in range(64)))
        await desk.do("draw")
        await desk.do("clock", clock="set", minutes=25)
        await desk.do("publish", page="yes", standings="yes")
        links = await desk.new_links(command="tables") | await desk.new_links(command="wall")
        links |= await desk.new_links(command="new", role="organizer")
        page = await hall.person()
        over: dict[str, Any] = {}
        for path, sizes, tall in (
            (links["Screen 1"], WALLS, False),
            (links["Table 16, EW"], PHONES, True),
            (f"/e/{desk.event}", PHONES, True),
            (links["This desk"], (*PHONES, (1280, 800)), True),
        ):
            await page.goto(hall.base + path)
            for width, height in sizes:
                await page.set_viewport_size({"width": width, "height": height})
                wide, long = await page.evaluate(BEYOND)
                if wide > 0 or (long > 0 and not tall):
                    over[f"{path} at {width}x{height}"] = (wide, long)
        assert over == {}
        assert hall.wrong == []
