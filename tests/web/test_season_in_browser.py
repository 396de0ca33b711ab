"""A season's pages in a browser: accessible, nothing wider than the screen, and who is who with a few taps."""

from typing import Any, Final

import pytest
from axe_playwright_python.async_playwright import Axe  # type: ignore[import-untyped]

from browser import launch_browser
from leftbower.web.app import install
from season_world import open_season
from server_client import listening

pytestmark = pytest.mark.xdist_group("browser")
WHOLE: Final[dict[str, Any]] = {"resultTypes": ["violations"]}
WIDEST: Final = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


async def test_season_pages_are_accessible_and_fit_every_screen() -> None:
    async with listening() as (base, server), launch_browser() as browser:
        install(server.app)
        season = await open_season(server.app.state.context)
        url, problems = f"{base}/seasons/{season.name}", dict[str, Any]()
        screens: list[tuple[int, Any]] = [(320, "light"), (390, "dark"), (1366, "light"), (1920, "dark")]
        for width, scheme in screens:
            context = await browser.new_context(viewport={"width": width, "height": 800}, color_scheme=scheme)
            page = await context.new_page()
            await page.goto(f"{url}/join/{season.reader_code}")
            await page.goto(f"{url}/join/{season.organizer_code}")
            for path in ("/desk", "/standings", f"/desk/who/{season.events[-1]}", "/desk/settings", ""):
                await page.goto(f"{url}{path}" if path else f"{base}/seasons")
                for details in await page.query_selector_all("details"):
                    await details.evaluate("details => { details.open = true }")
                if await page.evaluate(WIDEST) > 0:
                    problems[f"{width} {path}"] = "wider than the screen"
                if width in (390, 1366):
                    found = (await Axe().run(page, options=WHOLE)).response["violations"]
                    if found:
                        problems[f"{width} {path}"] = [(each["id"], each["nodes"][0]["html"][:150]) for each in found]
            await context.close()
        assert problems == {}


async def test_a_new_spelling_is_confirmed_with_one_tap() -> None:
    async with listening() as (base, server), launch_browser() as browser:
        install(server.app)
        season = await open_season(server.app.state.context, weeks=2)
        page = await (await browser.new_context()).new_page()
        await page.goto(f"{base}/seasons/{season.name}/join/{season.organizer_code}")
        assert await page.locator(".scroll tbody tr").count() == 24
        away = await page.locator("tr", has_text="Zach Zane").locator("td.away").count()
        assert away == 1
        await page.get_by_role("link", name="Who is who?").click()
        assert await page.get_by_label("is Zack Zane").input_value() == "p2"
        await page.get_by_role("button", name="That's right").click()
        assert await page.locator("tr", has_text="Zach Zane").locator("td.away").count() == 0
        assert await page.get_by_text("count yet").count() == 0
