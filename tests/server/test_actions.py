"""What comes of a request: acts are done once, everything else is refused in one shape with a code that stays."""

import json
from random import Random
from typing import Any

import pytest

from leftbower.notation import view_from_json
from leftbower.rules import DECK
from leftbower.server.http.rate_limit import RateLimit
from leftbower.store.memory import MemoryStore
from server_client import CARD, FAST, AppServer, Client, checked, choose, play_on, seated, seeded, serving

NAMES = ("Annabel", "Bertrand", "Catriona", "Desdemona")


async def four(place: AppServer, **rules: Any) -> tuple[list[Client], str]:
    """Four people who are dealt a hand."""
    people = await place.guests(*NAMES)
    table = await seated(people[0], people[1:], **(rules or {**FAST, "changes": {"target": 5, "deal_cut": "none"}}))
    await play_on(people, table, until=lambda shown: shown["phase"] == "playing")
    return people, table


async def to_act(people: list[Client], table: str) -> tuple[Client, dict[str, Any]]:
    """Whoever is asked, and the table in their eyes."""
    for client in people:
        shown = await client.see(table)
        if shown["hand"]["to_act"] == shown["you"]["seat"]:
            return client, shown
    raise AssertionError("nobody is asked")


async def test_the_same_act_again_is_answered_as_the_first_time() -> None:
    """Whenever it comes, though the table has moved on; nothing is done twice."""
    async with serving(MemoryStore(), entropy=seeded(4)) as place:
        people, table = await four(place)
        client, shown = await to_act(people, table)
        action = {"act": "pass", "seat": shown["you"]["seat"]}
        first = await client.act(table, action, shown["version"], act="mine")
        assert first["action_version"] == first["version"] == shown["version"] + 1
        again = await client.act(table, action, shown["version"], act="mine")
        assert again == first
        other, seen = await to_act(people, table)
        await other.act(table, {"act": "pass", "seat": seen["you"]["seat"]}, seen["version"], act="mine")
        late = await client.act(table, action, shown["version"], act="mine")
        assert (late["action_version"], late["version"]) == (first["action_version"], seen["version"] + 1)
        log = [one.fact for one in await place.context.store.read(table)]
        assert [one["action_id"] for one in log if one["fact"] == "acted"] == ["mine", "mine"]


async def test_an_id_belongs_to_one_person() -> None:
    async with serving(MemoryStore(), entropy=seeded(4)) as place:
        people, table = await four(place)
        client, shown = await to_act(people, table)
        action = {"act": "pass", "seat": shown["you"]["seat"]}
        await client.act(table, action, shown["version"], act="mine")
        other = next(one for one in people if one is not client)
        version = shown["version"] + 1
        refused = await other.act(table, action, version, act="mine", status=409)
        assert checked(refused, "not-your-turn")["version"] == version
        looking_on = await place.guest("Eve")
        refused = await looking_on.act(table, action, version, act="mine", status=409)
        checked(refused, "not-seated")


async def test_what_is_meant_for_another_version_is_refused_with_the_present_one() -> None:
    async with serving(MemoryStore(), entropy=seeded(4)) as place:
        people, table = await four(place)
        client, shown = await to_act(people, table)
        action = {"act": "pass", "seat": shown["you"]["seat"]}
        for version in (1, shown["version"] - 1, shown["version"] + 1, 2**31):
            refused = await client.act(table, action, version, status=409)
            assert checked(refused, "stale")["version"] == shown["version"]
        refused = await client.ask(table, "leave", version=1, status=409)
        assert checked(refused, "stale")["version"] == shown["version"]


async def test_what_the_rules_forbid_is_refused_with_the_rules_code_and_shows_no_card() -> None:
    """Every card of the deck is tried by whoever is to play: only those the view lists are taken."""
    async with serving(MemoryStore(), entropy=seeded(5)) as place:
        people, table = await four(place)
        await play_on(people, table, until=lambda shown: bool(shown["hand"] and shown["hand"]["trick"]))
        client, shown = await to_act(people, table)
        seat = shown["you"]["seat"]
        legal = {one["card"] for one in shown["hand"]["legal"] if one["act"] == "play"}
        codes = set()
        for card in map(str, DECK):
            if card not in legal:
                play = {"act": "play", "seat": seat, "card": card}
                refused = await client.act(table, play, shown["version"], status=409)
                problem = refused["error"]
                codes.add(problem["code"])
                assert problem["version"] == shown["version"]
                assert not CARD.search(json.dumps(refused).encode())
        assert "card-not-held" in codes <= {"card-not-held", "must-follow-suit"}
        for action, code in (
            ({"act": "pass", "seat": seat}, "not-now"),
            ({"act": "bury", "seat": seat, "card": "??"}, "not-now"),
            ({"act": "ready", "seat": seat}, "not-now"),
        ):
            checked(await client.act(table, action, shown["version"], status=409), code)
        assert (await client.see(table))["version"] == shown["version"]


