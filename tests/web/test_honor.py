"""Honor tables, deal verification and dialogs in a real browser."""

import asyncio
from hashlib import sha256
from typing import Final

import pytest

from browser_table import DESKTOP, OFFERED, browser_hall, choose_rules, click, click_unless, play_now, play_on
from server_client import seeded

pytestmark = pytest.mark.xdist_group("browser")

CALL: Final = """() => {
    const list = document.querySelector('select[aria-label="Call it"]');
    const renege = [...list?.options ?? []].find(option => /^Renege by Ann/.test(option.textContent));
    if (!renege) return null;
    list.value = renege.value;
    return list.form.querySelector('button');
}"""
"""Bob calls a renege by Ann as soon as the page offers it."""
RENEGE: Final = """() => {
    const led = document.querySelector('.place > [data-k]')?.dataset.k;
    const held = [...document.querySelectorAll('.hand [data-k]')];
    const plain = held.filter(card => card.dataset.k[0] !== 'J' && !card.matches('.tr'));
    const wrong = led && led[0] !== 'J' && plain.some(card => card.dataset.k[1] === led[1])
        ? plain.find(card => card.dataset.k[1] !== led[1]) : null;
    return document.querySelector('.turn .panel button') ? null : wrong;
}"""
"""Ann has a card of the suit that was led, and plays another."""


async def test_a_renege_is_called_proven_and_settled_at_an_honor_table() -> None:
    """Ann reneges, Bob calls it, cards prove it, and his side settles the penalty.

    The decks are fixed: with others it may happen that no card proves the renege.
    """
    async with browser_hall(entropy=seeded(7)) as hall:
        ann, bob, cat = [await hall.person() for _ in range(3)]
        await ann.fill("form[action='/tables'] [name=name]", "Ann")
        await choose_rules(ann, "/tables", "club", supervision="honor", deal_cut="none")
        await ann.click("button:has-text('Open a table')")
        await ann.wait_for_selector(".chairs")
        for page, name, seat in ((bob, "Bob", "North"), (cat, "Cat", "South")):
            await page.goto(ann.url)
            chair = page.locator(".chairs li", has_text=seat)
            await chair.locator("[name=name]").fill(name)
            await chair.locator("text=Sit here").click()
            await page.wait_for_selector(".mine")
        await ann.locator(".chairs li", has_text="East").locator("text=Add a bot").click()
        for page in (ann, bob, cat):
            await page.click("button:has-text('Ready')")
        ruled = await asyncio.gather(play_on(ann, RENEGE), play_on(bob, CALL), play_on(cat))
        ruling_text = " ".join(said for sentences in ruled for said in sentences)
        assert "You call a renege on Ann" in ruling_text
        assert "Bob calls a renege on you" in ruling_text
        assert "Proof: " in ruling_text
        assert hall.wrong == []


async def test_a_deal_is_checked_in_the_browser_itself() -> None:
    """On plain HTTP, under a name that is not the loopback; an exchanged card is detected."""
    async with browser_hall() as hall:
        page = await hall.browser.new_page()
        name = hall.base.replace("127.0.0.1", "hall.test")
        await page.goto(f"{name}/")
        await play_now(page, deal_cut="none")  # the cutter has seen no card yet
        await page.wait_for_selector(OFFERED)
        assert not await page.evaluate("isSecureContext")
        table = page.url
        await page.goto(f"{table}/deal")
        await page.wait_for_selector(".check.fits")
        assert "Your browser checked it: 24 envelopes" in await page.inner_text(".check")
        changes = {
            "opened.replace(/:(..):/, (_, card) => `:${card === '9s' ? '9h' : '9s'}:`)": "held another card",
            "bound.replace(':hand:', ':draw:')": "don’t match their number",
            "bound.replace(/[0-9a-f]{64}/, '0'.repeat(64))": "don’t match their number",
            "opening.replace('\"target\":', '\"target\":1')": "don’t match their number",
            "match.replace(/./g, '0')": "don’t match their number",
        }
        for change, says in changes.items():
            check = await page.evaluate(f"""async () => {{
                const {{ checkDeal }} = await import('/static/deal_check.mjs');
                const box = document.querySelector('[data-check]'), before = {{ ...box.dataset }};
                const {{ opened, bound, opening, match }} = before;
                Object.assign(box.dataset, {{ {change.split(".", 1)[0]}: {change} }});
                checkDeal(document);
                const changed = [box.className, box.textContent];
                Object.assign(box.dataset, before);
                checkDeal(document);
                return [...changed, box.className];
            }}""")
            assert check == ["check misfit", check[1], "check fits"]
            assert says in check[1]
            assert "Don’t trust" in check[1]


async def test_the_pages_own_sha256_is_sha256() -> None:
    texts = [
        "",
        "abc",
        "leftbower leaf 1:0:Qs:cd96084ceb053ed63e368cfdd369b954",
        *("x" * n for n in range(50, 131)),
        "é🃏",
    ]
    async with browser_hall() as hall:
        page = await hall.person()
        found = await page.evaluate(
            "async texts => { const { sha256 } = await import('/static/deal_check.mjs'); return texts.map(sha256); }",
            texts,
        )
    assert found == [sha256(text.encode()).hexdigest() for text in texts]


async def test_dialogs_open_over_the_table_and_are_pages_without_script() -> None:
    async with browser_hall() as hall:
        page = await hall.person()
        await play_now(page, deal_cut="none")
        await page.wait_for_selector(OFFERED)
        table = page.url
        for words in ("This table and its rules", "Why you can trust this deal", "Look and sound"):
            await page.click(".menu summary")
            await page.click(f".menu >> text={words}")
            await page.wait_for_selector("dialog[open] h1")
            await page.keyboard.press("Escape")
            await page.wait_for_selector("dialog:not([open])", state="attached")
            assert page.url == table
        await page.set_viewport_size(DESKTOP)
        await page.click(".seal")
        await page.wait_for_selector("dialog[open] .check.fits")
        await page.keyboard.press("Escape")
        await page.wait_for_selector("dialog:not([open])", state="attached")
        assert hall.wrong == []


async def test_a_card_is_lifted_first_unless_one_tap_is_wanted() -> None:
    async with browser_hall() as hall:
        page = await hall.person()
        await play_now(page, deal_cut="none", nobody_calls="stick-the-dealer")
        async with asyncio.timeout(120):
            while not await click_unless(page, ".turn.ph-playing .hand .card:not([aria-disabled])"):
                await page.wait_for_timeout(30)
        card = page.locator(".hand .card:not([aria-disabled])").first
        held = await page.locator(".hand .card").count()
        await card.click()
        assert await page.locator(".hand .lifted").count() == 1
        assert await page.locator(".hand .card").count() == held
        await page.context.add_cookies([{"name": "leftbower-preferences", "value": "swift", "url": hall.base}])
        await page.reload()
        await page.locator(".hand .card:not([aria-disabled])").first.click()
        await page.wait_for_function("held => document.querySelectorAll('.hand .card').length < held", arg=held)
        assert hall.wrong == []


async def test_illegal_cards_say_why() -> None:
    async with browser_hall() as hall:
        page = await hall.person()
        await play_now(page)
        async with asyncio.timeout(120):
            while not await page.query_selector(".turn .hand .card[title]"):
                await click(page)
        await page.locator(".turn .hand .card[title]").first.dispatch_event("click")
        await page.wait_for_selector(".notice")
        assert "You must follow suit." in await page.inner_text(".notice")
