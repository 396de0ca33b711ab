"""People at a table in a real browser: they look at the page, and do what it offers, by mouse, touch, keys or forms."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Final

from browser import launch_browser
from leftbower.rules import preset
from leftbower.rules.formats import from_json, to_json, to_link
from leftbower.web.app import install
from server_client import AppServer, listening

DESKTOP: Final[Any] = {"width": 1280, "height": 800}
SMALL: Final[Any] = {"width": 400, "height": 600}
"""Soon painted, where it does not matter how large a window is."""
PHONE: Final[Any] = {"width": 390, "height": 844}
QUICK: Final[dict[str, Any]] = {"bot_delay": 0.0, "hand_pause": 0.0}
Acting = Callable[[Any], Awaitable[None]]
OFFERED: Final = (
    ".turn .panel button.go, .turn .panel button, .turn .hand button.card:not([aria-disabled]), .ph-over .agree .go"
)


@dataclass
class BrowserHall:
    """A server, a browser, and what went wrong in it: errors, refused styles or scripts, requests to anybody else."""

    base: str
    server: AppServer
    browser: Any
    wrong: list[str] = field(default_factory=list)

    async def person(self, **context: Any) -> Any:
        """A page of somebody with a browser of their own, at home."""
        seen = await self.browser.new_context(**{"viewport": SMALL, "reduced_motion": "reduce", **context})
        page = await seen.new_page()
        page.set_default_timeout(60_000)
        self.watch(page)
        await page.goto(f"{self.base}/")
        return page

    def watch(self, page: Any) -> None:
        """Note whatever goes wrong in a page; a stale click is told to whoever clicked, and is not wrong."""
        page.on("console", self._noted)
        page.on("pageerror", lambda error: self.wrong.append(str(error)))
        page.on("request", lambda asked: None if asked.url.startswith(self.base) else self.wrong.append(asked.url))

    def _noted(self, said: Any) -> None:
        if said.type in ("error", "warning") and "409 (Conflict)" not in said.text:
            self.wrong.append(said.text)


@asynccontextmanager
async def browser_hall(**settings: Any) -> AsyncIterator[BrowserHall]:
    """A server with pages behind a real port, and a browser."""
    async with listening(**{**QUICK, **settings}) as (base, server), launch_browser() as browser:
        install(server.app)
        yield BrowserHall(base, server, browser)


async def choose_rules(page: Any, action: str, sheet: str, **changes: Any) -> None:
    """Have a form of the home page ask for one game to five points by a sheet, and what else is changed of it."""
    short = {"target": 5, "best_of": 1, **changes}
    link = to_link(from_json({**to_json(preset(sheet)), **short}))
    await page.eval_on_selector(
        f"form[action='{action}'] [name=rules]",
        "(list, link) => { list.append(new Option('ours', link)); list.value = link; }",
        link,
    )


async def play_now(page: Any, sheet: str = "club", **changes: Any) -> None:
    """A table with bots, by the button on the home page."""
    await choose_rules(page, "/play", sheet, **changes)
    await page.select_option("form[action='/play'] [name=level]", "novice")
    await page.click("text=Deal the cards")
    await page.wait_for_selector("#table")


async def until_over(page: Any, act: Acting, *, seconds: float = 180.0) -> None:
    """Do whatever is offered until the match is over."""
    async with asyncio.timeout(seconds):
        while await page.query_selector(".over") is None:
            await act(page)


_ACT: Final = """
    const picks = Number(document.querySelector('[data-picks]')?.dataset.picks ?? 0);
    [...document.querySelectorAll('.pick input')].slice(0, picks).forEach(one => { one.checked = true });
    const one = wanted?.() ?? document.querySelector(offered);
    const press = () => one.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true, detail: 1 }));
    if (one) press();
    if (one?.matches('.lifted')) press();
"""
"""The first thing that is offered, or what somebody wants, as a mouse does it: a card is lifted, then played."""


async def click(page: Any) -> None:
    """Do the first thing that is offered."""
    await page.evaluate(f"offered => {{ const wanted = null; {_ACT} }}", OFFERED)
    await page.wait_for_timeout(15)


async def click_unless(page: Any, shown: str) -> bool:
    """Do the first thing that is offered, unless this is shown: in one step, for the page may change in between."""
    doing = f"([offered, shown]) => {{ if (document.querySelector(shown)) return true; const wanted = null; {_ACT} }}"
    found = await page.evaluate(doing, [OFFERED, shown])
    await page.wait_for_timeout(15)
    return bool(found)


async def play_on(page: Any, wanted: str = "null", *, seconds: float = 180.0) -> list[str]:
    """Do whatever is offered until the match is over, in the page itself; what the referee said meanwhile."""
    playing = f"""async offered => {{
        const ruled = new Set(), wanted = {wanted};
        while (!document.querySelector('.over')) {{
            {_ACT}
            for (const said of document.querySelectorAll('.ruling p')) ruled.add(said.textContent);
            await new Promise(done => setTimeout(done, 12));
        }}
        return [...ruled];
    }}"""
    async with asyncio.timeout(seconds):
        return list(await page.evaluate(playing, OFFERED))


async def keys(page: Any) -> None:
    """The same by keys alone: a letter for a button, the arrow and Enter for a card."""
    asked = await page.evaluate(
        """() => {
            const key = document.querySelector('.turn .panel button[data-key]')?.dataset.key;
            const card = document.querySelector('.turn .hand .card:not([aria-disabled])');
            return key ?? (card ? String([...document.querySelectorAll('.hand .card')].indexOf(card) + 1) : '');
        }"""
    )
    if asked:
        await page.keyboard.press(asked)
        if asked.isdigit():
            await page.keyboard.press("Enter")
    await page.wait_for_timeout(15)