async def test_an_unknown_card_is_never_buried() -> None:
    async with serving(MemoryStore(), entropy=seeded(6)) as place:
        people, table = await four(place)
        client, shown = await to_act(people, table)
        await client.act(table, {"act": "order", "seat": shown["you"]["seat"]}, shown["version"])
        dealer, shown = await to_act(people, table)
        bury = {"act": "bury", "seat": shown["you"]["seat"], "card": "??"}
        checked(await dealer.act(table, bury, shown["version"], status=409), "card-not-held")


MALFORMED: list[Any] = [
    {},
    [],
    None,
    7,
    "act",
    {"version": 1},
    {"version": 1, "action_id": "a"},
    {"version": 0, "action_id": "a", "action": {"act": "pass", "seat": "N"}},
    {"version": 10**30, "action_id": "a", "action": {"act": "pass", "seat": "N"}},
    {"version": True, "action_id": "a", "action": {"act": "pass", "seat": "N"}},
    {"version": "1", "action_id": "a", "action": {"act": "pass", "seat": "N"}},
    {"version": 1, "action_id": "", "action": {"act": "pass", "seat": "N"}},
    {"version": 1, "action_id": "a b", "action": {"act": "pass", "seat": "N"}},
    {"version": 1, "action_id": "a" * 65, "action": {"act": "pass", "seat": "N"}},
    {"version": 1, "action_id": "a", "action": []},
    {"version": 1, "action_id": "a", "action": {}},
    {"version": 1, "action_id": "a", "action": {"act": "fly", "seat": "N"}},
    {"version": 1, "action_id": "a", "action": {"act": ["pass"], "seat": "N"}},
    {"version": 1, "action_id": "a", "action": {"act": "pass"}},
    {"version": 1, "action_id": "a", "action": {"act": "pass", "seat": "X"}},
    {"version": 1, "action_id": "a", "action": {"act": "pass", "seat": None}},
    {"version": 1, "action_id": "a", "action": {"act": "play", "seat": "N", "card": "Jx"}},
    {"version": 1, "action_id": "a", "action": {"act": "play", "seat": "N", "card": "??"}},
    {"version": 1, "action_id": "a", "action": {"act": "pass", "seat": "N", "Jd": 1}},
    {"version": 1, "action_id": "a", "action": {"act": "throw-in", "seat": "N", "makers_tricks": 10**9}},
    {"version": 1, "action_id": "a", "action": {"act": "pass", "seat": "N"}, "Jd": 1},
]


async def test_what_cannot_be_read_is_refused_and_not_quoted() -> None:
    async with serving(MemoryStore()) as place:
        ann = await place.guest("Ann")
        table = await ann.open()
        for body in MALFORMED:
            refused = await ann.call("POST", f"/api/tables/{table}/actions", body, status=422)
            assert refused["error"]["code"] in {"bad-request", "bad-record", "bad-seat", "bad-card"}, body
            assert not CARD.search(json.dumps(refused).encode()), refused
        for ask in (
            {},
            {"command": "Jd"},
            {"command": "sit"},
            {"command": "sit", "seat": "n"},
            {"command": "agree", "Jd": 1},
        ):
            refused = await ann.call("POST", f"/api/tables/{table}/commands", ask, status=422)
            assert not CARD.search(json.dumps(checked(refused, "bad-request")).encode())


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"\xff\xfe", b'{"name": "\xff"}', b'{"name": "\\ud800"}', b"[" * 8_000, b"1" * 6000, b"NaN", b"\0"],
)
async def test_a_body_that_is_no_json_is_refused_in_the_one_shape(content: bytes) -> None:
    async with serving(MemoryStore()) as place:
        for kind in ("application/json", "text/plain", "application/json; charset=utf-16", "*/*"):
            answer = await place.http.post("/api/guests", content=content, headers={"Content-Type": kind})
            assert answer.status_code == 422, answer.text
            checked(answer.json(), "bad-request")
            assert answer.headers["content-type"] == "application/json"


async def test_a_body_far_too_long_is_refused_whatever_it_says_of_its_length() -> None:
    async with serving(MemoryStore()) as place:

        async def endless() -> Any:
            for _ in range(100):
                yield b" " * 1000

        for content in (b" " * 70_000, endless()):
            answer = await place.http.post("/api/guests", content=content, headers={"Content-Type": "application/json"})
            assert answer.status_code == 413
            checked(answer.json(), "too-large")


