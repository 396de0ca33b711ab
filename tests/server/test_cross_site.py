"""A real browser, signed in at our hall, on pages of ours and of others: requests by other pages are refused.

Over plain HTTP under a name that is not loopback, as in a hall, where browsers don't report the site of a page; and
over HTTPS. The others are another site, and the hall's own name on another port or as a parent domain, where the
browser sends our cookie along.
"""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final
from unittest.mock import patch

import pytest
import trustme
import uvicorn
from fastapi import FastAPI
from fastapi.responses import HTMLResponse, Response

from browser import NAMES, chromium, launch_browser
from leftbower.rules import preset
from leftbower.server.app import Application
from server_client import AppServer, listening

pytestmark = pytest.mark.xdist_group("browser")

SCHEMES: Final = ("http", "https")
OTHERS: Final = {"another site": "evil.test", "another port": "hall.test", "a name below": "sub.hall.test"}
SITES_WITH_COOKIE: Final = ("another port", "a name below")

FORMS: Final = {
    "form": {"action": "/api/tokens", "enctype": "application/x-www-form-urlencoded"},
    "form of plain text": {"action": "/api/guests", "enctype": "text/plain", "name": '{"name":"Eve', "value": '"}'},
}
CHANGES: Final = {
    "fetch without cors": "fetch(url('/api/tokens'), {method: 'POST', mode: 'no-cors', credentials: 'include'})",
    "simple fetch": "fetch(url('/api/tokens'), {method: 'POST', body: 'x', credentials: 'include'})",
    "fetch with JSON": """fetch(url('/api/guests'), {method: 'POST', body: '{"name":"Eve"}', credentials: 'include',
        headers: {'Content-Type': 'application/json'}})""",
    "JSON as plain text": """fetch(url('/api/guests'), {method: 'POST', body: '{"name":"Eve"}', mode: 'no-cors',
        credentials: 'include'})""",
    "fetch that hides its page": """fetch(url('/api/tokens'), {method: 'POST', mode: 'no-cors',
        credentials: 'include', referrerPolicy: 'no-referrer'})""",
    "put": """fetch(url('/api/me'), {method: 'PUT', body: '{"name":"Eve"}', credentials: 'include',
        headers: {'Content-Type': 'application/json'}})""",
    "delete": "fetch(url('/api/tables/TABLE/token'), {method: 'DELETE', credentials: 'include'})",
    "beacon": "Promise.resolve(navigator.sendBeacon(url('/api/tokens'), 'x'))",
}
FEED: Final = "/api/tables/TABLE/feed"
FEEDS: Final = {
    "event source": f"""new Promise(done => {{ const feed = new EventSource(url('{FEED}'), {{withCredentials: true}});
        feed.onopen = () => {{ feed.close(); done('open'); }};
        feed.onerror = () => {{ feed.close(); done('error'); }}; }})""",
    "feed as a picture": f"""new Promise(done => {{ const image = new Image(); image.onerror = () => done('error');
        image.onload = () => done('open'); image.src = url('{FEED}');
        setTimeout(() => {{ image.src = 'data:,'; }}, 300); }})""",
    "feed without cors": f"""fetch(url('{FEED}'), {{mode: 'no-cors', credentials: 'include',
        headers: {{Accept: 'text/event-stream'}}, signal: AbortSignal.timeout(300)}})""",
    "feed that hides its page": f"""fetch(url('{FEED}'), {{mode: 'no-cors', credentials: 'include',
        referrerPolicy: 'no-referrer', signal: AbortSignal.timeout(300)}})""",
}
READS: Final = {
    "read": "fetch(url('/api/me'), {credentials: 'include'}).then(answer => answer.text())",
    "script": """new Promise(done => { const script = document.createElement('script');
        script.onload = () => done('open'); script.onerror = () => done('error');
        script.src = url('/api/me'); document.head.append(script); })""",
}
PAGE: Final = """<!doctype html><meta charset=utf-8><title>hall</title><script>window.inline = 1</script>
<script src=/page.js></script><p style="color: red" onclick="window.clicked = 1">hall</p>"""


@dataclass
class SentRequest:
    """A request that reached our server, and the status of its response."""

    method: str
    path: str
    how: str
    headers: dict[str, str]
    status: int = 0

    @property
    def cookie(self) -> bool:
        return "leftbower=" in self.headers.get("cookie", "")


@dataclass
class Visit:
    """The results of everything that a page tried."""

    requests: list[SentRequest] = field(default_factory=list)
    results: dict[str, str] = field(default_factory=dict)
    """What the page itself could observe."""
    before: tuple[int, int, str] = (0, 0, "")
    """People, tokens of the visitor, and the visitor's cookie."""
    after: tuple[int, int, str] = (0, 0, "")
    cookie: dict[str, Any] = field(default_factory=dict)
    page: dict[str, Any] = field(default_factory=dict)

    def of(self, how: str) -> list[SentRequest]:
        return [request for request in self.requests if request.how == how]


