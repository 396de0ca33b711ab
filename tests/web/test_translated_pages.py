"""Every text on every page goes through gettext: in a pseudo-language no word stands outside of its brackets."""

import re
from typing import Final

import httpx
import pytest

from benchmarks.pictures import serve_scenes
from benchmarks.scenes import scenes
from leftbower.server.http.middleware import SESSION_COOKIE_NAME
from matrix_world import CALLERS, World, matrix_server
from pseudo_language import pseudo_language, untranslated
from season_world import FIRST, LAST
from web.test_axe import PAGES
from web.test_route_matrix import Row, request_of, rows

NAMES: Final = frozenset(
    [
        *("leftbower", "Friday", "Friday at Ann’s", "NS", "EW"),
        *("Ann", "Bob", "Cat", "Cid", "Dan", "Dot", "Eve", "Fay", "Gus", "Hal"),
        *("Account", "Ellis", "Nora", "Sam", "Wade"),
        *("Tuesday season, fall 2026", "An evening", "KX4 7PN", "CSV", "JSON"),
        *(FIRST + LAST),
    ]
)
"""Names: of the program, of formats, and of people, teams, tables and events in the scenes and the matrix."""
CODE: Final = re.compile(r">[2-9A-HJ-NP-Z]{3} [2-9A-HJ-NP-Z]{3}<")
"""The code of a table, to say aloud."""
AREAS: Final = {"table": "/t/", "event": "/e", "rules": "/rules", "learn": "/learn", "site": "/"}
"""How the paths of each area begin, the first that fits."""


def area_of(path: str) -> str:
    return next(area for area, start in AREAS.items() if path.startswith(start))


@pytest.mark.parametrize("area", ["table", "rules", "learn", "site"])
async def test_no_page_of_a_scene_has_untranslated_text(area: str) -> None:
    played = scenes()
    paths = [path for path in (*PAGES, *(f"/t/{scene.name}" for scene in played)) if area_of(path) == area]
    found: dict[str, str] = {}
    with pseudo_language():
        async with serve_scenes(played) as (base, token), httpx.AsyncClient(base_url=base) as client:
            client.cookies.set(SESSION_COOKIE_NAME, token)
            for path in paths:
                page = await client.get(path, headers={"accept": "text/html"})
                found |= dict.fromkeys(untranslated(CODE.sub("><", page.text), NAMES), path)
    assert found == {}


@pytest.mark.parametrize("area", AREAS)
async def test_no_page_of_a_route_has_untranslated_text(area: str) -> None:
    found: dict[str, str] = {}
    asked: list[Row] = [row for row in rows() if row.is_safe and area_of(row.path) == area]
    with pseudo_language():
        async with matrix_server() as app:
            world = World(app, is_played=True)
            for row in asked:
                for caller in CALLERS:
                    page = await (await request_of(world, row, caller, "cookie")).send("text/html")
                    if page.headers.get("content-type", "").startswith("text/html"):
                        found |= dict.fromkeys(
                            untranslated(CODE.sub("><", page.body.decode()), NAMES), f"{row.path} {caller}"
                        )
    assert found == {}
