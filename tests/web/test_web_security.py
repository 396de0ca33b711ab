"""Requests that strangers can send to pages: hosts, redirects, imported files, cookies and guessed codes."""

import json

import pytest

from at_the_server import FAST, checked
from leftbower.errors import BadLedger
from leftbower.web.event_plans import entries_of
from visiting import TEAMS, evening, open_event

BAD_HOSTS = ("a" * 5000, "", "evil example", "a/b", "a@b", "a\\b", 'a"b', "a:b", "a:99999", "[::1", "[evil]", "h\xe9")
GOOD_HOSTS = ("leftbower", "Hall.test:8000", "10.1.2.3", "[::1]:8000", "my_pi.local", "a" * 255)


@pytest.mark.parametrize("host", BAD_HOSTS, ids=lambda host: ascii(host[:12]))
async def test_a_malformed_host_is_refused_with_400(host: str) -> None:
    async with evening() as one:
        table = await (await one.place.guest("Ann")).open(**FAST)
        for path in (f"/t/{table}/qr.svg", "/", "/api/me", "/healthz"):
            answer = await one.place.http.get(path, headers={b"Host": host.encode("latin-1")})
            assert answer.status_code == 400, path
            checked(answer.json(), "bad-host")


async def test_a_request_with_two_hosts_is_refused_with_400() -> None:
    async with evening() as one:
        answer = await one.place.http.get("/healthz", headers=[("Host", "leftbower"), ("Host", "evil.test")])
        assert answer.status_code == 400


@pytest.mark.parametrize("host", GOOD_HOSTS, ids=lambda host: host[:12])
async def test_a_well_formed_host_is_drawn_as_a_qr_code(host: str) -> None:
    async with evening() as one:
        table = await (await one.place.guest("Ann")).open(**FAST)
        assert (await one.place.http.get(f"/t/{table}/qr.svg", headers={"Host": host})).status_code == 200


async def test_links_name_the_origin_that_is_set_whatever_host_was_asked_for() -> None:
    async with evening(origin="https://euchre.example") as one:
        await open_event(one, teams=TEAMS[:4])
        answer = await one.organiser.http.get(f"/e/{one.event}/desk/links", headers={"Host": "evil.test"})
        assert "evil.test" not in answer.text
        assert f"https://euchre.example/e/{one.event}/in/" in answer.text


async def test_a_lone_surrogate_in_an_imported_ledger_is_refused_by_name() -> None:
    async with evening() as one:
        await open_event(one, teams=TEAMS[:4])
        text = await one.organiser.see(f"/e/{one.event}/desk/ledger.jsonl")
        lines = text.splitlines()
        assert "Ann & Bob" in text
        surrogate = text.replace("Ann & Bob", r"Ann \ud800 Bob")
        opening = json.loads(lines[0])
        keys = json.dumps({**opening, "is": {**opening["is"], "\ud800": 1}})
        for wrong in (surrogate, keys, json.dumps({**opening, "\ud800": 1}), json.dumps({**opening, "by": "\udfff"})):
            answer = await one.organiser.http.post("/events/import", files={"ledger": ("x", wrong)})
            assert answer.status_code == 422, answer.text
            with pytest.raises(BadLedger, match=r"^line "):
                entries_of(wrong)
