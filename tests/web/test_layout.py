"""Every state of the table fits every window: nothing covers a control, a badge or an index, and the hand stays put."""

from typing import Any, Final

import pytest

from benchmarks.pictures import LOBBIES, MEASURE, SIZES, serve_scenes, sign_in
from benchmarks.scenes import scenes
from browser import SWAP, launch_browser
from browser_table import browser_hall, play_now, play_on

pytestmark = pytest.mark.xdist_group("browser")

SCENES: Final = scenes()
DECK: Final = "() => [...document.querySelectorAll('.ribbon .card')].map(card => card.getBoundingClientRect().toJSON())"
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


async def test_the_hand_does_not_move_over_a_whole_game() -> None:
    """Measured in every frame, from the first bid to the last trick."""
    async with browser_hall() as hall:
        page = await hall.person()
        await play_now(page)
        await page.evaluate("""() => {
            window.tops = new Set();
            const look = () => {
                const hand = document.querySelector('.hand');
                if (hand) window.tops.add(hand.getBoundingClientRect().top);
                requestAnimationFrame(look);
            };
            look();
        }""")
        await play_on(page)
        assert len(await page.evaluate("[...window.tops]")) == 1


async def test_a_deck_is_cut_by_sliding_along_it() -> None:
    """The cards above the chosen place lift, also without script."""
    async with (
        serve_scenes([scene for scene in SCENES if scene.name == "cut"]) as (base, token),
        launch_browser() as browser,
    ):
        context = await browser.new_context(reduced_motion="reduce")
        await sign_in(context, base, token)
        page = await context.new_page()
        await page.goto(f"{base}/t/cut")
        boxes = await page.evaluate(DECK)
        middle = boxes[11]["y"] + boxes[11]["height"] / 2
        await page.mouse.move(boxes[2]["x"] + 3, middle)
        await page.mouse.down()
        await page.mouse.move(boxes[17]["x"] + 3, middle, steps=4)
        await page.mouse.up()
        assert await page.input_value(".ribbon :checked") == "18"
        tops = [card["y"] for card in await page.evaluate(DECK)]
        assert sum(top < max(tops) for top in tops) == 18
