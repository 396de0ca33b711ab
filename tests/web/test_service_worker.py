"""The service worker keeps static files and the offline page, never a page of a game; the manifest can be installed."""

from typing import Any

import pytest

from browser_table import OFFERED, browser_hall, click, play_now
from leftbower.store.memory import MemoryStore
from leftbower.web.app import install
from leftbower.web.static_files import fingerprint, static_files
from server_client import serving

pytestmark = pytest.mark.xdist_group("browser")

CACHED = """async () => {
  const names = await caches.keys();
  const lists = await Promise.all(names.map(async name => (await caches.open(name)).keys()));
  return [names, lists.flat().map(request => new URL(request.url).pathname)];
}"""


async def test_the_shell_is_kept_and_no_page_of_a_game() -> None:
    async with browser_hall() as hall:
        page = await hall.person()
        await play_now(page, "club", deal_cut="none")
        await page.wait_for_selector(OFFERED)
        await page.keyboard.press("p")  # the first tap or key installs it
        await page.wait_for_function("() => navigator.serviceWorker.controller")
        await page.reload()
        await page.wait_for_selector(OFFERED)
        await click(page)
        names, paths = await page.evaluate(CACHED)
        assert names == [fingerprint()]
        assert "/offline" in paths
        assert f"/static/{fingerprint()}/table.mjs" in paths
        assert all(path == "/offline" or path.startswith(f"/static/{fingerprint()}/") for path in paths)
        await page.context.set_offline(True)
        await page.reload()
        assert await page.inner_text("h1") == "No connection"
        await page.context.set_offline(False)
        await page.click("text=Try again")
        await page.wait_for_selector("#table")
        assert [line for line in hall.wrong if "ERR_INTERNET_DISCONNECTED" not in line] == []


async def test_turn_notifications_are_asked_for_on_a_tap_and_come_when_the_page_is_hidden() -> None:
    async with browser_hall() as hall:
        page = await hall.person(permissions=["notifications"])
        await page.add_init_script(
            """(() => {
                window.asked = 0;
                Notification.requestPermission = async () => { window.asked++; return 'granted'; };
                ServiceWorkerRegistration.prototype.showNotification = function (title, options) {
                    (window.notes ??= []).push([title, options.body]);
                };
            })()"""
        )
        await play_now(page, "club", deal_cut="none")
        await page.wait_for_selector(OFFERED)
        await page.keyboard.press("Escape")
        await page.wait_for_function("() => document.querySelector('[data-notify]').hidden === false")
        assert await page.evaluate("window.asked") == 0
        await page.evaluate("document.querySelector('[data-notify]').click()")
        await page.wait_for_selector("[data-notify][aria-pressed=true]", state="attached")
        assert await page.evaluate("window.asked") == 1
        await page.wait_for_function("() => navigator.serviceWorker.controller")
        await page.evaluate("Object.defineProperty(document, 'hidden', { value: true })")
        await page.keyboard.press("p")
        await page.wait_for_function("() => window.notes")
        [[title, body], *_] = await page.evaluate("window.notes")
        assert "Your turn" in title
        assert "Your turn" in body
        assert hall.wrong == []


async def test_the_worker_may_fetch_and_the_manifest_names_icons_that_exist() -> None:
    async with serving(MemoryStore()) as server:
        install(server.app)
        worker = await server.http.get("/service-worker.mjs")
        assert worker.headers["content-type"].startswith("text/javascript")
        assert "connect-src 'self'" in worker.headers["content-security-policy"]
        manifest: Any = (await server.http.get("/static/app.webmanifest")).json()
        assert {icon["src"] for icon in manifest["icons"]} <= static_files().keys()
        assert {"192x192", "512x512"} <= {icon["sizes"] for icon in manifest["icons"]}
        assert manifest["display"] == "standalone"