Report = dict[tuple[str, str], Visit]


def certificate(folder: Path) -> dict[str, str]:
    """A certificate of an unknown authority; the browser ignores certificate errors."""
    issued = trustme.CA().issue_cert(*NAMES)
    issued.private_key_pem.write_to_path(folder / "key.pem")
    issued.cert_chain_pems[0].write_to_path(folder / "certificate.pem")
    return {"certificate": str(folder / "certificate.pem"), "key": str(folder / "key.pem")}


@asynccontextmanager
async def other_site(files: dict[str, str]) -> AsyncIterator[int]:
    """The port of another server, whose page tries everything."""
    app = FastAPI()
    app.add_api_route("/", lambda: HTMLResponse("<!doctype html><title>other</title>"))
    secret = {"ssl_certfile": files["certificate"], "ssl_keyfile": files["key"]} if files else {}
    config: dict[str, Any] = {"log_config": None, "lifespan": "off", "timeout_graceful_shutdown": 1, **secret}
    server = uvicorn.Server(uvicorn.Config(app, **config))
    with socket.create_server(("127.0.0.1", 0)) as listener:
        task = asyncio.create_task(server._serve([listener]))
        while not server.started:
            await asyncio.sleep(0.01)
        yield listener.getsockname()[1]
        server.should_exit = True
        await task


async def visit(server: AppServer, context: Any, requests: list[SentRequest], page_at: str, hall: str) -> Visit:
    """Sign in at the hall, go to a page, and let it try everything."""
    visit = Visit()
    page = await context.new_page()
    await page.goto(f"{hall}/page")
    visit.page = await page.evaluate("({quiet: window.inline === undefined, ours: window.ours, title: document.title})")
    name = {"name": "Ann"}
    signed = await page.evaluate(
        """name => fetch('/api/guests', {method: 'POST', body: JSON.stringify(name),
            headers: {'Content-Type': 'application/json'}}).then(answer => answer.json())""",
        name,
    )
    table = f"t{signed['person']}"
    await server.context.tables.create(table, signed["person"], preset("club"), "novice")

    async def stored_state() -> tuple[int, int, str]:
        [cookie] = await context.cookies(hall)
        visit.cookie = dict(cookie)
        store = server.context.store
        return len(await store.people()), len(await store.sessions(signed["person"])), cookie["value"]

    visit.before = await stored_state()
    requests.clear()

    def url_of(path: str, how: str) -> str:
        return f"{hall}{path.replace('TABLE', table)}?{how.replace(' ', '-')}"

    await page.goto(page_at)
    for how, script in {**CHANGES, **FEEDS, **READS}.items():
        path = f"const url = path => '{hall}' + path + '?{how.replace(' ', '-')}';"
        tried = f"() => {{ {path} return {script}.then(String, String); }}"
        visit.results[how] = await page.evaluate(tried.replace("TABLE", table))
    for how, form in FORMS.items():
        field = [form["name"], form["value"]] if "name" in form else ["x", "y"]
        async with page.expect_navigation():
            await page.evaluate(
                """([action, enctype, name, value]) => {
                const [form, input] = ['form', 'input'].map(kind => document.createElement(kind));
                Object.assign(form, {method: 'post', action, enctype}); Object.assign(input, {name, value});
                form.append(input); document.body.append(form); form.submit(); }""",
                [url_of(form["action"], how), form["enctype"], *field],
            )
        visit.results[how] = await page.evaluate("document.body.innerText")
        await page.goto(page_at)
    async with page.expect_navigation():
        await page.evaluate("url => { location.href = url; }", url_of("/api/tables/TABLE", "link"))
    visit.results["link"] = await page.evaluate("document.body.innerText")
    await page.goto(page_at)
    await page.evaluate(
        """url => new Promise(done => { const frame = document.createElement('iframe'); frame.onload = done;
        frame.src = url; document.body.append(frame); })""",
        url_of("/page", "frame"),
    )
    visit.results["frame"] = await framed(page)
    visit.requests = list(requests)
    visit.after = await stored_state()
    return visit


async def framed(page: Any) -> str:
    """The address of the last frame of a page, as soon as the browser reports it."""
    async with asyncio.timeout(60):
        while not (where := page.frames[-1].url):
            await asyncio.sleep(0.01)
    return str(where)


