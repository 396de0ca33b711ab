"""Every state of the table fits every window: no control upon another, none outside, no text cut, nothing refused."""

from pathlib import Path
from typing import Any, Final

import pytest

from benchmarks.pictures import SIZES, serve_scenes, sign_in
from benchmarks.scenes import scenes
from browser import SWAP, launch_browser

pytestmark = pytest.mark.xdist_group("browser")

SCENES: Final = scenes()
MEASURE: Final = (Path(__file__).parent / "measure.js").read_text(encoding="utf-8")


LOBBIES: Final = ("lobby", "rules-changed", "match-over", "rematch-over")
LAYOUTS: Final = [*((size, "", False) for size in SIZES), ("phone", "large.four", True)]


async def test_no_control_overlaps_or_is_outside_and_no_text_is_cut() -> None:
    """For bidding, play, alone, honor dispute, claim, end of hand, end of game and everything between."""
    async with serve_scenes(SCENES) as (base, token), launch_browser() as browser:
        for size, preferences, light in LAYOUTS:
            problems_by_scene = await _measure(browser, base, token, size, preferences, light=light)
            assert problems_by_scene == {}, (size, preferences)


async def _measure(
    browser: Any, base: str, token: str, size: str, preferences: str, *, light: bool
) -> dict[str, list[str]]:
    width, height = SIZES[size]
    scheme: Any = "light" if light else "dark"
    problems_by_scene: dict[str, list[str]] = {}
    context = await browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme)
    await sign_in(context, base, token)
    if preferences:
        await context.add_cookies([{"name": "leftbower-preferences", "value": preferences, "url": base}])
    page = await context.new_page()
    messages: list[str] = []
    page.on("console", lambda message: messages.append(message.text) if message.type in ("error", "warning") else None)
    await page.goto(f"{base}/t/{SCENES[0].name}")
    for scene in SCENES:
        await page.evaluate(SWAP, scene.name)
        problems = await page.evaluate(MEASURE, scene.name in LOBBIES)
        if problems or messages:
            problems_by_scene[scene.name] = [*problems, *messages]
        messages.clear()
    await context.close()
    return problems_by_scene
