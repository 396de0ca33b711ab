"""A complete trick stays open for a moment; then only viewers whom the rules allow can open it again.

In some tests the moment never ends, in others it is over at once, so that none depends on the machine's speed.
"""

from pathlib import Path
from typing import Any, Final

import pytest

from browser_table import browser_hall
from four_player_table import FourPeople, four_people
from leftbower.engine import Phase, Ready, Trick, View
from leftbower.rules import Seat
from leftbower.server.http.middleware import SESSION_COOKIE_NAME
from leftbower.web.table.text import card_name

pytestmark = pytest.mark.xdist_group("browser")

HONOR: Final = {"supervision": "honor"}
ENDLESS: Final = 3600
VIEWERS: Final = (*"NESW", None)
LAST_TRICK: Final = '<summary class="tool" data-key="l"'
GO_BACK: Final = ">Go back through the tricks</a>"
CARDS: Final = ".place > .card"
RULED_AT_ONCE: Final = 3
"""With these decks the offender shows the suit that was withheld before the last trick."""


def shows(html: str, trick: Trick) -> bool:
    """Is any card of the trick on the page, as a face or by name?"""
    return any(f'"#{card}"' in html or card_name(card) in html for card in trick.cards)


async def seats_showing(four: FourPeople, text: str) -> list[str | None]:
    """The seats whose page of the table has this text; None for a spectator."""
    return [seat for seat in VIEWERS if text in await four.html(seat)]


async def play_until_proven(four: FourPeople, offender: str, number: int) -> View:
    """Play until the offender has shown the suit that they did not follow in a trick."""
    while True:
        hand_view = await four.trick()
        assert hand_view.contract is not None
        led = hand_view.tricks[number - 1].cards[0].suit_under(hand_view.contract.trump)
        later = [trick.cards[trick.seats.index(Seat(offender))] for trick in hand_view.tricks[number:]]
        if any(card.suit_under(hand_view.contract.trump) is led for card in later):
            return hand_view


async def test_everyone_sees_the_last_card_of_a_trick() -> None:
    """By the feed and on a reloaded page, spectators too, whatever the rules say about looking back."""
    async with four_people("round-robin", trick_display=ENDLESS) as four:
        pages = [await four.page(seat) for seat in VIEWERS]
        hand_view = await four.trick()
        for page in pages:
            await page.wait_for_selector(f"{CARDS}.wins")
            assert await page.locator(CARDS).count() == 4
            assert card_name(hand_view.tricks[-1].cards[-1]) in await page.inner_text(".log")
        assert all([shows(await four.html(seat), hand_view.tricks[-1]) for seat in VIEWERS])
        assert four.hall.wrong == []


async def test_school_cup_only_the_winner_may_open_the_last_trick() -> None:
    """After the moment its cards are on no other page, neither by the feed nor after a reload."""
    async with four_people("school-cup", trick_display=0) as four:
        pages = {seat: await four.page(seat) for seat in VIEWERS}
        hand_view = await four.trick()
        winner, trick = str(hand_view.tricks[-1].winner), hand_view.tricks[-1]
        assert [seat for seat in VIEWERS if shows(await four.html(seat), trick)] == [winner]
        assert await seats_showing(four, LAST_TRICK) == [winner]
        for seat, page in pages.items():
            await page.wait_for_selector(".log:has-text('the trick.')")
            assert await page.locator(CARDS).count() == 0
            assert shows(str(await page.inner_html("#table")), trick) is (seat == winner)
        await pages[winner].click("text=Last trick")
        assert await pages[winner].locator(".more .card").count() == 4
        await four.lay()
        assert await seats_showing(four, LAST_TRICK) == []
        assert not any([shows(await four.html(seat), trick) for seat in VIEWERS])
        assert four.hall.wrong == []


async def test_round_robin_no_one_may_open_the_last_trick() -> None:
    async with four_people("round-robin", trick_display=0) as four:
        hand_view = await four.trick()
        assert await seats_showing(four, LAST_TRICK) == []
        assert not any([shows(await four.html(seat), hand_view.tricks[-1]) for seat in VIEWERS])


async def test_everyone_who_may_look_can_open_the_last_trick_until_the_lead() -> None:
    async with four_people("campus", trick_display=0, changes={"looking_back": "everyone"}) as four:
        await four.trick()
        assert await seats_showing(four, LAST_TRICK) == [*VIEWERS]
        await four.lay()
        assert await seats_showing(four, LAST_TRICK) == []


async def test_a_trick_is_gathered_though_nothing_else_happens() -> None:
    """The script takes its cards out of the page, with motion, at the version with which they came."""
    async with four_people("round-robin", trick_display=1) as four:
        page = await four.page("N", reduced_motion="no-preference")
        hand_view = await four.trick()
        version = (await four.people["N"].see(four.table))["version"]
        await page.wait_for_selector(f'#table[data-version="{version}"]')
        await page.wait_for_selector(CARDS, state="detached")
        assert not shows(str(await page.inner_html("body > main")), hand_view.tricks[-1])
        assert not shows(str(await page.inner_html("#announcements")), hand_view.tricks[-1])
        assert await page.get_attribute("#table", "data-version") == str(version)
        assert four.hall.wrong == []


async def test_a_trick_is_gathered_without_script() -> None:
    """By CSS alone; its last card is removed from the sentence below too."""
    async with four_people("round-robin", trick_display=ENDLESS) as four:
        hand_view = await four.trick()
        page = await four.page(str(hand_view.tricks[-1].winner), java_script_enabled=False)
        assert await page.locator(f"{CARDS}:visible").count() == 4
        await page.evaluate("document.querySelectorAll('[data-open]').forEach(trick => { trick.dataset.open = 1 })")
        for selector in (f"{CARDS}.wins", ".completing-play"):
            await page.wait_for_selector(selector, state="hidden")
        assert "You take the trick." in await page.inner_text(".log")


