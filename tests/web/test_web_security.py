"""Hostile requests to pages: hosts, redirects, imported files, cookies and guessed codes."""

import json

import httpx
import pytest

from event_client import TEAMS, event_site, open_event
from leftbower.errors import BadLedger
from leftbower.server.http.rate_limit import RateLimit
from leftbower.web.event.entry.routes import parse_ledger
from server_client import FAST, checked, free_limits

BAD_HOSTS = (
    *("a" * 5000, "", "evil example", "a/b", "a@b", "a\\b", 'a"b', "a:b", "a:99999", "h\xe9"),
    *("[::1", "[evil]", "[::::]", "[1.2.3.4]", "[12345::]"),
)
GOOD_HOSTS = ("leftbower", "Hall.test:8000", "10.1.2.3", "[::1]:8000", "my_pi.local", "a" * 255)


@pytest.mark.parametrize("host", BAD_HOSTS, ids=lambda host: ascii(host[:12]))
async def test_a_malformed_host_is_refused_with_400(host: str) -> None:
    async with event_site() as site:
        table = await (await site.server.guest("Ann")).open(**FAST)
        for path in (f"/t/{table}/qr.svg", "/", "/api/me", "/healthz"):
            response = await site.server.http.get(path, headers={b"Host": host.encode("latin-1")})
            assert response.status_code == 400, path
            checked(response.json(), "bad-host")


async def test_a_request_with_two_hosts_is_refused_with_400() -> None:
    async with event_site() as site:
        response = await site.server.http.get("/healthz", headers=[("Host", "leftbower"), ("Host", "evil.test")])
        assert response.status_code == 400


@pytest.mark.parametrize("host", GOOD_HOSTS, ids=lambda host: host[:12])
async def test_a_well_formed_host_is_drawn_as_a_qr_code(host: str) -> None:
    async with event_site() as site:
        table = await (await site.server.guest("Ann")).open(**FAST)
        assert (await site.server.http.get(f"/t/{table}/qr.svg", headers={"Host": host})).status_code == 200


async def test_links_use_the_configured_origin_whatever_the_host_header() -> None:
    async with event_site(origin="https://euchre.example") as site:
        await open_event(site, teams=TEAMS[:4])
        headers = {"Host": "evil.test", "Origin": "http://evil.test"}
        response = await site.organizer.http.post(
            f"/e/{site.event}/desk/links", data={"command": "tables"}, headers=headers
        )
        assert "evil.test" not in response.text
        assert f"https://euchre.example/e/{site.event}/join/" in response.text


async def test_a_lone_surrogate_in_an_imported_ledger_is_refused_by_name() -> None:
    async with event_site() as site:
        await open_event(site, teams=TEAMS[:4])
        text = await site.organizer.see(f"/e/{site.event}/desk/ledger.jsonl")
        lines = text.splitlines()
        assert "Ann & Bob" in text
        surrogate = text.replace("Ann & Bob", r"Ann \ud800 Bob")
        opening = json.loads(lines[0])
        keys = json.dumps({**opening, "data": {**opening["data"], "\ud800": 1}})
        for wrong in (surrogate, keys, json.dumps({**opening, "\ud800": 1}), json.dumps({**opening, "by": "\udfff"})):
            response = await site.organizer.http.post("/events/import", files={"ledger": ("x", wrong)})
            assert response.status_code == 422, response.text
            with pytest.raises(BadLedger, match=r"^line "):
                list(parse_ledger(wrong))


@pytest.mark.parametrize("count", ["\xb2", "9" * 5000, "", "-1", "1.5"], ids=lambda count: ascii(count[:4]))
async def test_a_count_of_loners_that_is_no_number_is_refused(count: str) -> None:
    async with event_site() as site:
        await open_event(site, teams=TEAMS[:4])
        await site.organizer.do("score", round=1, table=1, games="10-6", loners=f"N={count}", status=422)


# Redirects

ELSEWHERE = (
    *("/\t/evil.example", "/\n/evil.example", "/\r/evil.example", "\t//evil.example", "//evil.example"),
    *(
        "/\\evil.example",
        "\\\\evil.example",
        "/a\\b",
        "/\x00/evil.example",
        "/\x7f",
        "/ /evil.example",
        "/\xa0/evil.example",
    ),
    *("https://evil.example", "javascript:alert(1)", "evil.example", ""),
)


