"""Every state of the table fits every window: nothing covers a control, a badge or an index, and the hand stays put."""

from typing import Any, Final

import pytest

from benchmarks.pictures import LOBBIES, MEASURE, SIZES, serve_scenes, sign_in
from benchmarks.scenes import scenes
from browser import SWAP, launch_browser

pytestmark = pytest.mark.xdist_group("browser")

SCENES: Final = scenes()
HAND_TOP: Final = "() => document.querySelector('.hand')?.getBoundingClientRect().top"


@pytest.mark.parametrize("preferences", ["", "large.four.light"])
async def test_nothing_is_covered_cut_or_outside_in_any_state(preferences: str) -> None:
    """For bidding, play, alone, honor dispute, claim, end of hand, end of game and everything between."""
    problems: dict[tuple[str, str], list[str]] = {}
    hand_tops: dict[str, set[float]] = {size: set() for size in SIZES}
    async with serve_scenes(SCENES) as (base, token), launch_browser() as browser:
        context = await browser.new_context(color_scheme="dark", reduced_motion="reduce")
        await sign_in(context, base, token)
        await context.add_cookies([{"name": "leftbower-preferences", "value": preferences, "url": base}])
        page = await context.new_page()
        messages: list[str] = []
        page.on(
            "console", lambda message: messages.append(message.text) if message.type in ("error", "warning") else None
        )
        await page.goto(f"{base}/t/{SCENES[0].name}")
        for scene in SCENES:
            await page.evaluate(SWAP, scene.name)
            for size in SIZES if not preferences else ("small", "phone", "desktop"):
                await resize(page, size)
                if found := [*await page.evaluate(MEASURE, scene.name in LOBBIES), *messages]:
                    problems[scene.name, size] = found
                if (top := await page.evaluate(HAND_TOP)) is not None:
                    hand_tops[size].add(round(top, 1))
    assert problems == {}
    assert all(len(tops) <= 1 for tops in hand_tops.values()), hand_tops


async def resize(page: Any, size: str) -> None:
    width, height = SIZES[size]
    await page.set_viewport_size({"width": width, "height": height})