async def test_a_server_that_was_restarted_does_not_show_an_old_trick(tmp_path: Path) -> None:
    """It can't know how long the trick has been open."""
    database = str(tmp_path / "tables.db")
    async with four_people("round-robin", trick_display=ENDLESS, database=database) as four:
        hand_view = await four.trick()
        assert shows(await four.html("N"), hand_view.tricks[-1])
    async with browser_hall(trick_display=ENDLESS, database=database) as hall:
        token = four.people["N"].token
        page = await hall.server.http.get(four.path, headers={"Cookie": f"{SESSION_COOKIE_NAME}={token}"})
        assert "the trick." in page.text
        assert not shows(page.text, hand_view.tricks[-1])


# Disputes


async def test_school_cup_a_called_renege_opens_every_trick_to_everyone() -> None:
    """Before the call the tricks are face down; after it spectators too go through them."""
    async with four_people("school-cup", trick_display=0, changes=HONOR) as four:
        offender, caller = await four.renege()
        for seat in VIEWERS:
            closed = await four.html(seat, "/tricks")
            assert "The tricks are face down." in closed
            assert "<use" not in closed.partition("<main")[2]
        assert await seats_showing(four, GO_BACK) == []
        hand_view = await four.call(caller, offender)
        assert await seats_showing(four, GO_BACK) == [*VIEWERS]
        for number, trick in enumerate(hand_view.tricks, 1):
            page = await four.html(None, f"/tricks?trick={number}")
            assert f"Trick {number} of {len(hand_view.tricks)}" in page
            positions = [page.index(card_name(card)) for card in trick.cards]
            assert positions == sorted(positions)
        await four.lay()
        assert await seats_showing(four, GO_BACK) == [*VIEWERS]


async def test_school_cup_tricks_are_open_though_the_call_is_ruled_at_once() -> None:
    async with four_people("school-cup", trick_display=0, changes=HONOR, seed=RULED_AT_ONCE) as four:
        offender, caller = await four.renege()
        number = len((await four.view("N")).tricks)
        await play_until_proven(four, offender, number)
        hand_view = await four.call(caller, offender)
        assert hand_view.phase is Phase.PLAYING
        assert [verdict.guilty for verdict in hand_view.docket.verdicts] == [True]
        assert await seats_showing(four, GO_BACK) == [*VIEWERS]
        assert f"of {len(hand_view.tricks)}</h2>" in await four.html("N", "/tricks?trick=99")


async def test_school_cup_a_late_call_opens_all_tricks_until_the_deal() -> None:
    """While others may still call, and when the hand has counted, for as long as the deck is not cut."""
    async with four_people("school-cup", trick_display=0, changes={**HONOR, "deal_cut": "right"}) as four:
        offender, caller = await four.renege()
        while (await four.view("N")).phase is Phase.PLAYING:
            await four.trick()
        assert await seats_showing(four, GO_BACK) == []
        await four.call(caller, offender)
        assert await seats_showing(four, GO_BACK) == [*VIEWERS]
        for seat in Seat:
            await four.do(str(seat), Ready(seat))
        assert (await four.view("N")).phase is Phase.SCORED
        assert await seats_showing(four, GO_BACK) == [*VIEWERS]
        assert "Trick 5 of 5" in await four.html(None, "/tricks?trick=5")


async def test_where_disputes_open_no_tricks_a_call_opens_none() -> None:
    async with four_people("campus", trick_display=0, changes=HONOR) as four:
        offender, caller = await four.renege()
        await four.call(caller, offender)
        assert await seats_showing(four, GO_BACK) == []
        assert "The tricks are face down." in await four.html(caller, "/tricks")


async def step(page: Any, heading: str, *, script: bool) -> None:
    inside = "dialog[open] " if script else ""
    await page.wait_for_selector(f"{inside}h2:text-is('{heading}')")


@pytest.mark.parametrize("script", [True, False], ids=["with script", "without"])
async def test_a_dispute_is_gone_through_by_keys_forward_and_back(*, script: bool) -> None:
    """With script upon the table, where the focus stays on the link; without it page by page."""
    async with four_people("school-cup", trick_display=0, changes=HONOR) as four:
        await four.trick()
        offender, caller = await four.renege()
        hand_view = await four.call(caller, offender)
        total = len(hand_view.tricks)
        page = await four.page(offender, java_script_enabled=script)
        await page.locator("a:has-text('Go back through the tricks')").press("Enter")
        await step(page, f"Trick 1 of {total}", script=script)
        assert await page.locator("a[rel=prev]").count() == 0
        await page.locator("a[rel=next]").press("Enter")
        await step(page, f"Trick 2 of {total}", script=script)
        if script and total > 2:
            await page.keyboard.press("Enter")
            await step(page, f"Trick 3 of {total}", script=script)
            await page.locator("a[rel=prev]").press("Enter")
        await page.locator("a[rel=prev]").press("Enter")
        await step(page, f"Trick 1 of {total}", script=script)
        plays = await page.locator(".reenacted li").all_inner_texts()
        assert [" lead" in play for play in plays] == [True, False, False, False]
        assert "the trick." in await page.inner_text(".reenacted b")
        assert page.url.endswith(four.path) is script
        assert four.hall.wrong == []
