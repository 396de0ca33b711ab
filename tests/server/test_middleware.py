"""Doors and locks: who is let in, how much is read, how long is waited, and what every answer carries."""

import asyncio
import socket
import ssl
from contextlib import asynccontextmanager, suppress
from http.cookies import SimpleCookie
from pathlib import Path
from time import monotonic
from typing import Any

import httpx
import pytest
import trustme
import uvloop
from fastapi import Response
from fastapi.responses import HTMLResponse

from leftbower.errors import BadSettings
from leftbower.server.http.middleware import LONGER_BODIES, MAX_BODY_BYTES, max_body_bytes
from leftbower.server.http.protocol import MAX_PIPELINED_REQUESTS, TimeoutProtocol
from leftbower.server.http.rate_limit import RateLimit, client_key
from leftbower.server.http.security_headers import DATA_POLICY, PAGE_POLICY
from leftbower.server.process.run import serve, trusted_networks
from leftbower.server.quotas import Quotas
from leftbower.server.settings import Settings
from leftbower.store.memory import MemoryStore
from server_client import FAST, NO_CUTS, AppServer, Client, checked, events, listening, serving


def assert_guarded(answer: httpx.Response, policy: str = DATA_POLICY) -> None:
    """The headers that every answer carries, each once."""
    for name, value in {
        "content-security-policy": policy,
        "x-content-type-options": "nosniff",
        "referrer-policy": "same-origin",
        "cross-origin-resource-policy": "same-origin",
        "cross-origin-opener-policy": "same-origin",
        "permissions-policy": "camera=(), microphone=(), geolocation=(), payment=(), usb=(), browsing-topics=()",
    }.items():
        assert answer.headers.get_list(name) == [value], (answer.request.url, answer.status_code)
    assert "no-store" in answer.headers["cache-control"]


async def test_every_answer_carries_the_headers_whatever_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    async with serving(MemoryStore(), token_limit=RateLimit(30, 0.001)) as place:
        ann = await place.guest("Ann")
        table = await ann.open(**FAST)
        token = {"Authorization": f"Bearer {ann.token}"}

        async def fails(person: str) -> list[Any]:
            raise ValueError("a mistake")

        monkeypatch.setattr(place.context, "list_tables", fails)
        seen = set()
        for method, path, more in (
            ("GET", "/healthz", {}),
            ("GET", "/api/openapi.json", {}),
            ("GET", f"/api/tables/{table}", {}),
            ("GET", f"/api/tables/{table}/hands", {}),
            ("POST", "/api/tokens", {"headers": token}),
            ("DELETE", "/api/tokens/this", {"headers": token}),
            ("GET", "/nothing", {}),
            ("GET", "/api/me", {}),
            ("PATCH", "/api/me", {}),
            ("OPTIONS", "/api/me", {}),
            ("POST", "/api/guests", {"content": b"{"}),
            ("POST", "/api/guests", {"content": b"x" * 9000}),
            ("POST", "/api/guests", {"headers": {"Origin": "http://evil.test"}}),
        ):
            answer = await place.http.request(method, path, **more)
            assert_guarded(answer)
            seen.add(answer.status_code)
        ann = await place.guest("Ann")
        answer = await place.http.get("/api/tables", headers={"Authorization": f"Bearer {ann.token}"})
        assert_guarded(answer)
        seen.add(answer.status_code)
        while seen.isdisjoint({429}):
            answer = await place.http.get(f"/api/tables/{table}")
            seen.add(answer.status_code)
        assert_guarded(answer)
        assert seen == {200, 201, 204, 401, 403, 404, 405, 413, 422, 429, 500}


async def test_a_page_may_load_what_we_serve_and_nothing_inline() -> None:
    """What later pages need is in one place, and is chosen by what an answer is."""
    async with serving(MemoryStore()) as place:

        async def page() -> HTMLResponse:
            return HTMLResponse("<p>hello")

        async def kept() -> Response:
            return Response("x", media_type="text/css", headers={"Cache-Control": "max-age=60"})

        place.app.add_api_route("/page", page)
        place.app.add_api_route("/kept", kept)
        assert_guarded(await place.http.get("/page"), PAGE_POLICY)
        assert (await place.http.get("/kept")).headers.get_list("cache-control") == ["max-age=60"]
    assert "unsafe" not in PAGE_POLICY + DATA_POLICY
    assert PAGE_POLICY.startswith("default-src 'none'; script-src 'self'; style-src 'self'")
    assert all("frame-ancestors 'none'" in policy for policy in (PAGE_POLICY, DATA_POLICY))


