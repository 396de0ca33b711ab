"""Pages other than the table, over HTTP: their content, their refusals, and escaped names."""

import re
from collections.abc import AsyncIterator, Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from fastapi.routing import APIRoute

from benchmarks.scenes import NAMES, PEOPLE, VIEWER, scenes
from leftbower.errors import BadName
from leftbower.printing import PaperSize, css
from leftbower.server.people.sanitize import clean_name
from leftbower.store import hash_token
from leftbower.store.memory import MemoryStore
from leftbower.table import DELAY_FACTORS, Created, apply_fact, table_fact_to_json
from leftbower.web.app import ROUTERS, install
from leftbower.web.preferences import PREFERENCES
from leftbower.web.responses import MESSAGES
from leftbower.web.static_files import static_files, static_url
from payloads import MARKUP, SCRIPT, everything
from server_client import AppServer, serving

SCENES = {scene.name: scene.facts for scene in scenes()}
TOKEN = "viewer"
TITLE = "<b onload=alert(1)>\"'&amp;"
STATIC = Path(__file__).parents[2] / "src" / "leftbower" / "web" / "static"
STILL: Any = {"hand_pause": 1e6, "reconnect_grace": 1e6, "idle_timeout": 1e6, "disconnect_delay": 1e6}
WICKED = [*MARKUP[::5], *SCRIPT[::4], *list(everything())[::25], "{{ 7 * 7 }}{% raw %}", "</main></body><h1>gone"]


