"""Event pages fit their screens: the wall shows everything, page by page, and phones do not scroll sideways."""

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


VISIBLE_NAMES: Final = """() => [...document.querySelectorAll('.screen:not([hidden]) .flow li')].filter(line => {
  const [box, view] = [line.getBoundingClientRect(), line.parentElement.getBoundingClientRect()];
  const texts = [...line.children].map(part => part.getBoundingClientRect());
  return [box, ...texts].every(({ left, right, top, bottom }) =>
    left >= view.left - 1 && right <= view.right + 1 && top >= view.top - 1 && bottom <= view.bottom + 1
    && left >= 0 && right <= innerWidth && bottom <= innerHeight);
}).flatMap(line => [...line.querySelectorAll('span')].map(part => part.textContent.trim()))"""
PODIUM_CUT: Final = """() => {
  const podium = document.querySelector('.podium:not([hidden])');
  return [...podium.querySelectorAll('.steps p, .steps b, .steps strong, .places li')].filter(part => {
    const [box, list] = [part.getBoundingClientRect(), part.closest('ol').getBoundingClientRect()];
    const within = part.parentElement.getBoundingClientRect();
    return box.top < list.top - 1 || box.bottom > Math.min(list.bottom, innerHeight) + 1
      || part.scrollWidth > part.clientWidth + 1 && part.clientWidth > 0
      || !part.matches('.places li') && (box.left < within.left - 1 || box.right > within.right + 1);
  }).map(part => part.textContent);
}"""
"""What the podium cuts; the columns of its list to the right of the screen are its next pages."""
PAGE_SECONDS: Final = 15


async def all_names(page: Any) -> set[str]:
    """Every name that is wholly visible on one of the wall's pages."""
    names: set[str] = set()
    for turn in range(await page.evaluate("document.querySelectorAll('.dots i').length") or 1):
        await page.clock.set_fixed_time(turn * PAGE_SECONDS)
        await page.evaluate("dispatchEvent(new Event('resize'))")
        names |= set(await page.evaluate(VISIBLE_NAMES))
        assert max(await page.evaluate(BEYOND)) <= 0
    return names


@pytest.mark.parametrize("teams", [8, 64])
async def test_nothing_on_the_wall_is_cut_at_any_size(teams: int) -> None:
    """Every team and person, with names as long as they may be, before, during and after a round."""
    async with browser_hall() as hall, phone_line(hall.base) as http:
        desk = Visitor(http)
        plan: dict[str, Any] = {"title": "The Grange Hall Prize Night", "rules": "prize-night", "format": "swiss"}
        desk.event = (await desk.send("/events", **plan, rounds=1)).headers["location"].split("/")[2]
        long = "Wilhelmina Bartholomea Featherstonehaugh-Oosterhuis"
        people = [f"{long if number % 5 == 0 else 'Ann Ashby'} {number}" for number in range(2 * teams)]
        lines = [f"{first} & {second}" for first, second in zip(people[::2], people[1::2], strict=True)]
        await desk.send(f"/e/{desk.event}/desk/import", names="\n".join(lines))
        await desk.do("draw")
        await desk.do("publish", page="yes", standings="yes")
        page = await hall.person()
        await page.clock.install()
        await page.goto(hall.base + (await desk.new_links(command="wall"))["Screen 1"])
        found: dict[str, set[str]] = {}
        for step in ("before", "during"):
            if step == "during":
                await desk.do("score", round=1, table=1, games="10-4", version=999)
                await page.wait_for_selector(".matches .is-settled", state="attached")
            for width, height in WALLS:
                await page.set_viewport_size({"width": width, "height": height})
                await page.evaluate("dispatchEvent(new Event('resize'))")
                missing = {*lines, *(people if step == "before" else ())} - await all_names(page)
                if missing:
                    found[f"{step} at {width}x{height}"] = missing
        await page.clock.set_fixed_time(0)
        for table in range(2, teams // 2 + 1):
            form: dict[str, Any] = {"round": 1, "table": table, "games": f"10-{table % 10}", "version": 999}
            await desk.send(f"/e/{desk.event}/desk/commands", command="score", **form)
        await page.wait_for_selector(".podium .steps", state="attached")
        for width, height in WALLS:
            await page.set_viewport_size({"width": width, "height": height})
            await page.evaluate("dispatchEvent(new Event('resize'))")
            assert await page.locator(".podium .who").count() >= 3
            if missing := set(await page.evaluate(PODIUM_CUT)):
                found[f"podium at {width}x{height}"] = missing
        assert found == {}
        assert hall.wrong == []