async def test_wherever_a_request_goes_an_error_has_the_one_shape() -> None:
    async with serving(MemoryStore()) as place:
        ann, nobody = await place.guest("Ann"), place.stranger()
        table = await ann.open()
        for method, path, status, code in (
            ("GET", "/", 404, "not-found"),
            ("GET", "/api", 404, "not-found"),
            ("GET", "/api/tables/" + "x" * 5000, 404, "unknown-table"),
            ("GET", "/api/tables/no", 404, "unknown-table"),
            ("GET", "/api/tables/%00", 404, "unknown-table"),
            ("GET", "/api/tables/%F0%9F%82%A1", 404, "unknown-table"),
            ("GET", "/api/tables/no/feed", 404, "unknown-table"),
            ("GET", "/api/tables/no/hands", 404, "unknown-table"),
            ("GET", f"/api/tables/{table}/record", 404, "unknown-table"),
            ("GET", "/api/links/%00", 404, "unknown-link"),
            ("DELETE", "/api/links/no", 404, "unknown-link"),
            ("DELETE", f"/api/tables/{table}", 405, "wrong-method"),
            ("PATCH", "/api/me", 405, "wrong-method"),
        ):
            await ann.refused(method, path, status=status, code=code)
        for method, path, body in (
            ("GET", "/api/me", None),
            ("PUT", "/api/me", {"name": "Eve"}),
            ("DELETE", "/api/me", None),
            ("POST", "/api/tokens", None),
            ("DELETE", "/api/tokens/this", None),
            ("GET", "/api/tables", None),
            ("POST", "/api/tables", FAST),
            ("POST", f"/api/tables/{table}/commands", {"command": "agree"}),
            (
                "POST",
                f"/api/tables/{table}/actions",
                {"version": 1, "action_id": "a", "action": {"act": "pass", "seat": "N"}},
            ),
            ("POST", f"/api/tables/{table}/links", None),
            ("DELETE", "/api/links/no", None),
        ):
            await nobody.refused(method, path, body, status=401, code="not-signed-in")
            nobody.token = "no token at all"
            await nobody.refused(method, path, body, status=401, code="not-signed-in")
            nobody.token = ""
        answer = await place.http.get("/api/me")
        assert answer.headers["www-authenticate"] == "Bearer"


async def test_rules_that_cannot_be_are_refused_by_name() -> None:
    async with serving(MemoryStore()) as place:
        ann = await place.guest("Ann")
        for body, code in (
            ({"rules": "clob"}, "unknown-rules"),
            ({"rules": "lb1-xyz"}, "bad-link"),
            ({"changes": {"trump": "always"}}, "unknown-option"),
            ({"changes": {"target": -1}}, "bad-option"),
            ({"changes": {"target": 1e400}}, "bad-option"),
            ({"changes": {"seats": 2, "best_of": 2}}, None),
        ):
            content = json.dumps(body)
            headers = {"Content-Type": "application/json", "Authorization": f"Bearer {ann.token}"}
            answer = await place.http.post("/api/tables", content=content, headers=headers)
            assert answer.status_code == 422, (body, answer.text)
            assert code is None or checked(answer.json(), code)


async def test_who_asks_too_often_is_told_how_long_to_wait() -> None:
    now = 0.0
    limits = {"anonymous_limit": RateLimit(2, 0.5, lambda: now), "token_limit": RateLimit(3, 1.0, lambda: now)}
    async with serving(MemoryStore(), **limits) as place:
        ann = await place.guest("Ann")
        bob = await place.guest("Bob")
        answer = await place.http.post("/api/guests", json={"name": "Cat"})
        assert (answer.status_code, answer.headers["retry-after"]) == (429, "2")
        checked(answer.json(), "too-often")
        for _ in range(3):
            await ann.call("GET", "/api/me")
        await ann.refused("GET", "/api/me", status=429, code="too-often")
        await bob.call("GET", "/api/me")
        now = 1.0
        await ann.call("GET", "/api/me")
        await ann.refused("GET", "/api/me", status=429, code="too-often")
        nobody = place.stranger()
        for _ in range(3):
            await nobody.refused("GET", "/api/tables/no", status=404, code="unknown-table")
        await nobody.refused("GET", "/api/tables/no", status=429, code="too-often")


async def test_a_page_of_another_site_cannot_use_the_cookie() -> None:
    """A token in a header is no cookie: a program may come from anywhere."""
    async with serving(MemoryStore()) as place:
        await place.http.post("/api/guests", json={"name": "Ann"})
        assert place.http.cookies["leftbower"]
        for headers, status in (
            ({}, 201),
            ({"Sec-Fetch-Site": "same-origin"}, 201),
            ({"Sec-Fetch-Site": "cross-site"}, 403),
            ({"Sec-Fetch-Site": "same-site"}, 403),
            ({"Origin": "http://leftbower"}, 201),
            ({"Origin": "http://leftbower:81"}, 403),
            ({"Origin": "null"}, 403),
        ):
            answer = await place.http.post("/api/tokens", headers=headers)
            assert answer.status_code == status, headers
            if status == 403:
                checked(answer.json(), "cross-site")
        assert (await place.http.get("/api/me", headers={"Sec-Fetch-Site": "cross-site"})).status_code == 200
        ann = await place.guest("Ann")
        await ann.call("POST", "/api/tokens", status=201, headers={"Sec-Fetch-Site": "cross-site"})


async def test_a_legal_act_is_one_that_the_view_lists() -> None:
    """What the API lists as legal is the engine's view, for players and for those who look on."""
    async with serving(MemoryStore(), entropy=seeded(7)) as place:
        people, table = await four(place)
        for client in (*people, place.stranger()):
            shown = await client.see(table)
            view = view_from_json(shown["hand"])
            assert (view.seat and str(view.seat)) == shown["you"]["seat"]
            assert bool(choose(shown["hand"], Random(1))) == (view.to_act is view.seat)
