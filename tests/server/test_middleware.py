"""Security headers, cross-site checks, TLS, body limits, rate limits, feed limits and trusted proxies."""

import asyncio
from contextlib import asynccontextmanager
from http.cookies import SimpleCookie
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi import Response
from fastapi.responses import HTMLResponse

from leftbower.errors import BadSettings
from leftbower.server.http.middleware import (
    DATA_POLICY,
    LONGER_BODIES,
    MAX_BODY_BYTES,
    PAGE_POLICY,
    max_body_bytes,
)
from leftbower.server.http.rate_limit import RateLimit, client_key
from leftbower.server.process.run import serve, trusted_networks
from leftbower.server.quotas import Quotas
from leftbower.server.settings import Settings
from leftbower.store.memory import MemoryStore
from server_client import (
    FAST,
    NO_CUTS,
    AppServer,
    Client,
    checked,
    events,
    free_limits,
    listening,
    listening_with_tls,
    serving,
)


def assert_secure_headers(response: httpx.Response, policy: str = DATA_POLICY) -> None:
    """A response has every security header exactly once."""
    for name, value in {
        "content-security-policy": policy,
        "x-content-type-options": "nosniff",
        "referrer-policy": "same-origin",
        "cross-origin-resource-policy": "same-origin",
        "cross-origin-opener-policy": "same-origin",
        "permissions-policy": "camera=(), microphone=(), geolocation=(), payment=(), usb=(), browsing-topics=()",
    }.items():
        assert response.headers.get_list(name) == [value], (response.request.url, response.status_code)
    assert "no-store" in response.headers["cache-control"]