# Sites


HERE = "http://leftbower"
OTHERS: list[dict[str, str]] = [
    {"Sec-Fetch-Site": "cross-site"},
    {"Sec-Fetch-Site": "same-site"},
    {"Sec-Fetch-Site": "cross-site", "Origin": HERE},
    {"Sec-Fetch-Site": ""},
    {"Origin": "http://evil.test"},
    {"Origin": "http://leftbower:81"},
    {"Origin": "http://leftbower.evil.test"},
    {"Origin": "http://evilleftbower"},
    {"Origin": "http://leftbower@evil.test"},
    {"Origin": "null"},
    {"Origin": "http://["},
    {"Origin": "leftbower"},
    {"Referer": "http://evil.test/leftbower"},
    {"Referer": "http://leftbower:81/"},
    {"Referer": "about:blank"},
]
US: list[dict[str, str]] = [
    {"Sec-Fetch-Site": "same-origin"},
    {"Sec-Fetch-Site": "none"},
    {"Sec-Fetch-Site": "same-origin", "Origin": "http://behind-a-proxy"},
    {"Origin": HERE},
    {"Origin": "HTTP://LeftBower"},
    {"Origin": "https://leftbower"},
    {"Referer": f"{HERE}/tables/1"},
]


@pytest.mark.parametrize("cookie", [True, False])
async def test_nothing_is_changed_for_a_page_of_another_site(cookie: bool) -> None:
    """With a cookie or none: who is signed in as somebody else plays in somebody else's name."""
    async with serving(MemoryStore()) as place:
        ann = await place.guest("Ann")
        by_cookie = {"Cookie": f"leftbower={ann.token}"} if cookie else {}
        for headers in OTHERS:
            for path in ("/api/tokens", "/api/guests", "/api/tables", "/nothing"):
                answer = await place.http.post(path, headers=headers | by_cookie, json={"name": "Eve"})
                assert answer.status_code == 403, (headers, path)
                checked(answer.json(), "cross-site")
                assert "set-cookie" not in answer.headers
            await ann.call("POST", "/api/tokens", status=201, headers=headers)
            read = await place.http.get("/api/me", headers=headers | by_cookie)
            assert read.status_code == (200 if cookie else 401)
        for headers in [*US, {}]:
            made = await place.http.post("/api/tokens", headers=headers | by_cookie)
            assert made.status_code == (201 if cookie else 401), headers


async def test_a_feed_by_cookie_is_for_pages_of_ours() -> None:
    """A program comes with a token, somebody who only looks on with neither; a foreign page with nothing of ours."""
    async with listening() as (base, place):
        ann = await place.guest("Ann")
        table = await ann.open(**FAST)
        path = f"/api/tables/{table}/feed"

        async def status(headers: dict[str, str], cookie: str = "") -> int:
            cookies = f"other=1; leftbower={cookie}" if cookie else "other=1"
            async with place.http.stream("GET", path, headers={"Cookie": cookies, **headers}) as answer:
                if answer.status_code == 200:
                    assert_guarded(answer)
                return answer.status_code

        here = base.removeprefix("http://")
        for headers in OTHERS:
            theirs = {name: value.replace("leftbower:81", "127.0.0.1:81") for name, value in headers.items()}
            assert await status(theirs, ann.token) == 403, headers
            assert await status(theirs) == 403, headers
            assert await status({**theirs, "Authorization": f"Bearer {ann.token}"}, ann.token) == 200
        for headers in US:
            ours = {name: value.lower().replace("leftbower", here) for name, value in headers.items()}
            assert await status(ours, ann.token) == 200, headers
        assert await status({}, ann.token) == 403
        assert await status({}) == 200


async def test_under_https_a_page_that_came_by_plain_http_is_not_ours(tmp_path: Path) -> None:
    async with https(tmp_path) as http:
        answer = await http.post("/api/guests", json={"name": "Ann"}, headers={"Origin": str(http.base_url)})
        assert answer.status_code == 201
        assert_guarded(answer)
        [cookie] = SimpleCookie(answer.headers["set-cookie"]).values()
        assert (cookie["httponly"], cookie["samesite"], cookie["secure"], cookie["path"]) == (True, "lax", True, "/")
        plain = str(http.base_url).replace("https", "http")
        answer = await http.post("/api/guests", json={"name": "Ann"}, headers={"Origin": plain})
        assert answer.status_code == 403


