"""The draw for the dealer in a real browser: prize night asks the shuffler's left for a cut, with script or without."""

from typing import Any

import pytest

from browser_table import add_bot, browser_hall, choose_rules
from leftbower.engine import Draw
from server_client import seeded

pytestmark = pytest.mark.xdist_group("browser")


@pytest.mark.parametrize("script", [True, False])
async def test_prize_night_asks_for_the_cut_before_the_draw_on_the_page(script: bool) -> None:
    """Ann hosts at S; Bob, at her left, is asked, and the others read for whom the table waits."""
    async with browser_hall(entropy=seeded(81), hand_pause=60.0) as hall:
        context: Any = {"java_script_enabled": script}
        ann, bob = await hall.person(), await hall.person(**context)
        await ann.fill("form[action='/tables'] [name=name]", "Ann")
        await choose_rules(ann, "/tables", "prize-night")
        await ann.click("button:has-text('Open a table')")
        await ann.wait_for_selector(".chairs")
        host = (await ann.locator(".chairs li.mine").inner_text()).split()[0]
        left = {"North": "East", "East": "South", "South": "West", "West": "North"}[host]
        await bob.goto(ann.url)
        chair = bob.locator(".chairs li", has_text=left)
        await chair.locator("[name=name]").fill("Bob")
        await chair.locator("text=Sit here").click()
        await bob.wait_for_selector(".mine")
        for _ in range(2):
            await add_bot(ann)
        await bob.click("button:has-text('Ready')")
        await ann.click("button:has-text('Ready')")
        await ann.wait_for_selector(".ph-cutting")
        assert "You shuffle for the draw and offer Bob the cut." in await ann.inner_text(".log")
        assert await ann.query_selector(".panel") is None
        if not script:
            await bob.goto(ann.url)
        await bob.wait_for_selector(".ph-cutting .panel")
        assert "Cut before the draw for deal?" in await bob.inner_text(".panel")
        assert "Ann shuffles for the draw and offers you the cut." in await bob.inner_text(".log")
        name = ann.url.rsplit("/", 1)[1]
        table = await hall.server.context.tables.get(name)
        assert not table.history
        await bob.click(".panel button.go")
        await bob.wait_for_selector(".place > .card")
        table = await hall.server.context.tables.get(name)
        [draw] = table.history
        assert isinstance(draw, Draw)
        assert table.cut == 12
        await ann.wait_for_selector(".place > .wins")
        assert "deal" in await ann.inner_text(".log")
        await bob.goto(f"{ann.url}/deal")
        if script:
            await bob.wait_for_selector(".check.fits")
        text = await bob.inner_text("main")
        assert "Before this draw" in text
        assert all(str(card) in text for card in draw.cards)
        assert hall.wrong == []
