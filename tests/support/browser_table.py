"""People at a table in a real browser, using mouse, touch, keyboard or forms."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Final

from browser import launch_browser
from leftbower.rules import preset
from leftbower.rules.formats import from_json, to_json, to_link
from leftbower.web.app import install
from server_client import AppServer, listening, seeded

DESKTOP: Final[Any] = {"width": 1280, "height": 800}
SMALL: Final[Any] = {"width": 400, "height": 600}
"""Renders faster; for tests in which the size doesn't matter."""
PHONE: Final[Any] = {"width": 390, "height": 844}
PageAction = Callable[[Any], Awaitable[None]]
OFFERED: Final = (
    ".turn .suits:not(:has(:checked)) label, .turn :is(.panel, .moment) button:not([data-picks]),"
    " .turn:has(.pick :checked) [data-picks], .turn:not(:has(.pick :checked)) .pick:has(:enabled),"
    " .turn .hand button.card:not([aria-disabled]), .ph-over .agree .go"
)


@dataclass
class BrowserHall:
    """A server, a browser, and the problems: errors, blocked styles or scripts, requests to other sites."""

    base: str
    server: AppServer
    browser: Any
    wrong: list[str] = field(default_factory=list)

    async def person(self, **context: Any) -> Any:
        """The home page in a new browser profile."""
        browser_context = await self.browser.new_context(**{"viewport": SMALL, "reduced_motion": "reduce", **context})
        page = await browser_context.new_page()
        page.set_default_timeout(60_000)
        self.watch(page)
        await page.goto(f"{self.base}/")
        return page

    def watch(self, page: Any) -> None:
        """Record problems in a page; a 409 for a stale click is none."""
        page.on("console", self._on_console)
        page.on("pageerror", lambda error: self.wrong.append(str(error)))
        page.on(
            "request", lambda request: None if request.url.startswith(self.base) else self.wrong.append(request.url)
        )

    def _on_console(self, message: Any) -> None:
        if message.type in ("error", "warning") and "409 (Conflict)" not in message.text:
            self.wrong.append(message.text)


@asynccontextmanager
async def browser_hall(**settings: Any) -> AsyncIterator[BrowserHall]:
    """A server with pages on a real port, and a browser; the same deals in every run."""
    async with listening(**{"entropy": seeded(1), **settings}) as (base, server), launch_browser() as browser:
        install(server.app)
        yield BrowserHall(base, server, browser)


async def choose_rules(page: Any, action: str, sheet: str, **changes: Any) -> None:
    """Select rules in a form of the home page: one game to five points by a sheet, with changes."""
    short = {"target": 5, "best_of": 1, **changes}
    link = to_link(from_json({**to_json(preset(sheet)), **short}))
    await page.eval_on_selector(
        f"form[action='{action}'] [name=rules]",
        "(list, link) => { list.append(new Option('ours', link)); list.value = link; }",
        link,
    )


async def play_now(page: Any, sheet: str = "club", **changes: Any) -> None:
    """Open a table with bots by the button on the home page."""
    await choose_rules(page, "/play", sheet, **changes)
    await page.eval_on_selector("form[action='/play'] [name=level]", "list => { list.value = 'novice' }")
    await page.click("text=Play now")
    await page.wait_for_selector("#table")


async def add_bot(page: Any) -> None:
    """Seat a bot on a free chair and wait until the page shows it."""
    chairs = await page.locator(".chairs li.free").count()
    await page.locator("text=Add a bot").first.click()
    await page.wait_for_function("count => document.querySelectorAll('.chairs li.free').length < count", arg=chairs)


async def until_over(page: Any, act: PageAction, *, seconds: float = 180.0) -> None:
    """Repeat an action until the match is over."""
    async with asyncio.timeout(seconds):
        while await page.query_selector(".over") is None:
            await act(page)


_ACT: Final = """
    const picks = Number(document.querySelector('[data-picks]')?.dataset.picks ?? 0);
    [...document.querySelectorAll('.pick input:enabled')].slice(0, picks).forEach(box => { box.checked = true });
    const target = wanted?.() ?? document.querySelector(offered);
    const press = () => target.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true, detail: 1 }));
    if (target) press();
    if (target?.matches('.lifted')) press();
"""
"""Click the first control offered, or what `wanted` returns; a card is lifted, then played."""


async def click(page: Any) -> None:
    """Click the first control offered."""
    await page.evaluate(f"offered => {{ const wanted = null; {_ACT} }}", OFFERED)
    await page.wait_for_timeout(15)


async def click_unless(page: Any, stop: str) -> bool:
    """Click the first control offered unless the page has `stop`; in one script, because the page may change in
    between."""
    script = f"([offered, stop]) => {{ if (document.querySelector(stop)) return true; const wanted = null; {_ACT} }}"
    found = await page.evaluate(script, [OFFERED, stop])
    await page.wait_for_timeout(15)
    return bool(found)


async def play_on(page: Any, wanted: str = "null", *, seconds: float = 180.0) -> list[str]:
    """Play in the page itself until the match is over; returns the referee's sentences."""
    script = f"""async offered => {{
        const ruled = new Set(), wanted = {wanted};
        while (!document.querySelector('.over')) {{
            {_ACT}
            for (const said of document.querySelectorAll('.ruling p')) ruled.add(said.textContent);
            await new Promise(done => setTimeout(done, 12));
        }}
        return [...ruled];
    }}"""
    async with asyncio.timeout(seconds):
        return list(await page.evaluate(script, OFFERED))


async def keys(page: Any) -> None:
    """Use the first control offered by keyboard alone: a letter for a button, a number and Enter for a card."""
    key = await page.evaluate(
        """() => {
            const suit = document.querySelector('.turn .suits:not(:has(:checked)) input');
            const key = (suit ?? document.querySelector(".turn :is(.panel, .moment) button[data-key]"))?.dataset.key;
            const card = document.querySelector('.turn .hand .card:not([aria-disabled])');
            if (!key && document.querySelector('.suits :checked')) return 'Enter';
            return key ?? (card ? String([...document.querySelectorAll('.hand .card')].indexOf(card) + 1) : '');
        }"""
    )
    if key:
        await page.keyboard.press(key)
        if key.isdigit():
            await page.keyboard.press("Enter")
    await page.wait_for_timeout(15)