async def test_hsts_is_sent_under_our_own_tls_and_never_without(tmp_path: Path) -> None:
    async with https(tmp_path) as http:
        for path in ("/healthz", "/nothing"):
            answer = await http.get(path)
            assert answer.headers.get_list("strict-transport-security") == ["max-age=31536000"]
    async with listening() as (_, place):
        assert "strict-transport-security" not in (await place.http.get("/healthz")).headers


async def test_a_certificate_that_cannot_be_used_is_said_in_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "empty").touch()
    for certificate in ("nowhere.pem", "empty"):
        settings = Settings(port=0, database="memory:", certificate=str(tmp_path / certificate), key="x")
        with pytest.raises(BadSettings, match="certificate or key cannot be used") as refused:
            await serve(settings)
        assert "\n" not in str(refused.value)


async def test_over_plain_http_the_cookie_is_not_dropped_for_being_secure() -> None:
    async with serving(MemoryStore()) as place:
        answer = await place.http.post("/api/guests", json={"name": "Ann"})
        [cookie] = SimpleCookie(answer.headers["set-cookie"]).values()
        assert (cookie["httponly"], cookie["samesite"], cookie["secure"]) == (True, "lax", "")


# Bodies, headers, patience


async def test_a_body_has_at_most_eight_kibibytes_but_where_events_are_sent() -> None:
    async with serving(MemoryStore()) as place:
        for path, most in (
            ("/api/guests", MAX_BODY_BYTES),
            ("/nothing", MAX_BODY_BYTES),
            ("/events/import", LONGER_BODIES["/events/import"]),
        ):
            assert max_body_bytes(path) == most
            for length, status in ((most, {422, 404}), (most + 1, {413})):
                answer = await place.http.post(path, content=b" " * length)
                assert answer.status_code in status, (path, length)
    assert (MAX_BODY_BYTES, LONGER_BODIES["/events/import"]) == (8 << 10, 4 << 20)


async def test_a_length_that_is_no_number_is_refused_by_what_is_read() -> None:
    """A superscript is a digit to Python and no number; the body is counted all the same."""
    async with serving(MemoryStore()) as place:
        for content, status in ((b" " * 20, 422), (b" " * 9000, 413)):
            answer = await place.http.post("/api/guests", content=content, headers={b"Content-Length": b"\xb2"})
            assert answer.status_code == status


# Limits


async def test_strangers_are_counted_by_address_and_tokens_one_by_one() -> None:
    limits = {"anonymous_limit": RateLimit(3, 0.001), "token_limit": RateLimit(4, 0.001)}
    async with serving(MemoryStore(), **limits) as place:
        ann = await place.guest("Ann")
        nobody = place.stranger()
        for _ in range(2):
            await nobody.refused("GET", "/api/links/no", status=404, code="unknown-link")
        await nobody.refused("GET", "/api/links/no", status=429, code="too-often")
        await nobody.refused("POST", "/api/guests", {"name": "Eve"}, status=429, code="too-often")
        token = (await ann.call("POST", "/api/tokens", status=201))["token"]
        program = Client(place.http, token=token)
        for one in (ann, program):
            for _ in range(3):
                await one.call("GET", "/api/me")
        await ann.refused("GET", "/api/me", status=429, code="too-often")
        assert (await program.call("GET", "/api/links/no", status=404))["error"]["code"] == "unknown-link"
        await program.refused("GET", "/api/me", status=429, code="too-often")


async def test_whoever_makes_tokens_or_tables_without_end_is_stopped() -> None:
    async with serving(MemoryStore(), anonymous_limit=RateLimit(4, 0.001)) as place:
        ann = await place.guest("Ann")
        for _ in range(4):
            await ann.call("POST", "/api/tokens", status=201)
            await ann.open(**FAST)
        await ann.refused("POST", "/api/tokens", status=429, code="too-often")
        await ann.refused("POST", "/api/tables", {}, status=429, code="too-often")


def test_a_household_has_one_address_of_the_old_kind_or_a_network_of_the_new() -> None:
    assert client_key("192.0.2.7") == client_key("::ffff:192.0.2.7") == "192.0.2.7"
    assert client_key("2001:db8::1") == client_key("2001:db8::ffff:1") == "2001:db8::/64"
    assert client_key("2001:db8:0:1::1") == "2001:db8:0:1::/64"
    assert client_key("testclient") == "testclient"