async def test_every_response_has_the_security_headers(monkeypatch: pytest.MonkeyPatch) -> None:
    async with serving(MemoryStore(), limits=free_limits(token=RateLimit(30, 0.001))) as server:
        ann = await server.guest("Ann")
        table = await ann.open(**FAST)
        token = {"Authorization": f"Bearer {ann.token}"}

        async def fail(person: str) -> list[Any]:
            raise ValueError("a mistake")

        monkeypatch.setattr(server.context.person_tables, "list", fail)
        statuses = set()
        for method, path, options in (
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
            response = await server.http.request(method, path, **options)
            assert_secure_headers(response)
            statuses.add(response.status_code)
        ann = await server.guest("Ann")
        response = await server.http.get("/api/tables", headers={"Authorization": f"Bearer {ann.token}"})
        assert_secure_headers(response)
        statuses.add(response.status_code)
        while statuses.isdisjoint({429}):
            response = await server.http.get(f"/api/tables/{table}")
            statuses.add(response.status_code)
        assert_secure_headers(response)
        assert statuses == {200, 201, 204, 401, 403, 404, 405, 413, 422, 429, 500}


async def test_a_page_may_load_what_we_serve_and_nothing_inline() -> None:
    """The policy is chosen by the content type of a response."""
    async with serving(MemoryStore()) as server:

        async def page() -> HTMLResponse:
            return HTMLResponse("<p>hello")

        async def cached() -> Response:
            return Response("x", media_type="text/css", headers={"Cache-Control": "max-age=60"})

        server.app.add_api_route("/page", page)
        server.app.add_api_route("/cached", cached)
        assert_secure_headers(await server.http.get("/page"), PAGE_POLICY)
        assert (await server.http.get("/cached")).headers.get_list("cache-control") == ["max-age=60"]
    assert "unsafe" not in PAGE_POLICY + DATA_POLICY
    assert PAGE_POLICY.startswith("default-src 'none'; script-src 'self'; style-src 'self'")
    assert all("frame-ancestors 'none'" in policy for policy in (PAGE_POLICY, DATA_POLICY))


# Sites


ORIGIN = "http://leftbower"
CROSS_SITE: list[dict[str, str]] = [
    {"Sec-Fetch-Site": "cross-site"},
    {"Sec-Fetch-Site": "same-site"},
    {"Sec-Fetch-Site": "cross-site", "Origin": ORIGIN},
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
SAME_ORIGIN: list[dict[str, str]] = [
    {"Sec-Fetch-Site": "same-origin"},
    {"Sec-Fetch-Site": "none"},
    {"Sec-Fetch-Site": "same-origin", "Origin": "http://behind-a-proxy"},
    {"Origin": ORIGIN},
    {"Origin": "HTTP://LeftBower"},
    {"Origin": "https://leftbower"},
    {"Referer": f"{ORIGIN}/tables/1"},
]


@pytest.mark.parametrize("cookie", [True, False])
async def test_nothing_is_changed_for_a_page_of_another_site(cookie: bool) -> None:
    """With a cookie or without: a page must not sign its visitor in as another person either."""
    async with serving(MemoryStore()) as server:
        ann = await server.guest("Ann")
        by_cookie = {"Cookie": f"leftbower={ann.token}"} if cookie else {}
        for headers in CROSS_SITE:
            for path in ("/api/tokens", "/api/guests", "/api/tables", "/nothing"):
                response = await server.http.post(path, headers=headers | by_cookie, json={"name": "Eve"})
                assert response.status_code == 403, (headers, path)
                checked(response.json(), "cross-site")
                assert "set-cookie" not in response.headers
            await ann.call("POST", "/api/tokens", status=201, headers=headers)
            read = await server.http.get("/api/me", headers=headers | by_cookie)
            assert read.status_code == (200 if cookie else 401)
        for headers in [*SAME_ORIGIN, {}]:
            response = await server.http.post("/api/tokens", headers=headers | by_cookie)
            assert response.status_code == (201 if cookie else 401), headers


async def test_a_feed_by_cookie_needs_a_page_of_this_host() -> None:
    """A program sends a token, a spectator neither token nor cookie; a page of another site is refused."""
    async with listening() as (base, server):
        ann = await server.guest("Ann")
        table = await ann.open(**FAST)
        path = f"/api/tables/{table}/feed"

        async def status(headers: dict[str, str], cookie: str = "") -> int:
            cookies = f"other=1; leftbower={cookie}" if cookie else "other=1"
            async with server.http.stream("GET", path, headers={"Cookie": cookies, **headers}) as response:
                if response.status_code == 200:
                    assert_secure_headers(response)
                return response.status_code

        host = base.removeprefix("http://")
        for headers in CROSS_SITE:
            theirs = {name: value.replace("leftbower:81", "127.0.0.1:81") for name, value in headers.items()}
            assert await status(theirs, ann.token) == 403, headers
            assert await status(theirs) == 403, headers
            assert await status({**theirs, "Authorization": f"Bearer {ann.token}"}, ann.token) == 200
        for headers in SAME_ORIGIN:
            ours = {name: value.lower().replace("leftbower", host) for name, value in headers.items()}
            assert await status(ours, ann.token) == 200, headers
        assert await status({}, ann.token) == 403
        assert await status({}) == 200


async def test_under_https_a_plain_http_page_is_cross_site(tmp_path: Path) -> None:
    async with listening_with_tls(tmp_path) as http:
        response = await http.post("/api/guests", json={"name": "Ann"}, headers={"Origin": str(http.base_url)})
        assert response.status_code == 201
        assert_secure_headers(response)
        [cookie] = SimpleCookie(response.headers["set-cookie"]).values()
        assert (cookie["httponly"], cookie["samesite"], cookie["secure"], cookie["path"]) == (True, "lax", True, "/")
        plain = str(http.base_url).replace("https", "http")
        response = await http.post("/api/guests", json={"name": "Ann"}, headers={"Origin": plain})
        assert response.status_code == 403


async def test_hsts_is_sent_under_our_own_tls_and_never_without(tmp_path: Path) -> None:
    async with listening_with_tls(tmp_path) as http:
        for path in ("/healthz", "/nothing"):
            response = await http.get(path)
            assert response.headers.get_list("strict-transport-security") == ["max-age=31536000"]
    async with listening() as (_, server):
        assert "strict-transport-security" not in (await server.http.get("/healthz")).headers


async def test_an_unusable_certificate_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "empty").touch()
    for certificate in ("nowhere.pem", "empty"):
        settings = Settings(port=0, database="memory:", certificate=str(tmp_path / certificate), key="x")
        with pytest.raises(BadSettings, match="can't use the certificate or its key") as refused:
            await serve(settings)
        assert "\n" not in str(refused.value)


async def test_over_plain_http_the_cookie_is_not_secure() -> None:
    async with serving(MemoryStore()) as server:
        response = await server.http.post("/api/guests", json={"name": "Ann"})
        [cookie] = SimpleCookie(response.headers["set-cookie"]).values()
        assert (cookie["httponly"], cookie["samesite"], cookie["secure"]) == (True, "lax", "")


# Bodies


async def test_a_body_has_at_most_8_kib_except_event_imports() -> None:
    async with serving(MemoryStore()) as server:
        for path, max_bytes in (
            ("/api/guests", MAX_BODY_BYTES),
            ("/nothing", MAX_BODY_BYTES),
            ("/events/import", LONGER_BODIES["/events/import"]),
        ):
            assert max_body_bytes(path) == max_bytes
            for length, status in ((max_bytes, {422, 404}), (max_bytes + 1, {413})):
                response = await server.http.post(path, content=b" " * length)
                assert response.status_code in status, (path, length)
    assert (MAX_BODY_BYTES, LONGER_BODIES["/events/import"]) == (8 << 10, 4 << 20)


async def test_a_bad_content_length_does_not_lift_the_body_limit() -> None:
    """A superscript is a digit to Python but not a number; the body is counted anyway."""
    async with serving(MemoryStore()) as server:
        for content, status in ((b" " * 20, 422), (b" " * 9000, 413)):
            response = await server.http.post("/api/guests", content=content, headers={b"Content-Length": b"\xb2"})
            assert response.status_code == status


# Limits


async def test_limits_are_by_address_without_a_token_else_by_token() -> None:
    limits = free_limits(anonymous=RateLimit(3, 0.001), token=RateLimit(4, 0.001))
    async with serving(MemoryStore(), limits=limits) as server:
        ann = await server.guest("Ann")
        anonymous = server.anonymous()
        for _ in range(2):
            await anonymous.refused("GET", "/api/links/no", status=404, code="unknown-link")
        await anonymous.refused("GET", "/api/links/no", status=429, code="too-often")
        await anonymous.refused("POST", "/api/guests", {"name": "Eve"}, status=429, code="too-often")
        token = (await ann.call("POST", "/api/tokens", status=201))["token"]
        program = Client(server.http, token=token)
        for client in (ann, program):
            for _ in range(3):
                await client.call("GET", "/api/me")
        await ann.refused("GET", "/api/me", status=429, code="too-often")
        assert (await program.call("GET", "/api/links/no", status=404))["error"]["code"] == "unknown-link"
        await program.refused("GET", "/api/me", status=429, code="too-often")


async def test_creating_tokens_and_tables_is_rate_limited() -> None:
    async with serving(MemoryStore(), limits=free_limits(anonymous=RateLimit(4, 0.001))) as server:
        ann = await server.guest("Ann")
        for _ in range(4):
            await ann.call("POST", "/api/tokens", status=201)
            await ann.open(**FAST)
        await ann.refused("POST", "/api/tokens", status=429, code="too-often")
        await ann.refused("POST", "/api/tables", {}, status=429, code="too-often")


def test_a_client_key_is_an_ipv4_address_or_an_ipv6_network() -> None:
    assert client_key("192.0.2.7") == client_key("::ffff:192.0.2.7") == "192.0.2.7"
    assert client_key("2001:db8::1") == client_key("2001:db8::ffff:1") == "2001:db8::/64"
    assert client_key("2001:db8:0:1::1") == "2001:db8:0:1::/64"
    assert client_key("testclient") == "testclient"


async def test_a_person_has_a_limited_number_of_open_tables() -> None:
    """As their host; after leaving one they can open another."""
    async with serving(MemoryStore(), quotas=Quotas(tables_open=2)) as server:
        ann, bob = await server.guests("Ann", "Bob")
        first, second = await ann.open(**FAST), await ann.open(**FAST)
        error = await ann.refused("POST", "/api/tables", FAST, status=409, code="too-many")
        assert "2 tables" in error["message"]
        await bob.command(await bob.open(**FAST), "sit", seat="N")
        await bob.command(first, "sit", seat="N")
        await ann.command(first, "leave")
        await ann.open(**NO_CUTS)
        await ann.refused("POST", "/api/tables", FAST, status=409, code="too-many")
        await bob.refused("POST", "/api/tables", FAST, status=409, code="too-many")
        await ann.command(second, "sit", seat="N")


async def test_the_oldest_feed_of_a_person_is_evicted() -> None:
    """Only theirs; anonymous feeds are counted together by address."""
    async with listening(limits=free_limits(feeds_per_person=2, feeds_per_address=1)) as (_, server):
        ann, bob = await server.guests("Ann", "Bob")
        table = await ann.open(**FAST)

        @asynccontextmanager
        async def following(client: Client) -> Any:
            headers = {"Authorization": f"Bearer {client.token}"} if client.token else {}
            async with server.http.stream("GET", f"/api/tables/{table}/feed", headers=headers) as response:
                lines = response.aiter_lines()
                assert (await anext(aiter(events(lines))))[0] >= 1
                assert [await anext(lines), await anext(lines)] == ["retry: 1000", ""]
                yield lines

        async with following(ann) as first, following(bob) as others, following(ann) as second:
            async with following(ann) as third, following(server.anonymous()) as anonymous:
                assert [line async for line in first] == [
                    "retry: 60000",
                    "event: end",
                    'data: {"code":"too-many"}',
                    "",
                ]
                async with following(server.anonymous()):
                    assert (await anext(anonymous)) == "retry: 60000"
                await ann.command(table, "sit", seat="N")
                for lines in (others, second, third):
                    assert (await anext(aiter(events(lines))))[0] == 2
            await until_feeds(server, 2)
            async with following(ann):
                await ann.command(table, "sit", seat="S")
                assert (await anext(aiter(events(second))))[0] == 3
        await until_feeds(server, 0)
        assert server.context.feeds._by_reader == {}


async def until_feeds(server: AppServer, count: int) -> None:
    async with asyncio.timeout(60):
        while len(server.context.feeds) != count:
            await asyncio.sleep(0.01)


# Proxies


async def test_only_trusted_proxies_may_forward_headers() -> None:
    """They set the client address for limits, and the scheme for the cookie."""
    forwarded = {"X-Forwarded-For": "198.51.100.1", "X-Forwarded-Proto": "https"}
    for proxy, is_trusted in (
        ("", False),
        ("192.0.2.0/24", False),
        ("127.0.0.1", True),
        ("10.0.0.0/8, 127.0.0.0/8", True),
    ):
        async with listening(options={"trusted_proxies": proxy}, limits=free_limits(anonymous=RateLimit(1, 0.001))) as (
            _,
            server,
        ):
            response = await server.http.post("/api/guests", json={"name": "Ann"}, headers=forwarded)
            assert ("; secure" in response.headers["set-cookie"].lower()) == is_trusted, proxy
            other = {**forwarded, "X-Forwarded-For": "203.0.113.9"}
            response = await server.http.post("/api/guests", json={"name": "Bob"}, headers=other)
            assert response.status_code == (201 if is_trusted else 429), proxy
            # a client may send the header itself; the proxy appends to it
            forged = {**forwarded, "X-Forwarded-For": "192.0.2.99, 203.0.113.9"}
            response = await server.http.post("/api/guests", json={"name": "Eve"}, headers=forged)
            assert response.status_code == 429, proxy


def test_trusted_networks_include_ipv4_mapped_addresses() -> None:
    assert trusted_networks("127.0.0.1") == ["127.0.0.1/32", "::ffff:127.0.0.1/128"]
    assert trusted_networks("10.0.0.0/8, ::1") == ["10.0.0.0/8", "::1/128", "::ffff:10.0.0.0/104"]