class Tags(HTMLParser):
    """The elements of a page with their attribute names, and its text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, tuple[str, ...]]] = []
        self.text = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, tuple(name for name, _ in attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data


async def seated(server: AppServer) -> None:
    """Store every scene, at tables with a title that is markup."""
    install(server.app)
    store = server.context.store
    for person, name in zip(PEOPLE, NAMES, strict=True):
        await store.add_person(person, name, now=1.0)
    await store.add_session(hash_token(TOKEN), VIEWER, now=1.0)
    for name, (created, *rest) in SCENES.items():
        assert isinstance(created, Created)
        facts = [Created(person=created.person, rules=created.rules, bot_level=created.bot_level, title=TITLE), *rest]
        table = None
        for fact in facts:
            table = apply_fact(table, fact, 1.0)
        await store.append(name, 0, map(table_fact_to_json, facts))


async def page(server: AppServer, path: str, *, status: int = 200, token: str = TOKEN, **more: Any) -> str:
    headers = {"Cookie": f"leftbower={token}"} if token else {}
    response = await server.http.request(
        more.pop("method", "GET"), path, headers=headers | more.pop("headers", {}), **more
    )
    assert response.status_code == status, (path, response.status_code, response.text[:300])
    return response.text


PATHS = (
    *("/t/lobby", "/t/bidding", "/t/play", "/t/dispute", "/t/claim", "/t/match-over", "/t/rematch-over"),
    *("/t/play/about", "/t/match-over/hands", "/t/rematch-over/matches/1", "/account", "/t/play/hint", "/"),
)


async def test_names_and_titles_are_text_on_every_page() -> None:
    """A page with hostile names has the same elements and attributes as one with plain names, and shows them."""
    async with serving(MemoryStore(), **STILL) as server:
        await seated(server)
        await page(
            server, "/t/play/commands", method="POST", status=303, data={"command": "allow-hints", "allowed": "true"}
        )
        good = {path: Tags(await page(server, path)).tags for path in PATHS}
        named = [payload for payload in WICKED if await rename_all(server, payload)]
        assert len(named) > 20
        for payload in named:
            await rename_all(server, payload)
            for path in PATHS:
                hostile = Tags(await page(server, path))
                assert hostile.tags == good[path], (payload, path)
                assert path in ("/t/play/hint", "/") or clean_name(payload) in hostile.text, (payload, path)
                assert path in PATHS[-6:] or TITLE in hostile.text


async def rename_all(server: AppServer, payload: str) -> bool:
    """Rename every person; False if the name is refused."""
    try:
        for person in PEOPLE:
            await server.context.people.rename(person, payload)
    except BadName:
        return False
    return True


async def test_roots_are_shown_with_a_deal_and_with_a_finished_match() -> None:
    async with serving(MemoryStore(), **STILL) as server:
        await seated(server)
        playing, over, rematched = [
            await server.context.tables.get(name) for name in ("play", "match-over", "rematch-over")
        ]
        assert playing.opening is not None
        assert playing.sealed_deck is not None
        text = Tags(await page(server, "/t/play/deal")).text
        assert playing.opening.root in text
        assert playing.sealed_deck.root in text
        assert "over the whole match" not in text
        for path in ("/t/match-over/deal", "/t/match-over/hands", "/t/match-over/matches/1"):
            assert len(over.final_root) == 64
            assert over.final_root in Tags(await page(server, path)).text
        first = rematched.matches.finished[0].final_root
        assert first in Tags(await page(server, "/t/rematch-over/matches/1")).text
        assert "--root" not in Tags(await page(server, "/t/play/hands")).text


async def test_unknown_pages_are_404_pages_with_a_sentence() -> None:
    async with serving(MemoryStore(), **STILL) as server:
        await seated(server)
        for path in ("/t/nothing", "/t/nothing/deal", "/nowhere", "/static/secrets.txt", "/static/%00", "/t/%00"):
            text = await page(server, path, status=404, headers={"Accept": "text/html"})
            assert "<h1>Page not found</h1>" in text
            assert 'href="/"' in text
        assert "unknown-table" in await page(server, "/t/nothing", status=404, headers={"Accept": "application/json"})
        assert "not-found" in await page(server, "/api/nowhere", status=404, headers={"Accept": "text/html"})


async def in_chunks() -> AsyncIterator[bytes]:
    yield b"x" * 9000


@pytest.mark.parametrize(
    ("status", "code", "request_line", "headers", "content"),
    [
        (403, "cross-site", "POST /play", {"Origin": "http://evil.test"}, lambda: b""),
        (413, "too-large", "POST /play", {}, lambda: b"x" * 9000),
        (413, "too-large", "POST /play", {}, in_chunks),
        (400, "bad-host", "GET /", {"Host": "a b"}, lambda: b""),
        (405, "wrong-method", "DELETE /preferences", {}, lambda: b""),
        (404, "not-found", "GET /nowhere", {}, lambda: b""),
    ],
)
async def test_an_error_outside_of_a_route_is_a_page_for_a_browser_and_json_for_a_program(
    status: int, code: str, request_line: str, headers: dict[str, str], content: Callable[[], Any]
) -> None:
    """Of a middleware, of the router, or of reading the body; `Allow` has every method of the path."""
    method, path = request_line.split()
    async with serving(MemoryStore(), **STILL) as server:
        install(server.app)
        pages, data = [
            await server.http.request(method, path, headers=headers | {"Accept": accept}, content=content())
            for accept in ("text/html,*/*", "application/json")
        ]
        assert (pages.status_code, data.status_code) == (status, status)
        assert f"<h1>{'Page not found' if status == 404 else 'That didn&#39;t work'}</h1>" in pages.text
        assert data.json()["error"]["code"] == code
        for response in (pages, data):
            assert response.headers.get("allow") == ("GET, POST" if status == 405 else None)


@pytest.mark.parametrize("range_header", ["bytes=x", "lines=0-5", "bytes=0-5", "bytes=99999999-", "bytes=0-1,3-4"])
async def test_a_static_file_is_sent_whole_whatever_the_range(range_header: str) -> None:
    async with serving(MemoryStore(), **STILL) as server:
        install(server.app)
        response = await server.http.get("/static/feed.mjs", headers={"Range": range_header})
        assert (response.status_code, response.content) == (200, (STATIC / "feed.mjs").read_bytes())
        assert response.headers["accept-ranges"] == "none"


async def test_static_files_have_their_type_and_are_sent_again_only_if_changed() -> None:
    """Each name is fixed, so a browser asks again after a minute, and gets 304 for a file that is the same."""
    types = {
        ".css": "text/css; charset=utf-8",
        ".mjs": "text/javascript; charset=utf-8",
        ".png": "image/png",
        ".svg": "image/svg+xml",
        ".txt": "text/plain; charset=utf-8",
        ".webmanifest": "application/manifest+json",
    }
    async with serving(MemoryStore()) as server:
        install(server.app)
        for path in STATIC.iterdir():
            response = await server.http.get(f"/static/{path.name}")
            assert (response.status_code, response.content) == (200, path.read_bytes())
            assert response.headers["content-type"] == types[path.suffix]
            assert response.headers.get_list("cache-control") == ["max-age=60"]
            etag = {"If-None-Match": response.headers["etag"]}
            repeated = await server.http.get(f"/static/{path.name}", headers=etag)
            assert (repeated.status_code, repeated.content) == (304, b"")
            assert repeated.headers.get_list("cache-control") == ["max-age=60"]
        for size in PaperSize:
            response = await server.http.get(f"/static/print-{size.value}.css")
            assert (response.text, response.headers["content-type"]) == (css(size), types[".css"])
            assert response.headers.get_list("cache-control") == ["max-age=60"]


async def test_a_fingerprinted_file_is_compressed_and_cached_for_a_year() -> None:
    async with serving(MemoryStore()) as server:
        install(server.app)
        for name, content in static_files().items():
            response = await server.http.get(static_url(name))
            assert (response.status_code, response.content) == (200, content)
            assert response.headers["cache-control"] == "public, max-age=31536000, immutable"
            assert response.headers["vary"] == "Accept-Encoding"
            is_large = len(content) >= 1000
            assert response.headers.get("content-encoding") == ("gzip" if is_large else None)
            plain = await server.http.get(static_url(name), headers={"Accept-Encoding": "identity"})
            assert (plain.content, plain.headers.get("content-encoding")) == (content, None)
        old = await server.http.get("/static/0123456789ab/base.css")
        assert (old.status_code, old.headers["cache-control"]) == (200, "max-age=60")
        assert (await server.http.get("/static/0123456789ab/secrets.txt")).status_code == 404


@pytest.mark.parametrize(
    ("headers", "is_compressed"),
    [
        ({"Accept-Encoding": "gzip"}, True),
        ({"Accept-Encoding": "br, GZIP;q=0.5, *;q=0"}, True),
        ({"Accept-Encoding": "gzip;q=0, identity"}, False),
        ({"Accept-Encoding": "identity, gzip; q=0.000"}, False),
        ({"Accept-Encoding": "x-gzip"}, False),
        ({"Accept-Encoding": "gzip", "Sec-Fetch-Site": "cross-site"}, False),
    ],
)
async def test_a_page_is_compressed_for_those_who_ask(headers: dict[str, str], is_compressed: bool) -> None:
    async with serving(MemoryStore()) as server:
        install(server.app)
        response = await server.http.get("/", headers=headers)
        assert (response.headers.get("content-encoding") == "gzip") is is_compressed
        assert "Play now" in response.text
        assert response.headers["vary"] == "Accept-Encoding"


@pytest.mark.parametrize(
    ("path", "content_type"),
    [
        ("/favicon.ico", "image/svg+xml"),
        ("/apple-touch-icon.png", "image/png"),
        ("/robots.txt", "text/plain; charset=utf-8"),
    ],
)
async def test_files_that_browsers_look_for_are_there(path: str, content_type: str) -> None:
    async with serving(MemoryStore()) as server:
        install(server.app)
        response = await server.http.get(path)
        assert (response.status_code, response.headers["content-type"]) == (200, content_type)


async def test_a_form_that_comes_too_late_shows_the_table_as_it_stands() -> None:
    async with serving(MemoryStore(), **STILL) as server:
        await seated(server)
        text = await page(server, "/t/play/actions", method="POST", status=409, data={"version": "2", "action": "p"})
        assert MESSAGES["stale"] in text
        assert 'class="hand' in text
        text = await page(server, "/t/play/actions", method="POST", status=422, data={"action": "p"})
        assert "The form has no version." in text


async def test_a_spectator_can_take_a_bots_seat() -> None:
    async with serving(MemoryStore(), **STILL) as server:
        install(server.app)
        ann = await server.guest("Ann")
        table = await ann.open(rules="club")
        await ann.command(table, "sit", seat="S")
        for seat in "NEW":
            await ann.command(table, "seat-bot", seat=seat, level="novice")
        await ann.command(table, "agree")
        text = await page(server, f"/t/{table}", token="")
        assert "You’re watching." in text
        assert text.count("Sit for ") == 3
        response = await server.http.post(f"/t/{table}/commands", data={"command": "sit", "seat": "N", "name": "Bob"})
        assert response.status_code == 303
        later = await page(server, f"/t/{table}", token=response.cookies["leftbower"])
        assert "You’re in from the next hand." in later


async def test_a_full_table_can_be_watched() -> None:
    async with serving(MemoryStore(), **STILL) as server:
        install(server.app)
        ann = await server.guest("Ann")
        table = await ann.open(rules="club2")
        await ann.command(table, "sit", seat="S")
        await ann.command(table, "seat-bot", seat="N", level="novice")
        assert "All seats are taken. You can watch." in await page(server, f"/t/{table}", token="")
        late = {"command": "sit", "seat": "N", "name": "Eve"}
        refused = await page(server, f"/t/{table}/commands", method="POST", token="", status=409, data=late)
        assert MESSAGES["seat-taken"] in refused


async def test_a_look_is_kept_in_a_cookie_and_never_leads_elsewhere() -> None:
    async with serving(MemoryStore()) as server:
        install(server.app)
        chosen = {"theme": "light", "suits": "four", "cards": "usual", "guard": "swift", "sound": "nonsense"}
        response = await server.http.post("/preferences", data=chosen | {"back": "/learn"})
        assert (response.status_code, response.headers["location"]) == (303, "/learn")
        assert response.cookies["leftbower-preferences"] == "four.light.swift"
        text = await page(
            server, "/preferences", token="", headers={"Cookie": "leftbower-preferences=four.light.swift.<b>"}
        )
        assert '<html lang="en" class="four light swift">' in text
        assert all(option.question in text for option in PREFERENCES)
        for elsewhere in ("//evil.test", "https://evil.test", "/\\evil.test", ""):
            response = await server.http.post("/preferences", data={"back": elsewhere})
            assert response.headers["location"] == "/"


async def test_hints_are_for_players_alone_or_if_the_host_allows_them() -> None:
    async with serving(MemoryStore(), **STILL) as server:
        await seated(server)
        assert MESSAGES["no-hints"] in await page(server, "/t/play/hint", status=409)
        await page(
            server, "/t/play/commands", method="POST", status=303, data={"command": "allow-hints", "allowed": "true"}
        )
        text = await page(server, "/t/play/hint")
        assert "<summary>Why?</summary>" in text
        assert "To win" in text.partition("<summary>Why?</summary>")[2]
        assert "ways the other cards may lie" in text


async def test_only_the_host_sets_the_tempo_of_the_bots() -> None:
    async with serving(MemoryStore(), **STILL) as server:
        await seated(server)
        assert "Host settings" in await page(server, "/t/play/about")
        await page(
            server, "/t/play/commands", method="POST", status=303, data={"command": "set-tempo", "tempo": "brisk"}
        )
        assert DELAY_FACTORS[(await server.context.tables.get("play")).tempo] < 1
        assert "Host settings" not in await page(server, "/t/play/about", token="")


async def test_the_start_code_opens_a_table_once() -> None:
    async with serving(MemoryStore()) as server:
        install(server.app, start_code="code")
        assert (await server.http.get("/start/guess")).headers["location"] == "/"
        first = (await server.http.get("/start/code")).headers["location"]
        assert first.startswith("/t/")
        assert (await server.http.get("/start/code")).headers["location"] == "/"


def test_every_address_of_a_page_is_documented() -> None:
    text = (Path(__file__).parents[2] / "docs" / "program" / "pages.md").read_text(encoding="utf-8")
    documented = [path for path in re.findall(r"`[….]*(/[^`\s]*)`", text) if len(path) > 3 or path == "/"]
    paths = {route.path for router in ROUTERS for route in router.routes if isinstance(route, APIRoute)}
    addresses = {re.sub(r"\{(\w+)\}", lambda name: _PATH_PARAMETERS[name[1]], path) for path in paths}
    feeds = {path for path in addresses if path.endswith("/feed")}
    missing = {
        path
        for path in addresses - feeds
        if not any(path.endswith(ending) for ending in documented if ending != "/" or path == ending)
    }
    assert missing == set()


_PATH_PARAMETERS = {
    "table": "TABLE",
    "event": "EVENT",
    "entrant": "ENTRANT",
    "season": "SEASON",
    "section": "SECTION",
    "action": "ACTION",
    "printout": "PRINTOUT",
    "export": "EXPORT",
    "code": "CODE",
    "name": "NAME",
    "rules": "RULES",
    "number": "N",
    "version": "HASH",
}
