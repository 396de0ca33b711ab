"""A whole game by ear: a script that reads only the live region and accessible names, and presses only keys."""

import asyncio
import re
from typing import Any

import pytest

from browser_table import browser_hall, play_now

pytestmark = pytest.mark.xdist_group("browser")

NUMBER = re.compile(r"(\d), [^;]+")


class Ears:
    """A player who hears the live region and what has a name, and has a keyboard."""

    def __init__(self, page: Any) -> None:
        self.page = page
        self.heard: list[str] = []

    async def listen(self) -> str:
        """The last line said."""
        lines = await self.page.get_by_role("log").locator("p").all_inner_texts()
        self.heard += [line for line in lines if line not in self.heard[-8:]]
        return lines[-1] if lines else ""

    async def ask(self, letter: str) -> str:
        """The answer to a key, which is a new line."""
        before = await self.page.get_by_role("log").locator("p").last.element_handle()
        await self.page.keyboard.press(f"Shift+{letter.upper()}")
        await self.page.wait_for_function("before => !before || before.nextSibling || !before.isConnected", arg=before)
        return await self.listen()

    async def answer(self) -> None:
        """Do what was asked last, if anything was."""
        said = await self.listen()
        keyboard = self.page.keyboard
        if "Your turn to bid" in said:
            is_stuck = not await self.page.get_by_role("button", name="Pass").count()
            if is_stuck:
                await self.page.get_by_role("radio").first.focus()
                await keyboard.press("Space")
                await keyboard.press("Enter")
            else:
                await keyboard.press("p")
        elif "Your turn to cut" in said:
            await keyboard.press("c")
        elif "Your turn to choose" in said:
            await keyboard.press("t")
        elif re.search(r"Your turn to (discard|play|lead)", said):
            usable = NUMBER.findall(await self.ask("c"))
            await keyboard.press(usable[0])
            await keyboard.press("Enter")
        elif "Score:" in said:
            await keyboard.press("n")
        await self.page.wait_for_timeout(20)


async def test_a_whole_game_by_ear_and_keys() -> None:
    """Bids, the discard, each play and each trick are said; the focus stays in the hand from card to card."""
    async with browser_hall() as hall:
        page = await hall.person()
        await play_now(page, "club", deal_cut="none")
        ears = Ears(page)
        async with asyncio.timeout(40):
            while not await page.get_by_role("heading", name=re.compile(" wins?!")).count():
                await ears.answer()
                if "You play" in await ears.listen() and await page.locator(".hand button.card").count():
                    assert await page.evaluate("!!document.activeElement.closest('.hand')")
        said = " ".join(ears.heard)
        for sentence in (
            "passes",
            "turn to bid",
            "orders it up|picks it up|calls",
            "takes? the trick",
            "Score: You and",
        ):
            assert re.search(sentence, said), sentence
        assert hall.wrong == []


async def test_questions_are_answered_at_once_by_the_page_itself() -> None:
    async with browser_hall() as hall:
        page = await hall.person()
        await play_now(page, "club", deal_cut="none")
        ears = Ears(page)
        while "Your turn" not in await ears.listen():
            await page.wait_for_timeout(20)
        last = await ears.listen()
        requests: list[str] = []
        page.on("request", lambda request: requests.append(request.url))
        assert (await ears.ask("t")).startswith(("Trump is ", "There is no trump yet."))
        assert (await ears.ask("s")).startswith("Score: You and ")
        assert len(NUMBER.findall(await ears.ask("c"))) >= 5
        assert "Your turn" in await ears.ask("n")
        assert (await ears.ask("l")) == "No card is led yet."
        assert (await ears.ask("r")) == last
        assert [url for url in requests if "/static/" not in url] == []
        await page.keyboard.press("?")
        await page.get_by_role("dialog").get_by_role("heading", name="Keys").wait_for()
        assert hall.wrong == []
