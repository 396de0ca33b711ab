"""Screenshots of the table page in its typical states, in a real browser from a real server."""

import asyncio
import shutil
from collections.abc import AsyncIterator, Callable, Collection, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from time import time
from typing import TYPE_CHECKING, Any, Final

from benchmarks.scenes import NAMES, PEOPLE, VIEWER, Scene, scenes
from leftbower.errors import BadUsage
from leftbower.server.http.middleware import SESSION_COOKIE_NAME
from leftbower.server.live.presence import Timing
from leftbower.server.live.tables import listed_people, listing_of
from leftbower.server.process.run import serve
from leftbower.server.settings import Settings
from leftbower.store import Store, hash_token, open_store
from leftbower.table import Table, apply_fact, table_fact_to_json
from leftbower.web.app import install

if TYPE_CHECKING:
    from playwright.async_api import Browser, BrowserContext

SIZES: Final[Mapping[str, tuple[int, int]]] = {
    "small": (320, 568),
    "phone": (390, 844),
    "tablet": (820, 1180),
    "desktop": (1440, 900),
    "large": (1920, 1080),
    "wall": (3840, 2160),
}
SCHEMES: Final = ("dark", "light")
LOBBIES: Final = frozenset({"lobby", "rules-changed", "match-over", "rematch-over"})
"""Scenes whose page may scroll."""
MEASURE: Final = (Path(__file__).parent / "measure.js").read_text(encoding="utf-8")
"""Runs in a page, given whether it scrolls; lists what is wrong with the layout."""
_NO_TIMEOUTS: Final = Timing(hand_pause=1e6, reconnect_grace=1e6, idle_timeout=1e6, disconnect_delay=1e6)
"""Nothing changes while a picture is taken."""
_FLAGS: Final = ("--no-sandbox", "--disable-quic", "--no-first-run", "--disable-background-networking")


@dataclass(frozen=True, slots=True)
class Picture:
    """A screenshot and what is wrong with its layout."""

    file: Path
    problems: tuple[str, ...]


@asynccontextmanager
async def serve_scenes(served: Sequence[Scene]) -> AsyncIterator[tuple[str, str]]:
    """A server with a table for each scene, named after it; yields its URL and the token of the viewer."""
    with TemporaryDirectory(prefix="leftbower-") as folder:
        address = str(Path(folder) / "scenes.db")
        async with await open_store(address) as store:
            token = await _people(store)
            for scene in served:
                await _write_scene(store, scene)
        async with serve_store(address) as base:
            yield base, token


@asynccontextmanager
async def serve_store(address: str) -> AsyncIterator[str]:
    """A server on a store, in this process, without timeouts; its URL."""
    ready: asyncio.Future[int] = asyncio.get_running_loop().create_future()
    apps: list[Any] = []

    def prepare(app: Any) -> None:
        install(app)
        apps.append(app)

    settings = Settings(port=0, database=address, log_level="error")
    task = asyncio.create_task(serve(settings, started=ready.set_result, prepare=prepare, timing=_NO_TIMEOUTS))

    def ended(task: asyncio.Task[None]) -> None:
        if not ready.done():
            ready.set_exception(task.exception() or RuntimeError("the server has ended"))

    task.add_done_callback(ended)
    try:
        yield f"http://127.0.0.1:{await ready}"
    finally:
        apps[0].state.running.stop()
        await task


async def take_pictures(
    folder: Path,
    sizes: Sequence[str],
    *,
    only: Collection[str] = (),
    schemes: Sequence[str] = SCHEMES,
    progress: Callable[[Picture], None] = lambda picture: None,
) -> list[Picture]:
    """A screenshot of every scene, or of those in `only`, in each size and color scheme, as PNG, with measurements."""
    every = scenes()
    if unknown := set(only) - {scene.name for scene in every}:
        raise BadUsage(f"there is no scene {min(unknown)}; there are {', '.join(scene.name for scene in every)}")
    found = [scene for scene in every if not only or scene.name in only]
    taken: list[Picture] = []
    folder.mkdir(parents=True, exist_ok=True)
    async with serve_scenes(found) as (base, token), open_chromium() as browser:
        for scheme, size in product(schemes, sizes):
            width, height = SIZES[size]
            viewport: Any = {"width": width, "height": height}
            theme: Any = scheme
            context = await browser.new_context(viewport=viewport, color_scheme=theme)
            await sign_in(context, base, token)
            page = await context.new_page()
            for scene in found:
                await page.goto(f"{base}/t/{scene.name}")
                await page.wait_for_timeout(250)
                file = folder / f"{scene.name}-{size}-{scheme}.png"
                await page.screenshot(path=file)
                taken.append(Picture(file, tuple(await page.evaluate(MEASURE, scene.name in LOBBIES))))
                progress(taken[-1])
            await context.close()
    return taken


@asynccontextmanager
async def open_chromium() -> "AsyncIterator[Browser]":
    """The installed Chromium with an empty profile."""
    from playwright.async_api import async_playwright  # noqa: PLC0415

    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=_chromium(), args=_FLAGS)
        try:
            yield browser
        finally:
            await browser.close()


async def sign_in(context: "BrowserContext", base: str, token: str) -> None:
    """Sign a browser in as the viewer of all scenes."""
    await context.add_cookies([{"name": SESSION_COOKIE_NAME, "value": token, "url": base}])


async def _people(store: Store) -> str:
    now = time()
    for person, name in zip(PEOPLE, NAMES, strict=True):
        await store.add_person(person, name, now=now)
    token = "a" * 32
    await store.add_session(hash_token(token), VIEWER, now=now)
    return token


async def _write_scene(store: Store, scene: Scene) -> None:
    table: Table | None = None
    for fact in scene.facts:
        table = apply_fact(table, fact, time())
    assert table is not None
    plain = map(table_fact_to_json, scene.facts)
    await store.append(scene.name, 0, plain, listing=listing_of(table), people=listed_people(table))


def _chromium() -> str:
    found = shutil.which("chromium") or shutil.which("chromium-browser")
    if found is None:
        raise BadUsage("Chromium is not installed (on Debian: apt-get install chromium)")
    return found