@pytest.mark.parametrize("back", ELSEWHERE, ids=ascii)
async def test_a_way_back_leads_to_a_path_of_ours_only(back: str) -> None:
    async with event_site() as site:
        page = (await site.server.http.get("/preferences", params={"back": back})).text
        assert "evil" not in page
        response = await site.server.http.post("/preferences", data={"back": back})
        assert (response.status_code, response.headers["location"]) == (303, "/")


@pytest.mark.parametrize("back", ["/", "/t/t0123", "/rules/club?a=b", "/e/abc/desk"])
async def test_a_way_back_may_be_any_path_of_ours(back: str) -> None:
    async with event_site() as site:
        assert back in (await site.server.http.get("/preferences", params={"back": back})).text
        assert (await site.server.http.post("/preferences", data={"back": back})).headers["location"] == back


# Codes and roles


async def test_wrong_codes_are_limited_by_address_and_good_ones_are_not() -> None:
    """In a URL, a cookie or a header, however different they are."""
    async with event_site(limits=free_limits(wrong_codes=RateLimit(6, 0.0001))) as site:
        await open_event(site)
        link = (await site.organizer.links())["Table 1, NS"]
        visitor = site.anonymous()
        statuses = []
        for number in range(4):
            statuses.append((await visitor.http.get(f"/e/{site.event}/join/wrong{number}")).status_code)
            bearer = {"Authorization": f"Bearer guess{number}"}
            statuses.append((await visitor.http.get(f"/e/{site.event}/desk", headers=bearer)).status_code)
        assert statuses == [404, 403, 404, 403, 404, 403, 429, 429]
        phone = await site.follow_link(link)
        await phone.see(f"/e/{site.event}/table")


async def test_a_helper_opens_no_list_of_payouts() -> None:
    async with event_site() as site:
        await open_event(site, teams=TEAMS[:4])
        helper = await site.follow_link((await site.organizer.new_links(command="helper"))["Helper 1"])
        await helper.see(f"/e/{site.event}/desk/printouts/payouts", status=403)
        await helper.see(f"/e/{site.event}/desk/printouts/standings")
        page = await site.organizer.see(f"/e/{site.event}/desk/printouts/payouts", status=409)  # nothing is played yet
        assert "not for a" not in page


# Cookies


async def test_under_https_cookies_have_the_prefix_that_binds_the_host() -> None:
    async with event_site() as site:
        await open_event(site)
        link = (await site.organizer.links())["Table 1, NS"]
        transport = httpx.ASGITransport(site.server.app, raise_app_exceptions=False)
        async with httpx.AsyncClient(transport=transport, base_url="https://leftbower") as https:
            response = await https.post("/api/guests", json={"name": "Ann"})
            cookie = response.headers["set-cookie"]
            assert cookie.startswith("__Host-leftbower=")
            assert all(word in cookie for word in ("Secure", "Path=/;", "HttpOnly"))
            assert "Domain" not in cookie
            assert (await https.get("/api/me")).json()["name"] == "Ann"
            token = response.json()["token"]
            https.cookies.clear()
            assert (await https.get("/api/me", headers={"Cookie": f"leftbower={token}"})).status_code == 401
            response = await https.get(link)
            assert response.headers["set-cookie"].startswith("__Secure-leftbower-event=")
            assert (await https.get(response.headers["location"])).status_code == 200
        plain = await site.anonymous().http.post("/api/guests", json={"name": "Bob"})
        assert plain.headers["set-cookie"].startswith("leftbower=")


async def test_signing_out_under_https_drops_the_cookie_of_https() -> None:
    async with event_site() as site:
        transport = httpx.ASGITransport(site.server.app, raise_app_exceptions=False)
        async with httpx.AsyncClient(transport=transport, base_url="https://leftbower") as https:
            await https.post("/api/guests", json={"name": "Ann"})
            assert (await https.post("/account/sign-out")).status_code == 303
            assert not https.cookies
