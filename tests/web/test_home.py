"""The home page: one click to the first bid, last games with their results, and tables by a code said aloud."""

import re
from typing import Final

import pytest

from browser_table import PHONE, browser_hall
from leftbower.server.http.rate_limit import RateLimit
from leftbower.server.live.tables import join_code
from leftbower.store.memory import MemoryStore
from leftbower.web.app import install
from server_client import FAST, free_limits, play_on, seated, seeded, serving

WINDOWS: Final = ((320, 568), (390, 844), (820, 1180), (1440, 900), (1920, 1080))
_IN_BROWSER: Final = pytest.mark.xdist_group("browser")


@_IN_BROWSER
async def test_from_the_home_page_to_the_first_bid_is_one_click() -> None:
    async with browser_hall() as hall:
        page = await hall.person(viewport=PHONE)
        await page.click("text=Play now")
        await page.wait_for_selector("#table.turn")
        assert await page.query_selector(".panel") is not None
        assert hall.wrong == []


async def test_a_code_leads_to_the_table_and_guesses_are_limited() -> None:
    """However it is typed; it is no part of the table's address."""
    async with serving(MemoryStore(), limits=free_limits(join_codes=RateLimit(4, 0.0001))) as server:
        install(server.app)
        host = await server.guest("Ann")
        table = await host.open()
        code = join_code(table)
        assert re.fullmatch(r"[2-9A-HJ-NP-Z]{6}", code)
        assert code.lower() not in table
        for typed in (code, f"{code[:3].lower()} {code[3:].lower()}"):
            found = await server.http.get("/join", params={"code": typed})
            assert (found.status_code, found.headers["location"]) == (303, f"/t/{table}")
        wrong = await server.http.get("/join", params={"code": "AAAAAA"})
        assert wrong.status_code == 404
        assert "No table has this code" in wrong.text
        statuses = [(await server.http.get("/join", params={"code": "AAAAAA"})).status_code for _ in range(3)]
        assert statuses == [404, 429, 429]
        assert (await server.http.get("/join")).status_code == 200


def _texts(html: str, css_class: str) -> list[str]:
    found = re.findall(rf'class="{css_class}[^"]*"[^>]*>(.*?)</', html)
    return [re.sub(r"<[^>]+>", "", text) for text in found]


async def test_last_games_have_date_result_and_opponents() -> None:
    async with serving(MemoryStore(), entropy=seeded(41), bot_delay=0.0) as server:
        install(server.app)
        ann = await server.guest("Ann")
        table = await seated(ann, bots="ESW", **FAST)
        assert "In play" in await ann.call("GET", "/")
        await play_on([ann], table)
        page = await ann.call("GET", "/")
        [score] = _texts(page, "res")
        assert re.fullmatch(r"\d+–\d+", score)
        assert "vs. " in page
        assert re.search(r'<time datetime="\d{4}-\d\d-\d\d">[A-Z][a-z]{2} \d', page)


async def test_links_have_a_preview_for_messengers() -> None:
    """An image with an absolute address, made from the public one, of the usual size."""
    async with serving(MemoryStore()) as server:
        install(server.app)
        host = await server.guest("Ann")
        table = await host.open()
        for path, title in (("/", "Euchre the way"), (f"/t/{table}", "Euchre")):
            page = (await server.http.get(path)).text
            assert f'property="og:title" content="{title}' in page
            assert 'property="og:description" content="' in page
            [image] = re.findall(r'property="og:image" content="([^"]+)"', page)
            base, _, static = image.partition("/static/")
            assert base.startswith("http")
            png = (await server.http.get(f"/static/{static}")).content
            assert png[:8] == b"\x89PNG\r\n\x1a\n"
            assert (int.from_bytes(png[16:20], "big"), int.from_bytes(png[20:24], "big")) == (1200, 630)
            assert len(png) < 150_000


@_IN_BROWSER
async def test_a_friend_sits_down_by_link_with_a_name_and_two_taps() -> None:
    """The link, a name, "Sit here", "Ready"; no page is wider than its window on the way, by day or by night."""
    async with browser_hall() as hall:
        ann, bob = await hall.person(), await hall.person(viewport=PHONE)
        await ann.fill("form[action='/tables'] [name=name]", "Ann")
        await ann.click("button:has-text('Open a table')")
        await ann.wait_for_selector(".chairs")
        await bob.goto(ann.url)
        chair = bob.locator(".chairs .free").first
        await chair.locator("[name=name]").fill("Bob")
        await chair.locator("text=Sit here").click()
        await bob.wait_for_selector(".chairs .mine")
        await bob.click("button:has-text('Ready')")
        await bob.wait_for_selector(".chairs .mine .ready")
        for path in ("/", "/join", "/preferences", "/events", ann.url.removeprefix(hall.base)):
            await bob.goto(f"{hall.base}{path}")
            for scheme in ("light", "dark"):
                await bob.emulate_media(color_scheme=scheme)
                for width, height in WINDOWS:
                    await bob.set_viewport_size({"width": width, "height": height})
                    assert await bob.evaluate("document.documentElement.scrollWidth") <= width, (path, width)
        assert hall.wrong == []
