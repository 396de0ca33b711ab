"""Going alone on the page of a club table: a checkbox beside the call, and a plain button until the first lead."""

from dataclasses import replace
from typing import Any

import pytest

from browser_table import OFFERED, BrowserHall, browser_hall, play_now

pytestmark = pytest.mark.xdist_group("browser")


def wait_for_alone(hall: BrowserHall) -> None:
    """Let bots wait an hour for the maker to go alone."""
    due_actions = hall.server.context.tables._due_actions
    due_actions.timing = replace(due_actions.timing, hand_pause=3600.0)


async def order_up(page: Any, hall: BrowserHall) -> None:
    """Play on until the up-card can be ordered up, and order it up with the partner."""
    ordering = page.locator(".turn .panel button[value=o]")
    while not await ordering.count():
        await page.wait_for_selector(OFFERED)
        if await ordering.count():
            break
        await page.locator(OFFERED).first.click()
        await page.wait_for_timeout(50)
    assert await page.locator(".panel input[name=alone]").count() == 1
    assert await page.locator(".panel input[name=alone]").is_checked() is False
    wait_for_alone(hall)
    await ordering.click()
    await ordering.wait_for(state="detached")


async def test_club_alone_is_beside_the_call_and_open_until_the_lead() -> None:
    """Play is not stopped for the question; the button stays, is never highlighted, and the partner sits out."""
    async with browser_hall() as hall:
        page = await hall.person()
        await play_now(page, "club", deal_cut="none", target=10)
        await order_up(page, hall)
        alone = page.locator(".panel button[value='!']")
        await alone.wait_for()
        assert "go" not in (await alone.get_attribute("class") or "").split()
        assert await page.locator(".panel button[value='&']").count() == 0
        await alone.click()
        await alone.wait_for(state="detached")
        await page.wait_for_selector("text=Sits out")
        assert hall.wrong == []


async def test_club3_taking_the_dummy_is_the_highlighted_choice() -> None:
    async with browser_hall() as hall:
        page = await hall.person()
        await play_now(page, "club3", deal_cut="none", target=10)
        await order_up(page, hall)
        bury = page.locator(".turn .pick").first
        dummy = page.locator(".panel button[value='&']")
        while not await dummy.count():
            if await bury.count():
                await bury.click()
                await page.click("[data-picks]")
            await page.wait_for_timeout(100)
        assert "go" in (await dummy.get_attribute("class") or "").split()
        assert "go" not in (await page.locator(".panel button[value='!']").get_attribute("class") or "").split()
        assert hall.wrong == []