async def test_a_person_has_only_so_many_tables_open() -> None:
    """As their host; leaving one makes room for another."""
    async with serving(MemoryStore(), quotas=Quotas(tables_open=2)) as place:
        ann, bob = await place.guests("Ann", "Bob")
        first, second = await ann.open(**FAST), await ann.open(**FAST)
        problem = await ann.refused("POST", "/api/tables", FAST, status=409, code="too-many")
        assert "2 tables" in problem["message"]
        await bob.ask(await bob.open(**FAST), "sit", seat="N")
        await bob.ask(first, "sit", seat="N")
        await ann.ask(first, "leave")
        await ann.open(**NO_CUTS)
        await ann.refused("POST", "/api/tables", FAST, status=409, code="too-many")
        await bob.refused("POST", "/api/tables", FAST, status=409, code="too-many")
        await ann.ask(second, "sit", seat="N")


async def test_the_oldest_feed_of_a_person_makes_room_and_is_told_so() -> None:
    """Nobody else's does, and nobodies are counted together where they come from."""
    async with listening(max_feeds_per_person=2, max_feeds_per_address=1) as (_, place):
        ann, bob = await place.guests("Ann", "Bob")
        table = await ann.open(**FAST)

        @asynccontextmanager
        async def following(client: Client) -> Any:
            headers = {"Authorization": f"Bearer {client.token}"} if client.token else {}
            async with place.http.stream("GET", f"/api/tables/{table}/feed", headers=headers) as answer:
                lines = answer.aiter_lines()
                assert (await anext(aiter(events(lines))))[0] >= 1
                assert [await anext(lines), await anext(lines)] == ["retry: 1000", ""]
                yield lines

        async with following(ann) as first, following(bob) as others, following(ann) as second:
            async with following(ann) as third, following(place.stranger()) as nobody:
                assert [line async for line in first] == [
                    "retry: 60000",
                    "event: end",
                    'data: {"code":"too-many"}',
                    "",
                ]
                async with following(place.stranger()):
                    assert (await anext(nobody)) == "retry: 60000"
                await ann.ask(table, "sit", seat="N")
                for lines in (others, second, third):
                    assert (await anext(aiter(events(lines))))[0] == 2
            await until_feeds(place, 2)
            async with following(ann):
                await ann.ask(table, "sit", seat="S")
                assert (await anext(aiter(events(second))))[0] == 3
        await until_feeds(place, 0)
        assert place.context.feeds._by_reader == {}


async def until_feeds(place: AppServer, many: int) -> None:
    async with asyncio.timeout(5):
        while len(place.context.feeds) != many:
            await asyncio.sleep(0.01)


# Proxies


async def test_forwarded_headers_are_believed_from_a_named_proxy_only() -> None:
    """They say who asks, for the limits, and whether it came by HTTPS, for the cookie."""
    told = {"X-Forwarded-For": "198.51.100.1", "X-Forwarded-Proto": "https"}
    for proxy, trusts in (("", False), ("192.0.2.0/24", False), ("127.0.0.1", True), ("10.0.0.0/8, 127.0.0.0/8", True)):
        async with listening(given={"trusted_proxies": proxy}, anonymous_limit=RateLimit(1, 0.001)) as (_, place):
            answer = await place.http.post("/api/guests", json={"name": "Ann"}, headers=told)
            assert ("; secure" in answer.headers["set-cookie"].lower()) == trusts, proxy
            other = {**told, "X-Forwarded-For": "203.0.113.9"}
            answer = await place.http.post("/api/guests", json={"name": "Bob"}, headers=other)
            assert answer.status_code == (201 if trusts else 429), proxy
            # whoever asks may have put something in front of what the proxy adds
            lie = {**told, "X-Forwarded-For": "192.0.2.99, 203.0.113.9"}
            answer = await place.http.post("/api/guests", json={"name": "Eve"}, headers=lie)
            assert answer.status_code == 429, proxy


def test_a_proxy_is_known_again_by_whoever_listens_on_both_kinds_of_addresses() -> None:
    assert trusted_networks("127.0.0.1") == ["127.0.0.1/32", "::ffff:127.0.0.1/128"]
    assert trusted_networks("10.0.0.0/8, ::1") == ["10.0.0.0/8", "::1/128", "::ffff:10.0.0.0/104"]
