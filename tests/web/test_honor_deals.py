"""Dealing at an honor table in a real browser: the dealer's buttons and packets, with and without script."""

import asyncio
import re
from typing import Any

import pytest

from browser_table import OFFERED, browser_hall, click_unless, play_now
from leftbower.engine import Deal
from server_client import seeded

pytestmark = pytest.mark.xdist_group("browser")


async def until(page: Any, wanted: str, *, script: bool) -> None:
    """Click what is offered until the page shows `wanted`; reload a page without script."""
    async with asyncio.timeout(120):
        while script and not await click_unless(page, wanted):
            pass
        while await page.query_selector(wanted) is None:
            if (offered := await page.query_selector(OFFERED)) is not None:
                await offered.click()
            else:
                await page.reload()


async def wait_for_redeal(page: Any, *, script: bool) -> None:
    """Wait for the ruling on the misdeal beside the next deal; the ruling of the hand before it is there until then."""
    redeal = page.locator(":has(.panel.deal) .ruling", has_text="The same dealer deals again.")
    async with asyncio.timeout(120):
        while not script and not await redeal.count():
            await page.reload()
        await redeal.first.wait_for()


@pytest.mark.parametrize("script", [True, False])
async def test_club_a_misdeal_is_dealt_and_called_on_the_page(script: bool) -> None:
    """Ann makes the last packet one card too small: bots call it, and she deals again with a cut."""
    async with browser_hall(entropy=seeded(95)) as hall:
        page = await hall.person(java_script_enabled=script)
        if script:
            await play_now(page, supervision="honor", target=10)
        else:
            ready = await hall.person()
            await play_now(ready, supervision="honor", target=10)
            cookies = await ready.context.cookies()
            await page.context.add_cookies(cookies)
            await page.goto(ready.url)
            await ready.close()
        await until(page, ".panel.deal", script=script)
        name = page.url.rsplit("/", 1)[1]
        tables = hall.server.context.tables
        words = await page.inner_text(".panel.deal")
        assert "Your deal." in words
        assert "Offer the cut to " in words
        assert "It’s your deal." in await page.inner_text(".log")
        await page.click("text=Choose how many at a time")
        bundles = page.locator("select[name=packets]")
        assert await bundles.count() == 8
        assert [await field.input_value() for field in await bundles.all()] == ["2"] * 4 + ["3"] * 4
        await bundles.last.select_option("2")
        await page.click("text=Deal this way")
        async with asyncio.timeout(20):
            while not (table := await tables.get(name)).packets:
                await asyncio.sleep(0.01)
        [(deck_number, packets)] = table.packets.items()
        assert packets == (2, 2, 2, 2, 3, 3, 3, 2)
        assert table.sealed_decks[deck_number][1] is None
        await wait_for_redeal(page, script=script)
        assert re.search("misdeal by you|you didn’t offer the cut", await page.inner_text(".ruling"))
        await until(page, "button[value=u]", script=script)
        assert "The cards are dealt, face down." in await page.inner_text(".panel")
        assert await page.query_selector(".hand [data-k]") is None
        assert "face down" in await page.inner_text(".log")
        await page.click("text=Turn up the top card")
        await page.wait_for_selector(".hand [data-k]")
        [*_, deal] = [fact for fact in (await tables.get(name)).history if isinstance(fact, Deal)]
        assert deal.cut_offered
        assert not deal.has_miscount()
        assert hall.wrong == []