async def everywhere(folder: Path) -> Report:
    """One browser, two schemes, four origins."""
    report: Report = {}
    requests: list[SentRequest] = []
    original = Application.__call__

    async def recording(self: Any, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            await original(self, scope, receive, send)
            return
        headers = {name.decode(): value.decode("latin-1") for name, value in scope["headers"]}
        how = scope["query_string"].decode().replace("-", " ")
        requests.append(SentRequest(scope["method"], scope["path"], how, headers))
        this = requests[-1]

        async def sending(message: Any) -> None:
            this.status = message.get("status", this.status)
            await send(message)

        await original(self, scope, receive, sending)

    async with AsyncExitStack() as stack:
        browser = await stack.enter_async_context(launch_browser())
        stack.enter_context(patch.object(Application, "__call__", recording))
        for scheme in SCHEMES:
            files = certificate(folder) if scheme == "https" else {}
            base, server = await stack.enter_async_context(listening(options=files))
            server.app.add_api_route("/page", lambda: HTMLResponse(PAGE))
            server.app.add_api_route("/page.js", lambda: Response("window.ours = 1", media_type="text/javascript"))
            other = await stack.enter_async_context(other_site(files))
            hall = f"{scheme}://hall.test:{base.rpartition(':')[2]}"
            pages = {"the hall": f"{hall}/page"}
            pages |= {name: f"{scheme}://{host}:{other}/" for name, host in OTHERS.items()}
            for name, page_at in pages.items():
                context = await browser.new_context(ignore_https_errors=True)
                report[scheme, name] = await visit(server, context, requests, page_at, hall)
                await context.close()
    return report


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Report:
    """Everything is tried once."""
    chromium()
    return asyncio.run(everywhere(tmp_path_factory.mktemp("certificates")))


@pytest.mark.parametrize("how", [*CHANGES, *FORMS])
@pytest.mark.parametrize("site", OTHERS)
@pytest.mark.parametrize("scheme", SCHEMES)
def test_changes_by_a_page_of_another_site_are_refused(report: Report, scheme: str, site: str, how: str) -> None:
    """With our cookie or without: either the preflight or the request itself is refused."""
    visit = report[scheme, site]
    requests = visit.of(how)
    assert requests, "the browser sent no request"
    for sent in requests:
        assert sent.status == (405 if sent.method == "OPTIONS" else 403), sent
    assert ("sec-fetch-site" in requests[0].headers) == (scheme == "https")
    if requests[0].method != "OPTIONS" and site in SITES_WITH_COOKIE:
        assert requests[0].cookie, "the cookie was not sent, so this proves nothing"


@pytest.mark.parametrize("how", FEEDS)
@pytest.mark.parametrize("site", OTHERS)
@pytest.mark.parametrize("scheme", SCHEMES)
def test_no_feed_is_opened_for_a_page_of_another_site(report: Report, scheme: str, site: str, how: str) -> None:
    """With our cookie, none at all. Without cookie and origin, the request is that of an anonymous spectator."""
    visit = report[scheme, site]
    [request] = visit.of(how)
    assert request.cookie == (site in SITES_WITH_COOKIE)
    has_no_origin = not {"sec-fetch-site", "origin", "referer"} & set(request.headers)
    assert request.status == (200 if has_no_origin and not request.cookie else 403), request
    assert has_no_origin == (scheme == "http" and how == "feed that hides its page")
    assert "open" not in visit.results[how]


@pytest.mark.parametrize("site", OTHERS)
@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_page_of_another_site_changes_and_learns_nothing(report: Report, scheme: str, site: str) -> None:
    """It may link to us, but not show us in a frame."""
    visit = report[scheme, site]
    assert visit.before == visit.after
    assert "Ann" not in "".join(visit.results[how] for how in READS)
    assert visit.results["read"].startswith("TypeError")
    assert visit.results["script"] == "error"
    [link] = visit.of("link")
    assert (link.status, link.cookie) == (200, True)
    assert visit.results["link"].startswith('{"table":')
    assert visit.results["frame"].startswith("chrome-error:")


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_page_of_our_own_is_refused_nothing(report: Report, scheme: str) -> None:
    """None of its requests counts as cross-site, over HTTP or HTTPS."""
    visit = report[scheme, "the hall"]
    for how in [*CHANGES, "form"]:
        [request] = visit.of(how)
        assert request.status in (200, 201, 204, 422), request
        assert ("sec-fetch-site" in request.headers) == (scheme == "https")
    assert [request.status for request in visit.of("event source")] == [200]
    assert visit.results["event source"] == "open"
    assert "Eve" in visit.results["read"]
    assert visit.after[0] > visit.before[0]


@pytest.mark.parametrize("scheme", SCHEMES)
def test_no_inline_script_runs_and_the_cookie_is_http_only(report: Report, scheme: str) -> None:
    visit = report[scheme, "the hall"]
    assert visit.page == {"title": "hall", "ours": 1, "quiet": True}
    for visited in (visit, report[scheme, "another site"]):
        cookie = visited.cookie
        assert (cookie["httpOnly"], cookie["sameSite"], cookie["secure"]) == (True, "Lax", scheme == "https")
