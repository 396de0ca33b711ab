"""axe-core finds no accessibility violation on any page in any state."""

from typing import Any, Final

import pytest
from axe_playwright_python.async_playwright import Axe  # type: ignore[import-untyped]

from benchmarks.pictures import SIZES, serve_scenes, sign_in
from benchmarks.scenes import scenes
from browser import SWAP, launch_browser

pytestmark = pytest.mark.xdist_group("browser")

SCENES: Final = scenes()
PAGES: Final = (
    *(
        "/",
        "/preferences",
        "/nowhere",
        "/account",
        "/t/play/about",
        "/t/play/deal",
        "/t/play/keys",
        "/t/play/leave",
        "/offline",
        "/t/tricks-open/tricks?trick=2",
        "/t/match-over/hands",
        "/t/rematch-over/matches/1",
    ),
    *("/rules", "/rules/school-cup", "/rules/nothing", "/learn", "/learn/3", "/learn/7?action=Ts", "/t/nothing"),
)
WHOLE: Final[dict[str, Any]] = {"resultTypes": ["violations"]}
EVERY: Final = tuple(scene.name for scene in SCENES)
SOME: Final = ("lobby", "bidding", "play", "tricks-open", "dummy", "match-over", "rules-changed", "rematch-over")
"""Together they show every part of the table."""
COLORS: Final[dict[str, Any]] = {**WHOLE, "runOnly": {"type": "rule", "values": ["color-contrast", "target-size"]}}


@pytest.mark.parametrize(
    ("size", "scheme", "options", "scene_names"),
    [("desktop", "dark", WHOLE, EVERY), ("phone", "light", COLORS, SOME)],
    ids=["everything, dark and wide", "colors, light and narrow"],
)
async def test_axe_finds_no_violation_on_any_page_in_any_state(
    size: str, scheme: Any, options: dict[str, Any], scene_names: tuple[str, ...]
) -> None:
    assert await _violations(size, scheme, options, scene_names) == {}


async def _violations(
    size: str, scheme: Any, options: dict[str, Any], scene_names: tuple[str, ...]
) -> dict[str, list[str]]:
    width, height = SIZES[size]
    violations: dict[str, list[str]] = {}
    async with serve_scenes(SCENES) as (base, token), launch_browser() as browser:
        context = await browser.new_context(
            viewport={"width": width, "height": height}, color_scheme=scheme, reduced_motion="reduce"
        )
        await sign_in(context, base, token)
        page = await context.new_page()
        pages = PAGES if options is WHOLE else PAGES[::3]
        for path in (*pages, *(f"/t/{name}" for name in scene_names)):
            if path.removeprefix("/t/") in scene_names and await page.query_selector("#table"):
                await page.evaluate(SWAP, path.removeprefix("/t/"))
            else:
                await page.goto(f"{base}{path}")
            for details in await page.query_selector_all("details"):
                await details.evaluate("details => { details.open = true }")
            if problems := [
                _describe_violation(violation)
                for violation in (await Axe().run(page, options=options)).response["violations"]
            ]:
                violations[path] = problems
    return violations


def _describe_violation(violation: dict[str, Any]) -> str:
    nodes = violation["nodes"]
    return f"{violation['id']}: {nodes[0]['html'][:120]} {nodes[0]['failureSummary'][:300]} ({len(nodes)})"
